// Text encodings: check UTF-8, and convert between UTF-8, UTF-16 and Latin-1. Portable code; the wide kernels that
// check whole documents are in engine/simd and are tested against these.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/core/errc.hpp"

namespace kumihimo::inline v0::scalar {

/// One decoded scalar value and the bytes (UTF-8) or units (UTF-16) it took; length 0: not valid here.
struct decoded {
    char32_t scalar = 0;
    unsigned length = 0;
};

/// The bytes of a sequence that begins with this one, which is not ASCII and no continuation byte.
constexpr unsigned utf8_sequence_size(char first) noexcept {
    const auto c = static_cast<unsigned char>(first);
    return c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
}

/// Decodes the scalar value at `at`. Refused (length 0): overlong forms, surrogates, above U+10FFFF, a cut sequence,
/// at == end.
constexpr decoded decode_utf8(const char* at, const char* end) noexcept {
    const auto left = end - at;
    if (left < 1) return {};
    const auto byte = [&](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])); };
    const auto tail = [&](int i) { return (byte(i) & 0xC0) == 0x80; };
    const std::uint32_t a = byte(0);
    if (a < 0x80) return {a, 1};
    if (a < 0xC2) return {};  // a continuation byte, or an overlong form of ASCII
    if (a < 0xE0) {
        if (left < 2 || !tail(1)) return {};
        return {(a & 0x1F) << 6 | (byte(1) & 0x3F), 2};
    }
    if (a < 0xF0) {
        if (left < 3 || !tail(1) || !tail(2)) return {};
        const std::uint32_t c = (a & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
        if (c < 0x800 || (c & 0xF800) == 0xD800) return {};
        return {c, 3};
    }
    if (a > 0xF4 || left < 4 || !tail(1) || !tail(2) || !tail(3)) return {};
    const std::uint32_t c = (a & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    if (c < 0x10000 || c > 0x10FFFF) return {};
    return {c, 4};
}

/// Writes a scalar value (at most U+10FFFF) and returns the end. `to` has 4 bytes. A surrogate, which is none, takes
/// three bytes, as in WTF-8.
constexpr char* encode_utf8(char* to, char32_t c) noexcept {
    if (c < 0x80) {
        *to++ = static_cast<char>(c);
    } else if (c < 0x800) {
        *to++ = static_cast<char>(0xC0 | c >> 6);
        *to++ = static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *to++ = static_cast<char>(0xE0 | c >> 12);
        *to++ = static_cast<char>(0x80 | (c >> 6 & 0x3F));
        *to++ = static_cast<char>(0x80 | (c & 0x3F));
    } else {
        *to++ = static_cast<char>(0xF0 | c >> 18);
        *to++ = static_cast<char>(0x80 | (c >> 12 & 0x3F));
        *to++ = static_cast<char>(0x80 | (c >> 6 & 0x3F));
        *to++ = static_cast<char>(0x80 | (c & 0x3F));
    }
    return to;
}

/// Decodes the scalar value at `at`; half a surrogate pair has length 0.
constexpr decoded decode_utf16(const char16_t* at, const char16_t* end) noexcept {
    if (at == end) return {};
    const std::uint32_t a = at[0];
    if ((a & 0xF800) != 0xD800) return {a, 1};
    if (a >= 0xDC00 || end - at < 2 || (at[1] & 0xFC00) != 0xDC00) return {};
    return {0x10000 + ((a & 0x3FF) << 10) + (at[1] & 0x3FFu), 2};
}

/// Writes a scalar value as one or two units and returns the end. `to` has 2 units.
constexpr char16_t* encode_utf16(char16_t* to, char32_t c) noexcept {
    if (c < 0x10000) {
        *to++ = static_cast<char16_t>(c);
    } else {
        *to++ = static_cast<char16_t>(0xD7C0 + (c >> 10));
        *to++ = static_cast<char16_t>(0xDC00 | (c & 0x3FF));
    }
    return to;
}

/// How many leading bytes are ASCII.
inline std::size_t ascii_prefix(const char* s, std::size_t n) noexcept {
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        std::uint64_t w;
        std::memcpy(&w, s + i, 8);
        if ((w & 0x8080808080808080u) != 0) break;
    }
    while (i < n && static_cast<unsigned char>(s[i]) < 0x80) ++i;
    return i;
}

/// The length in bytes of the longest prefix that is valid UTF-8; n means: all of it is.
inline std::size_t utf8_valid_prefix(const char* s, std::size_t n) noexcept {
    const char* at = s;
    const char* const end = s + n;
    for (;;) {
        at += ascii_prefix(at, static_cast<std::size_t>(end - at));
        do {
            if (at == end) return n;
            const decoded d = decode_utf8(at, end);
            if (d.length == 0) return static_cast<std::size_t>(at - s);
            at += d.length;
        } while (at != end && static_cast<unsigned char>(*at) >= 0x80);
    }
}

/// Scalar values in valid UTF-8.
inline std::size_t utf8_length(const char* s, std::size_t n) noexcept {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) count += (static_cast<unsigned char>(s[i]) & 0xC0) != 0x80;
    return count;
}

/// UTF-16 units that valid UTF-8 becomes. Never more than n.
inline std::size_t utf16_size(const char* s, std::size_t n) noexcept {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto c = static_cast<unsigned char>(s[i]);
        count += (c & 0xC0) != 0x80;
        count += c >= 0xF0;
    }
    return count;
}

/// Converts UTF-8 to UTF-16. `to` has n units (or utf16_size of valid text). On errc::encoding `written` units were
/// good.
inline errc utf8_to_utf16(const char* s, std::size_t n, char16_t* to, std::size_t& written) noexcept {
    const char* at = s;
    const char* const end = s + n;
    char16_t* out = to;
    errc result = errc::ok;
    while (at != end) {
        if (static_cast<unsigned char>(*at) < 0x80) {
            *out++ = static_cast<unsigned char>(*at++);
            continue;
        }
        const decoded d = decode_utf8(at, end);
        if (d.length == 0) {
            result = errc::encoding;
            break;
        }
        out = encode_utf16(out, d.scalar);
        at += d.length;
    }
    written = static_cast<std::size_t>(out - to);
    return result;
}

/// Bytes that are always enough for n UTF-16 units as UTF-8.
constexpr std::size_t utf8_bound_of_utf16(std::size_t n) noexcept { return n * 3; }

/// Bytes that UTF-16 becomes as UTF-8, or as WTF-8 where it holds half a surrogate pair.
inline std::size_t utf8_size_of_utf16(const char16_t* s, std::size_t n) noexcept {
    std::size_t size = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const char16_t c = s[i];
        size += 1u + (c >= 0x80) + (c >= 0x800);
        if ((c & 0xFC00) == 0xD800 && i + 1 < n && (s[i + 1] & 0xFC00) == 0xDC00) {
            ++size;
            ++i;
        }
    }
    return size;
}

/// Converts UTF-16 to UTF-8. `to` has utf8_bound_of_utf16(n) bytes. Half a surrogate pair: errc::encoding, `written`
/// bytes were good.
inline errc utf16_to_utf8(const char16_t* s, std::size_t n, char* to, std::size_t& written) noexcept {
    const char16_t* at = s;
    const char16_t* const end = s + n;
    char* out = to;
    errc result = errc::ok;
    while (at != end) {
        if (*at < 0x80) {
            *out++ = static_cast<char>(*at++);
            continue;
        }
        const decoded d = decode_utf16(at, end);
        if (d.length == 0) {
            result = errc::encoding;
            break;
        }
        out = encode_utf8(out, d.scalar);
        at += d.length;
    }
    written = static_cast<std::size_t>(out - to);
    return result;
}

/// The same of any UTF-16, as WTF-8 (simonsapin.github.io/wtf-8): half a surrogate pair takes three bytes. Returns the
/// end. `to` has utf8_size_of_utf16 bytes.
inline char* utf16_to_wtf8(const char16_t* s, std::size_t n, char* to) noexcept {
    const char16_t* const end = s + n;
    while (s != end) {
        const decoded d = decode_utf16(s, end);
        to = encode_utf8(to, d.length == 0 ? *s : d.scalar);
        s += d.length == 0 ? 1 : d.length;
    }
    return to;
}

/// Bytes that are always enough for n Latin-1 bytes as UTF-8.
constexpr std::size_t utf8_bound_of_latin1(std::size_t n) noexcept { return n * 2; }

/// Bytes that Latin-1 becomes as UTF-8.
inline std::size_t utf8_size_of_latin1(const char* s, std::size_t n) noexcept {
    std::size_t size = n;
    for (std::size_t i = 0; i < n; ++i) size += static_cast<unsigned char>(s[i]) >> 7;
    return size;
}

/// Converts Latin-1 to UTF-8 and returns the end. `to` has utf8_bound_of_latin1(n) (or utf8_size_of_latin1) bytes.
inline char* latin1_to_utf8(const char* s, std::size_t n, char* to) noexcept {
    for (std::size_t i = 0; i < n; ++i) {
        const auto c = static_cast<unsigned char>(s[i]);
        if (c < 0x80) {
            *to++ = static_cast<char>(c);
        } else {
            *to++ = static_cast<char>(0xC0 | c >> 6);
            *to++ = static_cast<char>(0x80 | (c & 0x3F));
        }
    }
    return to;
}

/// Converts UTF-8 to Latin-1. `to` has n bytes. errc::encoding: not valid UTF-8; errc::range: a value above U+00FF.
inline errc utf8_to_latin1(const char* s, std::size_t n, char* to, std::size_t& written) noexcept {
    const char* at = s;
    const char* const end = s + n;
    char* out = to;
    errc result = errc::ok;
    while (at != end) {
        const decoded d = decode_utf8(at, end);
        if (d.length == 0 || d.scalar > 0xFF) {
            result = d.length == 0 ? errc::encoding : errc::range;
            break;
        }
        *out++ = static_cast<char>(d.scalar);
        at += d.length;
    }
    written = static_cast<std::size_t>(out - to);
    return result;
}

}  // namespace kumihimo::inline v0::scalar
