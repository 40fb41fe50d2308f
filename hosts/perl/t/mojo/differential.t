# Every function in both profiles against Mojolicious' own functions in the same process: the same values, texts, errors.
# KUMIHIMO_COUNT: how many generated values and texts; KUMIHIMO_SEED: which; KUMIHIMO_SHOWN: how many differences are listed.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use MojoPair qw(need_mojolicious profiles ours stock outcome text_outcome shown);
use MojoValues qw(picked_values generated_value picked_texts generated_text spoiled);
use Test::More;

BEGIN { need_mojolicious() }

my $count = $ENV{KUMIHIMO_COUNT} // 1500;
my $seed = $ENV{KUMIHIMO_SEED} // 1;
my $most = $ENV{KUMIHIMO_SHOWN} // 10;

sub short { my ($text) = @_; return length $text > 600 ? substr($text, 0, 300) . ' ... ' . substr($text, -200) : $text }

# What is listed as a difference. Cpanel::JSON::XS takes some bytes for characters that are none, and ends with strings that are broken, or
# with another error further behind. Mojo::JSON refuses U+FFFF and its like in bytes. Cpanel::JSON::XS after 4.35
# has words of its own for a second point, and no release asks a tied scalar behind a reference.
sub known {
    my ($text, $got, $expected) = @_;
    return 1 if $text eq 'references to tied scalars' && "@$expected" =~ /\[null,null\]/ && "@$got" =~ /\[true,false\]/;
    return 1 if $expected->[1] =~ /\A(?:Input is not UTF-8 encoded|undef)\z/ && utf8::decode(my $bytes = $text) && $text =~ /\xef\xbf[\xbe\xbf]/;
    return 1 if $got->[0] eq 'error' && $expected->[1] =~ /\Amalformed number \(two decimal points\)/;
    return ($got->[0] eq 'error' ? $got->[1] =~ /\Amalformed UTF-8/ : $got->[1] eq 'undef') && !utf8::is_utf8($text) && !utf8::decode(my $copy = $text);
}

# Compares without a test for each value; says how many and which differ.
sub same {
    my ($what, $each) = @_;
    my ($n, $wrong) = (0, 0);
    $each->(sub {
        my ($given, $got, $expected) = @_;
        ++$n;
        return if "@$got" eq "@$expected" || known(@_);
        ++$wrong;
        diag short("$what: " . shown($given)) . "\n  stock: @{[short(qq(@$expected))]}\n  ours:  @{[short(qq(@$got))]}" if $wrong <= $most;
    });
    ok !$wrong && $n > 0, "$what: $n compared" . ($wrong ? ", $wrong differ" : '');
    return;
}

for my $profile (profiles()) {
    my %ours = map { $_ => ours($_, profile => $profile) } qw(encode_json to_json decode_json from_json j);
    my %stock = map { $_ => stock($_, $profile) } keys %ours;

    for my $name (qw(encode_json to_json)) {
        same("$profile $name, picked values", sub {
            my ($compare) = @_;
            my @values = picked_values();
            while (my ($title, $make) = splice @values, 0, 2) {
                $compare->($title, text_outcome($ours{$name}, $make->()), text_outcome($stock{$name}, $make->()));
            }
        });
        same("$profile $name, generated values", sub {
            my ($compare) = @_;
            for my $n (1 .. $count) {
                my @values = map { srand $seed * 1_000_003 + $n; generated_value(0) } 1, 2;
                $compare->($n, text_outcome($ours{$name}, $values[0]), text_outcome($stock{$name}, $values[1]));
            }
        });
    }
    same("$profile j, values", sub {
        my ($compare) = @_;
        my @values = picked_values();
        while (my ($title, $make) = splice @values, 0, 2) {
            my $value = $make->();
            $compare->($title, text_outcome($ours{j}, $value), text_outcome($stock{j}, $make->())) if ref $value eq 'HASH' || ref $value eq 'ARRAY';
        }
    });

    for my $name (qw(decode_json from_json j)) {
        same("$profile $name, picked texts", sub {
            my ($compare) = @_;
            for my $text (picked_texts()) {
                my @given = map { my $copy = $text; utf8::decode($copy) if $name eq 'from_json'; $copy } 1, 2;
                $compare->($text, outcome($ours{$name}, $given[0]), outcome($stock{$name}, $given[1]));
            }
            $compare->(undef, outcome($ours{$name}, undef), outcome($stock{$name}, undef));
            $compare->('nothing', outcome($ours{$name}), outcome($stock{$name}));
        });
        same("$profile $name, generated texts", sub {
            my ($compare) = @_;
            for my $n (1 .. $count) {
                srand $seed * 1_000_003 + $n;
                my $text = generated_text(0);
                utf8::decode($text) if $name eq 'from_json';
                $compare->($text, outcome($ours{$name}, $text), outcome($stock{$name}, $text));
            }
        });
        same("$profile $name, spoiled texts", sub {
            my ($compare) = @_;
            for my $n (1 .. $count) {
                srand $seed * 1_000_003 + $n;
                my $text = spoiled(generated_text(0));
                # After a mark that did not end well, the object in Mojo::JSON takes characters for bytes.
                $text =~ s/\A\xef\xbb\xbf/ / if $name eq 'from_json';
                utf8::decode($text) if $name eq 'from_json';
                $compare->($text, outcome($ours{$name}, $text), outcome($stock{$name}, $text));
            }
        });
    }
    same("$profile, texts that are no plain strings", sub {
        my ($compare) = @_;
        my @makes = (
            sub { 5 }, sub { 1.5 }, sub { MojoValues::tied_scalar('[1,"x"]') }, sub { MojoValues::Text->new('[1]') }, sub { MojoValues::flagged("[\"\xc3\xa9\"]") },
            sub { "[\"\x{2665}\"]" }, sub { "\x{2665}" }, sub { my $text = '[1]'; "$text" =~ /(.*)/; $1 }, sub { [1] }, sub { {} }, sub { JSON::PP::true() }, sub { \'[1]' }, sub { substr 'xx[1]', 2 },
        );
        for my $name (qw(decode_json from_json)) {
            for my $i (0 .. $#makes) {
                my @outcomes = map { my $code = $_; my $given = $makes[$i]->(); outcome($code, ref $given eq 'SCALAR' && tied $$given ? $$given : $given) } $ours{$name}, $stock{$name};
                $compare->("$name, $i", @outcomes);
            }
        }
    });
    same("$profile, what is left of the arguments", sub {
        my ($compare) = @_;
        my @left = map { my $text = "[\"\xc3\xa9\"]"; $_->($text); $text } $ours{decode_json}, $stock{decode_json};
        $compare->('decode_json', map { [$_] } @left);
        @left = map { my $text = "[\"\x{e9}\"]"; $_->($text); $text } $ours{from_json}, $stock{from_json};
        $compare->('from_json', map { [$_] } @left);
        @left = map { my $value = [1, 'a', 1.5, { k => 'v' }]; $_->($value); [shown($value)] } $ours{encode_json}, sub { };
        $compare->('encode_json', @left);
    });
    same("$profile j in list context", sub {
        my ($compare) = @_;
        $compare->($_, [scalar(my @a = $ours{j}->($_))], [scalar(my @b = $stock{j}->($_))]) for '[', 'null', '[1]', '1', '';
    });
}

done_testing;
