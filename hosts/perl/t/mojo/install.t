# Everything that has Mojo::JSON's functions in some way follows: when they are replaced, and when that is taken back.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use Config;
use MojoPair qw(need_mojolicious have_cpanel other_profile is_native told_apart run_perl);
use Test::More;

BEGIN { need_mojolicious() }

use Mojo::JSON qw(decode_json encode_json false from_json j to_json true);

# Taken in every way before anything is replaced.
my %saved = map { $_ => Mojo::JSON->can($_) } qw(decode_json encode_json from_json j to_json);
my $closure = do { my $inner = \&encode_json; sub { $inner->(@_) } };
{

    package Elsewhere;
    use Mojo::JSON qw(encode_json decode_json j);
    sub encodes { return encode_json $_[0] }
    sub decodes { return decode_json $_[0] }
    sub jots { return j $_[0] }
}

my $other = other_profile();
my $active = $other eq 'pure' ? 'cpanel' : 'pure';
my ($value, $theirs) = told_apart($active);
my (undef, $ours) = told_apart($other);
# One of the two reads a number without digits behind its point.
my %reads = (pure => !!1, cpanel => !!0);

sub follows {
    my ($profile, $what) = @_;
    my (undef, $text) = told_apart($profile);
    my $reads = $reads{$profile};
    subtest $what => sub {
        is encode_json($value), $text, 'imported encode_json';
        is to_json($value), $text, 'imported to_json';
        is j([$value]), "[$text]", 'imported j, encoding';
        is !!eval { decode_json('[1.]') }, $reads, 'imported decode_json';
        is !!eval { from_json('[1.]') }, $reads, 'imported from_json';
        is !!j('[1.]'), $reads, 'imported j, decoding';
        is Elsewhere::encodes($value), $text, 'imported into another package';
        is !!eval { Elsewhere::decodes('[1.]') }, $reads, 'the same, decoding';
        is Elsewhere::jots({ a => $value }), qq({"a":$text}), 'the same, j';
        is $saved{encode_json}->($value), $text, 'reference to encode_json';
        is $saved{to_json}->($value), $text, 'reference to to_json';
        is $saved{j}->([$value]), "[$text]", 'reference to j';
        is !!eval { $saved{decode_json}->('[1.]') }, $reads, 'reference to decode_json';
        is !!eval { $saved{from_json}->('[1.]') }, $reads, 'reference to from_json';
        is $closure->($value), $text, 'closure over a reference';
        is Mojo::JSON::encode_json($value), $text, 'full name';
        is &{ \&{'Mojo::JSON::encode_json'} }($value), $text, 'symbolic name';
        is(Mojo::JSON->can('encode_json'), $saved{encode_json}, 'the function is the same one');
    };
    return;
}

is(Kumihimo::Mojo->installed, undef, 'nothing is installed');
like(Kumihimo::Mojo->description, qr/nothing/, 'and it says so');
follows($active, 'before');

is(Kumihimo::Mojo->install(profile => $other), 'Kumihimo::Mojo', 'install');
is_deeply(Kumihimo::Mojo->installed, { profile => $other, scope => 'all', messages => 'profile', mechanism => 'body' }, 'what is installed');
like(Kumihimo::Mojo->description, qr/\AKumihimo \S+ replaced encode_json.*profile $other.*\z/, 'and it says so');
follows($other, 'installed');
ok is_native($saved{$_}), "$_ is native" for sort keys %saved;

Kumihimo::Mojo->install;
is(Kumihimo::Mojo->installed->{profile}, $other, 'install again without options changes nothing');
Kumihimo::Mojo->install(messages => 'clear');
is_deeply(Kumihimo::Mojo->installed, { profile => $other, scope => 'all', messages => 'clear', mechanism => 'body' }, 'an option alone leaves the others');
Kumihimo::Mojo->install(profile => $active, messages => undef);
is(Kumihimo::Mojo->installed->{messages}, 'clear', 'an undefined option is none');
follows($active, 'another profile');
Kumihimo::Mojo->install(profile => $other, messages => 'profile');
follows($other, 'and back');

subtest 'a local override counts, and ends' => sub {
    {
        no warnings 'redefine';
        local *Mojo::JSON::encode_json = sub { 'overridden' };
        is Mojo::JSON::encode_json(1), 'overridden', 'inside';
        is encode_json($value), $ours, 'what was imported is not concerned';
    }
    is Mojo::JSON::encode_json($value), $ours, 'outside';
};

subtest 'booleans are JSON::PP\'s' => sub {
    is encode_json([true, false]), '[true,false]', 'encoded';
    is ref decode_json('true'), 'JSON::PP::Boolean', 'decoded';
};

subtest 'arguments as Mojo::JSON takes them' => sub {
    is encode_json(), 'null', 'no argument';
    is encode_json(1, 2), '1', 'one too many';
    is_deeply [scalar(my @all = (encode_json(1), to_json(2)))], [2], 'one value each in list context';
    ok !eval { decode_json(); 1 }, 'nothing to decode';
    my @values = map { encode_json $_ } 1 .. 3;
    is "@values", '1 2 3', 'in a map';
};

subtest 'j and $@' => sub {
    local $@ = 'before';
    is_deeply j('[1]'), [1], 'it decodes';
    is $@, '', 'and clears $@';
    is scalar(j('[')), undef, 'it does not';
    like $@, qr/\S/, 'and leaves the error there';
    my @seen;
    local $SIG{__DIE__} = sub { push @seen, @_ };
    my $nothing = j('[');
    is @seen, 1, '$SIG{__DIE__} sees it';
    is j('null'), undef, 'a null is undef, too';
    is $@, '', 'without an error';
};

subtest 'taken back' => sub {
    Kumihimo::Mojo->uninstall;
    is(Kumihimo::Mojo->installed, undef, 'nothing is installed');
    follows($active, 'uninstalled');
    is_deeply [j('[')], [Kumihimo::Mojo->stock('j')->('[')], 'j in list context';
    my $died = eval { decode_json('['); 1 } ? undef : $@;
    like $died, qr/ at \S+ line \d+\.\n\z/, 'errors pass';
    Kumihimo::Mojo->uninstall;
    is(Kumihimo::Mojo->installed, undef, 'twice');
    Kumihimo::Mojo->install(profile => $other);
    follows($other, 'installed once more');
};

subtest 'stock functions' => sub {
    for my $profile (have_cpanel() ? 'cpanel' : (), 'pure') {
        my (undef, $text) = told_apart($profile);
        is(Kumihimo::Mojo->stock('encode_json', $profile)->($value), $text, "$profile encode_json");
        is(Kumihimo::Mojo->stock('to_json', $profile)->($value), $text, "$profile to_json");
        is(Kumihimo::Mojo->stock('j', $profile)->([$value]), "[$text]", "$profile j");
        is_deeply(Kumihimo::Mojo->stock($_, $profile)->('[1]'), [1], "$profile $_") for qw(decode_json from_json);
        ok !is_native(Kumihimo::Mojo->stock('encode_json', $profile)), "$profile is in Perl";
    }
    is(Kumihimo::Mojo->stock('encode_json')->($value), $theirs, 'the active backend by default');
    ok !eval { Kumihimo::Mojo->stock('true'); 1 }, 'only the five';
    like $@, qr/has no function true that could be replaced.* at \Q$0\E line/, 'and it says which';
};

subtest 'an encoder at work' => sub {
    my $code = q{
        use Kumihimo::Mojo ();
        use Mojo::JSON qw(encode_json to_json);
        package Installs { sub new { bless {}, shift } sub TO_JSON { Kumihimo::Mojo->install; [1] } }
        my $text = eval { to_json([Installs->new]) };
        print defined $text ? "$text\n" : "died: $@";
        print Kumihimo::Mojo->installed ? "installed\n" : "not installed\n";
        print to_json([2]), "\n";
    };
    for my $no_xs (0, 1) {
        local $ENV{MOJO_NO_JSON_XS} = $no_xs;
        my $said = run_perl($code);
        like $said, qr/is running and cannot be replaced now: install before/, 'it is not pulled from under itself';
        like $said, qr/not installed\n\[2\]\n\z/, 'nothing has changed';
    }
    Kumihimo::Mojo->install(profile => 'pure');
    my $object = bless {}, 'Switches';
    sub Switches::TO_JSON { Kumihimo::Mojo->install(profile => 'cpanel'); return "\x1f" }
    is encode_json($object), '"\u001F"', 'ours ends as it began';
    is encode_json("\x1f"), '"\u001f"', 'and the next call is the new one';
    Kumihimo::Mojo->install(profile => $other);
};

subtest 'options that are none' => sub {
    my %wrong = (
        'profile is one of cpanel pure, not xs' => [profile => 'xs'],
        'scope is one of all renderer, not app' => [scope => 'app'],
        'messages is one of profile clear, not loud' => [messages => 'loud'],
        'there is no option colour; there are: messages profile scope' => [colour => 'red'],
        'options are pairs of a name and a value' => ['pure'],
    );
    for my $text (sort keys %wrong) {
        ok !eval { Kumihimo::Mojo->install(@{ $wrong{$text} }); 1 }, "@{$wrong{$text}}";
        like $@, qr/\AKumihimo::Mojo: \Q$text\E at \Q$0\E line \d+/, 'it says so, and where';
    }
    is(Kumihimo::Mojo->installed->{profile}, $other, 'nothing has changed');
};

subtest 'threads' => sub {
    plan skip_all => 'this perl has none' unless $Config{useithreads};
    my $said = run_perl(q{
        use threads;
        use Kumihimo::Mojo profile => 'pure';
        use Mojo::JSON qw(encode_json decode_json j);
        my $saved = \&encode_json;
        print threads->create(sub { join ' ', encode_json(["\x1f"]), $saved->({a => 1}), decode_json('[1.]')->[0], j('[[7]]')->[0][0] })->join, "\n";
        my $inside = threads->create(sub { Kumihimo::Mojo->install(profile => 'cpanel'); encode_json("\x1f") })->join;
        print "$inside ", encode_json("\x1f"), "\n";
        print threads->create(sub { Kumihimo::Mojo->uninstall; j([1]) })->join, encode_json("\x1f"), "\n";
        print threads->create(sub { threads->create(sub { encode_json("\x1f") })->join })->join, "\n";
    });
    is $said, qq(["\\u001F"] {"a":1} 1 7\n"\\u001f" "\\u001F"\n[1]"\\u001F"\n"\\u001F"\n), 'each has what was installed in it';
};

subtest 'a perl that does not let functions keep themselves' => sub {
    my $said = run_perl(q{
        use Mojo::JSON qw(encode_json j);
        my $saved = \&encode_json;
        BEGIN { require Kumihimo::Mojo; $Kumihimo::Mojo::KEEP = 0; Kumihimo::Mojo->install(profile => 'pure') }
        package Elsewhere { use Mojo::JSON 'encode_json'; sub text { encode_json("\x1f") } }
        print Kumihimo::Mojo->installed->{mechanism}, "\n", Kumihimo::Mojo->description, "\n";
        print join(' ', encode_json("\x1f"), Elsewhere::text(), j(["\x1f"]), Mojo::JSON::to_json("\x1f")), "\n";
        Kumihimo::Mojo->install(profile => 'cpanel');
        print join(' ', encode_json("\x1f"), Elsewhere::text(), j(["\x1f"]), Mojo::JSON::to_json("\x1f")), "\n";
        Kumihimo::Mojo->uninstall;
        require B;
        print B::svref_2object(\&encode_json)->XSUB || B::svref_2object(\&Elsewhere::encode_json)->XSUB ? "ours\n" : "theirs\n";
    });
    like $said, qr/\Asymbols\n.*references taken before keep/, 'it says so';
    like $said, qr/^"\\u001F" "\\u001F" \["\\u001F"\] "\\u001F"$/m, 'what is imported follows';
    like $said, qr/^"\\u001f" "\\u001f" \["\\u001f"\] "\\u001f"$/m, 'to another profile too';
    like $said, qr/^theirs$/m, 'and back';
};

subtest 'functions that somebody else has put there' => sub {
    my $said = run_perl(q{
        use Mojo::JSON qw(encode_json);
        use Mojo::Util qw(monkey_patch);
        package Somebody { sub their_encode { 'theirs' } }
        package Their::User { BEGIN { *encode = \&Somebody::their_encode } sub text { encode(1) } }
        monkey_patch 'Mojo::JSON', encode_json => \&Somebody::their_encode;
        require Mojo::Message;
        package Mojo::Imports { Mojo::JSON->import('encode_json') }
        package main;
        require Kumihimo::Mojo;
        Kumihimo::Mojo->install;
        print join(' ', Mojo::JSON::encode_json([1]), Somebody::their_encode(1), Their::User::text(), Mojo::Imports::encode_json([2]), Kumihimo::Mojo->installed->{mechanism}), "\n";
        monkey_patch 'Mojo::JSON', to_json => sub { 'later' };
        print Mojo::JSON::to_json(1), "\n";
        Kumihimo::Mojo->install(profile => 'pure');
        print Mojo::JSON::to_json("\x1f"), "\n";
    });
    is $said, qq([1] theirs theirs [2] symbols\nlater\n"\\u001F"\n), 'are replaced in Mojolicious alone';
};

done_testing;
