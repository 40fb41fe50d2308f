# Objects in threads: a copy each, with its options, callbacks and pieces; values that threads share are written as others.
use strict;
use warnings;
use Config;
use Test::More;

BEGIN {
    plan skip_all => 'this perl has no threads' unless $Config{useithreads} && eval { require threads; require threads::shared; 1 };
    threads->import;
    threads::shared->import;
}
use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();

my $prefix = 'p';
my $json = Kumihimo::JSON->new->utf8->canonical->max_depth(7)->boolean_values('n', 'y')->filter_json_object(sub { return { %{ $_[0] }, seen => $prefix } })
    ->filter_json_single_key_object(k => sub { return "$prefix$_[0]" })->sort_by(sub { $b cmp $a });
$json->incr_parse('[1,');

for my $turn (1 .. 3) {
    my $thread = threads->create({ context => 'list' }, sub {
        $prefix = "t$turn";
        $json->max_depth(9)->ascii;
        return (
            $json->encode({ a => 1, b => ["\x{e9}"] }), $json->encode($json->decode('[{"k":1},{"a":true,"c":2}]')), $json->get_max_depth,
            join(' ', map { "@$_" } $json->incr_parse("$turn]")),
        );
    });
    my @answers = $thread->join;
    is_deeply \@answers, ['{"b":["\u00e9"],"a":1}', qq(["t${turn}1",{"seen":"t$turn","c":2,"a":"y"}]), 9, "1 $turn"], "thread $turn";
}
is $json->get_max_depth, 7, 'the object here stays as it was';
is $json->encode({ a => "\x{e9}" }), "{\"a\":\"\xc3\xa9\"}", 'and encodes so';
is_deeply [$json->incr_parse('2]')], [[1, 2]], 'and has its own pieces';

# A thread made while a call is under way.
{
    package Spawning;
    sub TO_JSON { return threads->create(sub { Kumihimo::JSON::encode_json([1, { a => 'b' }]) })->join }
}
is(Kumihimo::JSON->new->convert_blessed->encode([bless [], 'Spawning']), '["[1,{\"a\":\"b\"}]"]', 'a thread made by TO_JSON');

# Values that are shared.
my $shared = shared_clone({ a => [1, 'b', undef, 2.5], c => { d => 'e' }, t => \1 });
my %hash : shared = (x => 1);
my @array : shared = (1, \%hash, 'y');
my $text : shared = "t\x{263a}";
for my $class (qw(Kumihimo::JSON Kumihimo::JSON::Cpanel)) {
    my $encoder = $class->new->canonical;
    is $encoder->encode($encoder->decode($encoder->encode($shared))), '{"a":[1,"b",null,2.5],"c":{"d":"e"},"t":true}', "$class: a shared structure";
    is $encoder->encode([\@array, $text]), "[[1,{\"x\":1},\"y\"],\"t\x{263a}\"]", "$class: shared variables";
    is(threads->create(sub { $encoder->encode(\@array) })->join, '[1,{"x":1},"y"]', "$class: in another thread");
}

# Many at once, each with its own keys and orders.
my @threads = map { my $n = $_; threads->create(sub { my $own = Kumihimo::JSON->new->canonical; my $text = ''; $text = $own->encode($own->decode("{\"k$n\":{\"b\":$_,\"a\":[true]}}")) for 1 .. 300; $text }) } 1 .. 4;
is_deeply [map { $_->join } @threads], [map { "{\"k$_\":{\"a\":[true],\"b\":300}}" } 1 .. 4], 'four threads at once';

# Core booleans as they were set up here.
is(threads->create(sub { Kumihimo::JSON::Cpanel->new->encode([my $yes = !!1]) })->join, Kumihimo::JSON::Cpanel->new->encode([my $here = !!1]), 'what a new object begins with');

done_testing;
