// Whether text is UTF-8, by the way that its length is worth: short strings go byte by byte, long ones through the
// kernel table.
#pragma once
#include <cstddef>

#include "engine/core/sink.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/dispatch.hpp"

namespace kumihimo::inline v0::simd {

inline bool valid_utf8(const char* s, std::size_t n) noexcept {
    if (n <= 64) return scalar::utf8_valid_prefix(s, n) == n;
    return active().utf8(s, n);
}

/// The same for text that mostly is ASCII.
inline bool is_text(const unsigned char* p, std::size_t n) noexcept {
    const char* const s = reinterpret_cast<const char*>(p);
    const std::size_t ascii = scalar::ascii_prefix(s, n);
    return ascii == n || valid_utf8(s + ascii, n - ascii);
}

/// Finds out whether t is ASCII; false when it is not even UTF-8.
inline bool classify(text& t) noexcept {
    const char* s = static_cast<const char*>(t.data);
    const std::size_t ascii = scalar::ascii_prefix(s, t.size);
    if (ascii == t.size) return true;
    t.charset = encoding::utf8;
    return valid_utf8(s + ascii, t.size - ascii);
}

}  // namespace kumihimo::inline v0::simd
