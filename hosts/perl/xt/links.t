# What the documents refer to is in the distribution: files that README.md links to, and pages and sections of the manual pages. What META says is so.
use strict;
use warnings;
use Test::More;
use File::Find ();

sub slurp { my ($file) = @_; open my $in, '<', $file or die "$file: $!"; local $/; return scalar readline $in }

my @missing;
my $readme = slurp('README.md');
while ($readme =~ /\]\(([^)#]+)/g) {
    my $target = $1;
    push @missing, $target unless $target =~ /^https?:/ || $target !~ m{\.\.} && -e $target;
}
is_deeply \@missing, [], 'README.md';

my (%sections, %text);
File::Find::find({ no_chdir => 1, follow_fast => 1, wanted => sub {
    return unless /\.(?:pm|pod)\z/;
    my $page = $File::Find::name =~ s{^lib/|\.\w+\z}{}gr =~ s{/}{::}gr;
    my $pod = slurp($File::Find::name);
    $text{$page} .= $pod;
    $sections{$page}{ $1 =~ s/[A-Z]<+\s*(.*?)\s*>+/$1/gr }++ while $pod =~ /^=(?:head[1-4]|item)\s+(.*?)\s*$/mg;
} }, 'lib');
cmp_ok scalar(keys %text), '>', 10, 'manual pages';
my @broken;
for my $page (sort keys %text) {
    while ($text{$page} =~ /L<([^<>]+)>/g) {
        my $link = $1 =~ s/^[^|]*\|//r;
        next if $link =~ /^https?:/;
        my ($of, $section) = $link =~ m{^([^/]*)(?:/"?(.*?)"?)?\z};
        $of = $page unless length $of;
        next unless $of =~ /^Kumihimo|^Mojolicious::Plugin::(?:Kumihimo|JSON_XS)\b/;
        push @broken, "$page: $link" if !$text{$of} || defined $section && !$sections{$of}{$section};
    }
}
is_deeply \@broken, [], 'links of the manual pages';

like slurp('Changes'), qr/^\d+\.\d+\s+\d{4}-\d\d-\d\d$/m, 'Changes has a date';

SKIP: {
    skip 'no META.json: make dist', 3 unless -e 'META.json';
    require JSON::PP;
    my $meta = JSON::PP::decode_json(slurp('META.json'));
    ok $meta->{resources}, 'META has resources';
    my $provides = $meta->{provides};
    is_deeply [grep { !-e $provides->{$_}{file} } sort keys %$provides], [], 'META provides files that are there';
    is $provides->{'Kumihimo'}{version}, $meta->{version}, 'and their versions';
}

done_testing;
