// utf8_checker for instruction sets without a byte table lookup: byte by byte, in blocks that are not all ASCII.
struct utf8_checker {
    unsigned need = 0;            // continuation bytes still owed
    u8 from = 0x80, upto = 0xBF;  // what the next one may be
    bool wrong = false;

    KUMIHIMO_INLINE void ascii() { wrong |= need != 0; }
    KUMIHIMO_INLINE bool ok() const { return !wrong && need == 0; }
    KUMIHIMO_INLINE bool clean() const { return !wrong; }  // so far; a sequence may be pending

    void next(const block& b) {
        alignas(64) u8 text[64];
        b.store(text);
        for (const u8 c : text) {
            if (need != 0) {
                if (c < from || c > upto) {
                    wrong = true;
                    need = 0;
                    return;
                }
                from = 0x80;
                upto = 0xBF;
                --need;
            } else if (c >= 0x80) {
                if (c < 0xC2 || c > 0xF4) {
                    wrong = true;
                    return;
                }
                need = c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
                from = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
                upto = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
            }
        }
    }
};
