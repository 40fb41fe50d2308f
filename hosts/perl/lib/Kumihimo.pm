package Kumihimo;
use 5.016;
use strict;
use warnings;

our $VERSION = '0.100';

require XSLoader;
XSLoader::load('Kumihimo', $VERSION);

# Whose booleans are given out. Here, because loading a module in the middle of a document would run its code there; and when the compiled part is
# there, because Kumihimo::Instead may be waiting for this one.
require JSON::PP;

# An error without the place that perl has put behind it, to be said at another one.
sub _reason { return $_[0] =~ s/\A(.*) at .*? line [0-9]+(?:, <[^\n]*> (?:line|chunk) [0-9]+)?\.\n\z/$1/sr }

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

=encoding UTF-8

=head1 NAME

Kumihimo - JSON and MessagePack at the speed of the hardware

=head1 SYNOPSIS

    use Kumihimo;

    # A few values out of a document, without the rest
    my $ticker = Kumihimo->partial('last_price.price', 'trades[*].price');
    my ($price, $trades) = @{ $ticker->decode($json) };

    # A document that becomes Perl values where it is touched
    my $doc = Kumihimo->lazy($json);
    print $doc->{asks}[0][1];

    # One document after the other: NDJSON, concatenated JSON, MessagePack
    my $count = Kumihimo->each_document('events.ndjson', sub {
        my ($event) = @_;
        ...
    });

=head1 DESCRIPTION

This module loads the compiled part of the distribution and has the methods for what is neither encoding nor decoding of whole values. Those are in modules
of their own:

=over 4

=item L<Kumihimo::JSON>

JSON with the interface of JSON::XS; L<Kumihimo::JSON::Cpanel> with that of Cpanel::JSON::XS.

=item L<Kumihimo::MessagePack>

MessagePack with the interface of Data::MessagePack.

=item L<Kumihimo::Mojo>

All of Mojolicious' JSON made native; C<plugin 'Kumihimo'> in an application.

=back

=head1 METHODS

=head2 partial

    my $partial = Kumihimo->partial(@paths);
    my $partial = Kumihimo->partial(\@paths, %options);
    my $partial = Kumihimo->partial({ name => $path, ... }, %options);

Compiles paths; C<< $partial->decode($json) >> then gives their values. See L<Kumihimo::Partial>.

=head2 lazy

    my $doc = Kumihimo->lazy($json, %options);

Reads and checks a document without making Perl values of it. See L<Kumihimo::Lazy>.

=head2 each_document

    my $count = Kumihimo->each_document($source, sub { my ($document) = @_; ... }, %options);

Calls the sub for each document of a handle, a file or a string, and returns how many there were. See L<Kumihimo::Stream>.

=head1 SEE ALSO

L<Kumihimo::Partial>, L<Kumihimo::Lazy>, L<Kumihimo::Stream>

=cut
