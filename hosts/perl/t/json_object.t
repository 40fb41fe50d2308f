# The object: its switches, its getters, what is no object of ours.
use strict;
use warnings;
use Test::More;
use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();

my @switches = qw(
    ascii latin1 utf8 binary indent canonical space_before space_after allow_nonref shrink allow_blessed convert_blessed relaxed
    allow_unknown allow_tags escape_slash unblessed_bool allow_singlequote allow_barekey allow_bignum allow_bigint allow_stringify
    allow_dupkeys dupkeys_as_arrayref require_types type_all_string keep_order shortest_floats core_bools
);
for my $class (qw(Kumihimo::JSON Kumihimo::JSON::Cpanel)) {
    my %on = $class eq 'Kumihimo::JSON' ? (allow_nonref => 1, allow_dupkeys => 1) : ();
    for my $name (@switches) {
        my $get = "get_$name";
        my $json = $class->new;
        is !!$json->$get, !!$on{$name}, "$class: $name as it begins";
        is $json->$name, $json, "$class: $name answers the object";
        ok $json->$get, "$class: $name without an argument is on";
        ok !$json->$name(0)->$get, "$class: $name off";
        ok $json->$name(1)->$get, "$class: $name on";
        ok !$json->$name(undef)->$get, "$class: undef is off" if do { no warnings; 1 } and local $SIG{__WARN__} = sub {};
    }
    my $json = $class->new;
    is $json->pretty, $json, 'pretty answers the object';
    ok $json->get_indent && $json->get_space_before && $json->get_space_after, 'pretty is three switches';
    $json->pretty(0);
    ok !$json->get_indent && !$json->get_space_before && !$json->get_space_after, 'and off again';

    is $json->get_max_depth, 512, 'max_depth';
    is $json->max_depth(3)->get_max_depth, 3, 'max_depth set';
    is $json->max_depth->get_max_depth, 0x80000000, 'max_depth without an argument';
    is $json->get_max_size, 0, 'max_size';
    is $json->max_size(10)->get_max_size, 10, 'max_size set';
    is $json->max_size->get_max_size, 0, 'max_size without an argument';
    is $json->get_indent_length, 3, 'indent_length';
    is $json->indent_length(5)->get_indent_length, 5, 'indent_length set';
    my @warnings;
    {
        local $SIG{__WARN__} = sub { push @warnings, @_ };
        $json->indent_length(16)->indent_length(-1);
    }
    is $json->get_indent_length, 5, 'indent_length keeps to its range';
    is @warnings, 2, 'and says so';
    is $json->indent_length->get_indent_length, 3, 'indent_length without an argument';
    is $json->get_stringify_infnan, 0, 'stringify_infnan';
    is $json->stringify_infnan->get_stringify_infnan, 1, 'stringify_infnan without an argument';
    is $json->stringify_infnan(3)->get_stringify_infnan, 3, 'stringify_infnan set';
    ok !eval { $json->stringify_infnan(4); 1 }, 'stringify_infnan 4';
    like $@, qr/^invalid stringify_infnan mode 4\. Must be 0, 1, 2 or 3 at \Q$0\E/, 'says what it must be';

    is_deeply [$json->get_boolean_values], [], 'boolean_values';
    is_deeply [$json->boolean_values('n', 'y')->get_boolean_values], ['n', 'y'], 'boolean_values set';
    is_deeply $json->decode('[true,false]'), ['y', 'n'], 'boolean_values used';
    is_deeply [$json->boolean_values->get_boolean_values], [], 'boolean_values without arguments';
    ok !eval { $json->boolean_values(1); 1 }, 'boolean_values with one argument';
    is ref $json->decode('[true]')->[0], 'JSON::PP::Boolean', 'the usual booleans again';
}

# ---- relaxed is more to Cpanel::JSON::XS, and repeated keys as arrays are repeated keys
{
    my $json = Kumihimo::JSON::Cpanel->new->relaxed;
    ok $json->get_allow_barekey && $json->get_allow_singlequote && $json->get_allow_dupkeys, 'relaxed under its rules';
    my $plain = Kumihimo::JSON->new->relaxed;
    ok !$plain->get_allow_barekey && !$plain->get_allow_singlequote, 'relaxed under those of JSON::XS';
    ok(Kumihimo::JSON::Cpanel->new->dupkeys_as_arrayref->get_allow_dupkeys, 'dupkeys_as_arrayref allows them');
    ok(Kumihimo::JSON->new->sort_by->get_canonical, 'sort_by is canonical');
    ok !Kumihimo::JSON->new->sort_by(undef)->get_canonical, 'but not when it is taken off';
}

# ---- subclasses
{
    package My::JSON;
    our @ISA = 'Kumihimo::JSON';
    package My::Cpanel;
    our @ISA = 'Kumihimo::JSON::Cpanel';
}
is ref(My::JSON->new), 'My::JSON', 'a subclass';
is(My::JSON->new->encode(1.0), '1', 'has the rules of its class');
ok !eval { My::Cpanel->new->encode(1); 1 }, 'and so has the other';
is ref(My::JSON->new->new), 'My::JSON', 'new of an object';
ok !eval { Kumihimo::JSON->new(utf8 => 1); 1 }, 'new takes no options';

# ---- what is none
for my $not ('Kumihimo::JSON', undef, 7, [], bless([], 'Kumihimo::JSON'), bless(\my $s, 'Kumihimo::JSON'), \'x', sub {}, *STDOUT, \*STDOUT, qr/x/) {
    no warnings;
    for my $method (qw(encode decode utf8 get_utf8 pretty max_depth sort_by boolean_values filter_json_object)) {
        my $code = Kumihimo::JSON->can($method);
        ok !eval { $code->($not, $method =~ /code/ ? '[]' : ()); 1 }, "$method of $not";
        like $@, qr/that Kumihimo::JSON->new has made|call it on what Kumihimo::JSON->new gives/, 'says so';
    }
}
{
    my $json = Kumihimo::JSON->new->utf8;
    $$json = 'written over';
    is $json->encode(["\x{e9}"]), "[\"\xc3\xa9\"]", 'what is written into the scalar does not reach the options';
    bless $json, 'Elsewhere';
    is Kumihimo::JSON::encode($json, [1]), '[1]', 'nor does another class';
    $$json = { big => [1 .. 10] };
    is Kumihimo::JSON::encode($json, [1]), '[1]', 'nor a reference';
}

# ---- an object that goes, or changes, while it works
{
    package Meddler;
    sub new { my ($class, $do) = @_; bless { do => $do }, $class }
    sub TO_JSON { $_[0]{do}->(); 'x' x 100 }
}
{
    my $json = Kumihimo::JSON->new->convert_blessed->canonical;
    is $json->encode([Meddler->new(sub { undef $json }), 1, { a => 1 }]), '["' . 'x' x 100 . '",1,{"a":1}]', 'the object is undefined by TO_JSON';
    $json = Kumihimo::JSON->new->convert_blessed->sort_by(sub { $Kumihimo::JSON::a cmp $Kumihimo::JSON::b });
    ok eval { $json->encode([Meddler->new(sub { $json->sort_by(undef)->pretty; undef $json }), { b => 1, a => 2 }]) }, 'and its callbacks' or diag $@;
    my $filtering;
    $filtering = Kumihimo::JSON->new->filter_json_object(sub { $filtering->filter_json_object(undef) if $filtering; undef $filtering; () });
    is_deeply eval { $filtering->decode('[{"a":1},{"b":2}]') } // $@, [{ a => 1 }, { b => 2 }], 'a filter that takes itself off';
}

# ---- functions
is Kumihimo::JSON::encode_json(["\x{e9}"]), "[\"\xc3\xa9\"]", 'encode_json gives UTF-8';
is Kumihimo::JSON::to_json(["\x{e9}"]), "[\"\x{e9}\"]", 'to_json gives characters';
is_deeply Kumihimo::JSON::decode_json("[\"\xc3\xa9\"]"), ["\x{e9}"], 'decode_json takes UTF-8';
is_deeply Kumihimo::JSON::from_json("[\"\x{e9}\"]"), ["\x{e9}"], 'from_json takes characters';
is prototype('Kumihimo::JSON::encode_json'), '$', 'prototype';
is prototype('Kumihimo::JSON::Cpanel::decode_json'), '$;$$', 'prototype of the one with types';
ok(Kumihimo::JSON::is_bool($_), 'is_bool') for Kumihimo::JSON::true, Kumihimo::JSON::false, Kumihimo::JSON::decode_json('true');
ok !Kumihimo::JSON::is_bool($_), 'is no boolean' for 1, 0, '', undef, [], {}, \1, 'true';
ok(Kumihimo::JSON::is_bool(!!1), 'a core boolean') if $] >= 5.036;
ok !Kumihimo::JSON::Cpanel::is_bool(!!1), 'which is none to Cpanel::JSON::XS';
is(Kumihimo::JSON::true, 1, 'true'), is(Kumihimo::JSON::false, 0, 'false');

done_testing;
