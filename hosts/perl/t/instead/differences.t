# The tables of Kumihimo::Instead and Kumihimo::Instead::PP, row by row: what stands there is what happens.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use Installed qw(is_installed);
use InsteadRun qw(program run_with);
use MojoRows qw(tables_of);
use Test::More;

my @instead = tables_of('lib/Kumihimo/Instead.pm');
my @pp = tables_of('lib/Kumihimo/Instead/PP.pm');
is_deeply [map { join ', ', @{ $_->{columns} } } @instead, @pp],
    ['expression, the module, with Kumihimo in its place', 'call, answered by', 'expression, JSON::PP, with Kumihimo in its place'], 'the tables that are read here';

# Evaluates the rows of its standard input and prints an answer each, in a line.
my $answers = program('answers', <<'END');
use strict; use warnings;
{ package TiedElement; sub TIESCALAR { return bless { n => 0 } } sub FETCH { return ++$_[0]{n} } }
{ package Deletes; sub TO_JSON { delete $_[0]{of}{b}; return } }
{ package Encodes; sub TO_JSON { return JSON::PP->new->encode([]) } }
sub tied_element { my @list; tie $list[0], 'TiedElement'; return \@list }
sub fetched { return tied($_[0][0])->{n} }
sub that_deletes_b { my $h = { b => 1 }; $h->{a} = bless { of => $h }, 'Deletes'; return $h }
sub encodes { return bless [], 'Encodes' }
my ($by_stock, @warnings) = (0);
if (@ARGV) {
    # Counts what comes to JSON::PP itself.
    require JSON::PP;
    no warnings 'redefine';
    for my $name (qw(PP_encode_json PP_decode_json)) {
        my $stock = JSON::PP->can($name);
        no strict 'refs';
        *{"JSON::PP::$name"} = sub { $by_stock++; goto &$stock };
    }
    require Kumihimo::Instead;
    Kumihimo::Instead->install('JSON::PP');
}
{ package Subclass; our @ISA = 'JSON::PP' }
{ package SubclassWithAStringToJson; our @ISA = 'JSON::PP'; sub string_to_json { my ($self, $text) = @_; return $self->SUPER::string_to_json($text) } }
$SIG{__WARN__} = sub { push @warnings, @_ };
while (my $row = <STDIN>) {
    chomp $row;
    eval 'require ' . ($row =~ /Cpanel/ ? 'Cpanel::JSON::XS' : $row =~ /JSON::XS/ ? 'JSON::XS' : 'JSON::PP') or die $@;
    ($by_stock, @warnings) = (0);
    my $code = eval "no strict 'vars'; sub { $row }" or die "$row: $@";
    my $answer = eval { my $value = $code->(); "$value" } // 'dies: ' . $@ =~ s{ at (?:\S+|\(eval \d+\)) line \d+.*}{}sr;
    $answer = ($by_stock ? 'JSON::PP' : 'Kumihimo') . (grep({ /\AKumihimo::Instead: \w+ is not stood in for/ } @warnings) ? ', with a warning' : '') if @ARGV;
    print $answer =~ s/([^\x20-\x7e])/sprintf '\\x{%x}', ord $1/ger, "\n";
}
END

sub answers {
    my ($options, $rows, @arguments) = @_;
    my $file = program('rows', join '', map { "$_->[0]\n" } @$rows);
    my @lines = split /\n/, run_with($options, '-e', 'open STDIN, "<", shift; exec @ARGV', $file, $^X, (grep { !ref } @$options), $answers, @arguments);
    is scalar(@lines), scalar(@$rows), 'an answer to each row' or diag join "\n", @lines;
    return @lines;
}

for my $table ($instead[0], $pp[1]) {
    my @rows = grep {
        my ($module) = $_->[0] =~ /((?:Cpanel::)?JSON::(?:XS|PP))/;
        is_installed($module, $module eq 'JSON::PP' ? '4.07' : 0) && ($module !~ /Cpanel/ || !is_installed($module, '4.36'));
    } @{ $table->{rows} };
    my @stock = answers([], \@rows);
    my @ours = answers(['-MKumihimo::Instead'], \@rows);
    for my $i (0 .. $#rows) {
        my ($expression, @cells) = @{ $rows[$i] };
        is $stock[$i], $cells[0], "$expression: the module itself";
        is $ours[$i], $cells[1], 'and with Kumihimo';
        isnt $cells[0], $cells[1], 'a difference';
    }
}

# One warning for each option, so each row has a process of its own.
for my $row (@{ $pp[0]{rows} }) {
    my ($by) = answers([], [$row], 'count');
    is $by, $row->[1], $row->[0];
}

done_testing;
