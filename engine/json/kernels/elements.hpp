// Elements of one shape (json/element_shape.hpp). It stops in front of the first that has another, and of one so near
// to the end that a block would pass it: whoever calls looks closer.

/// Bytes that are of no number and no word, and the plus sign, which few writers put into an exponent: that saves a
/// comparison.
KUMIHIMO_INLINE u64 no_scalar(const block& b) { return b.below('-') | b.folded_eq('{') | b.folded_eq('}'); }

/// The byte behind the object or array at p; null: ask somebody slower.
[[gnu::noinline]] inline const char* end_of_container(const char* p, const char* end) {
    u64 depth = 0, carried = 0;
    for (; end - p >= 64; p += 64) {
        const block b = block::load(p);
        if (b.eq('\\') != 0) return nullptr;
        const u64 inside = prefix_xor(b.eq('"')) ^ carried;
        carried = static_cast<u64>(static_cast<std::int64_t>(inside) >> 63);
        const u64 open = b.folded_eq('{') & ~inside, close = b.folded_eq('}') & ~inside;
        if (depth > popcount(close)) {
            depth += popcount(open) - popcount(close);
            continue;
        }
        for (u64 all = open | close; all != 0; all &= all - 1) {
            if ((open & all & (~all + 1)) != 0)
                ++depth;
            else if (--depth == 0)
                return p + lowest(all) + 1;
        }
    }
    return nullptr;
}

/// The same for a value that is no container.
[[gnu::noinline]] inline const char* end_of_long_value(const char* p, const char* end, bool string) {
    for (p += string; end - p >= 64; p += 64) {
        const block b = block::load(p);
        const u64 stop = string ? b.eq('"') | b.eq('\\') : no_scalar(b);
        if (stop == 0) continue;
        p += lowest(stop);
        if (!string) return *p != '+' ? p : nullptr;
        return *p == '"' ? p + 1 : nullptr;
    }
    return nullptr;
}

/// The byte behind the value at p, where 64 bytes can be read. Most values are short, and each waits for the end of
/// the one before: a narrow vector has its answer sooner.
KUMIHIMO_INLINE const char* end_of_value(const char* p, const char* end) {
    using simd::lanes;
    if (*p == '"') {
        const lanes v = lanes::load(p + 1);
        const u64 stop = (v.eq('"') | v.eq('\\')).bits();
        if (stop == 0) return end_of_long_value(p, end, true);
        p += lanes::first(stop) + 1;
        return *p == '"' ? p + 1 : nullptr;
    }
    const lanes v = lanes::load(p), folded = v.masked(0xDF);
    const u64 stop = (v.below('-') | folded.eq('[') | folded.eq(']')).bits();
    if (stop == 0) return end_of_long_value(p, end, false);
    const unsigned n = lanes::first(stop);
    if (n == 0) return *p == '{' || *p == '[' ? end_of_container(p, end) : nullptr;
    return p[n] != '+' ? p + n : nullptr;
}

/// The byte behind the element at p, with its values in column i; null: it is of another shape.
KUMIHIMO_INLINE const char* element_end(const json::element_shape& shape, const char* p, const json::element_run& run,
                                        std::size_t i) {
    const json::element_shape::stretch* const last = shape.stretches + shape.count;
    for (const json::element_shape::stretch* s = shape.stretches; s != last; ++s) {
        if (run.end - p < static_cast<std::ptrdiff_t>(s->length) + 64) return nullptr;
        const json::element_shape::block* t = shape.blocks + s->first_block;
        u64 other = 0;
        for (u32 k = 0; k < s->blocks; ++k, ++t) {
            const block b = block::load(p + 64 * static_cast<std::size_t>(k));
            other |= ~b.same(block::load(t->text)) & t->fixed;
            if (t->scalar != 0) other |= no_scalar(b) & t->scalar;
            if (t->inside != 0) other |= (b.eq('"') | b.eq('\\')) & t->inside;
        }
        if (other != 0) return nullptr;
        const u32 from = static_cast<u32>(p - run.base) + run.first;
        for (u32 v = s->first_value; v < s->end_values; ++v) {
            const json::element_shape::value& w = shape.values[v];
            run.values[w.to * json::element_run::most + i] = {from + w.offset, w.length};
        }
        p += s->length;
        if (!s->open) continue;
        const char* const behind = end_of_value(p, run.end);
        if (behind == nullptr) return nullptr;
        for (u32 o = s->first_open; o < s->end_opens; ++o)
            run.values[shape.opens[o] * json::element_run::most + i] = {from + s->length, static_cast<u32>(behind - p)};
        p = behind;
    }
    return p;
}

inline void elements(const json::element_shape& shape, json::element_run& run) {
    const char* at = run.at;
    std::size_t i = run.count;
    for (; i < run.limit; ++i) {
        const char* p = element_end(shape, at, run, i);
        if (p == nullptr) break;
        while (p != run.end && is_space(*p)) ++p;
        if (p == run.end) break;
        run.begins[i] = static_cast<u32>(at - run.base) + run.first;
        at = p;
        if (*p != ',') {
            run.more = false;
            ++i;
            break;
        }
        ++p;
        while (p != run.end && is_space(*p)) ++p;
        at = p;
    }
    run.at = at;
    run.count = i;
}
