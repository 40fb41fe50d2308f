# Perl code that a call runs cannot leave it by last, next, redo or goto: the loop around the call is none of its own. (The frames of C++ between them
# would stay on the machine stack, and the program would go on above them.) die leaves it, as everywhere.
use strict;
use warnings;
no warnings 'exiting';
use Test::More;
use Kumihimo ();
use Kumihimo::Instead::PP ();
use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();
use Kumihimo::Mojo ();

our $act;
{
    package Actor;
    sub TO_JSON { $main::act->(); return 'made' }
    sub FREEZE { $main::act->(); return 'frozen' }
    sub THAW { $main::act->(); return 'thawed' }
}
my $actor = bless {}, 'Actor';

my %leaves = (
    last => [sub { last }, qr/^Can't "last" outside a loop block at /],
    next => [sub { next }, qr/^Can't "next" outside a loop block at /],
    redo => [sub { redo }, qr/^Can't "redo" outside a loop block at /],
    'last with a label' => [sub { last AROUND }, qr/^Label not found for "last AROUND" at /],
    goto => [sub { goto BEHIND }, qr/^Can't find label BEHIND at /],
    die => [sub { die "died\n" }, qr/^died$/],
);

my $json = Kumihimo::JSON->new->canonical->allow_nonref->convert_blessed;
my $tagged = Kumihimo::JSON->new->allow_tags;
my $filter = Kumihimo::JSON->new->filter_json_object(sub { $act->(); return });
my $single = Kumihimo::JSON->new->filter_json_single_key_object(a => sub { $act->(); return });
my $sorted = Kumihimo::JSON::Cpanel->new->sort_by(sub { $act->(); return $a cmp $b });
my $cpanel = Kumihimo::JSON::Cpanel->new->convert_blessed;
my $mojo = Kumihimo::Mojo::_make(0, 1);
my $stock = Kumihimo::Mojo::_make(0, 64);
{
    no warnings 'once';
    *Kumihimo::Mojo::Stock::encode_json = sub { $act->(); return wantarray ? (@_, 'list') : "@_" };
    $Kumihimo::Instead::PP::stock_encode = sub { $act->(); return wantarray ? (@_, 'list') : "@_" };
}
my %calls = (
    'TO_JSON' => sub { return $json->encode([$actor, 1]) },
    'TO_JSON, Cpanel' => sub { return $cpanel->encode([$actor, 1]) },
    'TO_JSON, Mojo' => sub { return $mojo->([$actor, 1]) },
    'FREEZE' => sub { return $tagged->encode([$actor, 1]) },
    'THAW' => sub { return @{ $tagged->decode('[("Actor")[1],1]') } },
    'a filter of objects' => sub { return sort keys %{ $filter->decode('[{"a":1,"b":2}]')->[0] } },
    'a filter of objects with one key' => sub { return %{ $single->decode('[{"a":1}]')->[0] } },
    'an order of keys' => sub { return $sorted->encode({ a => 1, b => 2 }) },
    'a replaced function' => sub { return $stock->(1, 2) },
    "JSON::PP's own function" => sub { return Kumihimo::Instead::PP::_encode(1, 2, 3) },
    'the reference notation' => sub { return Kumihimo::_trace([$actor]) },
    (map { my $format = $_->{name}; ("TO_JSON, dump to $format" => sub { return Kumihimo::dump([$actor, 1], $format) }) } Kumihimo->formats),
);

# Whether the loop around the call went on behind it, and the error.
sub tried {
    my ($call) = @_;
    my ($turns, $went_on, $error) = (0, 0, '');
    AROUND: for (1) {
        last if $turns++;
        eval { $call->(); 1 } or $error = $@;
        $went_on = 1;
    }
    BEHIND:
    return ($went_on, $error);
}

for my $name (sort keys %calls) {
    my $call = $calls{$name};
    $act = sub { };
    my @before = $call->();
    for my $leave (sort keys %leaves) {
        ($act, my $wanted) = @{ $leaves{$leave} };
        my ($went_on, $error) = tried($call);
        ok $went_on, "$leave out of $name: the loop goes on";
        like $error, $wanted, 'and there is an error';
        # Its own loops are the code's to leave.
        $act = sub { for my $i (1 .. 3) { next if $i == 1; last } };
        my @after = $call->();
        is_deeply \@after, \@before, 'and the next call gives what it gave before';
    }
}

$act = sub { };
is_deeply [$stock->(1, 2)], [1, 2, 'list'], 'a function that was replaced gives a list in list context';
is scalar($stock->('a', 'b')), 'a b', 'and a scalar in scalar context';
is_deeply [Kumihimo::Instead::PP::_encode()], ['list'], 'the same without arguments';
is_deeply [Kumihimo::Instead::PP::_encode(1 .. 1000)], [1 .. 1000, 'list'], 'and with many';
{
    no warnings 'redefine';
    local *Kumihimo::Mojo::Stock::encode_json = sub { $_[0] = 'changed'; return };
    my $argument = 'given';
    is_deeply [$stock->($argument)], [], 'nothing is nothing in list context';
    is $argument, 'changed', 'the arguments are the ones that were given';
    is scalar($stock->($argument)), undef, 'and undef in scalar context';
}

# A call may be made in the code that another call runs, and that one left.
$act = sub { local $act = sub { die "inner\n" }; eval { $json->encode($actor) }; die "outer: $@" };
is +(tried(sub { $json->encode($actor) }))[1], "outer: inner\n", 'calls within each other are left one by one';
$act = sub { local $act = sub { last }; eval { $json->encode($actor) } };
is $json->encode([$actor]), '["made"]', 'what the inner one refused may be caught there';

# caller sees who called, beyond our stack.
sub around { return $json->encode($actor) }
my @callers;
$act = sub { for (my $i = 0; my @frame = caller $i; ++$i) { push @callers, $frame[3] } };
around();
is_deeply [grep { /Actor|around/ } @callers], ['Actor::TO_JSON', 'main::around'], 'caller sees the frames beyond the call';

# Nothing piles up.
my $depth = sub { my $i = 0; ++$i while caller $i; return $i };
my $was = $depth->();
for (1 .. 2000) {
    $act = $leaves{last}[0];
    eval { $json->encode([[$actor]]) };
}
is $depth->(), $was, 'frames that were left are gone';
is $json->encode([1]), '[1]', 'and all goes on';

done_testing;
