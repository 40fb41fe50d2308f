// Where the document that `state` is in ends: see json/boundary.hpp. Containers go by blocks; the rest is short or
// rare.
inline std::size_t boundary(json::boundary& state, const char* data, std::size_t size) {
    using kind = json::boundary::kind;
    std::size_t at = 0;
    if (state.document == kind::none) {
        while (at < size && (data[at] == ' ' || data[at] == '\n' || data[at] == '\r' || data[at] == '\t')) ++at;
        if (at == size) return size;
        switch (data[at]) {
            case '{':
            case '[': state.document = kind::container; break;
            case '"':
                state.document = kind::string;
                ++at;
                break;
            default:
                state.document = kind::scalar;
                ++at;
                break;
        }
    }
    if (state.document == kind::scalar) {
        for (; at < size; ++at) {
            const char c = data[at];
            if (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '"' || (c | 0x20) == '{' || (c | 0x20) == '}') {
                state.complete = true;
                return at;
            }
        }
        return size;
    }
    if (state.document == kind::string) {
        for (; at < size; ++at) {
            if (state.escaped != 0) {
                state.escaped = 0;
            } else if (data[at] == '\\') {
                state.escaped = 1;
            } else if (data[at] == '"') {
                state.complete = true;
                return at + 1;
            }
        }
        return size;
    }

    string_scanner strings{state.escaped, state.in_string};
    u64 depth = state.depth;
    while (at < size) {
        const std::size_t left = size - at;
        string_masks m;
        u64 open, close;
        if (left >= 64) {
            const block b = block::load(data + at);
            m = strings.next(b);
            open = b.folded_eq('{') & ~m.inside;
            close = b.folded_eq('}') & ~m.inside;
        } else {
            alignas(64) char tail[64];
            __builtin_memset(tail, ' ', 64);
            __builtin_memcpy(tail, data + at, left);
            const block b = block::load(tail);
            m = strings.next(b);
            open = b.folded_eq('{') & ~m.inside;
            close = b.folded_eq('}') & ~m.inside;
            strings.escaped = m.escape >> (left - 1) & 1;
        }
        const u64 closes = popcount(close);
        // Depth is 0 only before the document's own first bracket, so it cannot fall below 0 before it has been 0.
        if (depth <= closes && (depth == 0 || static_cast<std::int64_t>(depth) + lowest_dip(open, close) <= 0)) {
            const unsigned i = first_at_level(open, close, depth, 0);
            if (i < 64) {
                state.complete = true;
                return at + i + 1;
            }
        }
        depth += popcount(open) - closes;
        at += 64;
    }
    state.depth = depth;
    state.in_string = strings.inside;
    state.escaped = strings.escaped;
    return size;
}
