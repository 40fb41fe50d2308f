package Kumihimo::Lazy;
use 5.016;
use strict;
use warnings;
use Kumihimo ();

our $VERSION = $Kumihimo::VERSION;
our @CARP_NOT = ('Kumihimo');

# Neither text nor number nor truth is overloaded: a Lazy is a reference like any other there.
use overload '%{}' => \&_hash, '@{}' => \&_array, fallback => 1;

# The document belongs to the thread that read it.
sub CLONE_SKIP { return 1 }

my %OPTION = map { $_ => 1 } qw(max_depth keep_order);

sub new {
    my ($class, $json, %options) = @_;
    require Carp;
    Carp::croak('a JSON text is needed') unless defined $json;
    for my $name (sort CORE::keys %options) {
        Carp::croak("$name is no option of Kumihimo->lazy: " . join ', ', sort CORE::keys %OPTION) unless $OPTION{$name};
    }
    my $self = eval { _open($json, \%options) } or Carp::croak($@ =~ s/ at \S+ line [0-9]+\.\n\z//r);
    return $self;
}

sub TO_JSON { return $_[0]->value }

package    # the other end of what a Lazy is dereferenced to
    Kumihimo::Lazy::Tie;

sub CLONE_SKIP { return 1 }
sub UNTIE { }

1;
