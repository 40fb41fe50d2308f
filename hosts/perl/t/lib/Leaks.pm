# Whether code leaves something behind each time it runs: Perl values, where Test::LeakTrace is there to count them, and memory of any
# kind, where the system tells how much the process has.
package Leaks;
use strict;
use warnings;
use Test::More ();
use Exporter 'import';
use Installed qw(load_installed);

our @EXPORT = qw(leaves_nothing);
our @EXPORT_OK = qw(leaked resident);

my $trace = load_installed('Test::LeakTrace');

# What the process has in memory, in KB; undef where it cannot be known, or means nothing: a sanitizer keeps what was freed.
sub resident {
    return if $ENV{KUMIHIMO_SANITIZED};
    open my $in, '<', '/proc/self/status' or return;
    local $/;
    return readline($in) =~ /^VmRSS:\s+([0-9]+)/m ? $1 : undef;
}

# How many values code leaves behind. The first time, perl may make some that it keeps.
sub leaked {
    my ($code) = @_;
    $code->();
    return Test::LeakTrace::leaked_count($code);
}

# A scalar more each time is 24 bytes and is counted; memory beside perl's values is seen from 100 bytes each on.
sub leaves_nothing {
    my ($name, $code, $times) = @_;
    $times //= 4000;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    $code->() for 1 .. 50;
    my $proven;
    if ($trace) {
        Test::More::is(Test::LeakTrace::leaked_count(sub { $code->(); return }), 0, "$name: no value is left behind");
        $proven = 1;
    }
    if ($ENV{KUMIHIMO_SANITIZED}) { $code->() for 1 .. 50 }
    if (defined(my $before = resident())) {
        $code->() for 1 .. $times;
        my $grown = resident() - $before;
        Test::More::cmp_ok($grown, '<', $times * 0.1, "$name: no memory is left behind") or Test::More::diag("$grown KB more after $times times");
        $proven = 1;
    }
    Test::More->builder->skip("not proven: $name: neither Test::LeakTrace nor /proc is here") unless $proven;
    return;
}

1;
