package MojoRows;

# The tables of a document: verbatim blocks whose cells stand between bars. The first line of a block names its columns.
use 5.016;
use strict;
use warnings;

use Exporter qw(import);
use MojoPair qw(ours stock outcome);

our @EXPORT_OK = qw(tables_of answer);

sub tables_of {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!";
    my $text = do { local $/; readline $in };
    $text =~ s/\A.*^__END__$//ms;
    my @tables;
    while ($text =~ /^((?:    .*\|.*\n)+)/mg) {
        my ($head, @rows) = map { [map { s/\A\s+|\s+\z//gr } split /\|/] } split /\n/, $1;
        push @tables, { columns => $head, rows => \@rows };
    }
    return @tables;
}

{
    package MojoRows::Object;
    package MojoRows::Two;
    sub TO_JSON { return @{ $_[0] } }
}

my %object = (
    object => sub { bless {}, 'MojoRows::Object' },
    tied_to => sub { my ($value) = @_; require Tie::Scalar; tie my $scalar, 'Tie::StdScalar', $value; return \$scalar },
    two => sub { bless [1, 2], 'MojoRows::Two' },
    nested => sub { my $value = []; $value = [$value] for 2 .. $_[0]; $value },
    copied => sub { my ($value) = @_; my $copy = $value; $copy },
    used => sub { my ($text) = @_; no warnings 'numeric'; my $number = $text + 0; $text },
);

# What an expression answers with these functions, as the tables write it: JSON text as it is, a decoded value in Perl's notation.
sub answer {
    my ($expression, $function) = @_;
    no strict 'refs';
    no warnings 'redefine';
    *{"MojoRows::Row::$_"} = $function->($_) for qw(encode_json to_json decode_json from_json j);
    *{"MojoRows::Row::$_"} = $object{$_} for keys %object;
    my $code = eval "#line 1 row\npackage MojoRows::Row; no strict 'vars'; sub { $expression }" or die "$expression: $@";
    my $json = $expression =~ /\A(?:encode_json|to_json)/;
    # What the table says of a list is how long it is.
    if ($expression =~ /\A\@/) { my $list = $code; $code = sub { my @list = $list->(); 0 + @list } }
    my ($kind, $shown) = @{ outcome($json ? sub { my $text = $code->(); '' . $text } : $code) };
    $shown =~ s/=(HASH|ARRAY)\(\.\.\.\)?/=$1(...)/g;
    return "dies: $shown" if $kind eq 'error';
    return $shown unless $json;
    $shown = substr $shown, 1, -1;
    $shown =~ s/\\x\{(22|5c)\}/chr hex $1/ge;
    return $shown =~ s/\(0x[0-9a-f]+\)/(...)/gr;
}

1;
