// Doubles in 16, 32 and 64 bits: the shortest that keeps the value, and back.
#pragma once
#include <bit>
#include <cstdint>

#include "engine/cbor/header.hpp"

namespace kumihimo::inline v0::cbor {

/// Half and single without a branch but for infinities and NaN: widths take turns in real data.
inline double from_half(std::uint64_t h) noexcept {
    const std::uint64_t sign = (h & 0x8000u) << 48, magnitude = h & 0x7fffu;
    // The exponent's bias is put right by a product, which is exact, denormals included.
    double x = std::bit_cast<double>(magnitude << 42) * 0x1p1008;
    if (magnitude >= 0x7c00u) [[unlikely]]
        x = std::bit_cast<double>(std::uint64_t{2047} << 52 | magnitude << 42);
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | sign);
}

/// The half of the same value for what is no normal number of its range: zero, infinities, denormals. False where there is
/// none.
[[gnu::cold, gnu::noinline]] inline bool to_rare_half(std::uint32_t bits, std::uint64_t& out) noexcept {
    const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    const int exponent = static_cast<int>(magnitude >> 23) - 127;
    if (magnitude == 0) {
        out = sign;
    } else if (magnitude == 0x7f800000u) {
        out = sign | 0x7c00u;
    } else if (exponent >= -24 && exponent < -14) {  // denormal: a multiple of 2^-24
        const std::uint32_t whole = (bits & 0x7fffffu) | 0x800000u;
        const int shift = -exponent - 1;
        if ((whole & ((1u << shift) - 1)) != 0) return false;
        out = sign | whole >> shift;
    } else {
        return false;
    }
    return true;
}

/// How many bytes the shortest float of this value has: 2, 4 or 8; `bits` are those. Every NaN is 7e00.
[[gnu::always_inline]] inline unsigned shortest_float(double x, std::uint64_t& bits) noexcept {
    const auto narrow = static_cast<float>(x);
    if (static_cast<double>(narrow) != x) [[likely]] {
        if (x == x) [[likely]] {
            bits = std::bit_cast<std::uint64_t>(x);
            return 8;
        }
        bits = 0x7e00;
        return 2;
    }
    const auto single = std::bit_cast<std::uint32_t>(narrow);
    const std::uint32_t from_least = (single & 0x7fffffffu) - (113u << 23);  // 2^-14, a half's smallest normal number
    if (from_least >= 30u << 23) [[unlikely]] {
        if (to_rare_half(single, bits)) return 2;
        bits = single;
        return 4;
    }
    // Which of the two cannot be foretold: masks instead of a branch.
    const unsigned half = (single & 0x1fffu) == 0;
    const std::uint32_t mask = 0u - half, narrower = (single >> 16 & 0x8000u) | ((from_least >> 13) + 0x400u);
    bits = (narrower & mask) | (single & ~mask);
    return 4 - 2 * half;
}

/// Writes a float with its head and returns the end. `to` has longest_header bytes, and all of them may be written.
[[gnu::always_inline]] inline char* put_float(char* to, double x, bool shortest) noexcept {
    if (!shortest || (static_cast<double>(static_cast<float>(x)) != x && x == x)) [[likely]] {
        *to = static_cast<char>(0xfb);
        store_eight(to + 1, std::bit_cast<std::uint64_t>(x));
        return to + 9;
    }
    std::uint64_t bits = 0;
    const std::size_t width = shortest_float(x, bits);
    *to = static_cast<char>(0xf9 + (width >> 2));  // 2, 4: f9, fa
    store_eight(to + 1, bits << (64 - 8 * width));
    return to + 1 + width;
}

/// The value of a float's bits, as read_header() gives them.
inline double float_value(std::uint64_t bits, unsigned width) noexcept {
    if (width == 2) return from_half(bits);
    if (width == 4) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    return std::bit_cast<double>(bits);
}

}  // namespace kumihimo::inline v0::cbor
