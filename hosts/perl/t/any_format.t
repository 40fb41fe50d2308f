# The calls that take a format by its name, held to all formats there are: nothing here names one but where its words are looked at.
use 5.016;
use strict;
use warnings;
use utf8;
use lib 't/lib';
use B ();
use Config;
use Installed qw(load_installed);
use JsonValues qw(json_value);
use Leaks;
use List::Util qw(shuffle);
use Math::BigFloat ();
use Math::BigInt ();
use Scalar::Util qw(dualvar);
use Test::More;
use Time::Piece ();
no warnings 'recursion';

use Kumihimo qw(dump load convert formats each_document);

my $COUNT = $ENV{KUMIHIMO_COUNT} // 150;
srand($ENV{KUMIHIMO_SEED} // 20_161_225);
my @FORMATS = formats();
my @NAMES = map { $_->{name} } @FORMATS;

sub refused { my ($code, $like, $name) = @_; local $Test::Builder::Level = $Test::Builder::Level + 1; ok !eval { $code->(); 1 }, $name; return like $@, $like, 'for its reason' }

# A value as a line: kinds told apart, numbers by what they are, keys sorted.
sub line {
    my ($value) = @_;
    return 'undef' unless defined $value;
    my $class = ref $value;
    return '[' . join(',', map { line($_) } @$value) . ']' if $class eq 'ARRAY';
    return '{' . join(',', map { quoted($_) . ':' . line($value->{$_}) } sort keys %$value) . '}' if $class eq 'HASH';
    return $value ? 'true' : 'false' if $class eq 'JSON::PP::Boolean';
    return 'big(' . $value->bstr . ')' if $class =~ /^Math::Big/;
    return 'ext(' . $value->type . ',' . unpack('H*', $value->data) . ')' if $class eq 'Kumihimo::MessagePack::Extension';
    return join ' ', 'time', $value->kind, $value->seconds, $value->nanoseconds, $value->offset if $class eq 'Kumihimo::MessagePack::Timestamp';
    return 'bin(' . unpack('H*', $value->bytes) . ')' if $class eq 'Kumihimo::MessagePack::Binary';
    return $class if $class;
    return B::svref_2object(\$value)->FLAGS & B::SVf_POK ? quoted($value) : 0 + $value;
}
sub quoted { return '"' . join('', map { /[\x20-\x7e]/ ? $_ : sprintf '\\x{%x}', ord } split //, $_[0]) . '"' }
sub same { my ($is, $should, $name) = @_; local $Test::Builder::Level = $Test::Builder::Level + 1; return is line($is), line($should), $name }

# Whether the bytes of a value within a document are a document, too.
sub part_is_document { my ($format) = @_; return index(dump([[1]], $format), dump([1], $format)) >= 0 }
# What of a value comes back out of a dialect's bytes: some have numbers in place of booleans.
sub kept {
    my ($value, $format, $dialect) = @_;
    return $value if line(load(dump([\1], $format, dialect => $dialect), $format)) eq '[true]';
    my $numbers;
    $numbers = sub {
        my ($v) = @_;
        return [map { $numbers->($_) } @$v] if ref $v eq 'ARRAY';
        return { map { ($_ => $numbers->($v->{$_})) } keys %$v } if ref $v eq 'HASH';
        return ref $v eq 'JSON::PP::Boolean' ? $v ? 1 : 0 : $v;
    };
    return $numbers->($value);
}
# The value as the first dialect writes it that this one reads, and that dialect.
sub taken {
    my ($value, $format, $reader) = @_;
    for my $dialect (@{ $format->{write_dialects} }) {
        my $written = eval { dump($value, $format->{name}, dialect => $dialect) };
        return ($written, $dialect) if defined $written && eval { load($written, $format->{name}, dialect => $reader); 1 };
    }
    return;
}

my $PLAIN = {
    'null' => undef, 'true' => \1, 'false' => \0, 'list' => [], 'map' => {}, '' => 'the empty key', 'café' => "caf\xe9", '組紐' => "\x{7d44}\x{1f600}",
    'integers' => [0, 1, -1, 23, 24, 127, 128, -32, -33, -128, 255, 256, 65535, 65536, -32769, 4294967295, 4294967296, -2147483649, 9007199254740991],
    'doubles' => [0.5, -2.25, 1e300, 1.7976931348623157e308, 5e-324, 0.1, 1 / 3],
    'texts' => ['', 'a', "\0\x01\x1f\"\\/\x7f", 'x' x 31, 'x' x 32, 'x' x 255, "\xe9" x 256, 'x' x 70_000, "\x{2028}<>&"],
    'deep' => [[[{ a => [{ b => [[]] }] }]]], 'wide' => { map { ("key$_" => $_) } 1 .. 70 }, 'long' => [1 .. 300],
};
(my $READ = { %$PLAIN })->{true} = JSON::PP::true();
$READ->{false} = JSON::PP::false();

subtest 'formats' => sub {
    cmp_ok scalar @FORMATS, '>=', 2, 'there are some';
    for my $format (@FORMATS) {
        like $format->{name}, qr/\A[a-z]\w*\z/, 'a name';
        cmp_ok scalar @{ $format->{$_} }, '>', 0, "$format->{name}: $_" for qw(media_types endings read_dialects write_dialects);
        ok !grep({ !/\A\.\w+\z/ } @{ $format->{endings} }), 'endings have a dot';
        ok !grep({ !m{\A\w+/[\w.+-]+\z} } @{ $format->{media_types} }), 'types are of media';
    }
    is_deeply [map { $_->{name} } Kumihimo->formats], \@NAMES, 'as a method';
    is scalar(my @again = formats()), scalar @FORMATS, 'a list';
};

subtest 'what comes back' => sub {
    for my $format (@FORMATS) {
        my $name = $format->{name};
        my $bytes = dump($PLAIN, $name);
        ok !utf8::is_utf8($bytes), "$name: bytes";
        same(load($bytes, $name), $READ, "$name: plain values");
        same(load($bytes, $name, keep_order => 1), $READ, "$name: in order");
        is dump(load($bytes, $name, keep_order => 1), $name), $bytes, "$name: and out again in the same order";
        is dump({ map { ($_ => 1) } shuffle('a' .. 'z') }, $name, canonical => 1), dump({ map { ($_ => 1) } 'a' .. 'z' }, $name, canonical => 1), "$name: canonical";
        for my $dialect (@{ $format->{write_dialects} }) {
            my $written = eval { dump($PLAIN, $name, dialect => $dialect) };
            if (defined $written) { same(load($written, $name), kept($READ, $name, $dialect), "$name, $dialect") }
            else { like $@, qr/\S.* at \Q$0\E line/, "$name, $dialect: refused" }
        }
        for my $dialect (@{ $format->{read_dialects} }) {
            my $tags = ['a', undef, \1, { deep => [[], {}] }];
            my ($written, $writer) = taken($tags, $format, $dialect);
            same(load($written, $name, dialect => $dialect), kept(load(dump($tags, $name), $name), $name, $writer), "$name: read by $dialect");
        }
        is line(load(dump($_, $name), $name)), line($_), "$name: a lone " . line($_) for undef, 7, 'x', [], {}, 0.5;
    }
};

subtest 'generated values' => sub {
    my $wrong = 0;
    for my $round (1 .. $COUNT) {
        my $value = json_value(4, 5);
        my $wanted = line($value);
        for my $name (@NAMES) {
            my $bytes = dump($value, $name);
            my $read = line(load($bytes, $name));
            $wrong++ < 5 and is $read, $wanted, "$name, round $round" if $read ne $wanted;
            for my $other (@NAMES) {
                my $converted = convert($bytes, $name, $other);
                my $again = line(load($converted, $other));
                $wrong++ < 5 and is $again, $wanted, "$name to $other, round $round" if $again ne $wanted;
                is $converted, dump(load($bytes, $name, keep_order => 1), $other), "$name to $other is what load and dump make" if $round <= 5;
            }
        }
    }
    is $wrong, 0, "$COUNT values in all formats and from each to each";
};

subtest 'which kind' => sub {
    my ($number, $real, $text, $whole) = (3, 2.5, '4', '5');
    { my $used = "$number$real"; no warnings 'void'; $text + 1; $whole == 5 }
    my $json = sub { my ($value, %options) = @_; return dump($value, 'json', canonical => 1, %options) };
    is $json->([$text, $whole]), '["4","5"]', 'a text that was used as a number is a text';
    is $json->([$number, $real]), '[3,2.5]', 'a number that was used as a text is a number' if $] >= 5.036;
    is $json->([!!1, !!0]), '[true,false]', "perl's own booleans" if $] >= 5.036;
    is $json->([dualvar(5, 'five'), \1, \0, JSON::PP::true(), JSON::PP::false()]), '["five",true,false,true,false]', 'dual values and booleans';
    { my $float = 7.0; my $used = $float | 0; same(load($json->([$float, 1e3]), 'json'), [7, 1000], 'whole doubles') }
    is sprintf('%g', load(dump(-0.0 * 1, 'json'), 'json')), sprintf('%g', -0.0 * 1), 'minus zero';
    is $json->([18446744073709551615, -9223372036854775808, 9223372036854775807]), '[18446744073709551615,-9223372036854775808,9223372036854775807]', 'integers of 64 bits';
    is $json->([map { Math::BigInt->new($_) } qw(12 -7 18446744073709551615 18446744073709551616 -9223372036854775809)]), '[12,-7,18446744073709551615,18446744073709551616,-9223372036854775809]', 'big integers';
    is $json->([Math::BigFloat->new('0.1000000000000000000001'), Math::BigFloat->new('3')]), '[0.1000000000000000000001,3]', 'big numbers';
    is $json->([Kumihimo::MessagePack::Binary->new("\0\xff"), Kumihimo::MessagePack::Timestamp->new(0, 5e8)]), '["AP8=","1970-01-01T00:00:00.500000000Z"]' =~ s/500000000/(dump(Kumihimo::MessagePack::Timestamp->new(0, 5e8), 'json') =~ m{\.(\d+)})[0]/er, 'bytes and a moment, lowered';
    is $json->(scalar Time::Piece::gmtime(86_400)), '"1970-01-02T00:00:00Z"', 'Time::Piece';
    is $json->(Kumihimo::MessagePack::Timestamp->new(0, 0, kind => 'offset', offset => 32_400)), '"1970-01-01T09:00:00+09:00"', 'an offset';
    is $json->(Kumihimo::MessagePack::Timestamp->new(86_400, 0, kind => 'date')), '"1970-01-02"', 'a date';
    is $json->(Kumihimo::MessagePack::Timestamp->new(0, 0, kind => 'naive')), '"1970-01-01T00:00:00"', 'no zone';
    is $json->({ "caf\xe9" => 1, "\x{7d44}" => 2, 10 => 3, '' => 4 }), '{"":4,"10":3,"' . "caf\xc3\xa9" . '":1,"' . "\xe7\xb5\x84" . '":2}', 'keys';
    my ($latin, $flagged) = ("caf\xe9") x 2;
    utf8::upgrade($flagged);
    is $json->([$flagged, { $flagged => 1 }]), $json->([$latin, { $latin => 1 }]), 'characters, whatever the flag';
    SKIP: {
        skip 'not proven: DateTime is not installed', 4 unless load_installed('DateTime');
        my %at = (year => 2020, month => 2, day => 3, hour => 4, minute => 5, second => 6, nanosecond => 7_000_000);
        like $json->(DateTime->new(%at)), qr/\A"2020-02-03T04:05:06\.0070*"\z/, 'a DateTime without a zone';
        like $json->(DateTime->new(%at, time_zone => 'UTC')), qr/\A"2020-02-03T04:05:06\.0070*Z"\z/, 'in UTC';
        like $json->(DateTime->new(%at, time_zone => '-0330')), qr/\A"2020-02-03T04:05:06\.0070*-03:30"\z/, 'in a zone';
        like $json->(DateTime->new(%at, year => 1960, time_zone => 'UTC')), qr/\A"1960-02-03T04:05:06\.0070*Z"\z/, 'before 1970';
    }
    {
        package Says; sub new { return bless { v => $_[1] }, $_[0] } sub TO_JSON { return $_[0]{v} }
        package Silent; sub new { return bless [], $_[0] }
        package Itself; sub new { return bless {}, $_[0] } sub TO_JSON { return $_[0] }
        package Dies; sub new { return bless {}, $_[0] } sub TO_JSON { die "no answer\n" }
    }
    is $json->([Says->new({ a => Says->new([1]) })]), '[{"a":[1]}]', 'TO_JSON';
    refused(sub { $json->([Silent->new]) }, qr/Silent=ARRAY\(0x\w+\) is an object without TO_JSON: no format has a form for it at \Q$0\E/, 'an object without');
    refused(sub { $json->(Itself->new) }, qr/Itself::TO_JSON method returned same object/, 'or that answers with itself');
    refused(sub { $json->({ a => [Dies->new] }) }, qr/\Ano answer$/, 'or that dies');
    refused(sub { $json->([$_]) }, qr/has no form|neither text nor a number/, 'no form for ' . ref \$_) for sub { }, \*STDIN, *STDIN, \'x', \\1;
    refused(sub { $json->(bless { seconds => 0, nanoseconds => 1e9 }, 'Kumihimo::MessagePack::Timestamp') }, qr/nanoseconds are 0 to 999999999/, 'nanoseconds');
    refused(sub { $json->(bless { seconds => 0, nanoseconds => 0, kind => 'x' }, 'Kumihimo::MessagePack::Timestamp') }, qr/kind is utc, offset, local, date or naive, not x/, 'a kind');
    refused(sub { $json->(bless { seconds => 0, nanoseconds => 0, offset => 86_400 }, 'Kumihimo::MessagePack::Timestamp') }, qr/less than a day/, 'an offset');
    refused(sub { $json->(bless {}, 'Kumihimo::MessagePack::Timestamp') }, qr/without its seconds/, 'a part');
    refused(sub { Kumihimo::MessagePack::Timestamp->new(0, 0, kind => 'x') }, qr/kind is utc, offset/, 'a kind, made');
    refused(sub { Kumihimo::MessagePack::Timestamp->new(0, 0, kinds => 'x') }, qr/kinds is no option/, 'or an option');
};

subtest 'what text has no form for' => sub {
    my @special = (
        Kumihimo::MessagePack::Binary->new(join '', map { chr } 0 .. 255), Kumihimo::MessagePack::Binary->new(''), Kumihimo::MessagePack::Extension->new(5, "\0\xff"),
        Kumihimo::MessagePack::Timestamp->new(1_482_624_000, 500_000_000), Kumihimo::MessagePack::Timestamp->new(-1, 999_999_999), Kumihimo::MessagePack::Timestamp->new(0),
        9**9**9, -9**9**9,
    );
    my $proven = 0;
    for my $format (grep { !$_->{text} } @FORMATS) {
        my $name = $format->{name};
        for my $value (@special, [@special], { map { ("k$_" => $special[$_]) } 0 .. $#special }) {
            my $bytes = eval { dump($value, $name) };
            if (!defined $bytes) { like $@, qr/\S/, "$name refuses " . line($value); next }
            ++$proven;
            same(load($bytes, $name, keep_binary => 1), $value, "$name keeps " . substr line($value), 0, 60);
        }
        my $plain = eval { load(dump($special[0], $name), $name) };
        is $plain, $special[0]->bytes, "$name: bytes are a string where they are not kept" if defined $plain;
    }
    cmp_ok $proven, '>', 5, 'some are kept';
};

subtest 'big numbers' => sub {
    my $read = load('[123456789012345678901234567890,-18446744073709551616,1e400,{"a":99999999999999999999}]', 'json');
    is_deeply [map { ref } @$read[0 .. 2], $read->[3]{a}], [qw(Math::BigInt Math::BigInt Math::BigFloat Math::BigInt)], 'are objects';
    is $read->[0] + 1, '123456789012345678901234567891', 'with all their digits';
    is dump($read->[0], 'json'), '123456789012345678901234567890', 'and go out as they came';
    is ref load('123456789012345678901234567890'), 'Math::BigInt', 'alone, too';
    is line(load('[0.1,1.50]', 'json', dialect => 'exact_decimals')), '[big(0.1),big(1.50)]' =~ s/1\.50/Math::BigFloat->new('1.50')->bstr/er, 'decimals by a dialect that keeps them';
    is_deeply [sort keys %{ load('{"1":1}') }], ['1'], 'keys are text';
    my $lazy = Kumihimo->lazy('[' . join(',', map { '1' . '0' x 30 . $_ } 10 .. 59) . ']', dialect => 'rfc8259');
    is join(' ', $lazy->values), join(' ', map { '1' . '0' x 30 . $_ } 10 .. 59), 'many, of a lazy document';
    is ref $lazy->[7], 'Math::BigInt', 'or one';
    is ref(Kumihimo->lazy('[1' . '0' x 30 . ']')->[0]), '', 'but as Kumihimo::JSON has it where no dialect is named';
    is_deeply [map { ref } @{ Kumihimo->partial(['[*]'], dialect => 'rfc8259')->decode('[1' . '0' x 30 . ',1e400]')->[0] }], [qw(Math::BigInt Math::BigFloat)], 'in parts';
    my @streamed;
    each_document(\('1' . '0' x 30 . " [1e400]"), sub { push @streamed, $_[0] }, dialect => 'rfc8259');
    is line(\@streamed), line([load('1' . '0' x 30), load('[1e400]')]), 'of a stream';
    refused(sub { dump(Math::BigInt->new('1' . '0' x 30), 'msgpack') }, qr/MessagePack has no number of this size at \Q$0\E/, 'what has no form');
    is load(dump(Math::BigInt->new('1' . '0' x 30), 'msgpack', dialect => 'big_text'), 'msgpack'), '1' . '0' x 30, 'but by a dialect that has one';
};

subtest 'ties, magic, and code that runs in the middle' => sub {
    require Tie::Hash; require Tie::Array; require Tie::Scalar;
    tie my %hash, 'Tie::StdHash'; %hash = (b => [1], a => undef);
    tie my @list, 'Tie::StdArray'; @list = (1, { x => 'y' });
    tie my $scalar, 'Tie::StdScalar'; $scalar = 'tied';
    for my $name (@NAMES) {
        same(load(dump([\%hash, \@list, $scalar, \@{ [1] }], $name), $name), [{ a => undef, b => [1] }, [1, { x => 'y' }], 'tied', [1]], "$name: ties");
        'match' =~ /(at)/;
        is load(dump([$1], $name), $name)->[0], 'at', "$name: a capture";
        local $ENV{KUMIHIMO_TEST} = 'set';
        is load(dump(\%ENV, $name), $name)->{KUMIHIMO_TEST}, 'set', "$name: the environment";
        my $ordered = load('{' . join(',', map { qq("$_":"$_") } split //, 'zamqbycxdw') . '}', 'json', keep_order => 1);
        is_deeply [keys %{ load(dump($ordered, $name), $name, keep_order => 1) }], [split //, 'zamqbycxdw'], "$name: a hash that keeps its order";
        is dump($ordered, $name, canonical => 1), dump({%$ordered}, $name, canonical => 1), "$name: in order of its keys";

        our ($victim, @kept);
        { no warnings 'once'; package Empties; sub TO_JSON { ref $main::victim eq 'HASH' ? %$main::victim = () : (@$main::victim = ()); return 'done' } }
        $victim = ['x' x 100, bless({}, 'Empties'), 'y' x 100, [1]];
        same(load(dump($victim, $name), $name), ['x' x 100, 'done', 'y' x 100, [1]], "$name: an array that is emptied");
        $victim = { map { ("k$_" => $_ == 5 ? bless({}, 'Empties') : 'v' x (100 + $_)) } 0 .. 9 };
        same(load(dump($victim, $name, canonical => 1), $name), { map { ("k$_" => $_ == 5 ? 'done' : 'v' x (100 + $_)) } 0 .. 9 }, "$name: a hash that is emptied");
    }
    { package DyingTie; require Tie::Scalar; our @ISA = 'Tie::StdScalar'; sub FETCH { die "no value here\n" } }
    tie my $dying, 'DyingTie';
    refused(sub { dump([\%hash, $dying], $_) }, qr/\Ano value here$/, "$_: a tie that dies") for @NAMES;
};

subtest 'hostile bytes' => sub {
    my ($silent, $values) = (0, 0);
    my @documents = map { my $name = $_; map { [$name, dump($_, $name)] } [1, -300, 'text', undef, \1, 2.5, "\x{7d44}"], { a => { b => [1, 2], c => {} } }, { map { ("k$_" => [$_]) } 1 .. 20 } } @NAMES;
    for my $round (1 .. $COUNT * 4) {
        my ($name, $bytes) = @{ $documents[rand @documents] };
        for (1 .. 1 + rand 3) {
            my $at = int rand length $bytes;
            my $how = rand;
            if ($how < 0.4) { substr $bytes, $at, 1, chr int rand 256 }
            elsif ($how < 0.6) { $bytes = substr $bytes, 0, $at + 1 }
            elsif ($how < 0.8) { substr $bytes, $at, 0, chr int rand 256 }
            else { $bytes .= substr $bytes, $at }
        }
        my @outcomes = (
            eval { load($bytes, $name); 1 } || "$@", eval { load($bytes); 1 } || "$@", (map { my $to = $_; eval { convert($bytes, $name, $to); 1 } || "$@" } @NAMES),
            eval { my $doc = Kumihimo->lazy($bytes, format => $name); $doc->value; $doc->type; 1 } || "$@",
            eval { Kumihimo->partial(['a.b[*]', '[0]', 'k3[0]'], format => $name)->decode($bytes); 1 } || "$@",
            eval { each_document(\$bytes, sub { }, format => $name); 1 } || "$@",
        );
        $_ eq '1' ? ++$values : /\S/ || ++$silent for @outcomes;
    }
    is $silent, 0, 'a value, or words';
    cmp_ok $values, '>', 0, 'some are values';
    for my $name (@NAMES) {
        my $bytes = dump($PLAIN, $name);
        my $short = dump({ a => [1, 'text', { b => undef }] }, $name);
        my @read = grep { eval { load(substr($short, 0, $_), $name); 1 } } 0 .. length($short) - 1;
        is "@read", '', "$name: what is cut is refused";
        my $deep = do { my $v = []; $v = [$v] for 1 .. 600; dump($v, $name, max_depth => 1000) };
        refused(sub { load($deep, $name) }, qr/deep/, "$name: deeper than max_depth");
        ok eval { load($deep, $name, max_depth => 1000); 1 }, "$name: and as deep as is allowed";
        refused(sub { dump(load($deep, $name, max_depth => 1000), $name) }, qr/nested deeper than max_depth: 512 levels at \Q$0\E/, "$name: out, too");
        refused(sub { my $v = []; $v->[0] = $v; eval { dump($v, $name, max_depth => 4e9); 1 } or do { my $e = $@; $v->[0] = 0; die $e } }, qr/deep/, "$name: without end");
    }
};

subtest 'errors' => sub {
    my $all = join ', ', @NAMES;
    for my $call (sub { dump(1, 'none such') }, sub { load('1', 'none such') }, sub { convert('1', 'none such', $NAMES[0]) }, sub { convert('1', 'json', 'none such') }) {
        refused($call, qr/\Ano format is named "none such": there are \Q$all\E at \Q$0\E line/, 'a format');
    }
    for my $format (@FORMATS) {
        my $name = $format->{name};
        my $bytes = dump(1, $name);
        my ($read, $write) = map { join ', ', @{ $format->{$_} } } qw(read_dialects write_dialects);
        refused(sub { dump(1, $name, dialect => 'none such') }, qr/\A$name has no write dialect "none such": it has \Q$write\E at \Q$0\E line/, 'a dialect');
        refused(sub { load($bytes, $name, dialect => 'none such') }, qr/\A$name has no read dialect "none such": it has \Q$read\E at \Q$0\E line/, 'to read');
        refused(sub { convert($bytes, $name, $name, source_dialect => 'none such') }, qr/has no read dialect/, 'to convert from');
        refused(sub { convert($bytes, $name, $name, target_dialect => 'none such') }, qr/has no write dialect/, 'and to');
        refused(sub { Kumihimo->lazy($bytes, format => $name, dialect => 'none such') }, qr/has no read dialect .* at \Q$0\E/, 'lazily');
        refused(sub { Kumihimo->partial(['a'], format => $name, dialect => 'none such') }, qr/has no read dialect .* at \Q$0\E/, 'in part');
    }
    refused(sub { Kumihimo->lazy('1', format => 'none such') }, qr/no format is named "none such"/, 'lazily');
    refused(sub { Kumihimo->partial(['a'], format => 'none such') }, qr/no format is named "none such"/, 'in part');
    refused(sub { load('') }, qr/\Athe bytes do not tell their format: name it at \Q$0\E line/, 'no bytes');
    refused(sub { convert('', undef, $NAMES[0]) }, qr/the bytes do not tell their format: name it/, 'to convert');
    refused(sub { load("\x{100}") }, qr/wide character/, 'characters');
    refused(sub { dump(1, $NAMES[0], size => 'x') }, qr/\Asize is no option of Kumihimo::dump: canonical, dialect, frame, frame_level, max_depth at \Q$0\E/, 'an option of dump');
    refused(sub { load('1', $NAMES[0], canonical => 1) }, qr/\Acanonical is no option of Kumihimo::load: dialect, keep_binary, keep_order, max_depth at/, 'of load');
    refused(sub { convert('1', 'json', 'json', dialect => 1) }, qr/\Adialect is no option of Kumihimo::convert: frame, frame_level, max_depth, source_dialect, target_dialect at/, 'of convert');
    refused($_, qr/\AUsage: Kumihimo::/, 'how they are called') for sub { dump(1) }, sub { dump() }, sub { load() }, sub { convert('1', 'json') }, sub { formats(1) }, sub { load('1', 'json', 'x') };
    refused(sub { dump(1, 'json', max_depth => -1) }, qr/max_depth is not negative/, 'a depth');
    refused(sub { load("[1,\n tru]") }, qr/at line 2, column 2, byte 5 \(\$\[1\]\) at \Q$0\E/, 'where');
    refused(sub { load("\x92\x01\xc1", 'msgpack') }, qr/at byte 2 \(\$\[1\]\) at \Q$0\E/, 'where, in bytes');
    refused(sub { dump("\x{d800}", $_) }, qr/UTF-8/, "$_: half a pair") for @NAMES;
    is load('[1]')->[0], 1, 'told by its bytes';
    is load("\x91\x01")->[0], 1, 'and others';
    is_deeply [map { Kumihimo->load(Kumihimo->dump([7], $_), $_)->[0] } @NAMES], [(7) x @NAMES], 'as methods';
    is(Kumihimo->dump('Kumihimo', 'json'), '"Kumihimo"', 'with any value');
    is dump('Kumihimo', 'json'), '"Kumihimo"', 'as functions, too';
};

subtest 'lazy documents' => sub {
    my $value = { id => 7, list => [map { { n => $_, t => "text $_" } } 0 .. 99], none => undef, yes => \1, real => 2.5, "caf\xe9" => "\x{7d44}" };
    for my $name (@NAMES) {
        my $bytes = dump($value, $name, canonical => 1);
        my $doc = Kumihimo->lazy($bytes, format => $name);
        is $doc->{id}, 7, "$name: a value";
        is $doc->{list}[42]{t}, 'text 42', 'deep inside';
        is $doc->at('/list/7/n'), 7, 'by a pointer';
        is $doc->{"caf\xe9"}, "\x{7d44}", 'text';
        is_deeply [sort keys %$doc], [sort keys %$value], 'keys';
        is_deeply [map { $_->type } @{ $doc->{list} }[0, 1]], ['object', 'object'], 'types';
        same($doc->value, load($bytes, $name), 'all of it');
        my $raw = $doc->{list}->raw;
        ok index($bytes, $raw) >= 0, 'its own bytes';
        same(load($raw, $name), load(dump($value->{list}, $name), $name), 'which are a document') if part_is_document($name);
        refused(sub { $doc->{list}{x} }, qr/\$\.list is an array, not an object at \Q$0\E/, 'what it is not');
        refused(sub { Kumihimo->lazy(substr($bytes, 0, 20), format => $name) }, qr/\S.* at \Q$0\E/, 'a broken one');
    }
    # Keys that are not text, moments, bytes: of MessagePack, which has them.
    my $odd = Kumihimo->lazy(pack('H*', '88' . '01a161' . 'c0a162' . 'c3a163' . 'c401ffa164' . 'cb3ff8000000000000a165' . 'cfffffffffffffffffa166' . 'a178' . 'd6ff00000001' . 'a179' . 'c403000102'), format => 'msgpack');
    is_deeply [map { $odd->{$_} } '1', '', 'true', "\xff", '1.5', '18446744073709551615'], ['a' .. 'f'], 'by keys that are not text';
    is_deeply [sort keys %$odd], [sort '1', '', 'true', "\xff", '1.5', '18446744073709551615', 'x', 'y'], 'which have a text';
    same($odd->{x}, Kumihimo::MessagePack::Timestamp->new(1), 'a moment');
    is $odd->{y}, "\0\1\2", 'bytes';
    same(Kumihimo->lazy($odd->raw, format => 'msgpack', keep_binary => 1)->{y}, Kumihimo::MessagePack::Binary->new("\0\1\2"), 'kept');
    my $worse = Kumihimo->lazy(pack('H*', '82' . '9101a161' . 'a178a162'), format => 'msgpack');
    is $worse->{x}, 'b', 'beside a key that is an array';
    refused(sub { my @keys = $worse->keys }, qr/not a key that Perl's hashes can have at \Q$0\E/, 'which is no key here');
    is_deeply $odd->at('/1'), 'a', 'pointers know them';
};

sub places {
    my ($value, $pointer, $to) = @_;
    $to->{$pointer} = $value;
    if (ref $value eq 'HASH') { places($value->{$_}, "$pointer/" . s/~/~0/gr =~ s{/}{~1}gr, $to) for keys %$value }
    if (ref $value eq 'ARRAY') { places($value->[$_], "$pointer/$_", $to) for 0 .. $#$value }
    return $to;
}

subtest 'parts of documents' => sub {
    my $frame = load('{"last":{"price":1.5,"none":null},"trades":[{"price":1,"legs":[{"n":1},{"n":2}]},{"legs":[]},{"price":null,"legs":[{}]},7],"asks":[[5,0.1],[6,0.2]],"caf\u00e9":{"a.b":true,"7":"x"}}', 'json', keep_order => 1);
    my @paths = ('last.price', 'last', 'asks[1][0]', 'asks[*][0]', 'trades[*].price', 'trades[*].legs[*].n', 'trades[*].legs[0].n', 'trades[1].legs', 'trades[9].price', '/trades/0/legs/1/n',
        "caf\xe9[\"a.b\"]", "/caf\xe9/7", 'none', 'last.none', 'last.none.x', 'last.price.x', 'last[0]', 'asks.x', '', '$', 'asks[*][*]', 'trades[*]', '/asks/1', '/last/1');
    my $missing = 'missing';
    my $json = Kumihimo->partial(\@paths, missing => $missing)->decode(dump($frame, 'json'));
    for my $name (@NAMES) {
        my $bytes = dump($frame, $name);
        for my $level (qw(strict structural trusted)) { same(Kumihimo->partial(\@paths, format => $name, missing => $missing, level => $level)->decode($bytes), $json, "$name: as of JSON, $level") }
        same(Kumihimo->partial([$paths[$_]], format => $name, missing => $missing)->decode($bytes), [$json->[$_]], "$name: $paths[$_]") for 0 .. $#paths;
        same(Kumihimo->partial({ a => 'asks[0][0]', b => 'none' }, format => $name)->decode($bytes), { a => 5, b => undef }, "$name: by names");
        my $raw = Kumihimo->partial(['asks'], format => $name, raw => 1)->decode($bytes)->[0];
        cmp_ok index($bytes, $raw), '>', 0, "$name: raw";
        is load($raw, $name)->[1][0], 6, "$name: which is a document" if part_is_document($name);
        same(Kumihimo->partial(['asks[0]'], format => $name)->many([$bytes, $bytes]), [[[5, 0.1]], [[5, 0.1]]], "$name: many");
        refused(sub { Kumihimo->partial(['asks'], format => $name)->many([$bytes, substr $bytes, 0, 9]) }, qr/\Adocument 1: \S/, "$name: which was broken");
        refused(sub { Kumihimo->partial(['a['], format => $name) }, qr/the path "a\[" is not valid: .* at byte 2 of it at \Q$0\E/, "$name: a path that is none");
        refused(sub { Kumihimo->partial(['a'], format => $name, max_depth => 1)->decode(dump([[1]], $name)) }, qr/deep/, "$name: too deep");
    }
    same(Kumihimo->partial(\@paths, dialect => 'relaxed', missing => $missing)->decode(dump($frame, 'json')), $json, 'JSON by a dialect');
    is(Kumihimo->partial(['a[1]'], dialect => 'relaxed')->decode('{"a":[1,2,],/* */}')->[0], 2, 'which may grant more');
    my $wrong = 0;
    for my $round (1 .. $COUNT) {
        my $document = json_value(4, 5);
        my @all = keys %{ places($document, '', {}) };
        my @some = ((map { $all[rand @all] } 1 .. 5), '/no/such/place', '[*]', '[0][*]', 'a[*].b');
        my $text = dump($document, 'json');
        my $wanted = line(Kumihimo->partial(\@some, missing => $missing)->decode($text));
        for my $name (@NAMES) {
            my $got = line(Kumihimo->partial(\@some, missing => $missing, format => $name)->decode(convert($text, 'json', $name)));
            $wrong++ < 5 and is $got, $wanted, "$name, round $round: @some" if $got ne $wanted;
        }
    }
    is $wrong, 0, 'generated documents and paths';
};

subtest 'streams' => sub {
    my @documents = ([1], { a => 'b' x 300, c => [undef, \1] }, 'text', [map { [$_] } 1 .. 50], {});
    for my $format (@FORMATS) {
        my $name = $format->{name};
        my $bytes = join $format->{text} ? "\n" : '', map { dump($_, $name) } @documents;
        my $wanted = line([map { load(dump($_, $name), $name) } @documents]);
        my @got;
        is each_document(\$bytes, sub { push @got, $_[0] }, format => $name), scalar @documents, "$name: how many";
        is line(\@got), $wanted, "$name: all of them";
        is(Kumihimo->each_document(\$bytes, sub { push @got, $_[0] }, format => $name), scalar @documents, "$name: as a method");
        for my $size (1, 2, 3, 7, 64, 1000) {
            my ($at, @pieces) = 0;
            { package Pieces; sub read { my $n = length $_[0]{bytes} > $_[0]{size} ? $_[0]{size} : length $_[0]{bytes}; $_[1] = substr $_[0]{bytes}, 0, $n, ''; return $n } }
            each_document(bless({ bytes => $bytes, size => $size }, 'Pieces'), sub { push @pieces, $_[0] }, format => $name);
            is line(\@pieces), $wanted, "$name: in pieces of $size";
        }
        my @parts;
        each_document(\$bytes, sub { push @parts, $_[0][0] }, format => $name, partial => ['c[1]']);
        is line(\@parts), '[undef,true,undef,undef,undef]', "$name: parts of them";
        @parts = ();
        each_document(\$bytes, sub { push @parts, $_[0] }, format => $name, dialect => $format->{read_dialects}[0], keep_order => 1);
        is line(\@parts), $wanted, "$name: by a dialect";
        my $count = 0;
        refused(sub { each_document(\($bytes . ($format->{text} ? "\n" : '') . substr dump($documents[1], $name), 0, 9), sub { ++$count }, format => $name) }, qr/\S.* at \Q$0\E/, "$name: a broken one");
        is $count, scalar @documents, 'after those before it';
        refused(sub { each_document(\($bytes . substr dump($documents[1], $name), 0, 9), sub { }, format => $name, dialect => $format->{read_dialects}[0]) }, qr/byte (\d+)/, "$name: by a dialect");
    }
};

subtest 'in threads' => sub {
    plan skip_all => 'this perl has no threads' unless $Config{useithreads};
    require threads;
    my @partials = map { Kumihimo->partial(['a[1]'], format => $_) } @NAMES;
    my @documents = map { dump({ a => [1, 2.5] }, $_) } @NAMES;
    my @got = threads->create({ context => 'list' }, sub { map { $partials[$_]->decode($documents[$_])->[0] + load(dump([1], $NAMES[$_]), $NAMES[$_])->[0] } 0 .. $#NAMES })->join;
    is_deeply \@got, [(3.5) x @NAMES], 'partials and calls';
    is_deeply [map { $partials[$_]->decode($documents[$_])->[0] } 0 .. $#NAMES], [(2.5) x @NAMES], 'and here';
};

subtest 'nothing is left behind' => sub {
    my $value = { list => [1, 2.5, 'text', "\x{7d44}", undef, \1], map => { a => [], b => Math::BigInt->new(7) }, says => Says->new([1]) };
    my $odd = [Kumihimo::MessagePack::Binary->new('x'), Kumihimo::MessagePack::Timestamp->new(1, 2), Time::Piece::gmtime(0)];
    for my $name (@NAMES) {
        my $bytes = dump($value, $name);
        my @dialects = map { @{ $_->{write_dialects} } } grep { $_->{name} eq $name } @FORMATS;
        leaves_nothing("$name: dump", sub { dump($value, $name); dump($odd, $name) }, 1000);
        leaves_nothing("$name: by each dialect", sub { eval { dump([1, { a => 'b' }], $name, dialect => $_) } for @dialects; return }, 200);
        leaves_nothing("$name: load", sub { load($bytes, $name, keep_order => 1, keep_binary => 1) }, 1000);
        leaves_nothing("$name: convert", sub { convert($bytes, $name, $_) for @NAMES; return }, 500);
        leaves_nothing("$name: refused", sub { eval { load(substr($bytes, 0, 20), $name) }; eval { dump([1, sub { }], $name) }; eval { dump(["\x{d800}"], $name, dialect => $_) } for @dialects; return }, 200);
        leaves_nothing("$name: lazy", sub { my $doc = Kumihimo->lazy($bytes, format => $name); $doc->{list}[2] . $doc->{map}->raw }, 500);
        my $partial = Kumihimo->partial(['list[*]', 'map.b', 'none'], format => $name);
        leaves_nothing("$name: partial", sub { $partial->decode($bytes); eval { $partial->decode(substr $bytes, 0, 9) }; return }, 500);
        leaves_nothing("$name: stream", sub { each_document(\$bytes, sub { }, format => $name); each_document(\$bytes, sub { }, format => $name, partial => $partial); return }, 500);
    }
    leaves_nothing('formats', sub { my @all = formats(); return }, 1000);
    leaves_nothing('big numbers', sub { load('[123456789012345678901234567890,{"a":1e400}]') }, 300);
    leaves_nothing('big numbers in a broken document', sub { eval { load('[123456789012345678901234567890,') }; return }, 300);
};

done_testing;
