package Kumihimo::Instead::PP;

use 5.016;
use strict;
use warnings;

our $VERSION = '0.100';

use Kumihimo::JSON ();

# Options whose texts are read by JSON::PP itself, and where it keeps them.
my @LEFT = qw(relaxed loose allow_bignum allow_barekey allow_singlequote allow_tags);
my %READERS;      # by what counts for reading: one of ours each
my %told;
my ($stock, $left, $utf8, $nonref);

# Whether this JSON::PP is made as those that are known.
sub install {
    my ($class) = @_;
    return 1 if $stock;
    my @missing = grep { !JSON::PP->can($_) } qw(PP_decode_json P_UTF8 P_ALLOW_NONREF), map { 'P_' . uc } @LEFT;
    return 0 if @missing;
    $left = [map { JSON::PP->can('P_' . uc)->() } @LEFT];
    ($utf8, $nonref) = (JSON::PP::P_UTF8(), JSON::PP::P_ALLOW_NONREF());
    $stock = \&JSON::PP::PP_decode_json;
    no warnings 'redefine';
    *JSON::PP::PP_decode_json = \&_decode;
    return 1;
}

sub undo {
    my ($class) = @_;
    return unless $stock;
    no warnings 'redefine';
    *JSON::PP::PP_decode_json = $stock;
    undef $stock;
    return;
}

# Ours where it gives what JSON::PP would. Whatever it refuses JSON::PP reads again: it may accept it, and says in its own words why not. An object may
# be a hash that somebody else has blessed.
sub _decode {
    my ($self, undef, $want_offset) = @_;
    my $theirs = $stock // \&JSON::PP::PP_decode_json;
    goto &$theirs if $want_offset || !defined $_[1] || ref $_[1] || ref $self->{PROPS} ne 'ARRAY';
    my $props = $self->{PROPS};
    my @kept = ((map { $props->[ $left->[$_] ] ? $LEFT[$_] : () } 0 .. $#LEFT), $self->{F_HOOK} ? 'filters' : (), exists $self->{true} ? 'boolean_values' : ());
    if (@kept) {
        $told{$_}++ or warn "Kumihimo::Instead: $_ is not stood in for: JSON::PP itself reads with it\n" for @kept;
        goto &$theirs;
    }
    # How many digits an integer has until it is a string, JSON::PP decides by their number; and the last bits of a float are perl's own there.
    goto &$theirs if $_[1] =~ /[0-9][.eE]|[0-9]{18}/;
    my ($depth, $size) = @{$self}{qw(max_depth max_size)};
    my $key = join ' ', map { $_ // 0 } $props->[$utf8] ? 1 : 0, $props->[$nonref] ? 1 : 0, $depth, $size;
    %READERS = () if !$READERS{$key} && keys %READERS > 100;
    my ($fine, $value);
    {
        local ($@, $SIG{__DIE__});
        $fine = eval {
            my $reader = $READERS{$key} //= Kumihimo::JSON->new->utf8($props->[$utf8] ? 1 : 0)->allow_nonref($props->[$nonref] ? 1 : 0)
                ->max_depth($depth)->max_size(($size // 0) > 1 ? $size : 0);
            $value = $reader->decode(my $text = $_[1]);
            1;
        };
    }
    return $value if $fine;
    goto &$theirs;
}

1;

__END__

=encoding utf8

=head1 NAME

Kumihimo::Instead::PP - what of JSON::PP Kumihimo does

=head1 SYNOPSIS

    use Kumihimo::Instead qw(JSON::PP);

=head1 DESCRIPTION

L<Kumihimo::Instead> uses this. Objects stay JSON::PP's own hashes, with its methods, and C<encode> stays its own too: what it takes for a number is
decided by perl's operators, and there is no such rule here. C<decode> and C<decode_json> are ours, in the cases where both are known to
answer alike:

    a text                                    is read by
    ----------------------------------------  ---------------------------------------------------
    that is JSON                              Kumihimo
    with a fraction, an exponent, or          JSON::PP: the last bits of its floats are perl's, and
    18 digits in a row                        its long integers are strings
    that Kumihimo refuses                     JSON::PP, which may accept it or says why not
    with the options relaxed, loose,          JSON::PP, with one warning for each option
    allow_bignum, allow_barekey,
    allow_singlequote, allow_tags,
    boolean_values, and with filters
    by decode_prefix, incr_parse              JSON::PP

=head1 METHODS

=head2 install

Replaces; false when this JSON::PP is not made as those that are known, and nothing is replaced.

=head2 undo

JSON::PP as it was.

=head1 SEE ALSO

L<Kumihimo::Instead>, L<JSON::PP>

=cut
