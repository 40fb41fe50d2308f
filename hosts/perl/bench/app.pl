# The application that perl.http measures: one small and one large answer of JSON, and the large one encoded beforehand, which is the floor.
# BENCH_CORPORA: the folder of corpora.pl's texts; BENCH_KUMIHIMO=1: with the plugin.
use Mojolicious::Lite;
use FindBin;
require "$FindBin::Bin/corpora.pl";

plugin Kumihimo => { profile => 'cpanel' } if $ENV{BENCH_KUMIHIMO};

my %value = map { $_ => Bench::Corpora::value($ENV{BENCH_CORPORA}, $_) } qw(small twitter);
my $bytes = Mojo::JSON::encode_json($value{twitter});

get '/small' => sub { $_[0]->render(json => $value{small}) };
get '/large' => sub { $_[0]->render(json => $value{twitter}) };
get '/floor' => sub { $_[0]->render(data => $bytes, format => 'json') };

app->log->level('fatal');
app->start;
