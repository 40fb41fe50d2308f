package StockPair;

# For tests of decoding: what a call answers, in words, so that two modules' answers can be compared; and documents that are nearly JSON.
use 5.016;
use strict;
use warnings;

use B ();
use Exporter qw(import);
use Floats qw(only_floats_differ);
use Test::More;

our @EXPORT_OK = qw(outcome shown quoted same_answer broken_versions);

# 'error: ...' without the place that perl adds, or the values that were returned; then the warnings.
sub outcome {
    my ($code) = @_;
    my @warnings;
    local $SIG{__WARN__} = sub { push @warnings, 'warning: ' . $_[0] =~ s/ at \S+ line \d+\.?\n\z//r };
    my @values;
    my $answer = eval { @values = $code->(); 1 } ? join ' ', map { shown($_) } @values : 'error: ' . $@ =~ s/ at \S+ line \d+\.?\n\z//r;
    return join '; ', $answer, @warnings;
}

# A value in words: whether it is an integer, a float or a string, and a string's flag. Fifteen digits of a float: JSON::XS reads the last bits wrongly.
sub shown {
    my ($value) = @_;
    return 'undef' unless defined $value;
    my $class = ref $value;
    return '[' . join(', ', map { shown($_) } @$value) . ']' if $class eq 'ARRAY';
    return '{' . join(', ', map { quoted($_) . ' => ' . shown($value->{$_}) } sort keys %$value) . '}' if $class eq 'HASH';
    return $$value ? 'true' : 'false' if $class eq 'JSON::PP::Boolean';
    return "$class(" . shown($value->{values}) . ')' if $class eq 'Thawed';
    return "$class(" . $value->bsstr . ')' if $class =~ /^Math::Big/;
    return $class if $class;
    my $flags = B::svref_2object(\$value)->FLAGS;
    return quoted($value) if $flags & B::SVf_POK;
    return "$value" if $flags & B::SVf_IOK;
    return sprintf '%.15gf', $value;
}

sub quoted {
    my ($text) = @_;
    return (utf8::is_utf8($text) ? 'u' : '') . '"' . $text =~ s/([^\x20-\x7e]|["\\])/sprintf '\\x{%x}', ord $1/ger . '"';
}

# Two calls must answer alike; says so only where they do not, because there are many. With the text that was read, a float that JSON::XS misreads may be
# the right one.
sub same_answer {
    my ($ours, $stock, $about, $text) = @_;
    my ($got, $expected) = (outcome($ours), outcome($stock));
    return 1 if $got eq $expected;
    return 1 if defined $text && only_floats_differ($got, $expected, $text);
    state $told = 0;
    is($got, $expected, quoted($about)) if ++$told <= 20;
    return 0;
}

# The document cut at every character, and with every character dropped, replaced and followed by something else, by a fixed rule.
sub broken_versions {
    my ($document, @pieces) = @_;
    my @versions = map { substr $document, 0, $_ } 0 .. length $document;
    my $turn = length $document;
    for my $at (0 .. length($document) - 1) {
        for my $length (0, 1) {
            my $version = $document;
            substr $version, $at, $length, $pieces[$turn++ * 7 % @pieces];
            push @versions, $version;
        }
        push @versions, substr($document, 0, $at) . substr $document, $at + 1;
    }
    return @versions;
}

{
    package Thawed;
    sub THAW { my ($class, @values) = @_; return bless { values => \@values }, $class }
}

1;
