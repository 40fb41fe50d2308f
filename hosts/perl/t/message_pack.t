# MessagePack: the bytes and the values of Data::MessagePack where that is installed, and what it has not.
use 5.016;
use strict;
use warnings;
no warnings 'recursion';
use lib 't/lib';
use B ();
use Installed qw(load_installed);
use Leaks;
use Test::More;
use Tie::Array ();
use Tie::Hash ();
use Tie::Scalar ();
use Kumihimo::MessagePack qw(encode_msgpack decode_msgpack);

my $stock = load_installed('Data::MessagePack') ? 'Data::MessagePack' : undef;
my $CLASS = 'Kumihimo::MessagePack';
my $COUNT = $ENV{KUMIHIMO_COUNT} // 100;
srand($ENV{KUMIHIMO_SEED} // 20_161_225);

sub hex_of { return unpack 'H*', $_[0] }
sub from_hex { return pack 'H*', $_[0] =~ tr/ //dr }
sub outcome { my ($code) = @_; my $value = eval { $code->() }; return $@ eq '' ? (value => $value) : (error => $@) }

# A value with its kinds: what numbers, strings and flags are is told apart.
sub words {
    my ($value) = @_;
    return 'undef' unless defined $value;
    my $class = ref $value;
    return '[' . join(',', map { words($_) } @$value) . ']' if $class eq 'ARRAY';
    return '{' . join(',', map { words($_) . '=>' . words($value->{$_}) } sort keys %$value) . '}' if $class eq 'HASH';
    return "ext(" . $value->type . ',' . hex_of($value->data) . ')' if $class eq "${CLASS}::Extension";
    return 'time(' . $value->seconds . ',' . $value->nanoseconds . ')' if $class eq "${CLASS}::Timestamp";
    return $value ? 'true' : 'false' if $class =~ /Boolean\z/;
    return $class if $class;
    my $flags = B::svref_2object(\$value)->FLAGS;
    return 'i' . $value if !($flags & B::SVf_POK) && $flags & B::SVf_IOK;
    return 'f' . ($value != $value ? 'nan' : hex_of(pack 'd>', $value)) if !($flags & B::SVf_POK);
    my $text = $value;
    utf8::encode($text) if utf8::is_utf8($text);
    return (utf8::is_utf8($value) ? 'u' : 'b') . hex_of($text);
}

# ---- generated values

my @SCALARS = (
    undef, '', 'a', "\xe9", "\x{263a}", "a\0b", '0', '5', '-5', '007', '-0', '-', '+5', '4294967295', '4294967296', '-2147483648', '-2147483649',
    '99999999999', '1e3', '1.5', ' 1', 0, 1, -1, 31, 32, -32, -33, 127, 128, 255, 256, 65535, 65536, -128, -129, -32768, -32769, 4294967295,
    4294967296, -2147483648, -2147483649, 9223372036854775807, -9223372036854775807 - 1, 9223372036854775808, 18446744073709551615, 0.5, -0.0, 1.0,
    1e300, 5e-324, 9**9**9, -9**9**9, 1.5e19, 'x' x 31, 'x' x 32, 'x' x 255, 'x' x 256, 'x' x 65_535, 'x' x 65_536, \0, \1, v1.2.3,
);

sub pick { return $_[rand @_] }

sub scalar_value {
    my $kind = rand;
    return pick(@SCALARS) if $kind < 0.5;
    return int rand(2)**(1 + rand 60) if $kind < 0.6;
    return -int rand 2**(1 + rand 60) if $kind < 0.7;
    return rand(2)**rand 100 if $kind < 0.8;
    my $text = join '', map { chr pick(65 .. 90, 0, 233, 0x3b1, 0x1f600) } 1 .. rand 40;
    utf8::upgrade($text) if rand() < 0.2;
    return $text;
}

sub value {
    my ($depth) = @_;
    return scalar_value() if $depth == 0 || rand() < 0.4;
    return [map { value($depth - 1) } 1 .. pick(0, 1, 3, 15, 16, 20)] if rand() < 0.5;
    return { map { my $key = scalar_value(); (length($key // '') > 100 || ref $key ? 'k' : $key // '') => value($depth - 1) } 1 .. pick(0, 1, 3, 15, 17, 80) };
}

# Numbers that were strings, strings that were numbers, and both.
sub mixed_values {
    my ($n, $s, $f, $g) = (5, '6', 1.5, '2.5');
    my $dummy = "$n$f" . ($s + 0) . ($g + 0);
    my $whole = 3.0;
    $dummy = $whole | 0;
    require Scalar::Util;
    return ($n, $s, $f, $g, $whole, Scalar::Util::dualvar(5, 'five'), Scalar::Util::dualvar(1.5, ''), !!1, !!0);
}

my @OPTIONS = ([], ['utf8'], ['prefer_integer'], ['canonical'], [qw(utf8 prefer_integer canonical)]);

subtest 'pack and unpack as Data::MessagePack' => sub {
    plan skip_all => 'not proven: Data::MessagePack is not installed' unless $stock;
    no warnings;
    my @values = (@SCALARS, mixed_values(), [mixed_values()], [map { [$_] } @SCALARS], { map { $_ => 1 } 1 .. 100 }, [1 .. 70_000], { map { $_ => [] } 'a' .. 'zz' });
    push @values, do { my $key = "\xe9"; utf8::upgrade($key); +{ $key => 1 } }, { "\xe9" => 1, "\x{263a}" => 2, a => 3 }, do { my @sparse; $sparse[3] = 1; \@sparse };
    push @values, map { value(3) } 1 .. $COUNT;
    my ($wrong, $packed, $unpacked) = (0, 0, 0);
    for my $options (@OPTIONS) {
        my ($theirs, $ours) = map { $_->new(map { $_ => 1 } @$options) } $stock, $CLASS;
        for my $value ($options == $OPTIONS[0] ? @values : @values[0 .. (@values > 400 ? 400 : $#values)]) {
            my $bytes = $theirs->pack($value);
            my $mine = $ours->pack($value);
            ++$packed;
            if ($mine ne $bytes) {
                fail("pack: @$options: " . substr(words($value), 0, 200)) if $wrong++ < 5;
                next;
            }
            my $is = words($ours->unpack($bytes));
            my $should = words($theirs->unpack($bytes));
            ++$unpacked;
            fail("unpack: @$options: " . substr("$is not $should", 0, 400)) if $is ne $should && $wrong++ < 5;
        }
    }
    is $wrong, 0, "$packed values packed and $unpacked unpacked alike";
};

subtest 'values that are refused, as there' => sub {
    my @cyclic;
    @cyclic = \@cyclic;
    my $deep = [];
    $deep = [$deep] for 1 .. 512;
    my $enough = [];
    $enough = [$enough] for 1 .. 511;
    my %bad = (
        glob => *STDOUT, 'reference to a glob' => \*STDOUT, code => sub { }, regexp => qr/x/, object => bless({}, 'Nothing'), 'reference to undef' => \undef,
        'reference to text' => \'a', 'reference to a reference' => \\1, cycle => \@cyclic, deep => $deep,
        'reference to nothing' => \'',
    );
    for my $name (sort keys %bad) {
        for my $class (grep { defined } $CLASS, $stock) {
            ok !eval { $class->pack([$bad{$name}]); 1 }, "$class refuses a $name";
            like $@, qr/ at \Q$0\E line/, 'at the line of its caller' if $class eq $CLASS;
        }
    }
    for my $class (grep { defined } $CLASS, $stock) {
        ok eval { $class->pack($enough); 1 }, "$class packs 512 levels" or diag $@;
        for my $max (0, 1, 2, 3) {
            for my $value (1, [], [1], [[]], [[1]], { a => {} }, { a => 1 }) {
                my ($is) = outcome(sub { $CLASS->pack($value, $max) });
                my ($should) = outcome(sub { $class->pack($value, $max) });
                is $is, $should, "max_depth $max: " . words($value);
            }
        }
    }
    ok !eval { $CLASS->new(max_depth => 1)->pack([1]); 1 }, 'max_depth of an object';
    like $@, qr/exceeds maximum nesting level/, 'and its text';
};

subtest 'ties and magic' => sub {
    tie my %hash, 'Tie::StdHash';
    %hash = (a => 1, b => [2], c => 'x');
    tie my @array, 'Tie::StdArray';
    @array = (1, 'a', [2]);
    tie my $scalar, 'Tie::StdScalar';
    $scalar = 'tied';
    is_deeply $CLASS->unpack($CLASS->new(utf8 => 1)->pack([\%hash, \@array, $scalar])), [{ a => 1, b => [2], c => 'x' }, [1, 'a', [2]], 'tied'], 'tied values';
    is hex_of($CLASS->new(canonical => 1)->pack(\%hash)), '83c4016101c4016291 02c40163c40178' =~ tr/ //dr, 'a tied hash in order';
    is hex_of($stock->new(canonical => 1)->pack(\%hash)), hex_of($CLASS->new(canonical => 1)->pack(\%hash)), 'as there' if $stock;
    require Kumihimo::JSON;
    my $text = '{' . join(',', map { qq("$_":[{"y":1,"x":$hash{a}}]) } split //, 'zamqbycxdw') . '}';
    my ($ordered, $plain) = map { $_->decode($text) } Kumihimo::JSON->new->keep_order, Kumihimo::JSON->new;
    is hex_of($CLASS->pack($ordered)), '8a' . join('', map { 'c401' . hex_of($_) . '9182c4017901c4017801' } split //, 'zamqbycxdw'), 'a hash that keeps its order';
    is hex_of($CLASS->new(canonical => 1)->pack($ordered)), hex_of($CLASS->new(canonical => 1)->pack($plain)), 'and in order of its keys';
    $ordered->{tied} = \@array;
    is_deeply $CLASS->unpack($CLASS->pack($ordered))->{z}, [{ y => 1, x => 1 }], 'beside ties';
    ok !eval { $CLASS->pack($ordered, 2); 1 }, 'and with its depth';
    'match' =~ /(at)/;
    is $CLASS->unpack($CLASS->pack($1)), 'at', 'a capture';
    is $CLASS->unpack($CLASS->pack(\$1 ? [$1] : 0))->[0], 'at', 'a capture inside';

    package Killer {
        our $of;
        sub TIESCALAR { return bless {}, shift }
        sub FETCH { @$of = (); return 7 }
    }
    my @victim = ('x' x 100, 0, 'y' x 100);
    $Killer::of = \@victim;
    tie $victim[1], 'Killer';
    is_deeply $CLASS->unpack($CLASS->pack(\@victim)), ['x' x 100, 7, 'y' x 100], 'a FETCH that empties the array';
    my %dying = (a => 1);
    tie $dying{b}, 'Dying';
    ok !eval { $CLASS->pack(\%dying); 1 }, 'a FETCH that dies';
    like $@, qr/no value here/, 'with its own words';

    package Dying {
        sub TIESCALAR { return bless {}, shift }
        sub FETCH { die "no value here\n" }
    }
};

# ---- bytes

subtest 'bytes, by hand' => sub {
    my @cases = (
        'a1ff' => 'bff', 'c402c3a9' => 'bc3a9', 'a2c3a9' => 'uc3a9', 'a3eda080' => 'beda080', 'a161' => 'b61', 'ca3fc00000' => 'f3ff8000000000000',
        'cf8000000000000000' => 'i9223372036854775808', '81c0c0' => '{b=>undef}', '82c2c0c3c0' => '{b66616c7365=>undef,b74727565=>undef}',
        '81cb3ff8000000000000c0' => '{b312e35=>undef}', '81ffc0' => '{b2d31=>undef}', '81d3ffffffff00000000c0' => '{b2d34323934393637323936=>undef}',
        '81cfffffffffffffffffc0' => '{b3138343436373434303733373039353531363135=>undef}', '82a16101a16102' => '{b61=>i2}', '81c402c3a9c0' => '{bc3a9=>undef}',
        '81a2c3a9c0' => '{uc3a9=>undef}', '81a1ffc0' => '{bff=>undef}', '80' => '{}', '90' => '[]', 'dc0000' => '[]', 'df00000000' => '{}',
        'd40561' => 'ext(5,61)', 'c70005' => 'ext(5,)', 'c7030561626' . '3' => 'ext(5,616263)', 'd8ff' . '00' x 16 => 'ext(-1,' . '00' x 16 . ')',
        'd6ff00000001' => 'time(1,0)', 'd7ff00000004' . '00000001' => 'time(1,1)', 'c70cff00000001ffffffffffffffff' => 'time(-1,1)',
    );
    while (my ($hex, $is) = splice @cases, 0, 2) { is words($CLASS->unpack(from_hex($hex))), $is, "bytes $hex" }
    is words($CLASS->new(utf8 => 1)->unpack(from_hex('93c402c3a9c401ffa2c3a9'))), '[uc3a9,bff,uc3a9]', 'utf8: a bin that is text is text';
    is words($CLASS->new(utf8 => 1)->unpack(from_hex('81c402c3a9c0'))), '{uc3a9=>undef}', 'and as a key';
    my $bytes = from_hex('92c401ff01');
    my $upgraded = $bytes;
    utf8::upgrade($upgraded);
    is words($CLASS->unpack($upgraded)), words($CLASS->unpack($bytes)), 'bytes are bytes, whatever the flag';
    my @broken = (
        '' => qr/insufficient bytes: .* at byte 0 at/, 'c1' => qr/parse error: the byte c1/, '91' => qr/insufficient bytes/, '90c0' => qr/extra bytes: .* at byte 1 at/,
        'd50102' => qr/insufficient bytes/, 'dd7fffffff' => qr/insufficient bytes/, 'db7fffffff61' => qr/insufficient bytes/, 'c67fffffff61' => qr/insufficient/,
        '8190c0' => qr/a container as a key/, '8180c0' => qr/a container as a key/, '81d40161c0' => qr/a container as a key/, 'd7ffffffffff00000001' => qr/nanoseconds/,
        '82a16101a16293c1' => qr/byte 7 \(\$\.b\)|byte 7 \(\$\.b\[0\]\)|byte 6|byte 7/, '91' x 513 . 'c0' => qr/nested deeper/,
    );
    while (my ($hex, $like) = splice @broken, 0, 2) {
        ok !eval { $CLASS->unpack(from_hex($hex)); 1 }, 'refused: ' . substr $hex, 0, 30;
        like $@, $like, 'for its reason';
    }
    ok eval { $CLASS->unpack(from_hex('91' x 511 . '90')); 1 }, '512 levels';
    ok eval { $CLASS->new(max_depth => 3000)->unpack(from_hex('91' x 2999 . '90')); 1 }, 'more on request';
    ok !eval { $CLASS->unpack("\x{263a}"); 1 }, 'characters are refused';
    like $@, qr/wide character/, 'by name';
    for my $cut (0 .. 40) {
        my $whole = $CLASS->pack({ a => [1, 'text', 1.5, undef, { b => 'x' x 20 }] });
        ok !eval { $CLASS->unpack(substr $whole, 0, $cut); 1 }, "cut at $cut" if $cut < length $whole;
    }
};

subtest 'hostile bytes as Data::MessagePack' => sub {
    plan skip_all => 'not proven: Data::MessagePack is not installed' unless $stock;
    no warnings;
    my ($different, $refused, $read) = (0, 0, 0);
    for (1 .. 5 * $COUNT) {
        my $bytes = $stock->new(utf8 => rand() < 0.5)->pack(value(2));
        next if length $bytes > 3000;
        for (1 .. 1 + rand 3) {
            my $at = rand length $bytes;
            my $how = rand;
            if ($how < 0.5) { substr $bytes, $at, 1, chr rand 256 }
            elsif ($how < 0.75) { substr $bytes, $at, rand 4, '' }
            else { substr $bytes, $at, 0, chr rand 256 }
        }
        my ($our, $is) = outcome(sub { $CLASS->unpack($bytes) });
        # Data::MessagePack makes room for what a header announces, and may run out of memory.
        next if $our eq 'error' && $is =~ /announces more|a container as a key|nanoseconds/;
        my ($their, $should) = outcome(sub { $stock->unpack($bytes) });
        # On purpose: extensions have values here, containers are no keys, and a str with surrogates is bytes.
        ++($our eq 'error' ? $refused : $read);
        next if $their eq 'error' && $should =~ /EXT type/;
        next if $our eq 'value' && $their eq 'value' && words($should) =~ /u[0-9a-f]*(?:ed[ab]|f4[9ab]|f[5-9a-f])/;
        next if $our eq $their && ($our eq 'error' || words($is) eq words($should));
        next if $their eq 'error' && $our eq 'error';
        diag(hex_of($bytes), "\n  ", $our eq 'error' ? $is : words($is), "\n  ", $their eq 'error' ? $should : words($should)) if $different++ < 3;
    }
    is $different, 0, "no difference ($refused refused, $read read)";
    cmp_ok $refused, '>', $COUNT / 4, 'many were broken';
    cmp_ok $read, '>', $COUNT / 4, 'many were not';
};

subtest 'the vectors' => sub {
    my $folder = '../../tests/vectors/msgpack';
    plan skip_all => 'not proven: no tests/vectors beside this distribution' unless -d $folder;
    # A Perl hash has one value per key, and keys that are text.
    my %except = map { $_ => 1 } qw(map/ok-16 map/ok-duplicate-keys map/ok-keys-of-all-kinds);
    my $slurp = sub { open my $in, '<:raw', $_[0] or die "$_[0]: $!"; local $/; return scalar readline $in };
    my ($read, $refused) = (0, 0);
    for my $file (sort glob "$folder/*/*.in") {
        my ($id) = $file =~ m{(\w+/[\w-]+)\.in\z} or die $file;
        next if $except{$id};
        my $object = $CLASS->new(max_depth => 1024);
        my ($kind, $value) = outcome(sub { $object->unpack($slurp->($file)) });
        if ($id =~ m{/err-}) {
            ++$refused;
            if ($id =~ m{^text/}) { is $kind, 'value', "$id: stays bytes"; next }
            my (undef, $offset, $path) = split ' ', $slurp->($file =~ s/in\z/error/r), 3;
            chomp $path if defined $path;
            is $kind, 'error', $id;
            like $value, qr/at byte $offset(?: \(|\s+at )/, "$id: at its byte" if defined $offset;
            like $value, qr/\(\Q$path\E\)/, "$id: under its path" if defined $path && $path ne '$';
        }
        else {
            ++$read;
            is $kind eq 'value' ? words($value) : $value, words(from_trace($slurp->($file =~ s/in\z/trace/r))), $id;
        }
    }
    cmp_ok $read, '>', 50, "$read read";
    cmp_ok $refused, '>', 20, "$refused refused";
};

sub from_trace {
    my @lines = split /\n/, $_[0];
    my $text = sub {
        my $quoted = substr $_[0], 1, -1;
        $quoted =~ s/\\(?:u\{([0-9a-f]+)\}|(["\\]))/defined $1 ? chr hex $1 : $2/ge;
        utf8::downgrade($quoted) if $quoted !~ /[^\x00-\x7f]/;
        utf8::upgrade($quoted) if $quoted =~ /[^\x00-\x7f]/;
        return $quoted;
    };
    my $next;
    $next = sub {
        my ($verb, $rest) = split ' ', shift @lines, 2;
        return undef if $verb eq 'null';
        return $rest eq 'true' ? Kumihimo::MessagePack::true() : Kumihimo::MessagePack::false() if $verb eq 'boolean';
        return 0 + $rest if $verb eq 'i64' || $verb eq 'u64';
        return unpack 'd>', pack 'H*', $rest =~ /0x([0-9a-f]{16})/ if $verb eq 'f64';
        return $text->($rest) if $verb eq 'str';
        return pack 'H*', substr $rest, 2 if $verb eq 'bin';
        return "${CLASS}::Extension"->new((split ' ', $rest)[0], pack 'H*', substr +(split ' ', $rest)[1], 2) if $verb eq 'ext';
        return "${CLASS}::Timestamp"->new((split ' ', $rest)[1, 2]) if $verb eq 'time';
        if ($verb eq 'array') {
            my @items;
            push @items, $next->() while $lines[0] ne 'end';
            shift @lines;
            return \@items;
        }
        die "$verb?" unless $verb eq 'map';
        my %pairs;
        while ($lines[0] ne 'end') {
            (undef, my $key) = split ' ', shift @lines, 2;
            $key = defined $key ? $text->($key) : $next->() // '';
            $pairs{$key} = $next->();
        }
        shift @lines;
        return \%pairs;
    };
    return $next->();
}

# ---- what Data::MessagePack has not

subtest 'text, bytes, extensions, moments' => sub {
    is hex_of(encode_msgpack("caf\xe9")), 'a5636166c3a9', 'functions write characters as str';
    is hex_of(Kumihimo::MessagePack::pack(["\x{263a}"])), '91a3e298ba', 'by any name';
    my $upgraded = "caf\xe9";
    utf8::upgrade($upgraded);
    is encode_msgpack({ $upgraded => 1 }), encode_msgpack({ "caf\xe9" => 1 }), 'whatever the flag, as keys too';
    is words(decode_msgpack(encode_msgpack(["caf\xe9", 5, '5', 1.5]))), '[u636166c3a9,i5,b35,f3ff8000000000000]', 'and read them back';
    is hex_of($CLASS->new(text => 1)->pack(["\xff", 'a'])), '92a2c3bfa161', 'an object with text';
    my $broken = "a\x{d800}";
    is hex_of(encode_msgpack($broken)), 'c40461eda080', 'what Unicode has not goes out as bin';
    is hex_of($CLASS->new(utf8 => 1)->pack("${CLASS}::Binary"->new("\xff\0"))), 'c402ff00', 'bin in any mode';
    ok !eval { $CLASS->pack("${CLASS}::Binary"->new("\x{263a}")); 1 }, 'bytes only';
    like $@, qr/[Ww]ide character/, 'by name';
    for my $type (-128, -1, 0, 5, 127) {
        for my $length (0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 255, 256, 70_000) {
            next if $type == -1 && ($length == 4 || $length == 8 || $length == 12);
            my $ext = "${CLASS}::Extension"->new($type, "\xfe" x $length);
            my $back = $CLASS->unpack($CLASS->pack([$ext]))->[0];
            fail "extension $type of $length bytes" if words($back) ne words($ext) || ref $back ne ref $ext;
        }
    }
    pass 'extensions come back';
    for my $bad (-129, 128, 'x', 1.5) { ok !eval { "${CLASS}::Extension"->new($bad, ''); 1 }, "no type $bad" }
    for my $bytes ([0, 0, 'd6ff00000000'], [1, 1, 'd7ff0000000400000001'], [-1, 5, 'c70cff00000005ffffffffffffffff'], [2**34, 0, 'c70cff000000000000000400000000'],
        [4294967295, 0, 'd6ffffffffff'], [17179869183, 999_999_999, 'd7ffee6b27ffffffffff']) {
        my ($seconds, $nanoseconds, $hex) = @$bytes;
        my $at = "${CLASS}::Timestamp"->new($seconds, $nanoseconds);
        is hex_of($CLASS->pack($at)), $hex, "moment $seconds $nanoseconds";
        is words($CLASS->unpack(from_hex($hex))), "time($seconds,$nanoseconds)", 'and back';
    }
    is "${CLASS}::Timestamp"->new(1, 500_000_000)->epoch, 1.5, 'epoch';
    ok !eval { "${CLASS}::Timestamp"->new(1, 1e9); 1 }, 'nanoseconds are less than a second';
    ok !eval { $CLASS->pack(bless {}, "${CLASS}::Timestamp"); 1 }, 'a timestamp without its seconds';
    like $@, qr/without its seconds/, 'is refused by name';
    ok !eval { $CLASS->pack(bless { type => 200, data => '' }, "${CLASS}::Extension"); 1 }, 'an extension of no such type';
};

subtest 'booleans' => sub {
    require JSON::PP;
    my @true = (JSON::PP::true(), Kumihimo::MessagePack::true(), \1, map { bless \(my $one = 1), $_ } qw(Types::Serialiser::Boolean JSON::XS::Boolean Data::MessagePack::Boolean));
    is hex_of($CLASS->pack(\@true)), '96' . 'c3' x 6, 'true of all kinds';
    is hex_of($CLASS->pack([Kumihimo::MessagePack::false(), \0])), '92c2c2', 'false';
    my $read = $CLASS->unpack("\x92\xc3\xc2");
    isa_ok $read->[0], 'JSON::PP::Boolean', 'what is read';
    ok $read->[0] && !$read->[1], 'and true and false';
    my $object = $CLASS->new->boolean_values('no', 'yes');
    is_deeply $object->unpack("\x92\xc3\xc2"), ['yes', 'no'], 'values of the own choice';
    is_deeply [$object->get_boolean_values], ['no', 'yes'], 'which it tells';
    isa_ok $object->boolean_values->unpack("\xc3"), 'JSON::PP::Boolean', 'and back';
    is_deeply [$object->get_boolean_values], [], 'none';
  SKIP: {
        skip 'perl has no booleans of its own', 2 unless $] >= 5.036;
        is hex_of(encode_msgpack([!!1, !!0])), '92c3c2', 'functions know booleans of perl';
        is hex_of($CLASS->pack([!!1, !!0])), '92c40131c400', 'the object packs them as Data::MessagePack does';
    }
};

subtest 'the object' => sub {
    my $object = $CLASS->new;
    for my $name (qw(utf8 text canonical prefer_integer core_booleans keep_order)) {
        my $get = "get_$name";
        ok !$object->$get, "$name is off";
        is $object->$name, $object, 'a setter gives the object';
        ok $object->$get, 'on';
        ok !$object->$name(0)->$get, 'off again';
        ok $CLASS->new($name => 1)->$get, 'by new';
    }
    is $object->max_depth(7)->get_max_depth, 7, 'max_depth';
    is $object->decode($object->encode(['a']))->[0], 'a', 'encode and decode';
    ok !eval { $object->prefer_float32; 1 }, 'prefer_float32 is refused';
    like $@, qr/half of the digits/, 'and why';
    ok !eval { $CLASS->new(utf_8 => 1); 1 }, 'an option that is none';
    like $@, qr/utf_8 is no option/, 'is named';
    ok !eval { $object->pack; 1 }, 'pack without data';
    like $@, qr/Usage/, 'says how';
    is_deeply [keys %{ $CLASS->new(keep_order => 1)->unpack($CLASS->pack(+{})) }], [], 'keep_order, of nothing';
    is_deeply [keys %{ $CLASS->new(keep_order => 1)->unpack("\x8a" . join '', map { "\xa1$_\1" } split //, 'zamqbycxdw') }], [split //, 'zamqbycxdw'],
        'keep_order';
    my $subclass = bless { utf8 => 1 }, 'Mine';
    @Mine::ISA = ($CLASS);
    is hex_of($subclass->pack('a')), 'a161', 'a class of the own';
};

subtest 'the streaming unpacker' => sub {
    my $data = [undef, Kumihimo::MessagePack::true(), 1, -1, 65_535, 1.5, 'a' x 300, [[], {}], { a => 'x' x 70_000, b => [1, 2] }];
    my $packed = $CLASS->pack($data);
    for my $size (1, 2, 3, 7, 16, 1000, 100_000) {
        my $unpacker = "${CLASS}::Unpacker"->new;
        my ($done, $n) = (0, 0);
        for (my $at = 0; $at < length $packed; $at += $size) {
            $done = $unpacker->execute(substr $packed, $at, $size);
            ok !$unpacker->is_finished, 'not yet' if $at + $size < length $packed && $n++ < 3;
        }
        is $done, length $packed, "pieces of $size: all of it";
        ok $unpacker->is_finished, 'finished';
        is words($unpacker->data), words($data), 'the data';
    }
    my $unpacker = "${CLASS}::Unpacker"->new;
    my $three = $packed x 3;
    my $offset = 0;
    for my $i (1 .. 3) {
        $offset = $unpacker->execute($three, $offset);
        is $offset, $i * length $packed, "document $i of three";
        is words($unpacker->data), words($data), 'its data';
        $unpacker->reset;
        ok !$unpacker->is_finished, 'and reset';
    }
    ok !eval { $unpacker->execute($three, length $three); 1 }, 'an offset behind the end';
    like $@, qr/is bigger than/, 'is refused';
    is $unpacker->execute_limit($three, 0, 10), 0, 'a limit';
    ok !$unpacker->is_finished, 'that cuts';
    $unpacker->reset;
    is $unpacker->utf8, $unpacker, 'utf8';
    ok $unpacker->get_utf8, 'is on';
    $unpacker->execute(from_hex('c403e298ba'));
    is $unpacker->data, "\x{263a}", 'text';
    $unpacker->reset;
    open my $other, '<', $0 or die $!;
    readline $other;
    ok !eval { $unpacker->execute("\xc1"); 1 }, 'what begins no value';
    like $@, qr/begins no MessagePack value, at byte 0 at \Q$0\E line \d+(?:, <\$other> line 1)?\.\n\z/, 'at the line of its caller, said once';

    $unpacker = "${CLASS}::Unpacker"->new;
    my ($fed, @got) = (join '', map { $CLASS->pack([$_, 'x' x (rand 50)]) } 1 .. 500);
    while (length $fed) {
        $unpacker->feed(substr $fed, 0, 1 + rand 40, '');
        push @got, $unpacker->data->[0] while $unpacker->next;
    }
    is_deeply \@got, [1 .. 500], 'feed and next';
  SKIP: {
        skip 'Data::MessagePack is not installed', 1 unless $stock;
        my ($theirs, $ours) = map { "${_}::Unpacker"->new } $stock, $CLASS;
        my @is = map { my $u = $_; [map { my $n = $u->execute($_); ($n, $u->is_finished ? 1 : 0) } map { substr $packed, $_ * 9, 9 } 0 .. (length($packed) - 1) / 9] } $ours, $theirs;
        is_deeply $is[0], $is[1], 'as Data::MessagePack::Unpacker';
    }
};

subtest 'nothing is left behind' => sub {
    my $value = { a => [1, 'x', 1.5, undef], b => { c => "\x{263a}", d => \1 }, "\xe9" => 'y' x 100 };
    my $bytes = $CLASS->pack($value);
    my $ext = $CLASS->pack(["${CLASS}::Extension"->new(5, 'abc'), "${CLASS}::Timestamp"->new(5)]);
    my $object = $CLASS->new(utf8 => 1, canonical => 1);
    my $long = $CLASS->pack(['x' x 10_000]);
    leaves_nothing('pack', sub { $object->pack($value) });
    leaves_nothing('unpack', sub { $object->unpack($bytes) });
    leaves_nothing('extensions', sub { $CLASS->unpack($ext) });
    leaves_nothing('long', sub { $CLASS->unpack($CLASS->pack($CLASS->unpack($long))) }, 5000);
    leaves_nothing('broken', sub { eval { $CLASS->unpack(substr $bytes, 0, -1) } });
    leaves_nothing('broken keys', sub { eval { $CLASS->unpack("\x82\xa1a\x91\xa1b\x81\x90\xc0") } });
    leaves_nothing('refused', sub { eval { $object->pack([1, 'x' x 5000, [sub { }]]) } }, 5000);
    tie my @tied, 'Tie::StdArray';
    @tied = (1, [2]);
    leaves_nothing('ties', sub { $CLASS->pack([\@tied, { a => 1 }]) }, 5000);
    my $unpacker = "${CLASS}::Unpacker"->new;
    leaves_nothing('unpacker', sub { $unpacker->execute(substr $bytes, 0, 20); $unpacker->execute(substr $bytes, 20); $unpacker->reset }, 5000);
};

done_testing;
