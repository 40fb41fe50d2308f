# JSON over HTTP: an application in production mode with Mojolicious' own daemon, asked by wrk; what the server's process costs, by the CPU
# time that /proc has of it, per request.
package Bench::HTTP;
use 5.016;
use strict;
use warnings;
use FindBin;
use IO::Socket::INET ();
use Time::HiRes ();

# Why it cannot be measured, or undef.
sub missing {
    return 'there is no /proc' unless -e "/proc/$$/stat";
    return 'wrk is not installed' unless grep { -x "$_/wrk" } split /:/, $ENV{PATH};
    return;
}

# $env: added to the server's environment.
sub start {
    my ($class, $corpora, $env) = @_;
    my $port = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Proto => 'tcp', Listen => 1)->sockport;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        %ENV = (%ENV, BENCH_CORPORA => $corpora, %$env);
        open STDOUT, '>', '/dev/null' or die $!;
        exec $^X, (map { "-I$_" } @INC), "$FindBin::Bin/app.pl", 'daemon', '-m', 'production', '-l', "http://127.0.0.1:$port" or die "$^X: $!\n";
    }
    my $self = bless { pid => $pid, at => "http://127.0.0.1:$port" }, $class;
    for (1 .. 200) {
        return $self if IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Proto => 'tcp');
        waitpid($pid, 1) == 0 or die "the application of perl.http ended at once\n";
        Time::HiRes::sleep(0.05);
    }
    $self->stop;
    die "the application of perl.http did not listen\n";
}

sub stop {
    my ($self) = @_;
    kill TERM => $self->{pid};
    waitpid $self->{pid}, 0;
    return;
}

# The body of one answer, asked without any client library.
sub body {
    my ($self, $route) = @_;
    my ($address) = $self->{at} =~ m{//(.+)};
    my $socket = IO::Socket::INET->new(PeerAddr => $address, Proto => 'tcp') or die "$self->{at}: $!\n";
    print {$socket} "GET /$route HTTP/1.0\r\nConnection: close\r\n\r\n";
    local $/;
    my ($head, $body) = split /\r\n\r\n/, readline($socket), 2;
    $head =~ m{\AHTTP/1\.\d 200 } or die "GET /$route: " . ($head =~ s/\r\n.*//sr) . "\n";
    return $body;
}

# Seconds of CPU: user and system, the 14th and 15th field, where the name in parentheses may hold anything.
sub cpu {
    my ($self) = @_;
    my @fields = split ' ', Bench::Corpora::slurp("/proc/$self->{pid}/stat") =~ s/\A.*\) //sr;
    state $ticks = do { require POSIX; POSIX::sysconf(POSIX::_SC_CLK_TCK()) };
    return ($fields[11] + $fields[12]) / $ticks;
}

# Seconds of the server's CPU per request.
sub sample {
    my ($self, $route, $seconds) = @_;
    my $before = $self->cpu;
    my $said = qx(wrk -t1 -c4 -d${seconds}s $self->{at}/$route);
    my ($requests) = $said =~ /^\s*(\d+) requests in/m or die "wrk: $said\n";
    # What wrk leaves behind it while it ends is served but not counted: four connections' worth of thousands.
    die "wrk: $said\n" if $said =~ /Non-2xx|Socket errors/ || $requests == 0;
    return ($self->cpu - $before) / $requests;
}

1;
