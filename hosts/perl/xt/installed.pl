# What a distribution must do that was installed with nothing of the repository around it: `perl installed.pl FOLDER`, the folder it was installed to
# as a local library.
use strict;
use warnings;
use utf8;
use Config;
use Cwd qw(realpath);

my $folder;
BEGIN {
    $folder = realpath($ARGV[0] // die "usage: perl installed.pl FOLDER\n");
    unshift @INC, "$folder/lib/perl5/$Config{archname}", "$folder/lib/perl5";
}
use Kumihimo;
use Kumihimo::JSON;

my @elsewhere = grep { /^Kumihimo/ && index(realpath($INC{$_}), "$folder/") != 0 } keys %INC;
die "loaded from elsewhere: @elsewhere\n" if @elsewhere;
die "no compiled part in $folder\n" unless -e "$folder/lib/perl5/$Config{archname}/auto/Kumihimo/Kumihimo.$Config{dlext}";

my $json = Kumihimo::JSON->new->utf8->canonical;
my $data = { name => '組紐', list => [1, -2.5, 1e100, \1, undef], big => '1180591620717411303424' };
my $text = $json->encode($data);
my $wanted = do { my $t = '{"big":"1180591620717411303424","list":[1,-2.5,1e+100,true,null],"name":"組紐"}'; utf8::encode($t); $t };
die "encode: $text\n" unless $text eq $wanted;
my $read = $json->decode($text);
die "decode\n" unless $json->encode($read) eq $wanted && $read->{name} eq '組紐' && $read->{list}[1] == -2.5;
die "a wrong document was read\n" if eval { $json->decode("[1,\n x]"); 1 };
die "no place: $@" unless $@ =~ /offset 5\b/;

for my $module (qw(Kumihimo::JSON::Cpanel Kumihimo::JSON::Type Kumihimo::MessagePack)) {
    eval "require $module; 1" or die "$module: $@";
}
die "MessagePack\n" unless Kumihimo::MessagePack::unpack(Kumihimo::MessagePack::pack([1, 'b', undef, 2.5]))->[3] == 2.5;
print "the installed distribution works: Kumihimo ", Kumihimo->VERSION, " in $folder\n";
