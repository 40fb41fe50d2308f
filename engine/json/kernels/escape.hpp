// The inside of a JSON string on its way out. A block without anything to escape is copied. In any other, each
// escape's text is stored, and behind it the next 64 bytes as they are; what comes then is stored over their end:
//
//      a b " c d \ e ...      a b " c d \ e        the block as it is
//                             a b \ " c d \ e      the quote's text, and what follows it
//                             a b \ " c d \ \ e    the backslash's
inline void escape(char*& to_, const char* limit, const char*& from_, const char* end) {
    char* to = to_;
    const char* from = from_;
    bool copied = false;  // the last 64 bytes are as they were
    while (end - from >= 64 && limit - to >= json::escape_room) {
        const block b = block::load(from);
        if (!b.has_escapes()) {
            __builtin_memcpy(to, from, 64);
            from += 64;
            to += 64;
            copied = true;
            continue;
        }
        if (end - from < 128) break;
        copied = false;
        __builtin_memcpy(to, from, 64);
        unsigned done = 0;
        for (u64 m = b.eq('"') | b.eq('\\') | b.below(0x20); m != 0; m &= m - 1) {
            const unsigned at = lowest(m);
            to += at - done;
            const char* const text = json::escape_texts.texts[static_cast<u8>(from[at])];
            __builtin_memcpy(to, text, 8);
            to += text[7];
            done = at + 1;
            __builtin_memcpy(to, from + done, 64);
        }
        from += 64;
        to += 64 - done;
    }
    // What is left of a text without escapes: the last 64 bytes are looked at, and copied, once more.
    const auto left = end - from;
    if (copied && left > 0 && left < 64 && limit - to >= left && !block::load(end - 64).has_escapes()) {
        __builtin_memcpy(to + left - 64, end - 64, 64);
        from = end;
        to += left;
    }
    to_ = to;
    from_ = from;
}
