// How deep the brackets of a block go down: the lowest value that (opens - closes) reaches over its prefixes, 0 at
// most.
//
// The brackets are packed together, opening ones as 1, and eight at a time are looked up in a table of 256. Where
// packing is slow, callers ask first whether so many closers could matter.
struct dip_table {
    std::int8_t low[256];
    constexpr dip_table() : low() {
        for (int i = 0; i < 256; ++i) {
            int at = 0, least = 0;
            for (int b = 0; b < 8; ++b) {
                at += (i >> b & 1) != 0 ? 1 : -1;
                if (at < least) least = at;
            }
            low[i] = static_cast<std::int8_t>(least);
        }
    }
};
static constexpr dip_table dips{};

KUMIHIMO_INLINE int lowest_dip(u64 open, u64 close) {
    const u64 all = open | close;
    unsigned n = popcount(all);
    u64 packed = extract(open, all);
    if (n < 64) packed |= ~u64{0} << n;  // behind the last bracket: up, which is never a new low
    int low = dips.low[packed & 0xFF];
    for (int base = 0; n > 8; n -= 8) {
        base += 2 * static_cast<int>(popcount(packed & 0xFF)) - 8;
        packed >>= 8;
        if (n < 16) packed |= ~u64{0} << (n - 8);
        const int here = base + dips.low[packed & 0xFF];
        if (here < low) low = here;
    }
    return low;
}

// The place of the closing bracket that first brings `depth` down to `level`; 64 when none does.
inline unsigned first_at_level(u64 open, u64 close, u64 depth, u64 level) {
    for (u64 all = open | close; all != 0; all &= all - 1) {
        const u64 bit = all & (~all + 1);
        if ((open & bit) != 0)
            ++depth;
        else if (--depth == level)
            return lowest(bit);
    }
    return 64;
}
