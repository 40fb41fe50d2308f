// Projection by blocks: where the wanted members of the root object are, and no more.
//
// The document runs past in blocks of 64 bytes, each reduced to masks: strings, opening and closing brackets. The
// number of open brackets carries over, and the lowest value it takes within a block (brackets.hpp) says whether any
// byte of the block lies at the root object's own level. Only there are keys looked for: an opening quote, the key's
// first byte behind it and its closing quote at the right distance, two compares of 64 bytes for each wanted key. What
// is found is read by the exact walk (json/plan.hpp), in place.
//
//      depth   1 2      3    2 3    2  1
//              {"asks": [[1, 2], [3, 4]], "last_price": {...}, ...
//              ^^^^^^^^^                ^^^^^^^^^^^^^^^^     only blocks with such bytes are searched
//
// `checked` adds what the structural level promises, 64 bytes at a time, gathered in one word that is read at the end.

inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// The closing quotes of strings that have an escape; `in_escaped` carries that over for the one that stays open.
KUMIHIMO_INLINE u64 ends_of_escaped(u64& in_escaped, u64 escapes, u64 quotes, u64 inside) {
    u64 pending = in_escaped, found = 0;
    for (u64 ends = quotes & ~inside; ends != 0; ends &= ends - 1) {
        const u64 bit = ends & (~ends + 1);
        if (pending != 0 || (escapes & (bit - 1)) != 0) found |= bit;
        escapes &= ~(bit - 1);
        pending = 0;
    }
    in_escaped = inside >> 63 & static_cast<u64>(pending != 0 || escapes != 0);
    return found;
}

// Bytes that may follow a backslash, given the quotes and backslashes among them.
KUMIHIMO_INLINE u64 known_escapes(const block& b, u64 some) {
    return some | b.eq('/') | b.eq('b') | b.eq('f') | b.eq('n') | b.eq('r') | b.eq('t') | b.eq('u');
}

KUMIHIMO_INLINE u64 hex_digits(const block& b) {
    return (b.below('9' + 1) & ~b.below('0')) | (b.below('F' + 1) & ~b.below('A')) | (b.below('f' + 1) & ~b.below('a'));
}

// Whether the brackets open deeper than `limit` before they close the root.
inline bool deeper_than(u64 now, u64 open, u64 close, u64 limit) {
    for (u64 all = open | close; all != 0; all &= all - 1) {
        const u64 bit = all & (~all + 1);
        if ((open & bit) == 0) {
            if (--now == 0) return false;
        } else if (++now > limit) {
            return true;
        }
    }
    return false;
}

// What carries over from block to block, and the block at which the scan stopped. Only inside and depth change with
// every block: the scan keeps those in registers and reaches for the rest when something out of the ordinary comes by.
struct projection_state {
    u64 inside;      // all ones: the next byte is inside a string
    u64 depth;       // open brackets; the root's own is behind us
    u64 escaped;     // 1: the next byte is escaped
    u64 in_escaped;  // 1: the string that is open has an escape
    u64 hex_owed;    // bytes of the next block that must be hex digits, from a \u at the end of this one
    u64 was_high;    // the last block's bytes above 0x7F
    u64 errors;      // what the structural level forbids; read at the end
    bool careful;    // the lane in use
    utf8_checker utf8;

    // Of the block where the scan stopped:
    u64 depth_before, open, close;
    u64 begins;        // opening quotes
    u64 escaped_ends;  // closing quotes of strings that have an escape
    bool closes_root;
    bool too_deep;
    enum class stop : u8 { end, lane, found } why;

    KUMIHIMO_INLINE projection_state()
        : inside(0), depth(1), escaped(0), in_escaped(0), hex_owed(0), was_high(0), errors(0), careful(false) {}
};

// Runs over whole blocks and stops at the first that may matter: where a wanted key may begin at the root's level, a
// key with an escape may end, the root closes, or (checked) the depth limit is passed. Returns how many bytes lie
// before that block.
//
// Two lanes. The quick one knows only clean blocks (no backslash; when checked, no control character and all ASCII,
// which is most of what machines write on one line) and is out of line, without calls, so that everything stays in
// registers; at another block it stops. The careful lane takes any block and gives way after four clean ones.
template <bool checked, bool careful>
[[gnu::noinline]] std::size_t projection_stop(projection_state& s, const char* text, std::size_t size,
                                              const json::plan::key* keys, u32 key_count, u64 depth_limit) {
    u64 carried = s.inside, depth = s.depth;
    unsigned clean = 0;
    const char* at = text;
    const char* const end = text + size;
    s.why = projection_state::stop::end;
    u64 quotes, inside, open, close, opens, closes, ends;
    // Two nested loops, so that the inner one, over blocks that lie deeper than the root's level, has the registers to
    // itself.
    for (; at < end; at += 64) {
        for (;;) {
            const block b = block::load(at);
            quotes = b.eq('"');
            const u64 backslashes = b.eq('\\');
            const u64 unusual = checked ? b.unusual() : 0;
            string_masks m{quotes, 0, 0, 0};
            ends = 0;
            bool escapes = false;
            if constexpr (careful) {
                escapes = (backslashes | s.escaped | s.in_escaped | s.hex_owed) != 0;
                clean = escapes || (unusual | s.was_high) != 0 ? 0 : clean + 1;
                if (clean == 4) {
                    s.why = projection_state::stop::lane;
                    goto stopped;
                }
                if (escapes) {
                    string_scanner strings{s.escaped, 0};
                    m = strings.next(quotes, backslashes);
                    s.escaped = strings.escaped;
                    quotes = m.quotes;
                }
            } else if ((backslashes | unusual) != 0) {
                s.why = projection_state::stop::lane;
                goto stopped;
            }
            inside = prefix_xor(quotes) ^ carried;
            carried = static_cast<u64>(static_cast<std::int64_t>(inside) >> 63);
            if constexpr (careful) {
                if (escapes) {
                    ends = ends_of_escaped(s.in_escaped, m.escape, quotes, inside);
                    s.errors |= (m.escape & ~inside) | (m.escaped & ~known_escapes(b, b.eq('"') | backslashes));
                    const u64 u = m.escaped & b.eq('u');
                    s.errors |= (s.hex_owed | u << 1 | u << 2 | u << 3 | u << 4) & ~hex_digits(b);
                    s.hex_owed = u >> 63 | u >> 62 | u >> 61 | u >> 60;
                }
                if ((unusual | s.was_high) != 0) {
                    s.errors |= b.below(0x20) & (inside | ~b.whitespace());
                    const u64 high = b.high();
                    if ((high | s.was_high) != 0) s.utf8.next(b);
                    s.was_high = high;
                }
            }
            open = b.folded_eq('{') & ~inside;
            close = b.folded_eq('}') & ~inside;
            opens = popcount(open);
            closes = popcount(close);
            // Whether a byte of the block can lie at the root's own level. An exact answer (lowest_dip) costs more
            // than it saves.
            if (depth <= closes + 1 || (checked && depth + opens > depth_limit)) break;
            depth += opens - closes;
            at += 64;
            if (at >= end) goto stopped;
        }
        u64 any = 0;
        for (u32 i = 0; i < key_count; ++i)
            any |= block::load(at + 1).eq(keys[i].first) & block::load(at + keys[i].mark_at).eq(keys[i].mark);
        any = (any & quotes) | ends;
        const bool closes_root = depth <= closes && static_cast<std::int64_t>(depth) + lowest_dip(open, close) <= 0;
        const bool too_deep = checked && depth + opens > depth_limit && deeper_than(depth, open, close, depth_limit);
        if (any != 0 || closes_root || too_deep) {
            s.why = projection_state::stop::found;
            s.closes_root = closes_root;
            s.too_deep = too_deep;
            s.depth_before = depth;
            s.open = open;
            s.close = close;
            s.begins = quotes & inside;
            s.escaped_ends = ends;
            depth += opens - closes;
            break;
        }
        depth += opens - closes;
    }
stopped:
    s.inside = carried;
    s.depth = depth;
    return at < end ? static_cast<std::size_t>(at - text) : size;
}

// One document. Calls projection_stop and looks closer where it stops.
template <bool checked>
struct projection_scan {
    const json::plan& plan;
    const json::plan::key* const keys;
    const u32 key_count;
    const char* const data;
    const char* const end;
    json::harvest& harvest;
    u64 missing;  // keys not found yet, while there are at most 64

    enum class outcome { more, refused, whole };
    static constexpr u32 reach = json::plan::key::reach;

    // `size` bytes of blocks at `text` (readable to text[size + reach], blank behind the document's end) stand at
    // `at`.
    KUMIHIMO_INLINE outcome blocks(projection_state& s, const char* text, std::size_t size, const char* at) {
        for (std::size_t done = 0; done < size; done += 64) {
            for (;;) {
                const u64 limit = harvest.depth_limit;
                if (!s.careful) {
                    done += projection_stop<checked, false>(s, text + done, size - done, keys, key_count, limit);
                    if (s.why != projection_state::stop::lane) break;
                    s.careful = true;
                }
                done += projection_stop<checked, true>(s, text + done, size - done, keys, key_count, limit);
                if (s.why != projection_state::stop::lane) break;
                s.careful = false;
            }
            if (s.why == projection_state::stop::end) return outcome::more;
            if (checked && s.too_deep) return outcome::refused;
            if (s.escaped_ends != 0) {
                if (!search_in_order(s, at + done)) return outcome::refused;
            } else if (!search(s, text + done, at + done)) {
                return outcome::refused;
            }
            if (!checked && missing == 0) return outcome::whole;
            if (s.closes_root) {
                if (!checked) return outcome::whole;
                const bool good = s.errors == 0 && s.utf8.ok() &&
                                  nothing_behind(at + done + first_at_level(s.open, s.close, s.depth_before, 0) + 1);
                return good ? outcome::whole : outcome::refused;
            }
        }
        return outcome::more;
    }

    // Wanted keys that begin in this block.
    KUMIHIMO_INLINE bool search(const projection_state& s, const char* text, const char* at) {
        for (u32 i = 0; i < key_count; ++i) {
            u64 hits =
                s.begins & block::load(text + 1).eq(keys[i].first) & block::load(text + keys[i].mark_at).eq(keys[i].mark);
            for (; hits != 0; hits &= hits - 1) {
                const unsigned n = lowest(hits);
                if (at_root(s, n) && !hit(i, at + n + 1)) return false;
            }
        }
        return true;
    }

    static KUMIHIMO_INLINE bool at_root(const projection_state& s, unsigned n) {
        const u64 below = (u64{1} << n) - 1;
        return s.depth_before + popcount(s.open & below) - popcount(s.close & below) == 1;
    }

    // The same when keys with escapes end in the block: one string after the other, because of two members of the same
    // name the later one counts.
    [[gnu::noinline]] bool search_in_order(const projection_state& s, const char* at) {
        for (u64 all = s.begins | s.escaped_ends; all != 0; all &= all - 1) {
            const unsigned n = lowest(all);
            if (!at_root(s, n)) continue;
            if ((s.escaped_ends >> n & 1) != 0) {
                if (!escaped_key(at + n)) return false;
                continue;
            }
            for (u32 i = 0; i < key_count; ++i)
                if (!hit(i, at + n + 1)) return false;
        }
        return true;
    }

    // Whether the string that begins at `at` (behind its quote, at the root's level) is a member by the name of key n;
    // then its value is read. False: that value is not valid.
    [[gnu::noinline]] bool hit(u32 n, const char* at) {
        const json::plan::key& k = keys[n];
        if (!k.plain || at >= end || static_cast<std::size_t>(end - at) <= k.length || at[k.length] != '"') return true;
        if (__builtin_memcmp(at, k.text, k.length) != 0) return true;
        return value_of(n, at + k.length + 1);
    }

    // `at` is behind the closing quote of a string that is named like key n.
    bool value_of(u32 n, const char* at) {
        while (at != end && is_space(*at)) ++at;
        if (at == end || *at != ':') return true;
        if (key_count <= 64) missing &= ~(u64{1} << n);
        return json::member(plan, static_cast<u32>(keys + n - plan.keys.data()), at + 1, end, harvest) != nullptr;
    }

    // A string with escapes ends at `close`, at the root's level: read its value when it is a wanted member's name.
    bool escaped_key(const char* close) {
        const char* q = close + 1;
        while (q != end && is_space(*q)) ++q;
        if (q == end || *q != ':' || key_count == 0) return true;
        const u32 n = json::escaped_key(plan, data, close, harvest);
        return n == json::nowhere || value_of(static_cast<u32>(plan.keys.data() + n - keys), q);
    }

    // Behind the root only white space may follow.
    [[gnu::noinline]] bool nothing_behind(const char* at) const {
        while (at != end && is_space(*at)) ++at;
        return at == end;
    }

    // Whoever vouches for the document also says that its last byte closes the root, so the search can come from
    // behind as well: a member at the end is found without reading what lies before it. `right` is the end of what is
    // not searched yet, where `depth` brackets are open and a string is open when `inside` is set. One block; false
    // when it is not for this way.
    struct rear {
        const char* right;
        u64 inside, depth;
    };
    enum class step_back : u8 { done, given_up, refused };

    KUMIHIMO_INLINE step_back search_back(rear& r) {
        const char* at = r.right - 64;
        const char* text = at;
        alignas(64) char copy[192];
        if (end - at < 128) {  // as in run()
            __builtin_memset(copy, ' ', sizeof copy);
            __builtin_memcpy(copy, at, 64);
            __builtin_memcpy(copy + (end - at) - 64, end - 64, 64);
            text = copy;
        }
        const block b = block::load(text);
        // Whether a backslash escapes depends on what lies before it.
        if (at[-1] == '\\' || b.eq('\\') != 0) return step_back::given_up;
        projection_state s;
        const u64 quotes = b.eq('"');
        const u64 before = r.inside ^ (u64{0} - (popcount(quotes) & 1));
        const u64 inside = prefix_xor(quotes) ^ before;
        s.open = b.folded_eq('{') & ~inside;
        s.close = b.folded_eq('}') & ~inside;
        s.begins = quotes & inside;
        s.depth_before = r.depth + popcount(s.close) - popcount(s.open);
        if (s.depth_before <= popcount(s.close) + 1 && !search(s, text, at)) return step_back::refused;
        r = {at, before, s.depth_before};
        return step_back::done;
    }

    bool run_from_both_ends(const char* from) {
        projection_state s;
        const char* last = end;
        while (last != from && is_space(last[-1])) --last;
        const bool closed = last != from && last[-1] == '}';
        rear r{closed ? last - 1 : from, 0, 1};
        bool back = closed;
        constexpr std::size_t turn = 512;
        const char* at = from;
        for (;;) {
            const std::size_t left = static_cast<std::size_t>(end - at);
            const std::size_t direct = left < 128 ? 0 : left / 64 * 64 - 64;
            if (direct == 0) return rest_of(s, at);
            const std::size_t n = direct < turn ? direct : turn;
            if (const outcome o = blocks(s, at, n, at); o != outcome::more) return o == outcome::whole;
            at += n;
            if (closed && at >= r.right) return true;  // all was seen
            for (std::size_t i = 0; back && i < turn; i += 64) {
                if (r.right - at < 64) {
                    back = false;
                    break;
                }
                const step_back o = search_back(r);
                if (o == step_back::refused) return false;
                if (o == step_back::given_up) back = false;
                if (missing == 0) return true;
            }
        }
    }

    // The last blocks, fewer than 128 bytes, before blanks, so that nothing outside the document is read.
    KUMIHIMO_INLINE bool rest_of(projection_state& s, const char* at) {
        const std::size_t rest = static_cast<std::size_t>(end - at);
        alignas(64) char tail[192];
        __builtin_memset(tail, ' ', sizeof tail);
        if (rest < 64) {
            __builtin_memcpy(tail, at, rest);
        } else {  // as two that overlap
            __builtin_memcpy(tail, at, 64);
            __builtin_memcpy(tail + rest - 64, end - 64, 64);
        }
        return blocks(s, tail, rest, at) == outcome::whole;  // else the root is not closed
    }

    // `from` is behind the root's opening bracket.
    bool run(const char* from) {
        if (!checked && key_count <= 64) return run_from_both_ends(from);
        // Blocks are read where they are as long as 64 bytes follow them: keys are compared that far ahead.
        static_assert(reach < 64);
        projection_state s;
        const std::size_t left = static_cast<std::size_t>(end - from);
        const std::size_t direct = left < 128 ? 0 : left / 64 * 64 - 64;
        if (const outcome o = blocks(s, from, direct, from); o != outcome::more) return o == outcome::whole;
        return rest_of(s, from + direct);
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
    const u32 count = object ? root.key_count : 0;
    projection_scan<checked> scan{
        p, p.keys.data() + root.first_key, count, data, end, h, count < 64 ? (u64{1} << count) - 1 : ~u64{0}};
    return scan.run(at + 1);
}

inline bool project_structural(const json::plan& p, const char* data, std::size_t size, json::harvest& h) {
    return project_by_blocks<true>(p, data, size, h);
}
inline bool project_trusted(const json::plan& p, const char* data, std::size_t size, json::harvest& h) {
    return project_by_blocks<false>(p, data, size, h);
}
