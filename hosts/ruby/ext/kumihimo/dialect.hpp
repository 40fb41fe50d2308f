// The dialects that Ruby's libraries have between them and the engine does not name.
#pragma once
#include "engine/json/dialect.hpp"

namespace kumihimo::inline v0::ruby {

/// ActiveSupport's escapes: HTML's entities alone, or JavaScript's separators alone; both are json::html_safe_escapes.
inline constexpr json::escape_set entity_escapes{"<>&", false};
inline constexpr json::escape_set separator_escapes{"", true};
/// JSON.generate with ascii_only and script_safe.
inline constexpr json::escape_set ascii_script_escapes{"/", false, true};

}  // namespace kumihimo::inline v0::ruby
