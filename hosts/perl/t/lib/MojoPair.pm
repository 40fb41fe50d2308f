package MojoPair;

# For tests of the Mojolicious side: our functions and Mojolicious' own in one process, and values in words.
use 5.016;
use strict;
use warnings;

use B ();
use Cwd ();
use File::Temp ();
use Exporter qw(import);
use Installed qw(is_installed load_installed);
use Test::More;

our @EXPORT_OK = qw(need_mojolicious have_cpanel profiles other_profile ours stock outcome text_outcome shown is_native told_apart run_perl);

# Skips the test where there is no Mojolicious.
sub need_mojolicious {
    plan skip_all => 'Mojolicious is not installed' unless load_installed('Mojolicious', '9.0');
    require Mojo::JSON;
    is_installed('Cpanel::JSON::XS');
    require Kumihimo::Mojo;
    return;
}

sub have_cpanel { return eval { Kumihimo::Mojo->stock('j', 'cpanel'); 1 } }

# Those with which there are stock functions to compare.
sub profiles { return (have_cpanel() ? 'cpanel' : (), 'pure') }

# The one that is not active, so that an answer shows who gave it.
sub other_profile { return Mojo::JSON->JSON_XS ? 'pure' : 'cpanel' }

sub ours { my ($name, @options) = @_; return Kumihimo::Mojo::_native($name, @options) }
sub stock { my ($name, $profile) = @_; return Kumihimo::Mojo->stock($name, $profile) }

# ['value', shown] or ['error', text without the place that perl adds].
sub outcome {
    my ($code, @arguments) = @_;
    my @warnings;
    local $SIG{__WARN__} = sub { push @warnings, @_ };
    my $value;
    if (eval { $value = $code->(@arguments); 1 }) { return ['value', shown($value)] }
    # An address is no part of an answer, and the place in the program is a matter of its own.
    return ['error', $@ =~ s/ at \S+ line \d+\.?\n\z//r =~ s/\(0x[0-9a-f.]+/(.../gr];
}

# The same for a function that gives text: a number is as good as its text.
sub text_outcome {
    my ($code, @arguments) = @_;
    my ($kind, $text) = @{ outcome(sub { '' . $code->(@_) }, @arguments) };
    return [$kind, $text =~ s/\(0x[0-9a-f.]+/(.../gr];
}

sub is_native {
    my ($code) = @_;
    return !!B::svref_2object($code)->XSUB;
}

# A value in words: what it is, flag and all, so that 1, 1.0 and "1" differ, and a float is told to the last bit.
sub shown {
    my ($value, $depth) = @_;
    return '...' if ($depth // 0) > 2000;
    return 'undef' unless defined $value;
    my $kind = ref $value;
    no warnings 'recursion';
    return '[' . join(', ', map { shown($_, ($depth // 0) + 1) } @$value) . ']' if $kind eq 'ARRAY';
    return '{' . join(', ', map { quoted($_) . ' => ' . shown($value->{$_}, ($depth // 0) + 1) } sort keys %$value) . '}' if $kind eq 'HASH';
    return $$value ? 'true' : 'false' if $kind eq 'JSON::PP::Boolean';
    return $kind if $kind;
    my $flags = B::svref_2object(\$value)->FLAGS;
    return quoted($value) if $flags & B::SVf_POK;
    return "$value" if $flags & B::SVf_IOK;
    return $value == $value && $value * 0 == 0 ? sprintf('%.17gf', $value) : "${value}f";
}

sub quoted {
    my ($text) = @_;
    return '"' . $text =~ s/([^\x20-\x7e]|["\\])/sprintf '\\x{%x}', ord $1/ger . '"';
}

my @include = map { Cwd::abs_path($_) // $_ } grep { !ref } @INC;

# What a program of its own says, its errors too. The switches come before the program.
sub run_perl {
    my ($code, @switches) = @_;
    my $file = File::Temp->new(SUFFIX => '.pl');
    print {$file} "use strict; use warnings;\n#line 1 program\n$code";
    close $file;
    local $ENV{PERL5LIB} = join ':', @include;
    my $pid = open my $out, '-|' // die "fork: $!";
    if (!$pid) {
        open STDERR, '>&', \*STDOUT or die "STDERR: $!";
        exec $^X, @switches, "$file" or die "$^X: $!";
    }
    return do { local $/; readline $out } // '';
}

# Whether JSON text or bytes came from the profile: the two write this value differently, in every release.
sub told_apart {
    my ($profile) = @_;
    return ("\x1f", $profile eq 'pure' ? '"\u001F"' : '"\u001f"');
}

1;
