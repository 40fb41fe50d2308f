// RFC 9110's grammar: the token, which is the name of a header, a parameter, a cookie; and the white space around
// values.
#pragma once
#include <algorithm>
#include <string_view>

#include "../src/characters.hpp"

namespace kumihimo::inline v0::mruby {

constexpr bool is_token(char c) noexcept {
    return is_letter_or_digit(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}
inline bool is_token(std::string_view s) noexcept {
    return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return is_token(c); });
}

inline bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

inline std::string_view trimmed(std::string_view s) noexcept {
    while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
    while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
    return s;
}

}  // namespace kumihimo::inline v0::mruby
