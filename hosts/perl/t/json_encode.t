# What is written: the text and the errors of JSON::XS 4.04 and Cpanel::JSON::XS 4.35, with every option alone and with every two of them, for hand-picked and
# generated values, in the same process. Where we differ on purpose, the values are kept out here, and t/json_differences.t has them.
use strict;
use warnings;
use Test::More;

use lib 't/lib';
use EncodeValues qw(picked generated);
use Installed qw(load_installed);

use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();

my @both = (
    map({ my $name = $_; [$name, sub { $_[0]->$name }] }
        qw(ascii latin1 utf8 indent canonical space_before space_after pretty allow_nonref shrink allow_blessed convert_blessed allow_unknown allow_tags)),
    ['allow_nonref off', sub { $_[0]->allow_nonref(0) }],
    ['max_depth 5', sub { $_[0]->max_depth(5) }],
);
my %side = (
    'JSON::XS' => { class => 'Kumihimo::JSON', version => '4.04', options => [@both] },
    'Cpanel::JSON::XS' => {
        class => 'Kumihimo::JSON::Cpanel', version => '4.35',
        options => [
            @both,
            map({ my $name = $_; [$name, sub { $_[0]->$name }] } qw(binary escape_slash allow_bignum allow_stringify type_all_string require_types sort_by)),
            map({ my $mode = $_; ["stringify_infnan $mode", sub { $_[0]->stringify_infnan($mode) }] } 0 .. 3),
            ['indent_length 1', sub { $_[0]->indent_length(1)->indent }],
            ['indent_length 0', sub { $_[0]->indent_length(0)->indent }],
        ],
    },
);

# Text and its flag, or the words of the error without their place and without addresses.
sub outcome {
    my ($json, $value) = @_;
    my @warnings;
    local $SIG{__WARN__} = sub { push @warnings, $_[0] };
    my $text = eval { $json->encode($value) };
    return defined $text ? (utf8::is_utf8($text) ? 'characters ' : 'bytes ') . $text : 'error ' . $@ =~ s/ at \S+ line \d+\.?\n\z//r =~ s/0x[0-9a-f]+/0x/gr;
}
sub printable { return $_[0] =~ s/([^\x20-\x7e])/sprintf '\\x{%x}', ord $1/ger }

# Not the same on purpose.
my %different = (
    'JSON::XS' => qr/^(?:infinity|lone surr|whole floats$)/,
    'Cpanel::JSON::XS' => qr/^(?:lone surr|object of Frozen(?:Self|Dies))/,    # the latter leave perl's stack broken there
);

for my $stock (sort keys %side) {
    my ($class, $version, $options) = @{ $side{$stock} }{qw(class version options)};
    subtest "as $stock" => sub {
        plan skip_all => "$stock $version is not installed" unless load_installed($stock, $version);
        my @sets = ([], map({ [$_] } @$options), map { my $i = $_; map { [$options->[$i], $options->[$_]] } $i + 1 .. $#$options } 0 .. $#$options);
        my @values = picked();
        my ($compared, $told, %told) = (0, 0);
        my $compare = sub {
            my ($name, $make) = @_;
            for my $set (@sets) {
                my ($ours, $theirs) = ($class->new, $stock->new);
                $_->[1]($ours), $_->[1]($theirs) for @$set;
                my $names = join ' + ', map { $_->[0] } @$set;
                my $value = $make->();
                my ($expected, $got) = (outcome($theirs, $value), outcome($ours, $make->()));
                # The order of a hash is its own: the same hash again, where it decides.
                $got = outcome($ours, $value) if $got ne $expected;
                ++$compared;
                next if $got eq $expected;
                ++$told;
                is printable($got), printable($expected), "$name; $names" if ++$told{$name} <= 2;
            }
        };
        while (my ($name, $make) = splice @values, 0, 2) {
            next if $name =~ $different{$stock};
            $compare->($name, $make);
        }
        my @few = @sets[0 .. @$options];
        @sets = @few;
        for my $seed (1 .. $ENV{KUMIHIMO_COUNT} || 60) {
            $compare->("generated $seed", sub { generated($seed) });
        }
        is $told, 0, "$compared answers are the same";
    };
}

done_testing;
