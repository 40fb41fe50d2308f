# Loaded before anything else, by -M or PERL5OPT: nothing happens until Mojolicious comes, and then everything has.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use File::Path qw(make_path);
use File::Temp qw(tempdir);
use MojoPair qw(need_mojolicious run_perl);
use Test::More;

BEGIN { need_mojolicious() }

my $report = q{print Kumihimo::Mojo->installed ? "installed" : "not installed", " ", scalar(grep { ref eq 'CODE' && $_ == \&Kumihimo::OnRequire::_on_require } @INC), " hooks\n";};

sub write_file {
    my ($path, $text) = @_;
    make_path($path =~ s{/[^/]*\z}{}r);
    open my $out, '>', $path or die "$path: $!";
    print {$out} $text;
    close $out or die "$path: $!";
    return;
}
sub text_of { my ($path) = @_; open my $in, '<', $path or die "$path: $!"; local $/; return readline $in }
my $mojo_json = text_of($INC{'Mojo/JSON.pm'});

my $said = run_perl(q{print join(' ', grep { /Mojo|Kumihimo|Carp|Exporter|XSLoader|JSON/ } sort keys %INC), "\n";}, '-MKumihimo::Mojo');
is $said, "Kumihimo/Mojo.pm Kumihimo/OnRequire.pm\n", 'a program without Mojolicious loads the hook alone';

$said = run_perl(qq{$report require Mojo::JSON; $report print \$INC{'Mojo/JSON.pm'}, "\\n", Mojo::JSON::encode_json([1]);}, '-MKumihimo::Mojo');
is $said, "not installed 1 hooks\ninstalled 0 hooks\n$INC{'Mojo/JSON.pm'}\n[1]", 'it waits for Mojo::JSON, at run time too';

$said = run_perl(qq{use Mojolicious::Lite; use Mojo::JSON 'j'; $report print j(["\\x1f"])}, '-MKumihimo::Mojo=profile,pure');
is $said, qq(installed 0 hooks\n["\\u001F"]), 'options';

for my $scope (qw(all renderer)) {
    local $ENV{PERL5OPT} = "-MKumihimo::Mojo=scope,$scope,profile,pure";
    $said = run_perl(qq{
        use Mojolicious::Lite;
        use Mojo::JSON 'encode_json';
        $report
        app->log->level('fatal');
        get '/' => sub { shift->render(json => "\\x1f") };
        my \$tx = app->ua->get('/');
        print \$tx->res->body, " ", encode_json("\\x1f"), " ", Kumihimo::Mojo->installed->{scope}, "\\n";
        print qx("$^X" -e 'print Kumihimo::Mojo->installed ? 1 : 0');
    });
    my $plain = $scope eq 'all' || !Mojo::JSON->JSON_XS ? '"\u001F"' : '"\u001f"';
    is $said, qq(installed 0 hooks\n"\\u001F" $plain $scope\n0), "PERL5OPT, scope $scope: also for child processes";
}

# Who waits for other modules shares the hook.
$said = run_perl(qq{require Mojo::JSON; $report print join ' ', \@{ Kumihimo::Instead->waiting }, "\n"; Kumihimo::Instead->uninstall; $report}, '-MKumihimo::Mojo', '-MKumihimo::Instead=JSON::MaybeXS');
is $said, "installed 1 hooks\nJSON::MaybeXS \ninstalled 0 hooks\n", 'one hook for all';

subtest 'the Mojolicious of `use lib`' => sub {
    my $at = tempdir(CLEANUP => 1);
    write_file("$at/Mojo/JSON.pm", $mojo_json =~ s/^package Mojo::JSON;/package Mojo::JSON; our \$OTHER = 1;/r);
    my $said = run_perl(qq{use lib '$at'; use POSIX (); use Mojo::JSON 'encode_json'; $report print "\$Mojo::JSON::OTHER \$INC{'Mojo/JSON.pm'} ", encode_json(1);}, '-MKumihimo::Mojo');
    is $said, "installed 0 hooks\n1 $at/Mojo/JSON.pm 1", 'is the one that is replaced';
    $said = run_perl(qq{use lib '$at'; use Mojo::JSON 'encode_json'; $report print "\$Mojo::JSON::OTHER ", encode_json(1);}, '-MKumihimo::Mojo');
    is $said, "installed 0 hooks\n1 1", 'even when the hook was not asked';
    $said = run_perl(qq{BEGIN { \@INC = grep { !ref } \@INC } use Mojo::JSON 'encode_json'; $report print encode_json(1);}, '-MKumihimo::Mojo');
    is $said, "installed 0 hooks\n1", 'nor in an @INC without it';
};

subtest 'a Mojolicious that does not load' => sub {
    my $at = tempdir(CLEANUP => 1);
    write_file("$at/Mojo/JSON.pm", "package Mojo::JSON;\nuse strict;\n\$nowhere = 1;\n1;\n");
    my $code = qq{use lib '$at'; use POSIX (); print eval { require Mojo::JSON; 1 } ? 'loaded' : "\$@"; print eval { require Mojo::JSON; 1 } ? 'loaded' : "\$@";};
    is run_perl($code, '-MKumihimo::Mojo'), run_perl($code), 'is perl\'s own error, as without us';
    like run_perl($code, '-MKumihimo::Mojo'), qr/Global symbol "\$nowhere".* at \Q$at\E.Mojo.JSON\.pm line 3/, 'with its place';
    $code = q{BEGIN { @INC = grep { ref } @INC } print eval { require Mojo::JSON; 1 } ? 'loaded' : $@;};
    like run_perl($code, '-MKumihimo::Mojo'), qr{\ACan't locate Mojo/JSON\.pm in \@INC.* at program line 1}, 'nor is one that is not there';
};

subtest 'a Mojo::JSON that is not what it was' => sub {
    my $at = tempdir(CLEANUP => 1);
    write_file("$at/Mojo/JSON.pm", $mojo_json =~ s/^sub j \{/sub jot {/mr =~ s/\bj to_json/to_json/r);
    my $said = run_perl(qq{use lib '$at'; use POSIX (); use Mojo::JSON 'encode_json'; $report print encode_json([1]);}, '-MKumihimo::Mojo');
    like $said, qr/this Mojo::JSON has no j: nothing is replaced/, 'there is a warning';
    like $said, qr/^not installed 0 hooks\n\[1\]\z/m, 'and the program runs';
};

subtest 'use' => sub {
    is run_perl(qq{use Mojo::JSON; use Kumihimo::Mojo; $report}), "installed 0 hooks\n", 'after Mojo::JSON: at once';
    is run_perl(qq{use Mojo::JSON; use Kumihimo::Mojo (); $report}), "not installed 0 hooks\n", 'without import: nothing';
    is run_perl(qq{use Kumihimo::Mojo messages => 'clear'; use Kumihimo::Mojo profile => 'pure'; use Mojo::JSON; print join ' ', map { \$_ // 'undef' } \@{Kumihimo::Mojo->installed}{qw(profile messages)}}), 'pure clear', 'twice: both count';
    is run_perl(qq{use Kumihimo::Mojo; Kumihimo::Mojo->uninstall; require Mojo::JSON; $report}), "not installed 0 hooks\n", 'and taken back before it came';
    is run_perl(qq{use Kumihimo::Mojo; Kumihimo::Mojo->install; $report}), "installed 0 hooks\n", 'install does not wait';
    is run_perl(qq{require Kumihimo::Mojo; Kumihimo::Mojo->import; require Mojo::JSON; $report}), "installed 0 hooks\n", 'at run time, without a word of being late';
    like run_perl(q{print 'not reached'}, '-MKumihimo::Mojo=profile,loud'), qr/profile is one of cpanel pure, not loud/, 'a wrong option is said at once';
};

done_testing;
