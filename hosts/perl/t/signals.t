# perl defers signals: a handler runs between two operations of Perl, so one that comes in the middle of a document waits until it is done, or until code
# that is called on the way runs (TO_JSON, a filter). A handler that dies there leaves nothing behind.
use strict;
use warnings;
use Test::More;
use Kumihimo::JSON ();
use Kumihimo::JSON::Cpanel ();
use Kumihimo::MessagePack ();

plan skip_all => 'signals as POSIX has them' if $^O eq 'MSWin32';

{
    package Signals::Sends;
    sub new { return bless {}, $_[0] }
    sub TO_JSON { kill 'USR1', $$; my $n = 0; $n += $_ for 1 .. 10; return $n }
}

my $data = [map { { id => $_, name => "name $_", list => [1, 2.5, undef] } } 1 .. 100];
for my $class (qw(Kumihimo::JSON Kumihimo::JSON::Cpanel)) {
    my $json = $class->new->utf8->canonical->convert_blessed;
    my $wanted = $json->encode($data);
    my $handled = 0;
    {
        local $SIG{USR1} = sub { ++$handled };
        like $json->encode([$data, Signals::Sends->new, 'end']), qr/,55,"end"\]\z/, "$class: a handler that returns changes nothing";
        is $handled, 1, 'and has run';
    }
    {
        local $SIG{USR1} = sub { die "interrupted\n" };
        ok !eval { $json->encode([$data, Signals::Sends->new, $data]); 1 }, "$class: a handler that dies ends encode";
        is $@, "interrupted\n", 'with its words';
        my $filter = $class->new->utf8->filter_json_object(sub { kill 'USR1', $$; my $n = 0; $n += $_ for 1 .. 10; return });
        ok !eval { $filter->decode($wanted); 1 }, 'and decode, where a filter is called';
        is $@, "interrupted\n", 'with its words';
    }
    is $json->encode($data), $wanted, 'what follows is not disturbed';
}

# By the clock, in documents that call nothing: whenever it comes, the answer is whole, and the handler has had its turn.
SKIP: {
    skip 'Time::HiRes has no ualarm here', 2 unless eval { require Time::HiRes; Time::HiRes::ualarm(0); 1 };
    my $json = Kumihimo::JSON->new->utf8->canonical;
    my $large = [($data) x 50];
    my $wanted = $json->encode($large);
    my $handled = 0;
    local $SIG{ALRM} = sub { ++$handled; Time::HiRes::ualarm(300) };
    Time::HiRes::ualarm(300);
    my $different = 0;
    for (1 .. 2000) {
        $different++ if $json->encode($json->decode($wanted)) ne $wanted;
        last if $handled >= 20;
    }
    local $SIG{ALRM} = 'IGNORE';
    Time::HiRes::ualarm(0);
    is $different, 0, 'nothing is lost to a signal';
    cmp_ok $handled, '>=', 20, 'whose handler ran';
}

done_testing;
