# Documents that are nearly JSON, made by rule from a fixed seed: the verdict, the value and the words of every error are the stock module's, and nothing
# crashes. KUMIHIMO_COUNT and KUMIHIMO_SEED say how many rounds of twenty documents and which.
use strict;
use warnings;
use B ();
use Test::More;

use lib 't/lib';
use Floats qw(is_right_float);

use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();

my $rounds = $ENV{KUMIHIMO_COUNT} // 500;
my $seed = $ENV{KUMIHIMO_SEED} // 1;
my $shown = $ENV{KUMIHIMO_SHOWN} // 5;

my @SEEDS = (
    '{"a":[1,2.5,-3e10,true,false,null],"b":{"c":"d"}}', '[]', '{}', '""', '0', 'null', 'true',
    '"\u00e9\ud83d\ude00\n\t\\\\\/\"\b\f\r"', "[\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"]", '"\ud800"', '"\udc00\ud800"', '"\ud800\u0041"',
    '[0,-0,0.0,-0.0,1E400,-1e-400,9223372036854775807,-9223372036854775808,18446744073709551615,18446744073709551616,123456789012345678901234567890]',
    '[0.1,0.30000000000000004,1.7976931348623157e308,4.9e-324,2.2250738585072011e-308,123456789.123456789123456789,5e-1,1e5,1E+5]',
    '[[[[[[[[[[1]]]]]]]]]]', '{"":{"":{"":{}}}}', '{"a":1,"a":2,"b":3,"a":4}', " \t\r\n[ 1 , 2 ] \n", "[1, # one\n2, # two\n]", '{"a":1,}', '[1,]',
    "{'a':'b'}", '{a:1,b_2:2}', '["unfinished', '[1 2]', '{"a" 1}', '{"a":}', '{1:2}', '[1.]', '[.5]', '[01]', '[+1]', '[1e]', '[-]', '[0x10]', 'nul', 'truefalse',
    "\xef\xbb\xbf[1]", "[\"\xff\"]", "[\"\xc0\x80\"]", "[\"\xed\xa0\x80\"]", "[\"\xf4\x90\x80\x80\"]", "\"\xe2\x82\"", "\"a\x01b\"", "\"tab\there\"",
    '("Fuzz::Thawed")[1,"x"]', '("No::Class")[]', '[{"__x__":1},{"__x__":[1,2]},{"y":1}]', '{"' . 'k' x 300 . '":"' . 'v' x 300 . '"}', '[' . join(',', 1 .. 60) . ']', '1 2 3', '[1][2]{}',
);
my @TOKENS = ('"', '\\', '{', '}', '[', ']', ',', ':', '-', '+', '.', 'e', 'E', '0', '1', '9', 'true', 'false', 'null', 'nan', 'inf', '\u', '\ud800', '\u0000', '#', "\n", ' ', "\t", "\r",
    "\0", "\x7f", "\x80", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xff", "\xef\xbb\xbf", "'", '//', '/*', '*/', '(', ')', '""', '[]', '{}', '99999999999999999999', '1e999', '$', "\x{0b}");

{
    package Fuzz::Thawed;
    sub THAW { my ($class, $serialiser, @values) = @_; return bless [$serialiser, @values], $class }
}

sub pick { return $_[rand @_] }

# A document that is right.
sub generated {
    my ($depth) = @_;
    my $space = rand() < 0.1 ? pick(' ', "\n", "\t ", " \r\n") : '';
    my $kind = int rand($depth > 4 ? 5 : 8);
    return $space . pick(qw(true false null 0 -1 "" [] {})) . $space if $kind == 0;
    return '' . (int(rand 1e6) - 5e5) if $kind == 1;
    return (rand() < 0.5 ? '-' : '') . (1 + int rand 999) . pick('', '.' . int rand 1e9) . pick('', 'e' . int rand(40) - 20, 'E+' . int rand 9) if $kind == 2;
    return '"' . join('', map { pick('a', 'key', 'x y', "\xc3\xa9", "\xf0\x9f\x98\x80", '\u00e9', '\ud83d\ude00', '\n', '\\\\', '\/', '\u0000', "\x7f") } 0 .. rand 5) . '"' if $kind <= 4;
    my @members = map { generated($depth + 1) } 1 .. rand 5;
    return $space . '[' . join(pick(',', ' , '), @members) . ']' if $kind <= 6;
    my $n = 0;
    return '{' . join(',', map { pick(qw("a "b "__x__ "y "\u00e9), "\"\xe2\x82\xac") . ($n++ || '') . '":' . $_ } @members) . "$space}";
}

sub mutated {
    my ($text) = @_;
    for (1 .. pick(1, 1, 2, 3)) {
        my $at = int rand 1 + length $text;
        my $kind = int rand 9;
        if ($kind == 0) { substr $text, $at, 1 + rand 3, '' if $at < length $text }
        elsif ($kind <= 2) { substr $text, $at, 0, pick(@TOKENS) }
        elsif ($kind == 3) { substr $text, $at, 1, pick(@TOKENS) if $at < length $text }
        elsif ($kind == 4) { $text = substr $text, 0, $at }
        elsif ($kind == 5) { my $piece = substr $text, $at, 1 + rand 8; substr $text, int rand 1 + length $text, 0, $piece }
        elsif ($kind == 6) { substr $text, $at, 0, mutated(pick(@SEEDS)) if length $text < 400 }
        elsif ($kind == 7) { substr $text, $at, 1, chr(ord(substr $text, $at, 1) ^ 1 << rand 8) if $at < length $text }
        else { $text = '[' x (1 + rand 4) . $text . ']' x (1 + rand 4) }
    }
    return $text;
}

# Switches that both of a pair have; Cpanel's own are for its pair.
my @FLAGS = qw(utf8 relaxed allow_nonref allow_tags latin1 ascii allow_unknown shrink canonical);
my @CPANEL = qw(allow_barekey allow_singlequote allow_dupkeys allow_bignum dupkeys_as_arrayref);

sub settings {
    my ($cpanel) = @_;
    my @calls = map { [$_, int rand 2] } grep { rand() < 0.4 } @FLAGS, $cpanel ? @CPANEL : ();
    push @calls, ['utf8', 1] if rand() < 0.5;
    push @calls, ['max_depth', 1 + int rand 6] if rand() < 0.1;
    push @calls, ['max_size', int rand 40] if rand() < 0.1;
    push @calls, ['filter_json_object', sub { my ($object) = @_; return exists $object->{y} ? 'filtered' : () }] if rand() < 0.1;
    push @calls, ['filter_json_single_key_object', '__x__', sub { my ($value) = @_; return ref $value ? () : { was => $value } }] if rand() < 0.1;
    push @calls, ['boolean_values', 'no', 'yes'] if !$cpanel && rand() < 0.1;
    return @calls;
}

sub configured {
    my ($class, @calls) = @_;
    my $json = $class->new;
    for my $call (@calls) {
        my ($method, @arguments) = @$call;
        $json->$method(@arguments);
    }
    return $json;
}

# What a call gives: its values, or its error without the place in this file. Warnings belong to it.
sub outcome {
    my ($code) = @_;
    my @warnings;
    local $SIG{__WARN__} = sub { push @warnings, $_[0] =~ s/ at \S+ line \d+.*//sr };
    my @values = eval { $code->() };
    my $error = $@;
    return { error => $error =~ s/ at \S+ line \d+\.?\n\z//r, warnings => \@warnings } if ref $error || length $error;
    return { values => \@values, warnings => \@warnings };
}

my $inexact;    # whether stock misreads floats
my $read;       # the text that was read

# What is refused or read otherwise on purpose, by the ways in which it shows; the modules' documentation has the reasons.
sub on_purpose {
    my ($text, $ours, $theirs, $way) = @_;
    # Octets must be UTF-8: no surrogates, nothing beyond U+10FFFF.
    return 1 if ($ours->{error} // '') =~ /^malformed UTF-8/ && $text =~ /\xed[\xa0-\xbf]|\xf4[\x90-\xff]|[\xf5-\xff]/;
    # Bytes that look like the mark of UTF-16 or UTF-32 are read as Encode reads them, and must be that to the last.
    return 1 if ($ours->{error} // '') =~ /^malformed UTF-(?:16|32)/ && $text =~ /^(?:\xff\xfe|\xfe\xff|\0\0\xfe\xff)/;
    # Cpanel::JSON::XS counts what decode_prefix has read from a place behind the mark of UTF-8.
    return 1 if $way eq 'decode_prefix' && $text =~ /^(?:\xef\xbb\xbf|\x{feff})/ && $theirs->{values};
    # JSON::XS reads the digits behind a second point into the number before it.
    return 1 if $inexact && $way eq 'decode_prefix' && $text =~ /\d\.\d+\.\d/;
    # Perl's own functions, which the modules ask, take some bytes that are no UTF-8 for characters (A9 E2 82 AC is U+220AC to them).
    return 1 if ($ours->{error} // '') =~ /^malformed UTF-8/ && !utf8::decode(my $octets = $text);
    # Places behind a mark are counted in characters; what is none may count as one there.
    return 1 if $text =~ /^\xef\xbb\xbf/ && !utf8::decode(my $marked = $text);
    # Cpanel::JSON::XS reads on behind the text where a bare key is not ended, and says where it stopped.
    return 1 if ($theirs->{error} // '') =~ /^':' expected, at character offset (\d+)\z/ && $1 > length $text && ($ours->{error} // '') =~ /^':' expected/;
    # The mark of UTF-8 is one in flagged octets, too.
    return 1 if utf8::is_utf8($text) && $text =~ /^\xef\xbb\xbf/;
    if ($way eq 'incr_parse') {
        # max_size is meant for a value here, and for all that has arrived there.
        return 1 if ($theirs->{error} // '') =~ /max_size/;
        # Outside brackets, the modules' scans pass what no value begins with and what follows a scalar without space, and lose it.
        my $rest = $text =~ s/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/S/gsr;
        1 while $rest =~ s/[\[{(][^\[\]{}()]*[\]})]/B/;
        return 1 if $rest =~ /S[SB]|[^ \t\r\nSB]/;
    }
    return 0;
}

# The difference of two values as a text, or nothing. Which of perl's kinds of scalar a value is counts, and so does the utf8 flag of what is not ASCII. A
# double that JSON::XS has otherwise must be what the C library reads in $text.
sub difference {
    my ($ours, $theirs, $where) = @_;
    return '' if !defined $ours && !defined $theirs;
    return "$where: defined" if !defined $ours || !defined $theirs;
    (my $class = ref $ours) =~ s/^Kumihimo::JSON::Cpanel\b/Cpanel::JSON::XS/;
    return "$where: " . (ref $ours || 'a scalar') . ' for ' . (ref $theirs || 'a scalar') if $class ne ref $theirs;
    if ($class eq 'ARRAY' || $class eq 'Fuzz::Thawed') {
        return "$where: " . @$ours . ' elements for ' . @$theirs if @$ours != @$theirs;
        for my $i (0 .. $#$ours) {
            my $found = difference($ours->[$i], $theirs->[$i], "$where\[$i]");
            return $found if $found;
        }
        return '';
    }
    if ($class eq 'HASH') {
        my ($mine, $stock) = map { join "\0", sort keys %$_ } $ours, $theirs;
        return "$where: other keys" if $mine ne $stock;
        for my $key (sort keys %$ours) {
            my $found = difference($ours->{$key}, $theirs->{$key}, "$where\{$key}");
            return $found if $found;
        }
        return '';
    }
    return "$ours" eq "$theirs" ? '' : "$where: $ours for $theirs" if $class;
    my ($my_flags, $stock_flags) = map { B::svref_2object(\$_)->FLAGS & (B::SVf_POK | B::SVf_IOK | B::SVf_NOK) } $ours, $theirs;
    # The least of the 64-bit integers is one here, and no text.
    return '' if $ours eq $theirs && $ours eq '-9223372036854775808' && $my_flags & B::SVf_IOK;
    return "$where: flags $my_flags for $stock_flags ($ours for $theirs)" if $my_flags != $stock_flags;
    return $ours eq $theirs ? '' : "$where: another string" if $my_flags & B::SVf_POK;
    return '' if $ours == $theirs;
    return '' if $my_flags & B::SVf_NOK && $inexact && is_right_float($ours, $$read);
    return "$where: $ours for $theirs";
}

sub unequal {
    my ($ours, $theirs) = @_;
    return "error '$ours->{error}' for values" if exists $ours->{error} && !exists $theirs->{error};
    return "values for error '$theirs->{error}'" if !exists $ours->{error} && exists $theirs->{error};
    return $ours->{error} =~ s/Kumihimo::JSON::Cpanel/Cpanel::JSON::XS/gr =~ s/Kumihimo::JSON/JSON::XS/gr eq $theirs->{error} ? '' : "error '$ours->{error}' for '$theirs->{error}'" if exists $ours->{error};
    return difference($ours->{values}, $theirs->{values}, 'values') || ("@{ $ours->{warnings} }" ne "@{ $theirs->{warnings} }" ? "warnings: @{ $ours->{warnings} } for @{ $theirs->{warnings} }" : '');
}

# The ways to read. In pieces, whole documents are taken as they come.
my %WAYS = (
    decode => sub { my ($json, $text) = @_; return $json->decode($text) },
    decode_prefix => sub { my ($json, $text) = @_; return $json->decode_prefix($text) },
    incr_parse => sub {
        my ($json, $text) = @_;
        my (@read, $at);
        for ($at = 0; $at < length $text; $at += 7) {
            push @read, $json->incr_parse(substr $text, $at, 7);
        }
        return (@read, $json->incr_text);
    },
);

# Like a string of JSON, in ASCII.
sub printable { return join '', map { my $c = ord; $c > 31 && $c < 127 ? chr $c : sprintf '\x{%x}', $c } split //, $_[0] }

# [ours, stock]
for my $pair (['Kumihimo::JSON', 'JSON::XS'], ['Kumihimo::JSON::Cpanel', 'Cpanel::JSON::XS']) {
    my ($class, $stock) = @$pair;
    subtest "$class and $stock" => sub {
        plan skip_all => "not proven: $stock is not installed" unless eval "require $stock; 1";
        $inexact = $stock eq 'JSON::XS';
        srand $seed;
        my (%tried, %accepted, @different);
        for (1 .. $rounds * 20) {
            my $text = rand() < 0.5 ? pick(@SEEDS) : generated(0);
            $text = mutated($text) if rand() < 0.6;
            my @calls = settings($stock eq 'Cpanel::JSON::XS');
            my ($utf8) = reverse map { $_->[1] } grep { $_->[0] eq 'utf8' } @calls;
            utf8::decode($text) if !$utf8 && rand() < 0.7;
            utf8::upgrade($text) if rand() < 0.1;
            next if $text =~ /[eE][-+]?\d{5}/ && grep { $_->[0] eq 'allow_bignum' } @calls;    # Math::BigFloat would write all of its zeros
            my $way = pick(qw(decode decode decode decode_prefix incr_parse));
            if ($way eq 'incr_parse') {
                # Octets where octets are asked for, else flagged characters, and no NUL: the modules mistake the rest for what it is not.
                utf8::decode($text) if !$utf8;
                utf8::upgrade($text) if !$utf8;
                next if $utf8 && !utf8::downgrade($text, 1) || $text =~ /\0/;
            }
            $read = \$text;
            my ($ours, $theirs) = map { my $module = $_; my $copy = $text; outcome(sub { $WAYS{$way}->(configured($module, @calls), $copy) }) } $class, $stock;
            $tried{$way}++;
            $accepted{$way}++ unless exists $theirs->{error};
            my $found = unequal($ours, $theirs) or next;
            next if on_purpose($text, $ours, $theirs, $way);
            push @different, "$way of \"" . printable($text) . '" with ' . join(' ', map { "$_->[0]=$_->[1]" } @calls) . (utf8::is_utf8($text) ? ' (characters)' : '') . "\n    " . printable($found);
        }
        is scalar @different, 0, 'no difference';
        diag $_ for @different > $shown ? @different[0 .. $shown - 1] : @different;
        # The documents are worth reading: neither all wrong nor all right.
        for my $way (sort keys %tried) {
            ok $accepted{$way} && $accepted{$way} < $tried{$way}, "$way: $accepted{$way} of $tried{$way} are accepted by $stock";
        }
    };
}

done_testing;
