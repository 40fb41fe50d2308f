# Compression around documents of any format, against perl's own zlib.
use 5.016;
use strict;
use warnings;
use lib 't/lib';
use Config;
use File::Temp qw(tempdir);
use IO::Compress::Gzip ();
use IO::Uncompress::Gunzip ();
use Leaks;
use Test::More;

use Kumihimo qw(dump load convert formats frames each_document);

my @FRAMES = frames();
my %FRAME = map { ($_->{name} => $_) } @FRAMES;
my @NAMES = map { $_->{name} } formats();
my @HERE = map { $_->{name} } grep { $_->{available} } @FRAMES;
my $VALUE = { id => 7, tags => ['a', undef, { deep => [[], {}] }], text => "caf\xe9 \x{1f600}" x 50, x => -1.5 };

# What is not installed is said to be so, by a test of its own.
plan skip_all => 'not proven: no library for any frame' unless @HERE;

sub refused { my ($code, $like, $name) = @_; local $Test::Builder::Level = $Test::Builder::Level + 1; ok !eval { $code->(); 1 }, $name; return like $@, $like, 'for its reason' }
# Documents one behind the other, as the format has them.
sub documents { my ($format, @values) = @_; return join $format eq 'json' ? "\n" : '', map { dump($_, $format) } @values }
# A source that gives so many bytes at a time.
{ package Dripping; sub new { my ($class, $bytes, $size) = @_; return bless { bytes => $bytes, size => $size }, $class } sub read { return length($_[1] = substr $_[0]{bytes}, 0, $_[0]{size}, '') } }
sub streamed { my ($source, $format) = @_; my @got; each_document($source, sub { push @got, $_[0] }, format => $format); return \@got }

subtest 'the table' => sub {
    cmp_ok scalar @FRAMES, '>=', 2, 'there are some';
    for my $frame (@FRAMES) {
        is join(' ', sort keys %$frame), 'available ending levels media_type name usual_level', $frame->{name};
        my ($lowest, $highest) = @{ $frame->{levels} };
        ok $lowest <= $frame->{usual_level} && $frame->{usual_level} <= $highest, 'its usual level is one of them';
        like $frame->{ending}, qr/\A\.\w+\z/, 'an ending';
    }
    is_deeply [Kumihimo->frames], \@FRAMES, 'as a method';
    for my $frame (grep { !$_->{available} } @FRAMES) {
        SKIP: { skip "not proven: documents in $frame->{name} (no library)", 1 }
    }
};

subtest 'there and back' => sub {
    srand 1;
    for my $data ('', 'a', 'text' x 100_000, join '', map { chr int rand 256 } 1 .. 100_000) {
        for my $name (@HERE) {
            my ($lowest, $highest) = @{ $FRAME{$name}{levels} };
            for my $level (undef, $lowest > -5 ? $lowest : -5, $highest < 9 ? $highest : 9) {
                my $packed = Kumihimo::pack($data, $name, level => $level);
                ok !utf8::is_utf8($packed), "$name: bytes";
                ok Kumihimo::unpack($packed) eq $data && Kumihimo::unpack($packed, undef) eq $data && Kumihimo::unpack($packed, $name) eq $data, 'and back';
                ok(Kumihimo->unpack($packed x 2) eq $data x 2, 'one behind the other');
            }
            is(Kumihimo->pack($data, $name, level => $FRAME{$name}{usual_level}), Kumihimo::pack($data, $name), "$name: as a method");
        }
    }
    is Kumihimo::unpack(Kumihimo::pack("caf\xe9", $HERE[0])), "caf\xe9", 'what is bytes';
    my $flagged = "caf\xe9";
    utf8::upgrade($flagged);
    is Kumihimo::unpack(Kumihimo::pack($flagged, $HERE[0])), "caf\xe9", 'however perl holds them';
};

subtest 'against zlib' => sub {
    plan skip_all => 'not proven: no zlib' unless $FRAME{gzip}{available};
    my ($text, $gzip) = ('text' x 1000);
    IO::Uncompress::Gunzip::gunzip(\Kumihimo::pack($text, 'gzip'), \my $plain) or die;
    is $plain, $text, 'what we pack';
    IO::Compress::Gzip::gzip(\$text, \$gzip) or die;
    is Kumihimo::unpack($gzip), $text, 'what it packs';
    IO::Compress::Gzip::gzip(\'{"a":1}', \$gzip) or die;
    is_deeply load($gzip, 'json'), { a => 1 }, 'a document';
};

subtest 'documents' => sub {
    for my $format (@NAMES) {
        my $plain = dump($VALUE, $format, canonical => 1);
        for my $name (@HERE) {
            my $packed = dump($VALUE, $format, canonical => 1, frame => $name);
            is Kumihimo::unpack($packed, $name), $plain, "$format in $name";
            is_deeply load($packed, $format), $VALUE, 'load';
            is_deeply(Kumihimo->lazy($packed, format => $format)->value, $VALUE, 'lazy');
            is_deeply(Kumihimo->partial(['id', 'x'], format => $format)->decode($packed), [7, -1.5], 'partial');
            is_deeply(Kumihimo->partial(['id'], format => $format)->many([$packed, $plain]), [[7], [7]], 'of many');
            is convert($packed, $format, $format), $plain, 'convert out of it';
            is convert($plain, $format, $format, frame => $name), $packed, 'and into it';
            is_deeply load(dump($VALUE, $format, frame => $name, frame_level => $FRAME{$name}{levels}[1] > 9 ? 9 : $FRAME{$name}{levels}[1]), $format), $VALUE, 'at another level';
        }
        is dump($VALUE, $format, canonical => 1, frame => undef, frame_level => undef), $plain, 'no frame';
    }
    my $packed = Kumihimo::pack('[1]', $HERE[0]);
    is_deeply load($packed), [1], 'told by what is in the frame';
    is convert($packed, undef, 'json'), '[1]', 'to convert, too';
    is_deeply(Kumihimo->partial('a[0]')->decode(Kumihimo::pack('{"a":[5]}', $HERE[0])), [5], 'JSON without a format');
    is(Kumihimo->lazy(Kumihimo::pack('{"a":[5]}', $HERE[0]))->{a}->raw, '[5]', 'lazily');
    is_deeply load("[1]"), [1], 'and what is in none';
};

# A document goes from one format and frame to the next through Perl's values: with its order, and whole doubles as such.
subtest 'from each to each' => sub {
    my $text = '{"z":1.0,"a":[1,-2.5,1.0e300,18446744073709551615,"caf\u00e9",null,true,{"y":{},"b":[],"":0.1}],"m":"x"}';
    my @ways = map { my $format = $_; map { [$format, $_] } undef, @HERE } @NAMES;
    my $wanted = convert($text, 'json', 'json');
    my $carried = $text;
    my $from = 'json';
    for my $way (@ways, reverse @ways) {
        my ($format, $frame) = @$way;
        $carried = dump(load($carried, $from, keep_order => 1), $format, frame => $frame);
        $from = $format;
        is convert($carried, $format, 'json'), $wanted, $format . ($frame ? " in $frame" : '');
    }
};

subtest 'streams' => sub {
    my @values = map { { n => $_, text => 'x' x ($_ % 40) } } 0 .. 299;
    for my $format (@NAMES) {
        my @half = (documents($format, @values[0 .. 149]), ($format eq 'json' ? "\n" : '') . documents($format, @values[150 .. 299]));
        for my $name (@HERE) {
            my $packed = join '', map { Kumihimo::pack($_, $name) } @half;
            is_deeply streamed(\$packed, $format), \@values, "$format in $name";
            is_deeply streamed(Dripping->new($packed, $_), $format), \@values, "in pieces of $_" for 1, 2, 3, 7, 1000, 1 << 20;
            open my $in, '<:raw', \$packed or die;
            my $stream = Kumihimo::Stream->new($in, format => $format);
            is_deeply [$stream->next], [$values[0]], 'the first';
            my $parts = 0;
            each_document(\$packed, sub { $parts += $_[0][0] }, format => $format, partial => 'n');
            is $parts, 299 * 150, 'parts of them';
            my @seen;
            refused(sub { each_document(Dripping->new(substr($packed, 0, -2), 50), sub { push @seen, $_[0] }, format => $format) }, qr/\S.* byte \d+ at \Q$0\E line/, 'cut off');
            cmp_ok scalar @seen, '>=', 150, 'after what came before';
            is_deeply \@seen, [@values[0 .. $#seen]], 'as it was';
        }
        # Fewer bytes than tell a frame.
        is_deeply streamed(Dripping->new(dump(0, $format), 1), $format), [0], "$format: a short one";
        is_deeply streamed(\'', $format), [], 'an empty one';
    }
    my $last = Kumihimo::pack('[1] 2', $HERE[0]);
    is_deeply streamed(\$last, 'json'), [[1], 2], 'a document that ends with the stream';
    is_deeply streamed(Dripping->new("\x1f", 1), 'msgpack'), [31], 'the beginning of a frame that is none' if grep { $_ eq 'msgpack' } @NAMES;
};

# The pieces that a frame is unpacked in are bounded, however much one packed piece holds.
subtest 'streams that unpack to much' => sub {
    for my $name (@HERE) {
        my $long = Kumihimo::pack('[' . '1,' x 2_000_000 . '1]', $name);
        is_deeply [map { scalar @$_ } @{ streamed(\$long, 'json') }], [2_000_001], "$name: a long document";
    }
    srand 2;
    my $documents = join '', map { '[' . join(',', (int rand 1e9) x 400) . "]\n" } 1 .. 16_000;    # 64 MB
    my $dir = tempdir(CLEANUP => 1);
    for my $name (@HERE) {
        my $file = "$dir/documents";
        open my $out, '>:raw', $file or die "$file: $!";
        print {$out} Kumihimo::pack($documents, $name);
        close $out or die "$file: $!";
        my $peak = qx($^X @{[map { "'-I$_'" } @INC]} -MKumihimo -e 'Kumihimo::each_document(q($file), sub { ++\$n }); open I, q(/proc/self/status) or exit; print "\$n ", <I> =~ /^VmHWM/ ? 0 : map { /^VmHWM:\\s+([0-9]+)/ ? \$1 : () } <I>');
        my ($count, $kilobytes) = split ' ', $peak;
        is $count, 16_000, "$name: all of them" if defined $count;
        SKIP: {
            skip 'what the process has is not told here, or means nothing', 1 if !$kilobytes || $ENV{KUMIHIMO_SANITIZED};
            cmp_ok $kilobytes, '<', 40_000, "$name: in bounded memory, " . length($documents) . ' bytes out of ' . -s $file;
        }
    }
    if (grep { $_ eq 'zstd' } @HERE) {
        my $bomb = Kumihimo::pack(' ' x (64 << 20), 'zstd');
        refused(sub { each_document(\$bomb, sub { }) }, qr/bomb.* at \Q$0\E line/, 'a bomb');
        refused(sub { Kumihimo::unpack($bomb) }, qr/bomb.* at \Q$0\E line/, 'as a whole');
        refused(sub { load($bomb, 'json') }, qr/bomb.* at \Q$0\E line/, 'as a document');
    }
};

subtest 'what is refused' => sub {
    for my $name (@HERE) {
        my $packed = Kumihimo::pack('{"a":1}' x 100, $name);
        for my $broken (substr($packed, 0, -1), $packed . 'something else', substr($packed, 0, 9)) {
            for my $call (sub { Kumihimo::unpack($broken) }, sub { load($broken, 'json') }, sub { Kumihimo->lazy($broken) }, sub { convert($broken, 'json', 'json') }, sub { Kumihimo->partial('a')->decode($broken) }) {
                refused($call, qr/\A.*, at byte (\d+) at \Q$0\E line/, $name);
                cmp_ok $@ =~ /byte (\d+)/ ? $1 : 1e9, '<=', length $broken, 'in the packed bytes';
            }
            refused(sub { Kumihimo->partial('a')->many(['{}', $broken]) }, qr/\Adocument 1: .*, at byte \d+ at \Q$0\E line/, 'which of many');
        }
        refused(sub { Kumihimo::unpack($packed, $name, size => 699) }, qr/\Athe data expands beyond the size limit.* at \Q$0\E line/, 'more than allowed');
        is length Kumihimo::unpack($packed, undef, size => 700), 700, 'as much as allowed';
        my ($other) = grep { $_ ne $name } @HERE;
        refused(sub { Kumihimo::unpack($packed, $other) }, qr/this is not \Q$other\E/, 'another frame') if defined $other;
        refused(sub { load(Kumihimo::pack("[1,\n x]", $name), 'json') }, qr/at line 2, column 2, byte 5 \(\$\[1\]\) at \Q$0\E line/, 'a document that is wrong: where in its text');
    }
    refused(sub { Kumihimo::unpack('[1]') }, qr/\Athe bytes begin as no frame does: they are none of \Q@{[join ', ', map { $_->{name} } @FRAMES]}\E at \Q$0\E line/, 'no frame');
    refused(sub { Kumihimo::unpack('') }, qr/begin as no frame does/, 'nothing');
    refused($_, qr/\Awide character in the data/, 'characters') for sub { Kumihimo::pack("\x{100}", $HERE[0]) }, sub { Kumihimo::unpack("\x{100}") };
    for my $size (-1, 'much', 'nan') { refused(sub { Kumihimo::unpack('', undef, size => $size) }, qr/\Asize is a number of bytes, not $size at \Q$0\E line/, 'no size') }
    is Kumihimo::unpack(Kumihimo::pack('text', $HERE[0]), undef, size => undef), 'text', 'undef: as much as usual';
};

subtest 'names and levels that are none' => sub {
    my $all = join ', ', map { $_->{name} } @FRAMES;
    for my $name ('zip', '', 5, 'GZIP') {
        for my $call (sub { Kumihimo::pack('', $name) }, sub { Kumihimo::unpack('', $name) }, sub { dump(1, 'json', frame => $name) }, sub { convert('1', 'json', 'json', frame => $name) }) {
            refused($call, qr/\Ano frame is named "\Q$name\E": there are \Q$all\E at \Q$0\E line/, qq("$name"));
        }
    }
    { local $SIG{__WARN__} = sub { fail "warns: $_[0]" }; refused(sub { Kumihimo::pack('', undef) }, qr/\Ano frame is named ""/, 'undef') }
    for my $frame (@FRAMES) {
        my ($lowest, $highest) = @{ $frame->{levels} };
        for my $level ($highest + 1, $lowest - 1, 2**80, 'nan') {
            refused(sub { dump(1, 'json', frame => $frame->{name}, frame_level => $level) }, qr/\Athe levels of $frame->{name} are $lowest to $highest, not \Q$level\E at \Q$0\E line/i, "$frame->{name}: $level");
        }
        refused(sub { Kumihimo::pack('', $frame->{name}, level => 'high') }, qr/\Aa level is a number, not "high" at \Q$0\E line/, 'no number');
    }
    refused(sub { dump(1, 'json', frame_level => 3) }, qr/\Aframe_level is the level of a frame, and none is named at \Q$0\E line/, 'a level of nothing');
    refused(sub { convert('1', 'json', 'json', frame_level => 3) }, qr/\Aframe_level is the level of a frame/, 'to convert');
    refused(sub { Kumihimo::pack('', $HERE[0], frame_level => 1) }, qr/\Aframe_level is no option of Kumihimo::pack: level at \Q$0\E line/, 'an option of pack');
    refused(sub { Kumihimo::unpack('', $HERE[0], level => 1) }, qr/\Alevel is no option of Kumihimo::unpack: size at \Q$0\E line/, 'of unpack');
    refused($_, qr/\AUsage: Kumihimo::/, 'how they are called') for sub { Kumihimo::pack('') }, sub { Kumihimo::pack() }, sub { Kumihimo::pack('', $HERE[0], 'level') }, sub { Kumihimo::unpack() }, sub { Kumihimo::unpack('', $HERE[0], 'size') }, sub { frames(1) };
    # A value is not walked for nothing.
    { package Asked; our $times = 0; sub TO_JSON { ++$times; return 1 } }
    refused(sub { dump(bless([], 'Asked'), 'json', frame => 'zip') }, qr/no frame/, 'before the document is made');
    is $Asked::times, 0, 'which it is not';
};

# A library that is not there is an error that says what to install, and no other call minds. Here none is found: there
# are files by their names that are no libraries.
subtest 'a library that is missing' => sub {
    my $dir = tempdir(CLEANUP => 1);
    for my $file (map { ("lib$_", "lib$_.1") } qw(z.so zstd.so lz4.so)) { open my $out, '>', "$dir/$file" or die "$dir/$file: $!"; close $out or die }
    my $script = "$dir/script.pl";
    open my $out, '>', $script or die "$script: $!";
    print {$out} <<'PERL';
use Kumihimo;
print join(',', map { $_->{available} ? 1 : 0 } Kumihimo->frames), "\n";
my %packed = (gzip => "\x1f\x8b\x08\0\0\0\0\0\0\3", zstd => "\x28\xb5\x2f\xfd\0\0\0\0", lz4 => "\x04\x22\x4d\x18\0\0\0\0");
for my $name (sort keys %packed) {
    my $bytes = $packed{$name};
    for my $call (sub { Kumihimo->pack('', $name) }, sub { Kumihimo->unpack($bytes) }, sub { Kumihimo->dump(1, 'json', frame => $name) }, sub { Kumihimo->load($bytes, 'json') }, sub { Kumihimo->lazy($bytes) }, sub { Kumihimo->each_document(\$bytes, sub { }) }) {
        print eval { $call->(); 'lives' } // $@ =~ s/\n//r, "\n";
    }
}
print Kumihimo->load('[1]')->[0], "\n";
PERL
    close $out or die;
    my ($available, @said) = do { local $ENV{LD_LIBRARY_PATH} = $dir; split /\n/, qx($^X @{[map { "'-I$_'" } @INC]} $script 2>&1) };
    plan skip_all => 'this system looks for libraries in another way' if ($available // '') ne join ',', (0) x @FRAMES;
    is pop @said, '1', 'what is in no frame is read';
    is scalar @said, 6 * @FRAMES, 'every call';
    like $_, qr/\A\w+ needs the library [^,]+, which is not found; install it \(Debian: apt install [^)]+\) at \Q$script\E line/, 'says what to install' for @said;
};

subtest 'in threads' => sub {
    plan skip_all => 'this perl has no threads' unless $Config{useithreads};
    require threads;
    my $packed = Kumihimo::pack('[' . '1,' x 50_000 . '1]', $HERE[0]);
    my @readers = map { threads->create({ context => 'list' }, sub { (scalar @{ load($packed, 'json') }, scalar @{ streamed(\$packed, 'json')->[0] }) }) } 1 .. 3;
    is_deeply [map { $_->join } @readers], [(50_001) x 6], 'each for itself';
};

# What a stream holds to unpack with is let go of, however it ends.
subtest 'nothing is left behind' => sub {
    my $round = bless [], 'Leaves';
    { package Leaves; sub TO_JSON { die "no form\n" } }
    for my $name (@HERE) {
        my $packed = Kumihimo::pack(join("\n", map { dump({ n => $_, text => 'x' x 100 }, 'json') } 1 .. 50), $name);
        my $cut = substr $packed, 0, -3;
        my $partial = Kumihimo->partial('n');
        leaves_nothing("$name: pack and unpack", sub { Kumihimo::unpack(Kumihimo::pack($packed, $name)) }, 500);
        leaves_nothing("$name: refused", sub { eval { Kumihimo::unpack($cut) }; eval { load($cut) }; eval { Kumihimo::unpack($packed, $name, size => 5) }; eval { dump(1, 'json', frame => $name, frame_level => 99) }; return }, 500);
        leaves_nothing("$name: documents", sub { my $document = dump([1, 'text'], 'json', frame => $name); convert($document, 'json', 'json', frame => $name); Kumihimo->lazy($document)->value; $partial->decode($document); return load($document) }, 500);
        leaves_nothing("$name: a value that dies", sub { eval { dump([$round], 'json', frame => $name) }; return }, 500);
        leaves_nothing("$name: a stream", sub { each_document(\$packed, sub { }) }, 200);
        leaves_nothing("$name: a stream that is cut off", sub { eval { each_document(\$cut, sub { }) }; return }, 200);
        leaves_nothing("$name: a callback that dies", sub { eval { each_document(\$packed, sub { die { of => $_[0] } if $_[0]{n} == 7 }) }; return }, 200);
        leaves_nothing("$name: a callback that leaves the loop", sub { no warnings 'exiting'; LOOP: for (1) { each_document(\$packed, sub { last LOOP }) } return }, 200);
        leaves_nothing("$name: a stream that is let go of", sub { my $stream = Kumihimo::Stream->new(\$packed); my ($first) = $stream->next; return }, 200);
    }
    leaves_nothing('frames', sub { my @all = frames(); return }, 500);
};

done_testing;
