package InsteadRun;

# For tests of Kumihimo::Instead: one program in processes of their own, with the modules as they are and with ours in their place.
use 5.016;
use strict;
use warnings;

use Exporter qw(import);
use File::Temp qw(tempdir);

our @EXPORT_OK = qw(program run_with);

my $folder = tempdir(CLEANUP => 1);

# A program that is run often.
sub program {
    my ($name, $text) = @_;
    my $file = "$folder/$name.pl";
    open my $out, '>:raw', $file or die "$file: $!";
    print {$out} $text;
    close $out or die "$file: $!";
    return $file;
}

# What a program writes, errors too. Options are for perl itself: -MKumihimo::Instead, say.
sub run_with {
    my ($options, @command) = @_;
    my ($variables, @options) = ref $options->[0] eq 'HASH' ? @$options : ({}, @$options);
    local @ENV{keys %$variables} = values %$variables;
    local $ENV{PERL5LIB} = join ':', @INC;
    local $ENV{PERL_HASH_SEED} = 0;
    local $ENV{PERL_PERTURB_KEYS} = 0;
    my $pid = open(my $in, '-|') // die "fork: $!";
    if (!$pid) {
        open STDERR, '>&', \*STDOUT or die $!;
        exec $^X, @options, @command or die "$^X: $!";
    }
    local $/;
    my $text = readline($in) // '';
    close $in;
    return wantarray ? ($text, $?) : $text;
}

1;
