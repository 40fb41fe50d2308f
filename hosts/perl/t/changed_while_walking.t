# Perl code that runs while a structure is encoded may free or change what is being walked. What comes out of a hash are the keys that
# it had when such code first ran, and nothing that was freed is touched (run under valgrind or ASan to see that).
use strict;
use warnings;
use Test::More;
use Kumihimo::JSON;

my $json = Kumihimo::JSON->new->utf8->canonical->convert_blessed;
my $unsorted = Kumihimo::JSON->new->utf8->convert_blessed;

our $act;
{
    package Actor;
    sub new { bless { name => $_[1] }, $_[0] }
    sub TO_JSON { $main::act->(@_); return [ 1, 'x' ] }
}
{
    package TiedActor;
    sub TIESCALAR { bless {}, shift }
    sub FETCH { $main::act->(); 'fetched' }
}

sub hash_with_actor {
    my ($n) = @_;
    my %h = map { (sprintf('k%02d', $_) => [ "v$_" x 3, { a => $_ } ]) } 1 .. $n;
    $h{k03} = Actor->new('three');
    return \%h;
}
sub expected {
    my ($n) = @_;
    my %h = map { (sprintf('k%02d', $_) => [ "v$_" x 3, { a => $_ } ]) } 1 .. $n;
    $h{k03} = [ 1, 'x' ];
    return $json->encode(\%h);
}

my %changes = (
    'emptied' => sub { my ($h) = @_; %$h = () },
    'deleted and grown' => sub { my ($h) = @_; delete @$h{ map { sprintf 'k%02d', $_ } 4 .. 99 }; $h->{"n$_"} = 1 for 1 .. 500 },
    'replaced' => sub { my ($h) = @_; $h->{k03} = 'gone'; $h->{k04} = [ 'other' ] },
);
for my $n (5, 64, 65, 90) {
    for my $change (sort keys %changes) {
        my $h = hash_with_actor($n);
        local $act = sub { $changes{$change}->($h) };
        my $text = $json->encode($h);
        my $wanted = expected($n);
        # Stored into the same scalar, which had not been written yet.
        $wanted =~ s/"v4v4v4",\{"a":"4"\}/"other"/ if $change eq 'replaced';
        is $text, $wanted, "a hash of $n keys, $change";
        next if $change eq 'replaced';
        $h = hash_with_actor($n);
        is_deeply $json->decode($unsorted->encode($h)), $json->decode(expected($n)), "the same unsorted";
    }
    my $h = hash_with_actor($n);
    local $act = sub { undef $h };
    is $json->encode($h), expected($n), "a hash of $n keys whose last reference went";
}

for my $change (
    [ 'emptied', sub { @{ $_[0] } = () }, '[["s",[1,"x"],null],null,null]' ],
    [ 'shortened', sub { $#{ $_[0] } = 0; $#{ $_[1] } = 1 }, '[["s",[1,"x"],null],null,null]' ],
) {
    my ($name, $do, $wanted) = @$change;
    my $inner = [ 's', Actor->new('a'), 'u' ];
    my $outer = [ $inner, 'after', { a => 1 } ];
    local $act = sub { $do->($outer, $inner); @$inner = @$inner[ 0, 1 ] if @$inner };
    like $json->encode($outer), qr/\A\[\["s",\[1,"x"\],null\],null,null\]\z/, "arrays, $name";
}

{
    my $a = [ 'before', undef, 'after' ];
    tie $a->[1], 'TiedActor';
    local $act = sub { $#$a = -1; };
    is $json->encode($a), '["before","fetched",null]', 'an element that empties its array when it is fetched';
}

{
    my $a = [ 1, { a => [ Actor->new('dies') ] } ];
    local $act = sub { die "no\n" };
    is eval { $json->encode($a); 1 }, undef, 'an object that dies';
    is $@, "no\n", 'and its words';
    is $json->encode([ 1, 2 ]), '[1,2]', 'the next document is not disturbed';
}

{
    # Freed with the interpreter, when the caches are gone already.
    my $out = qx{$^X @{[ map { "-I$_" } @INC ]} -MKumihimo::JSON -e 'package D; sub DESTROY { print Kumihimo::JSON::encode_json({b=>1}) } package main; our \$x = bless []; our \$y = bless [], "D"' 2>&1};
    is $out, '{"b":1}', 'encode in the last destruction';
}

done_testing;
