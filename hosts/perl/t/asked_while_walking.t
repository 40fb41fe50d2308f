# Whatever gives a value its text, number or truth may run Perl code: objects in the place of a boolean's scalar, ties, handlers of warnings. That
# code may free what is being walked (changed_while_walking.t has TO_JSON and such). Here it lets go of all that the structure has but the value
# itself, fills the memory with other things, and lets go of the value too. Of a hash, what is written are the values that were there when it first ran.
# JSON reads an array as it is: what it no longer has is null, or not there. (MessagePack has written its length.) Memory that is read after it was freed often still has the right bytes; for
# those cases this runs under the sanitizers.
use strict;
use warnings;

BEGIN {
    # Two hashes that are made alike have one order, so that unsorted texts can be compared. The perl that runs this has begun with a seed of its own.
    if (($ENV{PERL_HASH_SEED} // '') ne '0' || ($ENV{PERL_PERTURB_KEYS} // '') ne '0') {
        @ENV{qw(PERL_HASH_SEED PERL_PERTURB_KEYS)} = (0, 0);
        exec $^X, (map { "-I$_" } @INC), $0 or die "$^X: $!\n";
    }
}

use Test::More;
use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();
use Kumihimo::JSON::Type;
use Kumihimo::MessagePack;
use Kumihimo::Mojo;

our $act = sub { };
{
    package Asked;    # of which every conversion runs the code
    use overload
        'bool' => sub { $main::act->(); 1 },
        '0+' => sub { $main::act->(); 1 },
        '""' => sub { $main::act->(); '1' };
}
{
    package AskedText;    # and no more than the text
    use overload '""' => sub { $main::act->(); '1' }, fallback => 1;
}
{
    package Tied;
    sub TIESCALAR { my ($class, $value) = @_; return bless [$value], $class }
    sub FETCH { my ($self) = @_; $main::act->(); return $self->[0] }
}
{
    package TiedKeys;    # a tie whose keys are objects, of another text each time
    require Tie::Hash;
    our @ISA = 'Tie::StdHash';
    sub NEXTKEY { my ($self) = @_; my $key = each %$self; return defined $key ? bless([$key], 'TiedKeys::Key') : undef }
    sub FIRSTKEY { my ($self) = @_; my $reset = keys %$self; return $self->NEXTKEY }
    sub FETCH { my ($self, $key) = @_; return $self->{$key} }

    package TiedKeys::Key;
    our $asked = 0;
    use overload '""' => sub { $main::act->(); return $_[0][0] . ++$asked % 7 }, fallback => 1;
}
sub tied_scalar { my ($value) = @_; tie my $scalar, 'Tied', $value; return \$scalar }

my @classes = qw(JSON::PP::Boolean Types::Serialiser::Boolean JSON::XS::Boolean Cpanel::JSON::XS::Boolean Mojo::JSON::_Bool);
my %values = (
    (map { my $class = $_; ("$class of an object" => sub { my $inner = bless {}, 'Asked'; return bless \$inner, $class }) } @classes),
    'JSON::PP::Boolean of an object with text' => sub { my $inner = bless {}, 'AskedText'; return bless \$inner, 'JSON::PP::Boolean' },
    'JSON::PP::Boolean of an object of itself' => sub { my $inner = bless \(my $one = 1), 'Asked'; return bless \$inner, 'JSON::PP::Boolean' },
    'JSON::PP::Boolean of a tied scalar' => sub { return bless tied_scalar(1), 'JSON::PP::Boolean' },
    'JSON::PP::Boolean of a tied object' => sub { return bless tied_scalar(bless {}, 'Asked'), 'JSON::PP::Boolean' },
    'JSON::PP::Boolean of text, which warns' => sub { return bless \(my $text = 'one'), 'JSON::PP::Boolean' },
    'JSON::PP::Boolean of undef, which warns' => sub { return bless \(my $none), 'JSON::PP::Boolean' },
    'JSON::PP::Boolean that is an array' => sub { return bless [], 'JSON::PP::Boolean' },
    'a reference to an object' => sub { return \bless {}, 'Asked' },
    'a reference to a tied scalar' => sub { return tied_scalar(1) },
    'a reference to a tied object' => sub { return tied_scalar(bless {}, 'Asked') },
    'an object with text' => sub { return bless {}, 'Asked' },
    'a scalar that is an object' => sub { return bless \(my $text = 'x'), 'Asked' },
    'a text' => sub { return 'one' },
    'a number of the wrong kind' => sub { return '12abc' },
    'a tied hash whose keys are objects' => sub { tie my %tied, 'TiedKeys'; @tied{ 'a' .. 'z' } = 1 .. 26; return \%tied },
    'a tied scalar' => sub { return ${ tied_scalar('fetched') } },
);

my $all = 'allow_nonref allow_blessed convert_blessed allow_unknown allow_tags canonical utf8';
sub options { my ($json, @names) = @_; $json->$_ for split(' ', $all), @names; return $json }
sub typed {
    my ($type) = @_;
    my $json = options(Kumihimo::JSON::Cpanel->new, 'allow_bignum');
    return sub {
        my ($data) = @_;
        my $types = ref $data eq 'HASH' ? { map { $_ => ref $data->{$_} eq 'ARRAY' ? json_type_arrayof(JSON_TYPE_STRING) : $type } keys %$data } : json_type_arrayof(json_type_anyof($type, json_type_arrayof(JSON_TYPE_STRING)));
        return $json->encode($data, $types);
    };
}
my %encoders = (
    'JSON' => do { my $json = options(Kumihimo::JSON->new); sub { $json->encode($_[0]) } },
    'JSON, unsorted' => do { my $json = options(Kumihimo::JSON->new)->canonical(0); sub { $json->encode($_[0]) } },
    'JSON, indented' => do { my $json = options(Kumihimo::JSON->new)->pretty; sub { $json->encode($_[0]) } },
    'JSON, refusing' => do { my $json = Kumihimo::JSON->new->canonical; sub { $json->encode($_[0]) } },
    'Cpanel' => do { my $json = options(Kumihimo::JSON::Cpanel->new); sub { $json->encode($_[0]) } },
    'Cpanel, allow_stringify' => do { my $json = options(Kumihimo::JSON::Cpanel->new, 'allow_stringify'); sub { $json->encode($_[0]) } },
    'Cpanel, refusing' => do { my $json = Kumihimo::JSON::Cpanel->new->canonical; sub { $json->encode($_[0]) } },
    'Cpanel, all strings' => do { my $json = options(Kumihimo::JSON::Cpanel->new, 'type_all_string'); sub { $json->encode($_[0]) } },
    (map { my ($name, $type) = @$_; ("typed $name" => typed($type)) } ['boolean', JSON_TYPE_BOOL], ['integer', JSON_TYPE_INT], ['float', JSON_TYPE_FLOAT], ['string', JSON_TYPE_STRING]),
    'MessagePack' => do { my $pack = Kumihimo::MessagePack->new->canonical; sub { $pack->pack($_[0]) } },
    'MessagePack, by its name' => sub { return Kumihimo::dump($_[0], 'msgpack', canonical => 1) },
    'MessagePack, unsorted' => do { my $pack = Kumihimo::MessagePack->new; sub { $pack->pack($_[0]) } },
    (map { my $bits = $_; my $mojo = Kumihimo::Mojo::_make(0, $bits); ("Mojo, behaviour $bits" => sub { $mojo->($_[0]) }) } 0, 1, 1 | 8),
);

my %structures = (
    'in a hash' => sub { my ($value) = @_; my %h = map { ("k$_" => ['v' x 40]) } 10 .. 40; $h{k15} = $value; return \%h },
    'in a large hash' => sub { my ($value) = @_; my %h = map { ("k$_" => ['v' x 40]) } 10 .. 99; $h{k15} = $value; return \%h },
    'in an array' => sub { my ($value) = @_; return [['v' x 40], $value, map { ["w$_" x 10] } 1 .. 10] },
);
# What Perl code does to them, in the end to the value too.
my %deeds = (
    'keeps the value' => sub {
        my ($data) = @_;
        if (ref $data eq 'HASH') { delete @$data{ grep { $_ ne 'k15' } keys %$data } }
        else { splice @$data, 2 }
    },
    'lets go of it' => sub { my ($data) = @_; ref $data eq 'HASH' ? (%$data = ()) : (@$data = ()) },
    # What is behind the first element moves in memory, and comes to lie elsewhere.
    'shrinks it' => sub {
        my ($data) = @_;
        if (ref $data eq 'HASH') { undef %$data }
        else { shift @$data; $#$data = -1; push @$data, ('x') x 200; undef @$data }
    },
);

# What all of it comes to when nothing is changed.
sub outcome {
    my ($encode, $data) = @_;
    $TiedKeys::Key::asked = 0;
    my $text = eval { $encode->($data) };
    return ($text // "error: $@") =~ s/\(0x[0-9a-f]+|\b[0-9]{8,}/(.../gr;    # addresses
}
# What an array comes to that loses all behind its second element: shorter, or with places that have no value.
my @shortened = (sub { my ($data) = @_; splice @$data, 2; return $data }, sub { my ($data) = @_; my $last = $#$data; $#$data = 1; $#$data = $last; return $data });
my @junk;
for my $what (sort keys %values) {
    my ($runs, @wrong) = (0);
    for my $by (sort keys %encoders) {
        for my $where (sort keys %structures) {
            for my $deed (sort keys %deeds) {
                my $data = $structures{$where}->($values{$what}->());
                my $ran = 0;
                local $SIG{__WARN__} = sub { $act->() };
                local $act = sub {
                    $runs++;
                    return if $ran++;
                    $deeds{$deed}->($data);
                    @junk = map { "j$_" x 40 } 1 .. 200;
                };
                my $got = outcome($encoders{$by}, $data);
                local $act = sub { };
                my @allowed = map { outcome($encoders{$by}, $_->($structures{$where}->($values{$what}->()))) } $ran && $where eq 'in an array' && $by !~ /MessagePack/ ? @shortened : sub { $_[0] };
                push @wrong, "$by, $where, $deed:\n  got    $got\n  wanted " . join("\n  or     ", @allowed) if !grep { $_ eq $got } @allowed;
            }
        }
    }
    is join("\n", map { s/v{40}/v/gr } @wrong[0 .. ($#wrong < 3 ? $#wrong : 3)]), '', "$what ($runs calls)";
}

{
    # The value that is encoded goes with the first call. (With types it is a copy.)
    for my $by (sort keys %encoders) {
        next if $by =~ /typed/;
        my %of = map { $_ => bless(\(my $own = bless {}, 'Asked'), 'JSON::PP::Boolean') } qw(x y);
        my $ran = 0;
        local $act = sub { $ran++; %of = (); @junk = map { "j$_" x 40 } 1 .. 200 };
        my $got = outcome(sub { $encoders{$by}->($of{x}) });
        local $act = sub { };
        my $wanted = outcome(sub { $encoders{$by}->(bless(\(my $own = bless {}, 'Asked'), 'JSON::PP::Boolean')) });
        is $got, $wanted, "$by: the argument goes while it is encoded";
        ok $ran || $wanted =~ /\Aerror: /, "$by: and has been asked";
    }
    my %tied;
    tie $tied{x}, 'Tied', [1, 2];
    local $act = sub { delete $tied{x}; @junk = map { "j$_" x 40 } 1 .. 200 };
    is(Kumihimo::JSON->new->allow_nonref(0)->encode($tied{x}), '[1,2]', 'a tied argument that goes when it is fetched');
}

{
    # MessagePack's own classes.
    my %made = (
        'Binary' => sub { my $inner = bless {}, 'Asked'; return bless \$inner, 'Kumihimo::MessagePack::Binary' },
        'Extension' => sub { return bless { type => '5x', data => bless({}, 'Asked') }, 'Kumihimo::MessagePack::Extension' },
        'Timestamp' => sub { return bless { seconds => bless({}, 'Asked'), nanoseconds => '7 of them' }, 'Kumihimo::MessagePack::Timestamp' },
        'Timestamp, its kind' => sub { my $at = bless { seconds => 1, nanoseconds => 2, offset => bless({}, 'Asked') }, 'Kumihimo::MessagePack::Timestamp'; tie $at->{kind}, 'Tied', 'offset'; return $at },
    );
    for my $by ('MessagePack', 'MessagePack, by its name') {
        for my $what (sort keys %made) {
            my $data = $structures{'in a hash'}->($made{$what}->());
            my $ran = 0;
            local $act = sub { return if $ran++; %$data = (); @junk = map { "j$_" x 40 } 1 .. 200 };
            local $SIG{__WARN__} = sub { $act->() };
            my $got = outcome($encoders{$by}, $data);
            local $act = sub { };
            is unpack('H*', $got), unpack('H*', outcome($encoders{$by}, $structures{'in a hash'}->($made{$what}->()))), "$by: $what";
        }
    }
}

done_testing;
