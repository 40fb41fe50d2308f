package Kumihimo::JSON;
use 5.016;
use strict;
use warnings;

our $VERSION = '0.100';

use Exporter 'import';
our @EXPORT = qw(encode_json decode_json);
our @EXPORT_OK = qw(encode_json decode_json to_json from_json true false is_bool);

require Kumihimo;

1;

__END__

=encoding utf8

=head1 NAME

Kumihimo::JSON - JSON, fast, with the interface of JSON::XS

=head1 SYNOPSIS

    use Kumihimo::JSON;

    my $bytes = encode_json { name => 'Ada', born => 1815 };
    my $data = decode_json $bytes;

    my $json = Kumihimo::JSON->new->utf8->canonical->pretty;
    print $json->encode($data);

    # the order of the keys in the text stays, also when the data is changed and written again
    my $ordered = Kumihimo::JSON->new->utf8->keep_order;

=head1 DESCRIPTION

Encodes Perl data as JSON and decodes JSON into Perl data. Functions, methods, defaults and errors are those of L<JSON::XS> 4.04; to these come the
options of L<Cpanel::JSON::XS> that are useful under its rules, and some that none of them has: C<keep_order>, C<shortest_floats>, C<core_bools>.
What is written differently on purpose is listed under L</COMPATIBILITY>.

L<Kumihimo::JSON::Cpanel> has the same methods under the rules of Cpanel::JSON::XS.

=head2 How values are written

=over

=item undef

C<null>

=item a reference to an array or a hash

An array or an object. The order of an object's keys is the hash's own, unless C<canonical>, C<sort_by> or the hash (it is tied) says otherwise.

=item a string

A scalar that has text is a string, also when it has been used as a number: C<"3" + 0> and C<my $n = 3; print $n> leave a string behind. Characters are
characters, whether Perl keeps them as UTF-8 or not.

=item a number

A scalar that has a number and no text. Floats have 15 significant digits, as C<print> gives them, unless C<shortest_floats> is on. Infinity and NaN,
which JSON has not, are C<null> (see C<stringify_infnan>).

=item a boolean

The objects of L<JSON::PP>, L<Types::Serialiser>, JSON::XS, Cpanel::JSON::XS, Mojo::JSON and L<Data::MessagePack>, C<\1>, C<\0> and, from perl 5.36 on,
perl's own booleans (C<!!1>) are C<true> and C<false>.

=item anything else

Is refused: code, globs, other references to scalars (see C<allow_unknown>, C<allow_stringify>), and objects (see C<convert_blessed>,
C<allow_blessed>, C<allow_tags>, C<allow_bignum>).

=back

=head2 How values are read

C<null> is undef; C<true> and C<false> are JSON::PP's booleans (see C<boolean_values>, C<unblessed_bool>); an integer of 64 bits is an integer, and a
longer one the string of its digits (see C<allow_bignum>); other numbers are the nearest double. Strings are flagged UTF-8 only when they have characters
beyond ASCII. Of repeated keys the last counts.

=head1 FUNCTIONS

C<encode_json> and C<decode_json> are exported by default, the others on request.

=head2 encode_json

    my $bytes = encode_json $value;

The value as JSON in UTF-8. The same as C<< Kumihimo::JSON->new->utf8->encode($value) >>.

=head2 decode_json

    my $value = decode_json $bytes;

The value of JSON in UTF-8.

=head2 to_json

    my $characters = to_json $value;

As L</encode_json>, but the text is characters: to be written through an encoding layer, or into a larger text.

=head2 from_json

    my $value = from_json $characters;

As L</decode_json>, for characters.

=head2 true, false

JSON::PP's booleans.

=head2 is_bool

    if (is_bool $value) { ... }

Whether a value is a boolean: of JSON::PP and its kin, or perl's own.

=head1 METHODS

Methods that set something answer the object, so that they can be chained. Each switch is off unless said otherwise, is switched on by a call without an
argument, and has a method that begins with C<get_>:

    $json->utf8->canonical;            # on
    $json->utf8(0);                    # off
    print 'bytes' if $json->get_utf8;

=head2 new

    my $json = Kumihimo::JSON->new;

=head2 encode

    my $text = $json->encode($value);
    my $text = $json->encode($value, $type);

The value as JSON. C<$type> says what each value becomes: see L<Kumihimo::JSON::Type>. Types go with the rules of Cpanel::JSON::XS.

=head2 decode

    my $value = $json->decode($text);
    my $value = $json->decode($text, my $type);

The value of a JSON text. C<$type> is set to the types of the values.

=head2 decode_prefix

    my ($value, $length) = $json->decode_prefix($text);

The value at the beginning of a text, and how many characters it took.

=head2 incr_parse

    $json->incr_parse($piece);                  # keeps it, in void context
    my $value = $json->incr_parse($piece);      # the next value that is whole, or undef
    my @values = $json->incr_parse($piece);     # all that are whole

JSON that arrives in pieces. Values follow each other with white space, or nothing, between them. As in JSON::XS, a piece of text
that consists of control characters and bytes from 0x80 on is skipped between values. Parsing stops at a NUL byte and does not go on by itself: what follows it stays
in C<incr_text>, until that is changed or C<incr_skip> or C<incr_reset> is called.

=head2 incr_text

    $json->incr_text =~ s/^\s*,//;

What has arrived and is not parsed yet, to be looked at or changed. Only between two values.

=head2 incr_skip

Drops what has been parsed of a value so far: to go on after an error.

=head2 incr_reset

Drops everything that has arrived.

=head1 OPTIONS

=head2 The text

=over

=item utf8, get_utf8

The JSON text is bytes in UTF-8. Otherwise it is characters.

=item ascii, get_ascii

Characters beyond ASCII are written as C<\u....>.

=item latin1, get_latin1

The text is bytes in Latin-1; characters beyond are written as C<\u....>.

=item binary, get_binary

Bytes beyond ASCII are written as C<\x..>, and such escapes are read. Not JSON: for data that is not text, between programs that agree on it.

=item indent, get_indent

Every value on a line of its own.

=item indent_length, get_indent_length

How many spaces each level is indented by, 0 to 15; 3.

=item space_before, get_space_before

A space before the colon.

=item space_after, get_space_after

A space behind the colon, and behind commas on the same line.

=item pretty

C<indent>, C<space_before> and C<space_after> in one.

=item canonical, get_canonical

Keys in the order of their characters. The keys of tied hashes stay in the order in which the tie gives them.

=item sort_by

    $json->sort_by(sub { $a <=> $b });
    $json->sort_by('by_length');        # a method of the object's class that compares $a and $b

Keys in an order of your own. C<$a> and C<$b> are those of the package that the sub was written in. Also sets canonical; undef takes the sub off. As by
C<keys>, a walk over the hash with C<each> is begun anew.

=item escape_slash, get_escape_slash

Slashes are written as C<\/>, for texts that go into HTML.

=item shrink, get_shrink

The text is kept in as little memory as it takes.

=back

=head2 Values to be written

=over

=item allow_nonref, get_allow_nonref

On by default. A text may also be a string, a number, a boolean or null, not only an array or an object.

=item allow_unknown, get_allow_unknown

What JSON has not (code, globs, references to scalars) is C<null>, not an error.

=item allow_stringify, get_allow_stringify

References to scalars are written as the scalar's text; objects with overloaded quotes as their text.

=item allow_blessed, get_allow_blessed

Objects without anything else that says what they are become C<null>.

=item convert_blessed, get_convert_blessed

An object is what its method C<TO_JSON> gives, called in scalar context.

=item allow_tags, get_allow_tags

    ("My::Class")["what", "FREEZE", "gave"]

An object that has C<FREEZE> is written as a tagged value, which only Perl's modules read: C<< My::Class->THAW('JSON', "what", "FREEZE", "gave") >> makes
it again. FREEZE is called with 'JSON', in list context.

=item allow_bignum, get_allow_bignum, allow_bigint, get_allow_bigint

L<Math::BigInt> and L<Math::BigFloat> are written as numbers with all their digits. Read are Math::BigInt, where an integer has more than 64 bits, and
Math::BigFloat, where a number has a fraction or an exponent.

=item stringify_infnan, get_stringify_infnan

What becomes of infinity and NaN: 0 null, the default; 1 and 3 the strings "inf", "-inf", "nan" (1, where C's library prints a sign, "-nan"); 2 the same
without quotes, which is not JSON.

=item shortest_floats, get_shortest_floats

Floats are written with as many digits as it takes to read the same float back, up to 17. Without it they have 15, as in all modules, and some change:
C<0.1 + 0.2> is 0.3.

=item core_bools, get_core_bools

Perl's own booleans (5.36) both ways: written as C<true> and C<false>, which is the default here, and made from these, which is not. C<core_bools(0)> writes
them as other modules do, "1" and "".

=item type_all_string, get_type_all_string

Every number becomes a string, too.

=item require_types, get_require_types

L</encode> refuses a value that has no type.

=back

=head2 Values that are read

=over

=item keep_order, get_keep_order

Objects become hashes that keep the order of their keys: tied hashes, which C<keys>, C<each>, C<values> and every encoder see in the order of the text. New
keys come last; one that is deleted and set again is new. They cost about three times as much as plain hashes. The class can be tied to by hand:

    tie my %fields, 'Kumihimo::JSON::Ordered', first => 1, second => 2;

See L<Kumihimo::JSON::Ordered>.

=item relaxed, get_relaxed

Accepts C<# comments> to the end of the line, a comma behind the last value, and tabs in strings.

=item allow_singlequote, get_allow_singlequote

Accepts C<'strings'>.

=item allow_barekey, get_allow_barekey

Accepts keys without quotes.

=item allow_dupkeys, get_allow_dupkeys

On by default: of repeated keys the last one counts. Off: they are an error.

=item dupkeys_as_arrayref, get_dupkeys_as_arrayref

The values of a repeated key become an array.

=item boolean_values, get_boolean_values

    $json->boolean_values('no', 'yes');

What C<false> and C<true> become. Without arguments: JSON::PP's booleans again.

=item unblessed_bool, get_unblessed_bool

C<true> and C<false> become C<1> and C<"">, from perl 5.36 on perl's own booleans.

=item max_depth, get_max_depth

How deep arrays and objects may nest, both ways: 512. Without an argument: as deep as the machine's stack allows.

=item max_size, get_max_size

How many bytes a text that is read may have; 0, the default: any number.

=item filter_json_object

    $json->filter_json_object(sub { my ($hash) = @_; return My::Record->new($hash) });

Called with each object when it has been read. What it returns takes its place; nothing returned leaves it.

=item filter_json_single_key_object

    $json->filter_json_single_key_object(__date__ => sub { my ($value) = @_; return My::Date->new($value) });

The same for objects with one key, by that key.

=back

=head1 ERRORS

Errors are exceptions whose texts are those of JSON::XS:

    , or ] expected while parsing array, at character offset 3 (before "2]") at script.pl line 7.

An exception from code that a call runs (TO_JSON, filters, ties) goes through unchanged.

=head1 COMPATIBILITY

From JSON::XS 4.04 these differ, on purpose:

=over

=item *

What is written is always JSON: infinity and NaN are C<null>, not C<inf> and C<nan>.

=item *

Text that is not Unicode, such as lone surrogates, becomes U+FFFD in UTF-8, and is refused when UTF-8 is read.

=item *

Doubles are read exactly; JSON::XS is sometimes wrong in the last bit. The smallest integer of 64 bits is an integer, not a string.

=item *

Perl's own booleans are written as booleans.

=item *

An object is no string that can be written over: methods of what C<new> has not made are refused with a clear message.

=item *

A structure that is too deep for the machine, or C<TO_JSON> without end, is an error and not a crash.

=back

=head1 LIMITS

Threads: an object is copied to new threads with its options and callbacks.

C<sort_by>, ties, TO_JSON and filters run Perl code in the middle of a call. Such code may change or drop what is being written, and the object itself: of
a hash the keys that it had go on being written, of an array the elements that are still there, and C<null> for those that are gone.

Such code ends, or dies. C<last>, C<next>, C<redo> and C<goto> do not find a loop that is outside of the call: C<Can't "last" outside a loop block>.

Text that is not Unicode (beyond U+10FFFF, or flagged by hand) is found when the whole document has been written, so C<TO_JSON> of later values has run
before the error comes.

Structures nested some ten thousand levels deep cannot be freed by perl when their hashes are tied, as those of C<keep_order> are: leave C<max_depth> in
reason there.

=head1 SEE ALSO

L<Kumihimo>, L<Kumihimo::JSON::Cpanel>, L<Kumihimo::JSON::Ordered>, L<Kumihimo::JSON::Type>, L<Kumihimo::Mojo>, L<JSON::XS>, L<Cpanel::JSON::XS>

=cut
