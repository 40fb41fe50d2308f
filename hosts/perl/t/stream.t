# Documents out of handles, paths and strings, wherever the pieces are cut.
use 5.016;
use strict;
use warnings;
use lib 't/lib';
use File::Temp ();
use Leaks;
use Test::More;
use JSON::PP ();
use Kumihimo;
use Kumihimo::MessagePack;

my $json = JSON::PP->new->utf8->canonical->allow_nonref;
srand($ENV{KUMIHIMO_SEED} // 20_161_225);

sub same { my ($is, $should, $name) = @_; return is $json->encode([$is]), $json->encode([$should]), $name }
sub refused { my ($code, $like, $name) = @_; ok !eval { $code->(); 1 }, $name; return like $@, $like, 'for its reason' }
sub all_of { my ($source, %options) = @_; my @got; my $n = Kumihimo->each_document($source, sub { push @got, $_[0] }, %options); is $n, @got, 'the count'; return \@got }

sub file_of {
    my ($bytes) = @_;
    my $file = File::Temp->new;
    binmode $file;
    print {$file} $bytes;
    close $file;
    return $file;
}

my @DOCUMENTS = ({ a => 1 }, [1, 'x', undef], 'text', 5, JSON::PP::true, undef, { "caf\xe9" => "\x{263a}" }, [], {}, '');
my $NDJSON = join '', map { $json->encode($_) . "\n" } @DOCUMENTS;

subtest 'sources' => sub {
    my $file = file_of($NDJSON);
    same(all_of("$file"), \@DOCUMENTS, 'a path');
    open my $raw, '<:raw', "$file" or die $!;
    same(all_of($raw), \@DOCUMENTS, 'a handle');
    is scalar(readline $raw), undef, 'read to its end';
    open my $text, '<:encoding(UTF-8)', "$file" or die $!;
    same(all_of($text), \@DOCUMENTS, 'with a layer that makes characters');
    my $latin = file_of(join '', map { "\"\xe9\"\n" } 1 .. 5);
    open my $converted, '<:encoding(latin1)', "$latin" or die $!;
    same(all_of($converted), [("\xe9") x 5], 'or converts');
    open my $crlf, '<:crlf', \ ($NDJSON =~ s/\n/\r\n/gr) or die $!;
    same(all_of($crlf), \@DOCUMENTS, 'or changes line ends');
    open my $memory, '<', \$NDJSON or die $!;
    same(all_of($memory), \@DOCUMENTS, 'in memory');
    same(all_of(\$NDJSON), \@DOCUMENTS, 'a reference to a string');
    my $characters = $NDJSON;
    utf8::decode($characters);
    same(all_of(\$characters), \@DOCUMENTS, 'of characters too');
    open my $part, '<', "$file" or die $!;
    readline $part;
    same(all_of($part), [@DOCUMENTS[1 .. $#DOCUMENTS]], 'what is left of a handle');
    {
        open local *BARE, '<', "$file" or die $!;
        same(all_of(\*BARE), \@DOCUMENTS, 'a reference to a glob');
        seek BARE, 0, 0;
        same(all_of(*BARE), \@DOCUMENTS, 'a glob');
        seek BARE, 0, 0;
        same(all_of(*BARE{IO}), \@DOCUMENTS, 'an IO');
    }
    require IO::File;
    same(all_of(IO::File->new("$file", 'r')), \@DOCUMENTS, 'an object that is a handle');
    open my $pipe, '-|', $^X, '-e', '$| = 1; open my $in, "<", shift; while (<$in>) { print; select undef, undef, undef, 0.001 }', "$file" or die $!;
    same(all_of($pipe), \@DOCUMENTS, 'a pipe');
    same(all_of(\''), [], 'nothing');
    same(all_of(\" \n\n\t"), [], 'white space');
    my @layers = eval { require PerlIO::gzip } ? ':gzip' : ();
    if (eval { require IO::Compress::Gzip; require IO::Uncompress::Gunzip; 1 }) {
        my $packed;
        IO::Compress::Gzip::gzip(\($NDJSON x 1000) => \$packed) or die;
        same(all_of(IO::Uncompress::Gunzip->new(\$packed)), [(@DOCUMENTS) x 1000], 'an object that reads');
        for my $layer (@layers) {
            open my $handle, "<$layer", '' . file_of($packed) or next;
            same(all_of($handle), [(@DOCUMENTS) x 1000], $layer);
        }
    }

    package Slow {
        sub TIEHANDLE { my ($class, @pieces) = @_; return bless [@pieces], $class }
        sub READ { my $self = shift; my $piece = shift @$self // return 0; $_[0] = $piece; return length $piece }
    }
    tie *SLOW, 'Slow', $NDJSON =~ /(.{1,3})/gs;
    same(all_of(\*SLOW), \@DOCUMENTS, 'a tied handle');
};

subtest 'what lies between documents' => sub {
    for my $between ("\n", ' ', "\r\n", "\n\n\n", "\t", " \n ") {
        same(all_of(\join $between, map { $json->encode($_) } @DOCUMENTS), \@DOCUMENTS, 'between: ' . $json->encode($between));
    }
    same(all_of(\'{"a":1}{"b":[2]}[3]"x"[]'), [{ a => 1 }, { b => [2] }, [3], 'x', []], 'nothing');
    same(all_of(\'1 2 true null'), [1, 2, JSON::PP::true, undef], 'scalars');
    same(all_of(\(JSON::PP->new->pretty->encode({ a => [1, { b => 2 }] }) x 3)), [({ a => [1, { b => 2 }] }) x 3], 'documents of many lines');
};

# A handle that gives pieces of any size.
package Pieces {
    sub new { my ($class, $bytes, $size) = @_; return bless { bytes => $bytes, at => 0, size => $size }, $class }
    sub read {
        my ($self) = @_;
        my $size = ref $self->{size} ? $self->{size}->() : $self->{size};
        $_[1] = substr $self->{bytes}, $self->{at}, $size;
        $self->{at} += length $_[1];
        return length $_[1];
    }
}

subtest 'wherever the cuts are' => sub {
    my @long = (@DOCUMENTS, { text => join '', map { chr 32 + rand 5000 } 1 .. 100 }, '\\"[{' x 20, [[[['"']]]]);
    my $text = join "\n", map { $json->encode($_) } @long;
    my $packed = join '', map { Kumihimo::MessagePack::pack($_) } @long;
    for my $size (1 .. 20, 50, 1000) {
        same(all_of(Pieces->new($text, $size)), \@long, "pieces of $size");
        same(all_of(Pieces->new($packed, $size), format => 'msgpack'), \@long, "of MessagePack");
    }
    my $random = sub { 1 + int rand 30 };
    same(all_of(Pieces->new($text x 20, $random)), [map { ref || !defined || /\D/ || $_ eq '' ? $_ : $_ } (@long) x 20], 'of any size');
};

subtest 'large documents' => sub {
    my $large = { items => [map { { id => $_, text => "number $_ " . 'x' x 50 } } 1 .. 12_000] };
    my $text = $json->encode($large);
    cmp_ok length $text, '>', 900_000, 'a document of many pieces';
    my $file = file_of("[1]\n$text\n$text\n[2]");
    same(all_of("$file"), [[1], $large, $large, [2]], 'between small ones');
    my $string = 'y' x 300_000;
    same(all_of(\qq("$string"\n"$string")), [$string, $string], 'strings');
    same(all_of(\('[' . '1,' x 300_000 . '1]')), [[(1) x 300_001]], 'an array');
    refused(sub { Kumihimo->each_document("$file", sub { }, max_document => 1000) }, qr/a document at line 2, byte 4 is larger than max_document: 1000 bytes at \Q$0\E/, 'max_document');
    my $bytes = Kumihimo::MessagePack->pack([$string]);
    same(all_of(\($bytes x 3), format => 'msgpack'), [([$string]) x 3], 'MessagePack');
    refused(sub { Kumihimo->each_document(\$bytes, sub { }, format => 'msgpack', max_document => 1000) }, qr/\Aa document at byte 0 is larger than max_document: 1000 bytes at/, 'and its limit');
};

subtest 'errors' => sub {
    my @got;
    my $take = sub { push @got, $_[0] };
    refused(sub { Kumihimo->each_document(\qq([1]\n{"a":2}\n\n{"a" 3}\n[4]\n), $take) }, qr/, at line 4, column 6, byte 18.* at \Q$0\E line/, 'line, column and byte');
    same(\@got, [[1], { a => 2 }], 'after all documents before it');
    refused(sub { Kumihimo->each_document(\q([1] [2] [x]), $take) }, qr/at line 1, column 10, byte 9 \(\$\[0\]\)/, 'on one line, and its path');
    refused(sub { Kumihimo->each_document(\qq([1]\n{"a":\n[2]), $take) }, qr/at line 3, column 4, byte 13/, 'cut');
    refused(sub { Kumihimo->each_document(\qq([1]\n"abc), $take) }, qr/at line 2/, 'cut in a string');
    refused(sub { Kumihimo->each_document(\qq([1]\n[2]]\n[3]), $take) }, qr/at line 2, column 4, byte 7/, 'a bracket too many');
    refused(sub { Kumihimo->each_document(Pieces->new(qq([1]\n\n  [2,\n\n  nul]), 4), $take) }, qr/at line 5, column 3, byte 14/, 'over pieces');
    refused(sub { Kumihimo->each_document(\qq(["\xff"]), $take) }, qr/byte 2/, 'no UTF-8');
    refused(sub { Kumihimo->each_document(\"\xef\xbb\xbf[1]", $take) }, qr/byte 0/, 'a byte order mark');
    refused(sub { Kumihimo->each_document(\('[' x 600 . ']' x 600), $take) }, qr/deep/, 'too deep');
    is(Kumihimo->each_document(\('[' x 600 . ']' x 600), sub { }, max_depth => 600), 1, 'more on request');
    my $bytes = join '', map { Kumihimo::MessagePack->pack([$_]) } 1 .. 3;
    @got = ();
    refused(sub { Kumihimo->each_document(\($bytes . "\x92\xc1"), $take, format => 'msgpack') }, qr/in the document at byte 6: .*/, 'MessagePack that is broken');
    same(\@got, [[1], [2], [3]], 'after those before it');
    refused(sub { Kumihimo->each_document(\($bytes . "\x92\x01"), $take, format => 'msgpack') }, qr/in the document at byte 6: .*insufficient bytes/, 'or cut');
    refused(sub { Kumihimo->each_document('/no/such/file', $take) }, qr{cannot open /no/such/file: .* at \Q$0\E}, 'no file');
    refused(sub { Kumihimo->each_document(undef, $take) }, qr/a handle, a path, or a reference to a string is needed/, 'undef');
    refused(sub { Kumihimo->each_document([], $take) }, qr/is needed, not ARRAY/, 'an array');
    refused(sub { Kumihimo->each_document(\'', $take, formats => 'json') }, qr/formats is no option/, 'an option');
    refused(sub { Kumihimo->each_document(\'', $take, format => 'none such') }, qr/format is one of .*\bjson, .*msgpack\b.*, not none such/, 'a format');
    refused(sub { Kumihimo->each_document(\'', undef) }, qr/a sub is needed/, 'no sub');
    refused(sub { Kumihimo->each_document(\'', $take, partial => ['a['], ) }, qr/the path "a\[" is not valid/, 'a path');
    refused(sub { Kumihimo->each_document(\'', $take, partial => Kumihimo->partial('a'), format => 'msgpack') }, qr/the paths are for json, the stream is msgpack at \Q$0\E/, 'paths for another format');
    refused(sub { Kumihimo->each_document(\'', $take, dialect => 'none such') }, qr/json has no read dialect "none such": it has rfc8259, .* at \Q$0\E/, 'a dialect');
    refused(sub { Kumihimo->each_document(\'', $take, max_document => 0) }, qr/max_document/, 'a limit of nothing');
    open my $out, '>', File::Temp->new or die $!;
    { no warnings; refused(sub { Kumihimo->each_document($out, $take) }, qr/cannot read|not open/, 'a handle for writing') }
    close $out;
    { no warnings; refused(sub { Kumihimo->each_document($out, $take) }, qr/not open/, 'or closed') }
    opendir my $folder, '.' or die $!;
    refused(sub { Kumihimo->each_document('.', $take) }, qr/cannot (?:open|read)/, 'a folder');
};

subtest 'callbacks' => sub {
    my @got;
    refused(sub { Kumihimo->each_document(\$NDJSON, sub { push @got, $_[0]; die "enough\n" if @got == 2 }) }, qr/\Aenough$/, 'die');
    is @got, 2, 'stops there';
    @got = ();
    no warnings 'exiting';
    my $n = Kumihimo->each_document(\$NDJSON, sub { push @got, $_[0]; last if @got == 3 });
    is "$n " . @got, '3 3', 'last';
    $n = Kumihimo->each_document(\$NDJSON, sub { next });
    is $n, @DOCUMENTS, 'next';
    my $code = sub { Kumihimo->each_document(\$NDJSON, sub { return }); 'here' };
    is $code->(), 'here', 'return leaves the callback only';
    my $inner = 0;
    Kumihimo->each_document(\'[1] [2]', sub { $inner += Kumihimo->each_document(\'1 2 3', sub { }) });
    is $inner, 6, 'a stream in a stream';
    my $source = '[1] [2] [3]';
    @got = ();
    Kumihimo->each_document(\$source, sub { push @got, $_[0][0]; $source = 'broken' });
    is "@got", '1 2 3', 'the string is changed meanwhile';
    open my $handle, '<', \$NDJSON or die $!;
    @got = ();
    refused(sub { Kumihimo->each_document($handle, sub { push @got, $_[0]; close $handle if @got == 1 }) }, qr/not open for reading at \Q$0\E/, 'the handle is closed meanwhile');
    is @got, @DOCUMENTS, 'after what was read';
    my @kept;
    Kumihimo->each_document(\'[1] [2] [3]', sub { push @kept, \$_[0] });
    is join(',', map { $$_->[0] } @kept), '1,2,3', 'each document is a value of its own';
};

subtest 'partial' => sub {
    my $text = join "\n", map { qq({"id":$_,"rest":[[{}]],"user":{"name":"n$_"}}) } 1 .. 1000;
    same(all_of(\$text, partial => ['id', 'user.name']), [map { [$_, "n$_"] } 1 .. 1000], 'paths');
    same(all_of(\$text, partial => 'id'), [map { [$_] } 1 .. 1000], 'one');
    same(all_of(\$text, partial => { n => 'user.name' }), [map { { n => "n$_" } } 1 .. 1000], 'names');
    same(all_of(\$text, partial => Kumihimo->partial(['gone'], missing => '-')), [(['-']) x 1000], 'compiled before');
    refused(sub { Kumihimo->each_document(\qq({"id":1}\n{"id":x}), sub { }, partial => 'id') }, qr/at line 2, column 7, byte 15 \(\$\.id\)/, 'an error');
};

subtest 'one after the other' => sub {
    require Kumihimo::Stream;
    my $stream = Kumihimo::Stream->new(\$NDJSON);
    my @got;
    while (my ($document) = $stream->next) { push @got, $document }
    same(\@got, \@DOCUMENTS, 'next');
    is_deeply [$stream->next], [], 'and nothing more';
    $stream = Kumihimo::Stream->new(\'[1] [x] [3]');
    is_deeply [$stream->next], [[1]], 'a document';
    refused(sub { $stream->next }, qr/byte 5/, 'a broken one');
    refused(sub { $stream->next }, qr/byte 5/, 'and nothing behind it');
};

subtest 'memory is bounded' => sub {
    plan skip_all => 'not proven: this system does not tell how much memory a process has' unless defined Leaks::resident();
    my $line = $json->encode({ map { ("key $_" => 'x' x 20) } 1 .. 30 }) . "\n";
    my $file = File::Temp->new;
    print {$file} $line x 20_000;
    close $file;
    Kumihimo->each_document(\($line x 2000), sub { });
    my $before = Leaks::resident();
    my $most = 0;
    my $n = 0;
    Kumihimo->each_document("$file", sub { if (++$n % 500 == 0) { my $now = Leaks::resident() - $before; $most = $now if $now > $most } });
    is $n, 20_000, 'documents';
    cmp_ok $most, '<', 4096, 'of a file of ' . int(-s "$file") . " bytes: $most KB at most";
};

subtest 'nothing is left behind' => sub {
    my $bytes = join '', map { Kumihimo::MessagePack::pack($_) } @DOCUMENTS;
    leaves_nothing('a string', sub { Kumihimo->each_document(\$NDJSON, sub { }) }, 2000);
    leaves_nothing('a handle', sub { open my $in, '<', \$NDJSON; Kumihimo->each_document($in, sub { }) }, 2000);
    leaves_nothing('MessagePack', sub { Kumihimo->each_document(\$bytes, sub { }, format => 'msgpack') }, 2000);
    leaves_nothing('partial', sub { Kumihimo->each_document(\$NDJSON, sub { }, partial => ['a']) }, 2000);
    leaves_nothing('a callback that dies', sub { eval { Kumihimo->each_document(\$NDJSON, sub { die }) } }, 2000);
    leaves_nothing('a callback that leaves', sub { no warnings 'exiting'; Kumihimo->each_document(\$NDJSON, sub { last }) }, 2000);
    leaves_nothing('an error', sub { eval { Kumihimo->each_document(\'[1] [x', sub { }) } }, 2000);
};

done_testing;
