# JSON::PP's decoding: who reads what, as Kumihimo::Instead::PP's table has it, and thousands of documents that are nearly JSON, read by both.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use StockPair qw(outcome broken_versions);
use Test::More;

my ($stock, $by_stock);

BEGIN {
    require JSON::PP;
    plan skip_all => 'not proven: JSON::PP 4.07 is not installed' unless eval { JSON::PP->VERSION('4.07'); 1 };
    # Counts what comes to JSON::PP itself.
    $stock = \&JSON::PP::PP_decode_json;
    no warnings 'redefine';
    *JSON::PP::PP_decode_json = sub { $by_stock++; goto &$stock };
}
use Kumihimo::Instead qw(JSON::PP);

is_deeply(Kumihimo::Instead->installed, ['JSON::PP'], 'installed');

# option to set, text, how often JSON::PP itself reads it, how many warnings
for my $case (
    ['', '{"a":[1,-2,"x",true,false,null]}', 0, 0], ['', '[12345678901234567]', 0, 0], ['', '[123456789012345678]', 1, 0], ['', '[1e5]', 1, 0], ['', '[1.5E-3]', 1, 0],
    ['', '[1.5]', 0, 0], ['', '[-0.00000000000001]', 0, 0], ['', '[0.3000000000000001]', 1, 0], ['', '["a1e5","0x123456789012345678901234567890"]', 0, 0],
    ['boolean_values', '[true,false]', 0, 0],
    ['', '[1', 1, 0], ['', "\0[\0]", 1, 0],
    (map { [$_, '[1]', 1, 1], [$_, '[1]', 1, 0] } qw(relaxed loose allow_bignum allow_barekey allow_singlequote allow_tags)),
    ['filter_json_object', '{"a":1}', 1, 1], ['filter_json_object', '{"a":1}', 1, 0],
) {
    my ($option, $text, $times, $warned) = @$case;
    my $json = JSON::PP->new->utf8;
    my @arguments = $option eq 'filter_json_object' ? sub { } : $option eq 'boolean_values' ? (0, 1) : 1;
    $json->$option(@arguments) if length $option;
    my @warnings;
    local $SIG{__WARN__} = sub { push @warnings, @_ };
    $by_stock = 0;
    my $died = eval { $json->decode($text); 1 } ? '' : $@;
    is $by_stock, $times, "$option $text: JSON::PP itself reads it $times times";
    is scalar(@warnings), $warned, 'warnings';
    like $_, qr/\AKumihimo::Instead: \w+ is not stood in for: JSON::PP itself reads with it\n\z/, 'and what they say' for @warnings;
    like $died, qr/ at \Q${\ __FILE__}\E line \d+\.\n\z/, 'the place is the caller\'s' if $text eq '[1';
}

my $differ = 0;
my @pieces = ('"', '\\', '{', '}', '[', ']', ',', ':', "\x00", "\t", ' ', "\n", '\\u00e9', '\\ud83d', "\xc3\xa9", "\xe9", "\xff", '0', '-', 'e', '1', 'true', 'nul', "'", '#', '/', "\x7f");
for my $document ('{"a":[1,-20,"x\\ny"],"b":{"c":null,"":true}}', '["\\u00e9\\ud83d\\ude00\\/","\xc3\xa9\xe2\x98\xba",false]', ' [ 0 , -0 , 12345678901234567 , [ ] , { } ] ', '[0.1,-0.0,12.50,1.0,0.30000000000001,99999999999999.9,1e5]',  '"text"', '12') {
    for my $text (broken_versions($document, @pieces)) {
        for my $json (JSON::PP->new->utf8, JSON::PP->new, JSON::PP->new->utf8->allow_nonref(0), JSON::PP->new->max_depth(2)->max_size(30), JSON::PP->new->boolean_values('no', 'yes')) {
            my ($ours, $theirs) = (outcome(sub { $json->decode($text) }), outcome(sub { $stock->($json, $text, 0) }));
            next if $ours eq $theirs;
            $differ++ < 20 and diag "$text\nJSON::PP $theirs\nours     $ours";
        }
    }
}
is $differ, 0, 'all documents are read alike';

# Floats of up to 15 digits, to their last bits.
srand 1;
my $floats = JSON::PP->new;
$differ = 0;
for (1 .. $ENV{KUMIHIMO_COUNT} // 3000) {
    my $digits = join '', map { int rand 10 } 1 .. 1 + rand 15;
    my $whole = int rand length $digits;
    my $text = '[' . ('', '-')[rand 2] . (0 + ("0" . substr $digits, 0, $whole)) . '.' . substr($digits, $whole) . ']';
    my ($ours, $theirs) = map { unpack 'H*', pack 'd', $_->[0] } $floats->decode($text), $stock->($floats, $text, 0);
    $ours eq $theirs or $differ++ < 20 and diag "$text $ours $theirs";
}
is $differ, 0, 'floats are the same doubles';

Kumihimo::Instead->uninstall('JSON::PP');
$by_stock = 0;
JSON::PP::decode_json('[1]');
is $by_stock, 1, 'undone';

done_testing;
