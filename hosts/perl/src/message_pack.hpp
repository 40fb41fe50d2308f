// One MessagePack document <-> a Perl value.
#pragma once
#include "build_any.hpp"

namespace kumihimo::inline v0::perl {

struct pack_options {
    bool utf8 = false;            // strings are str, not bin
    bool text = false;            // strings are characters: str in UTF-8, whatever their flag
    bool canonical = false;       // maps in the order of their keys
    bool prefer_integer = false;  // strings of digits are integers
    bool core_booleans = false;   // perl's own true and false (5.36) are booleans
    std::uint32_t max_depth = 512;
};

/// From an object's hash; what a class or null has not keeps its default.
void read_unpack_options(pTHX_ SV* self, value_options& o);
/// The one value that n bytes are. Does not croak.
outcome read_message(pTHX_ const char* p, std::size_t n, const value_options& o);

/// The document, mortal.
SV* packed(pTHX_ SV* value, const pack_options& o);

}  // namespace kumihimo::inline v0::perl
