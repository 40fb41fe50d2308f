// Short keys as numbers: where one belongs in a table, and whether two are the same, in a few loads that overlap.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kumihimo::inline v0 {

namespace detail {

inline std::uint64_t load8(const char* p) noexcept {
    std::uint64_t v;
    std::memcpy(&v, p, 8);
    return v;
}
inline std::uint32_t load4(const char* p) noexcept {
    std::uint32_t v;
    std::memcpy(&v, p, 4);
    return v;
}

}  // namespace detail

/// A place among 2^Bits for n bytes, n not 0. Looks at 24 of them at most.
template <unsigned Bits>
std::size_t key_place(const char* p, std::size_t n) noexcept {
    using detail::load4, detail::load8;
    std::uint64_t a, b;
    if (n >= 8) {
        a = load8(p);
        b = load8(p + n - 8);
        if (n > 16) a ^= load8(p + n / 2 - 4) * 0x9E3779B97F4A7C15u;
    } else if (n >= 4) {
        a = load4(p);
        b = load4(p + n - 4);
    } else {
        a = static_cast<unsigned char>(p[0]) | static_cast<std::uint64_t>(static_cast<unsigned char>(p[n - 1])) << 8;
        b = static_cast<unsigned char>(p[n / 2]);
    }
    const std::uint64_t h = (a ^ (b << 23 | b >> 41) ^ n) * 0xD6E8FEB86659FD93u;
    return static_cast<std::size_t>((h ^ h >> 29) * 0xBF58476D1CE4E5B9u >> (64 - Bits));
}

/// Whether n bytes are the same, n not 0.
[[gnu::always_inline]] inline bool same_key(const char* a, const char* b, std::size_t n) noexcept {
    using detail::load4, detail::load8;
    if (n >= 8) {
        if (load8(a + n - 8) != load8(b + n - 8)) return false;
        for (std::size_t i = 0; i + 8 < n; i += 8)
            if (load8(a + i) != load8(b + i)) return false;
        return true;
    }
    if (n >= 4) return load4(a) == load4(b) && load4(a + n - 4) == load4(b + n - 4);
    return a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1];
}

}  // namespace kumihimo::inline v0
