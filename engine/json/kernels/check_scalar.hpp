// Full RFC 8259 validation, one byte at a time: the kernel of machines without wide vectors, the fallback of the wide
// ones for rare shapes, and their oracle in the tests (so it shares no code with them).
//
// Accepts exactly one document with optional whitespace around it. Text is valid UTF-8 without a byte order mark; \u
// escapes pair up to Unicode scalar values; numbers may be of any magnitude. Reads nothing outside [text, text +
// size). Included into the namespace of every instruction set.

/// What the kernels keep per open container: one bit, set for an object. Grows on the heap beyond the inline levels.
struct container_bits {
    static constexpr std::size_t inline_words = 16;
    u64 inline_bits[inline_words];
    u64* words = inline_bits;
    std::size_t capacity = inline_words;

    container_bits() = default;
    container_bits(const container_bits&) = delete;
    container_bits& operator=(const container_bits&) = delete;
    ~container_bits() {
        if (words != inline_bits) std::free(words);
    }
    /// Room for level `depth` (0-based); false when memory is out.
    bool reserve(std::size_t depth) {
        if (depth / 64 < capacity) return true;
        const std::size_t more = capacity * 2;
        auto* to = static_cast<u64*>(std::malloc(more * sizeof(u64)));
        if (to == nullptr) return false;
        __builtin_memcpy(to, words, capacity * sizeof(u64));
        if (words != inline_bits) std::free(words);
        words = to;
        capacity = more;
        return true;
    }
    void set(std::size_t depth, bool object) {
        const u64 bit = u64{1} << (depth % 64);
        words[depth / 64] = object ? words[depth / 64] | bit : words[depth / 64] & ~bit;
    }
    bool object(std::size_t depth) const { return (words[depth / 64] >> (depth % 64)) & 1; }
};

/// The value of four hex digits, or -1.
inline int scalar_hex4(const unsigned char* p) {
    int value = 0;
    for (int i = 0; i < 4; i++) {
        const int c = p[i];
        int digit;
        if (c >= '0' && c <= '9')
            digit = c - '0';
        else if ((c | 32) >= 'a' && (c | 32) <= 'f')
            digit = (c | 32) - 'a' + 10;
        else
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

KUMIHIMO_INLINE bool scalar_between(unsigned c, unsigned low, unsigned high) { return c >= low && c <= high; }
KUMIHIMO_INLINE bool scalar_digit(const unsigned char* p, const unsigned char* end) {
    return p != end && static_cast<unsigned>(*p - '0') < 10;
}
KUMIHIMO_INLINE const unsigned char* scalar_blank(const unsigned char* p, const unsigned char* end) {
    while (p != end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) p++;
    return p;
}

/// The byte after the UTF-8 sequence whose lead (0x80 and up) is at p; nullptr when it is not valid (Unicode 15, table
/// 3-7).
inline const unsigned char* scalar_utf8(const unsigned char* p, const unsigned char* end) {
    const unsigned lead = p[0];
    if (lead < 0xC2) return nullptr;
    if (lead < 0xE0) return end - p >= 2 && scalar_between(p[1], 0x80, 0xBF) ? p + 2 : nullptr;
    if (lead < 0xF0) {
        if (end - p < 3) return nullptr;
        return scalar_between(p[1], lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) && scalar_between(p[2], 0x80, 0xBF)
                   ? p + 3
                   : nullptr;
    }
    if (lead > 0xF4 || end - p < 4) return nullptr;
    return scalar_between(p[1], lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) && scalar_between(p[2], 0x80, 0xBF) &&
                   scalar_between(p[3], 0x80, 0xBF)
               ? p + 4
               : nullptr;
}

/// p is behind the opening quote; the result is behind the closing one, or nullptr.
inline const unsigned char* scalar_string(const unsigned char* p, const unsigned char* end) {
    for (;;) {
        // Eight plain bytes at a time: the high bit marks a byte that is below 0x20, a quote, a backslash or not
        // ASCII.
        while (end - p >= 8) {
            u64 w;
            __builtin_memcpy(&w, p, 8);
            constexpr u64 ones = 0x0101010101010101u;
            const u64 quote = w ^ (ones * '"'), slash = w ^ (ones * '\\');
            if (((w | (w - ones * 0x20) | (quote - ones) | (slash - ones)) & (ones * 0x80)) != 0) break;
            p += 8;
        }
        if (p == end) return nullptr;
        const unsigned c = *p;
        if (c == '"') return p + 1;
        if (c < 0x20) return nullptr;
        if (c >= 0x80) {
            p = scalar_utf8(p, end);
            if (p == nullptr) return nullptr;
        } else if (c != '\\') {
            p++;
        } else {
            if (end - p < 2) return nullptr;
            const unsigned e = p[1];
            p += 2;
            if (e == 'u') {
                if (end - p < 4) return nullptr;
                const int unit = scalar_hex4(p);
                if (unit < 0 || (unit >= 0xDC00 && unit <= 0xDFFF)) return nullptr;
                p += 4;
                if (unit >= 0xD800 && unit <= 0xDBFF) {
                    if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return nullptr;
                    const int low = scalar_hex4(p + 2);
                    if (low < 0xDC00 || low > 0xDFFF) return nullptr;
                    p += 6;
                }
            } else if (e != '"' && e != '\\' && e != '/' && e != 'b' && e != 'f' && e != 'n' && e != 'r' && e != 't') {
                return nullptr;
            }
        }
    }
}

/// p is at a minus or a digit; the result is behind the longest number there, or nullptr. may_overflow becomes true
/// when it might be beyond the largest double.
inline const unsigned char* scalar_number(const unsigned char* p, const unsigned char* end, bool& may_overflow) {
    const unsigned char* const begin = p;
    if (*p == '-') p++;
    if (!scalar_digit(p, end)) return nullptr;
    if (*p == '0')
        p++;
    else
        do p++;
        while (scalar_digit(p, end));
    if (p != end && *p == '.') {
        p++;
        if (!scalar_digit(p, end)) return nullptr;
        do p++;
        while (scalar_digit(p, end));
    }
    if (p != end && (*p | 32) == 'e') {
        p++;
        if (p != end && (*p == '+' || *p == '-')) p++;
        if (!scalar_digit(p, end)) return nullptr;
        const unsigned char* const exponent = p;
        do p++;
        while (scalar_digit(p, end));
        may_overflow |= p - exponent > 2;
    }
    may_overflow |= p - begin > 63;
    return p;
}

/// Whether [text, text + size) is one valid document that opens at most depth_limit containers at once.
inline bool check_scalar(const char* text, std::size_t size, std::size_t depth_limit, bool& may_overflow) {
    if (size == 0) return false;
    const unsigned char* p = reinterpret_cast<const unsigned char*>(text);
    const unsigned char* const end = p + size;
    container_bits open;
    std::size_t depth = 0;

value:
    p = scalar_blank(p, end);
    if (p == end) return false;
    switch (*p) {
        case '"':
            p = scalar_string(p + 1, end);
            if (p == nullptr) return false;
            break;
        case '{':
        case '[': {
            const bool object = *p == '{';
            if (depth >= depth_limit || !open.reserve(depth)) return false;
            open.set(depth, object);
            depth++;
            p++;
            p = scalar_blank(p, end);
            if (p == end) return false;
            if (*p == (object ? '}' : ']')) {
                p++;
                depth--;
                break;
            }
            if (object) goto key;
            goto value;
        }
        case 't':
            if (end - p < 4 || p[1] != 'r' || p[2] != 'u' || p[3] != 'e') return false;
            p += 4;
            break;
        case 'f':
            if (end - p < 5 || p[1] != 'a' || p[2] != 'l' || p[3] != 's' || p[4] != 'e') return false;
            p += 5;
            break;
        case 'n':
            if (end - p < 4 || p[1] != 'u' || p[2] != 'l' || p[3] != 'l') return false;
            p += 4;
            break;
        case '-':
        case '0':
        case '1':
        case '2':
        case '3':
        case '4':
        case '5':
        case '6':
        case '7':
        case '8':
        case '9':
            p = scalar_number(p, end, may_overflow);
            if (p == nullptr) return false;
            break;
        default: return false;
    }

after:
    p = scalar_blank(p, end);
    if (depth == 0) return p == end;
    if (p == end) return false;
    if (*p == ',') {
        p++;
        if (!open.object(depth - 1)) goto value;
        p = scalar_blank(p, end);
        goto key;
    }
    if (*p != (open.object(depth - 1) ? '}' : ']')) return false;
    p++;
    depth--;
    goto after;

key:
    if (p == end || *p != '"') return false;
    p = scalar_string(p + 1, end);
    if (p == nullptr) return false;
    p = scalar_blank(p, end);
    if (p == end || *p != ':') return false;
    p++;
    goto value;
}
