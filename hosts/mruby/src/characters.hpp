// What bytes are: ASCII's letters, digits and cases, without libc's locale, and UTF-8's places.
#pragma once
#include <algorithm>
#include <array>
#include <string_view>

namespace kumihimo::inline v0::mruby {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_letter_or_digit(char c) noexcept { return is_letter(c) || is_digit(c); }
/// Ruby's white space: a blank, or \t \n \v \f \r.
constexpr bool is_space(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

inline constexpr auto hex_values = [] {
    std::array<signed char, 256> t{};
    t.fill(-1);
    for (std::size_t i = 0; i < 10; ++i) t['0' + i] = static_cast<signed char>(i);
    for (std::size_t i = 0; i < 6; ++i) t['a' + i] = t['A' + i] = static_cast<signed char>(10 + i);
    return t;
}();
/// What a hexadecimal digit stands for; -1: it is none. By a table, as texts may be full of them.
constexpr int hex_of(char c) noexcept { return hex_values[static_cast<unsigned char>(c)]; }

/// Whether a byte of UTF-8 is one of a character that began before it.
constexpr bool is_continuation(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

inline bool same_but_for_case(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace kumihimo::inline v0::mruby
