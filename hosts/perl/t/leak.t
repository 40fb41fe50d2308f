# Nothing is left behind: perl's values by counting them, the compiled part's own memory by the size of the process. Every way in and every way out: values,
# errors, and callbacks that die.
use strict;
use warnings;
use utf8;
use lib 't/lib';
use Installed qw(load_installed);
use Leaks qw(resident);
use Test::More;

BEGIN { plan skip_all => 'not proven: Test::LeakTrace is not installed' unless load_installed('Test::LeakTrace'); Test::LeakTrace->import(qw(leaked_count)) }
use Math::BigInt;
use Kumihimo;
use Kumihimo::JSON;
use Kumihimo::JSON::Cpanel ();
use Kumihimo::MessagePack;

{
    package Leak::Converts; sub new { bless { v => $_[1] }, $_[0] } sub TO_JSON { return { of => $_[0]{v}, list => [1, 2] } }
    package Leak::Dies;     sub new { bless {}, $_[0] } sub TO_JSON { die { code => 7, text => 'TO_JSON ' . 'died' } }
    package Leak::Text;     use overload '""' => sub { 'text' . $_[0][0] }, fallback => 1; sub new { bless [$_[1]], $_[0] }
    package Leak::BadText;  use overload '""' => sub { die "no text\n" }, fallback => 1; sub new { bless [], $_[0] }
    package Leak::Frozen;   sub new { bless [@_[1 .. $#_]], $_[0] } sub FREEZE { return @{ $_[0] } } sub THAW { my ($class, $serialiser, @values) = @_; return bless [@values], $class }
    package Leak::Thaws;    sub FREEZE { die "no freezing\n" } sub THAW { die "no thawing\n" }
    package Leak::Tied;     require Tie::Hash; our @ISA = 'Tie::StdHash';
    package Leak::TiedDies; our @ISA = 'Tie::StdHash'; sub FETCH { die "no fetching\n" }
    package Leak::List;     require Tie::Array; our @ISA = 'Tie::StdArray';
}
tie my %tied, 'Leak::Tied';
%tied = (a => 1, b => [2, { c => 3 }]);
tie my %tied_dies, 'Leak::TiedDies';
%tied_dies = (a => 1, b => 2);
tie my @tied_list, 'Leak::List';
@tied_list = (1, 'two', [3]);

my $long = 'x' x 5_000;
my $data = { list => [1, -2.5, '3', undef, \1, \0, 1e300, $long], "name\x{7d44}" => "\x{7d44}\x{7d10}\n", deep => [[[[{ a => [] }]]]], map { ("key$_" => { id => $_, "latin\xe9" => "caf\xe9" }) } 1 .. 20 };
my $text = Kumihimo::JSON->new->utf8->canonical->encode($data);
my @wrong = map { substr $text, 0, $_ } 1 .. 40, length($text) - 1;
push @wrong, "[\"\xff\"]", '["\ud800"]', "[1,\n x]", '[1]]', '{"a":1 "b"}', '[' x 600, '["' . $long, '{"' . $long, '[nul]', '[1.]', '[01]', '{"a":[1,{"b":[2,"c', '';

my $json = Kumihimo::JSON->new->utf8;
my $convert = Kumihimo::JSON->new->utf8->convert_blessed->allow_blessed->allow_tags->canonical;
my $filter = Kumihimo::JSON->new->utf8->filter_json_object(sub { my ($object) = @_; return exists $object->{id} ? [$object] : () })->filter_json_single_key_object(a => sub { 'single' });
my $filter_dies = Kumihimo::JSON->new->utf8->filter_json_object(sub { my ($object) = @_; die { object => $object } if exists $object->{id}; return });
my $ordered = Kumihimo::JSON->new->utf8->keep_order;
my $cpanel = Kumihimo::JSON::Cpanel->new->utf8->allow_nonref;
my $sort_dies = Kumihimo::JSON::Cpanel->new->sort_by(sub { die "no order\n" });
my $big = Kumihimo::JSON::Cpanel->new->utf8->allow_bignum->allow_nonref;
my $types = { a => Kumihimo::JSON::Type::JSON_TYPE_INT(), b => Kumihimo::JSON::Type::JSON_TYPE_STRING() } if eval { require Kumihimo::JSON::Type; 1 };
my $pack = Kumihimo::MessagePack->new->canonical;
my $packed = $pack->pack({ list => [1, -2.5, '3', undef, 1e300, $long], deep => [[[{ a => [] }]]] });
my $partial = Kumihimo->partial('key1.id', 'list[*]', 'deep');
my $loop = []; push @$loop, $loop;

# name => what is done. What dies begins with a !, so that nothing is measured that is not what it says.
my @ways = (
    encode => sub { $json->encode($data) },
    'encode, canonical and pretty' => sub { Kumihimo::JSON->new->canonical->pretty->ascii->encode($data) },
    'encode of objects' => sub { $convert->encode([Leak::Converts->new([1, 2]), Leak::Text->new(1), Leak::Frozen->new(1, [2]), Math::BigInt->new('1' x 40)]) },
    'encode of tied values' => sub { $json->encode([\%tied, \@tied_list]) },
    '!encode, TO_JSON dies' => sub { $convert->encode([1, { a => [Leak::Converts->new(Leak::Dies->new)] }, $data]) },
    '!encode, FREEZE dies' => sub { $convert->encode([$data, bless [], 'Leak::Thaws']) },
    '!encode, overload dies' => sub { Kumihimo::JSON::Cpanel->new->convert_blessed->allow_blessed->encode([$data, Leak::BadText->new]) },
    '!encode, FETCH dies' => sub { $json->encode([$data, \%tied_dies]) },
    '!encode, canonical, FETCH dies' => sub { Kumihimo::JSON->new->canonical->encode([$data, { x => \%tied_dies }]) },
    '!encode, no way to' => sub { $json->encode([$data, sub { }]) },
    '!encode, an object' => sub { $json->encode({ a => [$data, bless [], 'Leak::None'] }) },
    '!encode, a loop' => sub { $json->encode($loop) },
    '!encode, sort_by dies' => sub { $sort_dies->encode([{ a => 1, b => 2, c => 3 }]) },
    'encode, types' => sub { $cpanel->encode({ a => '1', b => 2 }, $types) },
    '!encode, wrong types' => sub { $cpanel->encode({ a => [], b => 2 }, $types) },
    'encode, keep_order' => sub { $ordered->encode($ordered->decode($text)) },
    decode => sub { $json->decode($text) },
    'decode, characters' => sub { Kumihimo::JSON->new->decode("[\"\x{7d44}\x{7d10}\",\"caf\xe9\"]") },
    'decode, keep_order' => sub { $ordered->decode($text) },
    'decode, key twice' => sub { $json->decode('{"a":[1,2],"a":{"b":[3]},"a":"' . $long . '"}') },
    '!decode, key twice, refused' => sub { $cpanel->decode('{"x":[1,{"a":[1,2],"a":{"b":[3]}}]}') },
    'decode, big numbers' => sub { $big->decode('[' . '1' x 50 . ',0.' . '1' x 50 . ',1e4000]') },
    'decode, filters' => sub { $filter->decode($text) },
    '!decode, a filter dies' => sub { $filter_dies->decode($text) },
    'decode, tags' => sub { $convert->decode('[("Leak::Frozen")[1,{"a":[2]}]]') },
    '!decode, THAW dies' => sub { $convert->decode('[[1],("Leak::Thaws")[1,{"a":[2]}]]') },
    '!decode, THAW is missing' => sub { $convert->decode('[[1],("Leak::None")[1,{"a":[2]}]]') },
    '!decode, too deep' => sub { Kumihimo::JSON->new->max_depth(3)->decode('[[1,{"a":[[2]]}]]') },
    '!decode, too large' => sub { Kumihimo::JSON->new->max_size(10)->decode($text) },
    'decode_prefix' => sub { my @read = $json->decode_prefix('[1,{"a":"b"}]   rest') },
    'decode, boolean_values' => sub { Kumihimo::JSON->new->boolean_values([1], { a => 1 })->decode('[true,false,true]') },
    'in pieces' => sub { my $j = Kumihimo::JSON->new->utf8; $j->incr_parse($_) for unpack '(a7)*', '[1,{"a":"b"}][2,"three"] {"x'; my @read = $j->incr_parse; return @read },
    '!in pieces, an error' => sub { return scalar Kumihimo::JSON->new->incr_parse('[1,{"a":x}][2]') },
    'in pieces, skipped' => sub { my $j = Kumihimo::JSON->new; eval { my $wrong = $j->incr_parse('[1,{"a":x}][2]'); 1 } and die 'no error'; $j->incr_skip; my $r = $j->incr_parse; $j->incr_reset; return $r },
    'an object is made and set' => sub { Kumihimo::JSON->new->filter_json_object(sub { $data })->filter_json_single_key_object(a => sub { 1 })->filter_json_single_key_object('a')->filter_json_object },
    functions => sub { from_json_text() },
    'MessagePack' => sub { $pack->unpack($pack->pack({ a => [1, { b => 'c' }], d => "\x{7d44}" })) },
    '!MessagePack, cut' => sub { $pack->unpack(substr $packed, 0, 300) },
    '!MessagePack, wrong' => sub { $pack->unpack("\x92\x01\xc1") },
    '!MessagePack, no way to' => sub { $pack->pack([$data, sub { }]) },
    partial => sub { $partial->decode($text) },
    '!partial, an error' => sub { $partial->decode(substr $text, 0, -3) },
    '!partial, a wrong path' => sub { Kumihimo->partial('a', 'b[') },
    lazy => sub { my $doc = Kumihimo->lazy($text); return $doc->{key1}{id} + $doc->{list}[0] },
    '!lazy, an error' => sub { Kumihimo->lazy(substr $text, 0, -3) },
    each_document => sub { open my $in, '<', \"{\"a\":[1]}\n{\"b\":2}\n[3]\n" or die; Kumihimo->each_document($in, sub { my ($document) = @_; return }) },
    '!each_document, the block dies' => sub { open my $in, '<', \"{\"a\":[1]}\n{\"b\":2}\n" or die; Kumihimo->each_document($in, sub { die $_[0] }) },
    '!each_document, an error' => sub { open my $in, '<', \"{\"a\":[1]}\n{\"b\":\n" or die; Kumihimo->each_document($in, sub { }) },
    (map { my ($n, $document) = ($_, $wrong[$_]); ("!decode of wrong document $n" => sub { $json->decode($document) }) } 0 .. $#wrong),
);

sub from_json_text { return Kumihimo::JSON::decode_json(Kumihimo::JSON::encode_json([1, { a => 'b' }])) }

# A leak of 40 bytes each time is 110 KB more after so many rounds, every time; what else moves does not move three times.
my $rounds = 2000;
while (my ($name, $code) = splice @ways, 0, 2) {
    my $dies = $name =~ s/^!//;
    my $lived;
    my $run = sub { $lived = eval { my @values = $code->(); 1 }; $@ = ''; return };
    $run->();
    ok !$lived == !!$dies, "$name: " . ($dies ? 'dies' : 'lives');
    $run->() for 1 .. 3;    # what is kept on purpose (shapes, keys, perl's own caches) is there now
    is leaked_count(sub { $run->() for 1 .. 5 }), 0, "$name: every value is gone";
    next unless defined resident();
    my $grown;
    for (1 .. 3) {
        my $before = resident();
        $run->() for 1 .. $rounds;
        $grown = resident() - $before;
        last if $grown < 80;
    }
    cmp_ok $grown, '<', 80, "$name: the process is no larger, in KB";
}

done_testing;
