// 64-bit Arm, whose baseline has NEON: 16-byte vectors with a byte table lookup, no mask registers.
#include "engine/simd/isa.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>

namespace kumihimo::inline v0::KUMIHIMO_KERNELS_OF::neon {
using simd::u64, simd::u32, simd::u8;

KUMIHIMO_INLINE unsigned popcount(u64 v) { return static_cast<unsigned>(__builtin_popcountll(v)); }

// Without the polynomial multiply, which is an optional extension.
#include "engine/simd/generic/bits.hpp"

struct vector {
    static constexpr int width = 16;
    uint8x16_t v;
    static KUMIHIMO_INLINE vector load(const char* p) { return {vld1q_u8(reinterpret_cast<const u8*>(p))}; }
    static KUMIHIMO_INLINE vector zero() { return {vdupq_n_u8(0)}; }
    static KUMIHIMO_INLINE vector all(u8 c) { return {vdupq_n_u8(c)}; }
    KUMIHIMO_INLINE vector eq(vector b) const { return {vceqq_u8(v, b.v)}; }
    KUMIHIMO_INLINE bool any() const { return vmaxvq_u8(v) != 0; }
    KUMIHIMO_INLINE vector minus(u8 c) const { return {vqsubq_u8(v, vdupq_n_u8(c))}; }
    KUMIHIMO_INLINE vector low4() const { return {vandq_u8(v, vdupq_n_u8(15))}; }
    KUMIHIMO_INLINE vector shr4() const { return {vshrq_n_u8(v, 4)}; }
    KUMIHIMO_INLINE vector tops() const { return {vandq_u8(v, vdupq_n_u8(0x80))}; }
    KUMIHIMO_INLINE vector lookup(const u8 (&t)[16]) const { return {vqtbl1q_u8(vld1q_u8(t), v)}; }
    // The bytes N places before these, the first N from the vector before.
    template <int N>
    KUMIHIMO_INLINE vector before(vector previous) const {
        return {vextq_u8(previous.v, v, 16 - N)};
    }
    // Non-zero when the last bytes begin a sequence that goes on behind this vector.
    KUMIHIMO_INLINE vector beyond_last() const {
        static constexpr u8 most[16] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0xEF, 0xDF, 0xBF};
        return {vqsubq_u8(v, vld1q_u8(most))};
    }
    friend KUMIHIMO_INLINE vector operator|(vector a, vector b) { return {vorrq_u8(a.v, b.v)}; }
    friend KUMIHIMO_INLINE vector operator&(vector a, vector b) { return {vandq_u8(a.v, b.v)}; }
    friend KUMIHIMO_INLINE vector operator^(vector a, vector b) { return {veorq_u8(a.v, b.v)}; }
};

struct block {
    vector v[4];

    static KUMIHIMO_INLINE block load(const char* p) {
        return {{vector::load(p), vector::load(p + 16), vector::load(p + 32), vector::load(p + 48)}};
    }
    // Bytes of all ones or zero to bits: each byte keeps the bit of its place in eight, and three rounds of pairwise
    // addition bring eight bytes together.
    static KUMIHIMO_INLINE u64 bits(vector a, vector b, vector c, vector d) {
        static constexpr u8 place[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
        const uint8x16_t k = vld1q_u8(place);
        const uint8x16_t ab = vpaddq_u8(vandq_u8(a.v, k), vandq_u8(b.v, k));
        const uint8x16_t cd = vpaddq_u8(vandq_u8(c.v, k), vandq_u8(d.v, k));
        const uint8x16_t all = vpaddq_u8(ab, cd);
        return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
    }
    KUMIHIMO_INLINE u64 eq(char c) const {
        const vector k = vector::all(static_cast<u8>(c));
        return bits(v[0].eq(k), v[1].eq(k), v[2].eq(k), v[3].eq(k));
    }
    KUMIHIMO_INLINE u64 same(const block& b) const {
        return bits(v[0].eq(b.v[0]), v[1].eq(b.v[1]), v[2].eq(b.v[2]), v[3].eq(b.v[3]));
    }
    KUMIHIMO_INLINE u64 folded_eq(char c) const {
        const vector k = vector::all(static_cast<u8>(c)), f = vector::all(0x20);
        return bits((v[0] | f).eq(k), (v[1] | f).eq(k), (v[2] | f).eq(k), (v[3] | f).eq(k));
    }
    KUMIHIMO_INLINE u64 below(unsigned char c) const {
        const uint8x16_t k = vdupq_n_u8(c);
        return bits({vcltq_u8(v[0].v, k)}, {vcltq_u8(v[1].v, k)}, {vcltq_u8(v[2].v, k)}, {vcltq_u8(v[3].v, k)});
    }
    KUMIHIMO_INLINE u64 high() const {
        const uint8x16_t k = vdupq_n_u8(0x80);
        return bits({vcgeq_u8(v[0].v, k)}, {vcgeq_u8(v[1].v, k)}, {vcgeq_u8(v[2].v, k)}, {vcgeq_u8(v[3].v, k)});
    }
    KUMIHIMO_INLINE u64 unusual() const {
        const int8x16_t k = vdupq_n_s8(0x20);
        return bits({vcltq_s8(vreinterpretq_s8_u8(v[0].v), k)}, {vcltq_s8(vreinterpretq_s8_u8(v[1].v), k)},
                    {vcltq_s8(vreinterpretq_s8_u8(v[2].v), k)}, {vcltq_s8(vreinterpretq_s8_u8(v[3].v), k)});
    }
    KUMIHIMO_INLINE u64 whitespace() const {
        const uint8x16_t s = vdupq_n_u8(' '), t = vdupq_n_u8('\t'), n = vdupq_n_u8('\n'), r = vdupq_n_u8('\r');
        vector w[4];
        for (int i = 0; i < 4; ++i)
            w[i].v = vorrq_u8(vorrq_u8(vceqq_u8(v[i].v, s), vceqq_u8(v[i].v, t)),
                              vorrq_u8(vceqq_u8(v[i].v, n), vceqq_u8(v[i].v, r)));
        return bits(w[0], w[1], w[2], w[3]);
    }
    KUMIHIMO_INLINE u64 operators() const {
        const vector f = vector::all(0x20), o = vector::all('{'), c = vector::all('}'), k = vector::all(':'),
                     m = vector::all(',');
        vector w[4];
        for (int i = 0; i < 4; ++i) w[i] = (v[i] | f).eq(o) | (v[i] | f).eq(c) | v[i].eq(k) | v[i].eq(m);
        return bits(w[0], w[1], w[2], w[3]);
    }
    static KUMIHIMO_INLINE vector escapes(vector b) {
        return b.eq(vector::all('"')) | b.eq(vector::all('\\')) | vector{vcltq_u8(b.v, vdupq_n_u8(0x20))};
    }
    KUMIHIMO_INLINE bool has_escapes() const { return (escapes(v[0]) | escapes(v[1]) | escapes(v[2]) | escapes(v[3])).any(); }
    KUMIHIMO_INLINE void store(u8* to) const {
        for (int i = 0; i < 4; ++i) vst1q_u8(to + 16 * i, v[i].v);
    }
    KUMIHIMO_INLINE char* compress(char* to, u64 m) const {
        u8 text[64];
        store(text);
        for (; m != 0; m &= m - 1) *to++ = static_cast<char>(text[lowest(m)]);
        return to;
    }
};

#include "engine/simd/generic/utf8_vectors.hpp"

#include KUMIHIMO_KERNELS

extern const kernels table;
const kernels table = KUMIHIMO_KERNEL_TABLE("neon");

}  // namespace kumihimo::inline v0::KUMIHIMO_KERNELS_OF::neon
#endif
