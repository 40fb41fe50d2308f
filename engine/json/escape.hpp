// Text into a JSON string: copy and test 16 bytes at a time, escape out of line what needs it.
//
//      store first, test after, advance by what was clean: the copy of a clean string is one load and one store per 16 bytes,
//      and the store of a tail goes over its end, which the next thing written covers.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/json/dialect.hpp"
#include "engine/json/kernels.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/lanes.hpp"

namespace kumihimo::inline v0::json {

/// Room that write_escaped needs for n bytes.
constexpr std::size_t escaped_bound(std::size_t n) noexcept { return n * 6 + simd::lanes::width; }

namespace detail {

inline char* write_unit(char* to, unsigned unit, bool upper) noexcept {
    const char* const digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    to[0] = '\\';
    to[1] = 'u';
    to[2] = digits[unit >> 12 & 15];
    to[3] = digits[unit >> 8 & 15];
    to[4] = digits[unit >> 4 & 15];
    to[5] = digits[unit & 15];
    return to + 6;
}

/// Writes what the byte at s, which the scan stopped at, stands for. The text is valid UTF-8.
[[gnu::noinline]] inline char* write_special(char* to, const char*& s, const char* e, const escape_set& set) noexcept {
    const auto c = static_cast<unsigned char>(*s);
    if (c >= 0x80 && set.ascii) {
        const scalar::decoded d = scalar::decode_utf8(s, e);
        s += d.length != 0 ? d.length : 1;
        const auto u = static_cast<std::uint32_t>(d.scalar);
        if (u < 0x10000) return write_unit(to, u, set.upper);
        to = write_unit(to, 0xD7C0 + (u >> 10), set.upper);
        return write_unit(to, 0xDC00 | (u & 0x3FF), set.upper);
    }
    const unsigned char action = set.action[c];
    if (action == escape_set::unicode) {
        ++s;
        return write_unit(to, c, set.upper);
    }
    if (action == escape_set::separators) {
        if (e - s >= 3 && s[1] == '\x80' && (s[2] == '\xA8' || s[2] == '\xA9')) {
            to = write_unit(to, s[2] == '\xA8' ? 0x2028 : 0x2029, set.upper);
            s += 3;
            return to;
        }
        *to++ = *s++;
        return to;
    }
    if (action != escape_set::copy) *to++ = '\\';
    *to++ = action != escape_set::copy ? static_cast<char>(action) : *s;
    ++s;
    return to;
}

template <bool Extra, bool Ascii>
inline char* write_escaped(char* to, const char* s, const char* e, const escape_set& set, bool& high) noexcept {
    using simd::lanes;
    const auto special = [&](lanes v) {
        lanes hits = v.eq('"') | v.eq('\\') | v.below(0x20);
        if constexpr (Extra) hits = hits | v.eq(set.extra[0]) | v.eq(set.extra[1]) | v.eq(set.extra[2]) | v.eq(set.extra[3]);
        if constexpr (Ascii) hits = hits | v.high();
        return hits.bits();
    };
    std::uint64_t beyond = 0;
    for (;;) {
        const auto left = static_cast<std::size_t>(e - s);
        if (left >= lanes::width) {
            const lanes v = lanes::load(s);
            v.store(to);
            beyond |= v.high().bits();
            const std::uint64_t hits = special(v);
            if (hits == 0) {
                s += lanes::width;
                to += lanes::width;
                continue;
            }
            const unsigned n = lanes::first(hits);
            s += n;
            to += n;
        } else {
            if (left == 0) break;  // not even a look: s may be the end of a page, or null
            const lanes v = simd::load_part(s, left);
            v.store(to);
            beyond |= v.high().bits() & lanes::under(left);
            const std::uint64_t hits = special(v) & lanes::under(left);
            if (hits == 0) {
                to += left;
                break;
            }
            const unsigned n = lanes::first(hits);
            s += n;
            to += n;
        }
        to = write_special(to, s, e, set);
    }
    high = beyond != 0;
    return to;
}

/// A test for one byte, or for two that differ in the bits the mask takes away.
struct byte_test {
    unsigned char mask = 0xFF, value = 0;
};

/// What a set's scan stops at beyond control characters, in as few compares as its bytes allow: " and & are one, < and
/// > too.
struct byte_tests {
    std::array<byte_test, 6> list{};
    std::size_t count = 0;

    constexpr explicit byte_tests(const escape_set& set) {
        add('"');
        for (const unsigned char c : set.extra) add(c);
        add('\\');
    }

private:
    constexpr void add(unsigned char c) {
        for (std::size_t i = 0; i < count; ++i)
            if ((c & list[i].mask) == list[i].value) return;
        for (std::size_t i = 0; i < count; ++i) {
            const auto differ = static_cast<unsigned char>(c ^ list[i].value);
            if (list[i].mask == 0xFF && std::has_single_bit(differ)) {
                list[i] = {static_cast<unsigned char>(~differ), static_cast<unsigned char>(c & ~differ)};
                return;
            }
        }
        list[count++] = {0xFF, c};
    }
};

/// The scan and the escapes of a set that is known when the program is compiled. Not for sets that are ascii.
template <const escape_set& Set>
struct fixed_escapes {
    static_assert(!Set.ascii);
    static constexpr byte_tests tests{Set};

    /// Where v has something to escape; 0xE2 counts where it may begin a separator.
    [[gnu::always_inline]] static simd::lanes stops(simd::lanes v) noexcept {
        return [&]<std::size_t... I>(std::index_sequence<I...>) { return (v.below(0x20) | ... | test<I>(v)); }
        (std::make_index_sequence<tests.count>());
    }

    /// Writes [s, s + n), valid UTF-8, escaped; `to` has escaped_bound(n) bytes.
    ///
    /// One look per vector finds all its stops; between two of them a vector is copied, whose end the next thing
    /// written covers. (A fresh look behind each stop took twice as long on text with five stops in 20 bytes.)
    [[gnu::noinline]] static char* write(char* to, const char* s, std::size_t n) noexcept {
        using simd::lanes;
        for (const char* const e = s + n; s != e;) {
            const auto left = static_cast<std::size_t>(e - s);
            const bool whole = left >= lanes::width;
            const std::size_t width = whole ? lanes::width : left;
            const lanes v = whole ? lanes::load(s) : simd::load_part(s, left);
            v.store(to);
            std::uint64_t hits = stops(v).bits() & (whole ? ~std::uint64_t{0} : lanes::under(left));
            if (hits == 0) {
                s += width;
                to += width;
                continue;
            }
            const char* const b = s;
            for (;;) {
                const char* const stop = b + lanes::first(hits);
                to += stop - s;
                s = stop;
                to = special(to, s, e);
                const auto done = static_cast<std::size_t>(s - b);
                if (!lanes::exact || done >= width) break;
                simd::load_part(s, width - done).store(to);
                hits &= ~lanes::under(done);
                if (hits == 0) {
                    to += width - done;
                    s = b + width;
                    break;
                }
            }
        }
        return to;
    }

private:
    template <std::size_t I>
    [[gnu::always_inline]] static simd::lanes test(simd::lanes v) noexcept {
        constexpr byte_test t = tests.list[I];
        if constexpr (t.mask == 0xFF)
            return v.eq(t.value);
        else
            return v.masked(t.mask).eq(t.value);
    }
    [[gnu::always_inline]] static char* special(char* to, const char*& s, const char* e) noexcept {
        const auto c = static_cast<unsigned char>(*s);
        const unsigned char action = Set.action[c];
        if (action > escape_set::separators) [[likely]] {
            to[0] = '\\';
            to[1] = static_cast<char>(action);
            ++s;
            return to + 2;
        }
        if (action != escape_set::unicode) [[unlikely]]
            return write_special(to, s, e, Set);
        const char* const digits = Set.upper ? "0123456789ABCDEF" : "0123456789abcdef";
        std::memcpy(to, "\\u00", 4);
        to[4] = digits[c >> 4];
        to[5] = digits[c & 15];
        ++s;
        return to + 6;
    }
};

}  // namespace detail

/// From this size on the widest vectors of the machine pay for a call through the table.
inline constexpr std::size_t long_text = 256;

/// As fixed_escapes<rfc8259_escapes>::write, for long text.
[[gnu::noinline]] inline char* write_long(char* to, const char* s, std::size_t n) noexcept {
    const char* const end = s + n;
    active_kernels().escape(to, to + escaped_bound(n), s, end);
    return detail::fixed_escapes<rfc8259_escapes>::write(to, s, static_cast<std::size_t>(end - s));
}

/// Writes [s, s + n) as the inside of a JSON string, without the quotes, and returns the end. `to` has
/// escaped_bound(n) bytes, all of which may be written to. `high` tells whether there was a byte above 0x7F. For a set
/// that is not ascii the text may be checked afterwards; for one that is, it must be valid UTF-8 before.
[[gnu::always_inline]] inline char* write_escaped(char* to, const char* s, std::size_t n, const escape_set& set,
                                                  bool& high) noexcept {
    if (!set.any_extra && !set.ascii) [[likely]]
        return detail::write_escaped<false, false>(to, s, s + n, set, high);
    if (!set.ascii) return detail::write_escaped<true, false>(to, s, s + n, set, high);
    return detail::write_escaped<true, true>(to, s, s + n, set, high);
}

}  // namespace kumihimo::inline v0::json
