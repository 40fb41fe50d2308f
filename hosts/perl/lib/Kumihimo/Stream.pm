package Kumihimo::Stream;
use 5.016;
use strict;
use warnings;
use Carp ();
use Scalar::Util ();
use Kumihimo ();

our $VERSION = $Kumihimo::VERSION;
our @CARP_NOT = ('Kumihimo');

my %OPTION = map { $_ => 1 } qw(format dialect partial max_document max_depth keep_order keep_binary utf8);
my @FORMATS = sort { $a cmp $b } _formats();
my $PIECE = 256 * 1024;

sub new {
    my ($class, $source, %options) = @_;
    for my $name (sort keys %options) {
        Carp::croak("$name is no option of Kumihimo->each_document: " . join ', ', sort keys %OPTION) unless $OPTION{$name};
    }
    my %self = (max_document => 256 << 20, %options);
    my $format = $self{format} //= 'json';
    Carp::croak('format is one of ' . join(', ', @FORMATS) . ", not $format") unless grep { $_ eq $format } @FORMATS;
    delete $self{dialect} unless defined $self{dialect};
    Carp::croak("max_document is a number of bytes, at least 1, not $self{max_document}") unless $self{max_document} >= 1;
    if (defined $self{partial}) {
        if (!Scalar::Util::blessed($self{partial})) {
            my $paths = $self{partial};
            $self{partial} = Kumihimo->partial(ref $paths ? $paths : [$paths], map { exists $self{$_} ? ($_ => $self{$_}) : () } qw(format dialect max_depth keep_order keep_binary));
        }
    }
    else { delete $self{partial} }
    $self{read} = _reader($source);
    my $self = bless \%self, $class;
    eval { $self->_open; 1 } or Carp::croak(Kumihimo::_reason($@));
    return $self;
}

# What gives the stream its next piece; false at the end.
sub _reader {
    my ($source) = @_;
    Carp::croak('a handle, a path, or a reference to a string is needed') unless defined $source;
    if (ref $source eq 'SCALAR' || ref $source eq 'LVALUE') {
        my ($text, $at) = ($$source, 0);
        utf8::encode($text) if utf8::is_utf8($text);
        return sub {
            return 0 if $at >= length $text;
            $_[0]->_push(substr $text, $at, $PIECE);
            return $at += $PIECE;
        };
    }
    if (!ref $source && ref \$source ne 'GLOB') {
        open my $handle, '<:raw', $source or Carp::croak("cannot open $source: $! (a text itself is given by reference)");
        $source = $handle;
    }
    my $glob = Scalar::Util::reftype($source) // '';
    my $tied = $glob eq 'GLOB' ? tied *$source : ref \$source eq 'GLOB' ? tied *$source : undef;
    if (!$tied && (ref \$source eq 'GLOB' || $glob eq 'GLOB' || $glob eq 'IO')) {
        return sub { return $_[0]->_fill($source, $PIECE) };
    }
    my $object = Scalar::Util::blessed($source) && $source->can('read') ? $source : undef;
    Carp::croak('a handle, a path, or a reference to a string is needed, not ' . (ref $source || 'this')) unless $object || $tied;
    return sub {
        my $piece = '';
        my $n = $object ? $object->read($piece, $PIECE) : read $source, $piece, $PIECE;
        if (!defined $n || $n < 0) {
            $_[0]{error} = "cannot read: $!";
            return 0;
        }
        return 0 if $n == 0;
        utf8::encode($piece) if utf8::is_utf8($piece);
        $_[0]->_push($piece);
        return 1;
    };
}

sub next {
    my ($self) = @_;
    my $value;
    return $self->_next($value) ? $value : ();
}

sub _next {
    my ($self) = @_;
    until ($self->_take($_[1])) {
        Carp::croak($self->{error}) if defined $self->{error};
        return !1 if $self->{ended};
        next if $self->{read}->($self) || defined $self->{error};
        $self->{ended} = 1;
        $self->_end;
    }
    return !0;
}

sub each {
    my ($self, $code) = @_;
    Carp::croak('a sub is needed, which is called with each document') unless ref $code;
    my $count = 0;
    # One loop only, so that a callback's "last" leaves it.
    while (1) {
        my $document;
        if (!$self->_take($document)) {
            last unless $self->_next($document);
        }
        ++$count;
        $code->($document);
    }
    return $count;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Kumihimo::Stream - one document after the other: NDJSON, concatenated JSON, any other format

=head1 SYNOPSIS

    use Kumihimo;

    my $count = Kumihimo->each_document('events.ndjson', sub {
        my ($event) = @_;
        ...
    });

    Kumihimo->each_document('events.ndjson.gz', \&count, partial => ['user.id', 'amount']);

    Kumihimo->each_document($socket, \&handle, format => 'msgpack');

    # Without a callback
    use Kumihimo::Stream;
    my $stream = Kumihimo::Stream->new(\*STDIN);
    while (my ($document) = $stream->next) { ... }

=head1 DESCRIPTION

Reads documents that lie one behind the other, with line breaks, other white space or nothing between them. A document may have many lines, and
many documents may share one. Blank lines are passed over.

The source is read in pieces of at most 256 KB, so memory is bounded by a piece and by the largest document. What a pipe or a socket has is handed on as it comes.

A stream in a frame (L<Kumihimo/frames>) is unpacked on the way, in pieces of at most 256 KB, too; its first bytes tell.

=head1 SOURCES

=over 4

=item a handle

Any that Perl can read, with any layers: C<:raw>, C<:gzip>, C<:encoding(...)>, in memory, a pipe, a socket, a tied one. It is read from where it stands.

=item an object with a method C<read>

L<IO::Uncompress::Gunzip> for example. It is called as C<< $object->read($buffer, $size) >>.

=item a path

A string is the name of a file.

=item a reference to a string

    Kumihimo->each_document(\$text, sub { ... });

The text itself, bytes or characters.

=back

=head1 METHODS

=head2 new

    my $stream = Kumihimo::Stream->new($source, %options);

C<each_document> takes the same options.

=over 4

=item format => 'json'

The format of the documents, one of those of L<Kumihimo/formats>.

=item dialect => $name

What is granted to the documents: one of the format's C<read_dialects>. Their values are then those of L<Kumihimo/load>.

=item partial => \@paths

Gives only what these paths lead to; see L<Kumihimo::Partial>. A path, a reference to paths or to names and paths, or such an object, for the same format.

=item max_document => 268_435_456

The largest document in bytes; a larger one is an error. 256 MB when not given.

=item max_depth => 512, keep_order => 1

As in L<Kumihimo::JSON>.

=item keep_binary => 1

As in L<Kumihimo/load>.

=item utf8 => 1

As in L<Kumihimo::MessagePack>: bytes that are UTF-8 are text.

=back

Where no dialect is named, the values of JSON are those of L<Kumihimo::JSON>, the values of MessagePack those of L<Kumihimo::MessagePack>, and the values of other
formats those of L<Kumihimo/load>.

=head2 each

    my $count = $stream->each(sub { my ($document) = @_; ... });

Calls the sub for each document and returns how many there were. This is what C<each_document> does. The sub may C<die>, which ends it; C<return> leaves
the sub alone; C<last> ends the loop too, with Perl's warning of the category C<exiting>.

=head2 next

    while (my ($document) = $stream->next) { ... }

The next document; an empty list when there is none.

=head1 ERRORS

A broken document croaks after all documents before it have been handed on. Line, column and byte count from where the stream began:

    a value was expected, at line 4712, column 18, byte 980113 ($.user.id) at app.pl line 5.

They count in the text; where a frame is damaged, the byte is that of the packed stream, and the documents that came
out before it have been handed on, though no check sum has vouched for them yet.

A handle that cannot be read croaks as well, and so do options that do not exist. Of MessagePack the byte is told at which the document begins.

=head1 LIMITS

A byte order mark is refused. A stream belongs to one thread: another one is told so.

No document begins as a frame does, but a stream of bare small numbers in a binary format could: one of MessagePack
that begins with 4, 34, 77, 24 is taken for lz4.

=head1 SEE ALSO

L<Kumihimo>, L<Kumihimo::Partial>, L<Kumihimo::MessagePack>

=cut
