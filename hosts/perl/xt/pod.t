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
    # A page of its own is no module: it has nothing to be called.
    my $page = $file =~ /\.pod$/;
    for my $section ('NAME', 'DESCRIPTION', $page ? () : 'SYNOPSIS') {
        ok $text =~ /^=head1 $section$/m, "$file has $section";
    }
    my ($package) = $page ? $file =~ s{^lib/|\.pod$}{}gr =~ s{/}{::}gr : $text =~ /^package ([\w:]+)/m;
    ok $text =~ /^=head1 NAME\n\n\Q$package\E - \S/m, "$file names itself and says what it is for";
    (my $path = "lib/$package") =~ s{::}{/}g;
    $path .= $page ? '.pod' : '.pm';
    is $path, $file, "$file holds the package it should";
    # C<> with an unescaped E<gt> and the like render wrongly without being errors.
    ok $text !~ /^[ \t]+=(?:head|over|item|back|cut)\b/m, "$file has no command that is indented by mistake";
}

done_testing;
