# What is refused, in which words, at which place: the words and places of JSON::XS 4.04 and Cpanel::JSON::XS 4.35. The texts that are written out here were
# said by those modules; where they are installed, many more documents are given to both in the same process.
use strict;
use warnings;
use utf8;
use Test::More;

use lib 't/lib';
use Installed qw(load_installed);
use StockPair qw(outcome shown same_answer broken_versions);

use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output todo_output);

my $nesting = 'json text or perl structure exceeds maximum nesting level (max_depth set too low?)';
my $nothing = 'malformed JSON string, neither tag, array, object, number, string or atom';

subtest 'the words of JSON::XS' => sub {
    my $json = Kumihimo::JSON->new;
    for (
        ['', qq($nothing, at character offset 0 (before "(end of string)"))],
        ['   ', qq($nothing, at character offset 3 (before "(end of string)"))],
        ['x', qq($nothing, at character offset 0 (before "x"))],
        ['[1,]', qq($nothing, at character offset 3 (before "]"))],
        ['[1 2]', ', or ] expected while parsing array, at character offset 3 (before "2]")'],
        ['[1', ', or ] expected while parsing array, at character offset 2 (before "(end of string)")'],
        ['{"a":1 "b"}', ', or } expected while parsing object/hash, at character offset 7 (before ""b"}")'],
        ['{"a" 1}', q(':' expected, at character offset 5 (before "1}"))],
        ['{a:1}', q('"' expected, at character offset 1 (before "a:1}"))],
        ['{"a":1,}', q('"' expected, at character offset 7 (before "}"))],
        ['[1] x', 'garbage after JSON object, at character offset 4 (before "x")'],
        ['tru', q('true' expected, at character offset 0 (before "tru"))],
        ['[falze]', q('false' expected, at character offset 1 (before "falze]"))],
        ['nul', q('null' expected, at character offset 0 (before "nul"))],
        ['-', 'malformed number (no digits after initial minus), at character offset 1 (before "(end of string)")'],
        ['[01]', 'malformed number (leading zero must not be followed by another digit), at character offset 2 (before "1]")'],
        ['[1.]', 'malformed number (no digits after decimal point), at character offset 3 (before "]")'],
        ['[1e]', 'malformed number (no digits after exp sign), at character offset 3 (before "]")'],
        ['"abc', 'unexpected end of string while parsing JSON string, at character offset 4 (before "(end of string)")'],
        ["\"a\nb\"", 'invalid character encountered while parsing JSON string, at character offset 2 (before "\nb"")'],
        ["\"a\tb\"", 'invalid character encountered while parsing JSON string, at character offset 2 (before "\tb"")'],
        ['"a\q"', 'illegal backslash escape sequence in string, at character offset 2 (before "\\\\q"")'],
        ['"\x41"', 'illegal backslash escape sequence in string, at character offset 1 (before "\\\\x41"")'],
        ['"\u12g4"', 'exactly four hexadecimal digits expected, at character offset 3 (before "12g4"")'],
        ['"\ud800"', 'missing low surrogate character in surrogate pair, at character offset 7 (before """)'],
        ['"\ud800\u0041"', 'surrogate pair expected, at character offset 13 (before """)'],
        ['"\udc00"', 'missing high surrogate character in surrogate pair, at character offset 7 (before """)'],
        ['(1)[]', 'malformed JSON string, neither array, object, number, string or atom, at character offset 0 (before "(1)[]")'],
        ['[1,{"é":"日本"},é]', qq($nothing, at character offset 14 (before "\\x{e9}]"))],
        ['日' x 30, qq($nothing, at character offset 0 (before "\\x{65e5}\\x{65e5}\\x{65e5}..."))],
        ['[' x 513, qq($nesting, at character offset 513 (before "(end of string)"))],
    ) {
        my ($text, $words) = @$_;
        is(outcome(sub { $json->decode($text) }), "error: $words", $text =~ s/[^ -~]/?/gr);
    }
    # How a byte 0 is shown is a matter of the perl.
    like(outcome(sub { $json->decode("[\0]") }), qr/^error: \Q$nothing, at character offset 1 (before "\E/, 'a byte 0');
    like(outcome(sub { $json->decode("\"\0\"") }), qr/^error: unexpected end of string while parsing JSON string, at character offset 1 \(before "/, 'a byte 0 in a string');
    my $octets = Kumihimo::JSON->new->utf8;
    my $text = '["é",x]';
    utf8::encode($text);
    is(outcome(sub { $octets->decode($text) }), qq(error: $nothing, at character offset 6 (before "x]")), 'octets are counted as octets');
    is(outcome(sub { Kumihimo::JSON->new->allow_nonref(0)->decode('1') }),
        'error: JSON text must be an object or array (but found number, string, true, false or null, use allow_nonref to allow this)', 'no reference');
    is(outcome(sub { Kumihimo::JSON->new->max_size(3)->decode('[1,2]') }), 'error: attempted decode of JSON text of 5 bytes size, but max_size is set to 3', 'max_size');
    is(outcome(sub { $octets->decode("\x{263a}") }), 'error: Wide character in subroutine entry', 'characters for octets');
};

subtest 'the words of Cpanel::JSON::XS' => sub {
    my $json = Kumihimo::JSON::Cpanel->new;
    for (
        ['', "$nothing, at character offset 0"],
        ['[1', ', or ] expected while parsing array, at character offset 2'],
        ['"a"', 'JSON text must be an object or array (but found number, string, true, false or null, use allow_nonref to allow this)'],
        ['{"a":1,"a":2}', 'Duplicate keys not allowed, at character offset 8 (before "a":2}")'],
        ['{"é":1,"é":2}', 'Duplicate keys not allowed, at character offset 10 (before ":2}")'],
        ['{"\u0061":1,"a":2}', 'Duplicate keys not allowed, at character offset 13 (before "a":2}")'],
        ['{"a":1,"b":{"a":2,"b":3,"a":4}}', 'Duplicate keys not allowed, at character offset 25 (before "a":4}}")'],
        ['["\x41"]', 'illegal hex character in non-binary string, at character offset 3 (before "x41"]")'],
        ['["\101"]', 'illegal octal character in non-binary string, at character offset 3 (before "101"]")'],
        ["[\"\x{110000}\"]", 'malformed UTF-8 character in JSON string, at character offset 2 (before "\x{110000}"]")'],
    ) {
        my ($text, $words) = @$_;
        no warnings 'utf8';
        is(outcome(sub { $json->decode($text) }), "error: $words", $text =~ s/[^ -~]/?/gr);
    }
};

subtest 'octets must be UTF-8' => sub {
    # JSON::XS takes the first four for characters, Cpanel::JSON::XS the first one.
    my $words = 'error: malformed UTF-8 character in JSON string, at character offset 2';
    for my $bytes ("\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFF\x80\x87" . "\xBF" x 10, "\xC0\x80", "\xE2\x82", "\xFF", "\x80", "\xE0\x80\xAF", "\xF0\x82\x82\xAC") {
        for my $class (qw(Kumihimo::JSON Kumihimo::JSON::Cpanel)) {
            for my $relaxed (0, 1) {
                my $json = $class->new->utf8->relaxed($relaxed);
                like(outcome(sub { $json->decode("[\"$bytes\"]") }), qr/^\Q$words\E/, "$class: a string of " . unpack('H*', $bytes));
                like(outcome(sub { $json->decode("{\"$bytes\":1}") }), qr/^\Q$words\E/, "$class: a key of " . unpack('H*', $bytes));
            }
        }
    }
    # What a Perl string may hold stays, where the text is characters.
    no warnings 'utf8';
    for my $code (0xD800, 0xDFFF, 0xFFFF, 0x110000, 0x7FFF_FFFF) {
        my $text = '["' . chr($code) . '"]';
        is(ord Kumihimo::JSON->new->decode($text)->[0], $code, sprintf 'U+%04X in characters', $code);
    }
};

subtest 'depth is not recursion' => sub {
    my $deep = 1_000_000;
    my $json = Kumihimo::JSON->new->max_depth($deep)->allow_tags->relaxed;
    for my $bracket ('[', '{"a":', '(') {
        like(outcome(sub { $json->decode($bracket x $deep) }), qr/^error: \Q$nothing\E|^error: '"' expected/, "$bracket opened $deep times");
        like(outcome(sub { $json->decode($bracket x ($deep + 2)) }), qr/^error: \Q$nesting\E/, "$bracket opened more often");
    }
    my $value = $json->decode('[' x $deep . ']' x $deep . '#');
    my $depth = 0;
    for (my $at = $value; $at; $at = $at->[0]) { ++$depth }
    is($depth, $deep, 'and read');
    while ($value) { $value = shift @$value }
};

# ---- the same documents for both

my @DOCUMENTS = (
    '{"a":[1,2.5,-3e-7,"x\u00e9y\n",true,false,null,{"b":{}, "c" : []}], "d\"": "\uD834\uDD1E", "e":""}',
    "[ 1 ,\n 2 ,\r\n\t{\"k\" : \"v\" } ]\n",
    '"plain"',
    ' -12.5e+3 ',
    '[[[["deep"]]]]',
    '{"é":"☺😀", "日本": [0.1, 18446744073709551615, 123456789012345678901234567890]}',
    '{"a":1,"a":2,"b":{"a":1},"a key of more than twenty-four characters":1,"a key of more than twenty-four characters":2}',
    '("Thawed")["x",{"a":null}]',
    '["\x41\351","#"] # behind',
);
my @PIECES = (
    '[', ']', '{', '}', '(', ')', ',', ':', '"', "'", '1', '0', '-', '.', 'e', 'E', '+', 'true', 'null', 'f', ' ', "\n", "\t", "\r", '\\', '\\u', '\\u00e9', '\\ud800', '\\udc00',
    '\\uD834\\uDD1E', '/', '#', "# c\n", 'a', 'é', '☺', '😀', '1.5', '"a"', '"a":', "\0", "\x01", "\x7f", "\x0b", '{}', '[]', "\x{2028}",
);

sub compare {
    my ($name, $pairs, @documents) = @_;
    subtest $name => sub {
        my ($same, $count) = (0, 0);
        for my $document (@documents) {
            for my $pair (@$pairs) {
                my ($ours, $stock) = @$pair;
                for my $text ($document, utf8::is_utf8($document) ? Encode::encode('UTF-8', $document) : ()) {
                    ++$count;
                    $same += same_answer(sub { $ours->()->decode($text) }, sub { $stock->()->decode($text) }, $text);
                }
            }
        }
        is($same, $count, "$count texts");
    };
    return;
}
require Encode;
# An exponent beyond an int's is another number to JSON::XS.
my @broken = grep { !/[eE][-+]?\d{4}/ } map { broken_versions($_, @PIECES) } @DOCUMENTS;

SKIP: {
    skip 'JSON::XS 4.04 is not installed', 1 unless load_installed('JSON::XS', '4.04');
    my @pairs;
    for my $configure (
        sub { $_[0] },
        sub { $_[0]->utf8 },
        sub { $_[0]->utf8->relaxed },
        sub { $_[0]->relaxed->allow_tags },
        sub { $_[0]->utf8->allow_nonref(0)->max_depth(3) },
    ) {
        my ($ours, $stock) = map { $configure->($_->new) } qw(Kumihimo::JSON JSON::XS);
        push @pairs, [sub { $ours }, sub { $stock }];
    }
    compare('as JSON::XS', \@pairs, @broken);
}
SKIP: {
    skip 'Cpanel::JSON::XS 4.35 is not installed', 1 unless load_installed('Cpanel::JSON::XS', '4.35');
    my @pairs;
    for my $configure (
        sub { $_[0] },
        sub { $_[0]->utf8 },
        sub { $_[0]->utf8->relaxed->allow_tags },
        sub { $_[0]->allow_nonref->allow_dupkeys },
    ) {
        # A text that begins with a byte order mark and is refused leaves Cpanel's object in utf8 mode: a new one each time.
        push @pairs, [map { my $class = $_; sub { $configure->($class->new) } } qw(Kumihimo::JSON::Cpanel Cpanel::JSON::XS)];
    }
    compare('as Cpanel::JSON::XS', \@pairs, @broken);
}

done_testing;
