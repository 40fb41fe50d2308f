# What is read beyond JSON, option by option: comments, trailing commas, tags, single quotes, bare keys, binary escapes, byte order marks, repeated keys, big
# numbers, types, filters, prefixes. The values that are written out here are what the stock modules make; where they are installed, they are asked too.
use strict;
use warnings;
use Test::More;

use lib 't/lib';
use Installed qw(load_installed);
use Leaks qw(leaked);
use StockPair qw(outcome shown same_answer broken_versions);

use Encode ();
use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();

sub xs { my $json = Kumihimo::JSON->new; $json = $json->$_ for @_; return $json }
sub cpanel { my $json = Kumihimo::JSON::Cpanel->new->allow_nonref; $json = $json->$_ for @_; return $json }

# [object, text, value in words]
sub reads {
    my ($json, $text, $expected, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is(outcome(sub { $json->decode($text) }), $expected, $name // $text =~ s/([^ -~])/sprintf '\\x{%x}', ord $1/ger);
}

subtest relaxed => sub {
    for my $json (xs('relaxed'), cpanel('relaxed')) {
        reads($json, '[1,2,]', '[1, 2]');
        reads($json, '{"a":1,}', '{"a" => 1}');
        reads($json, "# one\n[1, # two\r2 # three\n] # four", '[1, 2]');
        reads($json, "[\"a\tb\"]", '["a\x{9}b"]');
        reads($json, "{\"a\tb\":\"\t\"}", '{"a\x{9}b" => "\x{9}"}');
        like(outcome(sub { $json->decode('[,]') }), qr/^error: malformed JSON string/, 'a comma alone');
        like(outcome(sub { $json->decode('[1,,]') }), qr/^error: malformed JSON string/, 'two commas');
        like(outcome(sub { $json->decode('{,}') }), qr/^error: '"' (?:or ''' )?expected/, 'a comma alone in an object');
        like(outcome(sub { $json->decode("[1] /* c */") }), qr/^error: garbage after JSON object/, 'other comments');
    }
    reads(cpanel('relaxed'), '{"a":1,"a":2}', '{"a" => 2}', 'Cpanel: relaxed takes repeated keys');
    no warnings 'utf8';
    is(ord cpanel('relaxed')->decode("[\"\x{110000}\"]")->[0], 0x110000, 'Cpanel: relaxed takes characters beyond U+10FFFF');
};

subtest tags => sub {
    for my $json (xs('allow_tags'), cpanel('allow_tags')) {
        reads($json, '("Thawed")[]', 'Thawed(["JSON"])');
        reads($json, '[ ( "Thawed" ) [ 1, {"a":("Thawed")["b"]} ] ]', '[Thawed(["JSON", 1, {"a" => Thawed(["JSON", "b"])}])]');
        for (
            ['(1)[]', 'malformed JSON string, (tag) must be a string, at character offset 2 (before ")[]")'],
            ['(null)[]', 'malformed JSON string, (tag) must be a string, at character offset 5 (before ")[]")'],
            ['("a"[]', ') expected after tag, at character offset 4 (before "[]")'],
            ['("Thawed") {"a":1} ', 'malformed JSON string, tag value must be an array, at character offset 18 (before " ")'],
            ['("No::Such::Class")[] ', 'cannot decode perl-object (package does not exist), at character offset 21 (before " ")'],
            ['("Test::More")[] ', 'cannot decode perl-object (package does not have a THAW method), at character offset 16 (before " ")'],
        ) {
            reads($json, $_->[0], "error: $_->[1]");
        }
        my $other = "x" x 3;
        is(outcome(sub { package Dies; no warnings 'once'; *THAW = sub { die "no\n" }; $json->decode('[("Dies")[]]') }), "error: no\n", 'THAW dies');
    }
};

subtest 'quotes and bare keys' => sub {
    my $quotes = cpanel('allow_singlequote');
    reads($quotes, q({'a':'b"c'}), '{"a" => "b"c"}' =~ s/b"c/b\\x{22}c/r);
    reads($quotes, q(['\u00e9\n']), '[u"\x{e9}\x{a}"]');
    reads($quotes, q({"a'b":1}), q({"a'b" => 1}));
    reads($quotes, q({'a':1,"b":2}), '{"a" => 1, "b" => 2}', 'both quotes in one object, which Cpanel::JSON::XS loses');
    reads($quotes, '{a:1}', q(error: '"' or ''' expected, at character offset 1 (before "a:1}")));
    like(outcome(sub { cpanel()->decode("['a']") }), qr/^error: malformed JSON string/, 'not without the option');
    my $bare = cpanel('allow_barekey');
    reads($bare, '{a:1, b_2 : 2, "c":3}', '{"a" => 1, "b_2" => 2, "c" => 3}');
    reads($bare, "{k\x{e9}:1}", '{u"k\x{e9}" => 1}');
    reads($bare, '{1:1}', q(error: '"' expected, at character offset 1 (before "1:1}")));
    reads($bare, '{a 1}', q(error: ':' expected, at character offset 3 (before "1}")));
    like(outcome(sub { $bare->decode('{a') }), qr/^error: ':' expected, at character offset 3$/, 'a bare key at the end');
    like(outcome(sub { cpanel('allow_barekey', 'utf8')->decode("{a\xFF:1}") }), qr/^error: malformed UTF-8 character/, 'octets of a bare key');
    reads(Kumihimo::JSON->new->allow_barekey->allow_singlequote, q({a:'b'}), '{"a" => "b"}', 'as an option of Kumihimo::JSON');
};

subtest binary => sub {
    my $json = cpanel('binary');
    reads($json, '["\x41\xe9\101\377"]', '["A\x{e9}A\x{ff}"]');
    reads($json, '{"\xe9":1}', '{"\x{e9}" => 1}');
    for (
        ['["\u0041"]', 'illegal unicode character in binary string, at character offset 8 (before ""]")'],
        ['["\xg0"]', 'exactly two hexadecimal digits expected, at character offset 4 (before "g0"]")'],
        ['["\18x"]', 'exactly three octal digits expected, at character offset 3 (before "18x"]")'],
        ['["\400"]', 'octal escape beyond \377 in binary string, at character offset 3 (before "400"]")'],
    ) {
        reads($json, $_->[0], "error: $_->[1]");
    }
};

subtest 'byte order marks' => sub {
    my $text = "[\"\x{e9}\x{263a}\x{1f600}\"]";
    my %mark = ('UTF-8' => "\xEF\xBB\xBF", 'UTF-16LE' => "\xFF\xFE", 'UTF-16BE' => "\xFE\xFF", 'UTF-32LE' => "\xFF\xFE\0\0", 'UTF-32BE' => "\0\0\xFE\xFF");
    for my $encoding (sort keys %mark) {
        my $bytes = $mark{$encoding} . Encode::encode($encoding, $text);
        for my $json (cpanel(), cpanel('utf8')) {
            my $copy = $bytes;
            reads($json, $copy, '[u"\x{e9}\x{263a}\x{1f600}"]', $encoding);
            is($copy, $bytes, 'the text is as it was');
            is(outcome(sub { $json->decode($mark{$encoding} . Encode::encode($encoding, '[1,x]')) }),
                'error: malformed JSON string, neither tag, array, object, number, string or atom, at character offset ' . ($encoding eq 'UTF-8' ? 4 : 3) . ' (before "x]")', "$encoding: an error");
            ok(!$json->get_utf8 == !($json == $json && $json->get_utf8), 'the option is as it was');
        }
        like(outcome(sub { xs('utf8')->decode($bytes) }), qr/^error: malformed JSON string/, "$encoding: not in JSON::XS");
    }
    reads(cpanel(), "\x{feff}[1]", '[1]', 'as a character');
    like(outcome(sub { cpanel()->decode("\xFE\xFF\xD8\x00\x00[") }), qr/^error: malformed UTF-16 character in JSON text, at byte offset 2/, 'half a surrogate pair');
    like(outcome(sub { cpanel()->decode("\xFF\xFE[\0]") }), qr/^error: malformed UTF-16 character in JSON text, at byte offset 4/, 'half a unit');
};

subtest 'repeated keys' => sub {
    reads(xs(), '{"a":1,"b":2,"a":3}', '{"a" => 3, "b" => 2}');
    reads(cpanel('allow_dupkeys'), '{"a":1,"b":2,"a":3}', '{"a" => 3, "b" => 2}');
    like(outcome(sub { cpanel()->decode('{"a":1,"b":2,"a":3}') }), qr/^error: Duplicate keys not allowed/, 'refused');
    my $lists = cpanel('dupkeys_as_arrayref');
    reads($lists, '{"a":1,"b":2,"a":3,"a":null}', '{"a" => [1, 3, undef], "b" => 2}');
    reads($lists, '{"a":[1],"a":2}', '{"a" => [[1], 2]}');
    reads($lists, '{"a":1,"a":2,"b":3,"b":4}', '{"a" => [1, 2], "b" => [3, 4]}', 'two keys, at which Cpanel::JSON::XS crashes');
    reads($lists, '[{"a":1,"a":2},{"a":{"b":1,"b":2},"\u0061":3}]', '[{"a" => [1, 2]}, {"a" => [{"b" => [1, 2]}, 3]}]');
    # Not quadratic: this takes minutes when each key is compared with all before it.
    my $many = '{' . join(',', map { qq("k$_":$_) } 1 .. 100_000) . '}';
    is(scalar keys %{ cpanel()->decode($many) }, 100_000, 'a hundred thousand different ones');
    is(scalar @{ $lists->decode('{' . join(',', ('"k":1') x 100_000) . '}')->{k} }, 100_000, 'a hundred thousand of one');
};

subtest numbers => sub {
    for my $json (xs(), cpanel()) {
        reads($json, '[0,-0,1,-1,9223372036854775807,-9223372036854775807]', '[0, 0, 1, -1, 9223372036854775807, -9223372036854775807]');
        reads($json, '[18446744073709551615,18446744073709551616,-9223372036854775809]', '[18446744073709551615, "18446744073709551616", "-9223372036854775809"]');
        reads($json, '[1.0,-0.0,1e2,1E-2,1e400,-1e400,1e-400]', '[1f, -0f, 100f, 0.01f, Inff, -Inff, 0f]');
        reads($json, '[-9223372036854775808]', '[-9223372036854775808]', 'the least integer, which JSON::XS makes a string');
        cmp_ok($json->decode('[0.3] ')->[0], '==', 0.3, 'exact, which JSON::XS is not');
    }
    my $big = cpanel('allow_bignum');
    reads($big, '[1,1.5,-2e3,123456789012345678901234567890,0.1]', '[1, Math::BigFloat(15e-1), Math::BigFloat(-2e+3), Math::BigInt(12345678901234567890123456789e+1), Math::BigFloat(1e-1)]');
};

subtest types => sub {
    my $json = cpanel();
    $json->decode('{"a":[1,2.5,"x",null,true,{"b":[]}],"c":{}}', my $types);
    is_deeply($types, { a => [2, 3, 4, 256, 1, { b => [] }], c => {} }, 'of a document');
    for (['1', 2], ['-1.0', 3], ['1e5', 3], ['"1"', 4], ['null', 256], ['false', 1]) {
        $json->decode($_->[0], my $type);
        is($type, $_->[1], "of $_->[0]");
    }
};

subtest 'non-characters' => sub {
    is(outcome(sub { cpanel()->decode('["\uFFFE"]') }), '[u"\x{fffe}"]; warning: Unicode non-character U+FFFE is not recommended for open interchange', 'a warning');
    is(outcome(sub { cpanel()->decode('["\uD83F\uDFFF"]') }), '[u"\x{1ffff}"]; warning: Unicode non-character U+1FFFF is not recommended for open interchange', 'of a pair');
    is(outcome(sub { cpanel('relaxed')->decode('["\uFDD0"]') }), '[u"\x{fdd0}"]', 'none when relaxed');
    is(outcome(sub { no warnings 'nonchar'; cpanel()->decode('["\uFDD0"]') }), '[u"\x{fdd0}"]', 'none when they are off');
    like(outcome(sub { use warnings FATAL => 'nonchar'; cpanel()->decode('[1,["\uFDD0"]]') }), qr/^error: Unicode non-character U\+FDD0/, 'fatal');
    is(outcome(sub { xs()->decode('["\uFFFE"]') }), '[u"\x{fffe}"]', 'none in JSON::XS');
};

subtest filters => sub {
    for my $json (xs(), cpanel()) {
        $json->filter_json_object(sub { exists $_[0]{gone} ? () : exists $_[0]{a} ? [%{ $_[0] }] : undef });
        reads($json, '[{"a":1},{"gone":2},{"b":{"a":3}}]', '[["a", 1], {"gone" => 2}, undef]');
        $json->filter_json_object;
        $json->filter_json_single_key_object(__x__ => sub { "x$_[0]" });
        $json->filter_json_single_key_object(none => sub { () });
        reads($json, '[{"__x__":1},{"__x__":1,"y":2},{"none":3},{"a":{"__x__":4}}]', '["x1", {"__x__" => 1, "y" => 2}, {"none" => 3}, {"a" => "x4"}]');
        reads($json, '{"__x__":1}', '"x1"');
        $json->filter_json_single_key_object(__x__ => sub { die "no\n" });
        is(outcome(sub { $json->decode('[1,{"k":[{"__x__":1}]}]') }), "error: no\n", 'a filter dies');
        $json->filter_json_single_key_object(__x__ => sub { $json->decode('{"y":[{"none":2}]}') });
        reads($json, '[{"__x__":1},"z"]', '[{"y" => [{"none" => 2}]}, "z"]', 'a filter decodes');
    }
    my $two = sub { (1, 2) };
    is(outcome(sub { xs()->filter_json_object($two)->decode('{}') }), 'error: filter_json_object callbacks must not return more than one scalar', 'JSON::XS: two values');
    is(outcome(sub { xs()->filter_json_single_key_object(a => $two)->decode('{"a":1}') }),
        'error: filter_json_single_key_object callbacks must not return more than one scalar', 'JSON::XS: two values for one key');
    is(outcome(sub { cpanel()->filter_json_object($two)->decode('{"a":1}') }), '{"a" => 1}', 'Cpanel: two values are none');
};

subtest prefixes => sub {
    for my $json (xs(), cpanel()) {
        is(outcome(sub { $json->decode_prefix('[1] [2]') }), '[1] 3', 'bytes');
        is(outcome(sub { $json->decode_prefix(" [\"\x{263a}\"]garbage") }), '[u"\x{263a}"] 6', 'characters');
        is(outcome(sub { $json->utf8->decode_prefix("[\"\xE2\x98\xBA\"]garbage") }), '[u"\x{263a}"] 7', 'octets');
        like(outcome(sub { $json->decode_prefix('') }), qr/^error: malformed JSON string/, 'nothing');
    }
    for (["\xEF\xBB\xBF[1]x", 6], ["\x{feff}[1]x", 4], ["\xEF\xBB\xBF[\"\xC3\xA9\"]x", 9]) {
        my ($text, $length) = @$_;
        my ($value, $read) = cpanel()->decode_prefix($text);
        is($read, $length, 'behind a byte order mark, in what the caller gave');
    }
    is(outcome(sub { xs()->decode_prefix('12abc') }), '12 2', 'a number');

    # The same before much text as before little, whatever the value is.
    my @values = map { my $n = $_; map { '[' . join(',', ($_) x $n) . ']' } '7', '"\u00e9x"', "\"\xe9\"", '{"a":1,"a":2}', '{"a":[null,true]}' } 1, 4, 20, 100, 500, 3000;
    push @values, '', ' ', '[', '[1', '"abc', '"', '-', '1', '12.5e', '[1}', '["\ud800"]', '{"a" 1}', "['x]',1]", '{a:1,}', '[1,#]' . "\n" . ']', '("Class")[1]', 'nul', "\xff", '["\uffff"]',
        '[0' . ',1' x 3000 . ' x]', ' ' x 5000 . '[1]', '[12345678901234567890123]', "[\"\x{3042}\"]" x 2, '["' . 'x' x 1010 . '"]', '[' x 600, '1' x 1023, '1' x 1024, '1' x 1025;
    for my $made (sub { xs() }, sub { cpanel() }, sub { cpanel()->relaxed->allow_nonref }, sub { xs()->allow_tags->relaxed }, sub { cpanel()->allow_bignum }, sub { xs()->max_depth(3) }) {
        for my $utf8 (0, 1) {
            my $json = $made->()->utf8($utf8);
            my $wrong = '';
            for my $value (@values) {
                my $text = $value;
                utf8::encode($text) if $utf8 && (utf8::is_utf8($text) || $text =~ /\xe9/);
                for my $rest ("\x{e9}z", ' [2]', 'zz ', ',,,,') {
                    my $behind = $rest;
                    utf8::encode($behind) if $utf8;
                    my $short = outcome(sub { $json->decode_prefix($text . $behind x 10 . '!' x 20) });
                    my $long = outcome(sub { $json->decode_prefix($text . $behind x 10 . '!' x 100_000) });
                    # An unfinished string ends where the text does.
                    $short =~ s/offset \d+//, $long =~ s/offset \d+// if $short =~ /unexpected end of string/;
                    $wrong ||= "$value: $short, then $long" if $short ne $long;
                    # In characters Perl keeps the same text in two ways.
                    next if $utf8;
                    my $other = $text . $behind x 10 . '!' x 100_000;
                    utf8::upgrade($other);
                    my $same = outcome(sub { $json->decode_prefix($other) });
                    $same =~ s/offset \d+// if $short =~ /unexpected end of string/;
                    $wrong ||= "$value: $long, upgraded $same" if $long ne $same;
                }
            }
            is($wrong, '', 'before much text');
        }
    }
    my $large = '[1] ' x 1000;
    like(outcome(sub { xs()->max_size(100)->decode_prefix($large) }), qr/4000 bytes size, but max_size is set to 100/, 'the size is that of the text');
    ok(!eval { xs()->utf8->decode_prefix($large . "\x{3042}"); 1 }, 'octets that are none, far behind');
    my ($asked, $warned) = (0, 0);
    local $SIG{__WARN__} = sub { ++$warned };
    xs()->filter_json_object(sub { ++$asked; () })->decode_prefix('{"a":{}}' . ' ' x 100_000);
    cpanel()->decode_prefix('["\ufffe"]' . ' ' x 100_000);
    is("$asked $warned", '2 1', 'filters and warnings come once');
};

# A look at all that is left, for each value, would take minutes.
subtest 'prefixes, one after the other' => sub {
    my $n = 80_000;
    for my $json (xs(), cpanel(), xs()->utf8, cpanel()->utf8, cpanel()->relaxed, xs()->allow_bignum, xs()->filter_json_object(sub { () })) {
        for my $text (qq({"a":"\xc3\xa9"}\n) x $n, do { my $flagged = qq({"a":"\x{e9}"}\n) x $n; utf8::upgrade($flagged); $flagged }) {
            next if utf8::is_utf8($text) && $json->get_utf8;
            my ($count, $behind) = (0, 0);
            # By place: what is cut off a flagged text has perl count the characters of what is left.
            if (utf8::is_utf8($text)) {
                my $left = substr $text, 0, 12 * 3000;
                for (1 .. 3000) { my ($value, $length) = $json->decode_prefix($left); $count++ if $value->{a}; substr $left, 0, $length + 1, '' }
                is("$count " . length $left, '3000 ' . (12 * 3000 - 10 * 3000), 'characters');
                next;
            }
            while (length $text) {
                my ($value, $length) = $json->decode_prefix($text);
                $count++ if $value->{a};
                substr $text, 0, $length + 1, '';
            }
            is($count, $n, 'all values');
        }
    }
};

subtest 'nothing leaks' => sub {
    plan skip_all => 'Test::LeakTrace is not installed' unless load_installed('Test::LeakTrace');
    my %case = (
        'a value' => sub { cpanel()->decode('{"a":1,"b":[{"k":"v\\u00e9"}]}') },
        'an error' => sub { cpanel()->decode('{"a":1,"b":[{"k":"v\\u00e9"},{"a":1,"c"') },
        'a repeated key' => sub { cpanel()->decode('{"a":1,"b":[{"k":"v\\u00e9"},{"a":1,"a":2}]}') },
        'repeated keys as lists' => sub { cpanel('dupkeys_as_arrayref')->decode('[{"a":1,"a":[2]}]') },
        'the same, broken off' => sub { cpanel('dupkeys_as_arrayref')->decode('[{"a":1,"a":[2') },
        'a filter that dies' => sub { xs()->filter_json_object(sub { die "x\n" if exists $_[0]{b}; 1 })->decode('[1,{"a":1},{"b":[]}]') },
        'tags' => sub { xs('allow_tags')->decode('[("Thawed")[1,{"x":("Thawed")[]}]]') },
        'a tag of nobody' => sub { xs('allow_tags')->decode('[("Thawed")[1],("No::Such::Class")[1]]') },
        'types' => sub { cpanel()->decode('[1,{"x":[]},[1]]', my $types) },
        'types, broken off' => sub { cpanel()->decode('[1,{"x":[]},[1', my $types) },
    );
    for my $name (sort keys %case) {
        my $leaks = leaked(sub { eval { $case{$name}->() } });
        is($leaks, 0, $name);
    }
};

# ---- the same documents for both

SKIP: {
    skip 'Cpanel::JSON::XS 4.35 is not installed', 1 unless load_installed('Cpanel::JSON::XS', '4.35');
    my @pieces = ("'", '"', 'a', '_', ':', ',', '{', '}', '[', ']', ' ', "\n", '1', '\\', '\\x41', '\\101', '\\u00e9', '#', "# c\n", '(', ')', "\t", "\xe9", 'null', "\0");
    my @documents = map { broken_versions($_, @pieces) } (
        "{'a':'b','c':['d', 'e\\n'] }", '{a:1,b_2 : [true,null],c:{d:-1.5}}', "# c\n[1,2,] # d\n", '{"a":"\\x41\\101","b":1,}', '("Thawed")[{"k":"v",},]', '[1.5,12345678901234567890123,2e3,{"a":null}]',
    );
    my ($same, $count) = (0, 0);
    for my $options (
        ['relaxed'], ['allow_singlequote'], ['allow_barekey'], ['binary'], ['allow_bignum'], [qw(relaxed allow_tags allow_barekey utf8)], [qw(binary allow_singlequote)],
    ) {
        for my $text (@documents) {
            # Cpanel::JSON::XS forgets to look for double quotes behind a key in single ones, and reads on behind the text where a bare key is not ended.
            next if "@$options" =~ /singlequote|relaxed/ && $text =~ /[{,]\s*'.*[{,]\s*[^\s']/s;
            next if "@$options" =~ /barekey|relaxed/ && $text =~ /[{,]\s*[A-Za-z\[\\\]_][^:\s"]*\z/;
            my $given = "@$options" =~ /utf8/ ? Encode::encode('UTF-8', $text) : $text;
            my @codes = map { my $class = $_; sub { my $json = $class->new->allow_nonref; $json->$_ for @$options; $json->decode(my $copy = $given) } } qw(Kumihimo::JSON::Cpanel Cpanel::JSON::XS);
            ++$count;
            $same += same_answer(@codes, "@$options: $text");
        }
    }
    is($same, $count, "as Cpanel::JSON::XS: $count texts");
}

done_testing;
