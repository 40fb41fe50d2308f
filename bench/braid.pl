# The Perl host's hops of `./dev demo braid`: `braid.pl SOURCE TARGET [FRAME]`, formats by their names, from standard
# input to standard output through Perl values. Hashes keep their order.
use 5.016;
use strict;
use warnings;
use Kumihimo qw(dump load);

my ($source, $target, @frame) = @ARGV;
binmode $_ for *STDIN, *STDOUT;
local $/;
print dump(load(scalar <STDIN>, $source, keep_order => 1), $target, map { (frame => $_) } @frame);
