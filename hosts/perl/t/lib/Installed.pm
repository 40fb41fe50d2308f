package Installed;

# What a test compares with or runs in, and whether it is there. Where it is missing the test says so and skips; under `./dev test`, which installs all of
# it, nothing may be missing (KUMIHIMO_DEMAND_ALL): a test that compares with nothing would be green.
use 5.016;
use strict;
use warnings;

use Exporter qw(import);
use Module::Metadata ();

our @EXPORT_OK = qw(is_installed load_installed);

# Whether the module is there, in that version or a later one. It is not loaded: tests are about what happens when it is.
sub is_installed {
    my ($module, $version) = @_;
    my $found = Module::Metadata->new_from_module($module);
    die "$module is not installed: nothing is compared with it\n" if !$found && $ENV{KUMIHIMO_DEMAND_ALL};
    return $found && $found->version >= ($version // 0);
}

# The same, and loads it.
sub load_installed {
    my ($module, $version) = @_;
    return 0 unless is_installed($module, $version);
    (my $file = "$module.pm") =~ s{::}{/}g;
    require $file;
    return 1;
}

1;
