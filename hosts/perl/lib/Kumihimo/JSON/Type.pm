package Kumihimo::JSON::Type;
use 5.016;
use strict;
use warnings;

our $VERSION = '0.100';

use Carp ();
use Exporter 'import';
use Scalar::Util ();

# The numbers are Cpanel::JSON::XS::Type's: types made with either module are good for both.
use constant {
    JSON_TYPE_BOOL => 1,
    JSON_TYPE_INT => 2,
    JSON_TYPE_FLOAT => 3,
    JSON_TYPE_STRING => 4,
    JSON_TYPE_NULL => 0x100,
    JSON_TYPE_CAN_BE_NULL => 0x100,
    JSON_TYPE_BOOL_OR_NULL => 0x101,
    JSON_TYPE_INT_OR_NULL => 0x102,
    JSON_TYPE_FLOAT_OR_NULL => 0x103,
    JSON_TYPE_STRING_OR_NULL => 0x104,
    JSON_TYPE_ARRAYOF_CLASS => 'Kumihimo::JSON::Type::ArrayOf',
    JSON_TYPE_HASHOF_CLASS => 'Kumihimo::JSON::Type::HashOf',
    JSON_TYPE_ANYOF_CLASS => 'Kumihimo::JSON::Type::AnyOf',
};

our @EXPORT = our @EXPORT_OK = qw(
    json_type_arrayof json_type_hashof json_type_anyof json_type_null_or_anyof json_type_weaken
    JSON_TYPE_NULL JSON_TYPE_BOOL JSON_TYPE_INT JSON_TYPE_FLOAT JSON_TYPE_STRING
    JSON_TYPE_BOOL_OR_NULL JSON_TYPE_INT_OR_NULL JSON_TYPE_FLOAT_OR_NULL JSON_TYPE_STRING_OR_NULL
    JSON_TYPE_ARRAYOF_CLASS JSON_TYPE_HASHOF_CLASS JSON_TYPE_ANYOF_CLASS
);

# A type inside json_type_weaken, and whether it was.
sub _strengthened {
    my ($type) = @_;
    my $class = ref $type;
    return ($$type, 1) if $class eq 'Kumihimo::JSON::Type::Weaken' || $class eq 'Cpanel::JSON::XS::Type::Weaken';
    return ($type, 0);
}

# What anyof takes a type for.
my %kind = (
    '' => 'scalar',
    ARRAY => 'array',
    HASH => 'hash',
    map { ("${_}::ArrayOf" => 'array', "${_}::HashOf" => 'hash') } qw(Kumihimo::JSON::Type Cpanel::JSON::XS::Type),
);
my %place = (scalar => 0, array => 1, hash => 2);

sub json_type_anyof {
    my @types = (undef, undef, undef);
    for (@_) {
        my ($type, $weak) = _strengthened($_);
        my $kind = $kind{ ref $type } // Carp::croak('Only scalar, array or hash can be specified in anyof');
        my $at = $place{$kind};
        Carp::croak("Only one $kind type can be specified in anyof") if defined $types[$at];
        $types[$at] = $type;
        Scalar::Util::weaken($types[$at]) if $weak;
    }
    return bless \@types, JSON_TYPE_ANYOF_CLASS;
}

sub json_type_null_or_anyof {
    ref or Carp::croak('Scalar cannot be specified in null_or_anyof') for @_;
    return json_type_anyof(JSON_TYPE_CAN_BE_NULL, @_);
}

sub _all {
    my ($class, $name, @types) = @_;
    Carp::croak("Exactly one type must be specified in $name") if @types != 1;
    my ($type, $weak) = _strengthened($types[0]);
    Scalar::Util::weaken($type) if $weak;
    return bless \$type, $class;
}
sub json_type_arrayof { return _all(JSON_TYPE_ARRAYOF_CLASS, 'arrayof', @_) }
sub json_type_hashof { return _all(JSON_TYPE_HASHOF_CLASS, 'hashof', @_) }

sub json_type_weaken {
    Carp::croak('Exactly one type must be specified in weaken') if @_ != 1;
    Carp::croak('Scalar cannot be specified in weaken') if !ref $_[0];
    return bless \(my $type = $_[0]), 'Kumihimo::JSON::Type::Weaken';
}

1;

__END__

=encoding utf8

=head1 NAME

Kumihimo::JSON::Type - what each value of a document becomes

=head1 SYNOPSIS

    use Kumihimo::JSON;
    use Kumihimo::JSON::Type;

    my $type = {
        id => JSON_TYPE_INT,
        price => JSON_TYPE_FLOAT_OR_NULL,
        tags => json_type_arrayof(JSON_TYPE_STRING),
        by_name => json_type_hashof(JSON_TYPE_BOOL),
        point => [JSON_TYPE_FLOAT, JSON_TYPE_FLOAT],
    };
    print Kumihimo::JSON->new->encode($value, $type);

    my $value = Kumihimo::JSON->new->decode($text, my $found);

=head1 DESCRIPTION

Perl's scalars are strings and numbers at once, and a program on the other side may want one of them. A type says which: it stands beside the value and has
its shape. Constants and functions are those of L<Cpanel::JSON::XS::Type>, and types made with either module are good for both.

A type is

=over

=item a constant, for a scalar

=item an array of types, for an array with as many values

=item a hash of types, for a hash whose keys are all among the type's

=item what one of the functions below gives

=item undef

No type: the value decides, as without types. With C<require_types> that is an error.

=back

=head1 CONSTANTS

=over

=item JSON_TYPE_BOOL, JSON_TYPE_BOOL_OR_NULL

C<true> or C<false>, as Perl has it.

=item JSON_TYPE_INT, JSON_TYPE_INT_OR_NULL

An integer: the scalar's number without its fraction. What is too large is the largest integer, or, with C<allow_bignum>, itself.

=item JSON_TYPE_FLOAT, JSON_TYPE_FLOAT_OR_NULL

A number with a fraction or an exponent: C<1.0>. Infinities are the largest float, NaN is 0.0.

=item JSON_TYPE_STRING, JSON_TYPE_STRING_OR_NULL

A string.

=item JSON_TYPE_NULL, JSON_TYPE_CAN_BE_NULL

C<null>: the value must be undef.

=item JSON_TYPE_ARRAYOF_CLASS, JSON_TYPE_HASHOF_CLASS, JSON_TYPE_ANYOF_CLASS

The classes of what the functions give.

=back

Those that end in C<_OR_NULL> are C<null> for undef; the others make the false, the zero or the empty string of it.

=head1 FUNCTIONS

=head2 json_type_arrayof

    json_type_arrayof(JSON_TYPE_INT)

An array of any length, all of whose values have this type.

=head2 json_type_hashof

    json_type_hashof(JSON_TYPE_INT)

A hash with any keys, all of whose values have this type.

=head2 json_type_anyof

    json_type_anyof(JSON_TYPE_INT, [JSON_TYPE_INT], json_type_hashof(JSON_TYPE_STRING))

One type for scalars, one for arrays and one for hashes; at most one of each. The value decides.

=head2 json_type_null_or_anyof

    json_type_null_or_anyof(json_type_arrayof(JSON_TYPE_INT))

The same, where an undef is C<null>.

=head2 json_type_weaken

    my $tree = { name => JSON_TYPE_STRING };
    $tree->{children} = json_type_arrayof(json_type_weaken($tree));

A type inside another that does not keep it alive, for types that refer to themselves.

=head1 ERRORS

A type that does not fit the value is an exception that names both.

=head1 SEE ALSO

L<Kumihimo::JSON>

=cut
