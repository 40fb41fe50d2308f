package Kumihimo::Stream;
use 5.016;
use strict;
use warnings;
use Carp ();
use Scalar::Util ();
use Kumihimo ();

our $VERSION = $Kumihimo::VERSION;
our @CARP_NOT = ('Kumihimo');

my %OPTION = map { $_ => 1 } qw(format partial max_document max_depth keep_order utf8);
my $PIECE = 256 * 1024;

# A handle belongs to one thread, and so does what was read from it.
sub CLONE_SKIP { return 1 }

sub new {
    my ($class, $source, %options) = @_;
    for my $name (sort keys %options) {
        Carp::croak("$name is no option of Kumihimo->each_document: " . join ', ', sort keys %OPTION) unless $OPTION{$name};
    }
    my %self = (max_document => 256 << 20, %options);
    my $format = $self{format} //= 'json';
    Carp::croak("format is one of json, msgpack, not $format") unless $format eq 'json' || $format eq 'msgpack';
    Carp::croak("max_document is a number of bytes, at least 1, not $self{max_document}") unless $self{max_document} >= 1;
    if (defined $self{partial}) {
        Carp::croak('partial is for JSON: MessagePack is read in full') if $format eq 'msgpack';
        if (!Scalar::Util::blessed($self{partial})) {
            my $paths = $self{partial};
            $self{partial} = Kumihimo->partial(ref $paths ? $paths : [$paths], map { exists $self{$_} ? ($_ => $self{$_}) : () } qw(max_depth keep_order));
        }
    }
    else { delete $self{partial} }
    $self{read} = _reader($source);
    my $self = bless \%self, $class;
    $self->_open;
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
