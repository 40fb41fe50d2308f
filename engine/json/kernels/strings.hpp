// Which bytes are inside strings, 64 at a time, carried from block to block.
//
//      bytes     { " k \ " " : 1 }
//      escape    . . . 1 . . . . .      backslashes that escape
//      quotes    . 1 . . . 1 . . .      quotes that open or close
//      inside    . 1 1 1 1 . . . .      from the opening quote to before the closing one
struct string_masks {
    u64 quotes, inside, escape, escaped;
};

struct string_scanner {
    u64 escaped = 0;  // 1: the next byte is escaped
    u64 inside = 0;   // all ones: the next byte is inside a string

    KUMIHIMO_INLINE string_masks next(const block& b) { return next(b.eq('"'), b.eq('\\')); }

    KUMIHIMO_INLINE string_masks next(u64 quotes, u64 backslashes) {
        string_masks m{quotes, 0, 0, 0};
        if ((backslashes | escaped) != 0) {
            // Within a run of backslashes every second one is itself escaped. Subtracting run starts from the odd
            // places makes the borrow walk through each run; the xor leaves the bits that keep the parity of the run's
            // first byte.
            constexpr u64 odd = 0xAAAAAAAAAAAAAAAA;
            const u64 first = backslashes & ~escaped;
            const u64 walk = (((first << 1) | odd) - first) ^ odd;
            m.escaped = walk ^ (backslashes | escaped);
            m.escape = walk & backslashes;
            escaped = m.escape >> 63;
            m.quotes &= ~m.escaped;
        }
        m.inside = prefix_xor(m.quotes) ^ inside;
        inside = static_cast<u64>(static_cast<std::int64_t>(m.inside) >> 63);
        return m;
    }
};
