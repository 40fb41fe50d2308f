// Projection of a document that is checked in full.
//
// With the wide check the keys are looked for while the blocks go by: an opening quote, the key's first byte behind it, its
// closing quote at the right distance. Few strings pass that, so only those are compared in full, and only for those the depth
// is worked out, by counting the brackets among the tokens that the check has made so far. What is found is remembered, and
// read when the whole document turned out valid: then the last one of a repeated key wins, and reading cannot fail.
#if defined(KUMIHIMO_HAS_COMPRESS)

namespace wide {

struct key_watch {
    static constexpr bool on = true;
    static constexpr u32 most_keys = 32, most_finds = 64;
    // A key's second mark is its closing quote, or for long keys a byte within.
    static constexpr u32 reach = 62;

    struct find {
        const char* behind;  // its closing quote
        u32 key;
    };

    const json::plan& plan;
    const json::plan::key* const keys;
    const u32 key_count;
    const char* const data;
    const char* const end;
    json::harvest& harvest;
    u64 in_escaped = 0;  // the string that the last block left open has an escape
    const u8* counted = nullptr;
    std::int64_t depth = 0;  // open brackets before `counted`
    u32 finds = 0;
    bool overrun = false;
    u32 distance[most_keys];
    char first[most_keys], mark[most_keys];
    find list[most_finds];

    KUMIHIMO_INLINE key_watch(const json::plan& p, const char* from, std::size_t size, json::harvest& h)
        : plan(p),
          keys(p.keys.data() + p.states[0].first_key),
          key_count(p.states[0].key_count),
          data(from),
          end(from + size),
          harvest(h) {
        for (u32 i = 0; i < key_count; i++) {
            const json::plan::key& k = keys[i];
            distance[i] = k.length <= reach ? k.length + 1 : reach;
            first[i] = k.length != 0 ? k.text[0] : '"';
            mark[i] = k.length <= reach ? '"' : k.text[reach - 1];
        }
    }

    KUMIHIMO_INLINE void keys_in(const char* at, u64 opening, u64 string, const u8* token) {
        u64 hits = 0;
        if (end - at >= 128) [[likely]] {
            const vec behind = _mm512_loadu_si512(at + 1);
            for (u32 i = 0; i < key_count; i++) {
                const __mmask64 first_fits = _mm512_cmpeq_epi8_mask(behind, _mm512_set1_epi8(first[i]));
                hits |=
                    _mm512_mask_cmpeq_epi8_mask(first_fits, _mm512_loadu_si512(at + distance[i]), _mm512_set1_epi8(mark[i]));
            }
        } else {
            for (u32 i = 0; i < key_count; i++)
                hits |= _mm512_cmpeq_epi8_mask(within(at + 1), _mm512_set1_epi8(first[i])) &
                        _mm512_cmpeq_epi8_mask(within(at + distance[i]), _mm512_set1_epi8(mark[i]));
        }
        hits = settle(hits & opening);
        if (hits != 0) [[unlikely]]
            look(at, hits, string, token);
    }

    /// 64 bytes, zeros behind the document's end.
    KUMIHIMO_INLINE vec within(const char* at) const {
        const std::ptrdiff_t left = end - at;
        const u64 mask = left >= 64 ? ~u64{0} : left <= 0 ? 0 : ~u64{0} >> (64 - left);
        return _mm512_maskz_loadu_epi8(mask, at);
    }

    [[gnu::noinline]] void look(const char* at, u64 hits, u64 string, const u8* token) {
        for (; hits != 0; hits &= hits - 1) {
            const unsigned n = lowest(hits);
            const char* text = at + n + 1;
            for (u32 i = 0; i < key_count; i++) {
                const json::plan::key& k = keys[i];
                if (!k.plain || static_cast<std::size_t>(end - text) <= k.length || text[k.length] != '"') continue;
                if (__builtin_memcmp(text, k.text, k.length) != 0 || !at_root(at, n, string, token)) continue;
                add(text + k.length + 1, i);
            }
        }
    }

    /// Keys spelt with escapes: every string that has one and ends here. Not zero when one reaches into the next block.
    [[gnu::noinline]] u64 escapes(const char* at, u64 backslashes, u64 quotes, u64 string, const u8* token) {
        u64 marks = backslashes;
        u64 has = in_escaped;
        for (u64 ends = quotes & ~string; ends != 0; ends &= ends - 1) {
            const unsigned n = lowest(ends);
            const u64 below = (u64{1} << n) - 1;
            const bool escaped = (has | (marks & below)) != 0;
            marks &= ~below;
            has = 0;
            if (!escaped) continue;
            const char* behind = after_blank(at + n + 1);
            if (behind == end || *behind != ':' || !at_root(at, n, string, token)) continue;
            const u32 key = json::escaped_key(plan, data, at + n, harvest);
            if (key != json::nowhere) add(behind, static_cast<u32>(plan.keys.data() + key - keys));
        }
        in_escaped = static_cast<std::int64_t>(string) < 0 && (has | marks) != 0;
        return in_escaped;
    }

    void add(const char* behind, u32 key) {
        if (finds == most_finds) {
            overrun = true;
            return;
        }
        // A block's escaped keys come before its plain ones: keep the document's order.
        u32 i = finds++;
        for (; i != 0 && list[i - 1].behind > behind; i--) list[i] = list[i - 1];
        list[i] = {behind, key};
    }

    const char* after_blank(const char* p) const {
        while (p != end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) p++;
        return p;
    }

    /// Whether byte n of the block at `at` lies directly in the outermost container. `token`: where the block's own tokens
    /// begin.
    bool at_root(const char* at, unsigned n, u64 string, const u8* token) {
        count_to(token);
        const vec v = _mm512_or_si512(within(at), all(0x20));
        const u64 before = ~string & ((u64{1} << n) - 1);
        const u64 open = before & _mm512_cmpeq_epi8_mask(v, all('{')), close = before & _mm512_cmpeq_epi8_mask(v, all('}'));
        return depth + popcount(open) - popcount(close) == 1;
    }

    void count_to(const u8* to) {
        for (; counted < to; counted += 64) {
            const vec v = _mm512_or_si512(load(counted), all(0x20));
            const u64 valid = to - counted >= 64 ? ~u64{0} : ~u64{0} >> (64 - (to - counted));
            depth += popcount(valid & _mm512_cmpeq_epi8_mask(v, all('{')));
            depth -= popcount(valid & _mm512_cmpeq_epi8_mask(v, all('}')));
        }
        counted = to;
    }

    /// The document is valid: reads what was found.
    bool gather() {
        for (u32 i = 0; i < finds; i++) {
            const char* colon = after_blank(list[i].behind);
            if (colon == end || *colon != ':') continue;  // a string value that looks like a key
            const u32 key = static_cast<u32>(keys + list[i].key - plan.keys.data());
            if (json::member(plan, key, colon + 1, end, harvest) == nullptr) return false;
        }
        return true;
    }
};

}  // namespace wide

inline bool project_strict(const json::plan& p, const char* data, std::size_t size, json::harvest& h) {
    const json::plan::state& root = p.states[0];
    if (root.end_count != 0 || root.wants_elements() || root.key_count > wide::key_watch::most_keys)
        return json::project_exactly(p, data, size, h);
    wide::key_watch watch(p, data, size, h);
    if (!wide::check(data, size, h.depth_limit, watch)) return false;
    if (watch.overrun) return json::project_exactly(p, data, size, h);
    h.begin(p, data);
    // Members of the root object only: at the level of a root array there are no keys.
    return watch.gather();
}

#else

inline bool project_strict(const json::plan& p, const char* data, std::size_t size, json::harvest& h) {
    return json::project_exactly(p, data, size, h);
}

#endif
