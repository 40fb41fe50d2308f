# What stands in the symbol table when a module is replaced and undone: wrappers, other functions, imported ones, releases that are not known.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use Installed qw(is_installed);
use InsteadRun qw(program run_with);
use Test::More;

my $head = <<'END';
use strict; use warnings; no warnings qw(redefine prototype);
$| = 1;
my $module = shift;
(my $file = "$module.pm") =~ s{::}{/}g;
require $file;
require Kumihimo::Instead;
sub in { my ($name) = @_; no strict 'refs'; return \*{"${module}::$name"} }
sub ours { return join ' ', Kumihimo::Instead->is_ours($module->new), @{ Kumihimo::Instead->installed } }
my ($encode, $decode) = map { $module->can($_) } qw(encode_json decode_json);
END

my %programs = (
    'wrapped after an uninstall' => [<<'END', "1 %s\n<[1]>\n0\n<[1]>\n"],
Kumihimo::Instead->install($module);
Kumihimo::Instead->uninstall($module);
*{ in('encode_json') } = sub { return '<' . $encode->(@_) . '>' };
Kumihimo::Instead->install($module);
print ours(), "\n", $module->can('encode_json')->([1]), "\n";
Kumihimo::Instead->uninstall($module);
print ours(), "\n", $module->can('encode_json')->([1]), "\n";
END
    'wrapped before an uninstall' => [<<'END', "1 %s\n<[1]>\n0\n<[1]>\n[1]\n1\n1 %s\n"],
Kumihimo::Instead->install($module);
*{ in('encode_json') } = sub { return '<' . $encode->(@_) . '>' };
print ours(), "\n", $module->can('encode_json')->([1]), "\n";
Kumihimo::Instead->uninstall($module);
print ours(), "\n", $module->can('encode_json')->([1]), "\n", $encode->([1]), "\n", $decode->('[1]')->[0], "\n";
Kumihimo::Instead->install($module);
print ours(), "\n";
END
    'another compiled function in its place' => [<<'END', "1 %s\n-1\n0\n-1\n1\n[1]\n"],
require List::Util;
Kumihimo::Instead->install($module);
Kumihimo::Instead->uninstall($module);
*{ in('encode_json') } = \&List::Util::minstr;
Kumihimo::Instead->install($module);
print ours(), "\n", List::Util::minstr(-1, 1), "\n";
Kumihimo::Instead->uninstall($module);
print ours(), "\n", List::Util::minstr(-1, 1), "\n", $decode->('[1]')->[0], "\n", $encode->([1]), "\n";
END
    'a compiled function that the module has imported' => [<<'END', "1 %s\n%s\n%s\n0\n%s\n"],
require Scalar::Util;
*{ in('blessed') } = \&Scalar::Util::blessed;
Kumihimo::Instead->install($module);
print ours(), "\n", Scalar::Util::blessed($module->new), "\n", $module->can('blessed')->($module->new), "\n";
Kumihimo::Instead->uninstall($module);
print ours(), "\n", Scalar::Util::blessed($module->new), "\n";
END
    'not compiled: by import' => [<<'END', "Kumihimo::Instead: %s VERSION stays as it is: it has no compiled encode_json of its own\n0\n<[1]>\n%s VERSION stays as it is: it has no compiled encode_json of its own\n"],
*{ in('encode_json') } = sub { return '<' . $encode->(@_) . '>' };
Kumihimo::Instead->import($module);
print ours(), "\n", $module->can('encode_json')->([1]), "\n", Kumihimo::Instead->description, "\n";
END
    'not compiled: by install' => [<<'END', "Kumihimo::Instead: %s VERSION stays as it is: it has no compiled encode_json of its own at PLACE\n0\n1 %s\n"],
*{ in('encode_json') } = sub { return '<' . $encode->(@_) . '>' };
eval { Kumihimo::Instead->install($module); 1 } or print $@;
print ours(), "\n";
*{ in('encode_json') } = $encode;
Kumihimo::Instead->install($module);
print ours(), "\n";
END
);
for my $module (qw(JSON::XS Cpanel::JSON::XS)) {
    subtest $module => sub {
        plan skip_all => "not proven: $module is not installed" unless is_installed($module);
        for my $name (sort keys %programs) {
            my ($text, $wanted) = @{ $programs{$name} };
            my $got = run_with([], program('install', $head . $text), $module);
            $got =~ s/(?<=\Q$module\E )\d[\d.]+/VERSION/g;
            $got =~ s/ at \S+ line \d+\.?$/ at PLACE/mg;
            is $got, $wanted =~ s/%s/$module/gr, $name;
        }
    };
}

subtest 'JSON::XS, loaded a second time' => sub {
    plan skip_all => 'not proven: JSON::XS is not installed' unless is_installed('JSON::XS');
    my ($got, $status) = run_with(['-MKumihimo::Instead'], program('again', <<'END'));
$SIG{__WARN__} = sub { };
require JSON::XS;
my $old = JSON::XS->new->canonical;
delete $INC{'JSON/XS.pm'};
require JSON::XS;
for my $use (sub { $old->encode([1]) }, sub { $old->decode('[1]') }, sub { $old->get_canonical ? 'set' : 'unset' }, sub { $old->pretty->encode('x') }, sub { $old->incr_parse('[2]'); $old->incr_text }) {
    print eval { $use->() } // $@ =~ s/[,(].*//sr, "\n";
}
undef $old;
print JSON::XS->new->encode([3]), "\n";
END
    my $deep = 'json text or perl structure exceeds maximum nesting level ';
    is $got, "$deep\n$deep\nunset\nhash- or arrayref expected \n[2]\n[3]\n", 'objects that were made before have no options for it';
    is $status, 0, 'and do no harm';
};

my %pp = (
    'wrapped, undone and replaced again' => [<<'END', "1 2 [3]\n1 2 [3]\n1 2 [3]\n\n"],
Kumihimo::Instead->install($module);
my ($own_decode, $own_encode) = (\&JSON::PP::PP_decode_json, \&JSON::PP::PP_encode_json);
*JSON::PP::PP_decode_json = sub { goto &$own_decode };
*JSON::PP::PP_encode_json = sub { goto &$own_encode };
for my $deed (qw(installed uninstall install)) {
    Kumihimo::Instead->$deed($module);
    print join(' ', @{ $module->new->decode('[1,2]') }, $module->new->encode([3])), "\n";
}
print $own_decode == \&JSON::PP::PP_decode_json ? 'lost' : '', "\n";
END
    'made otherwise' => [<<'END', "Kumihimo::Instead: JSON::PP VERSION stays as it is: it is not made as the releases that are known\nKumihimo::Instead: JSON::PP VERSION stays as it is: it is not made as the releases that are known at PLACE\n[1]\nJSON::PP VERSION stays as it is: it is not made as the releases that are known\n"],
delete $JSON::PP::{P_LOOSE};
Kumihimo::Instead->import($module);
eval { Kumihimo::Instead->install($module) };
print $@, $module->new->encode([1]), "\n", Kumihimo::Instead->description, "\n";
END
    'writes otherwise' => [<<'END', "Kumihimo 0.100 stands in for JSON::PP VERSION, which encodes with its own code\n[\"A\"]\n"],
{ my $own = \&JSON::PP::string_to_json; no warnings; *JSON::PP::string_to_json = sub { my ($self, $text) = @_; return $own->($self, uc $text) } }
Kumihimo::Instead->install($module);
print Kumihimo::Instead->description, "\n", $module->new->encode(['a']), "\n";
END
);
subtest 'JSON::PP' => sub {
    plan skip_all => 'not proven: JSON::PP 4.07 is not installed' unless is_installed('JSON::PP', '4.07');
    for my $name (sort keys %pp) {
        my ($text, $wanted) = @{ $pp{$name} };
        my $got = run_with([], program('install', $head . $text), 'JSON::PP');
        $got =~ s/(?<=JSON::PP )\d[\d.]+/VERSION/g;
        $got =~ s/ at \S+ line \d+\.?$/ at PLACE/mg;
        is $got, $wanted, $name;
    }
};

done_testing;
