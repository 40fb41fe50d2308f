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
