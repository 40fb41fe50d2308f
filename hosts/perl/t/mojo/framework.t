# Every place in Mojolicious that has JSON's functions, made before anything is replaced: an application with its handlers, a user agent,
# sessions, a subprocess. Who answers is seen in the answer.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use MojoPair qw(need_mojolicious other_profile told_apart run_perl);
use Test::More;

BEGIN { need_mojolicious(); $ENV{MOJO_LOG_LEVEL} = 'fatal' }

use File::Temp qw(tempdir);
use Mojo::ByteStream;
use Mojo::IOLoop::Subprocess;
use Mojo::Util qw(b64_decode);
use Mojolicious;
use Test::Mojo;

my $other = other_profile();
my $active = $other eq 'pure' ? 'cpanel' : 'pure';
my ($value) = told_apart($active);
# Pure Mojo::JSON reads a number without digits behind its point; nobody else does.
my $only_pure = '[1.]';

my $app = Mojolicious->new;
$app->log->level('fatal');
$app->secrets(['test']);
my $routes = $app->routes;
$routes->get('/render')->to(cb => sub { $_[0]->render(json => $value) });
$routes->get('/render_to_string')->to(cb => sub { $_[0]->render(text => $_[0]->render_to_string(json => $value)) });
$routes->get('/stash')->to(cb => sub { $_[0]->stash(json => $value)->render });
$routes->get('/respond')->to(cb => sub { $_[0]->respond_to(json => { json => [$value] }, any => { text => 'any' }) });
$routes->post('/request')->to(cb => sub { $_[0]->render(text => defined $_[0]->req->json ? 'read' : 'not read') });
$routes->post('/pointer')->to(cb => sub { $_[0]->render(text => $_[0]->req->json('/0') // 'not read') });
$routes->post('/echo')->to(cb => sub { $_[0]->render(data => $_[0]->req->body) });
$routes->get('/answer')->to(cb => sub { $_[0]->render(data => $only_pure, format => 'json') });
$routes->get('/session')->to(cb => sub { $_[0]->session(value => $value)->render(text => 'kept') });
$routes->websocket('/socket')->to(cb => sub {
    $_[0]->on(json => sub { my ($c, @got) = @_; $c->send({ json => [defined $got[0] ? 'read' : 'not read', $value] }) });
});

my $t = Test::Mojo->new($app);
my $subprocess = Mojo::IOLoop::Subprocess->new;
my ($serialize, $deserialize) = ($subprocess->serialize, $subprocess->deserialize);
my $sessions = $app->sessions;
my @session_functions = ($sessions->serialize, $sessions->deserialize);

my $config = tempdir(CLEANUP => 1) . '/app.json';
open my $out, '>', $config or die "$config: $!";
print {$out} '{"list": [1.]}';
close $out or die "$config: $!";

sub answers {
    my ($profile, $name) = @_;
    my (undef, $text) = told_apart($profile);
    my $reads = $profile eq 'pure';
    subtest $name => sub {
        $t->get_ok('/render')->status_is(200)->content_type_is('application/json;charset=UTF-8')->content_is($text);
        $t->get_ok('/render_to_string')->content_is($text);
        $t->get_ok('/stash')->content_is($text);
        $t->get_ok('/respond', { Accept => 'application/json' })->content_is("[$text]");
        $t->post_ok('/request', $only_pure)->content_is($reads ? 'read' : 'not read');
        $t->post_ok('/pointer', $only_pure)->content_is($reads ? '1' : 'not read');
        $t->post_ok('/echo', json => [$value])->content_is("[$text]", 'what the user agent sends');
        is_deeply $t->ua->get('/answer')->res->json, $reads ? [1] : undef, 'what the user agent receives';
        $reads ? $t->get_ok('/answer')->json_is('/0', 1)->json_has('/0') : $t->get_ok('/answer')->json_hasnt('/0');
        my ($cookie) = grep { $_->name eq 'mojolicious' } @{ $t->get_ok('/session')->tx->res->cookies };
        my $kept = b64_decode($cookie->value =~ s/--\w+\z//r =~ tr/-/=/r);
        like $kept, qr/"value":\Q$text\E/, 'a session';
        is !!eval { $session_functions[1]->("{\"a\":$only_pure}ZZZ"); 1 }, !!$reads, 'a session, read by a function that was kept';
        like $session_functions[0]->({ a => $value }), qr/\A\{"a":\Q$text\E\}Z*\z/, 'and written by one';
        is $serialize->([$value]), "[$text]", 'what a subprocess sends';
        is !!eval { $deserialize->($only_pure); 1 }, !!$reads, 'and receives';
        $t->websocket_ok('/socket')->send_ok($only_pure)->message_ok->message_is($reads ? "[\"read\",$text]" : "[\"not read\",$text]");
        $t->send_ok({ json => [1] })->message_ok->message_is("[\"read\",$text]")->json_message_is('/0', 'read')->finish_ok;
        is !!eval { Mojolicious->new(log => $app->log)->plugin(JSONConfig => { file => $config }); 1 }, !!$reads, 'a configuration file';
        is $app->build_controller->render_to_string(json => Mojo::ByteStream->new($value)), $text, 'a byte stream';
    };
    return;
}

answers($active, 'Mojolicious alone');
Kumihimo::Mojo->install(profile => $other);
answers($other, 'all of it replaced');
Kumihimo::Mojo->uninstall;
answers($active, 'taken back');

subtest 'the renderer alone' => sub {
    Kumihimo::Mojo->install(profile => $other, scope => 'renderer');
    my (undef, $text) = told_apart($other);
    my (undef, $plain) = told_apart($active);
    $t->get_ok('/render')->content_is($text);
    $t->get_ok('/respond', { Accept => 'application/json' })->content_is("[$text]");
    $t->post_ok('/request', $only_pure)->content_is($active eq 'pure' ? 'read' : 'not read');
    $t->post_ok('/echo', json => [$value])->content_is("[$plain]");
    is Mojo::JSON::encode_json($value), $plain, 'Mojo::JSON is what it was';
    is(Kumihimo::Mojo->installed->{scope}, 'renderer', 'and it says so');
    like(Kumihimo::Mojo->description, qr/replaced what render\(json => \.\.\.\) calls/, 'in words');
    Kumihimo::Mojo->install(scope => 'all');
    is Mojo::JSON::encode_json($value), $text, 'then all';
    $t->get_ok('/render')->content_is($text);
    Kumihimo::Mojo->install(scope => 'renderer');
    is Mojo::JSON::encode_json($value), $plain, 'and less again';
    $t->get_ok('/render')->content_is($text);
    Kumihimo::Mojo->uninstall;
    $t->get_ok('/render')->content_is($plain);
};

subtest 'a subprocess' => sub {
    plan skip_all => 'no fork' if $^O eq 'MSWin32';
    Kumihimo::Mojo->install(profile => $other);
    my @got;
    Mojo::IOLoop->subprocess(
        sub { return { text => Mojo::JSON::encode_json($value), list => [1, "\x{2665}"] }, 'second' },
        sub { my (undef, $error, @results) = @_; @got = ($error, @results); Mojo::IOLoop->stop },
    );
    Mojo::IOLoop->start;
    my (undef, $text) = told_apart($other);
    is_deeply \@got, ['', { text => $text, list => [1, "\x{2665}"] }, 'second'], 'works in it, and between it and us';
};

is run_perl('print j(["\x1f"])', '-MKumihimo::Mojo=profile,pure', '-Mojo'), '["\u001F"]', 'ojo';
is run_perl('print j(["\x1f"])', '-Mojo', '-MKumihimo::Mojo=profile,pure'), '["\u001F"]', 'ojo first';

done_testing;
