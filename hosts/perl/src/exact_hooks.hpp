// What the exact reader does with a value that is already a Perl scalar: the caller's filters, THAW of tagged values,
// the arrays of repeated keys, and the types that Cpanel::JSON::XS reports beside a document.
//
// Much of it runs Perl code and may not return; what is held meanwhile is mortal.
#pragma once
#include "engine/core/sink.hpp"
#include "options.hpp"

namespace kumihimo::inline v0::perl {

/// Asks filter_json_single_key_object and filter_json_object about an object that has come to its end. Takes over the
/// count of `object`, a reference, and gives back what stands in its place, counted.
SV* filtered(pTHX_ SV* object, const json_options& o);

/// ("class")[...] as an object: what class->THAW("JSON", ...) returns, counted. Null where there is nobody to ask;
/// `what` says so then. Takes over no counts.
SV* thawed(pTHX_ SV* tag, SV* values, const char*& what);

/// Whether a finished document is not a reference in the sense of allow_nonref: booleans are none either.
bool is_nonref(pTHX_ SV* value);
/// The same of a value to encode, which is fetched. JSON::XS does not ask for the value of a plain scalar.
bool is_no_container(pTHX_ SV* value, const json_options& o);

/// Marks the key as one that `keys`, those of one object, have; true when they had it. `values` gets the array of the
/// values that came under it, when they are to be gathered.
bool key_came(pTHX_ HV* keys, const text& key, AV** values);
/// Puts an array of all its values into the finished object for each key that came more than once.
void gather_repeated(pTHX_ HV* keys, SV* object);

/// A key as hash functions take it: a negative length says UTF-8. Its length fits (longest_key).
I32 key_length(const text& key) noexcept;
inline constexpr std::size_t longest_key = 0x7FFFFFFF;

/// The constants of Cpanel::JSON::XS::Type that decode reports.
enum class value_type : std::uint16_t { boolean = 1, integer = 2, number = 3, string = 4, null = 0x100 };

}  // namespace kumihimo::inline v0::perl
