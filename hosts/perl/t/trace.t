# The private call that the conformance vectors are compared by: the walk of Kumihimo::dump, in the reference notation.
use strict;
use warnings;
use Math::BigFloat ();
use Math::BigInt ();
use Test::More;
use Kumihimo ();
use Kumihimo::JSON ();
use Kumihimo::MessagePack ();

{
    package Acting;    # runs code when it is asked what it is
    sub new { my ($class, $code) = @_; return bless { code => $code }, $class }
    sub TO_JSON { return $_[0]{code}->($_[0]) }
}
{
    package ActingTie;
    sub TIESCALAR { my ($class, $code) = @_; return bless [$code], $class }
    sub FETCH { return $_[0][0]->() }
}
{
    package Mute;      # dies whatever it is asked
    use overload map { ($_ => sub { die "asked\n" }) } qw("" 0+ bool @{} %{} ${} &{} == eq);
}

is_deeply [grep { /trace/ } @Kumihimo::EXPORT, @Kumihimo::EXPORT_OK], [], 'nobody is offered it';

is Kumihimo::_trace([undef, Kumihimo::JSON::true(), 1, -9223372036854775807 - 1, 18446744073709551615, Math::BigInt->new('18446744073709551616'), 0.5, -0.0, 9**9**9,
    "caf\xe9\"\\\n\x{1f600}", Kumihimo::MessagePack::Binary->new("\0\xff"), Kumihimo::MessagePack::Extension->new(5, "\n"), { k => {} }, [],
    Kumihimo::MessagePack::Timestamp->new(1, 2, kind => 'offset', offset => 60), Math::BigFloat->new('1.50'), \1 ]), <<'TRACE', 'every verb';
array
null
boolean true
i64 1
i64 -9223372036854775808
u64 18446744073709551615
big 18446744073709551616
f64 0x3fe0000000000000 0.5
f64 0x8000000000000000 -0
f64 0x7ff0000000000000 inf
str "caf\u{e9}\"\\\u{a}\u{1f600}"
bin 0x00ff
ext 5 0x0a
map
key "k"
map
end
end
array
end
time offset 1 2 60
big 1.5
boolean true
end
TRACE

subtest 'code that runs meanwhile' => sub {
    my @long = ('x' x 100) x 2000;
    for my $of (bless([], 'Mute'), bless({}, 'Mute'), sub { }, \*STDOUT, qr/x/, bless(\my $x, 'Mute')) {
        ok !eval { Kumihimo::_trace([@long, $of]); 1 }, 'no form: ' . ref $of;
    }
    ok !eval { Kumihimo::_trace([@long, Acting->new(sub { die "out\n" })]); 1 }, 'TO_JSON dies';
    is $@, "out\n", 'by its own error';
    tie my $tied, 'ActingTie', sub { die "tied\n" };
    ok !eval { Kumihimo::_trace({ a => [@long, \$tied, $tied] }); 1 }, 'FETCH dies';
    is Kumihimo::_trace([Acting->new(sub { return Kumihimo::_trace([7]) })]), qq(array\nstr "array\\u{a}i64 7\\u{a}end\\u{a}"\nend\n), 'one within another';
    my $gone = [Acting->new(sub { return 1 }), [2]];
    $gone->[0]{code} = sub { @$gone = (); return 1 };
    like Kumihimo::_trace([$gone]), qr/\Aarray\narray\ni64 1\n/, 'what is walked goes away';
    ok !eval { Kumihimo::_trace(Acting->new(sub { return Acting->new($_[0]{code}) })); 1 }, 'objects without end';
};

subtest depth => sub {
    my $deep = 1;
    $deep = [$deep] for 1 .. 2000;
    ok !eval { Kumihimo::_trace($deep); 1 }, 'more than 512';
    is Kumihimo::_trace($deep, 2000), "array\n" x 2000 . "i64 1\n" . "end\n" x 2000, 'as deep as is said';
    my $round = [];
    push @$round, $round;
    ok !eval { Kumihimo::_trace($round, 2**31); 1 }, 'a ring ends with the stack';
    @$round = ();
    ok !eval { Kumihimo::_trace(@$_); 1 }, scalar(@$_) . ' arguments' for [], [1, 2, 3];
};

done_testing;
