# Where Kumihimo::JSON and Kumihimo::JSON::Cpanel differ from JSON::XS and Cpanel::JSON::XS on purpose. What is written is JSON, always, and what is read is
# what was written, as far as it was Unicode.
use strict;
use warnings;
no warnings qw(surrogate non_unicode nonchar);
use Test::More;

use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();

my $json = Kumihimo::JSON->new;
my $cpanel = Kumihimo::JSON::Cpanel->new->allow_nonref;
# Later releases refuse what this is about: cpanel_releases.t.
Kumihimo::JSON::Cpanel::_as_release(435, 1);
my ($inf, $nan) = (9 ** 9 ** 9, -sin(9 ** 9 ** 9));

# ---- infinities: JSON::XS writes them bare
is $json->encode([$inf, -$inf, $nan]), '[null,null,null]', 'infinities are null';
is $json->stringify_infnan(3)->encode([$inf, -$inf, $nan]), '["inf","-inf","nan"]', 'or strings';
is $json->stringify_infnan(2)->encode([$inf, -$inf]), '[inf,-inf]', 'or, when that is asked for, what is no JSON';
$json->stringify_infnan(0);
SKIP: {
    skip 'no Math::BigInt here', 3 unless eval { require Math::BigInt };
    my $none = Math::BigInt->new('NaN');
    is $cpanel->allow_bignum->encode([$none]), '[null]', 'a big number that is none is null';
    is $cpanel->stringify_infnan(3)->encode([$none, Math::BigInt->new('-inf')]), '["nan","-inf"]', 'or a string, not bare';
    is $cpanel->stringify_infnan(1)->encode([Math::BigInt->new('inf')]), '["inf"]', 'in every such mode';
    $cpanel->allow_bignum(0)->stringify_infnan(0);
}

# ---- text that Unicode does not have
for my $encoder ($json, $cpanel) {
    is $encoder->utf8->encode(["\x{d800}", "a\x{dfff}b"]), "[\"\xef\xbf\xbd\",\"a\xef\xbf\xbdb\"]", 'surrogates are U+FFFD in UTF-8';
    is $encoder->utf8(0)->encode(["\x{d800}"]), "[\"\x{d800}\"]", 'and stay what they are among characters';
    is $encoder->ascii->encode(["\x{d800}"]), '["\ud800"]', 'and have an escape in ASCII';
    ok !eval { $encoder->ascii(0)->encode(["\x{110000}"]); 1 }, 'beyond Unicode is refused';
    like $@, qr/^(?:out of range codepoint|malformed or illegal unicode character)/, 'in their words';
}
ok !eval { $json->utf8->decode("[\"\xed\xa0\x80\"]"); 1 }, 'surrogates in UTF-8 are refused';
is $json->utf8(0)->decode("[\"\x{d800}\"]")->[0], "\x{d800}", 'and read among characters';

# ---- perl's own booleans
SKIP: {
    skip 'this perl does not tell its booleans from 1 and ""', 7 if $] < 5.036;
    is $json->encode([!!1, !!0, my $copy = 1 == 1]), '[true,false,true]', 'core booleans';
    is $json->core_bools(0)->encode([!!1, !!0]), '["1",""]', 'core_bools off';
    is ref $json->decode('[true]')->[0], 'JSON::PP::Boolean', 'objects';
    my $read = $json->core_bools->decode('[true,false]');
    ok !ref $read->[0] && !ref $read->[1], 'core_bools on: no objects';
    is $json->encode($read), '[true,false]', 'core booleans both ways';
    is(Kumihimo::JSON::Cpanel->new->core_bools->encode([my $yes = !!1]), '[true]', 'by the rules of Cpanel::JSON::XS, on');
    is(Kumihimo::JSON::Cpanel->new->core_bools(0)->encode([my $no = !!1]), '[1]', 'and off');
    $json->core_bools(0)->core_bools;
}
$json->unblessed_bool(0);

# ---- numbers
is $json->decode('[-9223372036854775808]')->[0] + 1, -9223372036854775807, 'the smallest integer is one; a string to JSON::XS';
is sprintf('%.17g', $json->decode('[0.3]')->[0]), sprintf('%.17g', 0.3), 'doubles are read exactly';
is $json->encode([0.1 + 0.2, 1 / 3, 1e23, 100.0, 1e15, 5e-324]), '[0.3,0.333333333333333,1e+23,100,1e+15,4.94065645841247e-324]', 'written with 15 digits';
is $json->shortest_floats->encode([0.1 + 0.2, 1 / 3, 1e23, 100.0, 5e-324]), '[0.30000000000000004,0.3333333333333333,1e+23,100,5e-324]', 'or with as many as they need';
for my $x (0.1 + 0.2, 1 / 3, 1e23, 5e-324, 1.7976931348623157e308, 123456789.123456789, -2 ** 60, 1e-7, 2 ** 53 + 2) {
    cmp_ok $json->decode($json->encode([$x]))->[0], '==', $x, "$x comes back";
}
is(Kumihimo::JSON::Cpanel->new->shortest_floats->encode([0.1 + 0.2, 100.0, 1e16, -0.0, 5]), '[0.30000000000000004,100.0,1e+16,-0.0,5]', 'by the other rules too, with their point');
$json->shortest_floats(0);

# ---- booleans of other modules
for my $class (qw(JSON::PP::Boolean Types::Serialiser::Boolean Mojo::JSON::_Bool JSON::XS::Boolean Cpanel::JSON::XS::Boolean Data::MessagePack::Boolean)) {
    my ($yes, $no) = (bless(\(my $one = 1), $class), bless(\(my $zero = 0), $class));
    is $json->encode([$yes, $no]), '[true,false]', $class;
    is $cpanel->encode([$yes, $no]), '[true,false]', "$class by the other rules";
}

# ---- the caller's order, which JSON::XS has not and Cpanel::JSON::XS does not use
is(Kumihimo::JSON->new->sort_by(sub { $b cmp $a })->encode({ a => 1, b => { d => 2, c => 3 }, e => 4 }), '{"e":4,"b":{"d":2,"c":3},"a":1}', 'sort_by with a sub');
is(Kumihimo::JSON->new->sort_by(sub { $Kumihimo::JSON::b cmp $Kumihimo::JSON::a })->encode({ a => 1, b => 2 }), '{"b":2,"a":1}', 'whose $a and $b are those of the class too');
sub Kumihimo::JSON::by_length { length($Kumihimo::JSON::a) <=> length($Kumihimo::JSON::b) || $Kumihimo::JSON::a cmp $Kumihimo::JSON::b }
is(Kumihimo::JSON->new->sort_by('by_length')->encode({ aaa => 1, b => 2, cc => 3, a => 4 }), '{"a":4,"b":2,"cc":3,"aaa":1}', 'by the name of a sub');
is(Kumihimo::JSON->new->sort_by->encode({ c => 1, b => 2, a => 3 }), '{"a":3,"b":2,"c":1}', 'without an argument');
ok !eval { Kumihimo::JSON->new->sort_by('no_such_sub'); 1 }, 'a sub that is not there';
like $@, qr/^sort_by: there is no sub 'no_such_sub' in Kumihimo::JSON at \Q$0\E/, 'says so';
{
    my $turn = 0;
    my $wild = Kumihimo::JSON->new->sort_by(sub { ++$turn % 3 - 1 });
    my %h = map { ($_ => 1) } 1 .. 300;
    is_deeply $json->decode($wild->encode(\%h)), \%h, 'an order that is none';
    my $dies = Kumihimo::JSON->new->sort_by(sub { die "no order\n" });
    ok !eval { $dies->encode(\%h); 1 }, 'a sub that dies';
    is $@, "no order\n", 'and what it said';
    our ($a, $b) = ('mine', 'too');
    Kumihimo::JSON->new->sort_by(sub { $a cmp $b })->encode({ x => 1, y => 2 });
    is "$a $b", 'mine too', 'leaves $a and $b as they were';
}

# ---- TO_JSON without end is an error, not a crash
{
    package Endless;
    sub TO_JSON { return bless [], 'Endless' }
    package EndlessFrozen;
    sub FREEZE { return bless [], 'EndlessFrozen' }
}
SKIP: {
    skip 'takes a machine stack of limited size', 4 unless $^O eq 'linux';
    ok !eval { no warnings 'recursion'; $json->convert_blessed->encode([bless [], 'Endless']); 1 }, 'TO_JSON without end';
    like $@, qr/^an object's TO_JSON or FREEZE gives objects without end/, 'says so';
    ok !eval { no warnings 'recursion'; $json->allow_tags->encode([bless [], 'EndlessFrozen']); 1 }, 'FREEZE without end';
    like $@, qr/^an object's TO_JSON or FREEZE gives objects without end/, 'says so';
}
my $deep = [];
$deep = [$deep] for 1 .. 200_000;
ok !eval { Kumihimo::JSON->new->max_depth(1e9)->encode($deep); 1 }, 'a structure deeper than the machine can hold';
like $@, qr/^the structure is nested too deeply for this thread's stack/, 'says so';
# Perl frees it by recursion.
while (@$deep) { $deep = shift @$deep }

# ---- what breaks perl's own stack in the stock module
{
    package FreezeSelf;
    sub FREEZE { return $_[0] }
    package FreezeDies;
    sub FREEZE { die "no FREEZE\n" }
    package Thaws;
    sub FREEZE { my ($self, $as) = @_; return ($as, @{ $self->{values} }) }
    sub THAW { my ($class, $as, @values) = @_; shift @values; return bless { values => \@values }, $class }
}
my $tags = Kumihimo::JSON::Cpanel->new->allow_tags->canonical;
ok !eval { $tags->encode([bless {}, 'FreezeSelf']); 1 }, 'FREEZE that gives the object itself';
like $@, qr/^FreezeSelf::FREEZE method returned same object as was passed instead of a new one at \Q$0\E/, 'says so';
ok !eval { $tags->encode([bless {}, 'FreezeDies']); 1 }, 'FREEZE that dies';
is $@, "no FREEZE\n", 'and what it said';
my $object = bless { values => [1, ['x', bless { values => [] }, 'Thaws'], { a => undef }] }, 'Thaws';
is $tags->encode($object), '("Thaws")["JSON",1,["x",("Thaws")["JSON"]],{"a":null}]', 'tags in tags';
is_deeply $tags->decode($tags->encode([$object])), [$object], 'and back';
is_deeply $tags->decode($tags->pretty->encode([$object])), [$object], 'and with white space';
$tags->pretty(0);
my $strange = bless { values => [] }, qq(A"b\\c\nd/e\x{263a});
{ no strict 'refs'; @{ qq(A"b\\c\nd/e\x{263a}::ISA) } = 'Thaws'; }
is $tags->encode($strange), qq(("A\\"b\\\\c\\u000ad/e\x{263a}")["JSON"]), 'the name of a class is escaped';
is_deeply $tags->decode($tags->encode([$strange])), [$strange], 'and read again';

done_testing;
