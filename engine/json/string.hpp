// Strings as they lie in a document: taking the escapes out. Where they end is json/scan.hpp's question.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/json/dialect.hpp"
#include "engine/json/scan.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/lanes.hpp"

namespace kumihimo::inline v0::json {

/// Room that unescape wants beyond the length of its input.
inline constexpr std::size_t unescape_slack = simd::lanes::width;

/// What unescape makes of half a surrogate pair. low and greedy: as lone_surrogates of json/dialect.hpp; bytes: the
/// three that UTF-8 would give it if it could.
enum class half_pair : unsigned char { refuse, replace, report, low, greedy, bytes };

/// What unescape makes of a backslash before a character that JSON gives no meaning: refuse it, drop the backslash
/// unless a control character follows, or a zero byte.
enum class unknown_escape : unsigned char { refuse, drop, drop_any };

struct unescaped {
    char* end = nullptr;  // nullptr: a refused escape or half pair
    bool ascii = true;    // of what the escapes said; the rest was the caller's to know
    bool half = false;    // a half pair came, and report was asked for: `end` is not to be used
};

constexpr half_pair half_pair_of(lone_surrogates granted) noexcept {
    switch (granted) {
        case lone_surrogates::refuse: return half_pair::refuse;
        case lone_surrogates::replace: return half_pair::replace;
        case lone_surrogates::keep: return half_pair::report;
        case lone_surrogates::low: return half_pair::low;
        case lone_surrogates::greedy: return half_pair::greedy;
    }
    return half_pair::refuse;
}
constexpr unknown_escape unknown_escape_of(const read_dialect& granted) noexcept {
    if (!granted.unknown_escapes) return unknown_escape::refuse;
    return granted.control_characters ? unknown_escape::drop_any : unknown_escape::drop;
}

/// Takes the escapes out of [p, e), writing to `to`, which has e - p + unescape_slack bytes. Block copies may read up
/// to `readable`, which is e or behind it.
inline unescaped unescape(const char* p, const char* e, const char* readable, char* to, half_pair policy,
                          unknown_escape unknown = unknown_escape::refuse) noexcept {
    using simd::lanes;
    unescaped out;
    const auto droppable = [&](char c) {
        return (unknown == unknown_escape::drop_any && c != 0) ||
               (unknown == unknown_escape::drop && static_cast<unsigned char>(c) >= 0x20);
    };
    for (;;) {
        // In blocks, up to the next escape that is more than one character; what was copied too much is written over.
        while (static_cast<std::size_t>(readable - p) >= lanes::width) {
            const lanes v = lanes::load(p);
            v.store(to);
            std::uint64_t hits = v.eq('\\').bits();
            if (hits == 0) {
                p += lanes::width;
                to += lanes::width;
                if (p >= e) break;
                continue;
            }
            // All the backslashes of the block from one look at it. (A fresh look behind each took a quarter longer on
            // text with five of them in 20 bytes.)
            const char* const b = p;
            bool simple;
            for (;;) {
                const char* const stop = b + lanes::first(hits);
                to += stop - p;
                p = stop;
                const char c = e - p < 2 ? '\0' : detail::escape.meaning[static_cast<unsigned char>(p[1])];
                simple = c != 0;
                if (!simple) break;
                *to++ = c;
                p += 2;
                const auto done = static_cast<std::size_t>(p - b);
                if (!lanes::exact || done >= lanes::width || static_cast<std::size_t>(readable - p) < lanes::width) break;
                lanes::load(p).store(to);
                hits &= ~lanes::under(done);
                if (hits == 0) {
                    to += lanes::width - done;
                    p += lanes::width - done;
                    break;
                }
            }
            if (!simple || p >= e) break;
        }
        while (p < e && *p != '\\') *to++ = *p++;
        if (p >= e) {
            out.end = to - (p - e);
            return out;
        }
        if (e - p < 2) return out;
        if (p[1] != 'u') {
            const char c = detail::escape.meaning[static_cast<unsigned char>(p[1])];
            if (c == 0 && !droppable(p[1])) return out;
            *to++ = c == 0 ? p[1] : c;
            p += 2;
            continue;
        }
        if (e - p < 6) return out;
        const int unit = detail::four_hex(p + 2);
        if (unit < 0) return out;
        p += 6;
        char32_t c = static_cast<char32_t>(unit);
        if ((unit & 0xF800) == 0xD800) {
            const int low = unit < 0xDC00 && e - p >= 6 && p[0] == '\\' && p[1] == 'u' ? detail::four_hex(p + 2) : -1;
            if (low >= 0xDC00 && low <= 0xDFFF) {
                c = 0x10000 + (static_cast<char32_t>(unit & 0x3FF) << 10) + static_cast<char32_t>(low & 0x3FF);
                p += 6;
            } else if (policy == half_pair::refuse || (policy == half_pair::low && unit < 0xDC00)) {
                return out;
            } else if (policy == half_pair::greedy && unit < 0xDC00) {
                if (e - p < 6) return out;
                if (p[0] == '\\' && p[1] == 'u') {
                    if (low < 0) return out;
                    c = 0x10000 + (static_cast<char32_t>(unit & 0x3FF) << 10) + static_cast<char32_t>(low & 0x3FF);
                    p += 6;
                } else {
                    if (p[0] == '\\' && detail::escape.meaning[static_cast<unsigned char>(p[1])] == 0 && !droppable(p[1]))
                        return out;
                    c = '?';
                    ++p;
                }
            } else if (policy == half_pair::low || policy == half_pair::greedy || policy == half_pair::bytes) {
                out.ascii = false;
                *to++ = static_cast<char>(0xE0 | unit >> 12);
                *to++ = static_cast<char>(0x80 | (unit >> 6 & 0x3F));
                *to++ = static_cast<char>(0x80 | (unit & 0x3F));
                continue;
            } else {
                out.half = policy == half_pair::report;
                c = 0xFFFD;
            }
        }
        out.ascii = out.ascii && c < 0x80;
        to = scalar::encode_utf8(to, c);
    }
}

/// The same into UTF-16 units, half pairs kept as they are. `to` has e - p units; [p, e) is valid UTF-8 whose escapes
/// unescape has accepted. Returns the end.
inline char16_t* unescape_utf16(const char* p, const char* e, char16_t* to) noexcept {
    while (p < e) {
        if (*p != '\\') {
            const scalar::decoded d = scalar::decode_utf8(p, e);
            to = scalar::encode_utf16(to, d.scalar);
            p += d.length;
        } else if (p[1] == 'u') {
            *to++ = static_cast<char16_t>(detail::four_hex(p + 2));
            p += 6;
        } else if (const char c = detail::escape.meaning[static_cast<unsigned char>(p[1])]; c != 0) {
            *to++ = static_cast<char16_t>(c);
            p += 2;
        } else {
            ++p;  // an escape without a meaning, which was granted
        }
    }
    return to;
}

}  // namespace kumihimo::inline v0::json
