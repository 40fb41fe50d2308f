#include "escape.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "../src/characters.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/lanes.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr unsigned char in_form = 1, in_component = 2, in_address = 4;

constexpr auto kept = [] {
    std::array<unsigned char, 256> t{};
    for (int c = 0; c < 256; ++c) {
        const bool plain = is_letter_or_digit(static_cast<char>(c));
        const auto is_in = [c](std::string_view set) {
            return c != 0 && set.find(static_cast<char>(c)) != std::string_view::npos;
        };
        if (plain || is_in("*-._")) t[static_cast<std::size_t>(c)] |= in_form;
        if (plain || is_in("-._~")) t[static_cast<std::size_t>(c)] |= in_component;
        if (plain || is_in("-._~:/?#[]@!$&'()*+,;=%")) t[static_cast<std::size_t>(c)] |= in_address;
    }
    return t;
}();

constexpr unsigned char bit_of(percent style) noexcept {
    return style == percent::form ? in_form : style == percent::address ? in_address : in_component;
}

constexpr bool has_plus(percent style) noexcept { return style == percent::form || style == percent::query; }

// Bytes before the first of the given ones, or of what the scalar rest finds.
template <class Hits, class Test>
std::size_t run(std::string_view s, Hits hits, Test test) noexcept {
    std::size_t i = 0;
    for (; i + simd::lanes::width <= s.size(); i += simd::lanes::width) {
        const std::uint64_t found = hits(simd::lanes::load(s.data() + i)).bits();
        if (found != 0) return i + simd::lanes::first(found);
    }
    while (i < s.size() && !test(s[i])) ++i;
    return i;
}

struct entity {
    char c;
    std::string_view text;
};
constexpr entity entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};

const entity* entity_of(char c) noexcept {
    for (const entity& e : entities) {
        if (e.c == c) return &e;
    }
    return nullptr;
}

std::size_t plain_html(std::string_view s) noexcept {
    return run(
        s, [](simd::lanes v) { return v.eq('&') | v.eq('<') | v.eq('>') | v.eq('"') | v.eq('\''); },
        [](char c) { return entity_of(c) != nullptr; });
}

// "&#38;" and "&#x26;" behind the "&#". How many bytes belong to it; 0: it is none.
std::size_t number(std::string_view s, std::uint32_t& scalar) noexcept {
    std::size_t i = 0;
    const bool hex = !s.empty() && (s[0] == 'x' || s[0] == 'X');
    if (hex) ++i;
    const std::size_t begin = i;
    scalar = 0;
    for (; i < s.size(); ++i) {
        const int d = hex_of(s[i]);
        if (d < 0 || (!hex && d > 9)) break;
        scalar = scalar * (hex ? 16 : 10) + static_cast<std::uint32_t>(d);
        if (scalar > 0x10FFFF) return 0;
    }
    if (i == begin || i == s.size() || s[i] != ';' || (scalar >= 0xD800 && scalar <= 0xDFFF)) return 0;
    return i + 1;
}

}  // namespace

std::size_t percent_encoded_size(std::string_view s, percent style) noexcept {
    std::size_t n = s.size();
    const unsigned char bit = bit_of(style);
    for (const char c : s) n += (kept[static_cast<unsigned char>(c)] & bit) == 0 && !(c == ' ' && has_plus(style)) ? 2 : 0;
    return n;
}

char* percent_encode(std::string_view s, percent style, char* to) noexcept {
    constexpr char hex[] = "0123456789ABCDEF";
    const unsigned char bit = bit_of(style);
    for (const char c : s) {
        const auto u = static_cast<unsigned char>(c);
        if ((kept[u] & bit) != 0) {
            *to++ = c;
        } else if (c == ' ' && has_plus(style)) {
            *to++ = '+';
        } else {
            *to++ = '%';
            *to++ = hex[u >> 4];
            *to++ = hex[u & 15];
        }
    }
    return to;
}

char* percent_decode(std::string_view s, bool plus_is_space, char* to) noexcept {
    const char plus = plus_is_space ? '+' : '%';
    while (!s.empty()) {
        const std::size_t n = run(
            s, [plus](simd::lanes v) { return v.eq('%') | v.eq(static_cast<unsigned char>(plus)); },
            [plus](char c) { return c == '%' || c == plus; });
        std::memmove(to, s.data(), n);
        to += n;
        s.remove_prefix(n);
        if (s.empty()) break;
        if (s[0] != '%') {
            *to++ = ' ';
            s.remove_prefix(1);
        } else if (s.size() >= 3 && (hex_of(s[1]) | hex_of(s[2])) >= 0) {
            *to++ = static_cast<char>(hex_of(s[1]) << 4 | hex_of(s[2]));
            s.remove_prefix(3);
        } else {
            *to++ = '%';
            s.remove_prefix(1);
        }
    }
    return to;
}

bool percent_valid(std::string_view s) noexcept {
    for (std::size_t at = s.find('%'); at != std::string_view::npos; at = s.find('%', at + 3)) {
        if (s.size() - at < 3 || (hex_of(s[at + 1]) | hex_of(s[at + 2])) < 0) return false;
    }
    return true;
}

std::size_t html_escaped_size(std::string_view s) noexcept {
    std::size_t size = s.size();
    for (;;) {
        s.remove_prefix(plain_html(s));
        if (s.empty()) return size;
        size += entity_of(s[0])->text.size() - 1;
        s.remove_prefix(1);
    }
}

char* html_escape(std::string_view s, char* to) noexcept {
    for (;;) {
        const std::size_t n = plain_html(s);
        std::memcpy(to, s.data(), n);
        to += n;
        s.remove_prefix(n);
        if (s.empty()) return to;
        const std::string_view text = entity_of(s[0])->text;
        std::memcpy(to, text.data(), text.size());
        to += text.size();
        s.remove_prefix(1);
    }
}

char* html_unescape(std::string_view s, char* to) noexcept {
    constexpr entity more[] = {{'\'', "&apos;"}};
    while (!s.empty()) {
        const std::size_t n = std::min(s.find('&'), s.size());
        std::memmove(to, s.data(), n);
        to += n;
        s.remove_prefix(n);
        if (s.empty()) break;
        const entity* found = nullptr;
        for (const entity& e : entities) {
            if (s.starts_with(e.text)) found = &e;
        }
        if (s.starts_with(more[0].text)) found = &more[0];
        std::uint32_t scalar = 0;
        if (found != nullptr) {
            *to++ = found->c;
            s.remove_prefix(found->text.size());
        } else if (const std::size_t length = s.starts_with("&#") ? number(s.substr(2), scalar) : 0; length != 0) {
            // Four bytes of UTF-8 take at least eight here.
            to = scalar::encode_utf8(to, scalar);
            s.remove_prefix(2 + length);
        } else {
            *to++ = '&';
            s.remove_prefix(1);
        }
    }
    return to;
}

}  // namespace kumihimo::inline v0::mruby
