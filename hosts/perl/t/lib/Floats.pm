package Floats;

# The oracle for floats. JSON::XS adds a literal's digits up and multiplies by powers of ten: what it reads is off in the last bits, and near the ends of a
# double's range by more (2.052001953125e-301 becomes 2.05200195312569e-301). What a literal is worth is for the C library to say, which rounds rightly.
use 5.016;
use strict;
use warnings;

use Exporter qw(import);
use POSIX ();

our @EXPORT_OK = qw(is_right_float only_floats_differ);

my $literal = qr/-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/;

# What the C library makes of the numbers that stand in a text; each as $form has it.
sub numbers {
    my ($text, $form) = @_;
    return map { my ($number) = POSIX::strtod($_); $form->($number) => 1 } $text =~ /($literal)/g;
}

# Whether a float is one of the numbers of a text, to the last bit.
sub is_right_float {
    my ($float, $text) = @_;
    my %right = numbers($text, sub { pack 'd', $_[0] });
    return exists $right{ pack 'd', $float };
}

# Whether two answers in StockPair's words, in which floats have fifteen digits and an f, differ in floats alone, of which ours are right.
sub only_floats_differ {
    my ($ours, $theirs, $text) = @_;
    my $float = qr/(-?(?:[0-9][0-9.]*(?:e[-+][0-9]+)?|inf))f\b/i;
    return 0 if $ours =~ s/$float/f/gr ne $theirs =~ s/$float/f/gr;
    my @ours = $ours =~ /$float/g;
    my @theirs = $theirs =~ /$float/g;
    my %right = numbers($text, sub { sprintf '%.15g', $_[0] });
    return !grep { $ours[$_] ne $theirs[$_] && !$right{ $ours[$_] } } 0 .. $#ours;
}

1;
