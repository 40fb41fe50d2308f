# What is read, with every option alone and with every two of them: the values and errors of JSON::XS 4.04 and Cpanel::JSON::XS 4.35, in the same process.
use strict;
use warnings;
use Test::More;

use lib 't/lib';
use EncodeValues qw(generated);
use Installed qw(load_installed);
use StockPair qw(outcome same_answer);

use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();

my @documents = (
    '[]', '{}', '[1,2.5,"x",true,false,null]', '{"a":{"b":[{"c":"d"}]}}', ' [ 1 , { "a" : 2 } ] ', '"text"', '7', '-0', 'true', 'null', '', ' ', '[1]x',
    '[0,-0,0.0,-0.0,1e0,1E+2,1e-2,123456789012345,9223372036854775807,9223372036854775808,18446744073709551615,18446744073709551616,-9223372036854775807,-9223372036854775809,1e400,-1e400,1e-400]',
    '[123456789012345678901234567890,0.1234567890123456789012345,2.0000000000000000001]', '["\u00e9","\u263a","\ud83d\ude00","\n\t\"\\\\\/"]', "[\"\xc3\xa9\xe2\x98\xba\"]", "{\"\xc3\xa9\":1}", "[\"\xe9\"]",
    '{"a":1,"a":2}', '{"a":[1],"b":{"a":2,"a":3},"a":{"c":4}}', '{"k":{"k":1},"a":{"k":[{"k":2}]}}', '[1,2,]', '{"a":1,}', "[1, # comment\n2]", "['single',\"it's\"]", '{bare:1,"b":2}', "{'a':1}", "[\"a\tb\"]", '["\x41\101"]',
    '("Thawed")["JSON",1,[2]]', '[("Thawed")[]]', '("Nowhere")[]', '[' x 20 . ']' x 20, '{"a":' x 8 . '1' . '}' x 8, '[1', '{"a"', '["a', '[01]', '[1.]', '[.5]', '[+1]', '[nul]', '{"a" 1}', '[1 2]', "\xef\xbb\xbf[1]",
    '[' . join(',', map { "{\"key$_\":$_}" } 1 .. 50) . ']', '["' . 'long ' x 4000 . '"]',
);

my @both = (
    map({ my $name = $_; [$name, sub { $_[0]->$name }] } qw(ascii latin1 utf8 canonical relaxed allow_tags allow_unknown shrink)),
    ['allow_nonref', sub { $_[0]->allow_nonref }],
    ['allow_nonref off', sub { $_[0]->allow_nonref(0) }],
    ['max_depth 10', sub { $_[0]->max_depth(10) }],
    ['max_size 30', sub { $_[0]->max_size(30) }],
    ['filter_json_object', sub { $_[0]->filter_json_object(sub { my ($object) = @_; return exists $object->{a} ? [sort keys %$object] : () }) }],
    ['filter_json_single_key_object', sub { $_[0]->filter_json_single_key_object(k => sub { return [of => $_[0]] }) }],
    ['a filter that dies', sub { $_[0]->filter_json_object(sub { die "filter\n" }) }],
);
my %side = (
    'JSON::XS' => { class => 'Kumihimo::JSON', version => '4.04', options => [@both, ['boolean_values', sub { $_[0]->boolean_values('no', 'yes') }]] },
    'Cpanel::JSON::XS' => {
        class => 'Kumihimo::JSON::Cpanel', version => '4.35',
        options => [@both, map { my $name = $_; [$name, sub { $_[0]->$name }] } qw(binary allow_singlequote allow_barekey allow_bignum allow_dupkeys dupkeys_as_arrayref unblessed_bool)],
    },
);

for my $stock (sort keys %side) {
    my ($class, $version, $options) = @{ $side{$stock} }{qw(class version options)};
    subtest "as $stock" => sub {
        plan skip_all => "$stock $version is not installed" unless load_installed($stock, $version);
        my @sets = ([], map({ [$_] } @$options), map { my $i = $_; map { [$options->[$i], $options->[$_]] } $i + 1 .. $#$options } 0 .. $#$options);
        my @generated = map { $stock->new->utf8->canonical->encode(generated($_)) } 1 .. $ENV{KUMIHIMO_COUNT} || 30;
        my ($compared, $different) = (0, 0);
        for my $set (@sets) {
            for my $document (@documents, @$set < 2 ? @generated : ()) {
                my ($ours, $theirs) = map { my $json = $_->new; $_->[1]($json) for @$set; $json } $class, $stock;
                # Each gets a text of its own: decoding may change a text's flag.
                my ($mine, $other) = ($document, $document);
                ++$compared;
                same_answer(sub { $ours->decode($mine) }, sub { $theirs->decode($other) }, join(' + ', map { $_->[0] } @$set) . ': ' . substr($document, 0, 60), $stock eq 'JSON::XS' ? $document : ()) or ++$different;
            }
        }
        is $different, 0, "$compared answers are the same";
    };
}

done_testing;
