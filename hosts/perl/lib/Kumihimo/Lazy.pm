package Kumihimo::Lazy;
use 5.016;
use strict;
use warnings;
use Kumihimo ();

our $VERSION = $Kumihimo::VERSION;
our @CARP_NOT = ('Kumihimo');

# Neither text nor number nor truth is overloaded: a Lazy is a reference like any other there.
use overload '%{}' => \&_hash, '@{}' => \&_array, fallback => 1;

my %OPTION = map { $_ => 1 } qw(format dialect max_depth keep_order keep_binary);

sub new {
    my ($class, $json, %options) = @_;
    require Carp;
    Carp::croak($options{format} ? 'a document is needed' : 'a JSON text is needed') unless defined $json;
    for my $name (sort CORE::keys %options) {
        Carp::croak("$name is no option of Kumihimo->lazy: " . join ', ', sort CORE::keys %OPTION) unless $OPTION{$name};
    }
    defined $options{$_} or delete $options{$_} for qw(format dialect);
    my $self = eval { _open($json, \%options) } or Carp::croak(Kumihimo::_reason($@));
    return $self;
}

sub TO_JSON { return $_[0]->value }

package    # the other end of what a Lazy is dereferenced to
    Kumihimo::Lazy::Tie;

sub UNTIE { }

1;

__END__

=encoding UTF-8

=head1 NAME

Kumihimo::Lazy - a document that becomes Perl values where it is touched

=head1 SYNOPSIS

    use Kumihimo;

    my $doc = Kumihimo->lazy($json);
    print $doc->{last_price}{price};
    print $_->[0] for @{ $doc->{asks} };
    print $doc->at('/asks/0/1');
    my $asks = $doc->{asks}->value;    # plain Perl values
    print $doc->{asks}->raw;           # the text, as it is

=head1 DESCRIPTION

The document is read and checked as a whole, as strictly as C<decode_json> does, but what it holds is only noted down. Perl values are made of
what is asked for: strings, numbers, booleans and undef for scalars, another object of this class for an object or an array. Each of these holds the document,
for as long as it lives.

An object can be used as the hash or array reference that a decoder would have given: C<< ->{key} >>, C<< ->[-1] >>, C<exists>, C<keys>,
C<each>, loops, slices. It cannot be changed. The methods do the same with less work per step.

=head1 METHODS

=head2 new

    my $doc = Kumihimo->lazy($json, %options);
    my $doc = Kumihimo::Lazy->new($json, %options);

The text is bytes in UTF-8, as for C<decode_json>. It is shared or copied, so that later changes of the variable are
not seen. What is in a frame (L<Kumihimo/frames>) is unpacked first. Options: C<format>, C<json> unless it names
another one of L<Kumihimo/formats>; C<dialect>, one of that format's C<read_dialects>; C<max_depth> (512);
C<keep_order> (for C<value>, as in L<Kumihimo::JSON>) and C<keep_binary> (as in L<Kumihimo/load>).

Of other formats than JSON values are those of L<Kumihimo/load>, and keys that are not text have the text that they have there; asking for the C<keys> of a map croaks where
one is an array, a map, a moment or an extension.

=head2 get

    $doc->get('asks', 0, 1)

Goes along keys and indexes. Indexes may count from the end: -1 is the last. What is not there, or lies behind a C<null>, is undef. A key for an
array, or a step into a scalar, is an error.

=head2 at

    $doc->at('/asks/0/1')

The same by a JSON Pointer (RFC 6901). Whatever the pointer leads to or not, only a malformed pointer is an error; what is not there is undef.

=head2 exists

    $doc->exists('asks')
    $doc->{asks}->exists(0)

Whether there is such a member or element, which may be C<null>.

=head2 value

The plain Perl value, with all that is inside, as C<decode_json> gives it.

=head2 raw

The value's own text in the document, in bytes; of a binary format its bytes. The first call reads the document once more, and keeps where each value is: 8 bytes for each.

=head2 keys

The keys of an object, in the order of the text, a key that comes twice twice; their number in scalar context.

=head2 values

The values of an object or elements of an array, in order; their number in scalar context.

=head2 length

How many pairs or elements there are.

=head2 type

C<object>, C<array>, C<string>, C<number>, C<boolean> or C<null>; of formats that have them also C<binary>, C<time> and C<extension>.

=head2 path

The JSON Pointer from the document to this value: C<< $doc->at($value->path) >>, asked of the whole document, leads back.

=head2 TO_JSON

The same as C<value>, for encoders with C<convert_blessed>.

=head1 ERRORS

A broken text croaks in C<new>, with what, where and under which path. Later errors name the value by its path:

    $.asks[1] is an object, not an array at app.pl line 3.
    $.n is a number, not an object or an array at app.pl line 4.
    $.asks cannot be changed: a lazy document is for reading; ->value gives a copy at app.pl line 5.

=head1 LIMITS

Of equal keys in one object C<< ->{key} >> gives the last; C<keys>, C<values>, C<each> and C<length> know them all.

An object is searched from its beginning each time a key is asked for. Who needs most of the values decodes.

A document belongs to the thread that read it: in a thread that is started later, and wherever its hash or array is seen there, touching it is an error that
says so. A forked process has a document of its own.

=head1 SEE ALSO

L<Kumihimo>, L<Kumihimo::Partial>, which finds the same few values in many documents

=cut
