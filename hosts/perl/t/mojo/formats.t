# Mojolicious with the formats of the table: rendering, negotiation, requests, the user agent.
use strict;
use warnings;
use lib 't/lib';

use MojoPair qw(need_mojolicious);
use Test::More;

BEGIN { need_mojolicious() }
use Kumihimo ();
use Mojo::JSON ();
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
