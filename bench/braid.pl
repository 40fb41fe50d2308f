# The Perl host's hop of `./dev demo braid`: `braid.pl SOURCE TARGET`, json or msgpack each, from standard input to standard output through
# Perl values. Hashes keep their order, and whole floats their point.
use 5.016;
use strict;
use warnings;
use Kumihimo::JSON::Cpanel;
use Kumihimo::MessagePack;

my $json = Kumihimo::JSON::Cpanel->new->utf8->keep_order;
my $msgpack = Kumihimo::MessagePack->new->utf8->keep_order;
my %read = (json => sub { $json->decode($_[0]) }, msgpack => sub { $msgpack->unpack($_[0]) });
my %write = (json => sub { $json->encode($_[0]) }, msgpack => sub { $msgpack->pack($_[0]) });

my ($source, $target) = @ARGV;
binmode $_ for *STDIN, *STDOUT;
local $/;
print $write{$target}->($read{$source}->(scalar <STDIN>));
