package Kumihimo::Instead;

use 5.016;
use strict;
use warnings;

# What is needed is loaded when something is replaced: with PERL5OPT, this file is compiled in every perl that starts.

our $VERSION = '0.100';

# What can be stood in for, and the class whose functions stand in.
my %OURS = ('JSON::XS' => 'Kumihimo::Instead::XS', 'Cpanel::JSON::XS' => 'Kumihimo::JSON::Cpanel', 'JSON::PP' => 'Kumihimo::Instead::PP', 'JSON::MaybeXS' => undef);
my @MODULES = sort keys %OURS;
# What is called without an object. All other functions are methods, and go by theirs.
my @CLASS_FUNCTIONS = qw(new encode_json decode_json);

my %stock;        # class => {function => [theirs, a copy of what it was]}, once methods go by their object
my %installed;    # class => 1: ours answer
my %waiting;      # module => 1, until it is loaded
my %refused;      # class => why it stays as it is

# By a switch or PERL5OPT, a program that was not asked runs without us rather than not at all.
sub import {
    my ($class, @modules) = @_;
    my @refused = _install(@modules);
    warn "$_\n" for map { "Kumihimo::Instead: $_" } @refused;    ## no critic (ErrorHandling::RequireCarping)
    return $class;
}

sub unimport {
    my ($class, @modules) = @_;
    return $class->uninstall(@modules);
}

sub install {
    my ($class, @modules) = @_;
    my @refused = _install(@modules);
    _croak(join '; ', @refused) if @refused;
    return $class;
}

# Answers why which modules stay as they are.
sub _install {
    my (@modules) = @_;
    my @refused;
    for my $module (_checked(@modules)) {
        if ($INC{ _file($module) }) {
            push @refused, _replace($module);
        }
        else {
            $waiting{$module} = 1;
        }
    }
    _wait() if %waiting;
    return @refused;
}

sub uninstall {
    my ($class, @modules) = @_;
    for my $module (_checked(@modules)) {
        delete $waiting{$module};
        next if $module eq 'JSON::MaybeXS' && !$INC{ _file($module) };
        _restore($module eq 'JSON::MaybeXS' ? JSON::MaybeXS::JSON() : $module);
    }
    _stop_waiting() unless %waiting;
    return $class;
}

sub installed { return [sort keys %installed] }

sub waiting { return [sort keys %waiting] }

sub description {
    my ($class) = @_;
    my @lines = ((map { _line($_) } sort keys %installed), map { $refused{$_} } sort keys %refused);
    push @lines, "Kumihimo $VERSION waits for @{[sort keys %waiting]}" if %waiting;
    return @lines ? join '; ', @lines : 'Kumihimo stands in for no module';
}

sub is_ours {
    my ($class, $object) = @_;
    return $INC{'Kumihimo.pm'} && _is_ours($object) ? 1 : 0;
}

sub _croak {
    my ($message) = @_;
    require Carp;
    Carp::croak("Kumihimo::Instead: $message");
}

sub _checked {
    my (@modules) = @_;
    for my $module (@modules) {
        _croak("$module is none of the modules that can be replaced; there are: @MODULES") unless exists $OURS{ $module // 'undef' };
    }
    return @modules ? @modules : @MODULES;
}

sub _file { return $_[0] =~ s{::}{/}gr . '.pm' }

sub _line {
    my ($class) = @_;
    my $line = "Kumihimo $VERSION stands in for $class " . $class->VERSION;
    $line .= ', which encodes with its own code' if $class eq 'JSON::PP' && !Kumihimo::Instead::PP->encodes;
    return $line;
}

sub _log {
    my ($line) = @_;
    print {*STDERR} "$line\n" if $ENV{KUMIHIMO_DEBUG};
    return;
}

# ------------------------------------------------------------------------------------------------------------ Replacing

# The module is loaded. JSON::MaybeXS has nothing of its own: it hands on what one of the others has. Answers nothing, or why the module stays as it is.
sub _replace {
    my ($module) = @_;
    return _replace(JSON::MaybeXS::JSON()) if $module eq 'JSON::MaybeXS';
    return if $installed{$module};
    delete $refused{$module};
    require Kumihimo;
    my @why = $module eq 'JSON::PP' ? _replace_pp() : _replace_xs($module);
    if (@why) {
        $refused{$module} = "$module " . ($module->VERSION // 'without a version') . " stays as it is: @why";
        _log($refused{$module});
        return $refused{$module};
    }
    $installed{$module} = 1;
    _log(_line($module));
    return;
}

sub _replace_pp {
    require Kumihimo::Instead::PP;
    return Kumihimo::Instead::PP->install ? () : 'it is not made as the releases that are known';
}

sub _replace_xs {
    my ($class) = @_;
    require Kumihimo::JSON::Cpanel;
    # Its release is known for certain now.
    Kumihimo::JSON::Cpanel::_follow() if $class eq 'Cpanel::JSON::XS';
    if (!$stock{$class}) {
        my ($functions, @why) = _functions($class);
        return @why if @why;
        $stock{$class} = _dispatch_methods($class, $functions);
    }
    _set_body($stock{$class}{$_}[0], _function($OURS{$class}, $_)) for @CLASS_FUNCTIONS;
    return;
}

# The functions that were there when it was first replaced, whatever stands under their names now.
sub _restore {
    my ($class) = @_;
    delete $refused{$class};
    return unless delete $installed{$class};
    if ($class eq 'JSON::PP') {
        Kumihimo::Instead::PP->uninstall;
    }
    else {
        _set_body(@$_) for @{ $stock{$class} }{@CLASS_FUNCTIONS};
    }
    _log("$class " . $class->VERSION . ' answers itself again');
    return;
}

sub _function {
    my ($class, $name) = @_;
    no strict 'refs';
    return defined &{"${class}::$name"} ? \&{"${class}::$name"} : undef;
}

# The class's own compiled functions by their names; and why nothing can be replaced, when somebody has put functions of his own there, or the module is
# made otherwise than those that are known. Nothing has been touched then.
sub _functions {
    my ($class) = @_;
    my %theirs;
    no strict 'refs';
    for my $name (grep { !/\A(?:_|(?:CLONE|bootstrap)\z)/ } sort keys %{"${class}::"}) {
        my $code = _function($class, $name);
        $theirs{$name} = $code if $code && _is_xsub($code, $class);
    }
    my @strange = grep { !$theirs{$_} } @CLASS_FUNCTIONS, qw(encode decode DESTROY);
    return (\%theirs, @strange ? "it has no compiled @strange of its own" : ());
}

# Every method looks at its object first from now on, for good: there may always be one of ours somewhere.
sub _dispatch_methods {
    my ($class, $theirs) = @_;
    my %is_class_function = map { $_ => 1 } @CLASS_FUNCTIONS;
    my $ours = $OURS{$class} eq 'Kumihimo::Instead::XS' ? 'Kumihimo::JSON' : $OURS{$class};
    my %stock = map { $_ => [$theirs->{$_}, _copy($theirs->{$_})] } keys %$theirs;
    for my $name (grep { !$is_class_function{$_} } sort keys %stock) {
        my $method = $ours->can($name);
        _dispatch_by_object($stock{$name}[0], _is_xsub($method, undef) ? $method : undef, $stock{$name}[1]);
    }
    return \%stock;
}

# ------------------------------------------------------------------------------------------------- Before a module is loaded

# Somebody prefers what is loaded (JSON::MaybeXS does): the modules are not, before the program loads them.
sub _wait {
    require Kumihimo::OnRequire;
    Kumihimo::OnRequire->wait_for(__PACKAGE__, \&_module_of, sub { _replace_or_warn(_module_of(@_)) }, \&_late);
    return;
}

sub _stop_waiting {
    Kumihimo::OnRequire->stop(__PACKAGE__) if $INC{'Kumihimo/OnRequire.pm'};
    return;
}

# The module that is waited for, if this is its file.
sub _module_of {
    my ($file) = @_;
    my ($module) = grep { _file($_) eq $file } keys %waiting;
    return $module;
}

sub _late {
    _replace_or_warn($_) for grep { $INC{ _file($_) } } sort keys %waiting;
    return;
}

# The program goes on, whatever comes of it. What a signal's handler dies with is the program's own, and not caught: only what is wrong with Kumihimo's
# own files is.
sub _replace_or_warn {
    my ($module) = @_;
    delete $waiting{$module};
    _stop_waiting() unless %waiting;
    my @why = _is_there() ? _replace($module) : ();
    warn "Kumihimo::Instead: $_\n" for @why;    ## no critic (ErrorHandling::RequireCarping)
    return;
}

sub _is_there {
    return 1 if $INC{'Kumihimo.pm'};
    local $@;
    return 1 if eval { require Kumihimo; 1 };
    die $@ if $INC{'Kumihimo.pm'};    ## no critic (ErrorHandling::RequireCarping)
    warn $@;                          ## no critic (ErrorHandling::RequireCarping)
    return 0;
}

1;

__END__

=encoding utf8

=head1 NAME

Kumihimo::Instead - let programs that use JSON::XS, Cpanel::JSON::XS or JSON::PP run on Kumihimo

=head1 SYNOPSIS

    # any program, as it is
    $ perl -MKumihimo::Instead app.pl
    $ PERL5OPT=-MKumihimo::Instead plackup app.psgi
    $ KUMIHIMO_DEBUG=1 perl -MKumihimo::Instead app.pl

    # in a program
    use Kumihimo::Instead;
    use Kumihimo::Instead qw(JSON::XS Cpanel::JSON::XS JSON::PP JSON::MaybeXS);
    no Kumihimo::Instead;                          # as it was

    Kumihimo::Instead->install('JSON::XS');        # the same while it runs
    Kumihimo::Instead->uninstall;

=head1 DESCRIPTION

Whatever uses one of these modules, directly or by way of a framework (Dancer2, Catalyst, Plack, Mojolicious, L<JSON>, L<JSON::MaybeXS>), goes on
using it, and Kumihimo does the work. Nothing of it is changed or preloaded: the module that is installed is loaded when the program asks for it,
and its functions get other bodies. So its names stay: C<ref($json)>, C<isa> and C<can>, subclasses, exports, C<VERSION>, the options and their
getters, the class of C<true> and C<false>, C<is_bool>, and the texts of errors. Functions that were imported or stored before follow too.

It does not matter whether the module is loaded before or after this one. It must be installed: where it is not, C<require> fails as ever. The
whole process is concerned, and interpreter threads that are started later.

It is for those who ask for it: see L</DIFFERENCES>.

=over

=item JSON::XS

By L<Kumihimo::JSON>'s rules, except that perl's own booleans, infinity and NaN are written as JSON::XS writes them.

=item Cpanel::JSON::XS

By L<Kumihimo::JSON::Cpanel>'s, which follows the release that is loaded. C<to_json> and C<from_json> go on saying that they were renamed.

=item JSON::PP

Objects and options stay its own, and Kumihimo decodes and encodes by them. L<Kumihimo::Instead::PP> has the table of what JSON::PP still does itself.

=item JSON::MaybeXS

The one of the three that it has chosen.

=back

=head1 METHODS

C<install> and C<uninstall> take names of modules, none for all four.

=head2 install

    Kumihimo::Instead->install(@modules);

What C<use> does: replaces in modules that are loaded, and waits for the others. Where a module that is loaded must stay as it is (L</LIMITS>), the others are
replaced, and it dies and names the release and the reason; C<use> and the switch C<-M> warn of it.

=head2 uninstall

    Kumihimo::Instead->uninstall(@modules);

What C<no> does: the modules answer themselves again, and nothing is waited for. What somebody else has put into a module's place meanwhile stays there. Objects that were made meanwhile stay ours as long as they live, and work.

JSON::MaybeXS stands for the module that it has chosen: that is what C<installed> names, and what is uninstalled, whoever asked for it.

=head2 installed

The names of the modules that Kumihimo stands in for at the moment, in an array.

=head2 waiting

The names of those that are not loaded yet, in an array.

=head2 description

    $log->debug(Kumihimo::Instead->description);

The same as one line of text, with the modules that were asked for and stay as they are, and why.

=head2 is_ours

    Kumihimo::Instead->is_ours($json)

Whether an object was made by Kumihimo.

=head1 ENVIRONMENT

=head2 KUMIHIMO_DEBUG

When true, each replacement and each end of one writes a line to standard error:

    Kumihimo 0.100 stands in for JSON::XS 4.04

=head2 PERL_JSON_BACKEND

L<JSON> uses what this variable names, and takes no other names than those that contain JSON::XS, JSON::PP or JSON::backportPP: C<PERL_JSON_BACKEND=Kumihimo::JSON>
is refused by it. It is used with Kumihimo this way:

    PERL_JSON_BACKEND=JSON::XS PERL5OPT=-MKumihimo::Instead perl app.pl
    PERL_JSON_BACKEND=Cpanel::JSON::XS PERL5OPT=-MKumihimo::Instead perl app.pl

=head1 DIFFERENCES

From JSON::XS and Cpanel::JSON::XS answers differ as L<Kumihimo::JSON/COMPATIBILITY> and L<Kumihimo::JSON::Cpanel/COMPATIBILITY> say, except for JSON::XS's
infinity, NaN and perl's own booleans. Besides (the texts of errors without their places; Cpanel::JSON::XS up to 4.35):

    expression                                                                        | the module | with Kumihimo in its place
    JSON::XS->new->encode                                                             | dies: Usage: JSON::XS::encode(self, scalar) | dies: Usage: Kumihimo::JSON::encode(self, value, type = undef)
    Cpanel::JSON::XS->new->encode                                                     | dies: Usage: Cpanel::JSON::XS::encode(self, scalar, typesv= &PL_sv_undef) | dies: Usage: Kumihimo::JSON::encode(self, value, type = undef)
    my $text = '["x"]'; JSON::XS->new->decode($text); utf8::is_utf8($text) + 0        | 1 | 0
    my $text = "\xef\xbb\xbf[1]"; Cpanel::JSON::XS->new->utf8->decode($text); length $text | 4 | 6
    (Cpanel::JSON::XS->new->utf8->decode_prefix("\xef\xbb\xbf[1]"))[1]                | 1 | 6

From JSON::PP as L<Kumihimo::Instead::PP/DIFFERENCES> says.

=head1 LIMITS

=over 4

=item * JSON::PP itself reads and writes with a few of its options: L<Kumihimo::Instead::PP> lists them.

=item * Objects that exist when a module is replaced keep the module's own code. (An object that L<Mojo::JSON> has made for itself is such a one: load this first.)

=item * A function that somebody else has put into the module's place stays. When it is one of C<new>, C<encode_json>, C<decode_json>, C<encode>, C<decode>
and C<DESTROY>, nothing of the module is replaced, and neither is anything of a JSON::PP that is made otherwise than the releases that are known. A warning
says so, for C<use>, the switch, and a module that is waited for; the program runs with the module's own functions. C<install> dies.

=item * A function that was put there after the first replacement, by way of C<uninstall> and C<install> too, stays; the module's own one, which it may call, is replaced.

=item * So do the functions of JSON::XS when that is loaded a second time (C<delete $INC{'JSON/XS.pm'}; require JSON::XS>). They do not know the objects that Kumihimo has made
before: those have no options there, and a C<max_depth> of 0.

=back

=head1 SEE ALSO

L<Kumihimo::Mojo> for Mojolicious; L<Kumihimo::JSON>, L<Kumihimo::JSON::Cpanel>.

=cut
