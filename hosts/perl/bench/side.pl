# One side of a comparison: a process that holds the libraries, the value and the loop, and does what the parent asks.
package Bench::Side;
use 5.016;
use strict;
use warnings;
use Time::HiRes ();

# $way: { env, libraries (packages), setup, call (source, with $v), version (source) }; $make gives the value, and runs in the child.
# The child is forked from a process that has loaded none of the libraries.
sub new {
    my ($class, $way, $make) = @_;
    pipe my $theirs, my $write or die "pipe: $!\n";
    pipe my $read, my $mine or die "pipe: $!\n";
    binmode $_ for $theirs, $write, $read, $mine;
    $_->autoflush(1) for $write, $mine;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        close $_ for $write, $read;
        serve($way, $make, $theirs, $mine);
        # What Perl frees at its end nobody waits for.
        require POSIX;
        POSIX::_exit(0);
    }
    close $_ for $theirs, $mine;
    return bless { write => $write, read => $read, pid => $pid }, $class;
}

sub output { return $_[0]->ask('output') }
sub meaning { return $_[0]->ask('meaning') }
sub version { return $_[0]->ask('version') }
sub calibrate { return $_[0]->ask("calibrate $_[1]") }
sub sample { return $_[0]->ask('sample') }
sub faults { return $_[0]->ask('faults') }

sub close_down {
    my ($self) = @_;
    # Asked to end, since a process forked later holds these pipes open.
    print { $self->{write} } "quit\n";
    close $self->{$_} for qw(write read);
    waitpid $self->{pid}, 0;
    return;
}

sub ask {
    my ($self, $question) = @_;
    local $SIG{PIPE} = 'IGNORE';
    print { $self->{write} } "$question\n";
    my $head = readline($self->{read}) // die "a measuring process ended early\n";
    my ($status, $length) = split ' ', $head;
    read($self->{read}, my $answer, $length) == $length or die "a measuring process ended early\n";
    die "$answer\n" if $status ne 'done';
    return $answer;
}

# ---- in the child ---------------------------------------------------------------------------------------------------------------------

my ($way, $value, $many, $calls);

sub serve {
    ($way, my $make, my $in, my $out) = @_;
    my $ready = eval { prepare($make); 1 };
    my $failed = $@;
    my %do = (
        output => sub { my $r = one(); ref $r ? words_of($r) : $r },
        meaning => sub { words_of(one()) },
        version => sub { eval $way->{version} // die $@ },    ## no critic (StringyEval)
        calibrate => \&calibrate_here,
        sample => sub { sprintf '%.12g', timed($calls) },
        faults => sub { faults_here() },
    );
    while (defined(my $question = readline $in)) {
        chomp $question;
        my ($name, @arguments) = split ' ', $question;
        return if $name eq 'quit';
        my $answer = $ready ? eval { $do{$name}->(@arguments) } : undef;
        my $status = defined $answer ? 'done' : 'failed';
        $answer //= $failed || $@ || 'no answer';
        printf {$out} "%s %d\n%s", $status, length $answer, $answer;
    }
    return;
}

sub prepare {
    my ($make) = @_;
    %ENV = (%ENV, %{ $way->{env} // {} });
    for my $library (@{ $way->{libraries} }) {
        eval "require $library; 1" or die $@;    ## no critic (StringyEval)
    }
    $value = $make->();
    # Only the call in the loop: a sub around it costs more than encoding a small document does. The result is kept, as callers do, and
    # freed by the next.
    my $setup = $way->{setup} // '';
    $many = eval "package Bench::Loop; $setup; sub { my (\$v, \$n) = \@_; my \$r; for (1 .. \$n) { \$r = $way->{call} } \$r }"    ## no critic (StringyEval)
        or die $@;
    return;
}

sub one { return $many->($value, 1) }

# The words of a result; documents are decoded first, each by a library that is not ours.
my %DECODE = (
    json => sub { require Cpanel::JSON::XS; Cpanel::JSON::XS->new->utf8->allow_nonref->decode($_[0]) },
    msgpack => sub { require Data::MessagePack; Data::MessagePack->new->utf8->unpack($_[0]) },
    cbor => sub { require CBOR::XS; CBOR::XS->new->decode($_[0]) },
);

sub words_of {
    my ($result) = @_;
    $result = $DECODE{ $way->{writes} }->($result) if !ref $result && $way->{writes};
    my $words = Bench::Corpora::words($result, []);
    return join "\n", map { s/\n/\\n/gr } @$words;
}

sub timed {
    my ($n) = @_;
    my $before = Time::HiRes::clock_gettime(Time::HiRes::CLOCK_PROCESS_CPUTIME_ID());
    $many->($value, $n);
    return (Time::HiRes::clock_gettime(Time::HiRes::CLOCK_PROCESS_CPUTIME_ID()) - $before) / $n;
}

# Minor page faults per call in steady state: what a result's memory costs beside the writing.
sub faults_here {
    my $count = sub {
        open my $in, '<', '/proc/self/stat' or return;
        return (split ' ', (split /\) /, readline $in)[1])[7];
    };
    $many->($value, 4);
    my $before = $count->() // return 'unknown';
    $many->($value, 20);
    return sprintf '%.1f', ($count->() - $before) / 20;
}

# How many calls a sample has.
sub calibrate_here {
    my ($seconds) = @_;
    $calls = 1;
    $calls *= 4 while timed($calls) * $calls < $seconds / 4 && $calls < 10_000_000;
    my $each = timed($calls);
    $calls = int($seconds / ($each > 1e-9 ? $each : 1e-9) + 0.5) || 1;
    return $calls;
}

1;
