# Mojolicious with the formats of the table: rendering, negotiation, requests, the user agent.
use strict;
use warnings;
use lib 't/lib';

use MojoPair qw(need_mojolicious);
use Test::More;

BEGIN { need_mojolicious() }
use Kumihimo ();
use Mojo::JSON ();
use Mojo::Util ();
use Mojolicious::Lite;
use Mojolicious::Plugin::KumihimoFormats;
use Test::Mojo;

my @FORMATS = grep { !$_->{text} } Kumihimo::formats();
my @NAMES = map { $_->{name} } @FORMATS;
my $VALUE = { price => 1.5, list => [1, undef, "caf\xe9", \1], map => { a => [] } };
my $READ = { %$VALUE, list => [1, undef, "caf\xe9", Mojo::JSON::true()] };

is_deeply plugin('KumihimoFormats'), \@NAMES, 'all that are no text';
app->log->level('fatal');
for my $name (@NAMES) {
    get "/render/$name" => sub { $_[0]->render($name => $VALUE) };
    get "/undef/$name" => sub { $_[0]->render($name => undef, status => 201) };
}
for my $name (@NAMES) {
    get "/stash/$name" => sub { $_[0]->stash($name => $VALUE); $_[0]->render(status => 202) };
    get "/default/$name" => { $name => $VALUE };
    get "/auto/$name" => sub { $_[0]->stash($name => $VALUE) };
    get "/argument/$name" => sub { $_[0]->stash($name => [1], text => 'text'); $_[0]->render($name => $VALUE) };
    for my $own (qw(data text json)) {
        get "/$own/$name" => sub { $_[0]->stash($name => $VALUE, $own => '7'); $_[0]->render };
        get "/argument/$own/$name" => sub { $_[0]->stash($name => $VALUE); $_[0]->render($own => '7') };
    }
    get "/template/$name" => sub { $_[0]->stash($name => $VALUE); $_[0]->render(inline => 'inline') };
    get "/string/$name" => sub {
        my ($c) = @_;
        my $first = $c->stash($name => $VALUE)->render_to_string;
        my $second = $c->render_to_string($name => $VALUE);
        $c->render(json => { same => $first eq $second ? 1 : 0, left => exists $c->stash->{$name} ? 1 : 0, right => $first eq Kumihimo::dump($VALUE, $name) ? 1 : 0 });
    };
    get "/dies/$name" => sub { $_[0]->stash($name => $VALUE); die "no luck\n" };
    get "/unwritable/$name" => sub { $_[0]->stash($name => [sub { }]); $_[0]->render };
    get "/long/$name" => sub { $_[0]->render($name => { text => 'x' x 5000 }) };
}
get '/negotiated' => sub {
    my ($c) = @_;
    $c->respond_to(json => { json => $VALUE }, (map { ($_ => { $_ => $VALUE }) } @NAMES), any => { text => 'none', status => 406 });
};
post '/echo' => sub {
    my ($c) = @_;
    my $data = $c->req->data;
    return $c->render(text => 'no document', status => 400) unless defined $data;
    $c->render(json => { data => $data, again => $c->req->data('/list/0') });
};

my $t = Test::Mojo->new;
is(Mojolicious::Plugin::KumihimoFormats->add_generators($t->ua), $t->ua, 'a user agent of its own');
for my $format (@FORMATS) {
    my ($name, $type) = ($format->{name}, $format->{media_types}[0]);
    $t->get_ok("/render/$name")->status_is(200)->header_is('Content-Type' => $type);
    is $t->tx->res->body, Kumihimo::dump($VALUE, $name), "$name: its bytes" if $name;
    is_deeply $t->tx->res->data, Kumihimo::load($t->tx->res->body, $name), "$name: as data";
    is $t->tx->res->data('/list/2'), "caf\xe9", "$name: by a pointer";
    $t->get_ok("/undef/$name")->status_is(201)->content_is(Kumihimo::dump(undef, $name));
    for my $accepted (@{ $format->{media_types} }) {
        $t->get_ok('/negotiated' => { Accept => $accepted })->status_is(200)->header_is('Content-Type' => $type);
        $t->post_ok('/echo' => { 'Content-Type' => uc "$accepted; q=1" } => Kumihimo::dump($VALUE, $name))->status_is(200)->json_is('/data/price' => 1.5)->json_is('/again' => 1);
    }
    $t->post_ok('/echo' => { 'Content-Type' => "application/problem+$name" } => Kumihimo::dump([7], $name))->json_is('/data' => [7]);
    $t->post_ok('/echo' => $name => $VALUE)->status_is(200)->json_is('/data/list/1' => undef)->json_is('/data/list/3' => Mojo::JSON::true());
    is $t->tx->req->headers->content_type, $type, "$name: sent with its type";
    $t->post_ok('/echo' => { 'Content-Type' => 'application/x-mine' } => $name => $VALUE)->status_is(400);
    $t->post_ok('/echo' => { 'Content-Type' => $type } => substr Kumihimo::dump($VALUE, $name), 0, -1)->status_is(400);
    $t->post_ok('/echo' => { 'Content-Type' => $type } => '')->status_is(400);
}
# Out of the stash, as "json" is.
for my $format (@FORMATS) {
    my ($name, $type) = ($format->{name}, $format->{media_types}[0]);
    my $bytes = Kumihimo::dump($VALUE, $name);
    $t->get_ok("/stash/$name")->status_is(202)->header_is('Content-Type' => $type)->content_is($bytes, "$name: from the stash");
    $t->get_ok("/$_/$name")->status_is(200)->header_is('Content-Type' => $type)->content_is($bytes, "$name: $_") for qw(default auto argument);
    for my $own (qw(data text json)) {
        $t->get_ok("/$own/$name")->status_is(200)->content_is($own eq 'json' ? '"7"' : '7', "$own before $name");
        $t->get_ok("/argument/$own/$name")->status_is(200)->content_is($own eq 'json' ? '"7"' : '7', "an argument $own before a stashed $name");
    }
    $t->get_ok("/template/$name")->status_is(200)->content_is("inline\n", 'a template that is named');
    $t->get_ok("/string/$name")->json_is('/same' => 1)->json_is('/left' => 0)->json_is('/right' => 1, 'to a string');
    $t->get_ok("/dies/$name")->status_is(500)->content_type_like(qr{^text/html}, 'an error is a page');
    $t->get_ok("/unwritable/$name")->status_is(500)->content_type_like(qr{^text/html}, 'and so is what cannot be written');
}

# Compression is Mojolicious' own: what it decompresses is a document, what it leaves is none.
for my $format (@FORMATS) {
    my ($name, $type) = ($format->{name}, $format->{media_types}[0]);
    my $bytes = Kumihimo::dump($VALUE, $name);
    $t->get_ok("/long/$name" => { 'Accept-Encoding' => 'gzip' })->status_is(200);
    is_deeply $t->tx->res->data, { text => 'x' x 5000 }, "$name: a response in gzip";
    my $raw = $t->ua->build_tx(GET => "/long/$name" => { 'Accept-Encoding' => 'gzip' });
    $raw->res->content->auto_decompress(0);
    $t->request_ok($raw)->header_is('Content-Encoding' => 'gzip');
    cmp_ok length $t->tx->res->body, '<', 1000, 'which was compressed once';
    is $t->tx->res->data, undef, 'and is none where nobody decompresses it';
    for my $frame (grep { $_->{available} } Kumihimo::frames()) {
        my $packed = Kumihimo::pack($bytes, $frame->{name});
        $t->post_ok('/echo' => { 'Content-Type' => $type, 'Content-Encoding' => $frame->{name} } => $packed)->status_is(400);
        $t->post_ok('/echo' => { 'Content-Type' => $type } => $packed)->status_is(400);
    }
}
app->hook(after_build_tx => sub { $_[0]->req->content->auto_decompress(1) });
for my $format (@FORMATS) {
    my ($name, $type) = ($format->{name}, $format->{media_types}[0]);
    $t->post_ok('/echo' => { 'Content-Type' => $type, 'Content-Encoding' => 'gzip' } => Mojo::Util::gzip(Kumihimo::dump($VALUE, $name)))->status_is(200)->json_is('/data/price' => 1.5);
}

$t->get_ok('/negotiated' => { Accept => 'application/json' })->json_is('/price' => 1.5);
$t->get_ok('/negotiated' => { Accept => 'image/png' })->status_is(406);
$t->post_ok('/echo' => json => { list => [5] })->json_is('/again' => 5);
$t->post_ok('/echo' => { 'Content-Type' => 'application/json' } => '{')->status_is(400);
$t->post_ok('/echo' => 'x=1')->status_is(400);
$t->post_ok('/echo' => form => { a => { content => 'x', filename => 'y' } })->status_is(400);

ok !eval { plugin KumihimoFormats => { formats => ['yaml'] }; 1 }, 'no such format';
like $@, qr/there is no format yaml; there are: .*\b\Q$NAMES[0]\E/, 'and which there are';
ok !eval { plugin KumihimoFormats => { format => ['cbor'] }; 1 }, 'no such option';
like $@, qr/there is no option format/, 'by its name';
is_deeply plugin(KumihimoFormats => { formats => [$NAMES[0]] }), [$NAMES[0]], 'one of them';

done_testing;
