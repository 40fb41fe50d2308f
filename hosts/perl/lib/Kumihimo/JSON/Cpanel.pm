package Kumihimo::JSON::Cpanel;
use 5.016;
use strict;
use warnings;

our $VERSION = '0.100';

use Kumihimo::JSON ();
use Exporter 'import';
our @ISA = ('Kumihimo::JSON');
our @EXPORT = qw(encode_json decode_json to_json from_json);
our @EXPORT_OK = (@EXPORT, qw(true false is_bool));

*true = \&Kumihimo::JSON::true;
*false = \&Kumihimo::JSON::false;

# The version of Cpanel::JSON::XS that a program would get, without loading it.
sub _installed_version {
    return $Cpanel::JSON::XS::VERSION if defined $Cpanel::JSON::XS::VERSION;
    for my $folder (grep { !ref } @INC) {
        open my $in, '<', "$folder/Cpanel/JSON/XS.pm" or next;
        while (my $line = <$in>) {
            return $1 if $line =~ /\$VERSION\s*=\s*['"]?([0-9.]+)/;
        }
        return;
    }
    return;
}

# Its answers are those of the release that is installed, or of the newest that is known.
sub _follow {
    my $release = int((_installed_version() // 4.40) * 100 + 0.5);
    # 4.38 was the first that wrote perl's own booleans as booleans.
    _as_release($release, $] >= 5.036 && $release >= 438);
    return;
}
_follow();

1;

__END__

=encoding utf8

=head1 NAME

Kumihimo::JSON::Cpanel - JSON, fast, with the rules and the interface of Cpanel::JSON::XS

=head1 SYNOPSIS

    use Kumihimo::JSON::Cpanel;

    my $bytes = encode_json { id => 7, price => 1.0 };          # {"id":7,"price":1.0}
    my $json = Kumihimo::JSON::Cpanel->new->utf8->canonical->convert_blessed;

=head1 DESCRIPTION

A subclass of L<Kumihimo::JSON>, which has all methods and describes them, under the rules of L<Cpanel::JSON::XS>. Where the two differ:

    point                           Kumihimo::JSON                   Kumihimo::JSON::Cpanel
    ------------------------------  -------------------------------  -----------------------------------
    a number that was printed       a string                         a number
    a text used as a number         a string                         a string, where number and text differ
    1.0                             1                                1.0
    "x", 7, null as a document      accepted                         refused without allow_nonref
    repeated keys                   the last counts                  refused without allow_dupkeys
    a byte order mark               an error                         accepted: UTF-8, UTF-16, UTF-32
    canonical, tied hashes          as the tie gives them            sorted
    convert_blessed, no TO_JSON     as allow_blessed                 the object's text, where "" is overloaded
    relaxed                         comments, commas, tabs           also allow_singlequote, allow_barekey,
                                                                     allow_dupkeys
    perl's own booleans             true, false                      as in the version of Cpanel::JSON::XS
                                                                     that is installed: from 4.38 on

Some answers have changed with its releases; those of the release that is installed are given, or, without one, those of the newest that is known:

    since   point
    ------  -----------------------------------------------------------------------------------------------
    4.37    C<\'> in a string, with allow_singlequote; an object's empty text is "", not null
    4.38    perl's own booleans are true and false
    4.39    half surrogate pairs in text are refused, when it is read and when it is written

Without Cpanel::JSON::XS perl's own booleans are true and false. C<core_bools> decides it.
With C<shortest_floats> 1.0 keeps its point here, and large floats have an exponent from 1e+16 on, as Python writes them.

=head1 FUNCTIONS

All four are exported by default.

=head2 encode_json

    my $bytes = encode_json $value;
    my $bytes = encode_json $value, $type;

The value as JSON in UTF-8, by the types of L<Kumihimo::JSON::Type> when they are given.

=head2 decode_json

    my $value = decode_json $bytes;
    my $value = decode_json $bytes, $allow_nonref, my $type;

The value of JSON in UTF-8. C<$type> is set to the types of the values.

=head2 to_json, from_json

The same for texts of characters. (In Cpanel::JSON::XS these names are errors.)

=head2 true, false

JSON::PP's booleans.

=head2 is_bool

Whether a value is an object of JSON::PP's booleans and their kin; perl's own are none here.

=head1 METHODS

=head2 new

    my $json = Kumihimo::JSON::Cpanel->new;

An object with this module's defaults: allow_nonref and allow_dupkeys are off. All other methods are L<Kumihimo::JSON>'s.

=head1 COMPATIBILITY

From Cpanel::JSON::XS these differ, on purpose, besides what L<Kumihimo::JSON/COMPATIBILITY> lists:

=over

=item *

Big numbers that are none (C<< Math::BigInt->new('NaN') >>) are null or strings, never bare.

=item *

relaxed does not accept UTF-8 beyond Unicode.

=item *

C<sort_by> calls the sub that it is given.

=item *

The class JSON::PP::Boolean stays as JSON::PP has made it. Cpanel::JSON::XS gives it operators of its own (C<eq 'true'>).

=back

=head1 SEE ALSO

L<Kumihimo::JSON>, L<Kumihimo::JSON::Type>, L<Cpanel::JSON::XS>

=cut
