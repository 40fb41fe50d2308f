package Kumihimo::JSON;
use 5.016;
use strict;
use warnings;

our $VERSION = '0.1.0';

use Exporter 'import';
our @EXPORT = qw(encode_json decode_json);
our @EXPORT_OK = qw(encode_json decode_json to_json from_json true false is_bool);

require Kumihimo;

1;

__END__

=head1 NAME

Kumihimo::JSON - JSON, with the interface of JSON::XS

=cut
