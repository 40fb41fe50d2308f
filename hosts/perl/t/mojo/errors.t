# What Mojo::JSON's functions refuse, and in which words: those of the profile, or Mojolicious' own kind of sentence, which names line and offset.
use Mojo::Base -strict;
use utf8;

use lib 't/lib';
use MojoPair qw(need_mojolicious profiles ours stock outcome);
use StockPair qw(broken_versions);
use Test::More;

use Mojo::Util qw(encode);

need_mojolicious();
binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output todo_output);

sub error {
    my ($code, $text) = @_;
    my ($kind, $words) = @{ outcome($code, $text) };
    return $kind eq 'error' ? $words : "no error, but $words";
}

my $value = 'Malformed JSON: Expected string, array, object, number, boolean or null at line';
my @SENTENCES = (
    ['', 'Missing or empty input at offset 0'],
    [' ', "$value 1, offset 1"],
    ['x', "$value 0, offset 0"],
    ["\n\nx", "$value 0, offset 0"],
    ["[\n\n x", "$value 3, offset 1"],
    ['["♥",x', "$value 1, offset 5"],
    ['[1', 'Malformed JSON: Expected comma or right square bracket while parsing array at line 1, offset 2'],
    ['[1 ', 'Malformed JSON: Expected comma or right square bracket while parsing array before end of data'],
    ["[1,\n2\n3]", 'Malformed JSON: Expected comma or right square bracket while parsing array at line 2, offset 1'],
    ['{"a":1 "b"}', 'Malformed JSON: Expected comma or right curly bracket while parsing object at line 1, offset 7'],
    ['{"a" 1}', 'Malformed JSON: Expected colon while parsing object at line 1, offset 5'],
    ['{"a":1,}', 'Malformed JSON: Expected string while parsing object at line 1, offset 7'],
    ['[1]]', 'Malformed JSON: Unexpected data at line 1, offset 3'],
    ['[1]  ]', 'Malformed JSON: Unexpected data at line 1, offset 5'],
    ['"abc', 'Malformed JSON: Unterminated string at line 1, offset 4'],
    ['"a\q"', 'Malformed JSON: Unexpected character or invalid escape while parsing string at line 1, offset 2'],
    ["[\"a\tb\"]", 'Malformed JSON: Unexpected character or invalid escape while parsing string at line 1, offset 4'],    # past the tab
    ['["\ud800"]', 'Malformed JSON: Missing low-surrogate at line 1, offset 8'],
    ['["\udc00x"]', 'Malformed JSON: Missing high-surrogate at line 1, offset 8'],
    ['[-]', "$value 1, offset 1"],
    ['[01]', 'Malformed JSON: Expected comma or right square bracket while parsing array at line 1, offset 2'],
);

subtest 'the sentences of Mojolicious' => sub {
    my $pure = ours('decode_json', profile => 'pure');
    my $clear = ours('decode_json', profile => 'cpanel', messages => 'clear');
    for (@SENTENCES) {
        my ($text, $words) = @$_;
        my $bytes = encode 'UTF-8', $text;
        my $name = $text =~ s/[^ -~]/?/gr;
        is(error($pure, $bytes), $words, "pure: $name");
        is(error(stock('decode_json', 'pure'), $bytes), $words, "Mojo::JSON itself: $name");
        is(error($clear, $bytes), $words, "clear messages: $name");
    }
    is(error($pure, "[\"\xFF\"]"), 'Input is not UTF-8 encoded', 'octets');
    is(error($pure, "\x{263a}"), 'Input is not UTF-8 encoded', 'characters for octets');
    is(error($clear, "[\"\xFF\"]"), 'Input is not UTF-8 encoded', 'octets, clear');
    # What Mojolicious would read, and Cpanel::JSON::XS does not.
    is(error($clear, '[1.]'), 'Malformed JSON: Malformed number (no digits after decimal point) at line 1, offset 3', 'another grammar');
    like(error($clear, '[' x 600), qr/^Malformed JSON: (?:Nesting too deep|Json text or perl structure exceeds maximum nesting level.*) at line 1, offset 513$/, 'too deep');
};

subtest 'the place in the program is the caller\'s' => sub {
    for my $options ([profile => 'pure'], [profile => 'cpanel'], [profile => 'cpanel', messages => 'clear']) {
        my $decode = ours('decode_json', @$options);
        eval { $decode->('[x') };
        like($@, qr/ at \Q@{[__FILE__]}\E line @{[__LINE__ - 1]}\.\n\z/, "@$options");
    }
};

subtest 'octets must be UTF-8' => sub {
    for my $profile (qw(pure cpanel)) {
        for my $bytes ("\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC0\x80", "\xE2\x82", "\xFF") {
            like(error(ours('decode_json', profile => $profile), "[\"$bytes\"]"), qr/UTF-8/, "$profile: " . unpack 'H*', $bytes);
        }
    }
};

my @DOCUMENTS = (
    '{"a":[1,2.5,-3e-7,"x\u00e9y\n",true,false,null,{"b":{}, "c" : []}], "d\"": "\uD834\uDD1E", "e":""}',
    "[ 1 ,\n 2 ,\r\n\t{\"k\" : \"v\" } ]\n",
    "\n\n [\n0\n,\n\"é\"\n] \n",
    '"plain"',
    ' -12.5e+3 ',
    '{"é":"☺😀", "日本": [0.1, 18446744073709551615, 1e15, 123456789012345678901234567890]}',
    '{"a":1,"a":2,"b":{"a":1}}',
);
my @PIECES = (
    '[', ']', '{', '}', ',', ':', '"', '1', '0', '-', '.', 'e', 'E', '+', 'true', 'null', 'f', ' ', "\n", "\t", "\r", '\\', '\\u', '\\u00e9', '\\ud800', '\\udc00', '\\uD834\\uDD1E',
    '/', '#', 'a', 'é', '☺', '1.5', '"a"', '"a":', "\0", "\x01", "\x7f", "\x0b", '{}', '[]', "\n\n",
);
for my $profile (profiles()) {
    my ($same, $count) = (0, 0);
    for my $text (map { broken_versions($_, @PIECES) } @DOCUMENTS) {
        for my $function (qw(decode_json from_json)) {
            my $given = $function eq 'decode_json' ? encode('UTF-8', $text) : $text;
            my ($got, $expected) = map { outcome($_, my $copy = $given) } ours($function, profile => $profile), stock($function, $profile);
            ++$count;
            # A number with a point and no fraction is a float without one to Mojo::JSON, and an integer here.
            s/\b(\d+)f\b/$1/g for $got->[1], $expected->[1];
            if ("@$got" eq "@$expected") { ++$same }
            elsif ($count - $same <= 20) { is_deeply($got, $expected, $given =~ s/([^ -~])/sprintf '\\x{%x}', ord $1/ger) }
        }
    }
    is($same, $count, "as $profile: $count texts");
}

done_testing;
