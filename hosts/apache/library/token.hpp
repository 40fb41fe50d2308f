// RFC 9110's token: the name of a header, a parameter, a cookie.
#pragma once
#include <algorithm>
#include <string_view>

namespace kumihimo::inline v0::mruby {

inline bool is_letter_or_digit(char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

inline bool is_token(std::string_view s) noexcept {
    constexpr std::string_view others = "!#$%&'*+-.^_`|~";
    return !s.empty() && std::all_of(s.begin(), s.end(),
                                     [=](char c) { return is_letter_or_digit(c) || others.find(c) != std::string_view::npos; });
}

}  // namespace kumihimo::inline v0::mruby
