# The compiled part loads, its version is the package's, and another version of the package is refused.
use strict;
use warnings;
use Test::More;

use_ok 'Kumihimo';
is(Kumihimo->VERSION, '0.100', 'the version');
ok(eval "use Kumihimo $_; 1", "use Kumihimo $_") or diag $@ for '0.1', '0.100', 'v0.1.0', '0';
ok(!eval { Kumihimo->VERSION('1.0.0'); 1 }, 'but not for a later one');

# A process of its own: the compiled part of this one is loaded already.
my $said = do {
    local $ENV{PERL5LIB} = join ':', grep { !ref } @INC;
    qx($^X -e 'package Kumihimo; our \$VERSION = "9.9.9"; require XSLoader; eval { XSLoader::load("Kumihimo", \$VERSION); 1 } and print "loaded" or print \$\@' 2>&1);
};
like $said, qr/object version 0\.100 does not match .*9\.9\.9/, 'another version of the package is refused';

done_testing;
