# Perl code in places where nobody expects it, and values that are made to break an encoder: each of these once gave a wrong answer
# or touched what was freed.
use strict;
use warnings;
use Config;
use Test::More;
use Kumihimo;
use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();
use Kumihimo::JSON::Type;
use Kumihimo::MessagePack ();

{
    package Acting;    # runs code when it is asked for its text
    use overload '""' => sub { $_[0][0]->(); $_[0][1] }, fallback => 1;
    sub new { my ($class, $code, $text) = @_; return bless [ $code, $text ], $class }
}
{
    package ActingTie;
    sub TIESCALAR { my ($class, $code, $value) = @_; return bless [ $code, $value ], $class }
    sub FETCH { $_[0][0]->(); $_[0][1] }
}

subtest 'the order of keys that Perl keeps as Latin-1' => sub {
    my $json = Kumihimo::JSON->new->utf8->canonical;
    srand 5;
    my $wrong = 0;
    for my $round (1 .. 3000) {
        my %h = map { chr(0xC0 + int rand 60) . chr(97 + int rand 3) => $_ } 1 .. 6;
        my $data = $json->decode($json->encode(\%h));
        my $text = $json->encode($data);
        my $wanted = '{' . join(',', map { my $k = $_; utf8::encode($k); qq("$k":$data->{$_}) } sort keys %$data) . '}';
        ++$wrong if $text ne $wanted;
    }
    is $wrong, 0, 'is that of their characters, however often a shape comes';
};

for my $class (qw(Kumihimo::JSON Kumihimo::JSON::Cpanel)) {
    my $decoded = $class->new->decode('[true,false]');
    eval { ${ $decoded->[0] } = 0 };
    like $@, qr/\AModification of a read-only value/, "$class: booleans cannot be changed";
    is $class->new->encode($class->new->decode('[true,false]')), '[true,false]', 'and stay what they are';
}

{
    my $text = '["' . ("\\uFFFE" x 3) . ('x' x 5000) . '",' . join(',', 1 .. 2000) . ']';
    my $count = 0;
    local $SIG{__WARN__} = sub { ++$count; undef $text; my @other = map { 'y' x 8000 } 1 .. 20 };
    use warnings;
    my $data = Kumihimo::JSON::Cpanel->new->decode($text);
    is scalar @$data, 2001, 'a handler of warnings that drops the text';
    ok $count, 'ran';
}

{
    my $json = Kumihimo::JSON->new;
    tie my $piece, 'ActingTie', sub { $json->incr_reset }, '[1,2]';
    is_deeply [ $json->incr_parse($piece) ], [ [ 1, 2 ] ], 'a piece that resets the object when it is fetched';
    $json = Kumihimo::JSON->new;
    is_deeply [ $json->incr_parse(Acting->new(sub { undef $json }, '[3]')) ], [ [ 3 ] ], 'or lets go of it';
}

{
    my $type = [ JSON_TYPE_STRING, [ JSON_TYPE_INT, JSON_TYPE_INT ] ];
    my $value = [ undef, [ '1', '2' ] ];
    tie $value->[0], 'ActingTie', sub { undef $type; my @other = map { [ 'z' x 50 ] } 1 .. 100 }, 7;
    is eval { Kumihimo::JSON::Cpanel->new->encode($value, $type) } // $@ =~ s/ at .*//sr, '["7",[1,2]]', 'a value that drops the types';
}

{
    my $document = Kumihimo->lazy('{"a":{"b":[1,2,3]}}');
    my $key = Acting->new(sub { undef $document }, 'a');
    my $inner = $document->get($key, 'b', 1);
    is $inner, 2, 'a key that drops the document';
    $document = Kumihimo->lazy('{"a":{"b":[1,2,3]}}');
    is $document->at(Acting->new(sub { undef $document }, '/a/b/2')), 3, 'a pointer that does';
}

{
    my $packer = Kumihimo::MessagePack->new->canonical;
    my %h = map { ("k$_" => "v$_") } 10 .. 40;
    my $plain = $packer->pack({ %h, k10 => Kumihimo::MessagePack::Extension->new(5, 'data') });
    $h{k10} = Kumihimo::MessagePack::Extension->new(5, 'data');
    $h{k10}{data} = Acting->new(sub { %h = () }, 'data');
    is $packer->pack(\%h), $plain, 'an extension whose data empties the hash';
}

SKIP: {
    eval { require Math::BigInt; 1 } or skip 'Math::BigInt is not installed', 2;
    my $json = Kumihimo::JSON->new->allow_bignum;
    is $json->encode([ Math::BigInt->new('123456789012345678901234567890') ]), '[123456789012345678901234567890]', 'a big number';
    my $broken = Math::BigInt->new('12345678901234567890123');
    $broken->{sign} = '"';
    is eval { $json->encode([$broken]) }, undef, 'one whose text is none';
}

SKIP: {
    skip 'this perl has no threads', 2 unless $Config{useithreads};
    require threads;
    my $answer = sub {
        my ($depth) = @_;
        my $data = Kumihimo::JSON->new->max_depth(100_000);
        my $value = [];
        $value = { a => $value } for 1 .. $depth;
        return eval { length $data->encode($value) } // 'error';
    };
    is(threads->create({ stack_size => 512 * 1024 }, $answer, 40)->join, 40 * 6 + 2, 'a thread with a small stack');
    my $end = threads->create({ stack_size => 512 * 1024 }, sub {
        my $value = [];
        my $top = $value;
        for (1 .. 20_000) { my $next = []; push @$value, $next; $value = $next }
        my $answer = eval { length Kumihimo::JSON->new->max_depth(1e9)->encode($top) } // $@;
        # Taken apart by hand: perl frees nested values by recursion.
        while (@$top) { $top = shift @$top }
        return $answer;
    })->join;
    like $end, qr/nested too deeply|\A40002\z/, 'ends in an error, not in a crash';
}

subtest 'a text that is another one each time' => sub {
    my $mark = "\xEF\xBB\xBF";
    my $read = sub {
        my ($json, $how, $then, $now) = @_;
        tie my $tied, 'ActingTie', sub { }, $then;
        my $copy = $tied;
        tied($tied)->[1] = $now;
        my @all = map { ref ? "[@$_]" : $_ } eval { $json->$how($tied) };
        return @all ? "@all" : $@;
    };
    my $small = Kumihimo::JSON->new->max_size(10);
    is $read->($small, decode_prefix => '[1,2,3,4,5,6,7]', '[1] '), '[1] 3', 'its size is that of now';
    like $read->($small, decode_prefix => '[1] ', '[1,2,3,4,5,6,7]'), qr/size/, 'where that is too large, too';
    my $marked = Kumihimo::JSON::Cpanel->new;
    is $read->($marked, decode => "${mark}[1]", '[2]'), '[2]', 'a mark that is gone';
    is $read->($marked, decode => '[1]', "${mark}[2]"), '[2]', 'and one that has come';
    is $read->($marked, decode_prefix => "${mark}[1]", '[2] '), '[2] 3', 'in decode_prefix';
};

{
    package Guarded;
    our $left = 0;
    sub new { ++$left; return bless [], shift }
    sub DESTROY { --$left }
}
{
    my $h = Kumihimo::JSON->new->keep_order->decode('{"a":1}');
    my $parts = tied %$h;
    tie my $value, 'ActingTie', sub { @$parts = () }, Guarded->new;
    ok !eval { $parts->STORE(a => $value); 1 }, 'a value that breaks the hash that it is put into';
}
is $Guarded::left, 0, 'is not kept by it';
for my $store (sub { tie my %h, 'Kumihimo::JSON::Ordered'; tied(%h)->STORE($_[0], $_[1]); keys %h }, sub { Kumihimo::JSON::Ordered->TIEHASH($_[0], $_[1])->FIRSTKEY }) {
    my @key = ('k' . 1);
    tie my $value, 'ActingTie', sub { @key = (); my @others = map { "other $_" } 1 .. 200 }, 7;
    is join(' ', $store->($key[0], $value)), 'k1', 'a value that drops its key';
}

done_testing;
