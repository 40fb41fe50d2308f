// AVX-512 with BW, VL, DQ, VBMI and VBMI2: Ice Lake (2019), Zen 4 (2022) and later. Older AVX-512 machines use the
// AVX2 kernel.
#include "engine/simd/isa.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(                                                                                         \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,avx2,bmi,bmi2,popcnt,pclmul"))), \
    apply_to = function)
#else
// g++ 12 warns of the deliberately undefined registers in its own header once they are inlined here.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,avx2,bmi,bmi2,popcnt,pclmul")
#endif

namespace kumihimo::inline v0::KUMIHIMO_KERNELS_OF::avx512 {
using simd::u64, simd::u32, simd::u8;

KUMIHIMO_INLINE unsigned popcount(u64 v) { return static_cast<unsigned>(_mm_popcnt_u64(v)); }
KUMIHIMO_INLINE unsigned lowest(u64 v) { return static_cast<unsigned>(_tzcnt_u64(v)); }
KUMIHIMO_INLINE u64 in_register(u64 v) {
#if !defined(__clang__)
    __asm__("" : "+r"(v));
#endif
    return v;
}
KUMIHIMO_INLINE u64 extract(u64 v, u64 m) { return _pext_u64(v, m); }
KUMIHIMO_INLINE u64 prefix_xor(u64 v) {
    return static_cast<u64>(
        _mm_cvtsi128_si64(_mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(v)), _mm_set1_epi8(-1), 0)));
}

struct vector {
    static constexpr int width = 64;
    __m512i v;
    static KUMIHIMO_INLINE vector load(const char* p) { return {_mm512_loadu_si512(p)}; }
    static KUMIHIMO_INLINE vector zero() { return {_mm512_setzero_si512()}; }
    static KUMIHIMO_INLINE vector all(u8 c) { return {_mm512_set1_epi8(static_cast<char>(c))}; }
    KUMIHIMO_INLINE bool any() const { return _mm512_test_epi8_mask(v, v) != 0; }
    KUMIHIMO_INLINE vector minus(u8 c) const { return {_mm512_subs_epu8(v, all(c).v)}; }
    KUMIHIMO_INLINE vector low4() const { return {_mm512_and_si512(v, all(15).v)}; }
    KUMIHIMO_INLINE vector shr4() const { return {_mm512_and_si512(_mm512_srli_epi16(v, 4), all(15).v)}; }
    KUMIHIMO_INLINE vector tops() const { return {_mm512_and_si512(v, all(0x80).v)}; }
    KUMIHIMO_INLINE vector lookup(const u8 (&t)[16]) const {
        return {_mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(t))), v)};
    }
    // The bytes N places before these, the first N from the vector before.
    template <int N>
    KUMIHIMO_INLINE vector before(vector previous) const {
        return {_mm512_alignr_epi8(v, _mm512_alignr_epi64(v, previous.v, 6), 16 - N)};
    }
    // Non-zero when the last bytes begin a sequence that goes on behind this vector.
    KUMIHIMO_INLINE vector beyond_last() const {
        const __m512i most =
            _mm512_inserti32x4(_mm512_set1_epi8(-1),
                               _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, static_cast<char>(0xEF),
                                             static_cast<char>(0xDF), static_cast<char>(0xBF)),
                               3);
        return {_mm512_subs_epu8(v, most)};
    }
    friend KUMIHIMO_INLINE vector operator|(vector a, vector b) { return {_mm512_or_si512(a.v, b.v)}; }
    friend KUMIHIMO_INLINE vector operator&(vector a, vector b) { return {_mm512_and_si512(a.v, b.v)}; }
    friend KUMIHIMO_INLINE vector operator^(vector a, vector b) { return {_mm512_xor_si512(a.v, b.v)}; }
};

struct block {
    vector v[1];

    static KUMIHIMO_INLINE block load(const char* p) { return {{vector::load(p)}}; }
    KUMIHIMO_INLINE u64 eq(char c) const { return in_register(_mm512_cmpeq_epi8_mask(v[0].v, _mm512_set1_epi8(c))); }
    KUMIHIMO_INLINE u64 same(const block& b) const { return in_register(_mm512_cmpeq_epi8_mask(v[0].v, b.v[0].v)); }
    KUMIHIMO_INLINE u64 folded_eq(char c) const {
        return in_register(_mm512_cmpeq_epi8_mask(_mm512_or_si512(v[0].v, _mm512_set1_epi8(0x20)), _mm512_set1_epi8(c)));
    }
    KUMIHIMO_INLINE u64 below(unsigned char c) const {
        return in_register(_mm512_cmplt_epu8_mask(v[0].v, _mm512_set1_epi8(static_cast<char>(c))));
    }
    KUMIHIMO_INLINE u64 high() const { return in_register(_mm512_movepi8_mask(v[0].v)); }
    KUMIHIMO_INLINE u64 unusual() const { return in_register(_mm512_cmplt_epi8_mask(v[0].v, _mm512_set1_epi8(0x20))); }
    KUMIHIMO_INLINE u64 whitespace() const {
        // See avx2.hpp: slots without a character hold what cannot be equal.
        static constexpr u8 t[16] = {' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0};
        return in_register(_mm512_cmpeq_epi8_mask(v[0].v, v[0].lookup(t).v));
    }
    KUMIHIMO_INLINE u64 operators() const {
        static constexpr u8 t[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0};
        return in_register(_mm512_cmpeq_epi8_mask(_mm512_or_si512(v[0].v, _mm512_set1_epi8(0x20)), v[0].lookup(t).v));
    }
    KUMIHIMO_INLINE bool has_escapes() const {
        return (_mm512_cmpeq_epi8_mask(v[0].v, _mm512_set1_epi8('"')) | _mm512_cmpeq_epi8_mask(v[0].v, _mm512_set1_epi8('\\')) |
                _mm512_cmplt_epu8_mask(v[0].v, _mm512_set1_epi8(0x20))) != 0;
    }
    KUMIHIMO_INLINE void store(u8* to) const { _mm512_storeu_si512(to, v[0].v); }
    // In a register, then stored whole: the compressing store is microcode on Zen 4.
    KUMIHIMO_INLINE char* compress(char* to, u64 m) const {
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi8(m, v[0].v));
        return to + popcount(m);
    }
};

#include "engine/simd/generic/utf8_vectors.hpp"

#define KUMIHIMO_HAS_COMPRESS
#include KUMIHIMO_KERNELS

extern const kernels table;
const kernels table = KUMIHIMO_KERNEL_TABLE("avx512");

}  // namespace kumihimo::inline v0::KUMIHIMO_KERNELS_OF::avx512

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#pragma GCC diagnostic pop
#endif
#endif
