# Perl's threads are copies of the interpreter: objects made before a thread starts work in it, on both sides, and die with their own.
use strict;
use warnings;
use utf8;
use Config;
use Test::More;

BEGIN {
    plan skip_all => 'this perl has no threads' unless $Config{useithreads};
    require threads;
    threads->import;
}
use Kumihimo;
use Kumihimo::JSON;
use Kumihimo::JSON::Cpanel ();
use Kumihimo::MessagePack;
use Kumihimo::Stream;

my $THREADS = 4;
my $ROUNDS = 50;

# Runs the code in a few threads and, meanwhile, here; what it gives is a text, and the same everywhere.
sub everywhere {
    my ($name, $code) = @_;
    my $before = $code->();
    my @threads = map { threads->create({ context => 'scalar' }, sub { join '|', map { $code->() } 1 .. $ROUNDS }) } 1 .. $THREADS;
    my $here = join '|', map { $code->() } 1 .. $ROUNDS;
    my @there = map { $_->join } @threads;
    my $wanted = join '|', ($before) x $ROUNDS;
    ok length $before, "$name gives something";
    is $here, $wanted, "$name here";
    is_deeply \@there, [($wanted) x $THREADS], "$name in threads";
    is $code->(), $before, "$name after they are gone";
}

my $data = { list => [1, -2.5, '3', undef, \1, \0], name => '組紐', nested => { b => [], a => {} } };

my $plain = Kumihimo::JSON->new->utf8->canonical;
everywhere 'encode', sub { $plain->encode($data) };
everywhere 'decode', sub { $plain->encode($plain->decode('{"b":[true,false,null,1.5,"\u00e9"],"a":"x"}')) };
everywhere 'a function', sub { length encode_json($data) };
everywhere 'an error', sub { eval { $plain->decode("[1,\n x]"); 1 } ? '' : $@ };

my $with_code = Kumihimo::JSON->new->canonical->convert_blessed
    ->filter_json_object(sub { my ($object) = @_; return exists $object->{hidden} ? 'filtered' : () })
    ->filter_json_single_key_object(__n__ => sub { $_[0] * 2 })->boolean_values('no', 'yes');
{
    package Threads::Object;
    sub new { my ($class, @values) = @_; return bless [@values], $class }
    sub TO_JSON { my ($self) = @_; return { is => [@$self] } }
}
my $object = Threads::Object->new(1, 'two');
everywhere 'callbacks', sub { $with_code->encode([$object, $with_code->decode('[{"hidden":1},{"__n__":21},true,false,{"x":[{"__n__":1}]}]')]) };

my $cpanel = Kumihimo::JSON::Cpanel->new->utf8->sort_by(sub { $Kumihimo::JSON::Cpanel::b cmp $Kumihimo::JSON::Cpanel::a })->allow_nonref;
everywhere 'sort_by', sub { $cpanel->encode({ a => 1, b => 2, c => 3 }) };

# Half of a document has been read when the thread starts: each side reads on for itself.
{
    my $half = Kumihimo::JSON->new->canonical;
    $half->incr_parse('[1,{"a":"b');
    my $there = threads->create({ context => 'scalar' }, sub { $half->canonical->encode(scalar $half->incr_parse('_in_the_thread"}]')) })->join;
    is $there, '[1,{"a":"b_in_the_thread"}]', 'half a document, ended in a thread';
    is $half->encode(scalar $half->incr_parse('_here"}]')), '[1,{"a":"b_here"}]', 'and ended here';
}

# Keys in the order of the input are in an object of their own, which is copied too.
my $ordered = Kumihimo::JSON->new->keep_order;
my $kept = $ordered->decode('{"z":1,"a":{"y":2,"b":3},"m":[{"q":1,"p":2}]}');
everywhere 'keep_order', sub { $ordered->encode($kept) };
{
    my $made = threads->create({ context => 'scalar' }, sub { $ordered->decode('{"z":1,"a":{"y":2,"b":3}}') })->join;
    is $ordered->encode($made), '{"z":1,"a":{"y":2,"b":3}}', 'an ordered hash made in a thread and handed over';
}

my $packer = Kumihimo::MessagePack->new->canonical;
everywhere 'MessagePack', sub { unpack 'H*', $packer->pack($packer->unpack($packer->pack([1, 'b', undef, 2.5, { a => 1, c => 2 }]))) };

my $partial = Kumihimo->partial('a.b', 'list[*].x');
everywhere 'partial', sub { Kumihimo::JSON->new->canonical->allow_nonref->encode([$partial->decode('{"a":{"b":7,"c":8},"list":[{"x":1},{"y":2},{"x":3}]}')]) };

my $lazy = Kumihimo->lazy('{"a":{"b":[10,20,30]},"name":"\u7d44\u7d10"}');
my ($part, $shown, $list) = ($lazy->{a}, \%$lazy, \@{ $lazy->{a}{b} });
open my $lines, '<', \"[1]\n[2]\n" or die $!;
my $stream = Kumihimo::Stream->new($lines);
$stream->next;
my %touched = (
    'a key' => sub { $lazy->{a} }, 'keys' => sub { keys %$lazy }, 'a part' => sub { $part->{b} }, 'its hash' => sub { $shown->{a} }, 'its array' => sub { $list->[0] }, 'its length' => sub { scalar @$list },
    'raw' => sub { $lazy->raw }, 'at' => sub { $lazy->at('/a') }, 'value' => sub { $lazy->value }, 'TO_JSON' => sub { Kumihimo::JSON->new->convert_blessed->encode([$lazy]) },
    'a stream' => sub { $stream->next },
);
for my $what (sort keys %touched) {
    my $there = threads->create({ context => 'scalar' }, sub { eval { $touched{$what}->(); 1 } ? 'nothing' : $@ })->join;
    like $there, qr/^this Kumihimo::(?:Lazy|Stream) belongs to another thread: make one in each at /, "what another thread has read: $what";
}
is_deeply $stream->next, [2], 'the stream goes on';
SKIP: {
    my $child = open(my $out, '-|') // skip 'no fork here', 1;
    if (!$child) { print $lazy->{a}{b}[1], $part->{b}[2]; close STDOUT; require POSIX; POSIX::_exit(0) }
    is join('', <$out>), '2030', 'a forked process has a document of its own';
}
is join(',', $lazy->{a}{b}[1], length $lazy->{name}), '20,2', 'and goes on there';
everywhere 'lazy', sub { my $doc = Kumihimo->lazy('{"a":{"b":[10,20,30]}}'); $doc->{a}{b}[2] };

# What is made in a thread dies there, and what the thread got dies with it.
{
    my @threads = map { my $n = $_; threads->create(sub { my $json = Kumihimo::JSON->new->canonical; $json->decode($json->encode([$n, $data])) for 1 .. $ROUNDS; return }) } 1 .. $THREADS;
    $_->join for @threads;
    ok !defined $_->error, 'a thread ended well' for @threads;
}
# A thread of a thread.
my $deep = threads->create({ context => 'scalar' }, sub { my $inner = threads->create({ context => 'scalar' }, sub { $with_code->encode([$object]) }); $inner->join })->join;
is $deep, '[{"is":[1,"two"]}]', 'two threads deep';

# An error that leaves the thread's own code.
{
    local $SIG{__WARN__} = sub { };
    my $thread = threads->create(sub { $plain->decode('[') });
    $thread->join;
    like $thread->error, qr/\S/, 'a thread that died of an error';
    is $plain->encode([1]), '[1]', 'and nobody else did';
}

done_testing;
