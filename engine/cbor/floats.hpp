// Doubles in 16, 32 and 64 bits: the shortest that keeps the value, and back.
#pragma once
#include <bit>
#include <cstdint>

#include "engine/cbor/header.hpp"

namespace kumihimo::inline v0::cbor {

/// The value of a half (which: 0) or single (1), its bits being the highest ones of `left`. Without a branch but for
/// infinities and NaN: widths take turns in real data.
inline double narrow_float(std::uint64_t left, std::size_t which) noexcept {
    struct layout {
        std::uint64_t magnitude;  // all bits but the sign's
        std::uint64_t infinity;
        double scale;  // puts the exponent's bias right, by a product that is exact, denormals included
        unsigned shift;
    };
    static constexpr layout layouts[] = {
        {std::uint64_t{0x7fff} << 48, std::uint64_t{0x7c00} << 48, 0x1p1008, 6},
        {std::uint64_t{0x7fffffff} << 32, std::uint64_t{0x7f800000} << 32, 0x1p896, 3},
    };
    const layout& narrow = layouts[which];
    const std::uint64_t magnitude = left & narrow.magnitude, sign = left & std::uint64_t{1} << 63;
    const std::uint64_t unbiased = magnitude >> narrow.shift;
    double x = std::bit_cast<double>(unbiased) * narrow.scale;
    if (magnitude >= narrow.infinity) [[unlikely]]
        x = std::bit_cast<double>(std::uint64_t{2047} << 52 | unbiased);
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | sign);
}

/// The value of a float's bits, as read_header() gives them.
inline double float_value(std::uint64_t bits, unsigned width) noexcept {
    if (width == 8) return std::bit_cast<double>(bits);
    return narrow_float(bits << (64 - 8 * width), width / 4);
}

/// Writes what has neither a fraction that needs 64 bits nor an exponent that both half and single have: zero,
/// infinities, NaN, what is denormal in one of them, what is beyond single.
[[gnu::noinline]] inline char* put_rare_float(char* to, std::uint64_t bits) noexcept {
    constexpr std::uint64_t infinity = std::uint64_t{2047} << 52, one = std::uint64_t{1} << 52;
    const std::uint64_t sign = bits & std::uint64_t{1} << 63, magnitude = bits ^ sign;
    const auto put = [to](unsigned width, std::uint64_t left) {
        *to = static_cast<char>(0xf9 + width / 4);  // 2, 4, 8: f9, fa, fb
        big_endian::store(to + 1, left);
        return to + 1 + width;
    };
    if (magnitude == 0) return put(2, sign);
    if (magnitude > infinity) return put(2, std::uint64_t{0x7e00} << 48);
    if (magnitude == infinity) return put(2, sign | std::uint64_t{0x7c00} << 48);
    const int exponent = static_cast<int>(magnitude >> 52) - 1023;
    const std::uint64_t whole = (magnitude & (one - 1)) | one;
    const int last = exponent - 52 + std::countr_zero(whole);  // the value is a multiple of 2^last
    // A half's denormals are multiples of 2^-24, a single's of 2^-149.
    if (exponent < -14 && last >= -24) return put(2, sign | whole >> (28 - exponent) << 48);
    if (exponent > 127 || last < -149) return put(8, bits);
    if (exponent < -126) return put(4, sign | whole >> (-97 - exponent) << 32);
    return put(4, sign | (magnitude - 896 * one) << 3);
}

/// Writes a float with its head and returns the end: the shortest that keeps the value, every NaN being 7e00, or 64
/// bits. `to` has longest_header bytes, and all of them may be written.
[[gnu::always_inline]] inline char* put_float(char* to, double x, bool shortest) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto wide = [to, bits] {
        *to = static_cast<char>(0xfb);
        big_endian::store(to + 1, bits);
        return to + 9;
    };
    // A fraction with one of its last 29 bits set is no single's.
    if ((bits & ((1u << 29) - 1)) != 0) [[likely]] {
        if (x == x) [[likely]]
            return wide();
    }
    if (!shortest) return wide();
    const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(x));
    const std::uint32_t from_least = 2 * single - (113u << 24);  // without the sign; 2^-14 is a half's least normal number
    if (from_least >= 142u << 24) [[unlikely]]
        return put_rare_float(to, bits);
    // Half or single cannot be foretold: masks instead of a branch. A half lacks 13 bits of the fraction and has 30
    // exponents: one comparison, with what it lacks in the highest place.
    const std::uint64_t fits = std::uint64_t{std::rotr(from_least, 14)} - (30u << 10);  // negative: a half
    const auto half = static_cast<unsigned>(fits >> 63);
    const auto body = static_cast<std::uint32_t>(fits >> 33);  // all bits but the sign's
    const std::uint32_t shorter = 8 * single - (112u << 26);
    *to = static_cast<char>(0xfa - half);
    big_endian::store(to + 1, single ^ ((single ^ shorter) & body));
    return to + 5 - 2 * half;
}

/// How many bytes the shortest float of this value has: 2, 4 or 8; `bits` are those.
inline unsigned shortest_float(double x, std::uint64_t& bits) noexcept {
    char item[longest_header + 8];
    const auto width = static_cast<unsigned>(put_float(item, x, true) - item - 1);
    bits = big_endian::load<std::uint64_t>(reinterpret_cast<const unsigned char*>(item) + 1) >> (64 - 8 * width);
    return width;
}

}  // namespace kumihimo::inline v0::cbor
