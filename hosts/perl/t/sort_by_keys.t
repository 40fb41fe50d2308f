# The code of sort_by has the keys themselves in $a and $b. It may empty them, make anything else of them, keep references to them, and put other scalars
# in their places: what is written then is the text that a key has when its turn comes.
use strict;
use warnings;
use Test::More;
use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();
use Kumihimo::Instead ();
use JSON::PP ();

our @kept;
{
    package Key;
    use overload '""' => sub { @main::kept = (); 'object' }, fallback => 1;

    package ChangesKept;
    sub TO_JSON { $$_ = ['changed'] for @main::kept; return 'there' }

    package Tied;
    sub TIESCALAR { return bless [], shift }
    sub FETCH { return 'tied' }
}

# Two keys, so that the code runs once: with `x` and `y`, in one order or the other.
my @deeds = (
    'undef' => sub { undef $_[0]; undef $_[1] }, qr/\A\{"":1,"":1\}\z/,
    'a reference' => sub { $_[0] = [1]; $_[1] = \'x' }, qr/\A\{"(?:ARRAY|SCALAR)\(0x[0-9a-f]+\)":1,"(?:ARRAY|SCALAR)\(0x[0-9a-f]+\)":1\}\z/,
    'a number' => sub { $_[0] = 7; $_[1] = 1.5 }, qr/\A\{"(?:7":1,"1\.5|1\.5":1,"7)":1\}\z/,
    'an object' => sub { $_ = bless {}, 'Key' for @_[0, 1] }, qr/\A\{"object":1,"object":1\}\z/,
    'a longer text' => sub { $_ .= 'z' x 1000 for @_[0, 1] }, qr/\A\{"[xy]z{1000}":1,"[xy]z{1000}":1\}\z/,
    'wide characters' => sub { $_ = "\x{263a}" for @_[0, 1] }, qr/\A\{"\x{263a}":1,"\x{263a}":1\}\z/,
    'a tie' => sub { tie $_, 'Tied' for @_[0, 1] }, qr/\A\{"tied":1,"tied":1\}\z/,
);
my %coders = (
    'JSON' => Kumihimo::JSON->new,
    'JSON, typed' => Kumihimo::JSON->new->type_all_string,
    'Cpanel' => Kumihimo::JSON::Cpanel->new,
    'JSON::PP' => do { Kumihimo::Instead->install('JSON::PP'); JSON::PP->new },
);
for my $by (sort keys %coders) {
    my $json = $coders{$by}->convert_blessed;
    # Which variables are $a and $b of the code.
    my $sorts = $by eq 'JSON::PP' ? sub { my ($deed) = @_; return sub { $deed->($JSON::PP::a, $JSON::PP::b); 0 } } : sub { my ($deed) = @_; return sub { $deed->($a, $b); 0 } };
    for (my $i = 0; $i < @deeds; $i += 3) {
        my ($name, $deed, $wanted) = @deeds[$i .. $i + 2];
        local $SIG{__WARN__} = sub { };
        my $text = eval { $json->sort_by($sorts->($deed))->encode({ x => 1, y => 1 }) } // "error: $@";
        if ($by =~ /typed/) { $wanted =~ s{:1}{:"1"}g; $wanted = qr/$wanted/ }
        like $text, $wanted, "$by: $name";
        # Another hash that keeps its order, whose keys are its own.
        my $ordered = Kumihimo::JSON->new->keep_order->decode('{"x":1,"y":1}');
        $text = eval { $json->encode($ordered) } // "error: $@";
        like $text, $wanted, "$by: $name, an ordered hash";
        is join(',', keys %$ordered), 'x,y', 'whose keys are as they were';
    }

    # References that are used while the values are written. More keys than are compared at once.
    if ($by !~ /typed/) {    # which call no TO_JSON
        my %many = map { ("k$_" => bless [], 'ChangesKept') } 1 .. 20;
        local @kept;
        my $text = $json->sort_by($sorts->(sub { push @kept, \$_[0], \$_[1]; 0 }))->encode(\%many);
        is scalar(() = $text =~ /"ARRAY\(0x[0-9a-f]+\)":"there"/g), 19, "$by: keys that are changed while the values are written";
        like $text, qr/\A\{"k\d+":"there"/, 'the first has been written';
    }

    # Another scalar in the place of the variable lets go of the one that was there.
    my $replaces = $by eq 'JSON::PP' ? sub { no warnings; *JSON::PP::a = \my $other; *JSON::PP::b = \my $more; 0 } : sub { no warnings; *a = \my $other; *b = \my $more; 0 };
    my ($before_a, $before_b) = (\$a, \$b);
    my $text = $json->sort_by($replaces)->encode({ map { ("k$_" => 1) } 1 .. 20 });
    is join(' ', sort { length $a <=> length $b || $a cmp $b } $text =~ /"(k\d+)"/g), join(' ', map { "k$_" } 1 .. 20), "$by: the variables are put to other scalars";
    $text = $json->sort_by($by eq 'JSON::PP' ? sub { undef *JSON::PP::a; 0 } : sub { undef *a; 0 })->encode({ map { ("k$_" => 1) } 1 .. 20 });
    is scalar(() = $text =~ /"k\d+":/g), 20, "$by: a glob that is emptied";
    is_deeply [\$a, \$b], [$before_a, $before_b], 'and they are what they were';
    ok \$a == $before_a && \$b == $before_b, 'the very same';
}

done_testing;
