# The tables of Kumihimo::Mojo::Differences, row by row: what stands there is what happens.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use MojoPair qw(need_mojolicious have_cpanel profiles ours stock);
use MojoRows qw(tables_of answer);
use Test::More;

BEGIN { need_mojolicious() }

# perl's addition, once it has seen a fraction: see the list in the document.
stock('encode_json', $_)->([0.5]) for profiles();

sub is_cell {
    my ($got, $cell, $name) = @_;
    return is(substr($got, 0, length($cell) - 3) . '...', $cell, $name) if $cell =~ /\.\.\.\z/ && length $got > length $cell;
    return is($got, $cell, $name);
}
sub with_ours { my ($profile, @options) = @_; return sub { ours($_[0], profile => $profile, @options) } }
sub with_stock { my ($profile) = @_; return sub { stock($_[0], $profile) } }
my %stock = map { $_ => 1 } profiles();
# The document is about the releases that it names; a later Cpanel::JSON::XS has other texts of errors in a few places, and is not asked about those.
my $old_cpanel = $stock{cpanel} && Cpanel::JSON::XS->VERSION < 4.36;

my @tables = tables_of('lib/Kumihimo/Mojo/Differences.pod');
is_deeply [map { scalar @{ $_->{columns} } } @tables], [2, 3, 3, 5, 4, 2], 'the tables that are read here';
my ($words, $encoding, $decoding, $versions, $kumihimo, $messages) = map { $_->{rows} } @tables;
cmp_ok scalar(@$_), '>', 3, 'a table with rows' for $encoding, $decoding, $versions, $kumihimo, $messages;

subtest 'between the profiles' => sub {
    for my $row (@$encoding, @$decoding) {
        my ($expression, %cell) = ($row->[0], cpanel => $row->[1], pure => $row->[2]);
        isnt $cell{cpanel}, $cell{pure}, "$expression: is a difference";
        for my $profile (sort keys %cell) {
            is_cell answer($expression, with_ours($profile)), $cell{$profile}, "$expression, profile $profile";
            next if !$stock{$profile} || $profile eq 'cpanel' && !$old_cpanel && $cell{cpanel} =~ /\Adies/;
            is_cell answer($expression, with_stock($profile)), $cell{$profile}, "$expression, Mojo::JSON, $profile";
        }
    }
};

subtest 'by version' => sub {
    for my $row (@$versions) {
        my ($expression, $profile, $which, $before, $since) = @$row;
        for my $one ($profile eq 'both' ? profiles() : grep { $stock{$_} } $profile) {
            my $stock = answer($expression, with_stock($one));
            my $cell = is_one_of($stock, $before, $since);
            ok defined $cell, "$expression, Mojo::JSON, $one: before or since $which" or diag $stock;
            is_cell answer($expression, with_ours($one)), $cell, "$expression, $one" if defined $cell;
        }
    }
    # Whichever they are, both answers can be given.
    my @old = map { Kumihimo::Mojo::_make($_, 1 | 16) } 0, 2;
    my @new = map { Kumihimo::Mojo::_make($_, 1 | 4 | 8) } 0, 2;
    for my $row (grep { $_->[1] eq 'pure' } @$versions) {
        my ($expression, undef, $which, $before, $since) = @$row;
        next if $which =~ /perl 5\.36/ && $] < 5.036;
        is_cell answer($expression, sub { { encode_json => $old[0], decode_json => $old[1] }->{ $_[0] } // sub { } }), $before, "$expression, before $which";
        is_cell answer($expression, sub { { encode_json => $new[0], decode_json => $new[1] }->{ $_[0] } // sub { } }), $since, "$expression, since $which";
    }
};

sub is_one_of {
    my ($got, @cells) = @_;
    for my $cell (@cells) {
        return $cell if $got eq $cell || $cell =~ /\A(.+)\.\.\.\z/ && index($got, $1) == 0;
    }
    return;
}

subtest 'between Mojo::JSON and Kumihimo' => sub {
    # The releases that the table is about.
    require Kumihimo::JSON::Cpanel;
    Kumihimo::JSON::Cpanel::_as_release(435, 0);
    for my $row (@$kumihimo) {
        my ($expression, $profile, $stock, $ours) = @$row;
        isnt $stock, $ours, "$expression: is a difference";
        is_cell answer($expression, with_ours($profile)), $ours, "$expression, $profile";
        next if !$stock{$profile} || $profile eq 'cpanel' && !$old_cpanel;
        is_cell answer($expression, with_stock($profile)), $stock, "$expression, Mojo::JSON, $profile";
    }
    Kumihimo::JSON::Cpanel::_follow();
};

subtest 'clear messages' => sub {
    for my $row (@$messages) {
        my ($text, $message) = @$row;
        is answer("decode_json $text", with_ours('cpanel', messages => 'clear')), "dies: $message", $text;
    }
    is answer(q{decode_json '{"a":1,"a":2}'}, with_ours('cpanel', messages => 'clear')), '{"a" => 2}', 'what is right is not concerned';
};

# An error names the line that called, in every profile.
subtest 'the place' => sub {
    for my $options ([profile => 'cpanel'], [profile => 'pure'], [profile => 'cpanel', messages => 'clear']) {
        my $decode = ours('decode_json', @$options);
        my $from = ours('from_json', @$options);
        for my $code ($decode, $from) {
#line 1000 a_file_of_mine
            my $died = eval { $code->('[1'); 1 } ? 'it lives' : $@;
            like $died, qr/ at a_file_of_mine line 1000\.\n\z/, "@$options";
        }
    }
};

# The list below the tables.
subtest 'what has no row' => sub {
    plan skip_all => 'Cpanel::JSON::XS 4.35 or older is not installed' unless $old_cpanel;
    my $text = "[\"\xe9\"]";
    ours('from_json', profile => 'cpanel')->($text);
    ok !utf8::is_utf8($text), 'the text of from_json stays as it is';
    stock('from_json', 'cpanel')->($text);
    ok utf8::is_utf8($text), 'there it does not';
    my $ours = ours('from_json', profile => 'cpanel');
    ok !eval { $ours->("\xef\xbb\xbf["); 1 }, 'a mark, and wrong behind it';
    is_deeply $ours->("[\"\xe9\"]"), ["\xe9"], 'does not concern the next text';
};

done_testing;
