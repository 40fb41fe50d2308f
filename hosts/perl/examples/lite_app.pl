#!/usr/bin/env perl
# Every way in which an application meets JSON, with one line that makes all of them native.
#
#     perl examples/lite_app.pl daemon
#     curl -s localhost:3000/structure
#     curl -s -d '{"numbers": [1, 2, 3]}' localhost:3000/sum
#
# hypnotoad and prefork run it as they run any other.
use Mojolicious::Lite -signatures;

plugin 'Kumihimo';

use Mojo::JSON qw(decode_json encode_json false true);

app->secrets([$ENV{LITE_APP_SECRET} // 'an example that keeps nothing']);

my $structure = { hoge => 'hoge', geho => { geho => 'gehoge', hoge => 1, hum => [1, undef, 'hoge'] }, foo => ['bar', 'baz', 2] };

# A response.
get '/structure' => sub ($c) { $c->render(json => $structure) };

# A request, and a response with an error.
post '/sum' => sub ($c) {
    my $numbers = ($c->req->json // {})->{numbers};
    return $c->render(json => { error => 'numbers is an array' }, status => 400) unless ref $numbers eq 'ARRAY';
    my $sum = 0;
    $sum += $_ for @$numbers;
    $c->render(json => { sum => $sum, even => $sum % 2 ? false : true });
};

# A session: a signed cookie with JSON in it.
get '/visits' => sub ($c) {
    $c->render(json => { visits => ++$c->session->{visits} });
};

# A WebSocket. For a message that is no JSON, older releases of Mojolicious pass nothing.
websocket '/echo' => sub ($c) {
    $c->on(json => sub ($c, $message = undef) { $c->send({ json => { echo => $message } }) });
};

# The user agent, talking to the application itself.
get '/through' => sub ($c) {
    $c->render_later;
    $c->ua->post_p($c->url_for('/sum')->to_abs => json => { numbers => [20, 22] })->then(sub ($tx) {
        $c->render(json => { answer => $tx->res->json('/sum') });
    })->catch(sub ($error) { $c->reply->exception($error) });
};

# The functions by name.
get '/by_name' => sub ($c) {
    my $copy = decode_json(encode_json($structure));
    $c->render(data => encode_json($copy->{geho}), format => 'json');
};

# Who has answered: for those who start this in several processes.
get '/process' => sub ($c) { $c->render(json => { pid => $$, replaced => Kumihimo::Mojo->installed }) };

app->start;
