// Where wanted keys may stand in a block, and how deep: the part of project_strict.hpp that AVX2 does its own way.

/// Places in the block at `from` (readable to from[64 + json::plan::key::reach]) where the marks of some key fit.
KUMIHIMO_INLINE u64 places(const key_marks& m, const char* from) {
    const vector a = vector::load(from + 1), b = vector::load(from + 33);
    vector hits_a = vector::zero(), hits_b = vector::zero();
    for (u32 i = 0; i < m.count; i++) {
        const vector first = vector::all(static_cast<u8>(m.first[i])), second = vector::all(static_cast<u8>(m.second[i]));
        const char* const at = from + m.distance[i];
        hits_a = hits_a | (a.eq(first) & vector::load(at).eq(second));
        hits_b = hits_b | (b.eq(first) & vector::load(at + 32).eq(second));
    }
    return block::bits(hits_a, hits_b);
}

/// How many containers are open before a block, counted when asked.
struct depth_counter {
    // By value: were the streams' address known out of line, they could not live in registers.
    struct place {
        const u64 (*words)[3];
        std::size_t count;
        u64 bracket, shut;
    };
    std::size_t counted = 0;
    std::int64_t depth = 0;

    static KUMIHIMO_INLINE place here(const planes::bit_streams<3>& t) { return {t.out, t.count, t.last[0], t.last[2]}; }
    static std::int64_t difference(u64 bracket, u64 shut) {
        return static_cast<std::int64_t>(popcount(bracket & ~shut)) - popcount(bracket & shut);
    }
    std::int64_t at(const place& to) {
        for (; counted < to.count; counted++) depth += difference(to.words[counted][0], to.words[counted][2]);
        return depth + difference(to.bracket, to.shut);
    }
};
