// Texts in the bytes of a JSON document: of a value, and what a string says.
#pragma once
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "engine/core/sink.hpp"
#include "engine/json/project.hpp"
#include "engine/json/string.hpp"
#include "extract/column.hpp"

namespace kumihimo::inline v0::extract {

inline std::string_view text_at(bytes document, json::slice s) noexcept {
    return {reinterpret_cast<const char*>(document.data()) + s.offset, static_cast<std::size_t>(s.length)};
}

/// n bytes, or nullptr where memory is out and nothing is thrown.
inline char* room_of(std::string& s, std::size_t n) { return s.resize(n), s.data(); }
inline char* room_of(block<char>& b, std::size_t n) noexcept { return b.reserve(n) ? b.data() : nullptr; }

/// What a valid string says, which is given without its quotes: a view of it where nothing is escaped, else of `room`.
/// False where it has half a surrogate pair, and where room_of() has nothing.
template <class Room>
bool plain_text(std::string_view inside, Room& room, std::string_view& out) {
    out = inside;
    if (inside.empty() || std::memchr(inside.data(), '\\', inside.size()) == nullptr) return true;
    char* const to = room_of(room, inside.size() + json::unescape_slack);
    if (to == nullptr) return false;
    const char* const end = inside.data() + inside.size();
    const json::unescaped u = json::unescape(inside.data(), end, end, to, json::half_pair::refuse);
    if (u.end == nullptr) return false;
    out = {to, static_cast<std::size_t>(u.end - to)};
    return true;
}
/// Its quotes off.
inline std::string_view inside_of(std::string_view quoted) noexcept { return quoted.substr(1, quoted.size() - 2); }

}  // namespace kumihimo::inline v0::extract
