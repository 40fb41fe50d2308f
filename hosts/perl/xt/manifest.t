# The distribution is whole: what MANIFEST lists is there, what is there is listed, and nothing is of the repository's alone.
use strict;
use warnings;
use Test::More;
use ExtUtils::Manifest ();
use File::Find ();

plan skip_all => 'no MANIFEST: make manifest' unless -e 'MANIFEST';

$ExtUtils::Manifest::Quiet = 1;
is_deeply [ExtUtils::Manifest::manicheck()], [], 'everything listed is there';
is_deeply [ExtUtils::Manifest::filecheck()], [], 'everything there is listed';

my $listed = ExtUtils::Manifest::maniread();
my @links = grep { -l } keys %$listed;
is_deeply \@links, [], 'files, no links';
ok exists $listed->{$_}, "$_ is listed" for qw(Makefile.PL Changes LICENSE README.md cpanfile MANIFEST MANIFEST.SKIP lib/Kumihimo.pm src/module.cpp engine/core/sink.hpp t/load.t);
is_deeply [grep { m{^(?:bench|blib|objects|xt/peers)/|\.(?:o|d|so|bs)$|~$} } sort keys %$listed], [], 'nothing that a build or a tool leaves';

# Whatever a listed source includes by a name of ours travels with it.
my @missing;
for my $file (grep { /\.[ch]pp$/ } keys %$listed) {
    open my $in, '<', $file or die "$file: $!";
    my ($folder) = $file =~ m{^(.*)/};
    while (my $line = readline $in) {
        my ($name) = $line =~ /^\s*#\s*include\s+"([^"]+)"/ or next;
        push @missing, "$file: $name" unless grep { exists $listed->{$_} } $name, "$folder/$name", "src/$name";
    }
}
is_deeply \@missing, [], 'every header is in the distribution';

# One version everywhere, and it has its place in Changes.
my ($version) = do { open my $in, '<', 'lib/Kumihimo.pm' or die $!; local $/; readline($in) =~ /^our \$VERSION = '([\d.]+)';$/m };
ok $version, 'a version';
my @others;
for my $file (grep { /^lib.*\.pm$/ } keys %$listed) {
    open my $in, '<', $file or die $!;
    my ($other) = do { local $/; readline($in) =~ /^our \$VERSION = '?([^';]+)'?;/m };
    push @others, "$file: $other" if defined $other && $other ne $version && $other ne '$Kumihimo::VERSION';
}
is_deeply \@others, [], 'the same version in every module that has one';
like do { open my $in, '<', 'Changes' or die $!; local $/; readline $in }, qr/^\Q$version\E\b/m, 'Changes tells of this version';

done_testing;
