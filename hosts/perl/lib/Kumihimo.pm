package Kumihimo;
use 5.016;
use strict;
use warnings;

our $VERSION = '0.1.0';

require XSLoader;
XSLoader::load('Kumihimo', $VERSION);

1;

__END__

=head1 NAME

Kumihimo - JSON and MessagePack at the speed of the hardware

=head1 SYNOPSIS

    use Kumihimo::JSON qw(encode_json decode_json);

=head1 DESCRIPTION

Loads the compiled part that the distribution's other modules use.

=cut
