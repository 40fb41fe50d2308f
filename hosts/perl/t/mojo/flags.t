# Whether text is flagged as characters decides what pure Mojo::JSON writes later: only unflagged text that was used as a number is a number again.
use 5.016;
use strict;
use warnings;
use lib 't/lib';
use MojoPair qw(need_mojolicious ours stock);
use Test::More;

BEGIN { need_mojolicious() }

my %of = (ours => sub { ours($_[0], profile => 'pure') }, stock => sub { stock($_[0], 'pure') });
sub flags { return join ' ', map { utf8::is_utf8($_) ? 'flagged' : 'not' } @_ }

for my $text ('["5","a"]', "[\"\xe9\"]", '["\u0035","5"]', '["\u00e9x","\n","\ud83d\ude00"]', "[\"\xe9\\n\",\"a\\u0041\xe9\",\"\",\"x\"]", '"5"', '["5",1e2]', "{\"a\":\"b\",\"\xe9\":\"\xe9\"}", "{\"a\":\"\\u0061\",\"\\u0061\":\"a\",\"\xe9\":1,\"\\u00e9\":2}") {
    for my $upgraded (0, 1) {
        my %said;
        for my $who (qw(ours stock)) {
            my $copy = $text;
            utf8::upgrade($copy) if $upgraded;
            my $value = $of{$who}->('from_json')->($copy);
            my @parts = ref $value eq 'HASH' ? map({ $value->{$_} } sort keys %$value) : ref $value ? @$value : $value;
            # Keys that are flagged though they are ASCII: see the list in the document.
            push @parts, sort keys %$value if ref $value eq 'HASH' && !$upgraded && $text !~ /\\u/;
            no warnings 'numeric';
            my $used = 0;
            $used += $_ for @parts;
            $said{$who} = join '|', flags(@parts), $of{$who}->('encode_json')->([@parts]), scalar(ref $value eq 'HASH' ? keys %$value : 1);
        }
        is $said{ours}, $said{stock}, "from_json of $text" . ($upgraded ? ', flagged' : '');
    }
}

my ($flagged_ascii, $flagged_latin) = ('abc', "\xe9");
utf8::upgrade($_) for $flagged_ascii, $flagged_latin;
for my $value (['abc'], ["\xe9"], [$flagged_ascii], [$flagged_latin], ["\x{7d44}"], { "\xe9" => 1 }, { $flagged_ascii => 1 }, { $flagged_latin => "\xe9" }, [["\xe9"], 1.5], ["\xe9", "\x{7d44}"]) {
    my ($ours, $stock) = map { $of{$_}->('to_json')->($value) } qw(ours stock);
    is flags($ours) . " $ours", flags($stock) . " $stock", 'to_json of ' . $of{stock}->('to_json')->($value) =~ s/([^ -~])/sprintf '\\x{%x}', ord $1/ger;
}

done_testing;
