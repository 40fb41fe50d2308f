# What is encoded and decoded. Texts are made once, before anything is timed, in a process that ends then: the sides read them.
package Bench::Corpora;
use 5.016;
use strict;
use warnings;
use B ();

our %FILES = (twitter => 'twitter', citm => 'citm_catalog', canada => 'canada');
# The small structure, 93 bytes.
our $SMALL = '{"foo":["bar","baz",2],"geho":{"geho":"gehoge","hoge":1,"hum":[1,null,"hoge"]},"hoge":"hoge"}';

# Why a corpus cannot be had, or undef.
sub missing {
    my ($corpus) = @_;
    my $file = $FILES{$corpus} // return;
    return 'KUMIHIMO_DATA is not set' unless length($ENV{KUMIHIMO_DATA} // '');
    return -e "$ENV{KUMIHIMO_DATA}/$file.json" ? undef : "$ENV{KUMIHIMO_DATA}/$file.json is missing";
}

sub slurp {
    my ($path) = @_;
    open my $in, '<:raw', $path or die "$path: $!\n";
    local $/;
    return scalar readline $in;
}

sub spill {
    my ($path, $bytes) = @_;
    open my $out, '>:raw', $path or die "$path: $!\n";
    print {$out} $bytes;
    close $out or die "$path: $!\n";
    return;
}

# Everything into the folder $at: JSON without white space, its keys sorted, as Mojo writes it (so that all sides begin with hashes that were
# filled in one order), its numbers in the digits that perl prints; MessagePack and CBOR of the same; frames, one in a line.
sub make {
    my ($at) = @_;
    require Cpanel::JSON::XS;
    my $json = Cpanel::JSON::XS->new->utf8->canonical;
    for my $corpus (grep { !missing($_) } sort keys %FILES) {
        spill("$at/$corpus.json", $json->encode($json->decode(slurp("$ENV{KUMIHIMO_DATA}/$FILES{$corpus}.json"))));
    }
    spill("$at/small.json", $SMALL);
    spill("$at/twitter.msgpack", packed($json->decode(slurp("$at/twitter.json")))) unless missing('twitter');
    spill("$at/twitter.cbor", do { require CBOR::XS; CBOR::XS->new->text_strings->encode($json->decode(slurp("$at/twitter.json"))) }) unless missing('twitter');
    spill("$at/frames.ndjson", frames($at));
    return;
}

sub text { my ($at, $corpus) = @_; return slurp("$at/$corpus.json") }

# The document as perl's values. One decoder for all sides: the flags of a scalar come from the decoder, and encoders go by them.
sub value {
    my ($at, $corpus) = @_;
    require Cpanel::JSON::XS;
    return Cpanel::JSON::XS->new->utf8->decode(text($at, $corpus));
}

# The same out of MessagePack, its booleans such as Data::MessagePack knows.
sub value_of_msgpack {
    my ($at) = @_;
    require Data::MessagePack;
    return Data::MessagePack->new->utf8->unpack(slurp("$at/twitter.msgpack"));
}

sub packed {
    my ($value) = @_;
    require Data::MessagePack;
    booleans_for_msgpack($value);
    return Data::MessagePack->new->utf8->canonical->pack($value);
}

sub booleans_for_msgpack {
    for my $value (ref $_[0] eq 'HASH' ? values %{ $_[0] } : @{ $_[0] }) {
        if (ref $value eq 'HASH' || ref $value eq 'ARRAY') { booleans_for_msgpack($value) }
        elsif (ref $value) { $value = $value ? Data::MessagePack::true() : Data::MessagePack::false() }
    }
    return;
}

sub frames_of { my ($at) = @_; return [split /\n/, slurp("$at/frames.ndjson")] }

our $COUNT = 200;

# Order-book frames of an exchange, about 4 KB each.
sub frames {
    my ($at) = @_;
    return frames_made_here() unless length($ENV{KUMIHIMO_FRAMES} // '');
    system($ENV{KUMIHIMO_FRAMES}, '--ndjson', "$at/made.ndjson", '--count', $COUNT) == 0 or die "$ENV{KUMIHIMO_FRAMES} failed\n";
    return slurp("$at/made.ndjson");
}

sub frames_made_here {
    my ($price, $seed, $out) = (107_910, 20_161_225, '');
    my $random = sub { $seed = ($seed * 1_103_515_245 + 12_345) % 2_147_483_648; int($seed / 65_536) % $_[0] };
    for my $i (0 .. $COUNT - 1) {
        $price += (-5, 0, 5)[$random->(3)];
        my $amount = sub { sprintf '0.%04d', 1 + $random->(9998) };
        my $side = sub { my ($sign) = @_; join ',', map { sprintf '[%d.0,%s]', $price + $sign * 5 * $_, $amount->() } 1 .. 20 };
        my $trades = join ',', map {
            sprintf '{"currenty_pair":"btc_jpy","trade_type":"%s","price":%d.0,"currency_pair":"btc_jpy","tid":%d,"amount":%s,"date":%d}',
                (qw(ask bid))[$random->(2)], $price, 22_360_218 + $i * 21 - $_, $amount->(), 1_482_598_389 + $i
        } 0 .. 20;
        $out .= sprintf qq({"asks":[%s],"last_price":{"action":"ask","price":%d.0},"target_users":["a102ae95a9"],"trades":[%s],"bids":[%s],)
            . qq("currency_pair":"btc_jpy","timestamp":"2016-12-25 %02d:%02d:%02d.602955"}\n),
            $side->(1), $price, $trades, $side->(-1), $i / 3600 % 24, $i / 60 % 60, $i % 60;
    }
    return $out;
}

# ---- whether two outputs mean the same ----------------------------------------------------------------------------------------------

# A value as a list of words that two decoders agree in: numbers apart from text, keys sorted, text as UTF-8 whatever its flag.
sub words {
    my ($value, $out) = @_;
    if (!defined $value) { push @$out, 'null' }
    elsif (ref $value eq 'ARRAY') {
        push @$out, '[';
        words($_, $out) for @$value;
        push @$out, ']';
    }
    elsif (ref $value eq 'HASH') {
        push @$out, '{';
        for my $key (sort keys %$value) {
            push @$out, utf8_of($key);
            words($value->{$key}, $out);
        }
        push @$out, '}';
    }
    elsif (ref $value) { push @$out, $value ? 'true' : 'false' }
    elsif (is_number($value)) { push @$out, sprintf '#%.17g', $value }
    else { push @$out, utf8_of($value) }
    return $out;
}

sub is_number {
    my $flags = B::svref_2object(\$_[0])->FLAGS;
    return $flags & (B::SVp_IOK | B::SVp_NOK) && !($flags & B::SVp_POK);
}

sub utf8_of {
    my ($text) = @_;
    utf8::encode($text) if utf8::is_utf8($text);
    return "\"$text";
}

# Where two lists of words, one to a line, differ: the words of both, or nothing. Some peers read or write the last digits of a number otherwise.
sub difference {
    my ($ours, $theirs) = @_;
    return if $ours eq $theirs;
    my @a = split /\n/, $ours;
    my @b = split /\n/, $theirs;
    for my $i (0 .. ($#a > $#b ? $#a : $#b)) {
        my ($x, $y) = map { $_ // 'the end' } $a[$i], $b[$i];
        next if $x eq $y;
        my @numbers = map { /\A#(.+)\z/ ? $1 : () } $x, $y;
        return ($x, $y) if @numbers < 2 || abs($numbers[0] - $numbers[1]) > 1e-14 * (abs($numbers[0]) + abs($numbers[1]));
    }
    return;
}

1;
