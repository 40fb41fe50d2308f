// Where the parts of a document end: white space, comments, words, strings and numbers. Ends only: values are made in
// json/string.hpp and json/number.hpp. The readers, the exact projection, the diagnosis and the search for duplicate
// keys all ask here, so that they cannot disagree.
//
// The kernels have their own scans, in vectors; among them kernels/check_scalar.hpp on purpose, because the tests
// compare with it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/json/dialect.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/lanes.hpp"

namespace kumihimo::inline v0::json {

// White space and comments.

constexpr bool is_space(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

[[gnu::always_inline]] inline const char* skip_space(const char* p, const char* end) noexcept {
    while (p != end && is_space(*p)) ++p;
    return p;
}

/// The byte behind the comment whose slash is at p; null where none begins, or where it is not closed. Whether its
/// text is UTF-8 is the caller's to check. The line feed behind a line comment is not part of it.
[[gnu::cold, gnu::noinline]] inline const char* comment_end(const char* p, const char* end,
                                                            const read_dialect& granted) noexcept {
    if (end - p < 2) return nullptr;
    if (p[1] == '/') {
        while (p != end && *p != '\n' && (*p != '\r' || granted.line_end != line_comments::any_break)) ++p;
        return p == end && granted.line_end == line_comments::closed ? nullptr : p;
    }
    if (p[1] != '*') return nullptr;
    for (p += 2; end - p >= 2; ++p)
        if (p[0] == '*' && p[1] == '/') return p + 2;
    return nullptr;
}

// Words. The bytes are int here, so that a caller can ask about the end of the input as -1.

constexpr bool is_digit(int c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_letter(int c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
/// What cannot follow a number or a word, not even between the documents of a stream.
constexpr bool runs_on(int c) noexcept { return is_letter(c) || is_digit(c) || c == '.' || c == '+' || c == '-'; }

/// The byte behind the word w; null where something else is at p. What follows the word is the caller's to check.
[[gnu::always_inline]] inline const char* word_end(const char* p, const char* end, std::string_view w) noexcept {
    return static_cast<std::size_t>(end - p) >= w.size() && std::memcmp(p, w.data(), w.size()) == 0 ? p + w.size() : nullptr;
}

// Strings.

/// The inside of a string, as far as a scan can tell.
struct scanned {
    const char* end = nullptr;  // the closing quote; nullptr: none before the end, or a control character
    bool escaped = false;
    bool ascii = true;
};

/// Scans from behind the opening quote to the closing one. Neither escapes nor UTF-8 are checked.
inline scanned scan_string(const char* p, const char* end, bool control_characters) noexcept {
    using simd::lanes;
    scanned out;
    std::uint64_t high = 0;
    for (;;) {
        while (static_cast<std::size_t>(end - p) >= lanes::width) {
            const lanes v = lanes::load(p);
            const std::uint64_t stop = (v.eq('"') | v.eq('\\') | v.below(0x20)).bits();
            const std::uint64_t beyond = v.high().bits();
            if (stop == 0) {
                high |= beyond;
                p += lanes::width;
                continue;
            }
            high |= beyond & (stop ^ (stop - 1));  // what lies before the stop
            p += lanes::first(stop);
            goto stopped;
        }
        for (;; ++p) {
            if (p == end) return out;
            const auto c = static_cast<unsigned char>(*p);
            if (c == '"' || c == '\\' || c < 0x20) break;
            high |= c & 0x80;
        }
    stopped:
        if (*p == '"') {
            out.end = p;
            out.ascii = high == 0;
            return out;
        }
        if (*p == '\\') {
            if (end - p < 2) return out;
            out.escaped = true;
            // The byte behind the backslash is judged by unescape; here it only must not end the string.
            high |= static_cast<unsigned char>(p[1]) & 0x80;
            p += 2;
        } else {
            if (!control_characters) return out;
            ++p;
        }
    }
}

namespace detail {

struct hex_table {
    signed char digit[256];
    constexpr hex_table() : digit{} {
        for (auto& x : digit) x = -1;
        for (int i = 0; i < 10; ++i) digit['0' + i] = static_cast<signed char>(i);
        for (int i = 0; i < 6; ++i) digit['a' + i] = digit['A' + i] = static_cast<signed char>(10 + i);
    }
};
inline constexpr hex_table hex{};

// By the letter behind a backslash: the character it means; 0 for \u, and for what is no escape.
struct escape_table {
    char meaning[256];
    constexpr escape_table() : meaning{} {
        constexpr std::string_view names = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
        for (std::size_t i = 0; i < names.size(); ++i) meaning[static_cast<unsigned char>(names[i])] = meant[i];
    }
};
inline constexpr escape_table escape{};

/// The 16 bits of four hexadecimal digits, or something negative.
inline int four_hex(const char* p) noexcept {
    const auto h = [&](int i) { return static_cast<int>(hex.digit[static_cast<unsigned char>(p[i])]); };
    const int a = h(0), b = h(1), c = h(2), d = h(3);
    return (a | b | c | d) < 0 ? -1 : a << 12 | b << 8 | c << 4 | d;
}

inline bool digit_at(const char* p) noexcept { return static_cast<unsigned char>(*p - '0') < 10; }

}  // namespace detail

/// The byte behind the escape whose backslash is at p, a surrogate pair as one; null where RFC 8259 has no such
/// escape, or where it is half a pair.
inline const char* escape_end(const char* p, const char* end) noexcept {
    if (end - p < 2) return nullptr;
    if (p[1] != 'u') return detail::escape.meaning[static_cast<unsigned char>(p[1])] != 0 ? p + 2 : nullptr;
    const int unit = end - p >= 6 ? detail::four_hex(p + 2) : -1;
    if (unit < 0) return nullptr;
    p += 6;
    if ((unit & 0xF800) != 0xD800) return p;
    if (unit >= 0xDC00 || end - p < 6 || p[0] != '\\' || p[1] != 'u' || (detail::four_hex(p + 2) & ~0x3FF) != 0xDC00)
        return nullptr;
    return p + 6;
}

/// The closing quote of the string whose opening quote is before p; null where it is not a valid string of RFC 8259.
/// `escaped` says whether it has an escape.
inline const char* string_end(const char* p, const char* end, bool& escaped) noexcept {
    const scanned s = scan_string(p, end, false);
    escaped = s.escaped;
    if (s.end == nullptr) return nullptr;
    if (!s.ascii) {
        const auto n = static_cast<std::size_t>(s.end - p);
        if (scalar::utf8_valid_prefix(p, n) != n) return nullptr;
    }
    if (s.escaped) {
        for (;;) {
            p = static_cast<const char*>(std::memchr(p, '\\', static_cast<std::size_t>(s.end - p)));
            if (p == nullptr) break;
            p = escape_end(p, s.end);
            if (p == nullptr) return nullptr;
        }
    }
    return s.end;
}

// Numbers: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?

/// The part of a number whose digits are missing.
enum class number_part : std::uint8_t { none, whole, fraction, exponent };

/// A number by the grammar: its end, or where it breaks off and in which part.
struct scanned_number {
    const char* end;
    number_part missing;
    bool may_overflow;  // it might be beyond the largest double
};

/// Scans the number at p. Reads [p, end) only; what comes behind the number is the caller's to check.
[[gnu::always_inline]] inline scanned_number scan_number(const char* p, const char* end) noexcept {
    using detail::digit_at;
    const char* const begin = p;
    bool may_overflow = false;
    if (p != end && *p == '-') ++p;
    if (p == end || !digit_at(p)) return {p, number_part::whole, false};
    if (*p == '0')
        ++p;
    else
        while (p != end && digit_at(p)) ++p;
    if (p != end && *p == '.') {
        ++p;
        if (p == end || !digit_at(p)) return {p, number_part::fraction, false};
        while (p != end && digit_at(p)) ++p;
    }
    if (p != end && (*p | 0x20) == 'e') {
        ++p;
        if (p != end && (*p == '+' || *p == '-')) ++p;
        if (p == end || !digit_at(p)) return {p, number_part::exponent, false};
        const char* const exponent = p;
        while (p != end && digit_at(p)) ++p;
        may_overflow = p - exponent > 2;
    }
    return {p, number_part::none, may_overflow || p - begin > 63};
}

/// The end of the number at p; null where there is none, or where it breaks off. may_overflow becomes true when it
/// might be beyond the largest double, and stays what it was otherwise.
inline const char* number_end(const char* p, const char* end, bool& may_overflow) noexcept {
    const scanned_number n = scan_number(p, end);
    if (n.missing != number_part::none) return nullptr;
    may_overflow |= n.may_overflow;
    return n.end;
}
inline const char* number_end(const char* p, const char* end) noexcept {
    bool unasked = false;
    return number_end(p, end, unasked);
}

}  // namespace kumihimo::inline v0::json
