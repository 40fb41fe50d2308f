// Projection by blocks: where the wanted members of the root object are, and no more.
//
// The document runs past in blocks of 64 bytes, each reduced to masks: strings, opening and closing brackets. The number of
// open brackets carries over, and the lowest value it takes within a block (brackets.hpp) says whether any byte of the block
// lies at the root object's own level. Only there are keys looked for: an opening quote, the key's first byte behind it and its
// closing quote at the right distance, two compares of 64 bytes for each wanted key. What is found is read by the exact walk
// (json/plan.hpp), in place.
//
//      depth   1 2      3    2 3    2  1
//              {"asks": [[1, 2], [3, 4]], "last_price": {...}, ...
//              ^^^^^^^^^                ^^^^^^^^^^^^^^^^     only blocks with such bytes are searched
//
// `checked` adds what the structural level promises, 64 bytes at a time, gathered in one word that is read at the end.

inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

template <bool checked>
struct projection_scan {
    const json::plan& plan;
    const json::plan::key* const keys;
    const u32 key_count;
    const char* const data;
    const char* const end;
    json::harvest& harvest;

    string_scanner strings{};
    u64 depth = 1;  // open brackets before this block; the root's own is behind us
    u64 errors = 0;
    u64 hex_owed = 0;         // bytes of this block that must be hex digits, from a \u at the end of the last one
    bool in_escaped = false;  // the string that the last block left open has an escape
    u64 was_high = 0;
    u64 found = 0;  // keys, while there are at most 64
    utf8_checker utf8{};

    enum class outcome { more, refused, whole };

    // The key's second mark: its closing quote, or for long keys a byte within.
    static constexpr u32 reach = 62;
    static KUMIHIMO_INLINE u32 mark_at(const json::plan::key& k) { return k.length <= reach ? k.length + 1 : reach; }
    static KUMIHIMO_INLINE char mark(const json::plan::key& k) { return k.length <= reach ? '"' : k.text[reach - 1]; }

    // One block whose bytes are at `text` (readable to text[64 + reach], blank behind the document's end); it stands at `at`.
    KUMIHIMO_INLINE outcome step(const char* text, const char* at) {
        const block b = block::load(text);
        const u64 backslashes = b.eq('\\');
        const u64 quotes = b.eq('"');
        const u64 before = strings.escaped;
        const string_masks m = strings.next(quotes, backslashes);
        const u64 open = b.folded_eq('{') & ~m.inside;
        const u64 close = b.folded_eq('}') & ~m.inside;
        const u64 opens = popcount(open), closes = popcount(close);

        if constexpr (checked) {
            const u64 control = b.below(0x20);
            if (control != 0) errors |= control & (m.inside | ~b.whitespace());
            const u64 high = b.high();
            if ((high | was_high) != 0) utf8.next(b);
            was_high = high;
            if ((backslashes | before | hex_owed) != 0) check_escapes(b, m, quotes, backslashes);
            if (depth + opens > harvest.depth_limit && deeper_than(open, close)) return outcome::refused;
        }
        if ((m.escape | in_escaped) != 0) [[unlikely]]
            if (!escaped_keys(m, open, close, at)) return outcome::refused;

        if (extract_is_cheap || depth <= closes + 1) {
            const std::int64_t low = static_cast<std::int64_t>(depth) + lowest_dip(open, close);
            if (low <= 1) {
                for (u32 i = 0; i < key_count; ++i) {
                    const json::plan::key& k = keys[i];
                    u64 hits = m.quotes & m.inside & block::load(text + 1).eq(k.length != 0 ? k.text[0] : '"');
                    hits &= block::load(text + mark_at(k)).eq(mark(k));
                    for (; hits != 0; hits &= hits - 1)
                        if (!hit(i, at, lowest(hits), open, close)) return outcome::refused;
                }
                if (!checked && found == wanted()) return outcome::whole;
                if (low <= 0) return last(open, close, at);
            }
        }
        depth += opens - closes;
        return outcome::more;
    }

    KUMIHIMO_INLINE u64 wanted() const {
        return key_count == 64 ? ~u64{0} : key_count < 64 ? (u64{1} << key_count) - 1 : ~u64{0};
    }

    KUMIHIMO_INLINE u64 depth_at(unsigned i, u64 open, u64 close) const {
        const u64 below = (u64{1} << i) - 1;
        return depth + popcount(open & below) - popcount(close & below);
    }

    // Whether the string whose opening quote is byte i of the block is a member of the root by the name of key n; then its
    // value is read. False: that value is not valid.
    [[gnu::noinline]] bool hit(u32 n, const char* block_at, unsigned i, u64 open, u64 close) {
        const json::plan::key& k = keys[n];
        if (!k.plain || depth_at(i, open, close) != 1) return true;
        const char* at = block_at + i + 1;
        if (static_cast<std::size_t>(end - at) <= k.length || at[k.length] != '"') return true;
        if (__builtin_memcmp(at, k.text, k.length) != 0) return true;
        return value_of(n, at + k.length + 1);
    }

    // `at` is behind the closing quote of a string that is named like key n.
    bool value_of(u32 n, const char* at) {
        while (at != end && is_space(*at)) ++at;
        if (at == end || *at != ':') return true;
        if (key_count <= 64) found |= u64{1} << n;
        return json::member(plan, static_cast<u32>(keys + n - plan.keys.data()), at + 1, end, harvest) != nullptr;
    }

    // Keys spelt with escapes: every string that has one and ends at the root's level is looked at alone.
    [[gnu::noinline]] bool escaped_keys(const string_masks& m, u64 open, u64 close, const char* at) {
        u64 escapes = m.escape;
        bool pending = in_escaped;
        for (u64 ends = m.quotes & ~m.inside; ends != 0; ends &= ends - 1) {
            const unsigned i = lowest(ends);
            const u64 below = (u64{1} << i) - 1;
            const bool has = pending || (escapes & below) != 0;
            escapes &= ~below;
            pending = false;
            if (!has || key_count == 0 || depth_at(i, open, close) != 1) continue;
            const char* q = at + i + 1;
            while (q != end && is_space(*q)) ++q;
            if (q == end || *q != ':') continue;
            const u32 n = json::escaped_key(plan, data, at + i, harvest);
            if (n == json::nowhere) continue;
            if (!value_of(static_cast<u32>(plan.keys.data() + n - keys), q)) return false;
        }
        in_escaped = strings.inside != 0 && (pending || escapes != 0);
        return true;
    }

    [[gnu::noinline]] void check_escapes(const block& b, const string_masks& m, u64 quotes, u64 backslashes) {
        const u64 u = m.escaped & b.eq('u');
        const u64 known = quotes | backslashes | b.eq('/') | b.eq('b') | b.eq('f') | b.eq('n') | b.eq('r') | b.eq('t') | u;
        errors |= (m.escaped & ~known) | (m.escape & ~m.inside);
        const u64 owed = hex_owed | u << 1 | u << 2 | u << 3 | u << 4;
        hex_owed = u >> 63 | u >> 62 | u >> 61 | u >> 60;
        if (owed == 0) return;
        const u64 hex =
            (b.below('9' + 1) & ~b.below('0')) | (b.below('F' + 1) & ~b.below('A')) | (b.below('f' + 1) & ~b.below('a'));
        errors |= owed & ~hex;
    }

    [[gnu::noinline]] bool deeper_than(u64 open, u64 close) const {
        u64 now = depth;
        for (u64 all = open | close; all != 0; all &= all - 1) {
            const u64 bit = all & (~all + 1);
            if ((open & bit) == 0) {
                if (--now == 0) return false;
            } else if (++now > harvest.depth_limit) {
                return true;
            }
        }
        return false;
    }

    // The block in which the root closes: only white space may follow.
    [[gnu::noinline]] outcome last(u64 open, u64 close, const char* at) {
        if constexpr (!checked) return outcome::whole;
        const char* rest = at + first_at_level(open, close, depth, 0) + 1;
        while (rest != end && is_space(*rest)) ++rest;
        return rest == end && errors == 0 && utf8.ok() ? outcome::whole : outcome::refused;
    }

    bool run(const char* from) {
        const char* at = from;
        constexpr std::size_t ahead = 64 + reach;
        for (; static_cast<std::size_t>(end - at) >= ahead; at += 64)
            if (const outcome o = step(at, at); o != outcome::more) return o == outcome::whole;
        // The rest, with blanks behind it, so that nothing outside the document is read.
        alignas(64) char tail[256];
        const std::size_t left = static_cast<std::size_t>(end - at);
        __builtin_memset(tail, ' ', sizeof tail);
        __builtin_memcpy(tail, at, left);
        for (std::size_t i = 0; i < left; i += 64)
            if (const outcome o = step(tail + i, at + i); o != outcome::more) return o == outcome::whole;
        return false;  // the root is not closed
    }
};

template <bool checked>
inline bool project_by_blocks(const json::plan& p, const char* data, std::size_t size, json::harvest& h) {
    const char* const end = data + size;
    const char* at = data;
    while (at != end && is_space(*at)) ++at;
    if (at == end) return false;
    const json::plan::state& root = p.states[0];
    const bool object = *at == '{';
    // What is wanted whole, or is no object, is the exact walk's job anyway.
    if (root.end_count != 0 || (!object && (*at != '[' || root.wants_elements()))) return project_strict(p, data, size, h);
    h.begin(p, data);
    if (h.depth_limit == 0) return false;
    projection_scan<checked> scan{p, p.keys.data() + root.first_key, object ? root.key_count : 0, data, end, h};
    return scan.run(at + 1);
}

inline bool project_structural(const json::plan& p, const char* data, std::size_t size, json::harvest& h) {
    return project_by_blocks<true>(p, data, size, h);
}
inline bool project_trusted(const json::plan& p, const char* data, std::size_t size, json::harvest& h) {
    return project_by_blocks<false>(p, data, size, h);
}
