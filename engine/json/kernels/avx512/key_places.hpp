// Where wanted keys may stand in a block, and how deep: the part of project_strict.hpp that AVX-512 does its own way.

/// Places in the block at `from` (readable to from[64 + json::plan::key::reach]) where the marks of some key fit.
KUMIHIMO_INLINE u64 places(const key_marks& m, const char* from) {
    const __m512i behind = _mm512_loadu_si512(from + 1);
    u64 hits = 0;
    for (u32 i = 0; i < m.count; i++) {
        const __mmask64 first = _mm512_cmpeq_epi8_mask(behind, _mm512_set1_epi8(m.first[i]));
        hits |= _mm512_mask_cmpeq_epi8_mask(first, _mm512_loadu_si512(from + m.distance[i]), _mm512_set1_epi8(m.second[i]));
    }
    return in_register(hits);
}

/// How many containers are open before a block, counted when asked.
struct depth_counter {
    using place = const u8*;  // the end of the tokens
    const u8* counted = nullptr;
    std::int64_t depth = 0;

    static KUMIHIMO_INLINE place here(const u8* tokens_end) { return tokens_end; }
    std::int64_t at(place to) {
        for (; counted < to; counted += 64) {
            const __m512i v = _mm512_or_si512(_mm512_loadu_si512(counted), _mm512_set1_epi8(0x20));
            const u64 valid = to - counted >= 64 ? ~u64{0} : ~u64{0} >> (64 - (to - counted));
            depth += popcount(valid & _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('{')));
            depth -= popcount(valid & _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('}')));
        }
        counted = to;
        return depth;
    }
};
