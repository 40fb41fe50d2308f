package Kumihimo::Instead::PP;

use 5.016;
use strict;
use warnings;

our $VERSION = '0.100';

use Kumihimo ();

# Options whose texts are read by JSON::PP itself, and where it keeps them.
my @STOCK_OPTIONS = qw(relaxed loose allow_bignum allow_barekey allow_singlequote allow_tags);
my %told;
my ($stock, $stock_numbers, $utf8, $nonref);
my $active;           # between install and uninstall
our $stock_encode;    # JSON::PP's own, while ours is in its place
our @WATCHED;         # [glob, code, the name of a method or undef]...: what encode calls in JSON::PP

# Numbers of JSON::PP's switches, as src/instead_pp.cpp has them.
my @NUMBERS = qw(ascii latin1 utf8 indent canonical space_before space_after allow_nonref shrink allow_blessed convert_blessed
    relaxed loose allow_bignum allow_barekey allow_singlequote escape_slash as_nonblessed allow_unknown allow_tags);
my @METHODS = qw(object_to_json hash_to_json array_to_json value_to_json string_to_json blessed_to_json _up_indent _down_indent);
my @FUNCTIONS = qw(_looks_like_number _sort _encode_ascii _encode_latin1 _encode_surrogates _is_bignum JSON_PP_encode_ascii JSON_PP_encode_latin1);

# Whether this JSON::PP is made as those that are known.
sub install {
    my ($class) = @_;
    return 1 if $active;
    my @missing = grep { !JSON::PP->can($_) } qw(PP_decode_json P_UTF8 P_ALLOW_NONREF), map { 'P_' . uc } @STOCK_OPTIONS;
    return 0 if @missing;
    $stock_numbers = [map { JSON::PP->can('P_' . uc)->() } @STOCK_OPTIONS];
    ($utf8, $nonref) = (JSON::PP::P_UTF8(), JSON::PP::P_ALLOW_NONREF());
    # Whoever has put his own there since the last time may call ours, or what was there before: his stays.
    $stock //= \&JSON::PP::PP_decode_json;
    no warnings 'redefine';
    *JSON::PP::PP_decode_json = \&_decode if \&JSON::PP::PP_decode_json == $stock;
    $active = 1;
    _install_encode();
    return 1;
}

# Whether this JSON::PP encodes as those that are known: asked with values by which they differ, and some by which they do not.
sub _install_encode {
    return 0 if JSON::PP::USE_B() || grep { !JSON::PP->can($_) } @METHODS, qw(PP_encode_json encode_error _looks_like_number _sort);
    return 0 if grep { (JSON::PP->can('P_' . uc $NUMBERS[$_]) // sub { -1 })->() != $_ } 0 .. $#NUMBERS;
    no strict 'refs';
    @WATCHED = map { (\*{"JSON::PP::$_"}, \&{"JSON::PP::$_"}, undef) } grep { defined &{"JSON::PP::$_"} } @FUNCTIONS;
    push @WATCHED, map { (\*{"JSON::PP::$_"}, \&{"JSON::PP::$_"}, $_) } @METHODS;
    my $theirs = $stock_encode // \&JSON::PP::PP_encode_json;
    _follow((utf8::is_utf8($theirs->(JSON::PP->new, [])) ? 1 : 0) | ($theirs->(JSON::PP->new, [1 == 1]) eq '[true]' ? 2 : 0));
    for my $json (JSON::PP->new->pretty->canonical, JSON::PP->new->canonical->space_after->ascii->escape_slash, JSON::PP->new->canonical->latin1) {
        my $make = sub { ["\x7f\n\e/\x{e9}\x{263a}\x{1f600}", 1.5, -1e15, '3', { a => [undef], b => {} }, \1, 9 ** 9 ** 9, [[]]] };
        my ($ours, $stocks) = (_encode($json, $make->()), $theirs->($json, $make->()));
        return _encodes_itself() if $ours ne $stocks || (utf8::is_utf8($ours) xor utf8::is_utf8($stocks));
    }
    $stock_encode = $theirs;
    no warnings 'redefine';
    *JSON::PP::PP_encode_json = \&_encode if \&JSON::PP::PP_encode_json == $theirs;
    return 1;
}

sub _encodes_itself { @WATCHED = (); return 0 }

# Whether encode is ours too.
sub encodes { return $active && @WATCHED ? 1 : 0 }

# JSON::PP's own expressions, for values of which only perl's operators know the answer.
{
    package JSON::PP;    ## no critic (Modules::ProhibitMultiplePackages)
    no warnings;
    sub Kumihimo::Instead::PP::_is_a { my ($object, $class) = @_; return $object->isa($class) ? 1 : 0 }
    sub Kumihimo::Instead::PP::_is_one { return ${ $_[0] } == 1 ? 1 : 0 }
    sub Kumihimo::Instead::PP::_can_to_json { return $_[0]->can('TO_JSON') ? 1 : 0 }
    sub Kumihimo::Instead::PP::_to_json { my $answer = $_[0]->TO_JSON; return $answer }
    sub Kumihimo::Instead::PP::_sorted { my ($by, $keys) = @_; return map { \$_ } sort $by @$keys }
}

# What somebody else has put in the place of ours since stays, and comes to JSON::PP's own by ours.
sub uninstall {
    my ($class) = @_;
    return unless $active;
    undef $active;
    no warnings 'redefine';
    *JSON::PP::PP_decode_json = $stock if \&JSON::PP::PP_decode_json == \&_decode;
    *JSON::PP::PP_encode_json = $stock_encode if $stock_encode && \&JSON::PP::PP_encode_json == \&_encode;
    @WATCHED = ();
    return;
}

# Ours where it gives what JSON::PP would. Whatever it refuses JSON::PP reads again: it may accept it, and says in its own words why not. An object may
# be a hash that somebody else has blessed.
sub _decode {
    my ($self, undef, $want_offset) = @_;
    my $theirs = $stock;
    goto &$theirs if !$active || $want_offset || !defined $_[1] || ref $_[1] || ref $self->{PROPS} ne 'ARRAY';
    my $props = $self->{PROPS};
    my @booleans = @{$self}{qw(false true)};
    goto &$theirs if 1 == grep { defined } @booleans;
    my @reasons = ((map { $props->[ $stock_numbers->[$_] ] ? $STOCK_OPTIONS[$_] : () } 0 .. $#STOCK_OPTIONS), $self->{F_HOOK} ? 'filters' : ());
    if (@reasons) {
        $told{$_}++ or warn "Kumihimo::Instead: $_ is not stood in for: JSON::PP itself reads with it\n" for @reasons;
        goto &$theirs;
    }
    goto &$theirs if _has_number_of_its_own($_[1]);
    my @value = _try_decode($_[1], $props->[$utf8] ? 1 : 0, $props->[$nonref] ? 1 : 0, @{$self}{qw(max_depth max_size)}, @booleans);
    return $value[0] if @value;
    goto &$theirs;
}

1;

__END__

=encoding utf8

=head1 NAME

Kumihimo::Instead::PP - what of JSON::PP Kumihimo does

=head1 SYNOPSIS

    use Kumihimo::Instead qw(JSON::PP);

=head1 DESCRIPTION

L<Kumihimo::Instead> uses this. Objects stay JSON::PP's own hashes, with its methods; C<encode>, C<encode_json>, C<decode> and C<decode_json> are ours,
in the cases where both are known to answer alike.

    call                                                                              | answered by
    JSON::PP->new->decode('{"a":[1,-2.5,"x",true,null]}')                             | Kumihimo
    JSON::PP->new->boolean_values('no', 'yes')->decode('[true]')                      | Kumihimo
    JSON::PP->new->boolean_values(undef, 'yes')->decode('[true]')                     | JSON::PP
    JSON::PP->new->decode('[1e5]')                                                    | JSON::PP
    JSON::PP->new->decode('[123456789012345678]')                                     | JSON::PP
    JSON::PP->new->decode('[0.1234567890123456]')                                     | JSON::PP
    JSON::PP->new->decode('[1')                                                       | JSON::PP
    JSON::PP->new->relaxed->decode('[1,]')                                            | JSON::PP, with a warning
    JSON::PP->new->loose->decode('[1]')                                               | JSON::PP, with a warning
    JSON::PP->new->allow_bignum->decode('[1]')                                        | JSON::PP, with a warning
    JSON::PP->new->allow_barekey->decode('{a:1}')                                     | JSON::PP, with a warning
    JSON::PP->new->allow_singlequote->decode("['a']")                                 | JSON::PP, with a warning
    JSON::PP->new->allow_tags->decode('[1]')                                          | JSON::PP, with a warning
    JSON::PP->new->filter_json_object(sub { 1 })->decode('{}')                        | JSON::PP, with a warning
    JSON::PP->new->decode_prefix('[1] rest')                                          | JSON::PP
    JSON::PP->new->incr_parse('[1]')                                                  | JSON::PP
    JSON::PP->new->pretty->canonical->ascii->encode({ a => [1, undef, 'x'] })         | Kumihimo
    JSON::PP->new->sort_by(sub { $JSON::PP::b cmp $JSON::PP::a })->encode({ a => 1, b => 2 }) | Kumihimo
    JSON::PP->new->encode([sub { }])                                                  | Kumihimo
    JSON::PP->new->relaxed->loose->allow_bignum->encode([1])                          | Kumihimo
    JSON::PP->new->allow_tags->encode([1])                                            | JSON::PP
    JSON::PP->new->allow_blessed->as_nonblessed->encode([bless {}, 'Object'])         | JSON::PP
    do { my $json = JSON::PP->new; $json->{indent_length} = 1001; $json }->encode([]) | JSON::PP
    Subclass->new->encode([1])                                                        | Kumihimo
    SubclassWithAStringToJson->new->encode(['a'])                                     | JSON::PP
    do { no warnings; local *JSON::PP::_sort = sub { 'a' }; JSON::PP->new->encode({ a => 1 }) } | JSON::PP

What of JSON::PP is read or written by JSON::PP itself is as it was. Of numbers with an exponent or 18 digits it decides itself which are integers, floats
and strings, and the last bits of a float with more than 15 digits are perl's own. A document that Kumihimo refuses JSON::PP reads again: it may
accept it, and says in its own words why not. Under C<PERL_JSON_PP_USE_B>, which has other rules for numbers, nothing is encoded here.

=head1 DIFFERENCES

    expression                                                                        | JSON::PP | with Kumihimo in its place
    my $list = tied_element(); JSON::PP->new->encode($list); fetched($list)           | 2 | 1
    JSON::PP->new->canonical->convert_blessed->encode(that_deletes_b())               | {"a":null,"b":null} | {"a":null,"b":1}
    JSON::PP->new->ascii->convert_blessed->encode([encodes(), "\xe9"])                | ["[]","\x{e9}"] | ["[]","\u00e9"]
    my $h = { a => 1, b => 2 }; my $k = each %$h; JSON::PP->new->encode($h); $k eq (each %$h) ? 'again' : 'next' | again | next

Where the code of C<sort_by> changes C<$a> or C<$b>, JSON::PP looks up the value of what the key has become; Kumihimo writes the value that the key had.

A C<TO_JSON> that gives objects with a TO_JSON without end uses up memory there and dies here when the machine's stack is used up. An error that C<Carp> in a C<TO_JSON>
blames its caller for names another line of F<JSON/PP.pm>. The text of a big number, should it have other characters than ASCII, is encoded
as the rest is.

=head1 METHODS

=head2 install

Replaces; false when this JSON::PP is not made as those that are known, and nothing is replaced.

=head2 uninstall

JSON::PP as it was.

=head2 encodes

Whether C<encode> is replaced too. False for a JSON::PP that writes otherwise than those that are known.

=head1 SEE ALSO

L<Kumihimo::Instead>, L<JSON::PP>

=cut
