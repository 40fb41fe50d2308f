# Every module's documentation is well formed, and says what a manual page must.
use strict;
use warnings;
use Test::More;
use Test::Pod 1.41;

my @files = all_pod_files('lib');
ok(@files > 0, 'there are modules');
for my $file (@files) {
    pod_file_ok($file);
    open my $in, '<', $file or die "$file: $!";
    my $text = do { local $/; readline $in };
    for my $section (qw(NAME SYNOPSIS DESCRIPTION)) {
        ok $text =~ /^=head1 $section$/m, "$file has $section";
    }
    my ($package) = $text =~ /^package ([\w:]+)/m;
    ok $text =~ /^=head1 NAME\n\n\Q$package\E - \S/m, "$file names itself and says what it is for";
    (my $path = "lib/$package.pm") =~ s{::}{/}g;
    is $path, $file, "$file holds the package it should";
    # C<> with an unescaped E<gt> and the like render wrongly without being errors.
    ok $text !~ /^[ \t]+=(?:head|over|item|back|cut)\b/m, "$file has no command that is indented by mistake";
}

done_testing;
