package Kumihimo::Mojo;

use 5.016;
use strict;
use warnings;

# What is needed is loaded when something is replaced: with PERL5OPT, this file is compiled in every perl that starts.

our $VERSION = '0.100';

# False: act as on a perl that does not let a function change its body. For tests.
our $KEEP = 1;

my @FUNCTIONS = qw(encode_json to_json decode_json from_json j);    # in the order of the compiled part's own list
my %NUMBER = map { $FUNCTIONS[$_] => $_ } 0 .. $#FUNCTIONS;
my @PROFILES = qw(cpanel pure);
my %CHOICES = (profile => \@PROFILES, scope => [qw(all renderer)], messages => [qw(profile clear)]);
# What the compiled part wants to know of a function's behaviour.
my %BIT = (pure => 1, clear => 2, core_booleans => 4, null_objects => 8, deep => 16, scalar_j => 32, stock => 64);

my %kept;         # function => Mojo::JSON's own, whose body is ours
my %own;          # function => ours without a name, for what cannot be kept
my $installed;    # what holds, and how it went; undef: nothing
my $waiting;      # the options of an install that waits until Mojolicious is loaded

sub import {
    my ($class, @options) = @_;
    my $options = _checked(@options);
    my $scope = $options->{scope} // ($installed // $waiting // {})->{scope} // 'all';
    if ($INC{ _file($scope) }) {
        $class->install(%$options);
    }
    else {
        $waiting = { %{ $waiting // {} }, %$options };
        _wait();
    }
    return;
}

sub install {
    my ($class, @options) = @_;
    my $options = _checked(@options);
    return $class if $installed && !%$options;

    my %wanted = (scope => 'all', messages => 'profile', %{ $installed // {} }, %{ $waiting // {} }, %$options);
    _stop_waiting();
    require Kumihimo;
    require Mojo::JSON;
    for my $name (@FUNCTIONS) {
        _croak("this Mojo::JSON has no $name: nothing is replaced") unless Mojo::JSON->can($name);
    }
    $wanted{profile} //= _active();
    my $behaviour = _behaviour(\%wanted);
    $class->uninstall if $installed && $installed->{scope} ne $wanted{scope};
    my $mechanism = $wanted{scope} eq 'all' ? _take_functions($behaviour) : _take_renderer($behaviour);
    $installed = { (map { $_ => $wanted{$_} } keys %CHOICES), mechanism => $mechanism };
    return $class;
}

sub uninstall {
    my ($class) = @_;
    _stop_waiting();
    return $class unless $installed;
    if ($installed->{scope} eq 'renderer') {
        _set('Mojolicious::Renderer::encode_json', \&Mojo::JSON::encode_json);
    }
    else {
        for my $name (@FUNCTIONS) {
            my $stock = $class->stock($name);
            _set("Kumihimo::Mojo::Stock::$name", $stock);
            _bind($kept{$name}, $BIT{stock}) if $kept{$name};
            _rebind($own{$name}, $stock) if $own{$name};
        }
    }
    undef $installed;
    return $class;
}

sub installed {
    return $installed ? {%$installed} : undef;
}

sub stock {
    my ($class, $name, $profile) = @_;
    $name //= 'undef';
    _croak("Mojo::JSON has no function $name that could be replaced; there are: @FUNCTIONS") unless exists $NUMBER{$name};
    require Mojo::JSON;
    $profile = _checked(profile => $profile)->{profile} // _active();
    require Kumihimo::Mojo::Stock;
    return Kumihimo::Mojo::Stock->function($name, $profile) // _croak($@);
}

sub description {
    return 'Kumihimo: nothing of Mojo::JSON is replaced' unless $installed;
    my $what = $installed->{scope} eq 'renderer' ? 'what render(json => ...) calls' : 'encode_json, decode_json, to_json, from_json and j of Mojo::JSON';
    my $how = $installed->{mechanism} eq 'symbols' ? ', in the symbol tables, so that references taken before keep what they were' : '';
    return "Kumihimo $VERSION replaced $what$how; profile $installed->{profile}, messages $installed->{messages}";
}

sub _croak {
    my ($message) = @_;
    require Carp;
    # For a plugin, the place is the application's.
    my @between = qw(Mojolicious::Plugin::Kumihimo Mojolicious::Plugin::JSON_XS Mojolicious::Plugins Mojolicious Mojolicious::Lite);
    local @Carp::Internal{@between} = (1) x @between;
    Carp::croak("Kumihimo::Mojo: $message");
}

sub _checked {
    my (@options) = @_;
    _croak('options are pairs of a name and a value') if @options % 2;
    my %options = @options;
    for my $name (sort keys %options) {
        my $choices = $CHOICES{$name} or _croak("there is no option $name; there are: @{[sort keys %CHOICES]}");
        my $value = $options{$name};
        if (!defined $value) {
            delete $options{$name};
        }
        elsif (!grep { $_ eq $value } @$choices) {
            _croak("$name is one of @$choices, not $value");
        }
    }
    return \%options;
}

# ------------------------------------------------------------------------------------------------------------ Replacing

sub _active { return Mojo::JSON->JSON_XS ? 'cpanel' : 'pure' }

sub _set {
    my ($name, $code) = @_;
    no strict 'refs';
    no warnings 'redefine';
    *{$name} = $code;
    return;
}

# One of ours with this behaviour, the same one each time.
sub _own {
    my ($name, $behaviour) = @_;
    $own{$name} //= _make($NUMBER{$name}, $behaviour);
    _bind($own{$name}, $behaviour);
    return $own{$name};
}

sub _take_renderer {
    my ($behaviour) = @_;
    require Mojolicious::Renderer;
    _croak('this Mojolicious::Renderer does not import encode_json: not replaced') unless defined &Mojolicious::Renderer::encode_json;
    _set('Mojolicious::Renderer::encode_json', _own('encode_json', $behaviour));
    return 'symbols';
}

sub _take_functions {
    my ($behaviour) = @_;
    my %before;
    for my $name (@FUNCTIONS) {
        no strict 'refs';
        $before{$name} = \&{"Mojo::JSON::$name"};
        _croak("Mojo::JSON::$name is running and cannot be replaced now: install before JSON is encoded or decoded") if _runs($before{$name});
    }
    # Those of an earlier install are in other people's hands, whatever has been put into the globs since.
    _bind($_, $behaviour) for values %kept, values %own;
    my $mechanism = 'body';
    for my $name (@FUNCTIONS) {
        my $before = $before{$name};
        next if $kept{$name} && $kept{$name} == $before;
        # What somebody else has put there may be that module's own function: its other callers are none of ours.
        my $is_mojos = (_owner($before) // '') eq 'Mojo::JSON';
        if ($is_mojos && $KEEP && _rehearsed() && _keep("Mojo::JSON::$name", $before, $NUMBER{$name}, $behaviour)) {
            $kept{$name} = $before;
            next;
        }
        $mechanism = 'symbols';
        my $own = _own($name, $behaviour);
        _rebind($before, $own, $is_mojos ? undef : qr/\A(?:Mojo|Mojolicious|Test::Mojo|ojo)::/) if $before != $own;
    }
    return $mechanism;
}

# Whether this perl lets a function keep its CV, tried on two of our own, made as Mojolicious makes its functions: one plain, one a
# closure that is assigned to its glob. Another outcome than the one that is hoped for would leave a function without a body.
my $rehearsed;

sub _rehearsed {
    return $rehearsed //= do {
        my $closed = 'before';
        _set('Kumihimo::Mojo::_closure', sub { return $closed });
        my %before = (_plain => \&_plain, _closure => \&_closure);
        my $fine = 1;
        for my $name (sort keys %before) {
            # encode_json of nothing is null.
            $fine &&= _keep("Kumihimo::Mojo::$name", $before{$name}, $NUMBER{encode_json}, 0)
                && \&{"Kumihimo::Mojo::$name"} == $before{$name}
                && $before{$name}->() eq 'null';
        }
        $fine ? 1 : 0;
    };
}
sub _plain { return 'before' }

# What makes a number of a value in Mojo::JSON. The value is a copy, and afterwards its text is the one that Mojo::JSON would write. Called
# once at first: perl's addition takes whole doubles for integers from when the constant 0 in it has met a fraction.
sub _is_number {
    no warnings 'numeric';
    return length((my $nothing = '') & $_[0]) && 0 + $_[0] eq $_[0] && $_[0] * 0 == 0;
}
_is_number(my $fraction = 0.5);

# Puts $new wherever a symbol table has $old; only in the packages whose name, with its colons, matches, if that is asked for.
sub _rebind {
    my ($old, $new, $only) = @_;
    my @stashes = ('main::');
    my %seen;
    while (defined(my $stash = pop @stashes)) {
        no strict 'refs';
        next if $seen{ \%{$stash} }++;
        my $matches = !$only || $stash =~ $only;
        for my $symbol (keys %{$stash}) {
            if ($symbol =~ /::\z/) {
                push @stashes, $stash eq 'main::' ? $symbol : "$stash$symbol";
                next;
            }
            next unless $matches;
            # A function may be in its stash as a mere reference, without a glob.
            my $entry = \$stash->{$symbol};
            my $code = ref $entry eq 'GLOB' ? *{$entry}{CODE} : ref $entry eq 'REF' && ref ${$entry} eq 'CODE' ? ${$entry} : undef;
            _set("$stash$symbol", $new) if $code && $code == $old;
        }
    }
    return;
}

# ----------------------------------------------------------------------------------------------------- The versions present

# Ours without a name and without installing anything: for comparisons.
sub _native {
    my ($name, @options) = @_;
    require Kumihimo;
    require Mojo::JSON;
    return _make($NUMBER{$name}, _behaviour({ profile => _active(), messages => 'profile', %{ _checked(@options) } }));
}

# The number that the compiled part takes. Versions differ, and are asked by what they do, not by their number: releases are patched
# by those who package them. Mojo::JSON has its functions in Perl when it uses Cpanel::JSON::XS, too.
sub _behaviour {
    my ($wanted) = @_;
    my %is = (clear => $wanted->{messages} eq 'clear', _versions($wanted->{profile}));
    my $behaviour = 0;
    $behaviour |= $BIT{$_} for grep { $is{$_} } keys %is;
    return $behaviour;
}

my ($mojos, $core_booleans);

sub _versions {
    my ($profile) = @_;
    $mojos //= do {
        local ($@, $SIG{__DIE__}) = ('', 'DEFAULT');
        my $encode = Mojo::JSON->can('_encode_value') // sub { return ref $_[0] ? 'null' : 'true' };
        my @nothing = Mojo::JSON::j('[');
        +{
            core_booleans => $encode->(!!1) eq 'true',
            null_objects => $encode->(bless {}, 'Kumihimo::Mojo::Object') eq 'null',
            deep => !Mojo::JSON->can('MAX_DEPTH'),
            scalar_j => @nothing == 1,
        };
    };
    return (pure => 1, %$mojos) if $profile eq 'pure';
    $core_booleans //= do {
        local ($@, $SIG{__DIE__}) = ('', 'DEFAULT');
        require Kumihimo::JSON::Cpanel;    # which knows the answers of each release
        # A copy: the original has always been true.
        my $text = eval { require Cpanel::JSON::XS; Cpanel::JSON::XS->new->encode([my $yes = !!1]) };
        defined $text ? $text eq '[true]' : $] >= 5.036;
    };
    return (core_booleans => $core_booleans, scalar_j => $mojos->{scalar_j});
}

# --------------------------------------------------------------------------------------------------- Before Mojolicious is loaded

# The file after which there is something to replace.
sub _file { return $_[0] eq 'renderer' ? 'Mojolicious/Renderer.pm' : 'Mojo/JSON.pm' }

sub _wait {
    require Kumihimo::OnRequire;
    my $is_it = sub { $waiting && $_[0] eq _file($waiting->{scope} // 'all') };
    Kumihimo::OnRequire->wait_for(__PACKAGE__, $is_it, \&_install_or_warn, sub { _install_or_warn() if $waiting && $INC{ _file($waiting->{scope} // 'all') } });
    return;
}

sub _stop_waiting {
    undef $waiting;
    Kumihimo::OnRequire->stop(__PACKAGE__) if $INC{'Kumihimo/OnRequire.pm'};
    return;
}

# A program that was asked to run with us runs without us rather than not at all.
sub _install_or_warn {
    local $@;
    eval { __PACKAGE__->install(%$waiting); 1 } or warn $@;    ## no critic (ErrorHandling::RequireCarping)
    return;
}

1;

__END__

=head1 NAME

Kumihimo::Mojo - all of Mojolicious' JSON native, with one line

=head1 SYNOPSIS

    # In an application
    plugin 'Kumihimo';                                    # Mojolicious::Lite
    $app->plugin('Kumihimo', { messages => 'clear' });    # a full application

    # In a program without Mojolicious' plugins
    use Kumihimo::Mojo;
    use Kumihimo::Mojo profile => 'pure';

    # In any program, as it is
    $ perl -MKumihimo::Mojo script/my_app daemon
    $ PERL5OPT=-MKumihimo::Mojo hypnotoad script/my_app

    # By hand
    use Kumihimo::Mojo ();
    Kumihimo::Mojo->install(profile => 'cpanel', scope => 'all', messages => 'profile');
    Kumihimo::Mojo->uninstall;

=head1 DESCRIPTION

Replaces the functions of L<Mojo::JSON>, C<encode_json>, C<decode_json>, C<to_json>, C<from_json> and C<j>, by native ones that give
the same answers, faster.

The functions stay the same Perl functions and get another body. So everything that uses them follows, also what was compiled
or stored before: C<< render(json => ...) >>, C<< $c->req->json >>, C<< send({json => ...}) >> and C<< on(json => ...) >> of WebSockets,
the user agent, signed sessions, subprocesses, L<Test::Mojo>, C<ojo>, and your own C<use Mojo::JSON qw(encode_json)>.

It concerns the whole process: all applications in it, and all interpreter threads that are started later. C<Mojo::JSON::true> and
C<Mojo::JSON::false> stay as they are. C<< Mojo::JSON->JSON_XS >> and the command C<version> go on naming the backend that Mojolicious has chosen.

=head1 OPTIONS

Options are given to L</install>, to C<use>, or to the plugin.

=head2 profile

    profile => 'cpanel'
    profile => 'pure'

Whose answers are given where the two backends of Mojo::JSON differ: those of Cpanel::JSON::XS with the options that
Mojo::JSON sets, or those of Mojo::JSON in pure Perl. The default is the one that is active in this process, so that nothing changes.
L<Kumihimo::Mojo::Differences> lists what differs. C<cpanel> does not need Cpanel::JSON::XS to be installed.

Releases of Mojolicious and of Cpanel::JSON::XS differ in a few points too (perl's own booleans, objects without a text, the depth of
what is decoded). They are asked when the functions are installed, and the answers follow those that are present.

=head2 scope

    scope => 'all'
    scope => 'renderer'

C<renderer> replaces nothing but what C<< render(json => ...) >> calls: the narrow way, for those who want large responses fast and everything
else untouched. The default is C<all>.

=head2 messages

    messages => 'profile'
    messages => 'clear'

The texts of errors. By default they are those of the profile. C<clear> gives decoding errors in the words of Mojo::JSON, with line and
offset, under the profile C<cpanel> as well:

    malformed JSON string, neither tag, array, object, number, string or atom, at character offset 12 (before "}\n")
    Malformed JSON: Expected string, array, object, number, boolean or null at line 2, offset 3

In all cases the place that Perl adds (C<at FILE line N.>) is that of the caller. With Cpanel::JSON::XS, Mojo::JSON names a line of
its own file there, whoever called.

=head1 METHODS

=head2 install

    Kumihimo::Mojo->install(%options);

Loads L<Mojo::JSON> and replaces. Again without options it changes nothing; again with options, those count from then on and the others stay as they were.
Dies when Mojo::JSON has not the functions that are to be replaced, or when one of them is running at that moment (from a C<TO_JSON>,
say); nothing is changed then.

=head2 uninstall

    Kumihimo::Mojo->uninstall;

Mojolicious' functions again, for tests that compare. Everybody who has the functions follows once more. The functions are a copy, compiled
from Mojo/JSON.pm anew, and are reached through one call more: for times of the stock functions, ask L</stock>.

=head2 installed

    my $what = Kumihimo::Mojo->installed;
    # {profile => 'cpanel', scope => 'all', messages => 'profile', mechanism => 'body'}

What holds at the moment, or C<undef>. C<mechanism> is C<body> when the functions kept their identity, and C<symbols> when they were
put into the symbol tables instead: see L</LIMITS>.

=head2 description

    $app->log->debug(Kumihimo::Mojo->description);

The same as one line of text.

=head2 stock

    my $encode = Kumihimo::Mojo->stock('encode_json');
    my $pure = Kumihimo::Mojo->stock('encode_json', 'pure');

One of Mojolicious' own five functions, in a copy that is never replaced; of the active backend, or of the one that is named. Dies
for C<cpanel> where Cpanel::JSON::XS is not installed.

=head1 BEFORE MOJOLICIOUS IS LOADED

C<use Kumihimo::Mojo> (and so C<-M> and C<PERL5OPT>) replaces at once when Mojo::JSON is loaded already. Otherwise nothing is loaded for
it: a hook in C<@INC> waits for F<Mojo/JSON.pm> and disappears when it came. So a program that never uses Mojolicious pays about a
millisecond at its start, and one that finds its own Mojolicious by C<use lib> gets that one. C<use Kumihimo::Mojo ()> and
C<require> do nothing until L</install> is called.

When something goes wrong this way, there is a warning, and the program runs with Mojolicious' own functions.

=head1 LIMITS

=over 4

=item * Only five functions are replaced. Who calls Cpanel::JSON::XS or JSON::PP directly goes on doing so.

=item * Who patches Mojo::JSON later wins. Who patched it before is replaced, except that references to the patch stay what they are: it
may be another module's own function.

=item * C<j> calls the native decoder and encoder themselves: a C<local *Mojo::JSON::decode_json> is seen by the callers of
C<decode_json>, and not by C<j>.

=item * To exchange a function's body uses how perl treats functions that are declared and not yet defined. It is tried on two functions of
our own first. On a perl where that fails, all symbol tables are searched for the functions instead: what has been imported
follows, references that were taken before do not. C<< installed->{mechanism} >> says which it was.

=item * The structure's depth: the profile C<pure> has none in releases before 9.47, and here the machine stack ends it, at some thousand
levels, with an error.

=back

=head1 SEE ALSO

L<Mojolicious::Plugin::Kumihimo>, L<Kumihimo::Mojo::Differences>, L<Kumihimo::JSON>, L<Mojo::JSON>.

=cut
