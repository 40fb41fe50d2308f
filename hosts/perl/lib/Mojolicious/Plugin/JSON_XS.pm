package Mojolicious::Plugin::JSON_XS;
use Mojo::Base 'Mojolicious::Plugin::Kumihimo';

our $VERSION = '0.100';

1;

__END__

=head1 NAME

Mojolicious::Plugin::JSON_XS - another name for Mojolicious::Plugin::Kumihimo

=head1 SYNOPSIS

    plugin 'JSON_XS';

=head1 DESCRIPTION

L<Mojolicious::Plugin::Kumihimo> under the name by which a native JSON plugin for Mojolicious has long been looked for. Everything is inherited: options,
behaviour and methods. It does not use L<JSON::XS>.

=head1 SEE ALSO

L<Mojolicious::Plugin::Kumihimo>, L<Kumihimo::Mojo>.

=cut
