package Kumihimo::Partial;
use 5.016;
use strict;
use warnings;
use Carp ();
use Kumihimo ();

our $VERSION = $Kumihimo::VERSION;
our @CARP_NOT = ('Kumihimo');

my %LEVEL = (strict => 0, structural => 1, trusted => 2);
my %OPTION = map { $_ => 1 } qw(format dialect level missing raw max_depth keep_order keep_binary);

sub new {
    my ($class, @arguments) = @_;
    my ($paths, %options) = ref $arguments[0] ? @arguments : (\@arguments);
    my %self;
    if (ref $paths eq 'HASH') {
        my @names = sort keys %$paths;
        @self{qw(names paths)} = (\@names, [@{$paths}{@names}]);
    }
    elsif (ref $paths eq 'ARRAY') { $self{paths} = [@$paths] }
    else { Carp::croak('paths are a list, an array reference, or a hash reference of names and paths') }
    Carp::croak('at least one path is needed') unless @{ $self{paths} };
    for my $path (@{ $self{paths} }) {
        Carp::croak('a path is a string such as "last_price.price" or "/last_price/price", not ' . ($path // 'undef'))
            if !defined $path || ref $path;
    }
    for my $name (sort keys %options) {
        Carp::croak("$name is no option of Kumihimo->partial: " . join ', ', sort keys %OPTION) unless $OPTION{$name};
        $self{$name} = $options{$name};
    }
    defined $self{$_} or delete $self{$_} for qw(format dialect);
    my $level = delete $self{level} // 'strict';
    Carp::croak("level is one of strict, structural, trusted, not $level") unless defined $LEVEL{$level};
    my $self = bless \%self, $class;
    eval { $self->_compile($LEVEL{$level}); 1 } or Carp::croak(Kumihimo::_reason($@));
    return $self;
}

sub many {
    my ($self, $documents, $code) = @_;
    Carp::croak('Usage: $partial->many(\@documents [, sub { ... }])') if @_ < 2 || @_ > 3 || ref $documents ne 'ARRAY';
    return eval { $self->_many($documents) } || Carp::croak(Kumihimo::_reason($@)) unless $code;
    for (my $i = 0; $i < @$documents; ++$i) {
        my $values = eval { $self->_decode($documents->[$i], $i) } or Carp::croak(Kumihimo::_reason($@));
        $code->($values);
    }
    return $self;
}

sub paths { return @{ $_[0]{paths} } }
sub names { return @{ $_[0]{names} // [] } }

1;

__END__

=encoding UTF-8

=head1 NAME

Kumihimo::Partial - a few values out of documents, without the rest

=head1 SYNOPSIS

    use Kumihimo;

    my $ticker = Kumihimo->partial('last_price.price', 'trades[*].price', 'timestamp');
    my ($price, $trades, $at) = @{ $ticker->decode($json) };

    my $named = Kumihimo->partial({ price => 'last_price.price', at => 'timestamp' });
    print $named->decode($json)->{price};

    my $results = $ticker->many(\@documents);

=head1 DESCRIPTION

Paths are compiled once; then each document is searched for them, and Perl values are made of nothing else. The rest of a document is checked,
but costs no memory and little time. An object never changes; threads that are started later have copies.

=head1 PATHS

    last_price.price      a member of a member
    asks[0][1]            elements, counted from 0
    trades[*].price       of every element: gives an array reference
    ["a.b"].c             a name with . [ ] or " in it
    $ or ""               the whole document
    /last_price/price     a JSON Pointer (RFC 6901)
    /asks/0/1

A path is characters, whatever its internal flag. Of equal keys in one object the last one counts.

=head1 METHODS

=head2 new

    my $partial = Kumihimo->partial(@paths);
    my $partial = Kumihimo->partial(\@paths, %options);
    my $partial = Kumihimo->partial({ name => $path, ... }, %options);
    my $partial = Kumihimo::Partial->new(...);

=over 4

=item format => 'json'

The format of the documents, one of those of L<Kumihimo/formats>. Only what the paths lead to becomes Perl values; those of other formats than JSON are
those of L<Kumihimo/load>.

=item dialect => $name

What is granted to the documents: one of the format's C<read_dialects>. The values are then those of L<Kumihimo/load>.

=item level => 'strict'

What is promised at least about what no path leads to. C<strict>, the default: the whole document is as valid as if it had been decoded. C<structural>: a JSON
text is valid UTF-8, its strings are closed and its brackets balance in number; of MessagePack and CBOR the headers are right. C<trusted>: the caller vouches for
the document; the search stops when all is found. Documents that have to be read whole (tagged, and most dialects that are named) are checked as by C<strict>
whatever the level.

=item missing => $value

Stands for what a document does not have. It is undef when not given, as is C<null>: with a value of your own the two can be told apart.

=item raw => 1

The exact text of each value, in bytes, instead of a Perl value. Of a binary format: its bytes.

=item max_depth => 512

How deep documents may be nested.

=item keep_order => 1

Objects become hashes that keep the order of their keys, as C<keep_order> of L<Kumihimo::JSON> does.

=item keep_binary => 1

As in L<Kumihimo/load>.

=back

=head2 decode

    my $values = $partial->decode($json);

An array reference with one value for each path, in their order; a hash reference where names were given. The text is
bytes in UTF-8, as for C<decode_json>. Values of JSON are those of L<Kumihimo::JSON>. What is in a frame
(L<Kumihimo/frames>) is unpacked first.

    ['last_price.price', 'trades[*].tid', 'gone']     [107910, [7, 8, undef], undef]

=head2 many

    my $results = $partial->many(\@documents);
    $partial->many(\@documents, sub { my ($values) = @_; ... });

The results of many documents in an array reference; or each is given to the sub, and the object is returned.

=head2 paths

The paths, as a list.

=head2 names

The names in the order of C<paths>; an empty list where none were given.

=head1 ERRORS

A broken document croaks, with what, where and under which path; C<many> says which document it was, counted from 0:

    document 41: a value was expected, at line 1, column 9, byte 8 ($.x[1]) at app.pl line 12.

A path that is not valid croaks when it is compiled, and so does an option that does not exist.

=head1 SEE ALSO

L<Kumihimo>, L<Kumihimo::Lazy>, which reads a document once and is asked later, L<Kumihimo::Stream>, whose option C<partial> does this to streams

=cut
