# The conformance vectors that every implementation runs; tests/vectors/README.md has the layout and the notation. They are in
# the repository only.
#
# tests/vectors/held/perl says what Perl's values hold otherwise. What its calls have otherwise stands here, by name: what is in
# a list without need fails, and so does what is not there any more.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use File::Basename qw(basename);
use Test::More;
use Traces qw($FOLDER $DEPTH %HELD %ASKED slurp beside files name_of trace expected value_in);

use Kumihimo qw(dump load convert formats);

plan skip_all => 'the vectors are in the repository, not in the distribution' if !-d $FOLDER && !-e "$FindBin::Bin/../../ruby";

my %FORMAT = map { ($_->{name} => $_) } formats();
my @FORMATS = map { $_->{name} } formats();
my @BINARY = grep { !$FORMAT{$_}{text} } @FORMATS;
my @FRAMES = Kumihimo->can('frames') ? map { $_->{name} } grep { $_->{available} } Kumihimo::frames() : ();
my @AREAS = ((map { ("$_/", "read/$_/", "streams/$_/") } @FORMATS), (map { "frames/$_/" } @FRAMES), (map { "levels/$_/" } @BINARY), qw(model/ convert/ paths/ project/ detect/));

# By a check's name, or by what stands before the first dot of it, which stands for all dialects.
my $CHARACTERS = 'a Perl string is characters: bytes that are no UTF-8 are some, too';
my $NOT_AT_HAND = 'the frame behind a skippable one tells, which is not at hand in the first piece';
my $NO_NUMBER = 'MessagePack has no such number';
my %LEFT_OUT = (
    'model/ext-type-128' => 'an Extension is made with a type from -128 to 127',
    'model/key-str.tagged.safe' => 'a string as a key is a name, whichever way it was said',
    'frames/lz4/ok-skippable-first.by_1' => $NOT_AT_HAND, 'frames/lz4/ok-skippable-first.by_3' => $NOT_AT_HAND,
    'paths/err-utf-8' => $CHARACTERS, 'paths/err-utf-8-cut' => $CHARACTERS,
    'project/beyond-a-double-wanted.in_json' => 'without a dialect JSON is read as JSON::XS does: an infinity',
    'project/beyond-a-double-within.in_json' => 'without a dialect JSON is read as JSON::XS does: an infinity',
    'project/beyond-a-double-within.in_msgpack' => $NO_NUMBER,
    'project/beyond-a-double.in_msgpack' => $NO_NUMBER, 'project/beyond-a-double-wanted.in_msgpack' => $NO_NUMBER,
);

# What fails needs a reason in the list, and every reason of the area must be needed; so must what is held otherwise.
my %run;
sub area {
    my ($area, %checks) = @_;
    $run{$area}++;
    subtest $area => sub {
        my %needed;
        for my $name (sort keys %checks) {
            my $wrong = eval { $checks{$name}->() } // ($@ ? "it died: $@" : next);
            my $reason = exists $LEFT_OUT{$name} ? $name : $name =~ s/\..*//sr;
            $needed{$reason}++;
            fail($name), diag($wrong) unless exists $LEFT_OUT{$reason};
        }
        ok $needed{$_}, "$_ is left out with need" for grep { /^\Q$area\E/ } sort keys %LEFT_OUT;
        ok $ASKED{$_}, "$_ is a vector" for grep { /^\Q$area\E/ } sort keys %HELD;
        ok scalar keys %checks, scalar(keys %checks) . ' checks';
    };
    return;
}

# A check gives what is wrong, or undef.
sub differs { my ($is, $should) = @_; return $is eq $should ? undef : "is $is\nnot $should" }
# The call dies by the line: line, column, code and kind are in no error of Perl's, but the place in bytes and the path are, and
# where there are lines, line and column.
sub not_refused {
    my ($line, $call, $place) = @_;
    return 'is taken' if eval { $call->(); 1 };
    my $said = $@;
    my (undef, $offset, $path) = split ' ', $line, 3;
    chomp $path if defined $path;
    utf8::decode($path) if defined $path;
    return $said if defined $offset && $said !~ /\bbyte $offset\b/;
    return $said if length($path // '') > 1 && index($said, "($path)") < 0;
    return $said if defined $place && $said !~ /\bline $place->[0], column $place->[1],/;
    return;
}
# The call's value has that trace; an empty one: there is no such value, and it dies.
sub traces_otherwise {
    my ($wanted, $call) = @_;
    return eval { $call->(); 1 } ? 'is a value' : undef if $wanted eq '';
    return differs(trace($call->()), $wanted);
}
sub is_ok { return $_[0] =~ m{/ok-[^/]*$} }

# ---------------------------------------------------------------------------------------------------------------------- documents
my %READING = (max_depth => $DEPTH, keep_order => 1, keep_binary => 1);
for my $format (@FORMATS) {
    my $dialect = $FORMAT{$format}{read_dialects}[0];
    my %checks;
    for my $file (files($format, '.in')) {
        my $read = sub { return load(slurp($file), $format, dialect => $dialect, %READING) };
        $checks{ name_of($file) }
            = is_ok($file) ? sub { return traces_otherwise(expected($file), $read) }
            : $file =~ m{/err-[^/]*$} ? sub { return not_refused(slurp(beside($file, '.error')), $read) }
            : sub { return eval { $read->(); 1 } || $@ =~ /\S/ ? undef : 'an error without words' };
        next unless -e beside($file, '.place');
        $checks{ name_of($file) . '.place' } = sub { return not_refused(slurp(beside($file, '.error')), $read, [split ' ', slurp(beside($file, '.place'))]) };
    }
    area("$format/", %checks);
}

for my $format (@FORMATS) {
    my %checks;
    for my $dialect (@{ $FORMAT{$format}{read_dialects} }) {
        for my $file (grep { /\.\Q$dialect\E\.(?:trace|error)$/ } files("read/$format", '')) {
            my $in = $file =~ s/\.[^\/]*$/.in/r;
            my $read = sub { return load(slurp($in), $format, dialect => $dialect, %READING) };
            $checks{ name_of($file) } = $file =~ /\.error$/ ? sub { return not_refused(slurp($file), $read) } : sub { return traces_otherwise(expected($file), $read) };
        }
    }
    area("read/$format/", %checks);
}

# ---------------------------------------------------------------------------------------------------------------------- models
# The call gives the file's bytes, or dies where an error stands beside it.
sub becomes_otherwise {
    my ($file, $call) = @_;
    return differs($call->(), slurp($file)) if -e $file;
    return eval { $call->(); 1 } ? 'is written' : $@ =~ /\S/ ? undef : 'an error without words';
}
# Each model with each dialect that has a say of it: what it becomes.
my @models;
for my $model (files('model', '.trace')) {
    for my $format (@FORMATS) {
        for my $dialect (@{ $FORMAT{$format}{write_dialects} }) {
            my $file = beside($model, ".$format.$dialect");
            push @models, [$model, $format, $dialect, $file] if -e $file || -e "$file.error";
        }
    }
}
{
    my %checks = map { my $model = $_; (name_of($model) => sub { return traces_otherwise(expected($model), sub { return value_in($model) }) }) } grep { exists $HELD{ name_of($_) } } files('model', '.trace');
    for (grep { !exists $HELD{ name_of($_->[0]) } } @models) {
        my ($model, $format, $dialect, $file) = @$_;
        $checks{ 'model/' . basename($file) } = sub { return becomes_otherwise($file, sub { return dump(value_in($model), $format, dialect => $dialect) }) };
    }
    area('model/', %checks);
}

# From each format whose document is read as the model, into every dialect.
sub is_read_as {
    my ($document, $format, $model) = @_;
    return -e $document && !exists $HELD{ name_of($model) } && eval { trace(load(slurp($document), $format, %READING)) eq slurp($model) =~ s/^(array|map) \d+$/$1/mgr };
}
{
    my (%checks, %read);
    for (@models) {
        my ($model, $format, $dialect, $file) = @$_;
        for my $source (@FORMATS) {
            my $document = beside($model, ".$source.$FORMAT{$source}{write_dialects}[0]");
            next unless $read{$document} //= is_read_as($document, $source, $model) || 0;
            $checks{ 'convert/' . basename($file) . ".from_$source" } = sub { return becomes_otherwise($file, sub { return convert(slurp($document), $source, $format, target_dialect => $dialect) }) };
        }
    }
    area('convert/', %checks);
}

# ---------------------------------------------------------------------------------------------------------------------- paths
sub characters { my ($octets) = @_; utf8::decode($octets); return $octets }
{
    my %checks;
    for my $file (files('paths', '.path')) {
        my $compile = sub { return Kumihimo->partial(characters(slurp($file))) };
        $checks{ name_of($file) } = is_ok($file) ? sub { $compile->(); return undef } : sub { return not_refused(slurp(beside($file, '.error')) =~ s/^(\S+ \S+).*/$1/r, $compile) };    ## no critic (Subroutines::ProhibitExplicitReturnUndef)
    }
    area('paths/', %checks);
}

# What a .found file says, as values that the call reads.
sub found_in {
    my ($file, $document, $read) = @_;
    my $value = sub {
        my ($offset, $length) = $_[0] =~ /^(\d+) (\d+)$/ or return;
        return $read->(substr $document, $offset, $length);
    };
    my @lines = split /\n/, slurp($file);
    my @values;
    while (defined(my $line = shift @lines)) {
        push @values, $line =~ /^each (\d+)/ ? [map { scalar $value->(shift @lines) } 1 .. $1] : scalar $value->($line);
    }
    return \@values;
}
sub paths_of { my ($file) = @_; my @paths = map { characters($_) } split /\n/, slurp(beside($file, '.paths')), -1; pop @paths; return \@paths }
sub projection {
    my ($folder, $format) = @_;
    my $read = sub { return Kumihimo->partial([''], format => $format, %READING)->decode($_[0])->[0] };
    my %checks;
    for my $file (files($folder, '.in')) {
        for my $level (qw(strict structural trusted)) {
            my ($found, $error) = map { beside($file, ".$level.$_") } qw(found error);
            my $call = sub { return Kumihimo->partial(paths_of($file), format => $format, level => $level, %READING)->decode(slurp($file)) };
            $checks{ name_of($file) . ".$level" } = -e $error ? sub { return not_refused(slurp($error), $call) } : sub { return differs(trace($call->()), trace(found_in($found, slurp($file), $read))) } if -e $error || -e $found;
        }
    }
    return %checks;
}
{
    my %checks = projection('project', 'json');
    # The same paths in the document's other formats.
    for my $file (grep { -e beside($_, '.strict.found') } files('project', '.in')) {
        for my $format (@FORMATS) {
            $checks{ name_of($file) . ".in_$format" } = sub {
                my $there = Kumihimo->partial(paths_of($file), format => $format, %READING)->decode(convert(slurp($file), 'json', $format, max_depth => $DEPTH));
                return differs(trace($there), trace(found_in(beside($file, '.strict.found'), slurp($file), sub { return load($_[0], 'json', %READING) })));
            };
        }
    }
    area('project/', %checks);
}
area("levels/$_/", projection("levels/$_", $_)) for @BINARY;

# ---------------------------------------------------------------------------------------------------------------------- frames, streams, detection
my @SIZES = (undef, 1, 3);
{
    # A stream that gives a few bytes at a time.
    package Pieces;
    sub new { my ($class, $whole, $size) = @_; return bless { whole => $whole, at => 0, size => $size }, $class }
    sub read {    ## no critic (Subroutines::ProhibitBuiltinHomonyms)
        my ($self) = @_;
        $_[1] = substr $self->{whole}, $self->{at}, $self->{size};
        $self->{at} += length $_[1];
        return length $_[1];
    }
}
sub source { my ($whole, $size) = @_; return $size ? Pieces->new($whole, $size) : \$whole }
for my $frame (@FRAMES) {
    my %checks;
    for my $file (files("frames/$frame", '.in')) {
        my $unpack = sub { return Kumihimo->unpack(slurp($file), $frame) };
        my $out = is_ok($file) ? slurp(beside($file, '.out')) : '';
        $checks{ name_of($file) } = is_ok($file)
            ? sub { return differs($unpack->(), $out) // differs(Kumihimo->unpack(slurp($file)), $out) // differs(Kumihimo->unpack(Kumihimo->pack($out, $frame), $frame), $out) }
            : sub { return not_refused(slurp(beside($file, '.error')), $unpack) };
        next unless $out =~ /^\{/;
        for my $size (@SIZES) {
            my $documents = sub { my $traces = ''; Kumihimo::each_document(source($_[0], $size), sub { $traces .= trace($_[0]) }, format => 'json', keep_order => 1); return $traces };
            $checks{ name_of($file) . '.by_' . ($size // 'whole') } = sub { return differs($documents->(slurp($file)), $documents->($out)) };
        }
    }
    area("frames/$frame/", %checks);
}

for my $format (@FORMATS) {
    my %checks;
    for my $file (files("streams/$format", '.in')) {
        for my $size (@SIZES) {
            $checks{ name_of($file) . '.by_' . ($size // 'whole') } = sub {
                my $traces = '';
                my %options = (format => $format, dialect => $FORMAT{$format}{read_dialects}[0], keep_order => 1, keep_binary => 1);
                my $read = sub { Kumihimo::each_document(source(slurp($file), $size), sub { $traces .= trace($_[0]) }, %options); return 1 };
                my $wanted = expected($file);
                return eval { $read->() } ? 'is read' : undef if $wanted eq '' && -s beside($file, '.trace');    # a document that is no value here
                if (is_ok($file)) { $read->(); return differs($traces, $wanted) }
                # The offset is that in the stream.
                my ($code, $offset, $path) = split ' ', slurp(beside($file, '.error')), 3;
                $offset += slurp(beside($file, '.start'));
                return not_refused("$code $offset $path", $read) // differs($traces, $wanted);
            };
        }
    }
    area("streams/$format/", %checks);
}

{
    my $told = sub { my ($what, $data) = @_; return map { $_ // 'none' } Kumihimo::_told($what, $data) };
    my %checks;
    my %place = (format => 0, frame => 1);
    for my $what (sort keys %place) {
        for my $file (files("detect/$what", '.in')) {
            $checks{ name_of($file) } = sub { return differs(($told->('bytes', slurp($file)))[$place{$what}], basename($file) =~ /^(\w+)/ ? $1 : '') };
        }
    }
    for my $line (split /\n/, slurp("$FOLDER/detect/media-types")) {
        my ($format, $type) = split /\t/, $line, -1;
        $checks{"detect/media-types $type"} = sub { return differs(($told->('media_type', $type))[0], $format) };
    }
    for my $line (split /\n/, slurp("$FOLDER/detect/names")) {
        my ($format, $frame, $name) = split /\t/, $line, -1;
        $checks{"detect/names $name"} = sub { return differs(join(' ', $told->('name', $name)), "$format $frame") };
    }
    area('detect/', %checks);
}

for my $name (sort keys %LEFT_OUT, sort keys %HELD) {
    ok 0, "$name is of no area" unless grep { $run{$_} && index($name, $_) == 0 } @AREAS;
}

done_testing;
