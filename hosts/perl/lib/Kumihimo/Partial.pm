package Kumihimo::Partial;
use 5.016;
use strict;
use warnings;
use Carp ();
use Kumihimo ();

our $VERSION = $Kumihimo::VERSION;
our @CARP_NOT = ('Kumihimo');

my %LEVEL = (strict => 0, structural => 1, trusted => 2);
my %OPTION = map { $_ => 1 } qw(level missing raw max_depth keep_order);

sub new {
    my ($class, @arguments) = @_;
    my ($paths, %options) = ref $arguments[0] ? @arguments : (\@arguments);
    my %self;
    if (ref $paths eq 'HASH') {
        my @names = sort keys %$paths;
        @self{qw(names paths)} = (\@names, [@{$paths}{@names}]);
    }
    elsif (ref $paths eq 'ARRAY') { $self{paths} = [@$paths] }
    else { Carp::croak('paths are a list, an array reference, or a hash reference of names and paths') }
    Carp::croak('at least one path is needed') unless @{ $self{paths} };
    for my $path (@{ $self{paths} }) {
        Carp::croak('a path is a string such as "last_price.price" or "/last_price/price", not ' . ($path // 'undef'))
            if !defined $path || ref $path;
    }
    for my $name (sort keys %options) {
        Carp::croak("$name is no option of Kumihimo->partial: " . join ', ', sort keys %OPTION) unless $OPTION{$name};
        $self{$name} = $options{$name};
    }
    my $level = delete $self{level} // 'strict';
    Carp::croak("level is one of strict, structural, trusted, not $level") unless defined $LEVEL{$level};
    my $self = bless \%self, $class;
    eval { $self->_compile($LEVEL{$level}); 1 } or Carp::croak($@ =~ s/ at \S+ line [0-9]+\.\n\z//r);
    return $self;
}

sub paths { return @{ $_[0]{paths} } }
sub names { return @{ $_[0]{names} // [] } }

1;
