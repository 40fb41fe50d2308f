# The conformance vectors of JSON and MessagePack by the calls that are named after those of other modules, as far as these modules'
# rules let them; vectors.t has all of them, by the calls for any format. They are in the repository only.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use File::Basename qw(basename);
use Test::More;
use Traces qw($FOLDER $DEPTH slurp beside files name_of trace expected value_in);

use Kumihimo qw(load);
use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();
use Kumihimo::MessagePack ();

plan skip_all => 'the vectors are in the repository, not in the distribution' if !-d $FOLDER && !-e "$FindBin::Bin/../../ruby";

my $JSON = Kumihimo::JSON->new->utf8->max_depth($DEPTH)->keep_order;
my $CPANEL = Kumihimo::JSON::Cpanel->new->utf8->max_depth($DEPTH)->allow_nonref->allow_dupkeys->keep_order->shortest_floats;
my $PACK = Kumihimo::MessagePack->new->utf8->text->keep_order->max_depth($DEPTH);
my %READERS = (
    json => {
        'Kumihimo::JSON' => sub { $JSON->decode($_[0]) },
        'Kumihimo::JSON::Cpanel' => sub { $CPANEL->decode($_[0]) },
    },
    msgpack => { 'Kumihimo::MessagePack' => sub { $PACK->unpack($_[0]) } },
);

# What Perl's values cannot hold, or JSON::XS's rules have otherwise: by document.
my $TWICE = 'a hash has a key once';
my $DIGITS = 'an integer beyond 64 bits is a string of its digits, as JSON::XS has it';
my $OVER = 'a number beyond the largest double is an infinity, as JSON::XS has it';
my %READ_EXCEPT = (
    (map { ("msgpack/bin/ok-$_" => 'bytes are a string, as Data::MessagePack has it') } qw(8 8-empty 16 32-short)),
    'msgpack/map/ok-keys-of-all-kinds' => "a hash's keys are text",
    'json/numbers/ok-integer-below' => $DIGITS, 'json/numbers/ok-integer-beyond' => $DIGITS, 'json/numbers/ok-integer-long' => $DIGITS,
    'json/numbers/ok-minus-zero' => '-0 is the integer 0, as JSON::XS has it',
    'json/numbers/ok-too-large' => $OVER, 'json/numbers/ok-too-large-negative' => $OVER,
);
# What Data::MessagePack takes: text that is not UTF-8 is a string of bytes.
my %TAKES = (
    (map { ("msgpack/text/err-$_" => 'a str that is not UTF-8 is a string of bytes, as Data::MessagePack has it') } qw(cut-sequence in-key late overlong stray-byte surrogate)),
    'json/containers/err-byte-order-mark Kumihimo::JSON::Cpanel' => 'Cpanel::JSON::XS takes the mark of UTF-8',
);
my $NO_KIND = 'JSON has no kind for bytes, and text in Perl has none either';
my $NO_DECIMAL = 'Perl has no decimal but Math::BigFloat';
my $NO_TIME = 'a timestamp is a moment in UTC';
my $NO_KEY = "a hash's keys are text";
# By model, or by model and dialect.
my %WRITE_EXCEPT = (
    (map { $_ => $NO_DECIMAL } qw(big-decimal big-exponent)),
    'big-integer' => 'Math::BigInt, which the tests of JSON and MessagePack cover',
    (map { ("$_.json.compact" => $NO_KIND) } qw(bin bin-255 bin-empty bin-padding)),
    (map { $_ => $NO_KEY } qw(key-array key-bin key-boolean key-f64 key-i64 key-map key-null)),
    (map { ("time-$_" => $NO_TIME) } qw(date local naive offset offset-zero)),
    (map { ("time-$_.json.compact" => 'a timestamp has no TO_JSON') } qw(utc utc-34-bits utc-35-bits utc-before-1970 utc-nanoseconds)),
    (map { $_ => $TWICE } qw(map-15 map-16 map-16-counted map-order-and-duplicates)),
    (map { $_ => 'text that is not Unicode is no Perl string' } qw(str-broken key-broken str-surrogate)),
    (map { ("f64-$_.json.compact" => 'inf and nan are null, as Cpanel::JSON::XS has it') } qw(infinity minus-infinity nan)),
    'bin-of-slashes.json.compact' => $NO_KIND,
    (map { $_ => $NO_KEY } qw(key-big key-ext key-f64-whole key-nan key-time key-u64)),
    (map { ("time-$_" => $NO_TIME) } qw(date-before-1970 offset-seconds)),
    (map { ("time-$_.json.compact" => 'a timestamp has no TO_JSON') } qw(utc-first utc-last utc-nanosecond)),
    'str-cut' => 'text that is not Unicode is no Perl string',
);

sub vectors { my ($format, $kind) = @_; return grep { m{/$kind-[^/]*$} } files($format, '.in') }

# ---------------------------------------------------------------------------------------------------------------------- the runs
for my $format (sort keys %READERS) {
    for my $name (sort keys %{ $READERS{$format} }) {
        my $read = $READERS{$format}{$name};
        subtest "$format by $name" => sub {
            for my $file (vectors($format, 'ok')) {
                my $id = name_of($file);
                my $is = eval { trace(scalar $read->(slurp($file))) } // $@;
                if ($READ_EXCEPT{$id}) { isnt $is, expected($file), "$id is left out with need" }
                else { is $is, expected($file), $id }
            }
            for my $file (vectors($format, 'err')) {
                my $id = name_of($file);
                my $read_it = eval { $read->(slurp($file)); 1 };
                if ($TAKES{$id} || $TAKES{"$id $name"}) { ok $read_it, "$id is taken" }
                else { ok !$read_it && $@ =~ /\S/, "$id is refused, with words" }
            }
            for my $file (vectors($format, 'any')) {
                my $done = eval { $read->(slurp($file)); 1 };
                ok $done || $@ =~ /\S/, name_of($file) . ' is read or refused';
            }
        };
    }
}

subtest writing => sub {
    my %WRITERS = ('json.compact' => sub { $CPANEL->encode($_[0]) }, 'msgpack.standard' => sub { $PACK->pack($_[0]) });
    my (%done, %needed);
    for my $file (sort glob "$FOLDER/model/*.trace") {
        my $name = basename($file, '.trace');
        for my $dialect (sort keys %WRITERS) {
            my ($reason) = grep { $WRITE_EXCEPT{$_} } "$name.$dialect", $name;
            my ($bytes, $refused) = ($file =~ s/trace$/$dialect/r, $file =~ s/trace$/$dialect.error/r);
            next unless -e $bytes || -e $refused;
            my $written = eval { $WRITERS{$dialect}->(value_in($file)) };
            $done{$dialect}++;
            if (defined $reason) { $needed{$reason} ||= -e $bytes ? ($written // '') ne slurp($bytes) : defined $written }
            elsif (-e $bytes) { is $written // $@, slurp($bytes), "$name as $dialect" }
            else { ok !defined $written && $@ =~ /\S/, "$name as $dialect is refused" }
        }
    }
    ok $needed{$_}, "$_ is left out with need" for sort keys %WRITE_EXCEPT;
    cmp_ok $done{$_}, '>', 40, "$_: $done{$_} models are written" for sort keys %WRITERS;
};

subtest 'text that is not UTF-8 is a string of bytes' => sub {
    for (['json', 'ruby_read', "\"a\x80\xff\xe2\x82\"", "a\x80\xff\xe2\x82"], ['json', 'old_ruby_read', "\"\\ud800\xc3\xa9abcdef\"", "?\xa9abcdef"],
        ['msgpack', 'ruby_read', "\xa3a\xffb", "a\xffb"], ['cbor', 'any_text_read', "\x63a\xffb", "a\xffb"]) {
        my ($format, $dialect, $document, $text) = @$_;
        my @values = (load($document, $format, dialect => $dialect), Kumihimo->lazy($document, format => $format, dialect => $dialect)->value);
        push @values, @{ Kumihimo->partial([''], format => $format, dialect => $dialect)->decode($document) };
        ok !utf8::is_utf8($_) && $_ eq $text, "$format by $dialect" or diag unpack 'H*', $_ for @values;
    }
    my ($key) = keys %{ load("{\"\xff\xc4\":1}", 'json', dialect => 'ruby_read') };
    ok !utf8::is_utf8($key) && $key eq "\xff\xc4", 'and so is a key';
};

done_testing;
