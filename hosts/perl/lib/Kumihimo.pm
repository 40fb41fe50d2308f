package Kumihimo;
use 5.016;
use strict;
use warnings;

our $VERSION = '0.1.0';

require XSLoader;
XSLoader::load('Kumihimo', $VERSION);

sub partial {
    my ($class, @arguments) = @_;
    require Kumihimo::Partial;
    return Kumihimo::Partial->new(@arguments);
}

sub lazy {
    my ($class, $json, %options) = @_;
    require Kumihimo::Lazy;
    return Kumihimo::Lazy->new($json, %options);
}

sub each_document {
    my ($class, $source, $code, %options) = @_;
    require Kumihimo::Stream;
    return Kumihimo::Stream->new($source, %options)->each($code);
}

1;

__END__

=head1 NAME

Kumihimo - JSON and MessagePack at the speed of the hardware

=head1 SYNOPSIS

    use Kumihimo::JSON qw(encode_json decode_json);

=head1 DESCRIPTION

Loads the compiled part that the distribution's other modules use.

=cut
