// The bit helpers of an ISA that has no instructions for them; popcount stays with the ISA, where builtin and shifts
// differ. Included inside the namespace and target region of its user (isa.hpp).

KUMIHIMO_INLINE unsigned lowest(u64 v) { return v == 0 ? 64 : static_cast<unsigned>(__builtin_ctzll(v)); }
KUMIHIMO_INLINE u64 in_register(u64 v) { return v; }
KUMIHIMO_INLINE u64 prefix_xor(u64 v) {
    v ^= v << 1;
    v ^= v << 2;
    v ^= v << 4;
    v ^= v << 8;
    v ^= v << 16;
    return v ^ v << 32;
}
KUMIHIMO_INLINE u64 extract(u64 v, u64 m) {
    u64 out = 0;
    for (unsigned n = 0; m != 0; m &= m - 1, ++n) out |= (v >> lowest(m) & 1) << n;
    return out;
}
