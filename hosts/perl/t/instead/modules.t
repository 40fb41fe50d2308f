# Kumihimo in the place of JSON::XS, Cpanel::JSON::XS and JSON::PP: the same program with the module as it is, with ours from the beginning, with ours
# after the module has been loaded and its functions been imported, and after an uninstall. All write the same.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use Installed qw(is_installed);
use InsteadRun qw(program run_with);
use Test::More;

# Prints a line for each call: what came of it, in words. What must differ with ours (whether they answered) is said by OURS lines.
my $calls = program('calls', <<'END');
use strict; use warnings;
$| = 1;
my ($module, $how) = @ARGV;
(my $file = "$module.pm") =~ s{::}{/}g;
require Kumihimo::Instead if $how ne 'stock';
if ($how eq 'before') { Kumihimo::Instead->install($module) }
require $file;
$module->import(qw(encode_json decode_json));
my $saved = \&encode_json;
my $class_new = $module->can('new');
my $early = $module->new->canonical;
if ($how eq 'after' || $how eq 'undone') { Kumihimo::Instead->install($module) }
my $between = $module->new->utf8->pretty;
if ($how eq 'undone') { Kumihimo::Instead->uninstall($module) }
if ($how ne 'stock' && $module ne 'JSON::PP') {
    print "OURS ", join(' ', map { Kumihimo::Instead->is_ours($_) } $early, $between, $module->new, $class_new->($module)), "\n";
}
use B; require Math::BigInt; require Math::BigFloat;
sub shown {
    my ($v) = @_;
    return 'undef' unless defined $v;
    my $r = ref $v;
    return '[' . join(', ', map { shown($_) } @$v) . ']' if $r eq 'ARRAY';
    return '{' . join(', ', map { quoted($_) . '=>' . shown($v->{$_}) } sort keys %$v) . '}' if $r eq 'HASH';
    return "$r(" . ($$v ? 'true' : 'false') . ')' if $r =~ /Bool/;
    return "$r($v)" if $r =~ /^Math/;
    return $r if $r;
    my $flags = B::svref_2object(\$v)->FLAGS;
    return quoted($v) if $flags & B::SVf_POK;
    return "i$v" if $flags & B::SVf_IOK;
    return sprintf 'f%.15g', $v;
}
sub quoted { my ($t) = @_; return (utf8::is_utf8($t) ? 'u' : '') . '"' . $t =~ s/([^\x20-\x7e]|["\\])/sprintf '\\x{%x}', ord $1/ger . '"' }
my $n = 0;
sub says {
    my ($name, $code) = @_;
    my @warnings;
    local $SIG{__WARN__} = sub { push @warnings, "warning: $_[0]" if $_[0] !~ /^Kumihimo::Instead: \w+ is not stood in for/ };
    my @got = eval { $code->() };
    my $text = $@ ne '' ? "dies: $@" : join ' ', map { shown($_) } @got;
    $text = join '; ', $text, @warnings;
    $text =~ s/0x[0-9a-f]{6,}/0x.../g;
    $text =~ s/\n/\\n/g;
    print ++$n, " $name: $text\n";
}
{ package Point; sub new { bless { x => 1 }, shift } sub TO_JSON { { %{ $_[0] } } } sub FREEZE { 1, 2 } sub THAW { my ($c, @v) = @_; bless { v => "@v" }, $c } }
{ package Plain; sub new { bless { x => 1 }, shift } }
{ package Text; use overload '""' => sub { 'text' }, fallback => 1; sub new { bless {}, shift } }
{ package Self; sub TO_JSON { $_[0] } }
{ package Dies; sub TO_JSON { die "of its own\n" } }
{ package Sub; our @ISA; }
@Sub::ISA = $module;
my $used = 7; my $as_text = "$used";
my $text_used = '8'; { no warnings; my $as_number = $text_used + 0 }
my $half = 1.5; my $half_text = "$half";
my @values = (
    [], {}, [[], {}], undef, 1, 'x', '', 0, -0.0, 1.0, 0.1, 1e15, 1e20, 1e-7, 123456789012345678, 18446744073709551615, -9223372036854775807, [1, 'two', 3.5, undef],
    $used, $text_used, $half, "caf\xe9", "\x{263a}", "\x{1f600}", "a/b<>&'", "\x00\x01\x1f\x7f\"\\\b\f\n\r\t", { a => { b => [1, { c => 2 }] } }, { "k\xe9y" => 1, "\x{263a}" => 2 },
    \1, \0, \2, \'x', sub { 1 }, \*STDOUT, qr/x/, Point->new, Plain->new, Text->new, bless({}, 'Self'), bless({}, 'Dies'), [Point->new],
    $module->can('true')->(), [$module->can('false')->()], Math::BigInt->new('123456789012345678901234567890'), Math::BigFloat->new('1.25'),
    [$module->new->allow_nonref->decode('true')],
);
my @texts = (
    '', ' ', '[]', '{}', ' [ 1 , 2.5 , -3e2 , 0.1E-2 ] ', '[true,false,null]', '{"a":{"b":[1,{"c":2}]}}', '"x"', '1', 'null', 'true', '[1,]', '[1', '{"a"', '{"a":', '{"a":1,}', '{a:1}', "['x']",
    '[1]x', '[1] ', '["\u00e9\u263a\ud83d\ude00"]', '["\ud800"]', '["\udc00"]', '["\x"]', "[\"\xc3\xa9\"]", "[\"\xe9\"]", "[\"\x{263a}\"]", "[\"a\tb\"]", "[\"a\0\"]", '[01]', '[-]', '[1.]', '[1e]', '[+1]', '[.5]',
    '[18446744073709551615]', '[18446744073709551616]', '[-9223372036854775807]', '[123456789012345678901234567890]', '[1.5e400]', '[1.0]', '[-0]', '[-0.0]', '{"a":1,"a":2}', "[1 # one\n]",
    "\xef\xbb\xbf[1]", '[tru]', '[nul]', '[fals]', '["abc', '["abc\\', '("Point")[1,2]', '{"__one__":1}', "[\"\x7f/\\/\"]", '{"":0}', '[[1],[2]', '{"a" 1}', '[1 2]',
);
says "version", sub { $module->VERSION };
says "class", sub { my $j = $module->new; (ref $j, $j->isa($module) ? 1 : 0, $j->can('encode') == $module->can('encode') ? 1 : 0, ref(Sub->new), ref(bless($module->new, 'Sub')->utf8)) };
says "too old", sub { $module->VERSION(99) };
says "missing method", sub { $module->new->no_such_method };
says "exports", sub { no strict 'refs'; map { @{"${module}::$_"} } qw(EXPORT EXPORT_OK) };
says "booleans", sub { map { (ref, "$_" + 0, $module->can('is_bool')->($_) ? 1 : 0) } $module->can('true')->(), $module->can('false')->(), @{ decode_json('[true,false]') } };
says "negated", sub { map { $_ ? 'yes' : 'no' } map { !$_ } @{ decode_json('[true,false]') } };
says "not bool", sub { map { $module->can('is_bool')->($_) ? 1 : 0 } 1, 'x', [], undef };
says "prototype", sub { map { prototype($module->can($_)) } qw(encode_json decode_json) };
for my $i (0 .. $#values) {
    says "encode_json $i", sub { encode_json($values[$i]) };
    says "saved $i", sub { $saved->($values[$i]) };
    says "early $i", sub { $early->encode($values[$i]) };
    says "between $i", sub { $between->encode($values[$i]) };
}
for my $i (0 .. $#texts) {
    says "decode_json $i", sub { decode_json(my $text = $texts[$i]) };
    says "early decode $i", sub { $early->decode(my $text = $texts[$i]) };
}
my @switches = grep { $module->can($_) } qw(ascii latin1 utf8 indent canonical space_before space_after pretty allow_nonref shrink allow_blessed convert_blessed relaxed allow_unknown allow_tags
    binary escape_slash unblessed_bool allow_singlequote allow_barekey allow_bignum allow_stringify allow_dupkeys dupkeys_as_arrayref require_types type_all_string loose);
for my $name (@switches) {
    for my $on (1, 0) {
        my $json = $module->new->canonical->$name($on);
        says "$name($on)", sub { (ref $json, map { my $get = "get_$_"; $json->can($get) ? "$_=" . ($json->$get ? 1 : 0) : () } @switches) };
        says "$name($on) encode $_", sub { my $i = $_; $json->encode($values[$i]) } for 0 .. $#values;
        says "$name($on) nonref $_", sub { my $i = $_; $json->allow_nonref->encode($values[$i]) } for 0 .. $#values;
        $json = $module->new->canonical->$name($on);
        says "$name($on) decode $_", sub { my $i = $_; $json->decode(my $text = $texts[$i]) } for 0 .. $#texts;
        # Behind a byte order mark, Cpanel::JSON::XS counts from another place than its text begins at: below.
        says "$name($on) prefix $_", sub { my $i = $_; $json->decode_prefix(my $text = $texts[$i]) } for grep { $texts[$_] !~ /^\xef/ } 0 .. $#texts;
    }
}
says "two switches", sub { $module->new->space_after->encode([1, { a => 2 }]) };
says "depth", sub { my $j = $module->new->max_depth(3); ($j->get_max_depth, $j->encode([[[]]]), $j->decode('[[[[]]]]')) };
says "depth encode", sub { $module->new->max_depth(3)->encode([[[[]]]]) };
{
    my @deep = map { my $d = []; $d = [$d] for 1 .. $_; $d } 511, 512;
    says "depth, default", sub { length $module->new->encode($deep[$_]) } for 0, 1;
    says "depth, default", sub { ref $module->new->decode('[' x $_ . ']' x $_) } for 512, 513;
}
says "depth, none", sub { $module->new->max_depth->get_max_depth };
says "size", sub { my $j = $module->new->max_size(5); ($j->get_max_size, $j->decode('[1]'), $j->decode('[1,2,3,4]')) };
says "filters", sub { $module->new->filter_json_object(sub { [sort keys %{ $_[0] }] })->decode('[{"a":1,"b":{}}]') };
says "single", sub { $module->new->filter_json_single_key_object(__one__ => sub { "one $_[0]" })->decode('[{"__one__":1},{"__one__":1,"b":2}]') };
says "filter usage", sub { $module->new->filter_json_object(undef)->decode('{"a":1}') };
says "boolean values", sub { $module->can('boolean_values') ? do { my $j = $module->new->boolean_values('n', 'y'); ($j->get_boolean_values, $j->decode('[true,false]')) } : () };
says "indent length", sub { $module->can('indent_length') ? do { my $j = $module->new->pretty->indent_length(5); ($j->get_indent_length, $j->encode([1, {}])) } : () };
says "sort_by", sub { $module->can('sort_by') ? $module->new->sort_by->encode({ b => 1, a => 2 }) : () };
says "sort_by a sub", sub { no strict 'refs'; $module->can('sort_by') ? $module->new->sort_by(sub { ${"${module}::a"} cmp ${"${module}::b"} })->encode({ map { $_ => 1 } 'a' .. 'h' }) : () };
# JSON::PP itself does not come back from some of these.
says "pieces", sub { my $j = $module->new; $j->incr_parse('[1,'); scalar $j->incr_parse('2]') };
if ($module ne 'JSON::PP') {
    says "incremental", sub { my $j = $module->new; $j->incr_parse('[1,'); my @a = $j->incr_parse('2][3'); my $rest = $j->incr_text eq '' ? '' : 'rest'; $j->incr_reset; (@a, $rest, scalar $j->incr_parse('{"a":1}')) };
    says "incremental error", sub { my $j = $module->new; $j->incr_parse('[x]'); };
    says "incr_text", sub { my $j = $module->new; $j->incr_parse('[1],[2]'); (scalar($j->incr_text =~ s/^,//), scalar $j->incr_parse) };
}
says "not an object", sub { $module->can('encode')->($_, []) } for $module, undef, 'x', [];
# The modules read a struct where there is none, which a sanitizer's malloc does not forgive them.
says "stranger", sub { $module->can('encode')->(bless([], $module), []) } if $module ne 'JSON::PP' && !$ENV{KUMIHIMO_SANITIZED};
says "renamed", sub { $module->can($_) ? $module->can($_)->([]) : 'none' } for qw(to_json from_json);
says "core booleans", sub { my ($yes, $no) = (1 == 1, 1 == 0); encode_json([$yes, $no]) };
says "not finite", sub { encode_json([9**9**9, -9**9**9]) };
says "as a method", sub { $module->new->encode([1])->nothing };
says "line", sub { eval { decode_json('[') }; $@ };
{ my $j = $module->new; my $copy = $j; undef $j; says "copies", sub { $copy->utf8->encode(["\xe9"]) } }
END

for my $case (['JSON::XS', '4.04'], ['Cpanel::JSON::XS', '4.30'], ['JSON::PP', '4.07']) {
    my ($module, $version) = @$case;
    subtest $module => sub {
        plan skip_all => "not proven: $module is not installed" unless is_installed($module, $version);
        my $stock = run_with([], $calls, $module, 'stock');
        my @expected = split /\n/, $stock;
        cmp_ok scalar(@expected), '>', 3000, 'the module itself has answers' or diag $stock;
        my %ours = (before => '1 1 1 1', after => '0 1 1 1', undone => '0 1 0 0');
        for my $how (qw(before after undone)) {
            my @got = split /\n/, run_with([], $calls, $module, $how);
            is shift @got, "OURS $ours{$how}", "$how: whose objects they are" if $module ne 'JSON::PP';
            is scalar(@got), scalar(@expected), "$how: as many answers";
            my @differ = grep { ($got[$_] // '') ne $expected[$_] } 0 .. $#expected;
            is scalar(@differ), 0, "$how: the same answers";
            diag "stock $expected[$_]\nours  " . ($got[$_] // 'nothing') for @differ[0 .. (@differ > 60 ? 59 : $#differ)];
        }
    };
}

# What the document lists as different.
subtest 'differences' => sub {
    plan skip_all => 'not proven: Cpanel::JSON::XS 4.35 or older is not installed' unless is_installed('Cpanel::JSON::XS', '4.30') && do { require Cpanel::JSON::XS; Cpanel::JSON::XS->VERSION < 4.36 };
    my $mark = program('mark', <<'END');
require Cpanel::JSON::XS;
my $text = "\xef\xbb\xbf[1]";
my (undef, $length) = Cpanel::JSON::XS->new->utf8->decode_prefix($text);
print "$length ", length $text, "\n";
eval { Cpanel::JSON::XS->new->encode }; print $@ =~ s/ at .*//sr, "\n";
END
    is run_with([], $mark), "1 4\nUsage: Cpanel::JSON::XS::encode(self, scalar, typesv= &PL_sv_undef)\n", 'the module';
    is run_with(['-MKumihimo::Instead'], $mark), "6 6\nUsage: Kumihimo::JSON::encode(self, value, type = undef)\n", 'ours';
};

done_testing;
