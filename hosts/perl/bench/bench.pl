# Kumihimo against Mojo::JSON, JSON::XS, Cpanel::JSON::XS, Data::MessagePack and CBOR::XS, in Perl.
#
#      perl -Mblib bench/bench.pl [--quick] [NAME...]      only tasks whose name begins with one of the names
#
# Each side of a comparison runs in a process of its own, since replacing Mojo::JSON changes the process it is in. Both first give their
# output, which is compared; then the parent asks them in turn for one sample: so many calls that a sample lasts long enough, by the CPU
# time of the process, with what it costs to free each result. The ratio is the median of the rounds' ratios, in which what disturbs both
# sides of a round cancels.
#
#      ratio<TAB>perl.encode.small<TAB>kumihimo/mojo+cpanel<TAB>value<TAB>samples        above 1: Kumihimo is faster
#
# Hashes have one seed in all processes (PERL_HASH_SEED=0), so that what is not sorted has one order and can be compared byte by byte.
#
# KUMIHIMO_DATA    the folder with twitter.json, citm_catalog.json, canada.json
# KUMIHIMO_FRAMES  the program that makes exchange frames (bench/make_frames.cpp); without it frames of the same shape are made here
# KUMIHIMO_FLOOR   the blib folder that floor/ was built into; without it no floors are shown
use 5.016;
use strict;
use warnings;
use FindBin;

BEGIN {
    # The perl that runs this has begun with a seed of its own.
    if (($ENV{PERL_HASH_SEED} // '') ne '0' || ($ENV{PERL_PERTURB_KEYS} // '') ne '0') {
        @ENV{qw(PERL_HASH_SEED PERL_PERTURB_KEYS)} = (0, 0);
        exec $^X, (map { "-I$_" } @INC), $0, @ARGV or die "$^X: $!\n";
    }
}

require "$FindBin::Bin/corpora.pl";
require "$FindBin::Bin/side.pl";
require "$FindBin::Bin/http.pl";

my ($quick, @names);
for my $word (@ARGV) {
    if ($word eq '--quick') { $quick = 1 }
    elsif ($word =~ /\A-/) { die "usage: bench.pl [--quick] [NAME...]\n" }
    else { push @names, $word }
}
my ($samples, $seconds) = $quick ? (7, 0.04) : (21, 0.15);
my @ratios;

# ---- the ways ------------------------------------------------------------------------------------------------------------------------

# Libraries that are loaded; setup that runs once; a call, with $v. A call is source, so that the loop around it has nothing in it but the call.
sub way { my (%way) = @_; return \%way }

sub mojo {
    my ($function, %more) = @_;
    return way(libraries => ['Mojo::JSON'], setup => "Mojo::JSON->import('$function')", call => "$function(\$v)",
        version => '"Mojolicious " . do { require Mojolicious; Mojolicious->VERSION }', writes => $function =~ /\Ae/ ? 'json' : undef, %more);
}
sub mojo_cpanel { my ($function) = @_; return mojo($function, env => { MOJO_NO_JSON_XS => 0 }) }
sub mojo_pure { my ($function) = @_; return mojo($function, env => { MOJO_NO_JSON_XS => 1 }) }
# The way of applications: Mojo is there, its functions are imported, and then they are replaced.
sub ours_mojo {
    my ($function, $profile) = @_;
    $profile //= 'cpanel';
    return mojo($function, env => { MOJO_NO_JSON_XS => $profile eq 'pure' ? 1 : 0 }, libraries => [qw(Mojo::JSON Kumihimo::Mojo)],
        setup => "Mojo::JSON->import('$function'); Kumihimo::Mojo->install(profile => '$profile')");
}

sub object {
    my ($class, $method, $new) = @_;
    return way(libraries => [$class], setup => "my \$json = $class->$new", call => "\$json->$method(\$v)", version => "'$class ' . $class->VERSION",
        writes => $method eq 'encode' ? 'json' : undef);
}
sub fresh {
    my ($class, $method, $new) = @_;
    return way(%{ object($class, $method, $new) }, setup => '', call => "$class->$new->$method(\$v)");
}

sub packer {
    my ($class, $method) = @_;
    return way(%{ object($class, $method, 'new->utf8') }, writes => $method eq 'pack' ? 'msgpack' : undef);
}

sub ours_cbor { my ($call, %more) = @_; return way(libraries => ['Kumihimo'], call => $call, version => '"kumihimo " . Kumihimo->VERSION', %more) }
# Strings as text whatever perl keeps them in, as ours are.
sub cbor_xs {
    my ($method, %more) = @_;
    return way(libraries => ['CBOR::XS'], setup => 'my $cbor = CBOR::XS->new->text_strings', call => "\$cbor->$method(\$v)",
        version => '"CBOR::XS " . CBOR::XS->VERSION', %more);
}

# ---- the tasks -----------------------------------------------------------------------------------------------------------------------

my ($at, @tasks);
# task NAME => corpus, how its value is made, our way, rivals as pairs
sub task { my ($name, $corpus, $make, $ours, @rivals) = @_; push @tasks, { name => $name, corpus => $corpus, make => $make, ours => $ours, rivals => \@rivals }; return }

sub tasks {
    for my $corpus (qw(small twitter citm canada)) {
        task("perl.encode.$corpus", $corpus, sub { Bench::Corpora::value($at, $corpus) }, ours_mojo('encode_json'), 'mojo+cpanel' => mojo_cpanel('encode_json'));
        task('perl.encode.small', $corpus, sub { Bench::Corpora::value($at, $corpus) }, ours_mojo('encode_json', 'pure'), 'mojo pure' => mojo_pure('encode_json'))
            if $corpus eq 'small';
    }
    task('perl.encode.twitter_unsorted', 'twitter', sub { Bench::Corpora::value($at, 'twitter') },
        object('Kumihimo::JSON', 'encode', 'new->utf8'), 'JSON::XS' => object('JSON::XS', 'encode', 'new->utf8'));
    for my $corpus (qw(small twitter citm canada)) {
        my $text = sub { Bench::Corpora::text($at, $corpus) };
        task("perl.decode.$corpus", $corpus, $text, ours_mojo('decode_json'), 'mojo+cpanel' => mojo_cpanel('decode_json'));
        task("perl.decode.$corpus", $corpus, $text, object('Kumihimo::JSON', 'decode', 'new->utf8'), 'JSON::XS' => object('JSON::XS', 'decode', 'new->utf8'));
    }
    task('perl.partial.two_fields', 'frames', sub { Bench::Corpora::frames_of($at) },
        way(libraries => ['Kumihimo'], setup => "my \$partial = Kumihimo->partial('last_price.price', 'timestamp')", call => '[map { $partial->decode($_) } @$v]',
            version => '"kumihimo " . Kumihimo->VERSION'),
        'JSON::XS' => way(libraries => ['JSON::XS'], setup => 'my $json = JSON::XS->new->utf8', call => '[map { my $d = $json->decode($_); [$d->{last_price}{price}, $d->{timestamp}] } @$v]',
            version => '"JSON::XS " . JSON::XS->VERSION'));
    task('perl.msgpack.pack.twitter', 'twitter', sub { Bench::Corpora::value_of_msgpack($at) },
        packer('Kumihimo::MessagePack', 'pack'), 'Data::MessagePack' => packer('Data::MessagePack', 'pack'));
    task('perl.msgpack.unpack.twitter', 'twitter', sub { Bench::Corpora::slurp("$at/twitter.msgpack") },
        packer('Kumihimo::MessagePack', 'unpack'), 'Data::MessagePack' => packer('Data::MessagePack', 'unpack'));
    task('perl.cbor.dump.twitter', 'twitter', sub { Bench::Corpora::value($at, 'twitter') }, ours_cbor('Kumihimo::dump($v, "cbor")', writes => 'cbor'),
        'CBOR::XS' => cbor_xs('encode', writes => 'cbor'));
    task('perl.cbor.load.twitter', 'twitter', sub { Bench::Corpora::slurp("$at/twitter.cbor") }, ours_cbor('Kumihimo::load($v, "cbor")'),
        'CBOR::XS' => cbor_xs('decode'));
    return;
}

sub wanted {
    my ($name, $corpus) = @_;
    return 0 if @names && !grep { index($name, $_) == 0 } @names;
    my $missing = Bench::Corpora::missing($corpus) // return 1;
    say "not measured: $name ($missing)";
    return 0;
}

sub median { my @sorted = sort { $a <=> $b } @_; return $sorted[@sorted / 2] }

# Of each way the median of its samples, which the ways give in turn. The first is ours.
sub measured {
    my ($name, $make, @ways) = @_;
    my @sides = map { Bench::Side->new($_, $make) } @ways;
    my @times;
    my $note = '';
    my $done = eval {
        my $ours = $sides[0]->output;
        for my $side (@sides[1 .. $#sides]) {
            my $theirs = $side->output;
            next if $ours eq $theirs;
            my @difference = Bench::Corpora::difference($sides[0]->meaning, $side->meaning);
            die "$name: the outputs differ, nothing is timed\n  ours:   $difference[0]\n  theirs: $difference[1]\n" if @difference;
            $note = ', the outputs differ in their bytes and mean the same';
        }
        $_->calibrate($seconds) for @sides;
        for (1 .. $samples) {
            push @{ $times[$_] }, $sides[$_]->sample for 0 .. $#sides;
        }
        1;
    };
    my $failed = $@;
    my @versions = $done ? map { $_->version } @sides : ();
    my @faults = $done ? map { $_->faults } @sides : ();
    $_->close_down for @sides;
    die $failed unless $done;
    return { rounds => \@times, times => [map { median(@$_) } @times], versions => \@versions, faults => \@faults, note => $note };
}

# One line of the table, from our rounds and theirs. What has no name of a rival is shown and not kept.
sub show {
    my ($name, $rival, $ours, $theirs, $said) = @_;
    my $ratio = median(map { $theirs->[$_] / $ours->[$_] } 0 .. $#$ours);
    printf "%-30s %-18s %10.2f us %12.2f us %7.2f  %s\n", $name, $rival // '', median(@$ours) * 1e6, median(@$theirs) * 1e6, $ratio, $said;
    push @ratios, sprintf "ratio\t%s\tkumihimo/%s\t%.3f\t%d", $name, $rival, $ratio, scalar @$ours if defined $rival;
    return;
}

sub compare {
    my ($task) = @_;
    my ($rival, $way) = @{ $task->{rivals} };
    my $found = measured($task->{name}, $task->{make}, $task->{ours}, $way);
    my $faults = sprintf 'faults per call %s / %s', @{ $found->{faults} };
    show($task->{name}, $rival, @{ $found->{rounds} }, "$faults   $found->{versions}[1]$found->{note}");
    return;
}

# What is left above these is headroom; no ratios, since nobody can choose a floor.
sub floors {
    return unless length($ENV{KUMIHIMO_FLOOR} // '');
    say "\nfloors (floor/floor.c): the walk alone, by hv_iternext and by the buckets; making the values again and freeing them";
    for my $corpus (qw(small twitter citm canada)) {
        next unless wanted("perl.floor.$corpus", $corpus);
        my @times = map {
            my $way = way(setup => 'BEGIN { require XSLoader; unshift @INC, map { "$ENV{KUMIHIMO_FLOOR}/$_" } qw(lib arch) } XSLoader::load("Bench::Floor", 1)',
                call => "Bench::Floor::$_(\$v)", version => '1');
            measured("perl.floor.$corpus", sub { Bench::Corpora::value($at, $corpus) }, $way)->{times}[0] * 1e6
        } qw(iterate buckets rebuild);
        printf "%-30s hv_iternext %10.2f us   buckets %10.2f us   build and free %10.2f us\n", "perl.floor.$corpus", @times;
    }
    return;
}

# The small structure, encodes per second.
sub small_table {
    return unless wanted('perl.structure', 'small');
    my @rows = (
        ['Mojo::JSON (pure Perl)', undef, mojo_pure('encode_json')],
        ['Mojo::JSON (Cpanel::JSON::XS)', undef, mojo_cpanel('encode_json')],
        (map { [$_, fresh($_, 'encode', 'new->utf8'), object($_, 'encode', 'new->utf8')] } qw(JSON JSON::XS Cpanel::JSON::XS)),
        ['Mojo::JSON (Kumihimo)', undef, ours_mojo('encode_json')],
        ['Kumihimo::JSON', fresh('Kumihimo::JSON', 'encode', 'new->utf8'), object('Kumihimo::JSON', 'encode', 'new->utf8')],
    );
    my @ways = reverse map { grep { defined } @$_[1, 2] } @rows;
    my $found = measured('perl.structure', sub { Bench::Corpora::value($at, 'small') }, @ways);
    my @rates = map { 1 / $_ } reverse @{ $found->{times} };
    say "\nthe small structure, encodes per second (Mojo::JSON is functions today: there is no object)";
    printf "%-32s %12s %12s\n", '', 'new object', 'reused';
    for my $row (@rows) {
        my @shown = map { defined ? sprintf '%.0f', shift @rates : '-' } @$row[1, 2];
        printf "%-32s %12s %12s\n", $row->[0], @shown;
    }
    return;
}

sub http {
    return unless wanted('perl.http.large', 'twitter');
    if (my $missing = Bench::HTTP->missing) {
        say "not measured: perl.http ($missing)";
        return;
    }
    my ($rounds, $each) = $quick ? (3, 1) : (5, 3);
    say "\nMojolicious::Lite over HTTP, the server's CPU time per request, median of $rounds rounds of $each s";
    my @servers;
    my $done = eval {
        push @servers, Bench::HTTP->start($at, { BENCH_KUMIHIMO => $_, MOJO_NO_JSON_XS => 0 }) for 1, 0;
        for my $route (qw(large small floor)) {
            my @bodies = map { $_->body($route) } @servers;
            $bodies[0] eq $bodies[1] or die "perl.http.$route: the outputs differ, nothing is timed\n";
            my @times;
            for (0 .. $rounds) {
                my @round = map { $_->sample($route, $each) } @servers;
                next if $_ == 0;    # warm
                push @{ $times[$_] }, $round[$_] for 0, 1;
            }
            show("perl.http.$route", $route eq 'floor' ? undef : 'mojo+cpanel', @times,
                { large => 'twitter', small => 'the small structure', floor => 'twitter, encoded beforehand' }->{$route});
        }
        1;
    };
    my $failed = $@;
    $_->stop for @servers;
    die $failed unless $done;
    return;
}

# In a process that ends: the libraries that make the texts are not to be in the sides.
sub make_corpora {
    require File::Temp;
    $at = File::Temp::tempdir('kumihimo-bench-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        my $made = eval { Bench::Corpora::make($at); 1 };
        print STDERR $@ unless $made;
        require POSIX;
        POSIX::_exit($made ? 0 : 1);
    }
    waitpid $pid, 0;
    die "the texts could not be made\n" if $?;
    return;
}

local $| = 1;
printf "perl %vd, CPU time, median of %d samples\n", $^V, $samples;
make_corpora();
tasks();
compare($_) for grep { wanted($_->{name}, $_->{corpus}) } @tasks;
http();
small_table();
floors();
say for @ratios;
