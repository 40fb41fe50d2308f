# Values that JSON can say, as JSON::PP would read them, by perl's random numbers: a test that sets the seed gets the same ones again.
package JsonValues;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();

our @EXPORT_OK = qw(json_value);

# At most $depth levels of containers with at most $most entries each. Texts and keys have what JSON and paths must escape.
sub json_value {
    my ($depth, $most) = @_;
    my $kind = $depth == 0 ? rand 0.6 : rand;
    return int rand 1000 if $kind < 0.2;
    return join '', map { chr +(34, 92, 47, 65, 97, 233, 0x263a, 0x1f600, 10)[rand 9] } 1 .. rand 20 if $kind < 0.4;
    return (undef, JSON::PP::true(), JSON::PP::false(), 1.5)[rand 4] if $kind < 0.6;
    return [map { json_value($depth - 1, $most) } 1 .. rand $most + 1] if $kind < 0.8;
    return { map { +(qw(a b c), "caf\xe9", 'a b', 'x"y', '~/')[rand 7] . ('', 0, 1)[rand 3] => json_value($depth - 1, $most) } 1 .. rand $most + 1 };
}

1;
