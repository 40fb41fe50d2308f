package Kumihimo::Mojo::Stock;

# Compiles the copy. First in this file, so that nothing of ours is in its sight.
sub _compile { return eval $_[0] }    ## no critic (BuiltinFunctions::ProhibitStringyEval)

use 5.016;
use strict;
use warnings;

our $VERSION = '0.100';

my %copies;    # profile => the package that has a copy of Mojo::JSON

sub function {
    my ($class, $name, $profile) = @_;
    $copies{$profile} //= _copy($profile) // return;
    no strict 'refs';
    return \&{"$copies{$profile}::$name"};
}

# The same source for the other backend, or for the same one: which it is, is asked of the environment while it compiles.
sub _copy {
    my ($profile) = @_;
    my $package = __PACKAGE__ . '::' . ucfirst $profile;
    my $file = $INC{'Mojo/JSON.pm'};
    my $source;
    if (open my $in, '<', $file) {
        local $/;
        $source = readline $in;
    }
    else {
        return _cannot("$file cannot be read ($!)");
    }
    $source =~ s/^package Mojo::JSON;/package $package;/m or return _cannot("$file does not begin with package Mojo::JSON");
    local $ENV{MOJO_NO_JSON_XS} = $profile eq 'pure' ? 1 : 0;
    _compile(qq{#line 1 "$file"\n$source}) or return _cannot("$file does not compile as a copy: $@");
    return _cannot('Cpanel::JSON::XS is not installed, or is older than this Mojo::JSON wants it') if $profile eq 'cpanel' && !$package->JSON_XS;
    return $package;
}

sub _cannot {
    my ($reason) = @_;
    $@ = "there are no stock functions to be had: $reason";
    return;
}

1;

__END__

=head1 NAME

Kumihimo::Mojo::Stock - a copy of Mojo::JSON's functions that is never replaced

=head1 SYNOPSIS

    my $encode = Kumihimo::Mojo->stock('encode_json', 'pure');

=head1 DESCRIPTION

What L<Kumihimo::Mojo/stock> gives. The functions are compiled from the file of the L<Mojo::JSON> that is loaded, under another package, once for
each backend. The functions that L<Kumihimo::Mojo/uninstall> puts back are in this package.

=head1 METHODS

=head2 function

    my $code = Kumihimo::Mojo::Stock->function('encode_json', 'pure');

The function of that name with that backend (C<cpanel> or C<pure>). Undefined when there is none, with the reason in C<$@>.

=head1 SEE ALSO

L<Kumihimo::Mojo>.

=cut
