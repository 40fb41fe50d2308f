# Applications of Dancer2, Catalyst, Plack and Mojolicious, and programs that use JSON and JSON::MaybeXS, each as it is and with Kumihimo in the modules' place:
# the same responses, byte for byte, and by Kumihimo.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use Installed qw(is_installed);
use InsteadRun qw(program run_with);
use Test::More;

my $data = <<'END';
use strict; use warnings; $| = 1;
sub data { return { id => 7, price => 1.5, name => "caf\x{e9} \x{263a}", list => [1, 'two', undef, \1, \0], nested => { a => { b => [{}, []] } }, slash => 'a/b' } }
sub responses {
    my ($app) = @_;
    require Plack::Test; require HTTP::Request;
    my $test = Plack::Test->create($app);
    for my $case ([GET => '/get'], [POST => '/echo', '{"a":[1,2.5,"x",null,true],"b":{"c":"\u00e9"}}'], [POST => '/echo', '{"a":'], [GET => '/missing']) {
        my $request = HTTP::Request->new($case->[0], $case->[1], ['Content-Type' => 'application/json'], $case->[2] // '');
        my $response = $test->request($request);
        (my $body = $response->content) =~ s/0x[0-9a-f]+/0x/g;
        print join(' ', @$case[0, 1], $response->code, $response->content_type, length $body, $body), "\n";
    }
}
sub who { my ($json) = @_; print "OURS ", (Kumihimo::Instead->can('is_ours') ? Kumihimo::Instead->is_ours($json) : 0), "\n" }
END

# name, modules that it needs, program
my @applications = (
    [dancer2 => [qw(Dancer2 Plack JSON::MaybeXS)], <<'END'],
package Shop;
use Dancer2;
set serializer => 'JSON';
set engines => { serializer => { JSON => { canonical => 1 } } };
set logger => 'null';
set log => 'error';
get '/get' => sub { return main::data() };
post '/echo' => sub { return { got => request->data } };
package main;
responses(Shop->to_app);
who(JSON::MaybeXS->new);
END
    [catalyst => [qw(Catalyst Plack JSON::MaybeXS)], <<'END'],
package Store::Controller::Root;
BEGIN { $INC{'Store/Controller/Root.pm'} = 1 }
use Moose; BEGIN { extends 'Catalyst::Controller' }
use JSON::MaybeXS ();
__PACKAGE__->config(namespace => '');
sub json { my ($c, $value) = @_; $c->res->content_type('application/json'); $c->res->body(JSON::MaybeXS->new(utf8 => 1, canonical => 1)->encode($value)) }
sub get : Path('/get') { my ($self, $c) = @_; json($c, main::data()) }
sub echo : Path('/echo') { my ($self, $c) = @_; my $got = eval { $c->req->body_data }; json($c, { got => $got, error => $@ ? 'yes' : 'no' }) }
sub default : Path { my ($self, $c) = @_; $c->res->status(404); json($c, { error => 'missing' }) }
__PACKAGE__->meta->make_immutable;
package Store;
BEGIN { $INC{'Store.pm'} = 1 }
use Moose; use Catalyst; extends 'Catalyst';
__PACKAGE__->log(Catalyst::Log->new('fatal'));
__PACKAGE__->setup;
package main;
responses(Store->psgi_app);
who(JSON::MaybeXS->new);
END
    [plack => [qw(Plack JSON::XS)], <<'END'],
use Plack::Request;
use JSON::XS;
responses(sub {
    my $request = Plack::Request->new(shift);
    my $json = JSON::XS->new->utf8->canonical;
    return [200, ['Content-Type' => 'application/json'], [$json->encode(data())]] if $request->path eq '/get';
    return [404, ['Content-Type' => 'text/plain'], ['none']] if $request->path ne '/echo';
    my $got = eval { decode_json($request->content) };
    return [$@ ? 400 : 200, ['Content-Type' => 'application/json'], [$json->encode({ got => $got, error => "$@" })]];
});
who(JSON::XS->new);
END
    [mojolicious => [qw(Mojolicious Cpanel::JSON::XS)], <<'END'],
use Mojolicious::Lite -signatures;
use Test::Mojo;
app->log->level('fatal');
app->mode('production');
get '/get' => sub ($c) { $c->render(json => main::data()) };
post '/echo' => sub ($c) { $c->render(json => { got => $c->req->json, error => Mojo::JSON->can('j')->('[1') // 'no' }) };
my $t = Test::Mojo->new;
for my $tx ($t->ua->get('/get'), map { $t->ua->post('/echo', {}, $_) } '{"a":[1,2.5,"x",null,true]}', '{"a":') {
    print join(' ', $tx->res->code, $tx->res->headers->content_type, $tx->res->body), "\n";
}
who(Cpanel::JSON::XS->new);
END
    [json => [qw(JSON JSON::XS)], <<'END'],
use JSON;
print "$JSON::BackendModule ", JSON->backend, ' ', ref(JSON->new), ' ', JSON->VERSION, "\n";
print JSON->new->utf8->canonical->pretty->encode(data()), to_json([1, "\x{e9}"], { ascii => 1 }), "\n";
print ref $_, ' ', JSON::is_bool($_) ? 1 : 0, "\n" for @{ from_json('[true,false]') }, JSON::true, JSON::null() // 'null';
print eval { decode_json('{"a":') } // $@;
print eval { JSON->new->encode(sub { }) =~ s/0x\w+//r } // $@ =~ s/0x\w+//r;
print join(' ', map { $_ // 'undef' } %{ JSON->new->utf8->property }{qw(utf8 canonical max_depth)}), "\n";
who(JSON->new);
END
);
# The same by each backend that JSON can be told to take.
my @runs = map { my $one = $_; $one->[0] eq 'json' ? map { [@$one, $_] } qw(JSON::XS Cpanel::JSON::XS) : [@$one, undef] } @applications;

for my $run (@runs) {
    my ($name, $modules, $text, $backend) = @$run;
    subtest join(' ', $name, $backend // ()) => sub {
        my @missing = grep { !is_installed($_) } @$modules, $backend // ();
        plan skip_all => "not proven: @missing is not installed" if @missing;
        my $program = program($name, "$data\n$text");
        my $variables = { defined $backend ? (PERL_JSON_BACKEND => $backend) : () };
        my ($stock, $status) = run_with([$variables], $program);
        is $status, 0, 'it runs' or diag $stock;
        cmp_ok scalar(() = $stock =~ /\n/g), '>=', 4, 'with answers';
        like $stock, qr/^OURS 0$/m, 'and without Kumihimo';
        (my $expected = $stock) =~ s/^OURS 0$/OURS 1/m;
        is run_with([$variables, '-MKumihimo::Instead'], $program), $expected, 'with Kumihimo: the same, by Kumihimo';
        is run_with([{ %$variables, PERL5OPT => '-MKumihimo::Instead' }], $program), $expected, 'the same by PERL5OPT';
        is run_with([$variables, '-MJSON::XS', '-MKumihimo::Instead'], $program), $expected, 'loaded afterwards' if $name eq 'plack';
        # The option is what makes the difference, and -M- takes it back.
        is run_with([$variables, '-MKumihimo::Instead', '-M-Kumihimo::Instead'], $program), $stock, 'undone';
    };
}

subtest 'a name that JSON does not take' => sub {
    plan skip_all => 'not proven: JSON is not installed' unless is_installed('JSON');
    my $program = program('refused', 'require JSON; print "taken"');
    like run_with([{ PERL_JSON_BACKEND => 'Kumihimo::JSON' }], $program), qr/'PERL_JSON_BACKEND' is invalid/, 'is refused by JSON itself';
};

subtest 'logging' => sub {
    plan skip_all => 'not proven: JSON::XS is not installed' unless is_installed('JSON::XS');
    my $program = program('logged', 'require JSON::XS; Kumihimo::Instead->uninstall; Kumihimo::Instead->uninstall');
    my $version = do { require JSON::XS; JSON::XS->VERSION };
    require Kumihimo::Instead;
    my $ours = Kumihimo::Instead->VERSION;
    is run_with([{ KUMIHIMO_DEBUG => 1 }, '-MKumihimo::Instead=JSON::XS'], $program), "Kumihimo $ours stands in for JSON::XS $version\nJSON::XS $version answers itself again\n", 'a line each';
    is run_with([{ KUMIHIMO_DEBUG => 0 }, '-MKumihimo::Instead'], $program), '', 'only when it is asked for';
};

subtest 'what it says' => sub {
    plan skip_all => 'not proven: JSON::XS is not installed' unless is_installed('JSON::XS');
    my $program = program('says', <<'END');
use strict; use warnings;
my $class = 'Kumihimo::Instead';
require Kumihimo::Instead;
print $class->description, "\n";
$class->install('JSON::XS');
print "@{ $class->waiting }|@{ $class->installed }\n";
my @hooks = grep { ref } @INC;
require JSON::XS;
print "@{ $class->waiting }|@{ $class->installed }|", scalar(@hooks), scalar(grep { ref } @INC), "\n";
$class->install('JSON::XS')->uninstall('JSON::XS');
print "@{ $class->installed }|\n";
eval { $class->install('JSON::Tiny') }; print $@;
eval { $class->install('No::JSON') }; print $@;
{ no warnings qw(redefine once); *JSON::XS::encode = sub { 'somebody' } }
$class->install('JSON::XS');
print JSON::XS->new->encode([]), "\n";
END
    my @lines = split /\n/, run_with([], $program);
    is $lines[0], 'Kumihimo stands in for no module', 'nothing yet';
    is_deeply [@lines[1 .. 3]], ['JSON::XS|', '|JSON::XS|10', '|'], 'waiting, installed, undone; the hook goes';
    like $lines[4], qr/\AKumihimo::Instead: JSON::Tiny is none of the modules that can be replaced; there are: .* at /, 'a module that is not replaced';
    like $lines[5], qr/\AKumihimo::Instead: No::JSON is none/, 'no module';
    is $lines[6], 'somebody', 'who patches later wins';
};

done_testing;
