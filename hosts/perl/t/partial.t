# Values by their paths, held to what the whole document says.
use 5.016;
use strict;
use warnings;
use lib 't/lib';
use JsonValues qw(json_value);
use Leaks;
use Test::More;
use JSON::PP ();
use Kumihimo;

my $json = JSON::PP->new->utf8->canonical->allow_nonref;
srand($ENV{KUMIHIMO_SEED} // 20_161_225);

sub same { my ($is, $should, $name) = @_; return is $json->encode([$is]), $json->encode([$should]), $name }
sub refused { my ($code, $like, $name) = @_; ok !eval { $code->(); 1 }, $name; return like $@, $like, 'for its reason' }

my $FRAME = '{"last_price":{"price":107910.0,"action":"ask"},"trades":[{"price":1.5,"tid":1},{"tid":2},{"price":null}],'
    . '"asks":[[5,0.1],[6,0.2]],"at":"2016-12-25","caf\u00e9":{"a.b":true,"x/y":[]},"none":null}';

subtest 'paths' => sub {
    my @cases = (
        'last_price.price' => 107910, 'last_price' => { price => 107910, action => 'ask' }, 'asks[1][0]' => 6, 'asks[*][0]' => [5, 6],
        'trades[*].price' => [1.5, undef, undef], 'trades[0].price' => 1.5, 'trades[7].price' => undef, '/trades/1/tid' => 2, '/asks/0' => [5, 0.1],
        "caf\xe9[\"a.b\"]" => JSON::PP::true, "/caf\xe9/x~1y" => [], 'none' => undef, 'nothing' => undef, '$.at' => '2016-12-25', 'at[0]' => undef,
    );
    my (@paths, @values);
    while (my ($path, $value) = splice @cases, 0, 2) { push @paths, $path; push @values, $value }
    for my $level (qw(strict structural trusted)) {
        my $all = Kumihimo->partial(\@paths, level => $level);
        same($all->decode($FRAME), \@values, "all at once, $level");
        same(Kumihimo->partial([$paths[$_]], level => $level)->decode($FRAME), [$values[$_]], "$paths[$_], $level") for 0 .. $#paths;
    }
    my $upgraded = "caf\xe9";
    utf8::upgrade($upgraded);
    same(Kumihimo->partial($upgraded)->decode($FRAME), [{ 'a.b' => JSON::PP::true, 'x/y' => [] }], 'a path is characters, whatever its flag');
    same(Kumihimo->partial('')->decode(' [1] '), [[1]], 'the whole document');
    same(Kumihimo->partial('$')->decode('"x"'), ['x'], 'by both names');
    same(Kumihimo->partial('a')->decode('{"a":1,"a":2}'), [2], 'of equal keys the last');
    is_deeply [Kumihimo->partial('b', 'a')->paths], ['b', 'a'], 'paths';
};

subtest 'results' => sub {
    my $named = Kumihimo->partial({ price => 'last_price.price', at => 'at', gone => 'gone' });
    same($named->decode($FRAME), { price => 107910, at => '2016-12-25', gone => undef }, 'by names');
    is_deeply [$named->names], [qw(at gone price)], 'names, in order';
    is_deeply [$named->paths], [qw(at gone last_price.price)], 'and their paths';
    my $missing = \'missing';
    my $told = Kumihimo->partial(['none', 'gone', 'trades[*].price'], missing => $missing)->decode($FRAME);
    is $told->[0], undef, 'null is undef';
    is $told->[1], $missing, 'what is not there is what was asked for';
    is_deeply $told->[2], [1.5, $missing, undef], 'in lists too';
    my $raw = Kumihimo->partial(['last_price.price', 'asks', 'at', 'gone'], raw => 1)->decode($FRAME);
    is_deeply $raw, ['107910.0', '[[5,0.1],[6,0.2]]', '"2016-12-25"', undef], 'raw';
    my $text = '{' . join(',', map { qq("$_":1) } split //, 'zamqbycxdw') . '}';
    is_deeply [keys %{ Kumihimo->partial([''], keep_order => 1)->decode($text)->[0] }], [split //, 'zamqbycxdw'], 'keep_order';
    my @list = Kumihimo->partial('at')->decode($FRAME);
    is scalar @list, 1, 'one result, in a list too';
};

subtest 'many' => sub {
    my $partial = Kumihimo->partial('a');
    my @documents = map { qq({"a":$_,"b":[{}]}) } 1 .. 100;
    same($partial->many(\@documents), [map { [$_] } 1 .. 100], 'results');
    my @got;
    is $partial->many(\@documents, sub { push @got, $_[0][0] }), $partial, 'a callback';
    is_deeply \@got, [1 .. 100], 'gets each';
    $documents[41] = '{"a":';
    refused(sub { $partial->many(\@documents) }, qr/\Adocument 41: .* at line 1, column 6.* at \Q$0\E line/, 'a broken one');
    @got = ();
    refused(sub { $partial->many(\@documents, sub { push @got, $_[0][0] }) }, qr/\Adocument 41: .* at \Q$0\E line/, 'or with a callback');
    is_deeply \@got, [1 .. 41], 'after those before it';
    refused(sub { $partial->many(['{}', '{}'], sub { die "enough\n" }) }, qr/\Aenough$/, 'a callback that dies');
    @got = ();
    { no warnings 'exiting'; $partial->many(['{"a":1}', '{"a":2}', '{"a":3}'], sub { push @got, $_[0][0]; last if @got == 2 }) }
    is_deeply \@got, [1, 2], 'a callback that leaves the loop';
    my $inner;
    $partial->many(['{"a":1}', '{"a":2}'], sub { $inner .= $_[0][0] . $partial->decode('{"a":"x"}')->[0] });
    is $inner, '1x2x', 'a callback that decodes';
    my @shrinking = map { qq({"a":$_}) } 1 .. 5;
    @got = ();
    $partial->many(\@shrinking, sub { push @got, $_[0][0]; @shrinking = () });
    is_deeply \@got, [1], 'a callback that empties the list';
    refused(sub { $partial->many('{}') }, qr/Usage/, 'no list');
    same($partial->many([]), [], 'an empty one');
};

subtest 'levels, and what they look at' => sub {
    my %document = (
        'a broken number behind' => '{"a":1,"b":[1.]}', 'a broken string behind' => '{"a":1,"b":["\q"]}', 'cut' => '{"a":1,"b":[',
        'something behind' => '{"a":1} x', 'bad UTF-8' => qq({"a":1,"b":"\xff"}), 'a broken value' => '{"a":tru}',
    );
    my %refused = (
        strict => [sort keys %document], structural => ['a broken string behind', 'a broken value', 'bad UTF-8', 'cut', 'something behind'],
    );
    for my $level (sort keys %refused) {
        my $partial = Kumihimo->partial(['a'], level => $level);
        is_deeply [grep { !eval { $partial->decode($document{$_}); 1 } } sort keys %document], $refused{$level}, $level;
    }
    for my $text (values %document) {
        for my $cut (0 .. length $text) { eval { Kumihimo->partial([qw(a b[0] b[*].c)], level => 'trusted')->decode(substr $text, 0, $cut) } }
    }
    pass 'trusted stays whole on broken documents';
};

subtest 'errors' => sub {
    my $partial = Kumihimo->partial('a');
    refused(sub { $partial->decode("{\n \"a\": [1,\n tru]}") }, qr/, at line 3, column 2, byte \d+ \(\$\.a\[1\]\) at \Q$0\E line/, 'what, where, under which path');
    refused(sub { $partial->decode('') }, qr/at line 1/, 'nothing');
    refused(sub { $partial->decode(undef) }, qr/at line 1/, 'undef');
    refused(sub { $partial->decode("{\"a\":\"\x{263a}\"}") }, qr/wide character in the JSON/, 'characters');
    my $upgraded = "{\"a\":\"caf\xc3\xa9\"}";
    utf8::upgrade($upgraded);
    is $partial->decode($upgraded)->[0], "caf\x{e9}", 'bytes are bytes, whatever the flag';
    refused(sub { Kumihimo->partial() }, qr/at least one path/, 'no path');
    refused(sub { Kumihimo->partial([]) }, qr/at least one path/, 'an empty list');
    refused(sub { Kumihimo->partial('a', undef) }, qr/a path is a string/, 'undef');
    refused(sub { Kumihimo->partial('a', []) }, qr/a path is a string/, 'a reference');
    refused(sub { Kumihimo->partial('a[') }, qr/the path "a\[" is not valid: .* at byte 2 of it at \Q$0\E/, 'a path that is none');
    open my $other, '<', $0 or die $!;
    readline $other;
    refused(sub { Kumihimo->partial('a[') }, qr/at byte 2 of it at \Q$0\E line \d+(?:, <\$other> line 1)?\.\n\z/, 'its place is said once');
    close $other;
    refused(sub { Kumihimo->partial('/~2') }, qr/is not valid/, 'or a pointer');
    refused(sub { Kumihimo->partial(['a'], level => 'lax') }, qr/level is one of/, 'a level');
    refused(sub { Kumihimo->partial(['a'], levels => 1) }, qr/levels is no option/, 'an option');
    refused(sub { Kumihimo->partial(['a'], max_depth => -1) }, qr/not negative/, 'a depth');
    refused(sub { Kumihimo->partial(['a'], max_depth => 2)->decode('{"a":[[1]]}') }, qr/deep/, 'too deep');
    refused(sub { Kumihimo::Partial::decode({}, '{}') }, qr/an object of Kumihimo::Partial is needed/, 'no object');
    refused(sub { Kumihimo::Partial::decode('x', '{}') }, qr/an object of Kumihimo::Partial is needed/, 'nothing like it');
};

sub places {
    my ($value, $pointer, $to) = @_;
    $to->{$pointer} = $value;
    if (ref $value eq 'HASH') { places($value->{$_}, "$pointer/" . s/~/~0/gr =~ s{/}{~1}gr, $to) for keys %$value }
    if (ref $value eq 'ARRAY') { places($value->[$_], "$pointer/$_", $to) for 0 .. $#$value }
    return $to;
}

subtest 'generated documents' => sub {
    my ($wrong, $n) = (0, 0);
    my @printers = (JSON::PP->new->utf8->allow_nonref, JSON::PP->new->ascii->pretty->allow_nonref);
    for my $round (1 .. ($ENV{KUMIHIMO_COUNT} // 150)) {
        my $document = json_value(4, 5);
        my $places = places($document, '', {});
        my @all = keys %$places;
        my @paths = map { $all[rand @all] } 1 .. 5;
        push @paths, '/no/such/place';
        my $text = $printers[$round % 2]->encode($document);
        for my $level (qw(strict structural trusted)) {
            ++$n;
            my $is = $json->encode(Kumihimo->partial(\@paths, level => $level)->decode($text));
            my $should = $json->encode([@{$places}{@paths}]);
            diag("@paths\n$text\n$is\n$should") if $is ne $should && $wrong++ < 3;
        }
    }
    is $wrong, 0, "$n times alike";
};

subtest 'threads' => sub {
    plan skip_all => 'this perl has no threads' unless eval { require Config; $Config::Config{useithreads} && require threads };
    my $partial = Kumihimo->partial({ a => 'a', b => 'b[*]' }, missing => 'none');
    my @threads = map { my $n = $_; threads->create(sub { my $r; $r = $partial->decode(qq({"a":$n,"b":[1,$n]})) for 1 .. 200; "$r->{a} @{$r->{b}}" }) } 1 .. 3;
    is_deeply [map { $_->join } @threads], ['1 1 1', '2 1 2', '3 1 3'], 'each has its own';
    is $partial->decode('{"b":[]}')->{a}, 'none', 'and so has the first';
};

subtest 'nothing is left behind' => sub {
    my $partial = Kumihimo->partial('last_price', 'trades[*].price', 'gone');
    my $named = Kumihimo->partial({ x => 'trades', y => 'gone' }, missing => 'none');
    leaves_nothing('decode', sub { $partial->decode($FRAME) });
    leaves_nothing('named', sub { $named->decode($FRAME) });
    leaves_nothing('many', sub { $partial->many([$FRAME, $FRAME]); $partial->many([$FRAME], sub { }) });
    leaves_nothing('made', sub { Kumihimo->partial('a.b', 'c[*]') });
    leaves_nothing('broken', sub { eval { $partial->decode('{"last_price":{"a":[1,') } });
    leaves_nothing('a number out of range', sub { eval { Kumihimo->partial(['trades[*].price'], max_depth => 1)->decode($FRAME) } });
    leaves_nothing('a bad path', sub { eval { Kumihimo->partial('a[') } });
    leaves_nothing('a callback that dies', sub { eval { $partial->many([$FRAME, $FRAME], sub { die }) } });
};

done_testing;
