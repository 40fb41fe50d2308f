package Traces;

# The files of tests/vectors and their notation: the trace of a Perl value, what a value's trace is here, and the value that a
# trace says.
use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Find ();
use Math::BigFloat ();
use Math::BigInt ();

use Kumihimo ();
use Kumihimo::JSON ();
use Kumihimo::MessagePack ();

our @EXPORT_OK = qw($FOLDER $DEPTH %HELD %ASKED slurp beside files name_of trace expected value_in built);
our $FOLDER = dirname(__FILE__) . '/../../../../tests/vectors';
our $DEPTH = 1024;

sub slurp { my ($file) = @_; open my $in, '<:raw', $file or die "$file: $!"; local $/; return readline($in) // '' }
# The file whose name ends otherwise.
sub beside { my ($file, $ending) = @_; return $file =~ s/\.[^.\/]*$/$ending/r }
sub files {
    my ($folder, $ending) = @_;
    my @found;
    File::Find::find({ no_chdir => 1, wanted => sub { push @found, $_ if -f && /\Q$ending\E$/ } }, "$FOLDER/$folder");
    return sort @found;
}
sub name_of { my ($file) = @_; return $file =~ s/^\Q$FOLDER\E\///r =~ s/\.[^.\/]*$//r }

# What Perl's values hold otherwise than a trace says, by name; empty where there is no such value.
our %HELD = -e "$FOLDER/held/perl" ? map { my ($name, $trace) = split /\n/, $_, 2; ($name => ($trace // '') =~ s/(?<=.)\n*\z/\n/sr) } grep { !/^#/ } split /^= /m, slurp("$FOLDER/held/perl") : ();
our %ASKED;    # of those

# What the trace of the file's value is here.
sub expected {
    my ($file) = @_;
    my $trace = beside($file, '.trace');
    $ASKED{ name_of($trace) }++;
    return $HELD{ name_of($trace) } // slurp($trace);
}
# What the walk of dump says of a value.
sub trace { my ($value) = @_; return Kumihimo::_trace($value, 2 * $DEPTH) }

{
    # A hash with its keys in the order in which they came.
    package Traces::Ordered;
    sub TIEHASH { return bless { keys => [], values => {} }, $_[0] }
    sub STORE { my ($self, $key, $value) = @_; push @{ $self->{keys} }, $key unless exists $self->{values}{$key}; $self->{values}{$key} = $value; return }
    sub FETCH { return $_[0]{values}{ $_[1] } }
    sub EXISTS { return exists $_[0]{values}{ $_[1] } }
    sub FIRSTKEY { my ($self) = @_; $self->{at} = 0; return $self->NEXTKEY }
    sub NEXTKEY { my ($self) = @_; return $self->{keys}[ $self->{at}++ ] }
    sub SCALAR { return scalar @{ $_[0]{keys} } }
}

# Characters where the text is Unicode, else its bytes.
sub unquoted {
    my ($quoted) = @_;
    my $text = substr($quoted, 1, -1) =~ s/\\(?:u\{([0-9a-f]+)\}|x([0-9a-f]{2})|(.))/my $c = defined $1 ? chr hex $1 : defined $2 ? chr hex $2 : $3; utf8::encode($c) unless defined $2; $c/ger;
    utf8::decode($text);
    return $text;
}

my %SCALAR = (
    null => sub { return undef },    ## no critic (Subroutines::ProhibitExplicitReturnUndef)
    boolean => sub { return $_[0] eq 'true' ? Kumihimo::JSON::true() : Kumihimo::JSON::false() },
    i64 => sub { return 0 + $_[0] },
    u64 => sub { return 0 + $_[0] },
    f64 => sub { return unpack 'd>', pack 'H*', substr $_[0], 2, 16 },
    big => sub { return $_[0] =~ /[.eE]/ ? Math::BigFloat->new($_[0]) : Math::BigInt->new($_[0]) },
    str => sub { return unquoted($_[0]) },
    bin => sub { return Kumihimo::MessagePack::Binary->new(pack 'H*', substr $_[0], 2) },
    ext => sub { return Kumihimo::MessagePack::Extension->new($_[0] =~ /^(\S+)/, pack 'H*', $_[0] =~ s/.* 0x//r) },
    time => sub { my ($kind, $seconds, $nanoseconds, $offset) = split ' ', $_[0]; return Kumihimo::MessagePack::Timestamp->new($seconds, $nanoseconds, kind => $kind, offset => $offset) },
);
# The value of a trace, line by line; nothing for an end. Dies of what is no value in Perl.
sub built {
    my ($lines, $line) = @_;
    my ($verb, $rest) = split ' ', $line // shift @$lines, 2;
    return if $verb eq 'end';
    return $SCALAR{$verb}->($rest) if $SCALAR{$verb};
    if ($verb eq 'array') {
        my @list;
        while (my ($value) = built($lines)) { push @list, $value }
        return \@list;
    }
    tie my %map, 'Traces::Ordered';
    while ((my $next = shift @$lines) ne 'end') {
        my $key = $next =~ /^key (.*)/ ? unquoted($1) : key($lines);
        ($map{$key}) = built($lines);
    }
    return \%map;
}
# What is no text as it becomes a key in Perl.
sub key {
    my ($lines) = @_;
    my $boolean = $lines->[0] =~ /^boolean (.*)/ ? $1 : undef;
    my $key = built($lines);
    die "no key\n" if ref($key) =~ /^(?:ARRAY|HASH|.*::Extension|.*::Timestamp)$/;
    return $boolean // (ref($key) =~ /::Binary$/ ? $key->bytes : $key // '');
}
sub value_in { my ($file) = @_; return built([split /\n/, slurp($file)]) }

1;
