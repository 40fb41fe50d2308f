# Runs other projects' own tests against Kumihimo and compares what fails with expected_failures.txt.
#
#     PERL5LIB=... perl run.pl [--stock] SOURCES WORK [SUITE...]
#
# SOURCES has a folder per source package, WORK is for the copies in which a module's name is replaced by ours. --stock runs the tests as they are, against
# what they were written for: so the method is checked, and what fails for reasons of the machine is seen.
#
# A test that fails and is not in the list, one in the list that passes, and a listed file that does not exist are all faults: the list is what users
# read to know the differences, so it must be true.
use 5.016;
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use File::Find ();
use File::Path qw(make_path remove_tree);
use File::Spec::Functions qw(abs2rel);
use TAP::Parser;

# A suite is a package's test files, run from the package's folder. replace: names in the copies of its tests. preload: what perl loads before them
# (PERL5OPT, so that programs which the tests start have it too).
my @SUITES = (
    { name => 'JSON::XS', source => 'libjson-xs-perl', files => ['t/*.t'], replace => [[qr/\bJSON::XS\b/, 'Kumihimo::JSON']] },
    { name => 'Cpanel::JSON::XS', source => 'libcpanel-json-xs-perl', files => ['t/*.t'],
        replace => [[qr/\bCpanel::JSON::XS::Type\b/, 'Kumihimo::JSON::Type'], [qr/\bCpanel::JSON::XS\b/, 'Kumihimo::JSON::Cpanel']] },
    # As programs have them: the modules' own tests, with Kumihimo in the modules' place.
    { name => 'JSON::XS, instead', source => 'libjson-xs-perl', files => ['t/*.t'], preload => '-MKumihimo::Instead=JSON::XS' },
    { name => 'Cpanel::JSON::XS, instead', source => 'libcpanel-json-xs-perl', files => ['t/*.t'], preload => '-MKumihimo::Instead=Cpanel::JSON::XS' },
    { name => 'JSON::PP, instead', source => 'perl', files => ['cpan/JSON-PP/t/*.t'], preload => '-MKumihimo::Instead=JSON::PP' },
    # Its tests find their helpers in the folder they run in.
    { name => 'Data::MessagePack', source => 'libdata-messagepack-perl', files => ['t/*.t'], but => qr{^t/50_leaktrace\.t$},
        replace => [[qr/\bData::MessagePack\b/, 'Kumihimo::MessagePack']], environment => { PERL_USE_UNSAFE_INC => 1 } },
    { name => 'Mojo::JSON, pure', source => 'libmojolicious-perl', files => ['t/mojo/json.t'], preload => '-MKumihimo::Mojo=profile,pure' },
    { name => 'Mojo::JSON, cpanel', source => 'libmojolicious-perl', files => ['t/mojo/json_xs.t'], preload => '-MKumihimo::Mojo=profile,cpanel' },
    # Its developers' tests of servers and forks too, but for those that need what a machine may not have: TLS, IPv6, SOCKS, the net.
    { name => 'Mojolicious', source => 'libmojolicious-perl', files => ['t/mojo/*.t', 't/mojolicious/*.t', 't/test/*.t'], but => qr{^t/mojo/json(?:_xs)?\.t$},
        preload => '-MKumihimo::Mojo', environment => { map { ("TEST_$_" => 1) } qw(EV HYPNOTOAD MORBO PREFORK SUBPROCESS UNIX) } },
);

my $here = dirname(abs_path($0));
my $limit = $ENV{LIMIT} // 120;      # seconds for one file
our $jobs = $ENV{JOBS} // 2;

sub slurp {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!";
    local $/;
    return readline($in) // '';
}

# The folder to run in: the package's own, or a copy of its t/ where names are replaced.
sub prepare {
    my ($suite, $sources, $work, $stock) = @_;
    my $from = "$sources/$suite->{source}";
    return $from if $stock || !$suite->{replace};
    my $to = "$work/$suite->{source}";
    remove_tree($to);
    File::Find::find({ no_chdir => 1, wanted => sub {
        my $copy = "$to/" . abs2rel($File::Find::name, $from);
        return make_path($copy) if -d;
        my $text = slurp($_);
        if (/\.(?:t|pm|pl)$/) {
            $text =~ s/$_->[0]/$_->[1]/g for @{ $suite->{replace} };
        }
        open my $out, '>:raw', $copy or die "$copy: $!";
        print {$out} $text;
        close $out or die "$copy: $!";
    } }, "$from/t");
    return $to;
}

# Every file in a process of its own, $jobs at a time: what it printed, and its exit status.
sub run_files {
    my ($suite, $folder, $logs, $stock) = @_;
    my @files = grep { !$suite->{but} || !/$suite->{but}/ } map { abs2rel($_, $folder) } map { sort glob "$folder/$_" } @{ $suite->{files} };
    my (%running, %done);
    remove_tree($logs);
    make_path($logs);
    my @waiting = @files;
    while (@waiting || %running) {
        while (@waiting && keys %running < $jobs) {
            my $file = shift @waiting;
            my $pid = fork // die "fork: $!";
            if (!$pid) {
                chdir $folder or die "$folder: $!";
                %ENV = (%ENV, %{ $suite->{environment} // {} });
                $ENV{PERL5OPT} = $suite->{preload} if $suite->{preload} && !$stock;
                open STDIN, '<', '/dev/null' or die $!;
                open STDOUT, '>', "$logs/" . ($file =~ tr{/}{_}r) or die $!;
                open STDERR, '>&', \*STDOUT or die $!;
                exec 'timeout', $limit, $^X, $file or die "exec: $!";
            }
            $running{$pid} = $file;
        }
        my $pid = wait;
        my $file = delete $running{$pid} // next;
        $done{$file} = { output => slurp("$logs/" . ($file =~ tr{/}{_}r)), status => $? };
    }
    return \%done;
}

# What went wrong in a file: the numbers of its failed tests, and "end" when it did not come to its end as it should.
sub judge {
    my ($run) = @_;
    my (%failed, @text);
    # Warnings share the stream, and a line that begins like a result is one.
    my $parser = TAP::Parser->new({ tap => $run->{output} });
    while (my $result = $parser->next) {
        next unless $result->is_test;
        $failed{ $result->number } = $result->as_string unless $result->is_ok;
    }
    my $assertions = () = $run->{output} =~ /^\s*(?:not )?ok\b/mg;
    my $passed = () = $run->{output} =~ /^\s*ok\b/mg;
    my $status = $run->{status} >> 8 || $run->{status};
    my $expected_status = keys %failed > 254 ? 254 : scalar keys %failed;
    my $short = !$parser->skip_all && (!$parser->plan || !defined $parser->tests_planned || $parser->tests_run != $parser->tests_planned);
    $failed{end} = "exit status $status" . ($status == 124 ? " (after $limit s)" : '') . ', ' . $parser->tests_run . ' of ' . ($parser->tests_planned // 'an unknown number of') . ' tests run'
        if $short || ($status && $status != $expected_status && !($status == 1 && %failed));
    return { failed => \%failed, tests => $parser->tests_run, assertions => $assertions, passed => $passed, skipped => $parser->skip_all };
}

# suite | file | failing tests | reason
sub expected_failures {
    my ($file) = @_;
    my %expected;
    for my $line (split /\n/, slurp($file)) {
        next if $line =~ /^\s*(?:#|$)/;
        my ($suite, $path, $tests, $reason) = split /\s*\|\s*/, $line, 4;
        die "$file: no reason in: $line\n" unless length($reason // '');
        die "$file: no such suite: $suite\n" unless grep { $_->{name} eq $suite } @SUITES;
        for my $test (split ' ', $tests) {
            my ($first, $last) = $test =~ /^(\d+)(?:-(\d+))?$/;
            die "$file: neither a number, a range nor \"end\": $test\n" unless defined $first || $test eq 'end';
            $expected{$suite}{$path}{$_} = $reason for defined $first ? ($first .. $last // $first) : $test;
        }
    }
    return \%expected;
}

sub faults {
    my ($judged, $expected) = @_;
    my @faults;
    for my $file (sort keys %$judged) {
        my $listed = $expected->{$file} // {};
        my $failed = $judged->{$file}{failed};
        push @faults, map { "$file, $_: $failed->{$_}" } grep { !exists $listed->{$_} } sort keys %$failed;
        push @faults, map { "$file, $_: passes, but is listed as failing" } grep { !exists $failed->{$_} } sort keys %$listed;
    }
    push @faults, map { "$_: is listed as failing, but there is no such file" } grep { !$judged->{$_} } sort keys %$expected;
    return @faults;
}

my $stock = @ARGV && $ARGV[0] eq '--stock' && shift @ARGV;
my ($sources, $work, @names) = @ARGV;
die "usage: perl run.pl [--stock] SOURCES WORK [SUITE...]\n" unless defined $work;
make_path($work);
($sources, $work) = map { abs_path($_) } $sources, $work;
my $expected = $stock ? {} : expected_failures("$here/expected_failures.txt");
my $wrong = 0;
$| = 1;
for my $suite (@SUITES) {
    next if @names && !grep { $_ eq $suite->{name} } @names;
    my $folder = prepare($suite, $sources, $work, $stock);
    my $runs = run_files($suite, $folder, "$work/logs/" . ($suite->{name} =~ s/\W+/_/gr), $stock);
    my %judged = map { $_ => judge($runs->{$_}) } keys %$runs;
    # Tests of servers wait for other processes for a time that is set: on a busy machine one may need the machine for itself.
    if (my @again = grep { $suite->{environment} && %{ $judged{$_}{failed} } } sort keys %judged) {
        print "    again, one by one: @again\n";
        local $jobs = 1;
        my $second = run_files({ %$suite, files => \@again }, $folder, "$work/logs/again", $stock);
        $judged{$_} = judge($second->{$_}) for keys %$second;
    }
    my $listed = $expected->{ $suite->{name} } // {};
    my @faults = %judged ? faults(\%judged, $listed) : ("no test file in $folder");
    my ($whole, $tests, $failing, $skipped) = (0) x 4;
    for my $result (values %judged) {
        $whole++ unless %{ $result->{failed} };
        $skipped++ if $result->{skipped};
        $tests += $result->{assertions};
        $failing += keys %{ $result->{failed} };
    }
    printf "%-20s %3d of %3d files pass (%d skip themselves), %5d assertions, %d failing: %d expected, %d faults\n",
        $suite->{name}, $whole, scalar keys %judged, $skipped, $tests, $failing, scalar(map { keys %$_ } values %$listed), scalar @faults;
    print "    $_\n" for @faults > 40 ? (@faults[0 .. 39], '... and ' . (@faults - 40) . ' more') : @faults;
    $wrong += @faults;
}
exit($wrong ? 1 : 0);
