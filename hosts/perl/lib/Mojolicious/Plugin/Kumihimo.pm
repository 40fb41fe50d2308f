package Mojolicious::Plugin::Kumihimo;
use Mojo::Base 'Mojolicious::Plugin';

use Kumihimo::Mojo ();

our $VERSION = '0.100';

sub register {
    my ($self, $app, $options) = @_;
    Kumihimo::Mojo->install(%{ $options // {} });
    $app->log->debug(Kumihimo::Mojo->description);
    return Kumihimo::Mojo->installed;
}

1;

__END__

=head1 NAME

Mojolicious::Plugin::Kumihimo - all of an application's JSON native

=head1 SYNOPSIS

    # Mojolicious::Lite
    use Mojolicious::Lite -signatures;
    plugin 'Kumihimo';

    get '/' => sub ($c) { $c->render(json => {hello => 'world'}) };
    app->start;

    # Mojolicious
    sub startup ($self) {
        $self->plugin('Kumihimo');
    }

=head1 DESCRIPTION

Replaces the functions of L<Mojo::JSON> by native ones with the same answers, wherever they are used: responses, requests,
WebSockets, the user agent, sessions, your own code. One line in the log (level C<debug>) says what was replaced.

Where the plugin is registered does not matter: what has been imported or compiled before follows. It concerns the whole process.

What it is worth depends on the documents. In a request with a small body, JSON is a few per cent of the work, and stays so with any
encoder; for large bodies it is most of it.

=head1 OPTIONS

    plugin Kumihimo => {profile => 'pure', scope => 'renderer', messages => 'clear'};

They are described in L<Kumihimo::Mojo/OPTIONS>. An option that is not given keeps what holds already, for example by C<PERL5OPT=-MKumihimo::Mojo=messages,clear>.

=head1 METHODS

=head2 register

    my $what = $plugin->register($app, \%options);

Registers the plugin in a L<Mojolicious> application and returns what L<Kumihimo::Mojo/installed> says. Can be repeated.

=head1 SEE ALSO

L<Kumihimo::Mojo>, L<Kumihimo::Mojo::Differences>, L<Mojolicious>.

=cut
