// The baseline's vectors, for the code that is compiled once for every machine of an architecture: templates over a
// sink, such as the JSON reader's walk and the writer. 16 bytes with SSE2 or NEON, 8 in a general register elsewhere.
//
//      lanes v = lanes::load(p);
//      auto hits = (v.eq('"') | v.below(0x20)).bits();      some bits per byte, lowest byte first
//      if (hits != 0) p += lanes::first(hits);              index of the first byte that was hit
//      hits & lanes::under(n)                               the hits among the first n bytes, n < width
//
// Where `exact` is false (the 8-byte form) only the first hit is sure: it may show more behind it.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace kumihimo::inline v0::simd {

// Always inline: g++ keeps some of them out of line in a large walk, and a call for a comparison costs more than the
// comparison (json.dumps of twitter from Python: 104 us, and 89 with all of it inline).
#if defined(__SSE2__)
struct lanes {
    static constexpr std::size_t width = 16;
    static constexpr bool exact = true;
    __m128i v;
    [[gnu::always_inline]] static lanes load(const void* p) noexcept {
        return {_mm_loadu_si128(static_cast<const __m128i*>(p))};
    }
    [[gnu::always_inline]] void store(void* p) const noexcept { _mm_storeu_si128(static_cast<__m128i*>(p), v); }
    [[gnu::always_inline]] lanes eq(unsigned char c) const noexcept {
        return {_mm_cmpeq_epi8(v, _mm_set1_epi8(static_cast<char>(c)))};
    }
    [[gnu::always_inline]] lanes masked(unsigned char m) const noexcept {
        return {_mm_and_si128(v, _mm_set1_epi8(static_cast<char>(m)))};
    }
    [[gnu::always_inline]] lanes below(unsigned char c) const noexcept {
        return {_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(static_cast<char>(c - 1))), v)};
    }
    [[gnu::always_inline]] lanes high() const noexcept { return *this; }
    [[gnu::always_inline]] friend lanes operator|(lanes a, lanes b) noexcept { return {_mm_or_si128(a.v, b.v)}; }
    [[gnu::always_inline]] std::uint64_t bits() const noexcept { return static_cast<std::uint32_t>(_mm_movemask_epi8(v)); }
    [[gnu::always_inline]] static unsigned first(std::uint64_t hits) noexcept {
        return static_cast<unsigned>(std::countr_zero(static_cast<std::uint32_t>(hits)));
    }
    [[gnu::always_inline]] static std::uint64_t under(std::size_t n) noexcept { return (std::uint64_t{1} << n) - 1; }
};
#elif defined(__ARM_NEON) && defined(__aarch64__)
struct lanes {
    static constexpr std::size_t width = 16;
    static constexpr bool exact = true;
    uint8x16_t v;
    [[gnu::always_inline]] static lanes load(const void* p) noexcept { return {vld1q_u8(static_cast<const std::uint8_t*>(p))}; }
    [[gnu::always_inline]] void store(void* p) const noexcept { vst1q_u8(static_cast<std::uint8_t*>(p), v); }
    [[gnu::always_inline]] lanes eq(unsigned char c) const noexcept { return {vceqq_u8(v, vdupq_n_u8(c))}; }
    [[gnu::always_inline]] lanes masked(unsigned char m) const noexcept { return {vandq_u8(v, vdupq_n_u8(m))}; }
    [[gnu::always_inline]] lanes below(unsigned char c) const noexcept { return {vcltq_u8(v, vdupq_n_u8(c))}; }
    [[gnu::always_inline]] lanes high() const noexcept { return {vcgeq_u8(v, vdupq_n_u8(0x80))}; }
    [[gnu::always_inline]] friend lanes operator|(lanes a, lanes b) noexcept { return {vorrq_u8(a.v, b.v)}; }
    // Four bits per byte: narrowing by a shift is one instruction, a true one-bit mask several.
    [[gnu::always_inline]] std::uint64_t bits() const noexcept {
        return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(v), 4)), 0);
    }
    [[gnu::always_inline]] static unsigned first(std::uint64_t hits) noexcept {
        return static_cast<unsigned>(std::countr_zero(hits)) / 4;
    }
    [[gnu::always_inline]] static std::uint64_t under(std::size_t n) noexcept { return (std::uint64_t{1} << 4 * n) - 1; }
};
#else
// Mycroft's zero-byte test; a borrow can run upwards from a hit, so bytes above the first one are not exact.
struct lanes {
    static constexpr std::size_t width = 8;
    static constexpr bool exact = false;
    static constexpr std::uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    std::uint64_t v;
    static lanes load(const void* p) noexcept {
        std::uint64_t w;
        std::memcpy(&w, p, 8);
        if constexpr (std::endian::native == std::endian::big) w = __builtin_bswap64(w);
        return {w};
    }
    void store(void* p) const noexcept {
        std::uint64_t w = v;
        if constexpr (std::endian::native == std::endian::big) w = __builtin_bswap64(w);
        std::memcpy(p, &w, 8);
    }
    lanes eq(unsigned char c) const noexcept {
        const std::uint64_t x = v ^ (ones * c);
        return {(x - ones) & ~x & tops};
    }
    lanes masked(unsigned char m) const noexcept { return {v & (ones * m)}; }
    lanes below(unsigned char c) const noexcept { return {(v - ones * c) & ~v & tops}; }
    lanes high() const noexcept { return {v & tops}; }
    friend lanes operator|(lanes a, lanes b) noexcept { return {a.v | b.v}; }
    std::uint64_t bits() const noexcept { return v; }
    static unsigned first(std::uint64_t hits) noexcept { return static_cast<unsigned>(std::countr_zero(hits)) / 8; }
    static std::uint64_t under(std::size_t n) noexcept { return (std::uint64_t{1} << 8 * n) - 1; }
};
#endif

/// The n bytes at p, n < width; the lanes behind them hold anything. Reads past the n bytes where that cannot leave
/// the page, as one load then costs less than any exact form (1 ns against 2.5 for a short string); sanitizers are
/// given the exact one.
#if defined(__SANITIZE_ADDRESS__)
#define KUMIHIMO_EXACT_LOADS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define KUMIHIMO_EXACT_LOADS 1
#endif
#endif
[[gnu::always_inline]] inline lanes load_part(const void* p, std::size_t n) noexcept {
    // A compiler that sees a constant here, shorter than a load, warns of it: then it is not to see what p points to.
    if (__builtin_constant_p(n)) asm("" : "+r"(p));
#ifndef KUMIHIMO_EXACT_LOADS
    if ((reinterpret_cast<std::uintptr_t>(p) & 4095) <= 4096 - lanes::width) [[likely]]
        return lanes::load(p);
#endif
    unsigned char part[lanes::width] = {};
    std::memcpy(part, p, n);
    return lanes::load(part);
}

}  // namespace kumihimo::inline v0::simd
