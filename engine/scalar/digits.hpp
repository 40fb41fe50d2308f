// Sixteen decimal digits at a time: a number below 10^16 becomes sixteen bytes, the leading digit first.
//
//      number           two halves of 8       four of 4          eight of 2        sixteen of 1, each a byte 0 to 9
//
// Each step splits every lane in two by one multiplication with a reciprocal. 16-byte vectors where the baseline has
// them, the same steps in two 64-bit words elsewhere.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace kumihimo::inline v0::scalar {

static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big);

/// Eight digits as the bytes of a word, leading digit in the lowest byte. n < 10^8.
constexpr std::uint64_t eight_digits(std::uint32_t n) noexcept {
    const std::uint64_t q4 = n / 10000;
    const std::uint64_t fours = q4 | (n - q4 * 10000) << 32;
    const std::uint64_t q2 = (fours * 10486 >> 20) & 0x0000007F'0000007F;
    const std::uint64_t twos = q2 | (fours - q2 * 100) << 16;
    const std::uint64_t q1 = (twos * 103 >> 10) & 0x000F000F'000F000F;
    return q1 | (twos - q1 * 10) << 8;
}

/// A word of bytes to memory, its lowest byte first.
inline void put_word(char* to, std::uint64_t w) noexcept {
    if constexpr (std::endian::native == std::endian::big) w = __builtin_bswap64(w);
    std::memcpy(to, &w, 8);
}

inline constexpr std::uint64_t zeros = 0x3030303030303030;  // "00000000"

#if defined(__SSE2__)
// A constant that g++ shall multiply by, rather than by shifts and additions that take longer.
inline __m128i kept(__m128i v) noexcept {
    __asm__("" : "+x"(v));
    return v;
}
#endif

/// Sixteen digits as text.
struct sixteen {
#if defined(__SSE2__)
    __m128i text;
    unsigned used;  // a bit for each digit that is not zero, the leading digit's lowest
    explicit sixteen(std::uint64_t n) noexcept {
        const auto high = static_cast<std::uint32_t>(n / 100000000);
        const auto low = static_cast<std::uint32_t>(n - std::uint64_t{high} * 100000000);
        const __m128i eights = _mm_set_epi64x(low, high);
        const __m128i q4 = _mm_srli_epi64(_mm_mul_epu32(eights, _mm_set1_epi64x(109951163)), 40);
        const __m128i r4 = _mm_sub_epi64(eights, _mm_mul_epu32(q4, _mm_set1_epi64x(10000)));
        const __m128i fours = _mm_or_si128(q4, _mm_slli_epi64(r4, 32));
        const __m128i q2 = _mm_srli_epi16(_mm_mulhi_epu16(fours, _mm_set1_epi32(5243)), 3);
        const __m128i r2 = _mm_sub_epi16(fours, _mm_mullo_epi16(q2, kept(_mm_set1_epi32(100))));
        const __m128i twos = _mm_or_si128(q2, _mm_slli_epi32(r2, 16));
        const __m128i q1 = _mm_mulhi_epu16(twos, _mm_set1_epi16(6554));
        // q1 + (twos - q1 * 10) * 256
        const __m128i ones = _mm_add_epi16(_mm_slli_epi16(twos, 8), _mm_mullo_epi16(q1, kept(_mm_set1_epi16(1 - 2560))));
        used = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpgt_epi8(ones, _mm_setzero_si128())));
        text = _mm_or_si128(ones, _mm_set1_epi8('0'));
    }
    void store(char* to) const noexcept { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), text); }
    std::uint64_t first() const noexcept { return static_cast<std::uint64_t>(_mm_cvtsi128_si64(text)); }
    std::uint64_t second() const noexcept {
        return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(text, text)));
    }
#else
    std::uint64_t low, high;
    unsigned used;
    explicit sixteen(std::uint64_t n) noexcept {
        const auto a = static_cast<std::uint32_t>(n / 100000000);
        low = eight_digits(a);
        high = eight_digits(static_cast<std::uint32_t>(n - std::uint64_t{a} * 100000000));
        // Only the highest bit is asked for.
        used = high != 0 ? 1u << (15 - std::countl_zero(high) / 8) : low != 0 ? 1u << (7 - std::countl_zero(low) / 8) : 0;
        low |= zeros;
        high |= zeros;
    }
    void store(char* to) const noexcept {
        put_word(to, low);
        put_word(to + 8, high);
    }
    std::uint64_t first() const noexcept { return low; }
    std::uint64_t second() const noexcept { return high; }
#endif
    /// Digits left when trailing zeros are taken off; `more` is a 17th.
    int significant(bool more = false) const noexcept {
        return 31 - std::countl_zero(used * 2 + 1 + (static_cast<unsigned>(more) << 17));
    }
};

}  // namespace kumihimo::inline v0::scalar
