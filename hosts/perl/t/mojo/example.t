# The example application, over HTTP.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use MojoPair qw(need_mojolicious);
use Test::More;

BEGIN {
    need_mojolicious();
    # What it is: signatures in an application came with this release and this perl.
    plan skip_all => 'the example is written for perl 5.20 and newer' if $] < 5.020;
    $ENV{MOJO_MODE} = 'production';
    $ENV{MOJO_LOG_LEVEL} = 'debug';
}

use Mojo::File qw(curfile);
use Mojo::JSON qw(encode_json j);
use Test::Mojo;

my $app = curfile->dirname->sibling('..', 'examples', 'lite_app.pl')->realpath;
open my $quiet, '>', \my $log or die;
local *STDERR = $quiet;
my $t = Test::Mojo->new($app);
close $quiet;

is_deeply(Kumihimo::Mojo->installed, { profile => Mojo::JSON->JSON_XS ? 'cpanel' : 'pure', scope => 'all', messages => 'profile', mechanism => 'body' }, 'everything is replaced');
like $log, qr/\[debug\] Kumihimo \S+ replaced encode_json, decode_json, to_json, from_json and j of Mojo::JSON; profile \w+, messages profile\n/, 'and one line in the log says so';
is $log =~ tr/\n//, 1, 'one line';
$t->app->log->level('fatal');

$t->get_ok('/structure')->status_is(200)->content_type_is('application/json;charset=UTF-8')
    ->content_is('{"foo":["bar","baz",2],"geho":{"geho":"gehoge","hoge":1,"hum":[1,null,"hoge"]},"hoge":"hoge"}');

$t->post_ok('/sum' => json => { numbers => [1, 2, 3] })->status_is(200)->content_is('{"even":true,"sum":6}');
$t->post_ok('/sum' => '{"numbers": [0.5, 0.25, 1e2]}')->status_is(200)->json_is('/sum', 100.75);
$t->post_ok('/sum' => '{"numbers": 5}')->status_is(400)->json_is({ error => 'numbers is an array' });
$t->post_ok('/sum' => '{"numbers": [1')->status_is(400)->json_is({ error => 'numbers is an array' });
$t->post_ok('/sum')->status_is(400);

$t->get_ok('/visits')->json_is({ visits => 1 });
$t->get_ok('/visits')->content_is('{"visits":2}');
$t->reset_session->get_ok('/visits')->json_is({ visits => 1 });

$t->websocket_ok('/echo')->send_ok({ json => { text => "\x{2665}/", n => [1, undef] } })
    ->message_ok->message_is("{\"echo\":{\"n\":[1,null],\"text\":\"\x{2665}\\/\"}}")->json_message_is('/echo/n', [1, undef]);
$t->send_ok('{"not JSON')->message_ok->message_is('{"echo":null}')->finish_ok;

$t->get_ok('/through')->status_is(200)->content_is('{"answer":42}');
$t->get_ok('/by_name')->status_is(200)->content_type_is('application/json;charset=UTF-8')->content_is('{"geho":"gehoge","hoge":1,"hum":[1,null,"hoge"]}');
$t->get_ok('/process')->json_is('/pid', $$)->json_is('/replaced/mechanism', 'body');

# A plugin that is asked for again, by both of its names.
my $what = $t->app->plugin('JSON_XS', { messages => 'clear' });
is $what->{messages}, 'clear', 'another name for the plugin';
is(Kumihimo::Mojo->installed->{messages}, 'clear', 'its options count');
$t->app->plugin('Kumihimo');
is(Kumihimo::Mojo->installed->{messages}, 'clear', 'and stay');
ok !eval { $t->app->plugin('Kumihimo', { colour => 'red' }); 1 }, 'options that are none are refused';
like $@, qr/\AKumihimo::Mojo: there is no option colour.* at \Q$0\E line/, 'where they were given';
$t->get_ok('/structure')->status_is(200)->json_is('/hoge', 'hoge');

done_testing;
