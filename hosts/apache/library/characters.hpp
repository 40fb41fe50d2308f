// Letters, digits and case of ASCII, without libc's locale.
#pragma once
#include <algorithm>
#include <string_view>

namespace kumihimo::inline v0::mruby {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_letter_or_digit(char c) noexcept { return is_letter(c) || is_digit(c); }

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

/// What a hexadecimal digit stands for; -1: it is none.
constexpr int hex_of(char c) noexcept {
    if (is_digit(c)) return c - '0';
    const char small = lower(c);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

inline bool same_but_for_case(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace kumihimo::inline v0::mruby
