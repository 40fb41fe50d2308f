package Kumihimo::MessagePack;
use 5.016;
use strict;
use warnings;
use Exporter 'import';
use Kumihimo ();

our $VERSION = $Kumihimo::VERSION;
our @EXPORT_OK = qw(encode_msgpack decode_msgpack);

my %OPTION = map { $_ => 1 } qw(utf8 text canonical prefer_integer core_booleans keep_order max_depth true false);

sub new {
    my ($class, %options) = @_;
    if (my @unknown = sort grep { !$OPTION{$_} } keys %options) {
        require Carp;
        Carp::croak("$unknown[0] is no option of Kumihimo::MessagePack: " . join ', ', sort keys %OPTION);
    }
    return bless \%options, $class;
}

for my $name (qw(utf8 text canonical prefer_integer core_booleans keep_order)) {
    no strict 'refs';
    *$name = sub { my ($self, $value) = @_; $self->{$name} = $value // 1; return $self };
    *{"get_$name"} = sub { return $_[0]{$name} };
}
sub max_depth { my ($self, $depth) = @_; $self->{max_depth} = $depth; return $self }
sub get_max_depth { return $_[0]{max_depth} // 512 }

sub prefer_float32 {
    require Carp;
    Carp::croak('prefer_float32 is not supported: a float of 32 bits would lose half of the digits of a Perl number');
}

sub boolean_values {
    my ($self, $false, $true) = @_;
    if (@_ == 1) { delete @{$self}{qw(false true)} }
    else { @{$self}{qw(false true)} = ($false, $true) }
    return $self;
}
sub get_boolean_values { my ($self) = @_; return exists $self->{true} ? @{$self}{qw(false true)} : () }

sub true () { require JSON::PP; return JSON::PP::true() }
sub false () { require JSON::PP; return JSON::PP::false() }

package Kumihimo::MessagePack::Unpacker;

sub new {
    my ($class, %options) = @_;
    my $self = bless { by => Kumihimo::MessagePack->new(%options) }, $class;
    $self->reset;
    return $self;
}
sub utf8 { my ($self, $value) = @_; $self->{by}{utf8} = $value // 1; return $self }
sub get_utf8 { return !!$_[0]{by}{utf8} }

sub execute {
    my ($self, undef, $offset) = @_;
    $offset //= 0;
    if (length $self->{kept} ? $offset > length $_[1] : $offset >= length $_[1]) {
        require Carp;
        Carp::croak("offset ($offset) is bigger than data buffer size (" . length($_[1]) . ')');
    }
    my ($used, $whole) = _extent($self->{state}, $_[1], $offset);
    my $before = length $self->{kept};
    if (!$whole) {
        $self->{kept} .= substr $_[1], $offset;
        $self->{finished} = !1;
        return 0;
    }
    my $document = $self->{kept} . substr $_[1], $offset, $used;
    $self->{kept} = '';
    $self->_read($document);
    return $before + $offset + $used;
}

sub execute_limit {
    my ($self, undef, $offset, $limit) = @_;
    return $self->execute(substr($_[1], 0, $limit), $offset);
}

# fed: at -- begin of the document under way, seen -- how far the search for its end has come.
sub feed {
    my ($self) = @_;
    if ($self->{at}) {
        substr $self->{fed}, 0, $self->{at}, '';
        $self->{seen} -= $self->{at};
        $self->{at} = 0;
    }
    $self->{fed} .= $_[1];
    return $self;
}

sub next {
    my ($self) = @_;
    $self->{finished} = !1;
    return !1 if $self->{seen} == length $self->{fed};
    my ($used, $whole) = _extent($self->{state}, $self->{fed}, $self->{seen});
    $self->{seen} += $used;
    return !1 unless $whole;
    my $document = substr $self->{fed}, $self->{at}, $self->{seen} - $self->{at};
    $self->{at} = $self->{seen};
    return $self->_read($document);
}

sub _read {
    my ($self) = @_;
    if (!eval { $self->{data} = $self->{by}->unpack($_[1]); 1 }) {
        require Carp;
        Carp::croak(Kumihimo::_reason($@));
    }
    return $self->{finished} = !0;
}

sub is_finished { return $_[0]{finished} }
sub data { return $_[0]{data} }

sub reset {
    my ($self) = @_;
    @{$self}{qw(state kept fed at seen finished)} = ('', '', '', 0, 0, !1);
    delete $self->{data};
    return;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Kumihimo::MessagePack - MessagePack, with the interface of Data::MessagePack

=head1 SYNOPSIS

    use Kumihimo::MessagePack;

    my $msgpack = Kumihimo::MessagePack->new(utf8 => 1);
    my $bytes = $msgpack->pack({ id => 7, tags => ['a', undef] });
    my $data = $msgpack->unpack($bytes);

    # Functions, for text
    use Kumihimo::MessagePack qw(encode_msgpack decode_msgpack);
    my $bytes = encode_msgpack({ name => "caf\xe9" });
    my $data = decode_msgpack($bytes);

    # Pieces of a stream
    my $unpacker = Kumihimo::MessagePack::Unpacker->new;
    while (read $socket, my $piece, 8192) {
        $unpacker->feed($piece);
        while ($unpacker->next) { handle($unpacker->data) }
    }

=head1 DESCRIPTION

Converts Perl values to L<MessagePack|https://msgpack.org/> and back. In place of L<Data::MessagePack> the class gives the same bytes for
the same values, and the same values for the same bytes; what differs is under L</COMPATIBILITY>. Extensions and timestamps, which that
module refuses, are objects here and come back as they were.

=head1 METHODS

=head2 new

    my $msgpack = Kumihimo::MessagePack->new(%options);

An object with options: C<utf8>, C<text>, C<canonical>, C<prefer_integer>, C<core_booleans>, C<keep_order>, each true or false, and
C<max_depth>. Options that do not exist are refused. All methods below that set an option give the object, so they can be chained.

=head2 pack, encode

    my $bytes = $msgpack->pack($data);
    my $bytes = $msgpack->pack($data, $max_depth);
    my $bytes = Kumihimo::MessagePack->pack($data);

The bytes of a value. Each takes its shortest encoding; a number that is not an integer stays a double. How scalars are taken is
under L</VALUES>. C<encode> is another name.

With one argument, C<Kumihimo::MessagePack::pack($data)>, it is the function L</encode_msgpack>.

=head2 unpack, decode

    my $data = $msgpack->unpack($bytes);
    my $data = Kumihimo::MessagePack->unpack($bytes);

The one value that the bytes are. A further argument is ignored, as in L<Data::MessagePack>. C<decode> is another name. With one argument
it is the function L</decode_msgpack>.

=head2 utf8, get_utf8

    $msgpack->utf8;       # on
    $msgpack->utf8(0);    # off

With C<utf8>, C<pack> writes strings as I<str> instead of I<bin>, and C<unpack> takes a I<bin> that is UTF-8 for text, as it always does
with a I<str>. The bytes of a string are written as Perl holds them, as Data::MessagePack writes them: a string that Perl holds in
Latin-1, such as C<"caf\xe9">, becomes a I<str> that other languages cannot read. L</"text, get_text"> does better.

=head2 text, get_text

    my $msgpack = Kumihimo::MessagePack->new(text => 1);

Strings are characters: each is written as I<str>, in UTF-8, whatever its internal flag. This is what the functions do, and what new
programs want. Bytes are packed with L</Kumihimo::MessagePack::Binary>. A string with what Unicode has not (surrogates, characters beyond U+10FFFF)
is written as I<bin>.

=head2 canonical, get_canonical

Maps are written in the order of their keys, so that equal data give equal bytes.

=head2 prefer_integer, get_prefer_integer

Strings that are integers of up to 32 bits, and keys that are, are written as integers. Leading zeros are lost: C<"007"> becomes 7.

=head2 core_booleans, get_core_booleans

Perl's own true and false (C<!!1>, C<!!0>; perl 5.36 and newer) are written as booleans. Without it they are strings, C<"1"> and C<"">, as
in Data::MessagePack.

=head2 keep_order, get_keep_order

C<unpack> gives hashes that keep the order of their keys, as C<keep_order> of L<Kumihimo::JSON> does.

=head2 max_depth, get_max_depth

    $msgpack->max_depth(10_000);

How many arrays and maps may lie in each other, in both directions; 512 when not set. A limit given to L</"pack, encode"> counts before it.

=head2 boolean_values, get_boolean_values

    $msgpack->boolean_values($false, $true);
    $msgpack->boolean_values;                     # as before

What C<unpack> gives for false and true. When nothing is set these are the booleans of L<JSON::PP>.

=head2 true, false

    Kumihimo::MessagePack::true()

The booleans of L<JSON::PP>, which all JSON modules know.

=head2 prefer_float32

Croaks: a float of 32 bits would lose half of the digits of a Perl number. Floats of 32 bits that arrive are read exactly.

=head1 FUNCTIONS

Nothing is exported by default.

=head2 encode_msgpack

    my $bytes = encode_msgpack($data);

Packs with C<text> and C<core_booleans>, which is what other languages expect: strings as text, booleans as booleans.

=head2 decode_msgpack

    my $data = decode_msgpack($bytes);

Unpacks: I<str> as text, I<bin> as bytes.

=head1 VALUES

=head2 From Perl

    undef                                nil
    string                               bin; str with utf8 or text
    double                               float 64
    integer                              the shortest integer
    array reference, hash reference      array, map
    \1  \0                               true, false
    JSON::PP's, Types::Serialiser's,
    Data::MessagePack's booleans         true, false
    Kumihimo::MessagePack::Extension     ext
    Kumihimo::MessagePack::Timestamp     ext -1, in its shortest form
    Kumihimo::MessagePack::Binary        bin

A scalar that is several things at once is a string if it has text, else a double, else an integer. So a number that was used as a string is
packed as a string, as Data::MessagePack does; C<$n + 0> makes a number of it. Ties are read once per element. Objects of other
classes, code, globs and other references are refused: C<pack> croaks.

=head2 To Perl

    nil                   undef
    true, false           JSON::PP's booleans
    integers              integers, to 64 bits
    float 32, float 64    a double
    str                   characters; bytes, if it is not UTF-8
    bin                   bytes; with utf8 characters, if it is UTF-8
    ext                   Kumihimo::MessagePack::Extension
    ext -1                Kumihimo::MessagePack::Timestamp

Keys of Perl's hashes are text: numbers become their text, nil becomes C<"">, true and false C<"true"> and C<"false">. Arrays, maps and
extensions as keys are refused. Of equal keys the last one counts.

The classes below are described in L<Kumihimo::Values>.

=head2 Kumihimo::MessagePack::Extension

    my $ext = Kumihimo::MessagePack::Extension->new(5, $bytes);
    $ext->type;     # -128 to 127; MessagePack keeps the negative ones for itself
    $ext->data;

=head2 Kumihimo::MessagePack::Timestamp

    my $at = Kumihimo::MessagePack::Timestamp->new($seconds, $nanoseconds);
    $at->seconds;        # since 1970-01-01T00:00:00Z
    $at->nanoseconds;    # 0 to 999,999,999, added to them
    $at->epoch;          # both in one number, less exact

=head2 Kumihimo::MessagePack::Binary

    my $bytes = Kumihimo::MessagePack::Binary->new($jpeg);
    $bytes->bytes;

Packed as I<bin>, whatever the options. C<unpack> gives plain strings for I<bin>, not these.

=head1 STREAMS

    my $unpacker = Kumihimo::MessagePack::Unpacker->new(%options);

An unpacker takes bytes in pieces and gives one value after the other. It keeps the bytes of a value that is not whole yet, and looks at each
byte of the structure once, however small the pieces are. C<new> takes the options of L</new>.

    $unpacker->feed($bytes);       # more bytes; gives the unpacker
    $unpacker->next                # true: another value is whole
    $unpacker->data                # that value

The interface of Data::MessagePack::Unpacker is there too:

    my $offset = $unpacker->execute($bytes, $offset);
    my $offset = $unpacker->execute_limit($bytes, $offset, $limit);
    $unpacker->is_finished
    $unpacker->data
    $unpacker->reset;
    $unpacker->utf8;  $unpacker->get_utf8

C<execute> reads one value from C<$offset> on. When it is whole, C<is_finished> is true, and the result is the offset behind it, counted from the
first of the bytes that were kept. When it is not whole, the bytes are kept and the result is 0. For files and sockets C<each_document> of
L<Kumihimo> is less work.

=head1 ERRORS

Errors are exceptions, at the line of the caller. Those of C<unpack> begin with C<Kumihimo::MessagePack:> and one of C<insufficient bytes>, C<extra bytes>
and C<parse error>, then say what, at which byte, and under which path:

    Kumihimo::MessagePack: insufficient bytes: the input ends inside a value, at byte 14 ($.items[3]) at app.pl line 7.

C<pack> croaks with C<perl structure exceeds maximum nesting level> for cycles and for what is deeper than C<max_depth>.

Bytes that come as characters are refused (C<wide character>): read handles in C<:raw>. A string that is merely flagged UTF-8 is not.

=head1 COMPATIBILITY

Compared with Data::MessagePack 1.02 (XS):

=over 4

=item * Booleans that are read are JSON::PP's, not objects of Data::MessagePack::Boolean; as text they are 1 and 0. C<boolean_values> changes that.

=item * Extensions and timestamps are values; there they are an error.

=item * C<max_depth> is 512 in both directions; there C<unpack> gives up earlier.

=item * Arrays and maps as keys are an error; there they become the text of an address.

=item * A I<str> with surrogates or with characters beyond U+10FFFF, which are not UTF-8, gives bytes; there a string that is not Unicode.

=item * Bytes that come in a string flagged UTF-8 are read as the bytes they are; there as their internal form.

=item * A header that announces more values than there are bytes is an error at once; there memory is made ready for them.

=item * Objects of other modules' booleans can be packed.

=item * Texts of errors have more in them. C<$Data::MessagePack::PreferInteger> has no counterpart.

=back

=head1 LIMITS

A string, I<bin>, I<ext>, array or map has at most 4,294,967,295 bytes or values, as the format has it.

=head1 SEE ALSO

L<Kumihimo>, L<Kumihimo::Values>, L<Kumihimo::JSON>, L<Data::MessagePack>

=cut
