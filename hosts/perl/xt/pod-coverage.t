# Every public function and method is documented where it is, or where what it overrides is.
use strict;
use warnings;
use Test::More;
use Test::Pod::Coverage 1.08;
use Pod::Coverage;

# Perl's own hooks, and those of the interfaces these classes stand in for, need no words.
my @private = (qr/^_/, qr/^(?:import|unimport|DESTROY|CLONE|CLONE_SKIP|AUTOLOAD|BEGIN|TIE\w+|bootstrap|FETCH\w*|STORE\w*|EXISTS|DELETE|CLEAR|FIRSTKEY|NEXTKEY|SCALAR|DOES)$/);

for my $module (all_modules('lib')) {
    # A plugin is for a framework that may not be here.
    if ($module =~ /^(?:Mojolicious::Plugin|Kumihimo::Mojo)/ && !eval { require Mojolicious; 1 }) {
        note "$module needs Mojolicious";
        next;
    }
    pod_coverage_ok($module, { private => \@private, coverage_class => 'Pod::Coverage::CountParents' });
}

done_testing;
