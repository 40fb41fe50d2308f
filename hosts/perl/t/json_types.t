# Types beside the values, as Cpanel::JSON::XS has them: encode by them, decode reports them.
use strict;
use warnings;
no warnings qw(numeric uninitialized);
use Test::More;

use lib 't/lib';
use Installed qw(load_installed);

use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();
use Kumihimo::JSON::Type;

my $json = Kumihimo::JSON::Cpanel->new->canonical->allow_nonref;

is $json->encode({ id => '7', tags => ['a', undef], ok => 1, x => '2' }, { id => JSON_TYPE_INT, tags => json_type_arrayof(JSON_TYPE_STRING_OR_NULL), ok => JSON_TYPE_BOOL, x => JSON_TYPE_FLOAT }),
    '{"id":7,"ok":true,"tags":["a",null],"x":2.0}', 'a document by its types';
is(Kumihimo::JSON->new->canonical->encode({ a => '1', b => 2 }, { a => JSON_TYPE_INT, b => JSON_TYPE_STRING }), '{"a":1,"b":"2"}', 'under the rules of JSON::XS too');
is(Kumihimo::JSON::Cpanel::encode_json(['1'], [JSON_TYPE_INT]), '[1]', 'by the function');

# The types of a list that weaken cuts.
{
    my $tree = {};
    $tree->{child} = json_type_null_or_anyof(json_type_weaken($tree));
    $tree->{n} = JSON_TYPE_INT;
    is $json->encode({ n => '1', child => { n => '2', child => undef } }, $tree), '{"child":{"child":null,"n":2},"n":1}', 'types that refer to themselves';
}

my $decoded = $json->decode('{"a":[1,1.5,"x",true,null,{"b":false}],"c":-1e3}', my $type);
is_deeply $type, { a => [JSON_TYPE_INT, JSON_TYPE_FLOAT, JSON_TYPE_STRING, JSON_TYPE_BOOL, JSON_TYPE_NULL, { b => JSON_TYPE_BOOL }], c => JSON_TYPE_FLOAT }, 'decode reports types';
is $json->encode($decoded, $type), '{"a":[1,1.5,"x",true,null,{"b":false}],"c":-1000.0}', 'which encode takes';

for (
    [sub { json_type_arrayof() }, qr/^Exactly one type must be specified in arrayof at \Q$0\E/],
    [sub { json_type_hashof(1, 2) }, qr/^Exactly one type must be specified in hashof/],
    [sub { json_type_weaken() }, qr/^Exactly one type must be specified in weaken/],
    [sub { json_type_weaken(1) }, qr/^Scalar cannot be specified in weaken/],
    [sub { json_type_anyof(1, 2) }, qr/^Only one scalar type can be specified in anyof/],
    [sub { json_type_anyof([], json_type_arrayof(1)) }, qr/^Only one array type can be specified in anyof/],
    [sub { json_type_anyof({}, {}) }, qr/^Only one hash type can be specified in anyof/],
    [sub { json_type_anyof(\1) }, qr/^Only scalar, array or hash can be specified in anyof/],
    [sub { json_type_null_or_anyof(1) }, qr/^Scalar cannot be specified in null_or_anyof/],
) {
    my ($code, $words) = @$_;
    ok !eval { $code->(); 1 }, 'a wrong type';
    like $@, $words, 'says what is wrong';
}

# ---- the stock module's answer for every value by every type
{
    package Plain;
    package Texts;
    use overload '""' => sub { 'text' }, '0+' => sub { 42 }, fallback => 1;
    package Tied;
    sub TIESCALAR { bless \(my $value = $_[1]), $_[0] }
    sub FETCH { ${ $_[0] } }
}
sub used_as_text { my ($number) = @_; my $text = "$number"; return $number }
sub outcome {
    my ($json, @arguments) = @_;
    my $text = eval { $json->encode(@arguments) };
    return defined $text ? $text : 'error ' . $@ =~ s/ at \S+ line \d+\.?\n\z//r =~ s/0x[0-9a-f]+/0x/gr =~ s/Cpanel::JSON::XS::|Kumihimo::JSON::(?=Type)//gr;
}
subtest 'as Cpanel::JSON::XS' => sub {
    plan skip_all => 'Cpanel::JSON::XS 4.35 is not installed' unless load_installed('Cpanel::JSON::XS', '4.35') && eval { require Cpanel::JSON::XS::Type };
    require JSON::PP;
    require Math::BigInt;
    require Math::BigFloat;
    my @values = (
        sub { 0 }, sub { 1 }, sub { -5 }, sub { 1.5 }, sub { -0.5 }, sub { 1e20 }, sub { -1e30 }, sub { 2 ** 63 }, sub { 18446744073709551615 }, sub { 3.0 }, sub { 9 ** 9 ** 9 }, sub { -9 ** 9 ** 9 }, sub { -sin(9 ** 9 ** 9) },
        sub { '' }, sub { '0' }, sub { '1' }, sub { '00' }, sub { 'abc' }, sub { '12abc' }, sub { '1.75' }, sub { '-1.75' }, sub { '1e3' }, sub { '99999999999999999999' }, sub { '-99999999999999999999' }, sub { 'Inf' }, sub { '-Inf' }, sub { 'NaN' }, sub { "\x{263a}" }, sub { "\xe9" },
        sub { used_as_text(1.0) }, sub { used_as_text(12) }, sub { undef }, sub { \0 }, sub { \1 }, sub { \2 }, sub { \'x' }, sub { sub { 1 } }, sub { \*STDOUT }, sub { JSON::PP::true() }, sub { JSON::PP::false() },
        sub { bless {}, 'Plain' }, sub { bless [], 'Texts' }, sub { bless \(my $x = 0), 'Plain' }, sub { tie my $t, 'Tied', '5'; my $value = [\$t]; ${ $value->[0] } },
        sub { Math::BigInt->new('123456789012345678901234567890') }, sub { Math::BigFloat->new('-1.5') }, sub { Math::BigFloat->new('100') }, sub { Math::BigInt->new('NaN') }, sub { Math::BigInt->new('-inf') },
        sub { [] }, sub { {} }, sub { ['1', 2] }, sub { { a => '1', b => 2 } }, sub { [['1']] }, sub { [undef] }, sub { my @a; $a[1] = 1; \@a },
    );
    my @types = (
        map({ my $code = $_; sub { $code } } 1 .. 4, 0x101 .. 0x104, 0x100, 0, 5, undef, 'x'),
        map({ my ($name, @arguments) = @$_; sub { my $family = $_[0]; no strict 'refs'; &{"${family}::json_type_$name"}(map { ref ? $_->($family) : $_ } @arguments) } }
            ['arrayof', 2], ['hashof', 4], ['anyof', 2], ['anyof', 0x103], ['anyof', 4, sub { [1, 2] }, sub { { a => 2, b => 4 } }],
            ['anyof', sub { no strict 'refs'; &{"$_[0]::json_type_arrayof"}(4) }], ['null_or_anyof', sub { no strict 'refs'; &{"$_[0]::json_type_hashof"}(3) }]),
        sub { [] }, sub { [2] }, sub { [2, 4] }, sub { { a => 2, b => 3 } }, sub { { a => 2 } }, sub { {} }, sub { \1 }, sub { bless [], 'Plain' }, sub { bless {}, 'Plain' }, sub { [[2]] },
    );
    my @options = (
        [], ['allow_blessed'], ['convert_blessed'], ['allow_blessed', 'convert_blessed'], ['allow_unknown'], ['allow_bignum'], ['allow_bignum', 'allow_blessed'], ['require_types'], ['type_all_string'], ['require_types', 'type_all_string'],
        ['allow_stringify'], ['pretty', 'canonical'], ['escape_slash', 'ascii'],
    );
    my ($compared, $told) = (0, 0);
    for my $set (@options) {
        for my $v (0 .. $#values) {
            for my $t (0 .. $#types) {
                my ($ours, $theirs) = map { my $json = $_->new->canonical->allow_nonref; $json->$_ for @$set; $json } 'Kumihimo::JSON::Cpanel', 'Cpanel::JSON::XS';
                for my $wrap (0, 1) {
                    my ($value, $type) = ($values[$v]->(), sub { $types[$t]->($_[0]) });
                    $value = [$value] if $wrap;
                    my @type = map { my $type = $type->($_); $wrap ? defined $type ? [$type] : undef : $type } 'Kumihimo::JSON::Type', 'Cpanel::JSON::XS::Type';
                    # Their words for a big number that is none are no JSON.
                    my $expected = outcome($theirs, $value, $type[1]);
                    next if $expected =~ /\[?"?(?:NaN|-?inf)"?\]?\z/ || $expected =~ /\A\[?\s*NaN/;
                    my $got = outcome($ours, $wrap ? [$values[$v]->()] : $values[$v]->(), $type[0]);
                    # The same value again where its address is what is written.
                    $got = outcome($ours, $value, $type[0]) if $got ne $expected;
                    ++$compared;
                    next if $got eq $expected;
                    is $got, $expected, "value $v, type $t, @$set" . ($wrap ? ', in an array' : '') if ++$told <= 20;
                }
            }
        }
    }
    is $told, 0, "$compared answers are the same";
};

done_testing;
