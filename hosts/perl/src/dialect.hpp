// The dialects of Perl's modules, by name.
#pragma once
#include "engine/json/dialect.hpp"

namespace kumihimo::inline v0::perl {

/// Mojo::JSON's own escapes: the slash too, and hexadecimal digits in upper case.
inline constexpr json::escape_set mojo_escapes{"/", false, false, true};

// Text is looked at when the document is finished (finish.hpp); other keys than text there are none.
constexpr json::dialect perl_dialect(const json::escape_set& escapes, scalar::float_layout floats) {
    return {
        .escapes = &escapes, .floats = floats, .non_finite = json::non_finite::literal, .invalid = json::invalid_text::keep};
}

}  // namespace kumihimo::inline v0::perl
