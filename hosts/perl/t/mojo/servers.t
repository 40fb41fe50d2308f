# The servers themselves, as processes of their own, over HTTP: daemon, prefork (workers are forked), hypnotoad (and restarts itself while it
# serves). Once by the plugin, once by PERL5OPT for an application that knows nothing.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use MojoPair qw(need_mojolicious other_profile told_apart);
use Test::More;

BEGIN {
    need_mojolicious();
    plan skip_all => 'servers are started by fork' if $^O eq 'MSWin32';
}

use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use Mojo::IOLoop::Server;
use Mojo::UserAgent;
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

$ENV{MOJO_MODE} = 'production';
$ENV{MOJO_LOG_LEVEL} = 'fatal';
$ENV{PERL5LIB} = join ':', map { abs_path($_) // $_ } grep { !ref } @INC;

my $patience = $ENV{KUMIHIMO_PATIENCE} // 60;    # seconds, for a loaded machine: what works is seen at once
my $other = other_profile();
my ($value, $text) = told_apart($other);

sub write_file {
    my ($path, $content) = @_;
    open my $out, '>', "$path.new" or die "$path.new: $!";
    print {$out} $content;
    close $out or die "$path.new: $!";
    rename "$path.new", $path or die "$path: $!";
    return $path;
}

# The answer when it comes: until it is what it should be, or the patience ends, or the server does ($lives).
sub get {
    my ($url, $is, $lives) = @_;
    my $end = time + $patience;
    my $tx;
    while (1) {
        # A new connection each time: another worker may take it.
        my $ua = Mojo::UserAgent->new(max_connections => 0, connect_timeout => 5, inactivity_timeout => 20);
        $tx = $ua->get($url);
        return $tx->res if $tx->res->code && (!$is || $is->($tx->res)) || time > $end || $lives && !$lives->();
        sleep 0.05;
    }
}
sub gone {
    my ($pid) = @_;
    my $end = time + $patience;
    while (time < $end) {
        waitpid $pid, WNOHANG;
        return 1 unless kill 0, $pid;
        sleep 0.05;
    }
    return 0;
}

# The application. The value of $profile shows who answers.
sub application {
    my (%is) = @_;
    my $plugin = $is{plugin} ? "plugin Kumihimo => { profile => '$other' };" : '';
    return <<"PERL";
use Mojolicious::Lite;
use Mojo::JSON 'j';
app->secrets(['test']);
app->config(hypnotoad => { listen => ['http://127.0.0.1:$is{port}'], workers => 2, pid_file => '$is{dir}/hypnotoad.pid', graceful_timeout => 5 });
$plugin
get '/value' => sub { shift->render(json => "\\x1f") };
get '/process' => sub { shift->render(json => { pid => \$\$, at => '$is{dir}', version => $is{version}, mechanism => (Kumihimo::Mojo->installed // {})->{mechanism} }) };
post '/read' => sub { my \$c = shift; \$c->render(json => { got => \$c->req->json, again => scalar j(\$c->req->body) }) };
get '/visits' => sub { my \$c = shift; \$c->render(json => ++\$c->session->{visits}) };
websocket '/echo' => sub { my \$c = shift; \$c->on(json => sub { my (\$c, \$got) = \@_; \$c->send({ json => [\$got, "\\x1f"] }) }) };
app->start;
PERL
}

# A port on which the application in $dir answers, or nothing. $start->($port) begins the server and gives a sub that says whether it lives, or nothing.
# Between choosing a port and listening on it another process may take it: the server then ends, and is begun again on another port.
sub on_a_port {
    my ($dir, $start) = @_;
    for (1 .. 5) {
        my $port = Mojo::IOLoop::Server->generate_port;
        my $lives = $start->($port) // next;
        my $ours = sub { my $json = $_[0]->json; ref $json eq 'HASH' && ($json->{at} // '') eq $dir };
        return $port if $ours->(get("http://127.0.0.1:$port/process", $ours, $lives));
        return if $lives->();    # it is there and does not answer: no port helps
        note "the server that was to have port $port has ended";
    }
    return;
}

sub serves {
    my ($port, $version, $manager) = @_;
    my $at = "http://127.0.0.1:$port";
    my $process = get("$at/process", sub { (($_[0]->json // {})->{version} // 0) == $version })->json // {};
    is $process->{version}, $version, 'it serves' or return;
    is $process->{mechanism}, 'body', 'with the functions replaced';
    isnt $process->{pid}, $manager, 'in a process of its own' if $manager;
    is get("$at/value")->body, $text, 'a response';
    my $ua = Mojo::UserAgent->new;
    is $ua->post("$at/read" => json => [1, { a => "\x{2665}" }])->res->body, "{\"again\":[1,{\"a\":\"\xe2\x99\xa5\"}],\"got\":[1,{\"a\":\"\xe2\x99\xa5\"}]}", 'a request';
    is $ua->post("$at/read" => '[1')->res->body, '{"again":null,"got":null}', 'a request that is wrong';
    is join(' ', map { $ua->get("$at/visits")->res->body } 1 .. 3), '1 2 3', 'a session, whoever answers';
    my $message;
    $ua->websocket("ws://127.0.0.1:$port/echo" => sub {
        my ($ua, $tx) = @_;
        return Mojo::IOLoop->stop unless $tx->is_websocket;
        $tx->on(text => sub { my ($tx, $bytes) = @_; $message = $bytes; $tx->finish });
        $tx->on(finish => sub { Mojo::IOLoop->stop });
        $tx->send({ json => { a => 1 } });
    });
    Mojo::IOLoop->start;
    is $message, "[{\"a\":1},$text]", 'a WebSocket';
    return $process->{pid};
}

my @running;

sub start {
    my (@command) = @_;
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        exec @command or POSIX::_exit(127);
    }
    push @running, $pid;
    return $pid;
}
END { local $?; kill KILL => @running if @running }

for my $plugin (1, 0) {
    local $ENV{PERL5OPT} = $plugin ? '' : "-MKumihimo::Mojo=profile,$other";
    my $by = $plugin ? 'plugin' : 'PERL5OPT';

    for my $server (qw(daemon prefork)) {
        subtest "$server, $by" => sub {
            my $dir = tempdir(CLEANUP => 1);
            my $app = write_file("$dir/app.pl", application(plugin => $plugin, port => 0, dir => $dir, version => 1));
            my $pid;
            my $port = on_a_port($dir, sub {
                my ($port) = @_;
                @running = grep { $_ != $pid } @running if $pid;
                $pid = start($^X, $app, $server, '-l', "http://127.0.0.1:$port", $server eq 'prefork' ? ('-w', 3, '-P', "$dir/prefork.pid") : ());
                return sub { waitpid($pid, WNOHANG) == 0 };
            });
            ok $port, 'it starts' or return;
            serves($port, 1, $server eq 'prefork' ? $pid : undef);
            if ($server eq 'prefork') {
                my %pids = map { (get("http://127.0.0.1:$port/process")->json->{pid} => 1) } 1 .. 30;
                ok !$pids{$pid}, 'workers answer, not the manager';
                is_deeply [map { get("http://127.0.0.1:$port/value")->body } 1 .. 10], [($text) x 10], 'all of them alike';
            }
            kill TERM => $pid;
            ok gone($pid), 'it stops';
            @running = grep { $_ != $pid } @running;
        };
    }

    subtest "hypnotoad, $by" => sub {
        my $dir = tempdir(CLEANUP => 1);
        my $hypnotoad = write_file("$dir/hypnotoad", "use Mojo::Server::Hypnotoad;\nMojo::Server::Hypnotoad->new->run(shift // \$ENV{HYPNOTOAD_APP});\n");
        my $app;
        # Hypnotoad listens before it leaves its caller: status 0 says that it has the port.
        my $port = on_a_port($dir, sub {
            my ($port) = @_;
            $app = write_file("$dir/app.pl", application(plugin => $plugin, port => $port, dir => $dir, version => 1));
            return system($^X, $hypnotoad, $app) == 0 ? sub { 1 } : undef;
        });
        ok $port, 'it starts' or return;
        my $manager = sub { open my $in, '<', "$dir/hypnotoad.pid" or return 0; return 0 + (readline($in) // 0) };
        my $first = $manager->();
        push @running, $first if $first;
        serves($port, 1, $first);

        write_file($app, application(plugin => $plugin, port => $port, dir => $dir, version => 2));
        is system("\"$^X\" $hypnotoad $app >/dev/null 2>&1"), 0, 'it is asked to begin again';
        serves($port, 2, $first);
        ok gone($first), 'the old one is gone';
        my $second = $manager->();
        isnt $second, $first, 'there is a new one';
        @running = grep { $_ != $first } @running;
        push @running, $second if $second;
        is get("http://127.0.0.1:$port/value")->body, $text, 'which goes on';

        kill TERM => $second if $second;
        ok gone($second), 'it stops';
        @running = grep { $_ != $second } @running;
    };
}

done_testing;
