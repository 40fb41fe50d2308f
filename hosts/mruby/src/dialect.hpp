// How mruby's values are spelled: the engine's names for it.
#pragma once
#include "engine/json/dialect.hpp"
#include "engine/msgpack/dialect.hpp"
#include "floats.hpp"

namespace kumihimo::inline v0::mruby {

/// JSON.generate, by whether "/", U+2028 and U+2029 are escaped.
inline constexpr json::dialect generate_dialect{.floats = float_layout};
inline constexpr json::dialect script_safe_dialect{.escapes = &json::script_safe_escapes, .floats = float_layout};
inline constexpr json::escape_set ascii_script_escapes{"/", true, true};

/// JSON.parse: RFC 8259. As in Ruby, -0 is an integer, and, since json 2.10, empty containers are no level of nesting.
inline constexpr json::read_dialect parse_dialect{.integer_zero = true, .flat_empty = true};

}  // namespace kumihimo::inline v0::mruby
