# JSON::PP's encode and ours in its place, in one process: picked and generated values under all kinds of options, by texts, flags, errors and their places.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use EncodeValues qw(picked generated);
use StockPair qw(quoted);
use Test::More;

my $stock;

BEGIN {
    # Two hashes with the same entries have the same order then.
    my %fixed = (PERL_HASH_SEED => 0, PERL_PERTURB_KEYS => 0);
    if (grep { ($ENV{$_} // '') ne $fixed{$_} } keys %fixed) {
        @ENV{keys %fixed} = values %fixed;
        exec $^X, (map { "-I$_" } grep { !ref } @INC), $0 or die "$^X: $!";
    }
    require JSON::PP;
    plan skip_all => 'not proven: JSON::PP 4.07 is not installed' unless eval { JSON::PP->VERSION('4.07'); 1 };
    $stock = \&JSON::PP::PP_encode_json;
}
use Kumihimo::Instead qw(JSON::PP);

{
    # Called as JSON::PP's own method calls it: its errors name the first caller outside.
    package JSON::PP;
    sub by_stock { return $stock->($_[0], $_[1]) }
}
isnt \&JSON::PP::PP_encode_json, $stock, 'ours encodes';

{
    package BooleanToo;
    our @ISA = 'JSON::PP::Boolean';
    package SaysItIs;
    sub isa { return $_[1] eq 'JSON::PP::Boolean' }
    package SaysItCan;
    our $AUTOLOAD;
    sub can { return $_[1] eq 'TO_JSON' }
    sub AUTOLOAD { return $AUTOLOAD =~ /DESTROY/ ? () : ['autoloaded', (wantarray ? 1 : 0)] }
    package CannotJson;
    sub can { return }
    sub TO_JSON { return 'never' }
    package BigToo;
    our @ISA = 'Math::BigInt';
    package Loud;
    use overload '""' => sub { "loud\x{263a}" }, '==' => sub { 1 }, '0+' => sub { 0 }, 'eq' => sub { 0 };
    package JsonScalar;
    sub TO_JSON { return ${ $_[0] } }
    package JsonDeep;
    sub TO_JSON { my ($self) = @_; return { inner => [@$self], again => JSON::PP->new->canonical->encode([@$self]) } }
    package JSON::PP;
    sub by_length { return length $a <=> length $b || $b cmp $a }
}

sub boolean { my ($value) = @_; return bless \$value, 'JSON::PP::Boolean' }
sub tied_scalar { my ($value) = @_; tie my $scalar, 'TiedScalar', $value; return \$scalar }

my @values = (
    picked(),
    'booleans of all kinds' => sub { [map({ boolean($_) } 1, 0, '1', '0', '1.0', 1.0, 2, -1, '', 'x', '1x'), bless(\(my $one = 1), 'BooleanToo'), bless({}, 'SaysItIs')] },
    'a boolean without value' => sub { no warnings; [boolean(undef)] },
    'a boolean of an object' => sub { [boolean(bless [], 'Loud'), boolean(bless [], 'Counts')] },
    'a boolean that is an array' => sub { [bless [], 'JSON::PP::Boolean'] },
    'objects that say what they can' => sub { [bless([], 'SaysItCan'), bless({}, 'CannotJson')] },
    'big numbers of a subclass' => sub { require Math::BigInt; [BigToo->new('12345678901234567890123'), Math::BigInt->bnan, Math::BigInt->binf('-')] },
    'packages with names of types' => sub { [bless({ a => 1 }, 'HASH'), bless([2], 'ARRAY'), bless(\(my $x = 1), 'SCALAR')] },
    'a hash named as an array' => sub { [bless {}, 'ARRAY'] },
    'an array named as a hash' => sub { [bless [], 'HASH'] },
    'an object of class 0' => sub { [bless \(my $x = 'x'), 'Plain'] },
    'what TO_JSON gives' => sub { [map { bless \(my $value = $_), 'JsonScalar' } undef, 1, '1', 'text', 1.5, [1], { a => 1 }, \1, \0, 9 ** 9 ** 9] },
    'TO_JSON that encodes' => sub { [bless([1, 'x'], 'JsonDeep'), [2], bless([bless [], 'JsonDeep'], 'JsonDeep')] },
    'objects with texts' => sub { [bless [], 'Loud'] },
    'a tied boolean' => sub { [tied_scalar(1), tied_scalar(0), tied_scalar('x')] },
    'a tied undef' => sub { [tied_scalar(undef)] },
    'formats and lvalues' => sub { [\substr(my $text = 'abc', 0, 1)] },
    'a version string' => sub { [\v1.2.3, v65.66] },
    'numbers near the ends of integers' => sub { [map({ $_, 0 + "$_", "$_" + 0 } 2 ** 53, 2 ** 53 + 2, 2 ** 62, 2 ** 63, 2 ** 63 + 4096, 2 ** 64, -(2 ** 63), 1e15, 1e16, 123456789012345680), 9007199254740993, -9223372036854775808] },
    'such numbers used as others' => sub { [map { my $x = $_; my $y = $x + 0; my $z = "$x"; my $w = $x | 0; $x } 2 ** 53, 2 ** 60, 2 ** 63, 2 ** 64, 1e15, 1.5, 1e300, '9007199254740993', '1e15', '9223372036854775807', '9223372036854775808', '18446744073709551616'] },
    'core booleans' => sub { [1 == 1, 1 == 2, !!1, !!0, my $copy = !!1, { a => !1 }] },
    'core booleans used as others' => sub { no warnings; [map { my $x = $_; my $y = $x + 1; my $z = "$x"; $x } !!1, !!0] },
    'characters by three' => sub { no warnings; ["\x{7f}\x{80}\x{ff}\x{100}\x{fff}\x{1000}\x{ffff}\x{10000}\x{10ffff}", "\x{110000}\x{7fffffff}", "\x{d800}"] },
    'keys of all kinds' => sub { +{ "\x{263a}" => 1, "\xe9" => 2, 'a/b' => 3, "\"\\\n" => 4, '' => 5 } },
);

my @switches = qw(ascii latin1 utf8 indent canonical space_before space_after allow_nonref shrink allow_blessed convert_blessed allow_bignum escape_slash
    allow_unknown pretty relaxed loose allow_singlequote allow_barekey);

sub coder {
    my ($bits, $rest) = @_;
    my $json = JSON::PP->new;
    $json->allow_nonref(0) if $bits & 1;
    for my $i (0 .. $#switches) {
        my $name = $switches[$i];
        $json->$name if $bits >> $i + 1 & 1;
    }
    $json->indent_length($rest % 5) if $rest % 3 == 0;
    $json->max_depth(2 + $rest % 7) if $rest % 11 == 0;
    $json->sort_by($rest % 2 ? 'by_length' : sub { $JSON::PP::b cmp $JSON::PP::a }) if $rest % 7 == 0;
    $json->sort_by if $rest % 13 == 0;
    return $json;
}

# In one line, so that the place is the same.
my %ways = (stock => \&JSON::PP::by_stock, ours => \&JSON::PP::encode);
sub answer {
    my ($way, $json, $make, $value) = @_;
    my @warnings;
    local $SIG{__WARN__} = sub { push @warnings, @_ };
    $value = $make->();
    my $text = eval { $ways{$way}->($json, $value) };
    return defined $text ? quoted($text) . " @warnings" : "error: $@" =~ s/\(0x[0-9a-f]+\)/(0x)/gr =~ s/(?<= at )\S+(?:PP\.pm|rules_pp\.hpp)\S* line \d+/PP.pm/gr . "@warnings";
}

my ($differ, $asked) = (0, 0);
sub same {
    my ($name, $make, $json, $options) = @_;
    my ($ours, $theirs) = map { answer($_, $json, $make) } qw(ours stock);
    $asked++;
    return if $ours eq $theirs;
    $differ++ < ($ENV{KUMIHIMO_SHOWN} // 20) and diag "$name, options $options\nJSON::PP $theirs\nours     $ours";
    return;
}

srand($ENV{KUMIHIMO_SEED} // 1);
my $count = $ENV{KUMIHIMO_COUNT} // 300;
for (my $i = 0; $i < @values; $i += 2) {
    my ($name, $make) = @values[$i, $i + 1];
    same($name, $make, coder(0, 1), 'none');
    for my $switch (0 .. @switches) {
        same($name, $make, coder(1 << $switch, 1), $switch ? $switches[$switch - 1] : 'no allow_nonref');
        # What most objects need before anything else of an option is seen.
        same($name, $make, coder(1 << $switch | 3 << 10 | 5 << 12, 1), "$switch with all allowed");
    }
    for (1 .. 1 + $count / 10) {
        my ($bits, $rest) = (int rand 1 << 20, int rand 10_000);
        same($name, $make, coder($bits, $rest), "$bits $rest");
    }
}
is $differ, 0, "$asked encodings of picked values are JSON::PP's";

($differ, $asked) = (0, 0);
for my $seed (1 .. $count * 4) {
    my $value = generated($seed);
    my ($bits, $rest) = (int rand 1 << 20, int rand 10_000);
    same("generated $seed", sub { $value }, coder($bits | 5 << 12, $rest), "$bits $rest");
    my $bits_of_number = pack 'Q', (int rand 2 ** 32) << 32 | int rand 2 ** 32;
    my $number = unpack 'd', $bits_of_number;
    same("float $number", sub { [$number, 0 + "$number", unpack('q', $bits_of_number), unpack('Q', $bits_of_number)] }, coder(0, 1), 'none');
    my $near = (int rand 2 ** 54) * 2 ** int rand 12;
    same("float $near", sub { [$near, -$near, 0.0 + "$near", do { my $x = $near; my $y = $x & 1; $x }, do { my $x = "$near"; my $y = $x + 1; $x }] }, coder(0, 1), 'none');
}
is $differ, 0, "$asked encodings of generated values are JSON::PP's";

# ---- what is left to JSON::PP itself
my $by_stock = 0;
{
    no warnings 'redefine';
    my $theirs = $Kumihimo::Instead::PP::stock_encode;
    $Kumihimo::Instead::PP::stock_encode = sub { $by_stock++; goto &$theirs };
}
sub left {
    my ($json, $value, $text, $times, $about) = @_;
    $by_stock = 0;
    is $json->encode($value), $text, $about;
    is $by_stock, $times, $times ? 'JSON::PP itself' : 'Kumihimo';
    return;
}
left(JSON::PP->new, [1, 'a'], '[1,"a"]', 0, 'plain values');
left(JSON::PP->new->allow_tags, [1], '[1]', 1, 'allow_tags');
left(JSON::PP->new->as_nonblessed->allow_blessed, [bless { a => 1 }, 'Plain'], '[{"a":1}]', 1, 'as_nonblessed');
left(do { my $json = JSON::PP->new->indent; $json->{indent_length} = 1001; $json }, [], "[]\n", 1, 'an indent_length that was put there by hand');
left(do { my $json = JSON::PP->new; $json->{PROPS} = bless $json->{PROPS}, 'Plain'; $json }, [], '[]', 1, 'an object that was changed by hand');
{
    package Sub;
    our @ISA = 'JSON::PP';
    package SubText;
    our @ISA = 'JSON::PP';
    sub string_to_json { my ($self, $text) = @_; return $self->SUPER::string_to_json(uc $text) }
    package SubEncode;
    our @ISA = 'JSON::PP';
    sub encode { my ($self, $value) = @_; return '<' . $self->SUPER::encode($value) . '>' }
}
left(Sub->new, ['a'], '["a"]', 0, 'a subclass');
left(SubEncode->new, ['a'], '<["a"]>', 0, 'a subclass with an encode of its own');
left(SubText->new, ['a'], '["A"]', 1, 'a subclass with a method that encode calls');
{
    no warnings qw(redefine once);
    local *Sub::hash_to_json = sub { return '{...}' };
    left(Sub->new, { a => 1 }, '{...}', 1, 'a method that a subclass gets later');
    local *JSON::PP::_looks_like_number = sub { return 0 };
    left(JSON::PP->new, [1], '["1"]', 1, 'a function of JSON::PP that somebody has replaced');
}
left(JSON::PP->new, [1], '[1]', 0, 'and put back');
$Kumihimo::Instead::PP::stock_encode = $stock;

# ---- what an object's options do while they are read
{
    package FreesArguments;
    our @arguments;
    use overload bool => sub { @arguments = (); 1 }, fallback => 1;
}
{
    my $json = JSON::PP->new;
    $json->{PROPS}[0] = bless [], 'FreesArguments';
    @FreesArguments::arguments = ($json, 'text ' x 10);
    undef $json;
    is JSON::PP::PP_encode_json(@FreesArguments::arguments), '"' . 'text ' x 10 . '"', 'an option that lets go of the arguments';
}

# ---- places
{
    package Elsewhere;
    sub encodes { return JSON::PP::encode_json([sub { }]) }
}
eval { Elsewhere::encodes() };
like $@, qr/ at \Q${\ __FILE__}\E line \d+\.\n\z/, 'the place is the caller\'s';
my $place = __LINE__ + 1;
eval { JSON::PP->new->encode([\my @array, \*STDOUT]) };
like $@, qr/\Aencountered GLOB\(0x[0-9a-f]+\), but JSON can only represent references to arrays or hashes at \Q${\ __FILE__}\E line $place\.\n\z/, 'and its line';

Kumihimo::Instead->uninstall('JSON::PP');
is \&JSON::PP::PP_encode_json, $stock, 'undone';
Kumihimo::Instead->install('JSON::PP');
isnt \&JSON::PP::PP_encode_json, $stock, 'and done again';

done_testing;
