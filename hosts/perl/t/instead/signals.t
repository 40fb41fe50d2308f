# What a signal's handler dies with is the program's, wherever it comes: it is never taken for an error of a document or of a module, and nothing is done twice.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use File::Temp qw(tempdir);
use InsteadRun qw(program run_with);
use Test::More;

plan skip_all => 'signals as POSIX has them' if $^O eq 'MSWin32';
require JSON::PP;
plan skip_all => 'not proven: JSON::PP 4.07 is not installed' unless eval { JSON::PP->VERSION('4.07'); 1 };
require Kumihimo::Instead;
Kumihimo::Instead->install('JSON::PP');

{
    package Sends;    # with the nth fetch
    sub TIESCALAR { my ($class, $at) = @_; return bless { at => $at }, $class }
    sub FETCH { my ($self) = @_; kill 'USR1', $$ if ++$self->{fetched} == $self->{at}; my $n = 0; $n += $_ for 1 .. 10; return '[1]' }
}
my ($ran, $seen) = (0, 0);
for my $at (1 .. 8) {
    local $SIG{USR1} = sub { $ran++; die "timeout\n" };
    tie my $text, 'Sends', $at;
    eval { JSON::PP->new->decode($text); 1 } or $seen += $@ eq "timeout\n";
}
cmp_ok $ran, '>', 2, 'handlers ran while the text was fetched';
is $seen, $ran, 'and what they died with came to the program';

SKIP: {
    skip 'Time::HiRes has no ualarm here', 2 unless eval { require Time::HiRes; Time::HiRes::ualarm(0); 1 };
    my $json = JSON::PP->new->utf8;
    my $text = '[' . join(',', map { qq({"id":$_,"name":"name $_"}) } 1 .. 200) . ']';
    ($ran, $seen) = (0, 0);
    local $SIG{ALRM} = sub { $ran++; die "timeout\n" };
    for (1 .. 100_000) {
        # The alarm may come before the inner eval, in it, or behind it.
        eval {
            eval { Time::HiRes::ualarm(150); $json->decode($text) for 1 .. 20; 1 } or $seen += $@ eq "timeout\n";
            Time::HiRes::ualarm(0);
            1;
        } or $seen += $@ eq "timeout\n";
        last if $ran >= 300;
    }
    local $SIG{ALRM} = 'IGNORE';
    Time::HiRes::ualarm(0);
    cmp_ok $ran, '>=', 300, 'handlers ran';
    is $seen, $ran, 'and all came to the program';
}

# A module that is waited for: the program finds what it would find without us.
my $folder = tempdir(CLEANUP => 1);
mkdir "$folder/JSON" or die $!;
my $program = program('waits', <<'END');
$| = 1;
$SIG{USR1} = sub { die "timeout\n" };
our $compiled = 0;
for (1, 2) {
    print eval { require JSON::XS; 1 } ? "loaded\n" : "error: $@";
    print "$compiled times; ", exists $INC{'JSON/XS.pm'} ? defined $INC{'JSON/XS.pm'} ? 'loaded' : 'failed' : 'none', "\n";
}
print "end\n";
END
my %modules = (
    'a signal while it is compiled' => 'BEGIN { $main::compiled++; kill USR1 => $$; my $n = 0; $n += $_ for 1 .. 10 } 1;',
    'a signal while it runs' => 'BEGIN { $main::compiled++ } kill USR1 => $$; my $n = 0; $n += $_ for 1 .. 10; 1;',
    'an error' => 'BEGIN { $main::compiled++ } die "of its own\n";',
    'an error with a place' => 'BEGIN { $main::compiled++ } die "of its own";',
    'a mistake' => 'BEGIN { $main::compiled++ } use strict; $x = 1; 1;',
    'what it needs is missing' => 'BEGIN { $main::compiled++ } require No::Such::Module; 1;',
    'it answers false' => 'BEGIN { $main::compiled++ } 0;',
    'an object as an error' => 'BEGIN { $main::compiled++ } die bless [], "Error"; { package Error; use overload q("") => sub { "object\n" } }',
);
for my $name (sort keys %modules) {
    open my $out, '>', "$folder/JSON/XS.pm" or die $!;
    print {$out} "package JSON::XS;\n$modules{$name}\n";
    close $out or die $!;
    my @answers = map { run_with(["-I$folder", @$_], $program) =~ s/CODE\(0x[0-9a-f]+\) ?//gr =~ s/0x[0-9a-f]+/0x.../gr } [], ['-MKumihimo::Instead=JSON::XS'];
    like $answers[0], qr/^1 times.*^end$/ms, "$name: the program without us";
    is $answers[1], $answers[0], 'and with';
}

done_testing;
