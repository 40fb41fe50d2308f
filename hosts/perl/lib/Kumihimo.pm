package Kumihimo;
use 5.016;
use strict;
use warnings;
use Exporter 'import';

our $VERSION = '0.100';
our @EXPORT_OK = qw(dump load convert formats frames each_document);
our %EXPORT_TAGS = (all => [@EXPORT_OK]);

require XSLoader;
XSLoader::load('Kumihimo', $VERSION);

# Whose booleans are given out. Here, because loading a module in the middle of a document would run its code there; and when the compiled part is
# there, because Kumihimo::Instead may be waiting for this one.
require JSON::PP;
require Kumihimo::Values;    # what documents of some formats become

# An error without the place that perl has put behind it, to be said at another one.
sub _reason { return $_[0] =~ s/\A(.*) at .*? line [0-9]+(?:, <[^\n]*> (?:line|chunk) [0-9]+)?\.\n\z/$1/sr }

sub partial {
    my ($class, @arguments) = @_;
    require Kumihimo::Partial;
    return Kumihimo::Partial->new(@arguments);
}

sub lazy {
    my ($class, $json, %options) = @_;
    require Kumihimo::Lazy;
    return Kumihimo::Lazy->new($json, %options);
}

# A method, and a function: its second argument is the sub.
sub each_document {
    shift if defined $_[0] && !ref $_[0] && ref \$_[0] ne 'GLOB' && UNIVERSAL::isa($_[0], __PACKAGE__) && ref $_[1] ne 'CODE';
    my ($source, $code, %options) = @_;
    require Kumihimo::Stream;
    return Kumihimo::Stream->new($source, %options)->each($code);
}

1;

__END__

=encoding UTF-8

=head1 NAME

Kumihimo - JSON and MessagePack at the speed of the hardware

=head1 SYNOPSIS

    use Kumihimo qw(dump load convert);

    # Any format, by its name
    my $bytes = dump({ id => 7, tags => ['a', undef] }, 'msgpack');
    my $data = load($bytes, 'msgpack');
    my $json = convert($bytes, 'msgpack', 'json', target_dialect => 'pretty');
    my $small = dump($data, 'msgpack', frame => 'zstd');    # compressed; load() and the others tell it by its bytes

    # A few values out of a document, without the rest
    my $ticker = Kumihimo->partial('last_price.price', 'trades[*].price');
    my ($price, $trades) = @{ $ticker->decode($json) };

    # A document that becomes Perl values where it is touched
    my $doc = Kumihimo->lazy($json);
    print $doc->{asks}[0][1];

    # One document after the other, of any format
    my $count = Kumihimo->each_document('events.ndjson', sub {
        my ($event) = @_;
        ...
    });

=head1 DESCRIPTION

This module loads the compiled part of the distribution, and has the calls that take a format by its name. The interfaces and answers of the modules that you may
use now are in modules of their own:

=over 4

=item L<Kumihimo::JSON>

JSON with the interface of JSON::XS; L<Kumihimo::JSON::Cpanel> with that of Cpanel::JSON::XS.

=item L<Kumihimo::MessagePack>

MessagePack with the interface of Data::MessagePack.

=item L<Kumihimo::Mojo>

All of Mojolicious' JSON made native; C<plugin 'Kumihimo'> in an application.

=back

=head1 FUNCTIONS

None is exported unless asked for: C<use Kumihimo qw(dump load convert formats frames each_document)>, or C<:all>.
Each can also be called as a method of the class: C<< Kumihimo->dump($value, 'json') >>. C<pack> and C<unpack> are
never exported, since they would hide perl's own.

=head2 dump

    my $bytes = dump($value, $format, %options);

A value as a document of that format, in bytes: of a text format UTF-8. How Perl's values are taken is under L</VALUES>. Options:

=over 4

=item dialect => $name

How the format is written; the first of its C<write_dialects> (see L</formats>) when not given.

=item canonical => 1

Maps in the order of their keys, so that equal data give equal bytes.

=item max_depth => 512

How many arrays and hashes may lie in each other.

=item frame => $name, frame_level => $level

Compresses the document: one of L</frames>, at one of its levels, the usual one when not given.

=back

=head2 load

    my $value = load($bytes);
    my $value = load($bytes, $format, %options);

The value of a document. Without a format, or with undef, the bytes tell it where they can; JSON and MessagePack have
no mark, so that what begins as JSON does is taken for JSON. A document in a frame (L</frames>) is unpacked first; its
bytes tell. Options:

=over 4

=item dialect => $name

What is granted to the document; the first of the format's C<read_dialects> when not given.

=item keep_order => 1

Maps become hashes that keep the order of their keys, as C<keep_order> of L<Kumihimo::JSON> does.

=item keep_binary => 1

What is bytes in the document becomes an object of Kumihimo::MessagePack::Binary, which C<dump> writes as bytes again. Without it bytes are a string.

=item max_depth => 512

How deep the document may be nested.

=back

=head2 convert

    my $bytes = convert($bytes, $from, $to, %options);

A document of one format as one of another, without Perl values in between: order, equal keys and all digits are kept
as far as the other format has them. C<$from> may be undef, as in L</load>, and the document in a frame. Options:
C<source_dialect>, C<target_dialect>, C<max_depth> (512), C<frame> and C<frame_level> as in L</dump>.

=head2 formats

    for my $format (formats()) {
        print "$format->{name}: @{ $format->{write_dialects} }\n";
    }

The formats there are, each a hash: C<name>; C<text>, whether its documents are text; C<media_types> and C<endings> (of files), the usual one first;
C<read_dialects> and C<write_dialects>, the default first.

=head2 frames

    my @names = map { $_->{name} } grep { $_->{available} } frames();

The frames there are: compression around a document of any format. Each is a hash: C<name>; C<ending> (of files);
C<media_type>; C<levels>, the lowest and the highest; C<usual_level>; and C<available>, whether its library is there.
The libraries (zlib, libzstd, liblz4) are found when they are needed first.

=head2 pack

    my $packed = Kumihimo->pack($bytes, $frame);
    my $packed = Kumihimo->pack($bytes, $frame, level => 9);

Bytes in a frame. The packed bytes may differ from one release of a library to the next.

=head2 unpack

    my $bytes = Kumihimo->unpack($packed);
    my $bytes = Kumihimo->unpack($packed, $frame, size => 1_000_000);

What is in the frames, one behind the other. The first bytes tell the frame where it is not named, or undef. C<size>:
more bytes than that are refused; 1 TB when not given. What unpacks to more than 1000 times its own size, beyond 16
MB, is refused as a bomb, here and wherever a frame is read.

=head2 each_document

    my $count = each_document($source, sub { my ($document) = @_; ... }, %options);
    my $count = Kumihimo->each_document($source, sub { my ($document) = @_; ... }, format => 'msgpack');

Calls the sub for each document of a handle, a file or a string, and returns how many there were. The format is JSON
unless the option C<format> says otherwise; a stream in a frame is unpacked on the way. See L<Kumihimo::Stream>.

=head1 METHODS

=head2 partial

    my $partial = Kumihimo->partial(@paths);
    my $partial = Kumihimo->partial(\@paths, %options);
    my $partial = Kumihimo->partial({ name => $path, ... }, %options);

Compiles paths; C<< $partial->decode($json) >> then gives their values. The option C<format> names another format than JSON. See L<Kumihimo::Partial>.

=head2 lazy

    my $doc = Kumihimo->lazy($json, %options);

Reads and checks a document without making Perl values of it. The option C<format> names another format than JSON. See L<Kumihimo::Lazy>.

=head1 VALUES

=head2 From Perl

    undef                               null
    a number                            an integer, or a double
    a string                            text: its characters, however Perl holds them
    array reference, hash reference     array, map
    \1  \0                              true, false
    !!1  !!0 (perl 5.36 and newer)      true, false
    JSON::PP's, Types::Serialiser's,
    Data::MessagePack's booleans        true, false
    Math::BigInt, Math::BigFloat        an integer where 64 bits hold it, else a number in its own digits
    Time::Piece, DateTime               a moment; of DateTime without a zone a reading without one
    the objects of Kumihimo::Values     bytes, a moment, an extension
    other objects with TO_JSON          what that gives

What was made as a number is a number, whatever it was used as since; before perl 5.36 a number that was used as a string cannot be told from a string, and is
one. All else croaks: code, globs, other references, objects that do not say what they are. What a format has no form for, its dialect lowers or refuses.

=head2 To Perl

    null                                undef
    true, false                         JSON::PP's booleans
    integers                            integers; beyond 64 bits Math::BigInt
    doubles                             doubles
    other numbers in their own digits   Math::BigFloat
    text                                characters
    bytes                               a string of bytes, or with keep_binary a Kumihimo::MessagePack::Binary
    a moment                            Kumihimo::MessagePack::Timestamp
    an extension                        Kumihimo::MessagePack::Extension

Keys of Perl's hashes are text: numbers become their text, null becomes C<"">, true and false C<"true"> and C<"false">. Arrays, maps, moments and extensions as keys are
refused. Of equal keys the last one counts.

=head1 ERRORS

Errors are exceptions, at the line of the caller. Of a document they say what is wrong, at which line, column and byte, and under which path, as far as the format has
them. A name that is none names those there are:

    no format is named "yaml": there are json, msgpack at app.pl line 3.
    msgpack has no write dialect "short": it has standard, exact, ... at app.pl line 4.
    the bytes do not tell their format: name it at app.pl line 5.
    no frame is named "zip": there are gzip, zstd, lz4 at app.pl line 6.
    the levels of gzip are 1 to 9, not 10 at app.pl line 7.
    the gzip data is cut off, at byte 4096 at app.pl line 8.

What is wrong with a frame is said with the place in the packed bytes. Where a frame's library is missing, the error
says what to install.

=head1 SEE ALSO

L<Kumihimo::Values>, L<Kumihimo::Partial>, L<Kumihimo::Lazy>, L<Kumihimo::Stream>

=cut
