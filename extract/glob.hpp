// Shell patterns over paths in archives and folders (--match).
//
//      *      any run of characters but /          ?      one character but /
//      **     any run of characters, / too         [a-z]  one character of a set; [!a-z] or [^a-z] one outside of it
//      **/    nothing, or any folders              \*     the character itself
//
// A pattern without / is matched against the last component, so "*.json" means every JSON file in the archive,
// whatever its folder; any other pattern against the whole path. Bytes, not characters: ? takes one UTF-8 character
// all the same.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kumihimo::inline v0::extract {

bool glob_matches(std::string_view pattern, std::string_view path) noexcept;

/// Whether any of the patterns matches; true when there are none.
bool glob_any(const std::vector<std::string>& patterns, std::string_view path) noexcept;

}  // namespace kumihimo::inline v0::extract
