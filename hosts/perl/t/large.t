# Long documents are written into memory that malloc has kept, not into fresh pages each time: page faults in steady state, in a process of its own.
use 5.016;
use strict;
use warnings;

use Test::More;

plan skip_all => 'not proven: there is no /proc/self/stat here' unless -r '/proc/self/stat';
plan skip_all => 'a sanitizer has a malloc of its own' if $ENV{KUMIHIMO_SANITIZED};
plan skip_all => 'not proven: not the C library whose malloc this is about' unless `getconf GNU_LIBC_VERSION 2>&1` =~ /\Aglibc/;

my $program = <<'END';
use strict; use warnings;
use Kumihimo::JSON (); use Kumihimo::MessagePack ();
sub faults { open my $in, '<', '/proc/self/stat' or die $!; return (split ' ', (split /\) /, <$in>)[1])[7] }
my ($method, $json, $size) = ($ARGV[1], eval $ARGV[0], $ARGV[2]);
my $value = [map { "text $_ " . 'x' x 90 } 1 .. $size / 110];
for (1 .. 4) { my $text = $json->$method($value) }
my ($before, $length) = (faults(), 0);
for (1 .. 8) { my $text = $json->$method($value); $length = length $text }
print faults() - $before, ' ', $length;
END
for my $case (['Kumihimo::JSON->new->utf8', 'encode'], ['Kumihimo::JSON->new->utf8->shrink', 'encode'], ['Kumihimo::JSON->new->utf8->pretty', 'encode'], ['Kumihimo::MessagePack->new', 'pack']) {
    for my $size (300_000, 3_400_000, 12_000_000) {
        my ($make, $method) = @$case;
        open my $in, '-|', $^X, (map { "-I$_" } grep { !ref } @INC), '-e', $program, $make, $method, $size or die "$^X: $!";
        my ($faults, $length) = split ' ', do { local $/; readline $in };
        cmp_ok $length, '>', $size * 0.8, "$make->$method: $size bytes";
        # Once all are fresh, each call has one for 4,096 bytes.
        cmp_ok $faults, '<', $length / 4096 * 2, "$faults page faults in 8 calls";
    }
}
done_testing;
