# Nothing is leaked and nothing that was freed is used, however a call ends: by its end, by a die in the middle, by the end of its object.
use strict;
use warnings;
no warnings qw(recursion);
use lib 't/lib';
use Installed qw(load_installed);
use Test::More;

BEGIN { plan skip_all => 'Test::LeakTrace is not installed' unless load_installed('Test::LeakTrace'); Test::LeakTrace->import }

use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();
use Kumihimo::JSON::Type;

our $act = sub { };
{
    package Acting;
    sub TO_JSON { $main::act->($_[0]); return ['x', { y => 'z' }] }
    sub FREEZE { $main::act->($_[0]); return ('a', ['b']) }
    sub THAW { my ($class, $as, @values) = @_; $main::act->(\@values); return bless { values => \@values }, $class }
    package ActingText;
    use overload '""' => sub { $main::act->($_[0]); 'text' }, fallback => 1;
    package ActingTie;
    sub TIESCALAR { bless [], $_[0] }
    sub FETCH { $main::act->(); 'fetched' }
    package ActingHash;
    require Tie::Hash;
    our @ISA = 'Tie::StdHash';
    sub FETCH { $main::act->(); $_[0]{ $_[1] } }
}
my %cases = (
    'an object that comes and goes' => sub { my $json = Kumihimo::JSON->new->utf8->pretty->canonical; $json->boolean_values(0, 1)->boolean_values('n', 'y')->max_depth(3) },
    'filters that come and go' => sub {
        my $json = Kumihimo::JSON->new->filter_json_object(sub { () })->filter_json_single_key_object(a => sub { 1 })->filter_json_single_key_object(b => sub { 2 })->sort_by(sub { 0 });
        $json->filter_json_object(sub { 2 })->filter_json_single_key_object(a => undef)->sort_by(undef)->filter_json_object;
    },
    'new that is called wrongly' => sub { eval { Kumihimo::JSON->new(1, 2) } },
    'encode' => sub { Kumihimo::JSON->new->canonical->encode([1, 'a' x 10000, { a => [undef, 1.5], "\x{263a}" => 'x' }]) },
    'encode with white space' => sub { Kumihimo::JSON->new->pretty->encode([1, [[[['a']]]], { a => {} }]) },
    'encode that is refused' => sub { eval { Kumihimo::JSON->new->pretty->encode([1, { a => [sub { 1 }] }]) }; eval { Kumihimo::JSON->new->encode([1, { a => [\2] }]) } },
    'encode of what is no text' => sub { no warnings; eval { Kumihimo::JSON->new->encode(["\x{110000}" x 3000]) }; Kumihimo::JSON->new->utf8->encode(["\x{d800}" x 3000]) },
    'decode' => sub { Kumihimo::JSON->new->decode('[1,"a",{"b":[null,true,1.5,{"c":{}}]},12345678901234567890123]') },
    'decode that is refused' => sub { eval { Kumihimo::JSON->new->decode($_) } for '[1,{"a":[{"b":"c"', '{"a":{"b":[1,2,{}]},}', "[\"\xff\"]", '[' x 600 },
    'repeated keys' => sub {
        my $json = Kumihimo::JSON::Cpanel->new;
        eval { $json->decode('{"a":[{}],"b":{"c":1,"c":[2]},"a":{}}') };
        $json->allow_dupkeys->decode('{"a":[1],"a":{"b":2},"a":[]}');
        $json->dupkeys_as_arrayref->decode('{"a":[1],"a":{"b":2},"b":3,"a":[]}');
    },
    'decode_prefix' => sub { my @all = Kumihimo::JSON->new->decode_prefix('[1,{"a":2}] and more') },
    'filters' => sub { Kumihimo::JSON->new->filter_json_object(sub { [$_[0]] })->filter_json_single_key_object(k => sub { { of => $_[0] } })->decode('[{"k":[1]},{"a":{"k":2}}]') },
    'filters that die' => sub { eval { Kumihimo::JSON->new->filter_json_object(sub { die { an => 'error' } })->decode('[1,{"a":[{"b":1}]}]') } },
    'pieces' => sub {
        my $json = Kumihimo::JSON->new;
        $json->incr_parse($_) for '[1,[2,', '{"a":3}]', ']["b"][';
        my @all = $json->incr_parse;
        $json->incr_skip;
        $json->incr_parse('[1');
        eval { $json->incr_text };
        $json->incr_reset;
        eval { $json->incr_parse('[}'); my $none = $json->incr_parse };
    },
    'pieces and a filter that drops the parser' => sub { my $json; $json = Kumihimo::JSON->new->filter_json_object(sub { undef $json; () }); eval { my @all = $json->incr_parse('{"a":1}{"b":2}') } },
    'TO_JSON' => sub { Kumihimo::JSON->new->convert_blessed->encode([1, bless([], 'Acting'), { a => bless {}, 'Acting' }]) },
    'FREEZE and THAW' => sub { my $json = Kumihimo::JSON->new->allow_tags; $json->decode($json->encode([1, bless([], 'Acting'), { a => bless {}, 'Acting' }])) },
    'overloads' => sub { Kumihimo::JSON::Cpanel->new->convert_blessed->encode([bless([], 'ActingText'), bless({}, 'ActingText'), bless(\my $s, 'ActingText')]) },
    'ties' => sub { my %h; tie $h{a}, 'ActingTie'; tie my %t, 'ActingHash'; %t = (x => [1], y => { z => 2 }); Kumihimo::JSON->new->encode([\%h, \%t, [\%t]]) },
    'references' => sub { Kumihimo::JSON::Cpanel->new->allow_stringify->encode([\'text', \\'text', \1]) },
    'kept order' => sub {
        my $json = Kumihimo::JSON->new->keep_order;
        my $h = $json->decode('{"b":1,"a":{"d":2,"c":[]},"b":3}');
        $h->{e} = [1];
        delete $h->{b};
        $json->encode($h);
        my @keys = keys %$h;
        %$h = ();
        eval { Kumihimo::JSON::Cpanel->new->keep_order->decode('{"b":1,"a":{"d":2,"d":[]},"b":3}') };
        eval { $json->decode('{"b":{"a":1,"c":[') };
    },
    'order of the caller' => sub { my %h = map { ($_ => 1) } 1 .. 70; Kumihimo::JSON->new->sort_by(sub { $a cmp $b })->encode(\%h); eval { Kumihimo::JSON->new->sort_by(sub { die 1 })->encode(\%h) } },
    'types' => sub {
        my $json = Kumihimo::JSON::Cpanel->new->allow_nonref;
        my $value = $json->decode('{"a":[1,"b",{}],"c":null}', my $type);
        $json->encode($value, $type);
        eval { $json->encode($value, { a => JSON_TYPE_INT, c => 1 }) };
        $json->encode(['1', 2], json_type_arrayof(JSON_TYPE_STRING));
        eval { $json->decode('{"a":[1,"b",{', my $other) };
    },
    'big numbers' => sub {
        my $json = Kumihimo::JSON->new->allow_bignum;
        $json->encode($json->decode('[123456789012345678901234567890,1.5]'));
        eval { $json->decode('[123456789012345678901234567890,1.5') };
    },
    'binary' => sub { Kumihimo::JSON::Cpanel->new->binary->encode(["\xff\0" x 3000]) },
    'booleans' => sub { Kumihimo::JSON->new->boolean_values([], {})->decode('[true,false]'); Kumihimo::JSON->new->unblessed_bool->decode('[true]'); Kumihimo::JSON::is_bool(Kumihimo::JSON::true()) },
    'methods of what is no object' => sub { eval { Kumihimo::JSON::encode(bless({}, 'Kumihimo::JSON'), 1) }; eval { Kumihimo::JSON->encode(1) } },
);
# Everything that is loaded or remembered once.
for my $name (sort keys %cases) { $cases{$name}->() for 1 .. 2 }
no_leaks_ok { $cases{$_}->() } $_ for sort keys %cases;

my @calling = ('TO_JSON', 'FREEZE and THAW', 'overloads', 'ties');
{
    local $act = sub { die { an => ['error'] } };
    for my $name (@calling) {
        eval { $cases{$name}->() };
        no_leaks_ok { eval { $cases{$name}->() } } "$name, that dies";
    }
}
{
    # Perl code in the middle that encodes and decodes itself.
    local $act = sub { Kumihimo::JSON::decode_json(Kumihimo::JSON::encode_json([1, { a => 2 }])) };
    for my $name (@calling) {
        $cases{$name}->();
        no_leaks_ok { $cases{$name}->() } "$name, that encodes and decodes";
    }
}

done_testing;
