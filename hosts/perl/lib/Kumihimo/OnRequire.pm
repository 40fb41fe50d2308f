package Kumihimo::OnRequire;

use 5.016;
use strict;
use warnings;

# Nothing is loaded here: with PERL5OPT, this file is compiled in every perl that starts.

our $VERSION = '0.100';

my %waiting;    # name => [whether it waits for a file, what it does when that is loaded, what it does when all is compiled]
my $hook;       # what stands in @INC meanwhile
my %loading;

# To load a module at once would change what a program finds: a `use lib` may lead to another release, others look whether it is loaded, and it
# may take ten times a perl's start. So a hook in @INC waits: one call for each file that is loaded meanwhile. Where the hook is not asked (a
# directory put before it at the last moment, an @INC of somebody's own), the end of compilation is the second occasion.
sub wait_for {
    my ($class, $name, $wants, $loaded, $late) = @_;
    $waiting{$name} = [$wants, $loaded, $late];
    return if $hook;
    $hook = \&_on_require;
    unshift @INC, $hook;
    eval 'INIT { Kumihimo::OnRequire::_late() }' if ${^GLOBAL_PHASE} eq 'START';    ## no critic (BuiltinFunctions::ProhibitStringyEval)
    return;
}

sub stop {
    my ($class, $name) = @_;
    delete $waiting{$name};
    return if %waiting;
    _remove_hook() if $hook;
    undef $hook;
    return;
}

# perl may be in the middle of @INC and hold an element without counting it: what is taken out stays alive here.
my @removed;

sub _remove_hook {
    for my $i (reverse 0 .. $#INC) {
        next unless ref $INC[$i] eq 'CODE' && $INC[$i] == \&_on_require;
        push @removed, \$INC[$i];
        splice @INC, $i, 1;
    }
    return;
}

sub _on_require {
    my (undef, $file) = @_;
    # `use lib` puts directories before the hook. Whoever is asked now comes first again: what is left to search stays where it is.
    if ($hook && !(ref $INC[0] eq 'CODE' && $INC[0] == $hook)) {
        _remove_hook();
        unshift @INC, $hook;
    }
    return if $loading{$file} || !grep { $_->[0]->($file) } values %waiting;
    local $loading{$file} = 1;
    my $failure = do {
        local $@;
        eval { require $file; 1 } ? undef : [$@];
    };
    # perl goes on with the rest of @INC, and says itself that there is none.
    return if $failure && !exists $INC{$file} && $failure->[0] =~ /\ACan't locate \Q$file\E /;
    if ($INC{$file}) {
        # Asked again: while it was loaded, they may have got what they wanted.
        for my $name (sort keys %waiting) {
            my $who = $waiting{$name} or next;
            $who->[1]->($file) if $who->[0]->($file);
        }
    }
    # It was found and is not tried again: what it did on the way is done. A signal's handler may have died here too.
    return \(my $nothing = '1;') if !$failure;
    delete $INC{$file};    # perl notes there again that it failed
    return \_source_of($failure->[0]);
}

our $error;    # what the source below dies with

# What makes perl say of the program's own `require` what it has said here of ours. To die in the hook would add a line to it as of perl 5.38.
sub _source_of {
    $error = shift;
    return '0;' if !ref $error && $error =~ /\A\S+ did not return a true value at \Q${\ __FILE__}\E line \d+\.\n\z/;
    $error =~ s/Compilation failed in require at \Q${\ __FILE__}\E line \d+\.\n\z// if !ref $error;
    return 'local $SIG{__DIE__}; die $Kumihimo::OnRequire::error;';
}

sub _late {
    for my $name (sort keys %waiting) {
        my $who = $waiting{$name} or next;
        $who->[2]->();
    }
    return;
}

1;

__END__

=head1 NAME

Kumihimo::OnRequire - wait until a program loads a module

=head1 SYNOPSIS

    Kumihimo::OnRequire->wait_for('me', sub { $_[0] eq 'JSON/XS.pm' }, sub { replace() }, sub { replace() if $INC{'JSON/XS.pm'} });
    Kumihimo::OnRequire->stop('me');

=head1 DESCRIPTION

What L<Kumihimo::Mojo> and L<Kumihimo::Instead> wait with. It is not for other programs.

=head1 METHODS

=head2 wait_for

Takes a name, a sub that says whether a file is waited for, one that is called when that file has been loaded, and one that is called when the
program is compiled. The one hook in C<@INC> stays as long as somebody waits.

=head2 stop

The one of this name waits no longer.

=cut
