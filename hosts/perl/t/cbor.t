# CBOR: the bytes and the values of CBOR::XS, where that is installed.
use 5.016;
use strict;
use warnings;
use lib 't/lib';
use B ();
use Installed qw(load_installed);
use JSON::PP ();
use Test::More;
use Kumihimo qw(dump load);

plan skip_all => 'CBOR::XS is not installed' unless load_installed('CBOR::XS');

my $COUNT = $ENV{KUMIHIMO_COUNT} // 300;
srand($ENV{KUMIHIMO_SEED} // 20_161_225);
my $STOCK = CBOR::XS->new->text_strings->text_keys;

# A value with its kinds: numbers, text and booleans are told apart.
sub words {
    my ($value) = @_;
    return 'undef' unless defined $value;
    my $class = ref $value;
    return '[' . join(',', map { words($_) } @$value) . ']' if $class eq 'ARRAY';
    return '{' . join(',', map { words("$_") . '=>' . words($value->{$_}) } sort keys %$value) . '}' if $class eq 'HASH';
    return $value ? 'true' : 'false' if $class =~ /Boolean\z/;
    return $class if $class;
    my $flags = B::svref_2object(\$value)->FLAGS;
    return 'i' . $value if !($flags & B::SVf_POK) && $flags & B::SVf_IOK;
    return 'f' . ($value != $value ? 'nan' : unpack 'H*', pack 'd>', $value) if !($flags & B::SVf_POK);
    my $text = $value;
    utf8::encode($text);
    return '"' . unpack('H*', $text) . '"';
}

my @SCALARS = (
    undef, '', 'a', "\xe9", "\x{263a}", "a\0b", '0', '5', 0, 1, -1, 23, 24, -24, -25, 255, 256, 65535, 65536, 4294967295, 4294967296, -4294967296, -4294967297,
    9223372036854775807, -9223372036854775807 - 1, 18446744073709551615, 0.5, 1.5, -4.1, 65504.5, 100000.25, 1e300, 5e-324, 2**-24, 2**-25, 2**-149, 3.5e38,
    9**9**9, -9**9**9, 'x' x 23, 'x' x 24, 'x' x 255, 'x' x 256, 'x' x 65_536, JSON::PP::true(), JSON::PP::false(),
);

sub value {
    my ($depth) = @_;
    my $pick = rand;
    return $SCALARS[rand @SCALARS] if $depth > 4 || $pick < 0.5;
    return int(rand(2) ? rand 1000 : rand 2**40) - 500 if $pick < 0.6;
    return rand(2) < 1 ? rand : int(rand 40_000) / 8 if $pick < 0.7;
    return [map { value($depth + 1) } 1 .. rand 6] if $pick < 0.85;
    return { map { ($_ . chr(97 + rand 1000) => value($depth + 1)) } 1 .. rand 6 };
}

for my $n (1 .. $COUNT) {
    my $value = [value(0), value(0)];
    my $ours = dump($value, 'cbor');
    my $theirs = $STOCK->encode($value);
    my $should = words($value);
    my @read = map { words($_) } $STOCK->decode($ours), load($ours, 'cbor');
    # It writes whole floats as integers, so its documents are held to how it reads them itself.
    my ($its, $as) = map { words($_) } load($theirs, 'cbor'), $STOCK->decode($theirs);
    next if $read[0] eq $should && $read[1] eq $should && $its eq $as;
    is $read[0], $should, "value $n of ours, read by it";
    is $read[1], $should, "value $n of ours";
    is $its, $as, "value $n of its";
}
pass "$COUNT values read alike, whoever wrote them";

# Bytes, where both spell alike: no float that a double does not need, and one key.
for my $scalar (grep { words($_) !~ /\Af/ } @SCALARS) {
    is unpack('H*', dump([$scalar, { key => $scalar }], 'cbor')), unpack('H*', $STOCK->encode([$scalar, { key => $scalar }])), 'bytes of ' . substr words($scalar), 0, 40;
}

done_testing;
