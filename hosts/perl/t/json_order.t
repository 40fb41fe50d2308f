# keep_order: hashes that keep the order of their keys, as tied hashes and when they are written again.
use strict;
use warnings;
use utf8;
use Test::More;

use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();

my $json = Kumihimo::JSON->new->keep_order;
my $text = '{"z":1,"a":{"y":[],"b":null},"ключ":{"é":1,"":2},"m":3}';
my $h = $json->decode($text);

is_deeply [keys %$h], ['z', 'a', 'ключ', 'm'], 'keys';
is_deeply [values %$h], [1, { y => [], b => undef }, { 'é' => 1, '' => 2 }, 3], 'values';
is $json->encode($h), $text, 'written again';
is $json->canonical->encode($h), $text, 'canonical leaves them, as every tied hash';
is(Kumihimo::JSON::Cpanel->new->canonical->encode($h), '{"a":{"b":null,"y":[]},"m":3,"z":1,"ключ":{"":2,"é":1}}', 'but not by the rules of Cpanel::JSON::XS');
is(Kumihimo::JSON->new->sort_by(sub { $b cmp $a })->encode($h), '{"ключ":{"é":1,"":2},"z":1,"m":3,"a":{"y":[],"b":null}}', 'nor where the caller orders');
is(Kumihimo::JSON->new->pretty->encode($json->decode('{"b":{},"a":[1]}')), "{\n   \"b\" : {},\n   \"a\" : [\n      1\n   ]\n}\n", 'with white space');
$json->canonical(0);

# ---- what a hash does
ok exists $h->{z}, 'exists';
ok !exists $h->{nothing}, 'does not exist';
is $h->{nothing}, undef, 'nothing there';
is_deeply [keys %$h], ['z', 'a', 'ключ', 'm'], 'which makes no key';
$h->{a}{c} = 'inside';
$h->{new}{deep}[1] = 'made';
$h->{z} = 'kept';
is $json->encode($h), '{"z":"kept","a":{"y":[],"b":null,"c":"inside"},"ключ":{"é":1,"":2},"m":3,"new":{"deep":[null,"made"]}}', 'stored';
is delete $h->{a}{y}[0], undef, 'delete inside';
is delete $h->{z}, 'kept', 'delete';
is delete $h->{z}, undef, 'and again';
$h->{z} = 'last';
is_deeply [keys %$h], ['a', 'ключ', 'm', 'new', 'z'], 'a key that was deleted comes last';
delete @$h{qw(a m)};
is $json->encode($h), '{"ключ":{"é":1,"":2},"new":{"deep":[null,"made"]},"z":"last"}', 'written without the deleted';
is scalar(%$h), 3, 'in scalar context';
my @seen;
while (my ($key, $value) = each %$h) {
    push @seen, $key;
    delete $h->{$key};
}
is_deeply \@seen, ['ключ', 'new', 'z'], 'each, with deletion on the way';
is $json->encode($h), '{}', 'empty';
ok !%$h, 'false';
%$h = (x => 1, b => 2, a => 3);
is $json->encode($h), '{"x":1,"b":2,"a":3}', 'assigned';
{
    local $h->{b} = 'for a while';
    is $json->encode($h), '{"x":1,"b":"for a while","a":3}', 'local';
}
is $json->encode($h), '{"x":1,"b":2,"a":3}', 'and back';
is_deeply { %$h }, { x => 1, b => 2, a => 3 }, 'copied into a plain hash';
undef %$h;
is $json->encode($h), '{}', 'undef';

# ---- keys whose flags differ are one key
$h = $json->decode('{"é":1,"ü":2}');
my ($latin1, $flagged) = ("\xe9", "\xe9");
utf8::downgrade($latin1), utf8::upgrade($flagged);
is $h->{$latin1}, 1, 'by Latin-1';
is $h->{$flagged}, 1, 'by UTF-8';
$h->{$latin1} = 3;
is $json->encode($h), '{"é":3,"ü":2}', 'and stays one';

# ---- repeated keys
is $json->encode($json->decode('{"a":1,"b":2,"a":3,"c":4,"b":5}')), '{"a":3,"b":5,"c":4}', 'a repeated key has its first place and its last value';
ok !eval { Kumihimo::JSON::Cpanel->new->keep_order->decode('{"a":1,"b":[{}],"a":2}'); 1 }, 'or is refused';
like $@, qr/^Duplicate keys not allowed, at character offset/, 'in the same words';
is $json->encode(Kumihimo::JSON::Cpanel->new->keep_order->dupkeys_as_arrayref->decode('{"b":1,"a":2,"b":3}')), '{"b":[1,3],"a":2}', 'or gathered';

# ---- large ones, filters, other encoders, threads, clones
my $large = '{' . join(',', map { "\"k$_\":$_" } reverse 1 .. 500) . '}';
is $json->encode($json->decode($large)), $large, 'five hundred keys';
my $filtered = Kumihimo::JSON->new->keep_order->filter_json_object(sub { my ($object) = @_; $object->{added} = join ' ', keys %$object; () });
is $json->encode($filtered->decode('{"b":1,"a":{}}')), '{"b":1,"a":{"added":""},"added":"b a"}', 'a filter sees the order';
require JSON::PP;
is(JSON::PP->new->encode($json->decode('{"b":1,"a":2}')), '{"b":1,"a":2}', 'other encoders keep it too');
require Storable;
is $json->encode(Storable::dclone($json->decode($text))), $text, 'a clone';
SKIP: {
    skip 'no threads here', 1 unless eval { require threads; 1 };
    my $there = $json->decode($text);
    is(threads->create(sub { $there->{t} = 1; delete $there->{a}; $json->encode($there) })->join, '{"z":1,"ключ":{"é":1,"":2},"m":3,"t":1}', 'in another thread');
    is $json->encode($there), $text, 'which has its own';
}
tie my %own, 'Kumihimo::JSON::Ordered', b => 1, a => 2;
$own{c} = 3;
is $json->encode(\%own), '{"b":1,"a":2,"c":3}', 'tied by hand';
for my $broken (bless([], 'Kumihimo::JSON::Ordered'), bless([[]], 'Kumihimo::JSON::Ordered'), bless([{}, 'x', 'y'], 'Kumihimo::JSON::Ordered'), bless({}, 'Kumihimo::JSON::Ordered'), 'Kumihimo::JSON::Ordered') {
    ok !eval { Kumihimo::JSON::Ordered::FETCH($broken, 'a'); 1 }, 'what is none';
    like $@, qr/is not what Kumihimo::JSON::Ordered ties a hash to/, 'says so';
}

# ---- the same as the straightforward way, a list of keys, whatever is done, small and large
for my $size (0, 1, 5, 16, 17, 40, 300) {
    srand $size;
    my @order = map { "k$_" } 1 .. $size;
    my %values = map { ($_ => 1) } @order;
    my $h = $json->decode('{' . join(',', map { "\"$_\":1" } @order) . '}');
    my ($place, $last, $wrong) = (0, 0, 0);    # $place: how many keys of @order lie before where `each` stands
    my $remove = sub {
        my ($key) = @_;
        my ($at) = grep { $order[$_] eq $key } 0 .. $#order;
        $wrong++ if (delete $h->{$key} // 'none') ne (delete $values{$key} // 'none');
        return unless defined $at;
        splice @order, $at, 1;
        $place-- if $at < $place;
    };
    for my $step (1 .. 3000) {
        my $what = int rand 12;
        my $any = 'k' . (1 + int rand 1.5 * ($size + 2));
        if    ($what < 3) { push @order, $any unless exists $values{$any}; $h->{$any} = $values{$any} = $step }
        elsif ($what < 5) { $remove->($any) }
        elsif ($what < 6) { $remove->($order[0]) if @order > $size / 4 }
        elsif ($what < 7) { if (@order) { my $key = $order[rand @order]; $remove->($key); push @order, $key; $h->{$key} = $values{$key} = $step } }
        elsif ($what < 9) { my ($key) = each %$h; $wrong++ if ($key // 'none') ne ($place < @order ? $order[$place++] : do { $place = 0; 'none' }) }
        elsif ($what < 10) { if ($place) { $remove->($order[$place - 1]) } }
        elsif ($what < 11) { $wrong++ if ($h->{$any} // 'none') ne ($values{$any} // 'none') || exists $h->{$any} != exists $values{$any} || %$h != @order }
        elsif (rand() < 0.03) { %$h = %values = @order = (); $place = 0 }
        elsif (rand() < 0.3) { $h = Storable::dclone($h) if !$place }
        elsif (rand() < 0.3) { $place = 0; $wrong++ if join(' ', keys %$h) ne join(' ', @order) }
        elsif ($json->encode($h) ne '{' . join(',', map { qq("$_":$values{$_}) } @order) . '}') { $wrong++ }
    }
    is $wrong, 0, "$size keys to begin with";
    is $json->encode($h), '{' . join(',', map { qq("$_":$values{$_}) } @order) . '}', 'and what is left of them';
}

# ---- an access does not look at every key: where one does, these take minutes
{
    my $many = 100_000;
    my $h = $json->decode('{' . join(',', map { "\"k$_\":$_" } 1 .. $many) . '}');
    my $sum = 0;
    $sum += $h->{"k$_"} for 1 .. $many;
    is $sum, $many * ($many + 1) / 2, 'each key fetched';
    $h->{"k$_"} = $_ + 1 for 1 .. $many;
    is $h->{"k$many"}, $many + 1, 'stored';
    for (1 .. $many) { delete $h->{"k$_"}; $h->{"k$_"} = -$_ }
    is join(' ', (keys %$h)[0, 1, -1]), "k1 k2 k$many", 'deleted and set again, in the same order';
    for (1 .. $many / 2) { keys %$h; my ($oldest) = each %$h; delete $h->{$oldest}; $h->{"new$_"} = $_ }
    is join(' ', (keys %$h)[0, -1]), join(' ', 'k' . ($many / 2 + 1), 'new' . $many / 2), 'a queue';
    my $passed = 0;
    while (my ($key) = each %$h) { delete $h->{$key} if $passed++ % 2; $h->{"late$passed"} = 1 if $passed <= 10 }
    is "$passed " . keys %$h, $many + 10 . ' ' . ($many + 10) / 2, 'deleted and stored while iterating';
    delete $h->{"k$_"} for reverse 1 .. $many;
    is scalar(() = grep { /^k/ } keys %$h), 0, 'from the end';
    # A gap at the second key, which every iteration comes to.
    $h = $json->decode('{' . join(',', map { "\"k$_\":$_" } 1 .. $many) . '}');
    delete $h->{"k$_"} for 2 .. $many / 2 - 1;
    my $second;
    for (1 .. $many / 2) { keys %$h; each %$h; ($second) = each %$h }
    is $second, 'k' . $many / 2, 'two keys, from the first, again and again';
}

# ---- what a program does to the parts
{
    my $h = $json->decode('{' . join(',', map { "\"k$_\":$_" } 1 .. 40) . '}');
    delete $h->{k3};
    my $parts = tied %$h;
    $parts->[5] = undef;
    $parts->[6] = bless [], 'Nothing';
    $parts->[7] = \-1;
    $parts->[8] = \1_000_000;
    %{ $parts->[2] } = (k10 => 1e9, k11 => 'x', k12 => -5, k13 => 0);
    delete @$h{qw(k10 k11 k12 k13 k14)};
    splice @$parts, 31;
    is scalar(() = keys %$h) > 0, 1, 'keys are left';
    ok length $json->encode($h), 'and written';
    is $h->{k20}, 20, 'all values are there';
    splice @$parts, 2;
    ok !eval { my $v = $h->{k1}; 1 }, 'not enough is left';
    like $@, qr/is not what Kumihimo::JSON::Ordered ties a hash to/, 'which is said';
}
{
    package Unties;
    no warnings "untie";
    use overload '""' => sub { my ($self) = @_; untie %{ $self->{of} } if $self->{of}; 'a' };
    sub DESTROY { my ($self) = @_; untie %{ $self->{at_end} } if $self->{at_end} }
}
for my $way (sub { $_[0]{ $_[1] } }, sub { $_[0]{ $_[1] } = 1 }, sub { delete $_[0]{ $_[1] } }, sub { exists $_[0]{ $_[1] } }) {
    my $h = $json->decode('{"a":1,"b":2}');
    $way->($h, bless { of => $h }, 'Unties');
    is tied %$h, undef, 'a key that unties the hash';
}
for my $way (sub { %{ $_[0] } = () }, sub { $_[0]{a} = 1 }, sub { delete $_[0]{a} }, sub { undef %{ $_[0] } }) {
    my $h = $json->decode('{"a":1,"b":2}');
    $h->{a} = bless { at_end => $h }, 'Unties';
    $way->($h);
    is tied %$h, undef, 'a destructor that does';
}

# ---- while it is being written
{
    package Eraser;
    sub TO_JSON { my ($self) = @_; %{ $self->{of} } = (); return 'erased' }
}
my $converting = Kumihimo::JSON->new->keep_order->convert_blessed;
$h = $converting->decode('{"b":1,"c":["x"],"d":{"e":"f"}}');
my %with = (of => $h);
$h->{b} = bless \%with, 'Eraser';
is $converting->encode($h), '{"b":"erased","c":["x"],"d":{"e":"f"}}', 'emptied by TO_JSON';
is $converting->encode($h), '{}', 'and is empty';

done_testing;
