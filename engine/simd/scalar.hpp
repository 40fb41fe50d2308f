// The portable kernel: blocks of eight 64-bit words, no intrinsics.
#include "engine/simd/isa.hpp"

namespace kumihimo::inline v0::KUMIHIMO_KERNELS_OF::scalar {
using simd::u64, simd::u32, simd::u8;

KUMIHIMO_INLINE unsigned popcount(u64 v) { return static_cast<unsigned>(__builtin_popcountll(v)); }

#include "engine/simd/generic/bits.hpp"

struct block {
    u64 w[8];  // little-endian whatever the machine: byte i is bits 8*(i%8).. of w[i/8]

    static KUMIHIMO_INLINE block load(const char* p) {
        block b;
        __builtin_memcpy(b.w, p, 64);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        for (u64& v : b.w) v = __builtin_bswap64(v);
#endif
        return b;
    }
    static constexpr u64 ones = 0x0101010101010101, lows = 0x7F7F7F7F7F7F7F7F, tops = 0x8080808080808080;
    // Top bits of eight bytes to eight bits, lowest byte first.
    static KUMIHIMO_INLINE u64 gather(u64 t) { return (t >> 7) * 0x0102040810204080 >> 56; }
    // Top bit where a byte is zero; exact for every byte.
    static KUMIHIMO_INLINE u64 zero(u64 x) { return ~(((x & lows) + lows) | x) & tops; }

    KUMIHIMO_INLINE u64 eq(char c) const {
        u64 m = 0;
        for (int i = 0; i < 8; ++i) m |= gather(zero(w[i] ^ ones * static_cast<u8>(c))) << 8 * i;
        return m;
    }
    KUMIHIMO_INLINE u64 same(const block& b) const {
        u64 m = 0;
        for (int i = 0; i < 8; ++i) m |= gather(zero(w[i] ^ b.w[i])) << 8 * i;
        return m;
    }
    KUMIHIMO_INLINE u64 folded_eq(char c) const {
        u64 m = 0;
        for (int i = 0; i < 8; ++i) m |= gather(zero((w[i] | ones * 0x20) ^ ones * static_cast<u8>(c))) << 8 * i;
        return m;
    }
    // c at most 0x80.
    KUMIHIMO_INLINE u64 below(unsigned char c) const {
        u64 m = 0;
        for (int i = 0; i < 8; ++i) m |= gather(~(((w[i] & lows) + ones * static_cast<u8>(0x80 - c)) | w[i]) & tops) << 8 * i;
        return m;
    }
    KUMIHIMO_INLINE u64 high() const {
        u64 m = 0;
        for (int i = 0; i < 8; ++i) m |= gather(w[i] & tops) << 8 * i;
        return m;
    }
    KUMIHIMO_INLINE u64 unusual() const { return below(0x20) | high(); }
    KUMIHIMO_INLINE u64 whitespace() const { return eq(' ') | eq('\t') | eq('\n') | eq('\r'); }
    KUMIHIMO_INLINE u64 operators() const { return folded_eq('{') | folded_eq('}') | eq(':') | eq(','); }
    KUMIHIMO_INLINE char* compress(char* to, u64 m) const {
        for (; m != 0; m &= m - 1) {
            const unsigned i = lowest(m);
            *to++ = static_cast<char>(w[i / 8] >> 8 * (i % 8));
        }
        return to;
    }
    KUMIHIMO_INLINE bool has_escapes() const {
        u64 m = 0;
        for (int i = 0; i < 8; ++i)
            m |= zero(w[i] ^ ones * '"') | zero(w[i] ^ ones * '\\') | (~(((w[i] & lows) + ones * 0x60) | w[i]) & tops);
        return m != 0;
    }
    KUMIHIMO_INLINE void store(u8* to) const {
        for (int i = 0; i < 64; ++i) to[i] = static_cast<u8>(w[i / 8] >> 8 * (i % 8));
    }
};

#include "engine/simd/generic/utf8_bytes.hpp"

#include KUMIHIMO_KERNELS

extern const kernels table;
const kernels table = KUMIHIMO_KERNEL_TABLE("scalar");

}  // namespace kumihimo::inline v0::KUMIHIMO_KERNELS_OF::scalar
