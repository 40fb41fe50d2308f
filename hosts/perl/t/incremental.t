# JSON that arrives in pieces: incr_parse in its three contexts, incr_text, incr_skip, incr_reset, for both sets of rules.
use strict;
use warnings;
use Test::More;

use lib 't/lib';
use Installed qw(load_installed);
use Leaks qw(leaked);
use StockPair qw(outcome shown);

use Encode ();
use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();

my $started = 'error: incr_text can not be called when the incremental parser already started parsing';
my @CLASSES = qw(Kumihimo::JSON Kumihimo::JSON::Cpanel);

sub resident { open my $file, '<', '/proc/self/statm' or return 0; return (split ' ', <$file>)[1] * 4096 }

# A copy of what is left, for each value, would be 2 GB in the end.
subtest 'many values in one piece take the memory of the piece' => sub {
    for my $json (Kumihimo::JSON->new->utf8, Kumihimo::JSON->new, Kumihimo::JSON::Cpanel->new->utf8) {
        my $before = resident();
        my @all = $json->incr_parse(qq({"a":1}\n) x 24_000);
        is(scalar @all, 24_000, 'all values');
        is($all[-1]{a}, 1, 'the last one');
        cmp_ok(resident() - $before, '<', 100_000_000, 'and little memory');
    }
};

for my $class (@CLASSES) {
    subtest $class => sub {
        my $json = $class->new;
        is($json->incr_text, undef, 'nothing came yet');
        is(outcome(sub { scalar $json->incr_parse }), 'undef', 'nothing comes');
        $json->incr_parse('[1,');
        is($json->incr_text, '[1,', 'void context keeps the piece only');
        is(outcome(sub { scalar $json->incr_parse }), 'undef', 'no value yet');
        is(outcome(sub { $json->incr_text }), $started, 'a value has begun');
        is(outcome(sub { scalar $json->incr_parse('2] [3][4') }), '[1, 2]', 'the first value');
        is($json->incr_text, ' [3][4', 'and what follows it');
        is(outcome(sub { $json->incr_parse(',5]{"a":[]}  ') }), '[3] [4, 5] {"a" => []}', 'list context: all values');
        is($json->incr_text, '', 'white space is not kept');

        $json->incr_parse("[1],\n ,[2]");
        is(outcome(sub { scalar $json->incr_parse }), '[1]', 'a value');
        $json->incr_text =~ s/^[\s,]+//;
        is(outcome(sub { scalar $json->incr_parse }), '[2]', 'commas taken away through the lvalue');
        $json->incr_text = '{"x":"]}"}';
        is(outcome(sub { scalar $json->incr_parse }), '{"x" => "]}"}', 'assigned, brackets in a string');
        $json->incr_text = undef;
        is(outcome(sub { scalar $json->incr_parse }), 'undef', 'undef assigned');

        like(outcome(sub { scalar $json->incr_parse('[1,x] [2]') }), qr/^error: malformed JSON string.*offset 3 \(before "x\] \[2\]"\)$/, 'an error, with what stands behind it');
        like(outcome(sub { scalar $json->incr_parse }), qr/^error: malformed JSON string/, 'stays one');
        $json->incr_skip;
        is(outcome(sub { scalar $json->incr_parse }), '[2]', 'skipped');
        $json->incr_parse('[[[');
        is(outcome(sub { scalar $json->incr_parse }), 'undef', 'something is open');
        $json->incr_reset;
        is($json->incr_text, undef, 'reset');
        is(outcome(sub { scalar $json->incr_parse('[1]') }), '[1]', 'and fresh');

        is(outcome(sub { $class->new->max_depth(2)->incr_parse('[[[') }), 'error: json text or perl structure exceeds maximum nesting level (max_depth set too low?)', 'max_depth');
        is(outcome(sub { $class->new->max_size(5)->incr_parse('[1,2,3') }), 'error: attempted decode of JSON text of 6 bytes size, but max_size is set to 5', 'max_size');
        is(outcome(sub { $class->new->max_size(5)->incr_parse('[1] [2] [3] [4]') }), '[1] [2] [3] [4]', 'max_size is of a value, not of all that waits');
        is(outcome(sub { $class->new->relaxed->incr_parse("# [ \"\n[1, # ]\n2,] # x\n [3]") }), '[1, 2] [3]', 'comments');
        like(outcome(sub { $class->new->utf8->incr_parse("\xEF\xBB\xBF[1]") }), qr/^error: malformed JSON string.*offset 0/, 'no byte order mark in a stream');
        like(outcome(sub { $class->new->incr_parse(']') }), qr/^error: malformed JSON string/, 'a bracket too many');
    };
    subtest "$class: octets and characters" => sub {
        my $bytes = Encode::encode('UTF-8', "[\"\x{e9}\x{263a}\"]");
        my $octets = $class->new->utf8;
        is(outcome(sub { map { $octets->incr_parse($_) } split //, $bytes }), '[u"\x{e9}\x{263a}"]', 'octets, one by one');
        is(outcome(sub { $octets->incr_parse("[\x{263a}]") }), 'error: Wide character in subroutine entry', 'characters for octets');
        my $characters = $class->new;
        is(outcome(sub { map { $characters->incr_parse($_) } split //, "[\"\x{e9}\x{263a}\xe9\"]" }), '[u"\x{e9}\x{263a}\x{e9}"]', 'characters, one by one, flagged or not');
        my $piece = "[\"\xe9\",";
        $characters->incr_parse($piece);
        ok(!utf8::is_utf8($piece), 'a piece is as it was');
        is(outcome(sub { scalar $characters->incr_parse }), 'undef', 'scanned');
        $characters->utf8;
        is(outcome(sub { $characters->incr_parse('1]') =~ /x/ }), 'error: malformed UTF-8 character in JSON string, at character offset 2 (before "\x{fffd}1]")', 'they become octets on the way')
            if $] < 5.037;
        $characters->incr_reset;
        $characters->incr_parse("[\"\xC3\xA9\",");
        is(outcome(sub { scalar $characters->incr_parse }), 'undef', 'scanned');
        $characters->utf8(0);
        is(outcome(sub { scalar $characters->incr_parse("\"\x{263a}\"]") }), '[u"\x{c3}\x{a9}", u"\x{263a}"]', 'octets become characters');
    };
    subtest "$class: callbacks" => sub {
        my $json = $class->new;
        my $again;
        $json->filter_json_object(sub { $again = outcome(sub { $json->incr_parse('[9]') }); $_[0] });
        is(outcome(sub { $json->incr_parse('{"a":1}[2]') }), '{"a" => 1} [2]', 'a filter that goes on with the same parser');
        is($again, 'error: a callback of the incremental parser cannot use the same parser', 'is refused');
        $json->filter_json_object(sub { undef $json; 7 });
        is(outcome(sub { $json->incr_parse('{} {} 3 ') }), '7 7 3', 'a filter that drops the parser') if $class eq 'Kumihimo::JSON';
        my $dies = $class->new->filter_json_object(sub { die "no\n" });
        is(outcome(sub { $dies->incr_parse('{"a":1}[2]') }), "error: no\n", 'a filter that dies');
        $dies->incr_skip;
        is(outcome(sub { $dies->incr_parse }), '[2]', 'and can be skipped');
    };
}

subtest 'scalars outside brackets' => sub {
    # JSON::XS ends a number or a word where what has come ends.
    is(outcome(sub { Kumihimo::JSON->new->incr_parse('1 "a" true null -2.5e3 "b\\"c" 7') }), '1 "a" true undef -2500f "b\x{22}c" 7', 'JSON::XS');
    is(outcome(sub { Kumihimo::JSON->new->incr_parse('12[3]true"x"') }), '12 [3] true "x"', 'without space between them');
    my $json = Kumihimo::JSON->new;
    is(outcome(sub { map { scalar $json->incr_parse($_) } 1, 2 }), '1 2', 'piece by piece');
    is(outcome(sub { $json->incr_parse('tr') }), q(error: 'true' expected, at character offset 0 (before "tr")), 'a word that is not whole');
    is(outcome(sub { Kumihimo::JSON::Cpanel->new->allow_nonref->incr_parse('1 "a" true [2] 7') }), '1 "a" true [2] 7', 'Cpanel::JSON::XS');
    is(outcome(sub { Kumihimo::JSON::Cpanel->new->incr_parse('1 ') }),
        'error: JSON text must be an object or array (but found number, string, true, false or null, use allow_nonref to allow this)', 'only with allow_nonref');
};

subtest 'many pieces, many values' => sub {
    my $json = Kumihimo::JSON->new->utf8;
    my $text = '[' . join(',', map { qq({"id":$_,"name":"n$_"}) } 1 .. 5_000) . ']';
    my $value;
    $value = $json->incr_parse($_) for split //, $text;
    is_deeply($value, Kumihimo::JSON->new->decode($text), 'one value, byte by byte: ' . length $text);
    for my $calls (0, 1) {
        $json->filter_json_object(sub { $_[0] }) if $calls;
        $json->incr_parse('{"a":[1,2,3]}' x 10_000);
        my $count = 0;
        while (my $one = $json->incr_parse) { ++$count }
        is($count, 10_000, 'many values that came at once' . ($calls ? ', with a filter' : ''));
    }
};

subtest 'nothing leaks' => sub {
    plan skip_all => 'Test::LeakTrace is not installed' unless load_installed('Test::LeakTrace');
    is(leaked(sub { my $json = Kumihimo::JSON->new; my @v = $json->incr_parse('[1][2]"x'); eval { scalar $json->incr_parse('"]'); scalar $json->incr_parse }; $json->incr_skip }), 0, 'values, an error');
    is(leaked(sub { my $json = Kumihimo::JSON->new->filter_json_object(sub { die "x\n" }); eval { my @v = $json->incr_parse('[1][{}') }; eval { my @v = $json->incr_parse(']') } }), 0, 'a filter that dies');
    is(leaked(sub { my $json = Kumihimo::JSON->new; $json->incr_parse('[1'); $json->incr_text; undef $json }), 0, 'text that is left');
};

# ---- the same streams for both, in the same pieces, up to the first error: behind one, the modules have lost count.

my $turn = 1;
sub turn { my ($n) = @_; $turn = ($turn * 1103515245 + 12345) % 2147483648; return int($turn / 65536) % $n }
my @VALUES = ('[1,2,{"a":"b\\\\\"]"}]', '{"x":[[],{}],"y":null}', '[]', '{}', '"str\\n]"', "[\"\x{e9}\x{263a}\"]", '12', '-1.5e3', 'true', 'null', "[ 1 , # c]\n 2 ]", '[[1],[2,[3,{"k":"#"}]]]');
my @SPOILS = ('x', ']', '}', '"', '\\', ',', ':', '(', ')', '1', 'e', 'tru', "\n", '[', '{');

# Values that are right, and at times one with brackets that is spoilt inside. No piece has one character: JSON::XS 4.04 writes a byte behind its buffer when a
# single one follows values that were cut off. No scalar is spoilt: both modules then lose count without an error.
sub pieces {
    my $text = '';
    for (0 .. turn(4)) {
        my $value = $VALUES[turn(scalar @VALUES)];
        substr $value, 1 + turn(length($value) - 1), 0, $SPOILS[turn(scalar @SPOILS)] if $value =~ /^[\[{]/ && turn(8) == 0;
        $text .= $value . (' ', "\n", '  ', "\t\n")[turn(4)];
    }
    my @pieces;
    push @pieces, substr $text, 0, 2 + turn(turn(2) ? 3 : 20), '' while length $text > 4;
    push @pieces, $text if length $text > 1;
    $pieces[-1] .= $text if length $text == 1;
    return @pieces;
}

for my $pair (['Kumihimo::JSON', 'JSON::XS', '4.04'], ['Kumihimo::JSON::Cpanel', 'Cpanel::JSON::XS', '4.35']) {
    my ($ours, $stock, $version) = @$pair;
    SKIP: {
        skip "$stock $version is not installed", 1 unless load_installed($stock, $version);
        my ($same, $count) = (0, 0);
        for (1 .. 1500) {
            my @pieces = pieces();
            my @contexts = map { turn(3) } @pieces;
            for my $utf8 (0, 1) {
                my @answers;
                for my $class ($ours, $stock) {
                    my $json = $class->new->relaxed->allow_nonref;
                    $json->utf8 if $utf8;
                    my @said;
                    for my $i (0 .. $#pieces) {
                        my $piece = $utf8 ? Encode::encode('UTF-8', $pieces[$i]) : $pieces[$i];
                        push @said, outcome(sub { $contexts[$i] == 0 ? do { $json->incr_parse($piece); () } : $contexts[$i] == 1 ? scalar $json->incr_parse($piece) : $json->incr_parse($piece) });
                        last if $said[-1] =~ /^error/;
                    }
                    # So that nothing waits where void context came last.
                    push @said, outcome(sub { $json->incr_parse }) unless $said[-1] =~ /^error/;
                    push @answers, join ' | ', @said;
                }
                ++$count;
                if ($answers[0] eq $answers[1]) { ++$same }
                else { is($answers[0], $answers[1], join ' + ', map { shown($_) } @pieces) if $count - $same < 10 }
            }
        }
        is($same, $count, "as $stock: $count streams");
    }
}

# What the modules pass over between values when it comes in a piece of its own, and where they stop: a NUL.
for my $pair (['Kumihimo::JSON', 'JSON::XS'], ['Kumihimo::JSON::Cpanel', 'Cpanel::JSON::XS']) {
    my ($ours, $stock) = @$pair;
    SKIP: {
        skip "not proven: $stock is not installed", 1 unless load_installed($stock, '4.04');
        for my $pieces (
            ["\x01[1]"], ["\x01", '[1]'], ['[1]', "\x01", '[2]'], ["[1]\x01[2]"], ["\xff", '[1]'], ["\xff[1]"], ['[1]', "\xc3\xa9 ", '[2]'], ["\x01 \x02\n", '{}'], ["\x7f", '[1]'],
            ["\0[1]"], ["\0", '[1]'], ["[1]\0[2]"], ['[1]', " \0 ", '[2]'], ['[1', "\0", ']'], ["[\"a\0b\"]"], [" \0", '[1]', '[2]'], ["[1]\0", '[2]'], ["[1] # c\0\n[2]"], ["[\"a\\\0\"]"], ["[tru\0e]"],
        ) {
            my @said = map {
                my $json = $_->new->utf8->allow_nonref;
                my @came = map { my $piece = $_; outcome(sub { $json->incr_parse($piece) }) } @$pieces;
                join ' | ', @came, outcome(sub { my $left = $json->incr_text; $left });
            } $ours, $stock;
            is $said[0], $said[1], "as $stock: " . join ' + ', map { shown($_) } @$pieces;
        }
    }
}

done_testing;
