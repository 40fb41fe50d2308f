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

package    # the values that Perl has no own kind for
    Kumihimo::MessagePack::Extension;

sub new {
    my ($class, $type, $data) = @_;
    if ($type !~ /\A-?[0-9]+\z/ || $type < -128 || $type > 127) {
        require Carp;
        Carp::croak("an extension's type is -128 to 127, not $type");
    }
    return bless { type => $type + 0, data => $data }, $class;
}
sub type { return $_[0]{type} }
sub data { return $_[0]{data} }

package
    Kumihimo::MessagePack::Timestamp;

sub new {
    my ($class, $seconds, $nanoseconds) = @_;
    $nanoseconds //= 0;
    if ($nanoseconds < 0 || $nanoseconds > 999_999_999) {
        require Carp;
        Carp::croak("a timestamp's nanoseconds are 0 to 999999999, not $nanoseconds");
    }
    return bless { seconds => int $seconds, nanoseconds => int $nanoseconds }, $class;
}
sub seconds { return $_[0]{seconds} }
sub nanoseconds { return $_[0]{nanoseconds} }
sub epoch { my ($self) = @_; return $self->{nanoseconds} ? $self->{seconds} + $self->{nanoseconds} / 1e9 : $self->{seconds} }

package
    Kumihimo::MessagePack::Binary;

sub new { my ($class, $bytes) = @_; return bless \$bytes, $class }
sub bytes { return ${ $_[0] } }

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
    $self->{data} = $self->{by}->unpack($document);
    $self->{finished} = !0;
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
    $self->{data} = $self->{by}->unpack($document);
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
