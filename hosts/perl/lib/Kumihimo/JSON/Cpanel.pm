package Kumihimo::JSON::Cpanel;
use 5.016;
use strict;
use warnings;

our $VERSION = '0.1.0';

use Kumihimo::JSON ();
use Exporter 'import';
our @ISA = ('Kumihimo::JSON');
our @EXPORT = qw(encode_json decode_json to_json from_json);
our @EXPORT_OK = (@EXPORT, qw(true false is_bool));

*true = \&Kumihimo::JSON::true;
*false = \&Kumihimo::JSON::false;

1;

__END__

=head1 NAME

Kumihimo::JSON::Cpanel - JSON, with the rules and the interface of Cpanel::JSON::XS

=cut
