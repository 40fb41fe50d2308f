package MojoValues;

# Values and texts for comparisons of encoders and decoders: hand-picked ones, and any number of generated ones.
use 5.016;
use strict;
use warnings;

use Exporter qw(import);
use JSON::PP ();
use Tie::Hash ();
use Tie::Array ();
use Tie::Scalar ();

our @EXPORT_OK = qw(picked_values generated_value picked_texts generated_text spoiled);

{
    package MojoValues::Jsonable;
    sub new { my ($class, @what) = @_; return bless [@what], $class }
    sub TO_JSON { my ($self) = @_; return @$self }
}
{
    package MojoValues::Scalar;
    sub new { my ($class, $what) = @_; return bless { what => $what }, $class }
    sub TO_JSON { return $_[0]{what} }
}
{
    package MojoValues::Dies;
    sub TO_JSON { die "no JSON today\n" }
}
{
    package MojoValues::DiesWithObject;
    sub TO_JSON { die { reason => 'an object' } }
}
{
    package MojoValues::Text;
    use overload '""' => sub { $_[0]{text} }, fallback => 1;
    sub new { my ($class, $text) = @_; return bless { text => $text }, $class }
}
{
    package MojoValues::Number;
    use overload '0+' => sub { 42 }, fallback => 1;
}
{
    package MojoValues::Truth;
    use overload 'bool' => sub { 0 }, fallback => 1;
}
{
    package MojoValues::TextAndJson;
    use overload '""' => sub { 'text' }, fallback => 1;
    sub TO_JSON { return { json => 1 } }
}
{
    package MojoValues::Inherits;
    our @ISA = ('MojoValues::Scalar');
}
{
    package MojoValues::Plain;
}
{
    package MojoValues::OwnCan;
    sub can { my ($self, $name) = @_; return $name eq 'TO_JSON' ? sub { 'by can' } : $self->SUPER::can($name) }
}
{
    package MojoValues::CannotEver;
    sub can { return }
    sub TO_JSON { return 'never' }
}
{
    package MojoValues::Magic;
    our @ISA = ('Tie::StdScalar');
    sub TIESCALAR { my ($class, $value) = @_; return bless \$value, $class }
}

sub used_as_number { my ($text) = @_; no warnings 'numeric'; my $unused = $text + 0; return $text }
sub used_as_text { my ($number) = @_; my $unused = "$number"; return $number }
sub flagged { my ($text) = @_; utf8::upgrade($text); return $text }
sub tied_scalar { my ($value) = @_; tie my $scalar, 'MojoValues::Magic', $value; return \$scalar }
sub tied_hash { my (%pairs) = @_; tie my %hash, 'Tie::StdHash'; %hash = %pairs; return \%hash }
sub tied_array { my (@items) = @_; tie my @array, 'Tie::StdArray'; @array = @items; return \@array }
sub nested { my ($depth) = @_; my $value = []; $value = [$value] for 2 .. $depth; return $value }
sub dual { my ($number, $text) = @_; require Scalar::Util; return Scalar::Util::dualvar($number, $text) }

# name => a sub that makes the value: an encoder may leave its marks on it. Nothing with an address in its text.
sub picked_values {
    my $infinity = 9**9**9;
    my @values = (
        'undef' => sub { undef },
        'empty string' => sub { '' },
        'string' => sub { 'text' },
        'characters' => sub { "\x{2665} \x{1f600} \xe9" },
        'latin1' => sub { "\xe9\xff\x80" },
        'latin1, flagged' => sub { flagged("\xe9\xff\x80") },
        'all of ASCII' => sub { join '', map { chr } 0 .. 127 },
        'line separators' => sub { "\x{2028}\x{2029}" },
        'last character' => sub { "\x{10fffd}\x{e000}\x{d7ff}" },
        'slashes' => sub { '</script> \\/ "' },
        'one' => sub { 1 },
        'zero' => sub { 0 },
        'minus one' => sub { -1 },
        'largest integer' => sub { 9223372036854775807 },
        'smallest integer' => sub { -9223372036854775807 - 1 },
        'largest unsigned' => sub { 18446744073709551615 },
        'numbers as strings' => sub { [qw(1 -1 1.0 1e3 0x10 007 +1 .5), ' 1', '1 ', ''] },
        'floats' => sub { [0.1, 0.1 + 0.2, 1 / 3, -1 / 3, 1.5, 3.14159265358979, 1e-7, 1.5e-7, 1e-5, 1e-4, 1e300, -1e-300, 5e-324, 1.7976931348623157e308] },
        'whole floats' => sub { [1.0, -1.0, 1e3, 1e14, 1e15, 123456789012345.0, 1234567890123456.0, 4503599627370496.0, 9007199254740991.0, 9007199254740992.0, 9007199254740994.0, 1e16, 1e17, -1e15, -1e16, 1e20, 1e21, 1e22] },
        'zeros with a sign' => sub { [-0.0, 0 * -1, -1e-300 / 1e300, unpack('d', pack 'd', -0.0)] },
        'computed' => sub { [10 / 2, 2**53, 2**62, 2**63, 2**64, 1e15 + 0.3, int(7.5), 10 % 3, 1_000_000 * 1_000_000, '5' + 0, '5.0' + 0, '5' * 1.5, sqrt(16)] },
        'infinities' => sub { [$infinity, -$infinity] },
        'not a number' => sub { [-sin($infinity)] },
        'infinities as strings' => sub { [qw(Inf inf NaN nan -inf)] },
        'infinities in strings that were used' => sub { [map { used_as_number($_) } qw(Inf inf NaN nan -inf Infinity)] },
        'strings used as numbers' => sub { [map { used_as_number($_) } qw(1 -1 1.0 1.50 1e3 0x10 007 +1 .5 abc 12abc 0 00 -0 18446744073709551615 18446744073709551616 9223372036854775808), ' 1', '1 ', '', '0 but true', '0.1'] },
        'flagged strings used as numbers' => sub { [map { used_as_number(flagged($_)) } qw(1 1.5 abc 0)] },
        'wide strings used as numbers' => sub { [used_as_number("5\x{2665}")] },
        'numbers used as strings' => sub { [map { used_as_text($_) } 1, -1, 1.5, 0.1 + 0.2, 1e15, 1e16, 1e-7, 18446744073709551615, -0.0, 4503599627370496.0, $infinity] },
        'dual values' => sub { [dual(5, 'five'), dual(5, '5'), dual(5.5, '5.5'), dual(5.5, '5.50'), dual(0, ''), dual(1, ''), dual(-1, '-1'), dual(5, flagged('5')), dual($infinity, 'Inf')] },
        'incremented' => sub { my $text = 'a9'; $text++; my $n = '9'; $n++; [$text, $n] },
        'comparisons' => sub { my @is = (1 == 1, 1 == 2, !!'x', !1, !0, 5 > 4); \@is },
        'booleans' => sub { [JSON::PP::true(), JSON::PP::false(), \1, \0] },
        'boolean objects made by hand' => sub { [map { my $v = $_; bless \$v, 'JSON::PP::Boolean' } 1, 0] },
        'scalar references' => sub { [\1, \0, \'1', \'0'] },
        'other scalar references' => sub { [\2, \'', \'x', \undef, \1.5, \'00', \'0.0', \-1] },
        'references to references' => sub { [\\1, \[1], \{}] },
        'functions and globs' => sub { [sub { }, \*STDOUT] },
        'a glob itself' => sub { [*STDOUT] },
        'patterns' => sub { [qr/x/, qr/[a-z]+"/i] },
        'a string with a version' => sub { v1.22.333 },
        'containers' => sub { { a => [], b => {}, c => [[], {}, [[]]], d => { e => { f => {} } } } },
        'arrays with holes' => sub { my @array; $array[3] = 1; \@array },
        'nothing but undef' => sub { [undef, { a => undef }] },
        'keys in order' => sub { return { map { $_ => 1 } qw(b a c A B 1 10 2 aa ab a1), '', ' ', "\x{e9}", "\x{2665}", "\x{1f600}", "\x{ffff}\x{1}" =~ s/\x{ffff}//r } },
        'flagged keys' => sub { return { flagged("\xe9") => 1, "\xea" => 2, flagged('a') => 3, "\x{100}" => 4 } },
        'keys to be escaped' => sub { return { "\"" => 1, "\\" => 2, "/" => 3, "\n" => 4, "\x01" => 5, "\x7f" => 6 } },
        'many keys' => sub { return { map { ("key $_" => $_) } 1 .. 300 } },
        'TO_JSON' => sub { MojoValues::Scalar->new({ x => [1] }) },
        'TO_JSON, a scalar' => sub { [MojoValues::Scalar->new('text'), MojoValues::Scalar->new(undef), MojoValues::Scalar->new(1.5)] },
        'TO_JSON inherited' => sub { [MojoValues::Inherits->new(1)] },
        'TO_JSON in TO_JSON' => sub { MojoValues::Scalar->new([MojoValues::Scalar->new({ a => MojoValues::Scalar->new('deep') })]) },
        'TO_JSON that dies' => sub { [1, { a => bless {}, 'MojoValues::Dies' }] },
        'TO_JSON that dies with an object' => sub { [bless {}, 'MojoValues::DiesWithObject'] },
        'TO_JSON and text' => sub { [bless {}, 'MojoValues::TextAndJson'] },
        'one value of a list' => sub { MojoValues::Jsonable->new('one') },
        'objects with a text' => sub { [MojoValues::Text->new("some \"text\" \x{2665}"), MojoValues::Text->new(''), MojoValues::Text->new("\xe9"), MojoValues::Text->new(5)] },
        'tied' => sub { [tied_hash(b => 1, a => [2], c => undef), tied_array(3, 2, 'x'), tied_hash(), tied_array()] },
        'tied scalars' => sub { [map { ${ $_ } } tied_scalar('text'), tied_scalar(5), tied_scalar(undef)] },
        'references to tied scalars' => sub { [tied_scalar(1), tied_scalar(0)] },
        'a hash with tied values' => sub { my %hash; tie $hash{a}, 'MojoValues::Magic', 5; tie $hash{b}, 'MojoValues::Magic', 'x'; tie $hash{c}, 'MojoValues::Magic', [1, { d => 2 }]; \%hash },
        'an element that is special' => sub { 'abc' =~ /(b)/; [$1] },
        'substr' => sub { my $text = 'abcdef'; return \@{[substr $text, 1, 2]} },
        'weak references' => sub { require Scalar::Util; my $held = [1]; my $value = [$held, $held]; Scalar::Util::weaken($value->[1]); $value },
        'the same twice' => sub { my $once = { a => 1 }; [$once, $once] },
        'depth of 511' => sub { nested(511) },
        'depth of 512' => sub { nested(512) },
    );
    return @values;
}

my @words = ('', 'a', 'key', 'id', 'name', "\xe9t\xe9", "\x{2665}", "\x{1f600}", 'a/b', '"', "\n\t", '1', '10', '-1', 'true', 'null', "\x00", "\x7f", "x\x{2028}", 'long ' x 20, "\\u0041");

sub pick { return $_[rand @_] }

sub generated_number {
    return pick(
        sub { int(rand 20) - 10 }, sub { int(rand 2**31) }, sub { -int(rand 2**40) }, sub { int(rand 2**53) }, sub { rand() },
        sub { rand(2000) - 1000 }, sub { (rand) * 10**(int(rand 40) - 20) },
        sub { my $x = unpack 'd', pack 'Q', int(rand 2**32) * 2**32 + int(rand 2**32); $x == $x && $x * 0 == 0 ? $x : 0.5 },
        sub { int(rand 1e6) / 100 }, sub { int(rand 2**32) * int(rand 2**32) }, sub { int(rand 1e6) * 1.0 }, sub { 10**int(rand 25) },
        sub { unpack 'Q', pack 'LL', rand 2**32, rand 2**32 }, sub { int(rand 1e4) / 2**int(rand 30) },
    )->();
}

sub generated_string {
    my $text = join '', map { pick(@words) } 1 .. 1 + rand 3;
    return pick(
        sub { $text }, sub { flagged($text) }, sub { used_as_number($text) }, sub { used_as_number(generated_number() . '') }, sub { generated_number() . '' },
        sub { join '', map { chr int pick(rand 32, 32 + rand 95, 128 + rand 128, 256 + rand 5000, 0x10000 + rand 0x50000) } 1 .. rand 12 },
        sub { flagged(used_as_number(int(rand 100))) },
    )->();
}

sub generated_value {
    my ($depth) = @_;
    my $kind = rand($depth > 5 ? 8 : 12);
    return generated_number() if $kind < 2.5;
    return clean(generated_string()) if $kind < 6;
    return used_as_text(generated_number()) if $kind < 6.5;
    return undef if $kind < 7;
    return pick(JSON::PP::true(), JSON::PP::false(), \1, \0, 1 == 1, 1 == 2, sub { }) if $kind < 7.5;
    return pick(sub { MojoValues::Scalar->new(generated_value($depth + 1)) }, sub { MojoValues::Text->new(clean(generated_string() . '')) }, sub { dual(generated_number(), clean(generated_string() . '')) })->() if $kind < 8;
    return [map { generated_value($depth + 1) } 1 .. rand 6] if $kind < 10;
    my %hash = map { (clean(pick(@words) . pick('', '', int(rand 30))) => generated_value($depth + 1)) } 1 .. rand pick(4, 8, 20);
    return tied_hash(%hash) if rand > 0.97;
    return \%hash;
}

# Without the code points that are no characters: what becomes of those is a difference of its own.
sub clean {
    my ($text) = @_;
    return $text unless utf8::is_utf8($text);
    return $text if $text !~ /[\x{d800}-\x{dfff}\x{fdd0}-\x{fdef}]/ && !grep { (ord($_) & 0xfffe) == 0xfffe } $text =~ /[^\x00-\x{d7ff}]/g;
    return join '', map { (ord($_) & 0xfffe) == 0xfffe || ord($_) >= 0xd800 && ord($_) <= 0xdfff || ord($_) >= 0xfdd0 && ord($_) <= 0xfdef ? '?' : $_ } split //, $text;
}

# Bytes of JSON, right and wrong, by hand.
sub picked_texts {
    return (
        '', ' ', "\n", 'null', 'true', 'false', '0', '-0', '1', '-1', '""', '"a"', '[]', '{}', ' [ ] ', "\t{\r\n}\n", '[1]', '[1,2]', '[[[]]]', '{"a":1}', '{"a":{"b":[1,null]}}',
        '{"a":1,"a":2}', '{"a":1,"b":2,"a":{"c":3}}', '{"":1}', "{\"\xe2\x99\xa5\":1}", "{\"\\u2665\":1,\"\xc3\xa9\":2}",
        '[0.1]', '[1.0]', '[-0.0]', '[0e0]', '[0E5]', '[1E2]', '[1e+2]', '[1e-2]', '[0.1e1]', '[1.5e300]', '[1e308]', '[1.7976931348623157e308]', '[4.9e-324]', '[1e-400]', '[0.3]', '[123.456]',
        '[9007199254740993]', '[9223372036854775807]', '[9223372036854775808]', '[-9223372036854775808]', '[18446744073709551615]', '[1e15]', '[1e16]', '[123456789012345680000.0]',
        '[0.1000000000000000055511151231257827021181583404541015625]', '[2.2250738585072011e-308]', '[9007199254740993.0]', '[179769313486231580793e289]',
        '["\u0041\u00e9\u2665\ud83d\ude00"]', '["\"\\\/\b\f\n\r\t"]', "[\"\x7f\"]", "[\"\xe2\x80\xa8\"]", "[\"\xf0\x9f\x98\x80\"]", "[\"\xef\xbf\xbf\"]", '["\u0000"]', '["a\u0000b"]', '["\uFFFF\ufffe"]', '["\uD83D\uDE00"]',
        # wrong
        '[', ']', '{', '}', '[1', '[1,', '[1,]', '[,1]', '[1 2]', '[1,,2]', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{,}', '{"a" 1}', '{"a",1}', '{a:1}', "{'a':1}", "['a']", '{1:2}', '{"a":1 "b":2}', '{null:1}',
        '"', '"a', '"\\', '"\\"', '"\\u', '"\\u1', '"\\u12', '"\\u123', '"\\u123"', '"\\x"', '"\\a"', '"\\U0041"', "\"\x01\"", "\"a\nb\"", "\"\t\"", "[\"\x1f\"]",
        '"\ud800"', '"\udc00"', '"\ud800\ud800"', '"\ud800x"', '"\ud800\n"', '"\ud83d\u0041"', '["abc\udc00def"]', '["abc\ud800def"]', '{"\ud800":1}',
        'nul', 'nulll', 'tru', 'truee', 'fals', 'True', 'NULL', 'undefined', 'NaN', 'Infinity', '-Infinity', 'nan', 'inf', '+1', '-', '-a', '.5', '-.5', '01', '-01', '00', '0x10', '1e', '1e+', '1E-', '1.e5x', '1a', '--1', '1-', '1+1', '1_000',
        '[-]', '[+1]', '[01]', '[1e]', '[.5]', '[0 1]', "[1\x0b2]", "[1\xc2\xa0]", "\xc2\xa0[1]", '[] []', '[]]', '{}}', '1 2', '"a" "b"', 'null null', '[] x', "[]\n\n x", '[1] // comment', '/* a */ [1]', '# x', '[1]#',
        "\n\n[1,\n  2,\n  x]", "[\n  {\n    \"a\": tru\n  }\n]", "{\n\"a\":\n\n1\n\"b\"", "\n\n\nx", "\n\n\n", "[\"a\",\n\"b", "[\"\n", "0\n0", "[0,\n0 0]",
        # bytes that are no UTF-8
        "\xff", "[\"\xff\"]", "[\"\xc3\"]", "[\"\xc3(\"]", "[\"\xe2\x99\"]", "[\"\x80\"]", "[\"\xc0\x80\"]", "[\"\xe0\x80\x80\"]", "\xe9", "[1]\xff", "{\"\xff\":1}",
        # further
        '[' x 511 . ']' x 511, '[' x 512 . ']' x 512, '{"a":' x 511 . '1' . '}' x 511, '[' x 600, "[\"" . 'x' x 70_000 . "\"]", "[\"" . "\\n" x 40_000 . "\"]", '[' . join(',', 1 .. 2000) . ']', "[1]\0", "\0", "[\"\0\"]",
        '("tag")[1]', '[1]' . ' ' x 100, ' ' x 100 . '[1]', "\"a\0b", '{"a":1}x', '{"a":[1,{"b":"c}', "[\"a\"\"b\"]", '["a" "b"]', '["a":1]', '{"a":1:2}', '{"a"::1}', '{"a":,}', '[true false]', '[truefalse]', '[nullnull]', '[1true]', '["a"1]', '{"a"1}',
    );
}

sub generated_space { return pick('', '', '', ' ', "\n", "\t ", "\r\n", '   ') }

sub generated_quoted {
    return '"' . join('', map { pick(
        'a', 'text', ' ', '\\n', '\\"', '\\\\', '\\/', '/', '\\t', '\\b\\f\\r', sprintf('\\u%04x', pick(rand 0xd800, 0xe000 + rand 0x1f00)), sprintf('\\u%04X', rand 128), sprintf('\\ud8%02x\\uDC%02x', rand 256, rand 256),
        "\xc3\xa9", "\xe2\x99\xa5", "\xf0\x9f\x98\x80", "\x7f", join '', map { chr 97 + rand 26 } 1 .. rand 40,
    ) } 1 .. rand 6) . '"';
}

# JSON that is right, in bytes.
sub generated_text {
    my ($depth) = @_;
    my $kind = rand($depth > 5 ? 6 : 10);
    my $space = generated_space();
    return $space . pick('null', 'true', 'false') if $kind < 1;
    return $space . pick(sub { int(rand 100) - 50 }, sub { int rand 2**53 }, sub { (rand) * 10**(int(rand 60) - 30) }, sub { sprintf '%.*f', rand 20, rand 1000 }, sub { sprintf '%.*e', rand 20, rand 1000 }, sub { sprintf '-%d.%de%+d', rand 10, rand 1000, rand(40) - 20 }, sub { join '', 1 + int rand 9, map { int rand 10 } 1 .. rand 25 }, sub { '-0' }, sub { '0.0' }, sub { sprintf '%.0f.0', rand 2**53 })->() if $kind < 3.5;
    return $space . generated_quoted() . generated_space() if $kind < 6;
    return $space . '[' . generated_space() . join(',', map { generated_text($depth + 1) . generated_space() } 1 .. rand 6) . ']' . generated_space() if $kind < 8;
    return $space . '{' . generated_space() . join(',', map { generated_space() . generated_quoted() . generated_space() . ':' . generated_text($depth + 1) . generated_space() } 1 .. rand 6) . '}' . generated_space();
}

# The same with something wrong, most of the time.
sub spoiled {
    my ($text) = @_;
    for (1 .. 1 + rand 2) {
        my $at = int rand length($text) + 1;
        pick(
            sub { $text = substr $text, 0, $at },
            sub { substr($text, $at, 1) = '' if $at < length $text },
            sub { substr($text, $at, 0) = pick('[', ']', '{', '}', ',', ':', '"', '\\', ' ', "\n", '0', '1', '-', '+', '.', 'e', 't', 'null', "\x01", "\xff", "\xc3", '\\u', '\\ud800', '/', '#', "'", "\0", "\xef\xbb\xbf") },
            sub { substr($text, $at, 1) = chr rand 256 if $at < length $text },
            sub { substr($text, $at, 1) = chr 32 + rand 95 if $at < length $text },
            sub { my $n = 1 + int rand 5; $text .= substr $text, $at, $n },
        )->();
    }
    return $text;
}

1;
