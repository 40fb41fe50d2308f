// Indexes the tokens of a chunk of JSON (json/index.hpp has the contract).
//
// Strings that hold something special are found by an addition. `inside` has a run of ones from each opening quote up
// to the byte before the closing one; adding to it the bits of the special bytes makes a carry run out of exactly the
// runs that have one, into the place of their closing quote:
//
//      bytes      " a \ n "  " b "
//      inside     1 1 1 1 .  1 1 .
//      special    . . 1 . .  . . .
//      sum        1 1 . . 1  1 1 .      & closing quotes = the strings to mark
//
// so nothing is done per string, and only blocks with such a byte pay at all.

#if defined(KUMIHIMO_HAS_COMPRESS)
KUMIHIMO_INLINE u32* write_positions(u32* out, u64 tokens, u32 base) {
    const __m512i ascending =
        _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38,
                        37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12,
                        11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i packed = _mm512_maskz_compress_epi8(tokens, ascending);
    const __m512i at = _mm512_set1_epi32(static_cast<int>(base));
    const unsigned n = popcount(tokens);
    _mm512_storeu_si512(out, _mm512_add_epi32(at, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed))));
    if (n > 16) {
        _mm512_storeu_si512(out + 16, _mm512_add_epi32(at, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(packed, 1))));
        if (n > 32) {
            _mm512_storeu_si512(out + 32, _mm512_add_epi32(at, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(packed, 2))));
            _mm512_storeu_si512(out + 48, _mm512_add_epi32(at, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(packed, 3))));
        }
    }
    return out + n;
}
#else
// In eights without a branch: how many tokens a block has is hard to predict, that it has few is not.
KUMIHIMO_INLINE u32* write_positions(u32* out, u64 tokens, u32 base) {
    if (tokens == 0) return out;
    const unsigned n = popcount(tokens);
    for (unsigned i = 0; i < 8; ++i) {
        out[i] = base + lowest(tokens);
        tokens &= tokens - 1;
    }
    if (n > 8) {
        for (unsigned i = 8; i < 16; ++i) {
            out[i] = base + lowest(tokens);
            tokens &= tokens - 1;
        }
        if (n > 16) {
            for (unsigned i = 16; i < n; ++i) {
                out[i] = base + lowest(tokens);
                tokens &= tokens - 1;
            }
        }
    }
    return out + n;
}
#endif

// Sets `flag` in the entries of the closing quotes whose strings hold a byte of `special`.
KUMIHIMO_INLINE void mark_strings(u32* entries, u64 tokens, u64 inside, u64 closing, u64 special, u64& seen, u32 flag) {
    unsigned long long sum;
    const bool over1 = __builtin_uaddll_overflow(inside, special & inside, &sum);
    const bool over2 = __builtin_uaddll_overflow(sum, seen, &sum);
    seen = static_cast<u64>(over1 | over2);
    for (u64 marked = sum & closing; marked != 0; marked &= marked - 1) {
        const u64 bit = marked & (0 - marked);
        entries[popcount(tokens & (bit - 1))] |= flag;
    }
}

struct index_run {
    string_scanner strings;
    utf8_checker utf8;
    u64 scalar, escape_seen, high_seen;
    u64 wrong = 0;

    // Spelled out: what the compiler writes by itself is not compiled for the instruction set.
    KUMIHIMO_INLINE explicit index_run(const json::token_index& carried)
        : scalar(carried.scalar), escape_seen(carried.escape_seen), high_seen(carried.high_seen) {
        if (carried.started) __builtin_memcpy(static_cast<void*>(&utf8), carried.utf8, sizeof utf8);
        strings.escaped = carried.odd_backslash;
        strings.inside = carried.inside;
    }

    KUMIHIMO_INLINE u32* next(const block& b, u32 base, u32* out) {
        const u64 backslashes = b.eq('\\');
        const string_masks m = strings.next(b.eq('"'), backslashes);
        const u64 high = b.high();
        const u64 space = b.whitespace();
        const u64 operators = b.operators();
        const u64 outside = ~(m.inside | m.quotes);
        // High bytes may pass for white space, and some control characters for operators: both are wrong outside of
        // strings.
        wrong |= (b.below(0x20) & ~(space & ~m.inside)) | (high & ~m.inside);
        const u64 words = outside & ~space & ~operators;
        const u64 starts = words & ~(words << 1 | scalar);
        scalar = words >> 63;
        const u64 tokens = (operators & outside) | m.quotes | starts;
        u32* const end = write_positions(out, tokens, base);
        const u64 closing = m.quotes & ~m.inside;
        if ((backslashes | escape_seen) != 0)
            mark_strings(out, tokens, m.inside, closing, backslashes, escape_seen, json::token_index::escaped);
        if ((high | high_seen) != 0)
            mark_strings(out, tokens, m.inside, closing, high, high_seen, json::token_index::not_ascii);
        if (high != 0)
            utf8.next(b);
        else
            utf8.ascii();
        return end;
    }
};

/// Indexes data[from, to); `to` is from + a multiple of 64, or the document's end, which `last` says. Returns the end
/// of the entries, or null when something is wrong.
inline u32* index(json::token_index& carried, const char* data, std::size_t from, std::size_t to, bool last, u32* out) {
    static_assert(sizeof(utf8_checker) <= sizeof carried.utf8 && alignof(utf8_checker) <= 64);
    index_run run(carried);
    std::size_t at = from;
    for (; to - at >= 64; at += 64) out = run.next(block::load(data + at), static_cast<u32>(at), out);
    if (at < to) {
        alignas(64) char tail[64];
        __builtin_memset(tail, ' ', 64);
        __builtin_memcpy(tail, data + at, to - at);
        out = run.next(block::load(tail), static_cast<u32>(at), out);
    }
    if (run.wrong != 0) return nullptr;
    if (last ? (run.strings.inside != 0 || !run.utf8.ok()) : !run.utf8.clean()) return nullptr;
    carried.started = true;
    __builtin_memcpy(carried.utf8, static_cast<const void*>(&run.utf8), sizeof run.utf8);
    carried.odd_backslash = run.strings.escaped;
    carried.inside = run.strings.inside;
    carried.scalar = run.scalar;
    carried.escape_seen = run.escape_seen;
    carried.high_seen = run.high_seen;
    return out;
}
