package EncodeValues;

# Values to encode: hand-picked ones, each made anew by a sub because encoding may change a scalar, and generated ones.
use 5.016;
use strict;
use warnings;
no warnings qw(numeric uninitialized);

use Exporter qw(import);
use Scalar::Util qw(dualvar);

our @EXPORT_OK = qw(picked generated);

{
    package Plain;
    package WithJson;
    sub TO_JSON { my ($self) = @_; return { json => [ref $self, scalar @_, wantarray ? 1 : 0] } }
    package JsonList;
    sub TO_JSON { return (1, 2, 3) }
    package JsonNothing;
    sub TO_JSON { return }
    package JsonSelf;
    sub TO_JSON { return $_[0] }
    package JsonDies;
    sub TO_JSON { die "no JSON\n" }
    package JsonOther;
    sub TO_JSON { return bless [bless({}, 'WithJson')], 'JsonArray' }
    package JsonArray;
    sub TO_JSON { return [@{ $_[0] }] }
    package Texts;
    use overload '""' => sub { 'text of ' . ref $_[0] }, fallback => 1;
    package TextEmpty;
    use overload '""' => sub { '' }, fallback => 1;
    package TextWide;
    use overload '""' => sub { "\x{263a}/\x{e9}" }, fallback => 1;
    package TextDies;
    use overload '""' => sub { die "no text\n" }, fallback => 1;
    package TextNumber;
    use overload '""' => sub { 12 }, fallback => 1;
    package Counts;
    use overload '0+' => sub { 7 }, fallback => 1;
    package Frozen;
    sub FREEZE { my ($self, $as) = @_; return ($as, scalar(@_), { a => 1 }, [undef]) }
    sub THAW { my ($class, $as, @values) = @_; return bless { values => \@values }, $class }
    package FrozenNothing;
    sub FREEZE { return }
    package FrozenSelf;
    sub FREEZE { return $_[0] }
    package FrozenDies;
    sub FREEZE { die "no FREEZE\n" }
    package TiedScalar;
    sub TIESCALAR { my ($class, $value) = @_; return bless \$value, $class }
    sub FETCH { return ${ $_[0] } }
    package TiedArray;
    require Tie::Array;
    our @ISA = 'Tie::StdArray';
    package TiedHash;
    require Tie::Hash;
    our @ISA = 'Tie::StdHash';
}

sub used_as_text { my ($number) = @_; my $text = "$number"; return $number }
sub used_as_number { my ($text) = @_; my $number = $text + 0; return $text }
sub used_as_integer { my ($number) = @_; my $whole = $number | 0; return $number }
sub deep { my ($n) = @_; my $value = 1; $value = $_ % 2 ? [$value] : { a => $value } for 1 .. $n; return $value }

my @picked = (
    map({ my $number = $_; ("integer $number" => sub { [$number] }) }
        0, 1, -1, 9, 10, 99, 12345, -59000, 59001, 2147483647, -2147483648, 4294967296, 9223372036854775807, -9223372036854775807 - 1, 9223372036854775808, 18446744073709551615),
    map({ my $number = $_; ("float $number" => sub { [$number] }) }
        0.5, 0.1, 1 / 3, -2.5, 1e15, 1e16, 123456789012345678e3, 1e-5, 1e-4, 1.5e300, -1e-300, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1 + 0.2, 100.0, 1e100, 3.14159265358979, 299792458.5),
    'minus zero' => sub { [-0.0, 0 * -1.0] },
    'whole floats' => sub { [1.0 * 3, 2 ** 0.5 * 2 ** 0.5, 10 ** 15, 2 ** 53, 2 ** 64, -(2 ** 63)] },
    'infinity and nan' => sub { [9 ** 9 ** 9, -9 ** 9 ** 9, -sin(9 ** 9 ** 9), sin 9 ** 9 ** 9] },
    'infinity with text' => sub { [used_as_text(9 ** 9 ** 9), used_as_text(-9 ** 9 ** 9)] },
    'numbers used as text' => sub { [map { used_as_text($_) } 1, -7, 1.5, 0.1, 1e20, 1e15, 1 / 3, 0, 3.0, 18446744073709551615, 1e100] },
    'texts used as numbers' => sub { [map { used_as_number($_) } '1', '-7', '1.5', '01', '1 ', 'abc', '12abc', '', '1e3', '0x10', ' 3', '0 but true', '18446744073709551616', '1.0', '-0', 'Inf', 'nan', '1e400'] },
    'numbers used as integers' => sub { [map { used_as_integer($_) } 3.0, 3.7, -3.0, 1e10, 0.5, 1e19, 9 ** 20] },
    'sums of texts' => sub { my @texts = ('3', '4.5', 'x'); [map { $_ + 0 } @texts] },
    'dualvars' => sub { [dualvar(5, 'five'), dualvar(5, '5'), dualvar(5.5, '5.5'), dualvar(5.5, '5.50'), dualvar(0, ''), dualvar(1, '1'), dualvar(3.0, '3'), dualvar(7, "7\0x")] },
    'undef' => sub { undef },
    'a text' => sub { 'text' },
    'a number' => sub { 7 },
    'a float' => sub { 7.25 },
    'empty text' => sub { '' },
    'undef inside' => sub { [undef, { a => undef }] },
    'empty containers' => sub { [[], {}, [[]], [{}], { a => [], b => {} }] },
    'mixed' => sub { { a => [1, 'b', { c => [2.5, undef] }], d => 'e', f => { g => { h => [] } } } },
    'missing elements' => sub { my @a; $a[3] = 1; \@a },
    'escapes' => sub { [join('', map { chr } 0 .. 0x7f), '"\\/', "\x7f"] },
    'latin1' => sub { ["\x80\xe9\xff", { "k\xe9y" => "\xa0" }] },
    'flagged latin1' => sub { my $text = "\x80\xe9\xff"; utf8::upgrade($text); my $key = "k\xe9y"; utf8::upgrade($key); [$text, { $key => $text }] },
    'flagged ascii' => sub { my $text = 'plain'; utf8::upgrade($text); [$text, { $text => $text }] },
    'wide' => sub { ["\x{100}\x{7ff}\x{800}\x{ffff}", "\x{10000}\x{10ffff}", "\x{2028}\x{2029}\x{fdd0}\x{fffe}"] },
    'wide keys' => sub { { "\x{263a}" => 1, "\xe9" => 2, a => 3, "\x{10000}" => 4, "\x{ff}z" => 5, "b\x{100}" => 6 } },
    'lone surrogates' => sub { no warnings; ["\x{d800}", "a\x{dfff}b"] },
    'beyond Unicode' => sub { no warnings; ["\x{110000}"] },
    'long texts' => sub { ['x' x 5000, "\xe9" x 3000, "\x{263a}" x 3000, "\n" x 4000, '/' x 300] },
    'many keys' => sub { +{ map { ("key$_" => $_) } 1 .. 200 } },
    'keys to sort' => sub { +{ map { ($_ => 1) } qw(b a c aa ab B 10 9 1 _ z zz), '', ' ', "\0", "a\0" } },
    'references to scalars' => sub { [\0, \1] },
    'references to texts' => sub { [\'0', \'1', \0.0, \1.0] },
    (map { my ($name, $make) = @$_; ($name => sub { [$make->()] }) }
        ['a reference to 2', sub { \2 }], ['a reference to text', sub { \'some' }], ['a reference to empty text', sub { \'' }], ['a reference to undef', sub { \undef }],
        ['a reference to a reference', sub { \\1 }], ['a reference to an array reference', sub { \[1] }], ['code', sub { sub { 1 } }], ['a glob reference', sub { \*STDOUT }], ['a glob', sub { *STDOUT }],
        ['a pattern', sub { qr/x/i }], ['an io', sub { *STDOUT{IO} }], ['a version', sub { v1.2.3 }], ['an lvalue', sub { my $text = 'abcdef'; \substr $text, 1, 2 }]),
    'shared booleans' => sub { require JSON::PP; [JSON::PP::true(), JSON::PP::false()] },
    'a boolean' => sub { require JSON::PP; JSON::PP::true() },
    'immortals' => sub { +{ a => [undef, 1 == 2 ? 1 : 0] } },
    (map { my ($class, $make) = @$_; ("object of $class" => sub { [bless $make->(), $class] }) }
        ['Plain', sub { {} }], ['Plain', sub { [] }], ['WithJson', sub { { a => 1 } }], ['JsonList', sub { [] }], ['JsonNothing', sub { [] }],
        ['JsonSelf', sub { [] }], ['JsonDies', sub { {} }], ['JsonOther', sub { [] }], ['Texts', sub { {} }], ['Texts', sub { [] }], ['TextEmpty', sub { {} }], ['TextWide', sub { [] }],
        ['TextDies', sub { {} }], ['Frozen', sub { {} }], ['Frozen', sub { [1] }], ['FrozenNothing', sub { {} }], ['FrozenSelf', sub { {} }], ['FrozenDies', sub { [] }]),
    'objects with texts in scalars' => sub { [bless(\my $inner, 'Texts'), bless(\(my $other = 'x'), 'TextWide'), bless(sub { 1 }, 'Texts')] },
    'an object at the top' => sub { bless { a => 1 }, 'WithJson' },
    'an object without anything at the top' => sub { bless {}, 'Plain' },
    'tied scalars' => sub { tie my $a, 'TiedScalar', 5; tie my $b, 'TiedScalar', 'five'; tie my $c, 'TiedScalar', [1]; tie my $d, 'TiedScalar', undef; [\1, map { $$_ } \$a, \$b, \$c, \$d] },
    'a hash of tied scalars' => sub { my %h; tie $h{a}, 'TiedScalar', 1.5; tie $h{b}, 'TiedScalar', { x => 'y' }; \%h },
    'a tied array' => sub { tie my @a, 'TiedArray'; @a = (1, 'b', [2], undef); \@a },
    'a tied hash' => sub { tie my %h, 'TiedHash'; %h = (a => 1, b => ['c'], "\xe9" => { d => 2 }, z => undef); \%h },
    'an empty tied hash' => sub { tie my %h, 'TiedHash'; [\%h] },
    'deep' => sub { deep(12) },
    'too deep' => sub { deep(600) },
    'big numbers' => sub { require Math::BigInt; require Math::BigFloat; [map({ Math::BigInt->new($_) } '123456789012345678901234567890', '-5', '+7', '0'), map { Math::BigFloat->new($_) } '1.5', '-0.000000000000000000001', '100'] },
    'restricted hash' => sub { require Hash::Util; my %h = (a => 1, b => 2); Hash::Util::lock_ref_keys(\%h, qw(a b c)); \%h },
    'a hash with deleted keys' => sub { my %h = map { ($_ => $_) } 'a' .. 'z'; delete @h{ 'b' .. 'y' }; \%h },
    'weak' => sub { my $value = { a => [1] }; my $copy = [$value, $value]; Scalar::Util::weaken($copy->[1]); $copy->[2] = $value; $copy },
    'magic of pos and taint' => sub { my $text = 'abcabc'; $text =~ /b/g; [$text, $1, "$&"] },
    'captures' => sub { 'key=12' =~ /(\w+)=(\d+)/; [$1, $2, "$2" + 0] },
    'vectors and utf8 keys of other flags' => sub { my %h = ("\xe9" => 1); my $k = "\xe9"; utf8::upgrade($k); $h{$k}++; \%h },
);

# Names and makers, in turn.
sub picked { return @picked }

# A value out of a sequence of numbers, so that a failure can be had again.
sub generated {
    my ($seed) = @_;
    my $state = $seed * 2654435761 % 4294967296 || 1;
    my $next = sub { $state = ($state * 1103515245 + 12345) % 2147483648; return int($state / 65536) % $_[0] };
    my $text = sub {
        my $kind = $next->(6);
        my @from = $kind < 3 ? (0x20 .. 0x7e) : $kind == 3 ? (0 .. 0x7f) : $kind == 4 ? (0x20 .. 0xff) : (0x20 .. 0x7e, 0xe9, 0x100, 0x263a, 0xd7ff, 0xe000, 0xfffd, 0x10000, 0x1f600, 0x10ffff);
        return join '', map { chr $from[$next->(scalar @from)] } 1 .. $next->(40);
    };
    my $value;
    $value = sub {
        my ($depth) = @_;
        my $kind = $next->($depth > 4 ? 10 : 16);
        return $next->(2) ? $next->(1000) - 500 : $next->(32768) * 65536 * $next->(32768) if $kind < 2;
        return ($next->(20000) - 10000) / (1 + $next->(1000)) if $kind == 2;
        return $next->(32768) / 32768 * 10 ** ($next->(600) - 300) if $kind == 3;
        return undef if $kind == 4;
        return \($next->(2)) if $kind == 5;
        return used_as_text($next->(100000) / 4) if $kind == 6;
        return used_as_number($next->(1000) . ($next->(2) ? '' : '.50')) if $kind == 7;
        return $text->() if $kind < 10;
        return [map { $value->($depth + 1) } 1 .. $next->(6)] if $kind < 13;
        return +{ map { ($text->() => $value->($depth + 1)) } 1 .. $next->(8) };
    };
    return [$value->(0), $value->(0), $value->(1)];
}

1;
