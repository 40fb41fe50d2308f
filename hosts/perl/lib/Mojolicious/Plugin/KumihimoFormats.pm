package Mojolicious::Plugin::KumihimoFormats;
use Mojo::Base 'Mojolicious::Plugin';

use Carp ();
use Kumihimo ();
use Mojo::JSON::Pointer ();
use Mojo::Message ();
use Mojo::Util qw(monkey_patch);

our $VERSION = '0.100';

# All of them read the table of formats; none is named here.
sub register {
    my ($self, $app, $options) = @_;
    my @formats = _wanted($options // {});
    $app->types->type($_->{name} => $_->{media_types}) for @formats;
    my @names = map { $_->{name} } @formats;
    $app->hook(before_render => sub {
        my ($c, $args) = @_;
        my ($from, $name) = _to_render($c->stash, $args, \@names) or return;
        # Taken out first: where it cannot be written, the page that says so is not it again.
        $args->{data} = Kumihimo::dump(delete $from->{$name}, $name);
        $args->{format} = $name;
    });
    $self->add_generators($app->ua, @names);
    monkey_patch 'Mojo::Message', data => \&_data unless Mojo::Message->can('data');
    return \@names;
}

sub add_generators {
    my ($class, $ua, @names) = @_;
    for my $format (_wanted(@names ? { formats => \@names } : {})) {
        my ($name, $type) = ($format->{name}, $format->{media_types}[0]);
        $ua->transactor->add_generator($name => sub {
            my ($transactor, $tx, $value) = @_;
            my $headers = $tx->req->body(Kumihimo::dump($value, $name))->headers;
            $headers->content_type($type) unless $headers->content_type;
            return $tx;
        });
    }
    return $ua;
}

# The rows of the table that were asked for; by default those that are no text, since JSON is Mojolicious' own.
sub _wanted {
    my ($options) = @_;
    my @rows = Kumihimo::formats();
    for my $name (sort keys %$options) { Carp::croak("KumihimoFormats: there is no option $name; there is: formats") if $name ne 'formats' }
    my $names = $options->{formats} or return grep { !$_->{text} } @rows;
    my %rows = map { ($_->{name} => $_) } grep { !$_->{text} } @rows;
    return map { $rows{$_} // Carp::croak("KumihimoFormats: there is no format $_; there are: @{[sort keys %rows]}") } @$names;
}

# Where the value to render is, and its name: among the arguments, or in the stash as "json" may be. There it comes
# after Mojolicious' own, and after a template that the call names: error pages are such calls.
sub _to_render {
    my ($stash, $args, $names) = @_;
    for my $name (@$names) { return ($args, $name) if exists $args->{$name} }
    return if grep { exists $args->{$_} } qw(data text json template inline);
    return if defined $stash->{data} || defined $stash->{text} || exists $stash->{json};
    for my $name (@$names) { return ($stash, $name) if exists $stash->{$name} }
    return;
}

# A message's document by its Content-Type; undef where that names no format, or the body is none of it.
sub _data {
    my ($self, $pointer) = @_;
    return undef if $self->content->is_multipart;    ## no critic (Subroutines::ProhibitExplicitReturnUndef)
    my ($type) = ($self->headers->content_type // '') =~ m{\A\s*([^\s;]+)} or return undef;    ## no critic (Subroutines::ProhibitExplicitReturnUndef)
    my ($format) = grep { _is($_, lc $type) } Kumihimo::formats();
    return undef unless $format;    ## no critic (Subroutines::ProhibitExplicitReturnUndef)
    return $self->json($pointer // ()) if $format->{text};
    my $kept = $self->{kumihimo_data} //= [_document($self->body, $format->{name})];
    return $pointer ? Mojo::JSON::Pointer->new($kept->[0])->get($pointer) : $kept->[0];
}
# What Mojolicious has decompressed by its Content-Encoding is a document, and what it has left compressed is none: its
# limits hold for what comes in.
sub _document {
    my ($body, $format) = @_;
    return Kumihimo::_framed($body) ? undef : scalar eval { Kumihimo::load($body, $format) };
}
sub _is {
    my ($format, $type) = @_;
    return 1 if grep { $_ eq $type } @{ $format->{media_types} };
    return $type =~ /\+\Q$format->{name}\E\z/;    # application/problem+cbor
}

1;

__END__

=encoding UTF-8

=head1 NAME

Mojolicious::Plugin::KumihimoFormats - MessagePack, CBOR and the other formats for requests and responses

=head1 SYNOPSIS

    use Mojolicious::Lite -signatures;
    plugin 'KumihimoFormats';

    get '/price' => sub ($c) {
        my $value = {price => 107_925.5};
        $c->respond_to(json => {json => $value}, cbor => {cbor => $value}, msgpack => {msgpack => $value});
    };
    post '/ticks' => sub ($c) {
        my $ticks = $c->req->data or return $c->render(json => {error => 'no document'}, status => 400);
        $c->render(cbor => {count => scalar @$ticks});
    };
    app->start;

=head1 DESCRIPTION

For every format of L<Kumihimo/formats> that is no text, by its name:

=over

=item *

C<render(cbor =E<gt> $value)> renders a document and sets its media type. As C<json> may, the value may also be in the
stash, C<< $c->stash(cbor => $value) >>, or be a route's default: C<< get '/price' => {cbor => $value} >>. C<data>,
C<text> and C<json> in the stash come before it, and so does a template that the call to C<render> names. The name is
reserved then: a stash value of an application's own needs another one, or C<formats> leaves the format out.

=item *

C<respond_to(cbor =E<gt> {cbor =E<gt> $value}, ...)> and C<accepts> know its media types and the ending C<.cbor>, if C<detect> does.

=item *

The application's user agent sends it: C<< app->ua->post($url => cbor => $value) >>. For another one, call L</add_generators>.

=back

And for all of them, JSON included, L</data>.

=head1 OPTIONS

    plugin KumihimoFormats => {formats => ['cbor']};

=head2 formats

Names of formats; by default all that are no text.

=head1 METHODS

=head2 register

    my $names = $plugin->register($app, \%options);

Registers the plugin in a L<Mojolicious> application and returns the formats' names.

=head2 add_generators

    Mojolicious::Plugin::KumihimoFormats->add_generators($ua);
    Mojolicious::Plugin::KumihimoFormats->add_generators($ua, 'cbor');

Lets a L<Mojo::UserAgent> send these formats (all of them by default), and returns it.

=head1 METHODS OF MESSAGES

=head2 data

    my $value = $c->req->data;
    my $price = $tx->res->data('/last/price');

The document in the body of a L<Mojo::Message>, of the format that its C<Content-Type> says
(C<application/problem+cbor>, too), or what a JSON Pointer finds in it. Undefined where the type is none of a format, or
where the body is no valid document, as with L<Mojo::Message/json>, which it is for JSON. It is decoded once.

C<Content-Encoding> is Mojolicious' affair: it decompresses responses in gzip, and requests where
L<Mojo::Content/auto_decompress> says so, within its limits. A body that it leaves compressed is no document.

=head1 SEE ALSO

L<Kumihimo>, L<Mojolicious::Plugin::Kumihimo>, L<Mojolicious>.

=cut
