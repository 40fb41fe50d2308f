// AVX2 with BMI2, POPCNT and PCLMUL: Haswell (2013), Zen (2017) and later.
#include "engine/simd/isa.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,pclmul"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt,pclmul")
#endif

namespace kumihimo::inline v0::KUMIHIMO_KERNELS_OF::avx2 {
using simd::u64, simd::u32, simd::u8;

KUMIHIMO_INLINE unsigned popcount(u64 v) { return static_cast<unsigned>(_mm_popcnt_u64(v)); }
KUMIHIMO_INLINE unsigned lowest(u64 v) { return static_cast<unsigned>(_tzcnt_u64(v)); }
KUMIHIMO_INLINE u64 in_register(u64 v) { return v; }
KUMIHIMO_INLINE u64 extract(u64 v, u64 m) { return _pext_u64(v, m); }
KUMIHIMO_INLINE u64 prefix_xor(u64 v) {
    return static_cast<u64>(
        _mm_cvtsi128_si64(_mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(v)), _mm_set1_epi8(-1), 0)));
}

struct vector {
    static constexpr int width = 32;
    __m256i v;
    static KUMIHIMO_INLINE vector load(const char* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
    static KUMIHIMO_INLINE vector zero() { return {_mm256_setzero_si256()}; }
    static KUMIHIMO_INLINE vector all(u8 c) { return {_mm256_set1_epi8(static_cast<char>(c))}; }
    KUMIHIMO_INLINE vector eq(vector b) const { return {_mm256_cmpeq_epi8(v, b.v)}; }
    KUMIHIMO_INLINE u64 bits() const { return static_cast<u32>(_mm256_movemask_epi8(v)); }
    KUMIHIMO_INLINE bool any() const { return !_mm256_testz_si256(v, v); }
    KUMIHIMO_INLINE vector minus(u8 c) const { return {_mm256_subs_epu8(v, all(c).v)}; }
    KUMIHIMO_INLINE vector low4() const { return {_mm256_and_si256(v, all(15).v)}; }
    KUMIHIMO_INLINE vector shr4() const { return {_mm256_and_si256(_mm256_srli_epi16(v, 4), all(15).v)}; }
    KUMIHIMO_INLINE vector tops() const { return {_mm256_and_si256(v, all(0x80).v)}; }
    // Each byte below 16 picks from the table.
    KUMIHIMO_INLINE vector lookup(const u8 (&t)[16]) const {
        return {_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(t))), v)};
    }
    // The bytes N places before these, the first N from the vector before.
    template <int N>
    KUMIHIMO_INLINE vector before(vector previous) const {
        return {_mm256_alignr_epi8(v, _mm256_permute2x128_si256(previous.v, v, 0x21), 16 - N)};
    }
    // Non-zero when the last bytes begin a sequence that goes on behind this vector.
    KUMIHIMO_INLINE vector beyond_last() const {
        return {_mm256_subs_epu8(v, _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                                     -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, static_cast<char>(0xEF),
                                                     static_cast<char>(0xDF), static_cast<char>(0xBF)))};
    }
    friend KUMIHIMO_INLINE vector operator|(vector a, vector b) { return {_mm256_or_si256(a.v, b.v)}; }
    friend KUMIHIMO_INLINE vector operator&(vector a, vector b) { return {_mm256_and_si256(a.v, b.v)}; }
    friend KUMIHIMO_INLINE vector operator^(vector a, vector b) { return {_mm256_xor_si256(a.v, b.v)}; }
};

struct block {
    vector v[2];

    static KUMIHIMO_INLINE block load(const char* p) { return {{vector::load(p), vector::load(p + 32)}}; }
    static KUMIHIMO_INLINE u64 bits(vector a, vector b) { return a.bits() | b.bits() << 32; }
    KUMIHIMO_INLINE u64 eq(char c) const {
        const vector k = vector::all(static_cast<u8>(c));
        return bits(v[0].eq(k), v[1].eq(k));
    }
    KUMIHIMO_INLINE u64 same(const block& b) const { return bits(v[0].eq(b.v[0]), v[1].eq(b.v[1])); }
    KUMIHIMO_INLINE u64 folded_eq(char c) const {
        const vector k = vector::all(static_cast<u8>(c)), f = vector::all(0x20);
        return bits((v[0] | f).eq(k), (v[1] | f).eq(k));
    }
    KUMIHIMO_INLINE u64 below(unsigned char c) const {
        const __m256i k = _mm256_set1_epi8(static_cast<char>(c - 1));
        return bits(vector{_mm256_min_epu8(v[0].v, k)}.eq(v[0]), vector{_mm256_min_epu8(v[1].v, k)}.eq(v[1]));
    }
    KUMIHIMO_INLINE u64 high() const { return bits(v[0], v[1]); }
    KUMIHIMO_INLINE u64 unusual() const {
        const __m256i k = _mm256_set1_epi8(0x20);
        return bits(vector{_mm256_cmpgt_epi8(k, v[0].v)}, vector{_mm256_cmpgt_epi8(k, v[1].v)});
    }
    KUMIHIMO_INLINE u64 whitespace() const {
        // By low nibble: what a white space character with it would be. The other slots hold a byte with another low
        // nibble, which cannot be equal (slot 1 must not be 1: 0x01 would pass as white space).
        static constexpr u8 t[16] = {' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0};
        return bits(v[0].eq(shuffled(t, v[0])), v[1].eq(shuffled(t, v[1])));
    }
    KUMIHIMO_INLINE u64 operators() const {
        static constexpr u8 t[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0};
        const vector f = vector::all(0x20);
        return bits((v[0] | f).eq(shuffled(t, v[0])), (v[1] | f).eq(shuffled(t, v[1])));
    }
    KUMIHIMO_INLINE bool has_escapes() const { return (escapes(v[0]) | escapes(v[1])).any(); }
    KUMIHIMO_INLINE void store(u8* to) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v[0].v);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to) + 1, v[1].v);
    }
    // Eight bytes at a time: pdep spreads the mask's bits to bytes, pext packs the bytes under it. Slow on Zen 1 and
    // 2, whose pext is microcode.
    KUMIHIMO_INLINE char* compress(char* to, u64 m) const {
        alignas(32) u8 text[64];
        store(text);
        for (int i = 0; i < 8; ++i) {
            u64 eight;
            __builtin_memcpy(&eight, text + 8 * i, 8);
            const u64 some = m >> 8 * i & 0xFF;
            const u64 packed = _pext_u64(eight, _pdep_u64(some, 0x0101010101010101) * 0xFF);
            __builtin_memcpy(to, &packed, 8);
            to += popcount(some);
        }
        return to;
    }

private:
    static KUMIHIMO_INLINE vector escapes(vector b) {
        return b.eq(vector::all('"')) | b.eq(vector::all('\\')) | b.minus(0x1F).eq(vector::zero());
    }
    // A byte above 0x7F picks 0, which it does not equal.
    static KUMIHIMO_INLINE vector shuffled(const u8 (&t)[16], vector by) { return by.lookup(t); }
};

#include "engine/simd/generic/utf8_vectors.hpp"

#define KUMIHIMO_HAS_EXTRACT
#include KUMIHIMO_KERNELS

extern const kernels table;
const kernels table = KUMIHIMO_KERNEL_TABLE("avx2");

}  // namespace kumihimo::inline v0::KUMIHIMO_KERNELS_OF::avx2

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
