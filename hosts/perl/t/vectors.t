# The conformance vectors that every implementation of Kumihimo runs; their README has the contract and the notation. They are in the repository only.
use strict;
use warnings;
use Math::BigFloat ();
use Math::BigInt ();
use File::Basename qw(basename);
use File::Find ();
use FindBin;
use Test::More;

use Kumihimo qw(dump load formats);
use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();
use Kumihimo::MessagePack ();

my $FOLDER = "$FindBin::Bin/../../../tests/vectors";
plan skip_all => 'the vectors are in the repository, not in the distribution' if !-d $FOLDER && !-e "$FindBin::Bin/../../ruby";

my $DEPTH = 1024;
my $JSON = Kumihimo::JSON->new->utf8->max_depth($DEPTH)->keep_order;
my $CPANEL = Kumihimo::JSON::Cpanel->new->utf8->max_depth($DEPTH)->allow_nonref->allow_dupkeys->keep_order->shortest_floats;
my $PACK = Kumihimo::MessagePack->new->utf8->text->keep_order->max_depth($DEPTH);
my %READERS = (
    json => {
        'Kumihimo::JSON' => sub { $JSON->decode($_[0]) },
        'Kumihimo::JSON::Cpanel' => sub { $CPANEL->decode($_[0]) },
    },
    msgpack => { 'Kumihimo::MessagePack' => sub { $PACK->unpack($_[0]) } },
);

# What Perl's values cannot hold, or JSON::XS's rules have otherwise: by document.
my $TWICE = 'a hash has a key once';
my $DIGITS = 'an integer beyond 64 bits is a string of its digits, as JSON::XS has it';
my $OVER = 'a number beyond the largest double is an infinity, as JSON::XS has it';
my %READ_EXCEPT = (
    'json/containers/ok-keys-twice' => $TWICE, 'msgpack/map/ok-16' => $TWICE, 'msgpack/map/ok-duplicate-keys' => $TWICE,
    'msgpack/map/ok-keys-of-all-kinds' => "a hash's keys are text",
    'json/numbers/ok-integer-below' => $DIGITS, 'json/numbers/ok-integer-beyond' => $DIGITS, 'json/numbers/ok-integer-long' => $DIGITS,
    'json/numbers/ok-minus-zero' => '-0 is the integer 0, as JSON::XS has it',
    'json/numbers/ok-too-large' => $OVER, 'json/numbers/ok-too-large-negative' => $OVER,
);
# What Data::MessagePack takes: text that is not UTF-8 is a string of bytes.
my %TAKES = (
    (map { ("msgpack/text/err-$_" => 'a str that is not UTF-8 is a string of bytes, as Data::MessagePack has it') } qw(cut-sequence in-key late overlong stray-byte surrogate)),
    'json/containers/err-byte-order-mark Kumihimo::JSON::Cpanel' => 'Cpanel::JSON::XS takes the mark of UTF-8',
);
# A Math::BigFloat that is whole goes out as the integer that it is: the spelling of a decimal is not kept.
my %WHOLE = map { $_ => 1 } qw(cbor/big/ok-decimal-negative tagged/study/ok-decimal-minus-zero read/json/decimals.exact_decimals read/json/zero-negative-fraction.exact_decimals);
my $NO_KIND = 'JSON has no kind for bytes, and text in Perl has none either';
my $NO_DECIMAL = 'Perl has no decimal but Math::BigFloat';
my $NO_TIME = 'a timestamp is a moment in UTC';
my $NO_KEY = "a hash's keys are text";
# By model, or by model and dialect.
my %WRITE_EXCEPT = (
    (map { $_ => $NO_DECIMAL } qw(big-decimal big-exponent)),
    'big-integer' => 'Math::BigInt, which the tests of JSON and MessagePack cover',
    (map { ("$_.json.compact" => $NO_KIND) } qw(bin bin-255 bin-256 bin-empty bin-padding ext-0 ext-1)),
    (map { $_ => $NO_KEY } qw(key-array key-bin key-boolean key-f64 key-i64 key-map key-null key-str)),
    (map { ("time-$_" => $NO_TIME) } qw(date local naive offset offset-zero)),
    (map { ("time-$_.json.compact" => 'a timestamp has no TO_JSON') } qw(utc utc-34-bits utc-35-bits utc-before-1970 utc-nanoseconds)),
    (map { $_ => $TWICE } qw(map-15 map-16 map-16-counted map-order-and-duplicates)),
    (map { $_ => 'text that is not Unicode is no Perl string' } qw(str-broken key-broken str-surrogate)),
    (map { ("f64-$_.json.compact" => 'inf and nan are null, as Cpanel::JSON::XS has it') } qw(infinity minus-infinity nan)),
    'bin-of-slashes.json.compact' => $NO_KIND,
    (map { $_ => $NO_KEY } qw(key-big key-ext key-f64-whole key-nan key-str-escaped key-time key-u64)),
    (map { ("time-$_" => $NO_TIME) } qw(date-before-1970 offset-beyond offset-seconds)),
    (map { ("time-$_.json.compact" => 'a timestamp has no TO_JSON') } qw(utc-first utc-last utc-nanosecond)),
    'str-cut' => 'text that is not Unicode is no Perl string',
);

sub slurp { my ($file) = @_; open my $in, '<:raw', $file or die "$file: $!"; local $/; return readline($in) // '' }

sub vectors {
    my ($format, $kind) = @_;
    my @found;
    File::Find::find({ no_chdir => 1, wanted => sub { push @found, $_ if m{/$kind-[^/]*\.in$} } }, "$FOLDER/$format");
    return sort @found;
}
sub id { my ($file) = @_; return $file =~ s/^\Q$FOLDER\E\///r =~ s/\.in$//r }

# ---------------------------------------------------------------------------------------------------------------------- traces
# What the walk of dump says of a value, and what a file says. A big number's digits are its value: Math::BigFloat keeps no spelling.
sub trace { my ($value) = @_; return spelled(Kumihimo::_trace($value, 2 * $DEPTH)) }
sub trace_in {
    my ($file) = @_;
    my $trace = spelled(slurp($file =~ s/\.in$/.trace/r));
    return $WHOLE{ id($file) } ? $trace =~ s/^big (-?[0-9]e\+[0-9])$/'i64 ' . Math::BigFloat->new($1)->bstr/mger : $trace;
}
sub spelled { my ($trace) = @_; return $trace =~ s/^big (.*)/'big ' . Math::BigFloat->new($1)->bsstr/mger }
# The same where bytes are a string that has no character above 255.
sub text_in { my ($file) = @_; return trace_in($file) =~ s/^bin 0x(.*)/'str ' . quoted(pack 'H*', $1)/mger }
sub quoted { my ($text) = @_; return '"' . join('', map { my $c = ord; /["\\]/ ? "\\$_" : $c >= 0x20 && $c <= 0x7e ? $_ : sprintf '\\u{%x}', $c } split //, $text) . '"' }

# ---------------------------------------------------------------------------------------------------------------------- values
{
    # A hash with its keys in the order in which they came.
    package Vectors::Ordered;
    sub TIEHASH { return bless { keys => [], values => {} }, $_[0] }
    sub STORE { my ($self, $key, $value) = @_; push @{ $self->{keys} }, $key unless exists $self->{values}{$key}; $self->{values}{$key} = $value; return }
    sub FETCH { return $_[0]{values}{ $_[1] } }
    sub EXISTS { return exists $_[0]{values}{ $_[1] } }
    sub FIRSTKEY { my ($self) = @_; $self->{at} = 0; return $self->NEXTKEY }
    sub NEXTKEY { my ($self) = @_; return $self->{keys}[ $self->{at}++ ] }
    sub SCALAR { return scalar @{ $_[0]{keys} } }
}
sub unquoted { my ($text) = @_; return substr($text, 1, -1) =~ s/\\(?:u\{([0-9a-f]+)\}|x([0-9a-f]{2})|(.))/defined $1 ? chr hex $1 : defined $2 ? chr hex $2 : $3/ger }

# The value that a trace says, line by line; undef in list context, that is nothing, for an end. Dies of what Perl cannot say.
sub built {
    my ($lines, $line, $own) = @_;    # own: other ways to make what the verbs say
    my ($verb, $rest) = split ' ', $line // shift @$lines, 2;
    return if $verb eq 'end';
    return $own->{$verb}->($rest) if $own && $own->{$verb};
    return undef if $verb eq 'null';    ## no critic (Subroutines::ProhibitExplicitReturnUndef)
    return $rest eq 'true' ? Kumihimo::JSON::true() : Kumihimo::JSON::false() if $verb eq 'boolean';
    return $rest < 0 || $verb eq 'i64' ? int $rest : $rest + 0 if $verb eq 'i64' || $verb eq 'u64';
    return unpack 'd>', pack 'H*', substr $rest, 2, 16 if $verb eq 'f64';
    return unquoted($rest) if $verb eq 'str';
    return Kumihimo::MessagePack::Binary->new(pack 'H*', substr $rest, 2) if $verb eq 'bin';
    return Kumihimo::MessagePack::Extension->new($1, pack 'H*', $2) if $verb eq 'ext' && $rest =~ /^(\S+) 0x(.*)/;
    return Kumihimo::MessagePack::Timestamp->new($1, $2) if $verb eq 'time' && $rest =~ /^utc (\S+) (\S+) 0$/;
    die "no value for $verb\n" unless $verb eq 'array' || $verb eq 'map';
    if ($verb eq 'array') {
        my @list;
        while (my ($value) = built($lines, undef, $own)) { push @list, $value }
        return \@list;
    }
    tie my %map, 'Vectors::Ordered';
    while (1) {
        my $next = shift @$lines;
        last if $next eq 'end';
        my ($key) = $next =~ /^key (".*")$/ or die "no such key: $next\n";
        ($map{ $own ? $own->{str}->($key) : unquoted($key) }) = built($lines, undef, $own);
    }
    return \%map;
}

# ---------------------------------------------------------------------------------------------------------------------- any format
# What Perl's values cannot hold, by what the trace says; undef where they can.
sub unholdable {
    my ($trace) = @_;
    return $NO_KEY if $trace =~ /^key$/m;
    return 'the type of an extension is a number from -128 to 127' if grep { $_ < -128 || $_ > 127 } $trace =~ /^ext (\S+)/mg;
    return 'a text that is not Unicode is no Perl string' if grep { !utf8::decode(my $octets = octets_of($_)) } $trace =~ /^(?:str|key) (".*\\x[0-9a-f]{2}.*")$/mg;
    my @open;
    for (split /\n/, $trace) {
        if (/^(?:map|array)\b/) { push @open, {} }
        elsif ($_ eq 'end') { pop @open }
        elsif (/^key (.*)/) { return $TWICE if $open[-1]{$1}++ }
    }
    return;
}
# A text of a trace as UTF-8.
sub octets_of {
    my ($quoted) = @_;
    my $text = '';
    while ($quoted =~ /\G"?(?:\\u\{([0-9a-f]+)\}|\\x([0-9a-f]{2})|\\(.)|([^"\\]))"?/g) {
        my $part = defined $1 ? chr hex $1 : defined $2 ? '' : $3 // $4;
        utf8::encode($part);
        $text .= defined $2 ? chr hex $2 : $part;
    }
    return $text;
}
sub any_built {
    my ($trace) = @_;
    return built([split /\n/, $trace], undef, {
        bin => sub { return Kumihimo::MessagePack::Binary->new(pack 'H*', substr $_[0], 2) },
        time => sub { my ($kind, $seconds, $nanoseconds, $offset) = split ' ', $_[0]; return Kumihimo::MessagePack::Timestamp->new($seconds, $nanoseconds, kind => $kind, offset => $offset) },
        big => sub { return Math::BigInt->new($_[0]) },
        str => sub { my $text = octets_of($_[0]); utf8::decode($text); return $text },
    });
}

for my $format (map { $_->{name} } formats()) {
    subtest "$format by its name" => sub {
        my ($read, $held) = (0, 0);
        for my $file (vectors($format, 'ok')) {
            my $id = id($file);
            ++$read;
            next if unholdable(slurp($file =~ s/\.in$/.trace/r));
            ++$held;
            is eval { trace(load(slurp($file), $format, keep_order => 1, keep_binary => 1, max_depth => $DEPTH)) } // $@, trace_in($file), $id;
        }
        cmp_ok $held, '>', $read * 0.7, "$held of $read documents can be held" if $read;
        for my $file (vectors($format, 'err')) {
            my $id = id($file);
            my (undef, $offset, $path) = split ' ', slurp($file =~ s/\.in$/.error/r), 3;
            ok !eval { load(slurp($file), $format, max_depth => $DEPTH); 1 }, "$id is refused";
            my $said = $@;
            like $said, qr/\bbyte $offset\b/, 'and where' if defined $offset;
            chomp $path if defined $path;
            utf8::decode($path) if defined $path;
            ok index($said, "($path)") >= 0, 'under which path' or diag $said if length($path // '') > 1;
        }
        for my $file (vectors($format, 'any')) {
            my $done = eval { load(slurp($file), $format, max_depth => $DEPTH); 1 };
            ok $done || $@ =~ /\S/, id($file) . ' is read or refused';
        }
        plan skip_all => 'no vectors' unless $read;
    };
}

subtest 'writing by name' => sub {
    my %done;
    for my $format (map { $_->{name} } formats()) {
        for my $expected (sort glob "$FOLDER/model/*.$format.*") {
            my ($name, $dialect, $error) = basename($expected) =~ /^([^.]+)\.\Q$format\E\.(\w+?)(\.error)?$/ or next;
            my $trace = slurp("$FOLDER/model/$name.trace");
            next if unholdable($trace);
            next if $trace =~ /^big (?:.*[.eE]|-0$)/m;    # $NO_DECIMAL keeps its spelling, no Math::BigInt its minus zero
            my $written = eval { dump(any_built($trace), $format, dialect => $dialect) };
            $done{$format}++;
            if ($error) { ok !defined $written && $@ =~ /\S/, "$name as $format, $dialect is refused" }
            else { is $written // $@, slurp($expected), "$name as $format, $dialect" }
        }
    }
    cmp_ok $done{$_}, '>', 0, "$_: $done{$_} models are written" for sort keys %done;
};

# ---------------------------------------------------------------------------------------------------------------------- the runs
for my $format (sort keys %READERS) {
    for my $name (sort keys %{ $READERS{$format} }) {
        my $read = $READERS{$format}{$name};
        subtest "$format by $name" => sub {
            for my $file (vectors($format, 'ok')) {
                my $id = id($file);
                next if $READ_EXCEPT{$id};
                is eval { trace(scalar $read->(slurp($file))) } // $@, text_in($file), $id;
            }
            for my $file (vectors($format, 'err')) {
                my $id = id($file);
                my $read_it = eval { $read->(slurp($file)); 1 };
                if ($TAKES{$id} || $TAKES{"$id $name"}) { ok $read_it, "$id is taken" }
                else { ok !$read_it && $@ =~ /\S/, "$id is refused, with words" }
            }
            for my $file (vectors($format, 'any')) {
                my $done = eval { $read->(slurp($file)); 1 };
                ok $done || $@ =~ /\S/, id($file) . ' is read or refused';
            }
        };
    }
}

subtest writing => sub {
    my %WRITERS = ('json.compact' => sub { $CPANEL->encode($_[0]) }, 'msgpack.standard' => sub { $PACK->pack($_[0]) });
    my %done;
    for my $file (sort glob "$FOLDER/model/*.trace") {
        my $name = basename($file, '.trace');
        for my $dialect (sort keys %WRITERS) {
            next if $WRITE_EXCEPT{$name} || $WRITE_EXCEPT{"$name.$dialect"};
            my ($bytes, $refused) = ($file =~ s/trace$/$dialect/r, $file =~ s/trace$/$dialect.error/r);
            next unless -e $bytes || -e $refused;
            my $written = eval { $WRITERS{$dialect}->(built([split /\n/, slurp($file)])) };
            $done{$dialect}++;
            if (-e $bytes) { is $written // $@, slurp($bytes), "$name as $dialect" }
            else { ok !defined $written && $@ =~ /\S/, "$name as $dialect is refused" }
        }
    }
    cmp_ok $done{$_}, '>', 40, "$_: $done{$_} models are written" for sort keys %WRITERS;
};

# ---------------------------------------------------------------------------------------------------------------------- other folders
# What Perl's values cannot hold, by name, or by what stands before the first dot of it; a reason that is not needed fails.
sub left_out {
    my ($done, $reasons) = @_;
    my %needed;
    for my $name (sort keys %$done) {
        my $wrong = $done->{$name}->() // next;
        my $reason = exists $reasons->{$name} ? $name : $name =~ s/\..*//r;
        $needed{$reason}++;
        ok exists $reasons->{$reason}, $name or diag $wrong;
    }
    ok $needed{$_}, "$_ is left out with need" for sort keys %$reasons;
    ok scalar keys %$done, scalar(keys %$done) . ' files';
    return;
}
# Why the call does not fail with the code's place in the file; nothing if it does.
sub not_refused {
    my ($file, $call) = @_;
    return 'is taken' if eval { $call->(); 1 };
    my $said = $@;
    my ($code, $offset, $path) = split ' ', slurp($file), 3;
    chomp $path if defined $path;
    utf8::decode($path) if defined $path;
    return $said if defined $offset && $said !~ /\bbyte $offset\b/;
    return $said if length($path // '') > 1 && index($said, "($path)") < 0;
    return;
}
sub differs { my ($is, $should) = @_; return $is eq $should ? undef : "is $is\nnot $should" }

my %DIALECT_EXCEPT;
for my $row (formats()) {
    my $format = $row->{name};
    subtest "read dialects of $format" => sub {
        my %done;
        for my $dialect (@{ $row->{read_dialects} }) {
            for my $file (sort glob "$FOLDER/read/$format/*.$dialect.*") {
                my ($name, $ending) = $file =~ m{^\Q$FOLDER\E/(.*)\.(trace|error)$};
                my $in = "$FOLDER/read/$format/" . (basename($file) =~ s/\..*//r) . '.in';
                my $read = sub { return load(slurp($in), $format, dialect => $dialect, max_depth => $DEPTH, keep_order => 1, keep_binary => 1) };
                next if $ending eq 'trace' && unholdable(slurp($file));
                $done{$name} = $ending eq 'error'
                    ? sub { return not_refused($file, $read) }
                    : sub { my $is = eval { trace($read->()) } // "$@"; return differs($is, trace_in($file =~ s/trace$/in/r)) };
            }
        }
        left_out(\%done, { map { ($_ => $DIALECT_EXCEPT{$_}) } grep { m{^read/$format/} } keys %DIALECT_EXCEPT });
    };
}

subtest 'text that is not UTF-8 is a string of bytes' => sub {
    for (['json', 'ruby_read', "\"a\x80\xff\xe2\x82\"", "a\x80\xff\xe2\x82"], ['json', 'old_ruby_read', "\"\\ud800\xc3\xa9abcdef\"", "?\xa9abcdef"],
        ['msgpack', 'ruby_read', "\xa3a\xffb", "a\xffb"], ['cbor', 'any_text_read', "\x63a\xffb", "a\xffb"]) {
        my ($format, $dialect, $document, $text) = @$_;
        my @values = (load($document, $format, dialect => $dialect), Kumihimo->lazy($document, format => $format, dialect => $dialect)->value);
        push @values, @{ Kumihimo->partial([''], format => $format, dialect => $dialect)->decode($document) };
        ok !utf8::is_utf8($_) && $_ eq $text, "$format by $dialect" or diag unpack 'H*', $_ for @values;
    }
    my ($key) = keys %{ load("{\"\xff\xc4\":1}", 'json', dialect => 'ruby_read') };
    ok !utf8::is_utf8($key) && $key eq "\xff\xc4", 'and so is a key';
};

subtest projection => sub {
    my $value = sub {
        my ($document, $line) = @_;
        return undef if $line eq 'absent';    ## no critic (Subroutines::ProhibitExplicitReturnUndef)
        my ($offset, $length) = split ' ', $line;
        return Kumihimo->partial('')->decode(substr $document, $offset, $length)->[0];
    };
    for my $in (sort glob "$FOLDER/project/*.in") {
        my $document = slurp($in);
        my @paths = map { utf8::decode($_); $_ } split /\n/, slurp($in =~ s/in$/paths/r), -1;
        pop @paths;
        for my $level (qw(strict structural trusted)) {
            my $wanted = Kumihimo->partial(\@paths, level => $level, max_depth => $DEPTH);
            my ($found, $error) = ($in =~ s/in$/$level.found/r, $in =~ s/in$/$level.error/r);
            if (-e $error) { is not_refused($error, sub { $wanted->decode($document) }), undef, basename($error) }
            next unless -e $found;
            my @lines = split /\n/, slurp($found);
            my @values;
            while (defined(my $line = shift @lines)) {
                push @values, $line =~ /^each (\d+)/ ? [map { $value->($document, shift @lines) } 1 .. $1] : $value->($document, $line);
            }
            is trace(eval { $wanted->decode($document) } // $@), trace(\@values), basename($found);
        }
    }
};

subtest paths => sub {
    for my $file (sort glob "$FOLDER/paths/*.path") {
        my $path = slurp($file);
        next unless utf8::decode($path);
        my $taken = eval { Kumihimo->partial($path); 1 };
        if ($file =~ m{/ok-}) { ok $taken, basename($file) or diag $@ }
        else {
            my $said = $@;
            my (undef, $offset) = split ' ', slurp($file =~ s/path$/error/r);
            ok !$taken && $said =~ /\bbyte $offset\b/, basename($file) or diag $said;
        }
    }
};

for my $row (formats()) {
    my $format = $row->{name};
    subtest "streams of $format" => sub {
        for my $file (sort glob "$FOLDER/streams/$format/*.in") {
            next if unholdable(slurp($file =~ s/in$/trace/r));
            my ($traces, $stream) = ('', slurp($file));
            my $done = eval { Kumihimo::each_document(\$stream, sub { $traces .= trace($_[0]) }, format => $format, dialect => $row->{read_dialects}[0], keep_order => 1, keep_binary => 1); 1 };
            is $traces, trace_in($file), basename($file);
            if ($file =~ m{/ok-}) { ok $done, 'to its end' or diag $@; next }
            ok !$done, 'and then refused';
        }
    };
}

SKIP: {
    skip 'this build has no frames', 1 unless Kumihimo->can('unpack');
    subtest frames => sub {
        for my $file (sort glob "$FOLDER/frames/*/*.in") {
            my ($frame) = $file =~ m{/([^/]+)/[^/]+$};
            my $text = eval { Kumihimo->unpack(slurp($file), $frame) };
            if ($file =~ m{/ok-}) { is $text // $@, slurp($file =~ s/in$/out/r), id($file) }
            else { ok !defined $text && $@ =~ /\S/, id($file) . ' is refused' }
        }
    };
}

done_testing;
