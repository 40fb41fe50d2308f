// The x86-64 baseline: 16-byte vectors, nothing newer than SSE2, so no byte table lookup and no carry-less multiply.
#include "engine/simd/isa.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>

namespace kumihimo::inline v0::KUMIHIMO_KERNELS_OF::sse2 {
using simd::u64, simd::u32, simd::u8;

KUMIHIMO_INLINE unsigned popcount(u64 v) {
    v -= v >> 1 & 0x5555555555555555;
    v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
    return static_cast<unsigned>(((v + (v >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56);
}

#include "engine/simd/generic/bits.hpp"

struct block {
    __m128i v[4];

    static KUMIHIMO_INLINE block load(const char* p) {
        const __m128i* q = reinterpret_cast<const __m128i*>(p);
        return {{_mm_loadu_si128(q), _mm_loadu_si128(q + 1), _mm_loadu_si128(q + 2), _mm_loadu_si128(q + 3)}};
    }
    static KUMIHIMO_INLINE u64 bits(__m128i a, __m128i b, __m128i c, __m128i d) {
        return static_cast<u64>(static_cast<u32>(_mm_movemask_epi8(a))) |
               static_cast<u64>(static_cast<u32>(_mm_movemask_epi8(b))) << 16 |
               static_cast<u64>(static_cast<u32>(_mm_movemask_epi8(c))) << 32 |
               static_cast<u64>(static_cast<u32>(_mm_movemask_epi8(d))) << 48;
    }
    KUMIHIMO_INLINE u64 eq(char c) const {
        const __m128i k = _mm_set1_epi8(c);
        return bits(_mm_cmpeq_epi8(v[0], k), _mm_cmpeq_epi8(v[1], k), _mm_cmpeq_epi8(v[2], k), _mm_cmpeq_epi8(v[3], k));
    }
    KUMIHIMO_INLINE u64 same(const block& b) const {
        return bits(_mm_cmpeq_epi8(v[0], b.v[0]), _mm_cmpeq_epi8(v[1], b.v[1]), _mm_cmpeq_epi8(v[2], b.v[2]),
                    _mm_cmpeq_epi8(v[3], b.v[3]));
    }
    KUMIHIMO_INLINE u64 folded_eq(char c) const {
        const __m128i k = _mm_set1_epi8(c), f = _mm_set1_epi8(0x20);
        return bits(_mm_cmpeq_epi8(_mm_or_si128(v[0], f), k), _mm_cmpeq_epi8(_mm_or_si128(v[1], f), k),
                    _mm_cmpeq_epi8(_mm_or_si128(v[2], f), k), _mm_cmpeq_epi8(_mm_or_si128(v[3], f), k));
    }
    KUMIHIMO_INLINE u64 below(unsigned char c) const {
        const __m128i k = _mm_set1_epi8(static_cast<char>(c - 1));
        return bits(_mm_cmpeq_epi8(_mm_min_epu8(v[0], k), v[0]), _mm_cmpeq_epi8(_mm_min_epu8(v[1], k), v[1]),
                    _mm_cmpeq_epi8(_mm_min_epu8(v[2], k), v[2]), _mm_cmpeq_epi8(_mm_min_epu8(v[3], k), v[3]));
    }
    KUMIHIMO_INLINE u64 high() const { return bits(v[0], v[1], v[2], v[3]); }
    KUMIHIMO_INLINE u64 unusual() const {
        const __m128i k = _mm_set1_epi8(0x20);
        return bits(_mm_cmplt_epi8(v[0], k), _mm_cmplt_epi8(v[1], k), _mm_cmplt_epi8(v[2], k), _mm_cmplt_epi8(v[3], k));
    }
    KUMIHIMO_INLINE u64 whitespace() const { return eq(' ') | eq('\t') | eq('\n') | eq('\r'); }
    KUMIHIMO_INLINE u64 operators() const { return folded_eq('{') | folded_eq('}') | eq(':') | eq(','); }
    static KUMIHIMO_INLINE __m128i escapes(__m128i b) {
        return _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(b, _mm_set1_epi8('"')), _mm_cmpeq_epi8(b, _mm_set1_epi8('\\'))),
                            _mm_cmpeq_epi8(_mm_min_epu8(b, _mm_set1_epi8(0x1F)), b));
    }
    KUMIHIMO_INLINE bool has_escapes() const {
        return _mm_movemask_epi8(
                   _mm_or_si128(_mm_or_si128(escapes(v[0]), escapes(v[1])), _mm_or_si128(escapes(v[2]), escapes(v[3])))) != 0;
    }
    KUMIHIMO_INLINE void store(u8* to) const {
        for (int i = 0; i < 4; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(to) + i, v[i]);
    }
    KUMIHIMO_INLINE char* compress(char* to, u64 m) const {
        alignas(16) u8 text[64];
        store(text);
        for (; m != 0; m &= m - 1) *to++ = static_cast<char>(text[lowest(m)]);
        return to;
    }
};

#include "engine/simd/generic/utf8_bytes.hpp"

#include KUMIHIMO_KERNELS

extern const kernels table;
const kernels table = KUMIHIMO_KERNEL_TABLE("sse2");

}  // namespace kumihimo::inline v0::KUMIHIMO_KERNELS_OF::sse2
#endif
