# Interpreter threads that are started later have Kumihimo in the modules' place too, objects of both kinds included.
use 5.016;
use strict;
use warnings;
use lib 't/lib';

use Config;
use Installed qw(is_installed);
use InsteadRun qw(program run_with);
use Test::More;

plan skip_all => 'not proven: this perl has no threads' unless $Config{useithreads};
for my $module ('JSON::XS', 'Cpanel::JSON::XS') {
    subtest $module => sub {
        plan skip_all => "not proven: $module is not installed" unless is_installed($module);
        my $program = program('threads', <<'END');
use strict; use warnings;
use threads;
my $module = shift;
require Kumihimo::Instead;
eval "require $module" or die $@;
Kumihimo::Instead->install($module);
my $ours = $module->new->canonical;
my $work = sub {
    my $new = $module->new->canonical->pretty;
    my @texts = map { $_->encode({ a => 1, b => $_->decode('[true]') }) } $ours, $new;
    push @texts, Kumihimo::Instead->is_ours($new);
    Kumihimo::Instead->uninstall;
    push @texts, Kumihimo::Instead->is_ours($module->new), $module->new->encode([]), $ours->encode([]);
    return join '', @texts;
};
my $in_thread = threads->create($work)->join;
print $in_thread, $module->can('new')->($module)->encode(['still']), Kumihimo::Instead->is_ours($module->new), "\n";
print $work->() eq $in_thread ? 'same' : 'other', "\n";
END
        my ($text, $status) = run_with([], $program, $module);
        is $status, 0, 'it ends well';
        is $text, qq({"a":1,"b":[true]}{\n   "a" : 1,\n   "b" : [\n      true\n   ]\n}\n10[][]["still"]1\nsame\n), 'the same in a thread, whose uninstall is its own';
    };
}

done_testing;
