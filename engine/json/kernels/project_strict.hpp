// Projection of a document that is checked in full.
//
// With the wide checks the keys are looked for while the blocks go by: an opening quote, the key's first byte behind
// it, its closing quote at the right distance. Few strings pass that, so only those are compared in full, and only for
// those the depth is worked out, by counting the brackets among the tokens that the check has made so far. What is
// found is remembered, and read when the whole document turned out valid: then the last one of a repeated key wins,
// and reading cannot fail.
#if defined(KUMIHIMO_HAS_COMPRESS) || defined(KUMIHIMO_HAS_EXTRACT)

#if defined(KUMIHIMO_HAS_COMPRESS)
namespace checked = wide;
#else
namespace checked = planes;
#endif

/// The marks of the wanted keys (json::plan::key makes them), side by side for the search.
struct key_marks {
    static constexpr u32 most = 32;
    u32 count = 0;
    u32 distance[most];  // of the second mark from the opening quote
    char first[most], second[most];
};

#if defined(KUMIHIMO_HAS_COMPRESS)
#include "engine/json/kernels/avx512/key_places.hpp"
#else
#include "engine/json/kernels/avx2/key_places.hpp"
#endif

struct key_watch {
    static constexpr bool on = true;
    static constexpr u32 most_finds = 64;
    bool may_overflow = false;

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
    depth_counter counter;
    u32 finds = 0;
    bool overrun = false;
    key_marks marks;
    find list[most_finds];

    KUMIHIMO_INLINE key_watch(const json::plan& p, const char* from, std::size_t size, json::harvest& h)
        : plan(p),
          keys(p.keys.data() + p.states[0].first_key),
          key_count(p.states[0].key_count),
          data(from),
          end(from + size),
          harvest(h) {
        marks.count = key_count;
        for (u32 i = 0; i < key_count; i++) {
            marks.distance[i] = keys[i].mark_at;
            marks.first[i] = keys[i].first;
            marks.second[i] = keys[i].mark;
        }
    }

    template <class Tokens>
    KUMIHIMO_INLINE void keys_in(const char* at, u64 opening, u64 string, const Tokens& tokens) {
        u64 hits;
        if (end - at >= 64 + 64) [[likely]] {
            hits = places(marks, at);
        } else {
            char copy[192];
            blank_copy(copy, at);
            hits = places(marks, copy);
        }
        hits &= opening;
        if (hits != 0) [[unlikely]]
            look(at, hits, string, depth_counter::here(tokens));
    }

    /// The rest of the document from `at`, up to 192 bytes, blanks behind it.
    void blank_copy(char (&to)[192], const char* at) const {
        const std::size_t left = static_cast<std::size_t>(end - at);
        __builtin_memset(to, ' ', sizeof to);
        if (left != 0) __builtin_memcpy(to, at, left < sizeof to ? left : sizeof to);
    }

    [[gnu::noinline]] void look(const char* at, u64 hits, u64 string, depth_counter::place tokens) {
        for (; hits != 0; hits &= hits - 1) {
            const unsigned n = lowest(hits);
            const char* text = at + n + 1;
            for (u32 i = 0; i < key_count; i++) {
                const json::plan::key& k = keys[i];
                if (!k.plain || static_cast<std::size_t>(end - text) <= k.length || text[k.length] != '"') continue;
                if (__builtin_memcmp(text, k.text, k.length) != 0 || !at_root(at, n, string, tokens)) continue;
                add(text + k.length + 1, i);
            }
        }
    }

    /// Keys spelt with escapes: every string that has one and ends here. Not zero when one reaches into the next
    /// block.
    [[gnu::noinline]] u64 escapes(const char* at, u64 backslashes, u64 quotes, u64 string, depth_counter::place tokens) {
        u64 left = backslashes;
        u64 has = in_escaped;
        for (u64 ends = quotes & ~string; ends != 0; ends &= ends - 1) {
            const unsigned n = lowest(ends);
            const u64 below = (u64{1} << n) - 1;
            const bool escaped = (has | (left & below)) != 0;
            left &= ~below;
            has = 0;
            if (!escaped) continue;
            const char* behind = after_blank(at + n + 1);
            if (behind == end || *behind != ':' || !at_root(at, n, string, tokens)) continue;
            const u32 key = json::escaped_key(plan, data, at + n, harvest);
            if (key != json::nowhere) add(behind, static_cast<u32>(plan.keys.data() + key - keys));
        }
        in_escaped = static_cast<std::int64_t>(string) < 0 && (has | left) != 0;
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

    /// Whether byte n of the block at `at` lies directly in the outermost container. `tokens`: those before the block.
    bool at_root(const char* at, unsigned n, u64 string, const depth_counter::place& tokens) {
        char copy[192];
        blank_copy(copy, at);
        const block b = block::load(copy);
        const u64 before = ~string & ((u64{1} << n) - 1);
        return counter.at(tokens) + popcount(before & b.folded_eq('{')) - popcount(before & b.folded_eq('}')) == 1;
    }

    /// The document is valid: reads what was found.
    bool gather() {
        for (u32 i = 0; i < finds; i++) {
            const char* colon = after_blank(list[i].behind);
            if (colon == end || *colon != ':') continue;  // a string value that looks like a key
            const u32 key = static_cast<u32>(keys + list[i].key - plan.keys.data());
            if (plan.states[plan.keys[key].target].opening) {
                json::note_opening(plan, key, colon + 1, end, harvest);
                continue;
            }
            if (json::member(plan, key, colon + 1, end, harvest) == nullptr) return false;
        }
        return true;
    }
};

inline bool project_strict(const json::plan& p, const char* data, std::size_t size, json::harvest& h) {
    const json::plan::state& root = p.states[0];
    if (root.end_count != 0 || root.wants_elements() || root.key_count > key_marks::most)
        return json::project_exactly(p, data, size, h);
    key_watch watch(p, data, size, h);
    if (!checked::check(data, size, h.depth_limit, watch)) return false;
    if (watch.overrun) return json::project_exactly(p, data, size, h);
    h.begin(p, data);
    h.may_overflow = watch.may_overflow;
    // Members of the root object only: at the level of a root array there are no keys.
    return watch.gather();
}

#else

inline bool project_strict(const json::plan& p, const char* data, std::size_t size, json::harvest& h) {
    return json::project_exactly(p, data, size, h);
}

#endif
