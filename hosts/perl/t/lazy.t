# Lazy documents, held to the same document as plain values.
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

my $TEXT = ' {"a":[1,{"b":null,"c/d":"\u00e9"},[]],"e":true,"n":1.5,"s":"text","caf' . "\xc3\xa9" . '":{"~":{"x":[[7]]}},"":0} ';

subtest 'objects as hashes' => sub {
    my $doc = Kumihimo->lazy($TEXT);
    isa_ok $doc, 'Kumihimo::Lazy';
    is $doc->{n}, 1.5, 'a number';
    is $doc->{s}, 'text', 'a string';
    ok $doc->{e}, 'true';
    isa_ok $doc->{e}, 'JSON::PP::Boolean';
    is $doc->{''}, 0, 'the empty key';
    isa_ok $doc->{a}, 'Kumihimo::Lazy';
    is $doc->{"caf\xe9"}{'~'}{x}[0][0], 7, 'deep inside';
    my $upgraded = "caf\xe9";
    utf8::upgrade($upgraded);
    is $doc->{$upgraded}{'~'}{x}[0][0], 7, 'whatever the flag of the key';
    is $doc->{gone}, undef, 'what is not there';
    ok exists $doc->{a}[1]{b}, 'null is there';
    is $doc->{a}[1]{b}, undef, 'and undef';
    ok !exists $doc->{gone}, 'what is not there is not';
    is_deeply [keys %$doc], ['a', 'e', 'n', 's', "caf\xe9", ''], 'keys, in the order of the text';
    is scalar(keys %$doc), 6, 'how many';
    ok !!%$doc, 'as truth';
    ok !%{ Kumihimo->lazy('{}') }, 'of none';
    my @pairs;
    while (my ($key, $value) = each %$doc) { push @pairs, $key . '=' . (ref $value ? ref $value : $value) }
    is_deeply [@pairs[0, 2, 5]], ['a=Kumihimo::Lazy', 'n=1.5', '=0'], 'each';
    my ($x, $y) = @{$doc}{qw(n s)};
    is "$x $y", '1.5 text', 'a slice';
    for my $change (sub { $doc->{n} = 1 }, sub { delete $doc->{n} }, sub { %$doc = () }, sub { $doc->{a}[0] = 1 }, sub { push @{ $doc->{a} }, 1 },
        sub { shift @{ $doc->{a} } }, sub { @{ $doc->{a} } = () }, sub { $#{ $doc->{a} } = 0 }, sub { splice @{ $doc->{a} }, 0, 1 }) {
        refused($change, qr/\A\$(?:\.a)? cannot be changed.* at \Q$0\E line/, 'no change');
    }
};

subtest 'arrays' => sub {
    my $array = Kumihimo->lazy($TEXT)->{a};
    is scalar @$array, 3, 'length';
    is $#$array, 2, 'last index';
    is $array->[0], 1, 'an element';
    is $array->[-2]{'c/d'}, "\xe9", 'from the end';
    is $array->[3], undef, 'behind the end';
    is $array->[-4], undef, 'before the beginning';
    is_deeply [map { ref || $_ } @$array], [1, 'Kumihimo::Lazy', 'Kumihimo::Lazy'], 'a loop';
    ok exists $array->[2] && !exists $array->[3], 'exists';
    my $long = Kumihimo->lazy('[' . join(',', map { $_ % 3 ? $_ : "[$_]" } 0 .. 999) . ']');
    my @order = map { int rand 1000 } 1 .. 2000;
    is_deeply [map { my $v = $long->[$_]; ref $v ? $v->[0] : $v } @order], \@order, 'in any order';
    is_deeply [map { ref $_ ? $_->[0] : $_ } @$long], [0 .. 999], 'in order';
    is scalar @{ Kumihimo->lazy('[]') }, 0, 'none';
};

# Walks from the beginning, and a reading of the document for each, would take minutes.
subtest 'elements in any order' => sub {
    my $many = 100_000;
    my $doc = Kumihimo->lazy('{"long":[' . join(',', map { "[$_]" } 0 .. $many - 1) . ']}');
    my $long = $doc->{long};
    my %way = (
        'by index' => sub { $long->[$_[0]][0] },
        'from the end' => sub { $long->[$_[0] - $many][0] },
        'from the document' => sub { $doc->get('long', $_[0], 0) },
        'by pointer' => sub { $doc->at("/long/$_[0]/0") },
        'its text' => sub { $long->[$_[0]]->raw =~ s/[][]//gr },
    );
    for my $way (sort keys %way) {
        is scalar(grep { $way{$way}->($_) != $_ } reverse 0 .. $many - 1), 0, "$way, backwards";
        is scalar(grep { $way{$way}->($_) != $_ } map { int rand $many } 1 .. $many), 0, "$way, in any order";
    }
    is $long->[$many], undef, 'behind the last';
    ok !$long->exists($many) && $long->exists($many - 1), 'exists';
};

subtest 'methods' => sub {
    my $doc = Kumihimo->lazy($TEXT);
    is $doc->get('a', 1, 'c/d'), "\xe9", 'get, along a way';
    is $doc->get('a', -1)->length, 0, 'length';
    is $doc->get('a', 1, 'b', 'x'), undef, 'null on the way';
    is $doc->get('gone', 'x'), undef, 'or nothing';
    ok $doc->exists('a') && !$doc->exists('x') && $doc->{a}->exists(0) && $doc->{a}->exists(-3) && !$doc->{a}->exists(3), 'exists';
    is $doc->at('/a/1/c~1d'), "\xe9", 'at';
    is $doc->at("/caf\xe9/~0/x/0/0"), 7, 'at, deep';
    is $doc->at('/'), 0, 'the empty key';
    same($doc->at('')->value, $doc->value, 'itself');
    is $doc->{a}->at('/1/b'), undef, 'from inside';
    is $doc->at($_), undef, "nothing at $_" for '/a/3', '/a/01', '/a/-1', '/a/x', '/a/', '/n/0', '/a/99999999999999999999';
    refused(sub { $doc->at('a') }, qr/a JSON Pointer is empty or begins with a slash/, 'no pointer');
    refused(sub { $doc->at('/a~2') }, qr/~ stands before 0 or 1/, 'nor that');
    same($doc->value, $json->decode($TEXT), 'value');
    same($doc->{a}->value, [1, { b => undef, 'c/d' => "\xe9" }, []], 'value of a part');
    is_deeply [$doc->{a}[1]->keys], ['b', 'c/d'], 'keys';
    is scalar $doc->keys, 6, 'how many';
    is_deeply [$doc->{a}[1]->values], [undef, "\xe9"], 'values';
    is_deeply [map { ref || $_ } $doc->{a}->values], [1, ('Kumihimo::Lazy') x 2], 'of an array';
    is $doc->{a}->raw, '[1,{"b":null,"c/d":"\u00e9"},[]]', 'raw';
    is $doc->raw, $TEXT =~ s/\A | \z//gr, 'of all';
    is $doc->{a}->path, '/a', 'path';
    is $doc->{a}[1]->path, '/a/1', 'of an element';
    is $doc->path, '', 'of the document';
    is $doc->{"caf\xe9"}{'~'}{x}->path, "/caf\xe9/~0/x", 'with its escapes';
    is $doc->at($_->path)->raw, $_->raw, 'which leads back: ' . $_->path for $doc->{a}[2], $doc->{"caf\xe9"}{'~'}, $doc->{a};
    is_deeply [map { Kumihimo->lazy($_)->type } '{}', '[]', '"x"', 'true', 'null', '1', '1.5', '123456789012345678901234567890'],
        [qw(object array string boolean null number number number)], 'type';
    same([map { Kumihimo->lazy($_)->value } '"x"', 'true', 'null', '-0', '18446744073709551615'], ['x', JSON::PP::true, undef, 0, 18446744073709551615], 'a scalar alone');
    is(JSON::PP->new->convert_blessed->canonical->encode($doc->{a}[1]), '{"b":null,"c/d":"' . "\xe9" . '"}', 'TO_JSON');
    is(Kumihimo->lazy('{"a":1,"b":2,"a":3}')->{a}, 3, 'of equal keys the last');
};

subtest 'a reference like any other' => sub {
    my $doc = Kumihimo->lazy($TEXT);
    like "$doc", qr/\AKumihimo::Lazy=/, 'as text';
    ok $doc, 'as truth';
    ok $doc == $doc && $doc != $doc->{a} && $doc eq $doc, 'compared';
    my $inside = do { my $text = '{"a":{"b":["kept"]}}'; Kumihimo->lazy($text)->{a} };
    is $inside->{b}[0], 'kept', 'a part holds its document';
    my $text = '{"a":["before"]}';
    $doc = Kumihimo->lazy($text);
    substr $text, 0, 16, 'x' x 16;
    is $doc->{a}[0], 'before', 'and does not follow its text';
    my $hash = do { \%{ Kumihimo->lazy('{"a":[1,2]}') } };
    is $hash->{a}[1], 2, 'so does what it is dereferenced to';
};

subtest 'errors' => sub {
    my $doc = Kumihimo->lazy($TEXT);
    refused(sub { my $x = $doc->{a}{x} }, qr/\A\$\.a is an array, not an object at \Q$0\E line/, 'no object');
    refused(sub { my $x = $doc->[0] }, qr/\A\$ is an object, not an array/, 'no array');
    refused(sub { my $x = $doc->{a}[1][0] }, qr/\A\$\.a\[1\] is an object/, 'with its path');
    refused(sub { $doc->get('a', 'x') }, qr/\A\$\.a is an array: an index is needed, not "x"/, 'no index');
    refused(sub { $doc->get('n', 'x') }, qr/\A\$\.n is a number, not an object or an array/, 'a scalar on the way');
    refused(sub { $doc->{a}->keys }, qr/\A\$\.a is an array, not an object/, 'keys');
    refused(sub { Kumihimo->lazy('1')->length }, qr/\A\$ is a number, not an object or an array/, 'length');
    refused(sub { Kumihimo->lazy('"s"')->values }, qr/\A\$ is a string/, 'values');
    refused(sub { Kumihimo->lazy("{\"a\":[1,\n2") }, qr/ at line 2, column 2, byte 10 .* at \Q$0\E line/, 'cut');
    refused(sub { Kumihimo->lazy('') }, qr/at line 1/, 'nothing');
    refused(sub { Kumihimo->lazy(undef) }, qr/a JSON text is needed/, 'undef');
    refused(sub { Kumihimo->lazy("\"\x{263a}\"") }, qr/wide character/, 'characters');
    refused(sub { Kumihimo->lazy('{}', depth => 1) }, qr/depth is no option/, 'an option');
    refused(sub { Kumihimo->lazy('[[[1]]]', max_depth => 2) }, qr/deep/, 'too deep');
    refused(sub { Kumihimo::Lazy::value({}) }, qr/an object of Kumihimo::Lazy is needed/, 'no object of the class');
};

# Walks both and compares every place by every way to it.
sub walked {
    my ($lazy, $value, $way, $wrong) = @_;
    if (!ref $value || ref $value eq 'JSON::PP::Boolean') {
        push @$wrong, $way if $json->encode([$lazy]) ne $json->encode([$value]);
        return 1;
    }
    push @$wrong, "$way path" if $lazy->path ne $way;
    push @$wrong, "$way value" if $json->encode($lazy->value) ne $json->encode($value);
    my $n = 1;
    if (ref $value eq 'HASH') {
        push @$wrong, "$way keys" if "@{[sort $lazy->keys]}" ne "@{[sort keys %$value]}" || "@{[keys %$lazy]}" ne "@{[$lazy->keys]}";
        $n += walked($lazy->{$_}, $value->{$_}, "$way/" . s/~/~0/gr =~ s{/}{~1}gr, $wrong) for keys %$value;
    }
    else {
        push @$wrong, "$way length" if @$lazy != @$value;
        $n += walked($lazy->[$_], $value->[$_], "$way/$_", $wrong) for 0 .. $#$value;
    }
    return $n;
}

subtest 'generated documents' => sub {
    my ($n, @wrong) = (0);
    for (1 .. ($ENV{KUMIHIMO_COUNT} // 200)) {
        my $value = [json_value(4, 8)];
        $n += walked(Kumihimo->lazy($json->encode($value)), $value, '', \@wrong);
    }
    is_deeply \@wrong, [], "$n places";
};

subtest 'the whole of large documents' => sub {
    my $text = '[' . join(',', map { qq({"id":$_,"text":"line $_\\n"}) } 1 .. 20_000) . ']';
    my $doc = Kumihimo->lazy($text);
    is $doc->[19_999]{text}, "line 20000\n", 'the last';
    is $doc->[10_000]->raw, '{"id":10001,"text":"line 10001\n"}', 'raw, of one in the middle';
    my $sum = 0;
    $sum += $_->{id} for @$doc;
    is $sum, 20_000 * 20_001 / 2, 'all of them';
};

subtest 'threads' => sub {
    plan skip_all => 'this perl has no threads' unless eval { require Config; $Config::Config{useithreads} && require threads };
    my $doc = Kumihimo->lazy($TEXT);
    my $hash = \%$doc;
    is(threads->create(sub { eval { $doc->value; 1 } ? 'there' : 'refused' })->join, 'refused', 'a document belongs to its thread');
    is $doc->{n}, 1.5, 'and stays whole there';
    is(threads->create(sub { Kumihimo->lazy($TEXT)->{n} })->join, 1.5, 'each thread may have its own');
};

subtest 'nothing is left behind' => sub {
    my $doc = Kumihimo->lazy($TEXT);
    leaves_nothing('opened', sub { Kumihimo->lazy($TEXT) });
    leaves_nothing('read', sub { my $x = Kumihimo->lazy($TEXT); my $y = $x->{a}[1]{'c/d'}; my @k = keys %$x; my $h = \%$x });
    leaves_nothing('walked', sub { my @all = map { ref $_ ? $_->value : $_ } @{ $doc->{a} }; my $p = $doc->{a}[1]->path; my $r = $doc->{a}->raw });
    leaves_nothing('refused', sub { eval { my $x = $doc->{a}{x} }; eval { $doc->{n} = 1 }; eval { $doc->at('x') } });
    leaves_nothing('broken', sub { eval { Kumihimo->lazy('{"a":[1,') } });
};

done_testing;
