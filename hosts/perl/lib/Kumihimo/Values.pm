package Kumihimo::Values;
use 5.016;
use strict;
use warnings;

package
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

my %KIND = map { $_ => 1 } qw(utc offset local date naive);

sub new {
    my ($class, $seconds, $nanoseconds, %clock) = @_;
    $nanoseconds //= 0;
    if ($nanoseconds < 0 || $nanoseconds > 999_999_999) {
        require Carp;
        Carp::croak("a timestamp's nanoseconds are 0 to 999999999, not $nanoseconds");
    }
    my $self = bless { seconds => int $seconds, nanoseconds => int $nanoseconds }, $class;
    return $self unless %clock;
    my ($kind, $offset) = (delete $clock{kind} // 'offset', delete $clock{offset} // 0);
    if (!$KIND{$kind} || %clock) {
        require Carp;
        Carp::croak(%clock ? (sort keys %clock)[0] . ' is no option of a timestamp: kind, offset' : "a timestamp's kind is utc, offset, local, date or naive, not $kind");
    }
    @{$self}{qw(kind offset)} = ($kind, int $offset);
    return $self;
}
sub seconds { return $_[0]{seconds} }
sub nanoseconds { return $_[0]{nanoseconds} }
sub kind { return $_[0]{kind} // 'utc' }
sub offset { return $_[0]{offset} // 0 }
sub epoch { my ($self) = @_; return $self->{nanoseconds} ? $self->{seconds} + $self->{nanoseconds} / 1e9 : $self->{seconds} }

package
    Kumihimo::MessagePack::Binary;

sub new { my ($class, $bytes) = @_; return bless \$bytes, $class }
sub bytes { return ${ $_[0] } }

1;

__END__

=encoding UTF-8

=head1 NAME

Kumihimo::Values - the values of documents that Perl has no kind of its own for

=head1 SYNOPSIS

    use Kumihimo qw(dump load);

    my $document = dump({
        at => Kumihimo::MessagePack::Timestamp->new(time),
        jpeg => Kumihimo::MessagePack::Binary->new($bytes),
        of_ours => Kumihimo::MessagePack::Extension->new(5, $bytes),
    }, 'msgpack');
    print load($document)->{at}->epoch;

=head1 DESCRIPTION

Formats have moments, bytes and extensions; Perl has texts and numbers. L<Kumihimo> and L<Kumihimo::MessagePack> write these objects as what they
say, in every format that has it, and give them for what they read. Their classes are named for the first format that had them.

=head2 Kumihimo::MessagePack::Timestamp

    my $at = Kumihimo::MessagePack::Timestamp->new($seconds, $nanoseconds);
    my $at = Kumihimo::MessagePack::Timestamp->new($seconds, $nanoseconds, kind => 'offset', offset => 32400);
    $at->seconds;        # since 1970-01-01T00:00:00Z
    $at->nanoseconds;    # 0 to 999,999,999, added to them
    $at->epoch;          # both in one number, less exact
    $at->kind;           # utc, offset, local, date or naive
    $at->offset;         # seconds east of UTC

A moment, and the clock that told it: C<utc>; C<offset>, a fixed offset from UTC; C<local>, the zone of a process, with the offset it had; C<date>, a day
without a time, whose seconds are its midnight; C<naive>, a reading without a zone, whose seconds count as if it were UTC.

=head2 Kumihimo::MessagePack::Extension

    my $ext = Kumihimo::MessagePack::Extension->new(5, $bytes);
    $ext->type;
    $ext->data;

Bytes of a type of somebody's own: -128 to 127 in MessagePack.

=head2 Kumihimo::MessagePack::Binary

    my $binary = Kumihimo::MessagePack::Binary->new($jpeg);
    $binary->bytes;

Bytes that are not text. Reading gives plain strings for them, unless C<keep_binary> is asked for.

=head1 SEE ALSO

L<Kumihimo>, L<Kumihimo::MessagePack>

=cut
