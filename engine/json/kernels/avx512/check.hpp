// Full RFC 8259 validation, 64 bytes wide, without a branch per token. For instruction sets with a byte compress
// (AVX-512 VBMI2).
//
// Four dense streams, each checked 64 at a time. Compressing between the stages is what makes this fast: behind it
// every lane carries a token, a bracket or a digit, so the work depends on how many there are, not on how they are
// laid out.
//
//      bytes     {"price": -1.5, "at" : [ {} , true]}      strings, escapes, UTF-8, control characters: bit masks
//      tokens    {:1,:[{},t]}                              one byte per token: which may follow which, and in what container
//      scalars   -1.5,true]                                numbers and literals, each with the byte behind it as end mark
//      brackets  {[{}]}                                    each with the kind of its parent, as its neighbours tell it
//
// Tokens. A key and its colon are one token (the colon), a string value is one token: the byte before the first byte
// behind it that is not white space (its closing quote, or white space; nothing else can be there). So the grammar has
// one lookahead of one token:
//
//      start: value { [      {: key }      [: value { [ ]      , : key value { [      key: value { [      value } ]: , } ] end
//
// Containers. Which kind of container a token is in shows on its left (key: object; , or [: array; start: the root)
// and on its right (} or a comma before a key: object; ] or another comma: array; end: the root). For a scalar the two
// must agree. An opening bracket takes the kind of its parent from the left, a closing one from the right; then
// "matched brackets are equal" is the only rule left that is not local, and it settles every kind for good.
//
// Numbers. "May this byte follow that one" is one table lookup; leading zeros need one more byte of history; "one dot
// per number" is an addition whose carry runs through the digits behind each dot and may not end on another.
// Exponents, literals and broken scalars take a longer way, run by run.
//
// Reads nothing outside the document. Needs `block` with a vector `v`, the helpers of simd/isa.hpp, check_scalar.hpp.

namespace wide {

constexpr std::size_t chunk = 8192;   // bytes per round: the streams stay in the first-level cache
constexpr std::size_t history = 128;  // of each stream in front of what is still to do
constexpr std::size_t slack = 384;    // behind it: what was left over, marks, stores of full width

using vec = __m512i;
KUMIHIMO_INLINE vec load(const u8* p) { return _mm512_loadu_si512(p); }
KUMIHIMO_INLINE void store(u8* p, vec v) { _mm512_storeu_si512(p, v); }
KUMIHIMO_INLINE vec all(int c) { return _mm512_set1_epi8(static_cast<char>(c)); }

// Token bytes that no document can bring: they stand before and behind everything.
constexpr u8 end_token = 0, start_token = 1;

// What a token is, one bit each: pairs are allowed when successors[left] & is[right].
enum : u8 {
    is_curly = 1,
    is_square = 2,
    is_curly_end = 4,
    is_square_end = 8,
    is_comma = 16,
    is_key = 32,
    is_value = 64,
    is_end = 128
};
// The kind of container around a token, and the traits of brackets. A bracket's code: kind, curly, opens.
enum : u8 { in_object = 1, in_array = 2, in_root = 4, curly = 8, opens = 16, closes = 32, value = 64 };

/// Tables over the low six bits of a token byte. Bytes that fall together with a token by this are no JSON scalar's
/// first byte (the scalar stream refuses them), or belong to string values, whose bytes here are the quote and white
/// space.
struct token_tables {
    alignas(64) u8 is[64], successors[64], traits[64], right[64], next[64];
    constexpr token_tables() : is{}, successors{}, traits{}, right{}, next{} {
        for (int i = 0; i < 64; i++) {
            is[i] = is_value;
            successors[i] = is_comma | is_curly_end | is_square_end | is_end;
            traits[i] = value;
            right[i] = in_object | in_array | in_root;
            next[i] = in_array;
        }
        set('{', is_curly, is_key | is_curly_end, curly | opens);
        set('[', is_square, is_value | is_curly | is_square | is_square_end, in_array | opens);
        set('}', is_curly_end, is_comma | is_curly_end | is_square_end | is_end, curly | closes);
        set(']', is_square_end, is_comma | is_curly_end | is_square_end | is_end, closes);
        set(',', is_comma, is_key | is_value | is_curly | is_square, in_array);
        set(':', is_key, is_value | is_curly | is_square, in_object);
        set(start_token, 0, is_value | is_curly | is_square, in_root);
        set(end_token, is_end, is_end, 0);
        right['}' & 63] = in_object;
        right[']' & 63] = in_array;
        right[end_token] = in_root;
        next[':' & 63] = in_object;
    }
    constexpr void set(int c, int what, int after, int trait) {
        is[c & 63] = static_cast<u8>(what);
        successors[c & 63] = static_cast<u8>(after);
        traits[c & 63] = static_cast<u8>(trait);
    }
};

/// Adds bits to the entries of some characters.
constexpr void tag(u8* table, const char* characters, int bits) {
    for (; *characters != 0; characters++) table[static_cast<u8>(*characters)] |= static_cast<u8>(bits);
}

// Scalar bytes: pairs are allowed when (follows[p1] | relief[p2]) & of[byte]. `other` sends the window the long way.
enum : u8 { digit = 1, dot = 2, minus = 4, mark = 8, other = 128 };
struct scalar_tables {
    alignas(64) u8 classes[128], follows[128], relief[128];
    constexpr scalar_tables() : classes{}, follows{}, relief{} {
        constexpr const char* digits = "0123456789";
        constexpr const char* marks = " \t\n\r,:\"{}[]";
        tag(classes, digits, digit);
        tag(classes, ".", dot);
        tag(classes, "-", minus);
        tag(classes, marks, mark);
        for (u8& o : classes)
            if (o == 0) o = other;
        tag(follows, "123456789", digit | dot | mark);
        tag(follows, "0", dot | mark);
        tag(follows, ".-", digit);
        tag(follows, marks, digit | minus | mark);
        tag(relief, digits, digit);
        tag(relief, ".", digit);
    }
};

// Escapes: legal after a backslash, hex digits, and the third digit of a surrogate's escape (first or second half).
enum : u8 { escapable = 1, hex = 2, first_half = 4, second_half = 8 };
struct escape_tables {
    alignas(64) u8 classes[128];
    constexpr escape_tables() : classes{} {
        tag(classes, "\"\\/bfnrtu", escapable);
        tag(classes, "0123456789abcdefABCDEF", hex);
        tag(classes, "89abAB", first_half);
        tag(classes, "cdefCDEF", second_half);
    }
};

/// The structural and white space bytes at the place of their low six bits; elsewhere a byte that cannot be there.
struct plain_table {
    alignas(64) u8 bytes[64];
    constexpr plain_table() : bytes{} {
        for (int i = 0; i < 64; i++) bytes[i] = static_cast<u8>(~i);
        for (const char* c = " \t\n\r,:{}[]"; *c != 0; c++) bytes[*c & 63] = static_cast<u8>(*c);
    }
};

constexpr token_tables tokens_by{};
constexpr scalar_tables scalars_by{};
constexpr escape_tables escapes_by{};
constexpr plain_table plain_by{};

KUMIHIMO_INLINE vec lookup64(const u8* table, vec at) { return _mm512_permutexvar_epi8(at, _mm512_load_si512(table)); }
KUMIHIMO_INLINE vec lookup128(const u8* table, vec at) {
    return _mm512_permutex2var_epi8(_mm512_load_si512(table), at, _mm512_load_si512(table + 64));
}
/// a + b + carry; carry becomes what ran out at the top.
KUMIHIMO_INLINE u64 add(u64 a, u64 b, u64& carry) {
    unsigned long long sum;
    const bool over1 = __builtin_uaddll_overflow(a, b, &sum);
    const bool over2 = __builtin_uaddll_overflow(sum, carry, &sum);
    carry = static_cast<u64>(over1 | over2);
    return sum;
}

/// Backslashes: carried across blocks, touched only by blocks that have one or follow one.
struct escapes {
    u64 odd = 0;    // 1: the first byte of the next block is escaped
    u64 u = 0;      // the last block's escaped u's, shifted down: bit i was bit 60 + i
    u64 d = 0;      // 1: its last byte was the d that follows one
    u64 first = 0;  // third digits of first halves of surrogate pairs: bit i was bit 58 + i

    KUMIHIMO_INLINE u64 pending() const { return odd | u | d | first; }

    /// Takes escaped quotes out of `quotes`; the result is not zero on an error.
    KUMIHIMO_INLINE u64 next(vec v, u64 backslashes, u64& quotes) {
        // A run of backslashes escapes by its parity: subtracting the escape starts lets a borrow run through each
        // run.
        constexpr u64 odds = 0xAAAAAAAAAAAAAAAAu;
        const u64 potential = backslashes & ~odd;
        const u64 code = (((potential << 1) | odds) - potential) ^ odds;
        const u64 escaped = code ^ (backslashes | odd);
        odd = (code & backslashes) >> 63;
        quotes &= ~escaped;

        const vec class_of = lookup128(escapes_by.classes, v);
        const u64 ascii = ~in_register(_mm512_movepi8_mask(v));
        u64 bad = escaped & ~(in_register(_mm512_test_epi8_mask(class_of, all(escapable))) & ascii);
        const u64 u_now = escaped & in_register(_mm512_cmpeq_epi8_mask(v, all('u')));
        if ((u_now | u | d | first) != 0) {
            const u64 needed = (u_now << 1 | u >> 3) | (u_now << 2 | u >> 2) | (u_now << 3 | u >> 1) | (u_now << 4 | u);
            bad |= needed & ~(in_register(_mm512_test_epi8_mask(class_of, all(hex))) & ascii);
            const u64 d_now =
                (u_now << 1 | u >> 3) & in_register(_mm512_cmpeq_epi8_mask(_mm512_or_si512(v, all(0x20)), all('d')));
            const u64 at = d_now << 1 | d;
            const u64 first_now = at & in_register(_mm512_test_epi8_mask(class_of, all(first_half)));
            const u64 second_now = at & in_register(_mm512_test_epi8_mask(class_of, all(second_half)));
            bad |= (first_now << 6 | first) ^ second_now;
            u = u_now >> 60;
            d = d_now >> 63;
            first = first_now >> 58;
        }
        return bad;
    }
};

/// Vectors that stay in registers through a loop: g++ would otherwise make them anew for every block.
KUMIHIMO_INLINE vec held(vec v) {
    __asm__("" : "+v"(v));
    return v;
}

// Stage A. 64 bytes to tokens and scalar bytes.
struct block_stage {
    u64 in_string = 0;     // all ones: the block begins inside a string
    u64 after_scalar = 0;  // 1: the last byte belonged to a scalar
    u64 after_string = 0;  // 1: a string ended, and only white space came since
    u64 pending = 0;       // not zero: an escape or a UTF-8 sequence may reach into the next block
    u64 error = 0;
    escapes escape;
    utf8_checker utf8;
    const vec quote = held(all('"')), backslash = held(all('\\')), space = held(all(' ')), colon = held(all(':')),
              plain_at = held(_mm512_load_si512(plain_by.bytes));

    KUMIHIMO_INLINE block_stage() {}  // an implicit one would lie outside the target region

    /// `at`: where the block stands in the document. `watch`: who else wants to see it (project_strict.hpp), or
    /// unwatched.
    template <class Watch>
    KUMIHIMO_INLINE void next(block b, const char* at, u8*& token, u8*& scalar, Watch& watch) {
        const vec v = b.v[0].v;
        u64 quotes = in_register(_mm512_cmpeq_epi8_mask(v, quote));
        const u64 backslashes = in_register(_mm512_cmpeq_epi8_mask(v, backslash));
        const u64 plain = in_register(_mm512_cmpeq_epi8_mask(_mm512_permutexvar_epi8(v, plain_at), v));
        const u64 low = in_register(_mm512_cmple_epu8_mask(v, space));
        const u64 colons = in_register(_mm512_cmpeq_epi8_mask(v, colon));
        const u64 unusual = in_register(_mm512_cmplt_epi8_mask(v, space));  // signed: control characters and what is not ASCII
        u64 string = prefix_xor(quotes) ^ in_string;  // opening quotes and what follows, without closing quotes
        if ((backslashes | pending | (unusual & (string | ~plain))) != 0) {
            if ((backslashes | escape.pending()) != 0) {
                error |= escape.next(v, backslashes, quotes);
                string = prefix_xor(quotes) ^ in_string;
            }
            const u64 high = in_register(_mm512_movepi8_mask(v));
            error |= (unusual & ~high & (string | ~plain)) | (high & ~string);
            if ((high | pending) != 0) utf8.next(b);
            pending = high >> 61 | escape.pending();
            if constexpr (Watch::on)
                if ((backslashes | watch.in_escaped) != 0)
                    pending |= watch.escapes(at, backslashes, quotes, string, watch.counter.here(token));
        }
        if constexpr (Watch::on) watch.keys_in(at, quotes & string, string, token);
        in_string = static_cast<u64>(static_cast<std::int64_t>(string) >> 63);

        const u64 blank = plain & low;
        const u64 operators = plain & ~low & ~string;
        const u64 bytes = ~(string | quotes | plain);
        const u64 keys = colons & ~string;

        // The first byte behind each string that is not white space: a carry runs through the white space to it.
        const u64 closed = quotes & ~string;
        unsigned long long reached;
        const bool out = __builtin_uaddll_overflow((closed << 1) + after_string, blank, &reached);
        after_string = (closed >> 63) + static_cast<u64>(out);
        const u64 behind = reached & ~blank;
        error |= keys & ~behind;
        const u64 values = behind & ~keys;

        const u64 trail = (bytes << 1) + after_scalar;
        after_scalar = bytes >> 63;
        const u64 token_mask = operators | (bytes & ~trail) | values >> 1;
        const u64 scalar_mask = bytes | trail;

        *token = '"';
        token += values & 1;
        store(token, _mm512_maskz_compress_epi8(token_mask, v));
        token += popcount(token_mask);
        store(scalar, _mm512_maskz_compress_epi8(scalar_mask, v));
        scalar += popcount(scalar_mask);
    }
};

// Stage B. 64 tokens to brackets. `at` is the first token's place; two before it and one behind the 64 are read.
struct token_stage {
    __mmask64 error = 0;

    KUMIHIMO_INLINE void next(const u8* at, u8*& bracket) {
        const vec c = load(at), p1 = load(at - 1), p2 = load(at - 2), n1 = load(at + 1);
        const vec here = lookup64(tokens_by.traits, c), left = lookup64(tokens_by.traits, p1),
                  left2 = lookup64(tokens_by.traits, p2);
        const __mmask64 commas = _mm512_cmpeq_epi8_mask(c, all(','));
        const vec right =
            _mm512_mask_permutexvar_epi8(lookup64(tokens_by.right, c), commas, n1, _mm512_load_si512(tokens_by.next));
        const __mmask64 pairs = _mm512_testn_epi8_mask(lookup64(tokens_by.successors, p1), lookup64(tokens_by.is, c));
        const __mmask64 kinds = _mm512_mask_testn_epi8_mask(_mm512_test_epi8_mask(left, all(value)), left2, right);
        error |= pairs | kinds;

        // An opening bracket here, or a closing one just before: the pairs allow only one of the two.
        const __mmask64 closing = _mm512_test_epi8_mask(left, all(closes));
        const __mmask64 opening = _mm512_test_epi8_mask(here, all(opens));
        const vec as_open = _mm512_ternarylogic_epi32(all(curly | opens), here, left, 0xCA);  // bit select
        const vec as_close = _mm512_ternarylogic_epi32(all(curly), left, right, 0xCA);
        const u64 both = in_register(closing | opening);
        store(bracket, _mm512_maskz_compress_epi8(both, _mm512_mask_mov_epi8(as_open, closing, as_close)));
        bracket += popcount(both);
    }
};

/// Stage C. Pairs of neighbours that open and close are compared at once; the rest goes over a stack, byte by byte but
/// without branches. False on an error. The brackets must be followed by 64 readable bytes; `final`: none will follow.
inline bool match_brackets(u8* bracket, std::size_t& count, bracket_stack& stack, bool final) {
    u8 rest[64 + 64];
    std::size_t at = 0;
    u64 error = 0;
    while (at < count) {
        const std::size_t n = count - at < 64 ? count - at : 64;
        const vec b = load(bracket + at), after = load(bracket + at + 1);
        const u64 valid = ~u64{0} >> (64 - n);
        const u64 open = in_register(_mm512_test_epi8_mask(b, all(opens))) & valid;
        // The last one of the window pairs with what the next window begins with.
        const u64 last = open & (u64{1} << (n - 1));
        if (last != 0 && n == 1 && !final) break;
        const bool hold = last != 0 && n > 1;
        const u64 inside = hold ? valid >> 1 : valid;
        const u64 leaf = open & (~open >> 1) & (inside >> 1);
        error |= leaf & ~static_cast<u64>(_mm512_cmpeq_epi8_mask(_mm512_xor_si512(b, after), all(opens)));
        const u64 kept = inside & ~(leaf | leaf << 1);
        store(rest, _mm512_maskz_compress_epi8(kept, b));
        if (stack.top + 80 > stack.capacity && !stack.grow()) return false;
        u8* top = stack.bytes + stack.top;
        u8* highest = stack.bytes + stack.highest;
        for (std::size_t i = 0, end = popcount(kept); i < end; i++) {
            const unsigned code = rest[i];
            const bool closing = (code & opens) == 0;
            *top = static_cast<u8>(code);
            error |= closing ? static_cast<u64>(top[-1] ^ code ^ opens) : 0;
            top += closing ? -1 : 1;
            highest = top > highest ? top : highest;
        }
        stack.top = static_cast<std::size_t>(top - stack.bytes);
        stack.highest = static_cast<std::size_t>(highest - stack.bytes);
        if (error != 0 || stack.top < bracket_stack::floor) return false;
        at += hold ? n - 1 : n;
    }
    count -= at;
    for (std::size_t i = 0; i < count; i++) bracket[i] = bracket[at + i];
    return true;
}

/// A table for byte shuffles with the answers for t, f and n at the place of their low four bits.
KUMIHIMO_INLINE vec letters(char t, char f, char n) {
    return _mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 0, 0, t, 0, f, 0, 0, 0, 0, 0, 0, 0, n, 0));
}

/// Stage D, the long way: whole runs from `at` on, which is the first byte of one, within 64 bytes. Returns the bytes
/// it looked at, up to the last mark; 0 when there is no mark. Reads 64 + 5 bytes.
struct long_way {
    u64 error;
    unsigned length;
    bool may_overflow;  // an exponent of three digits
};
[[gnu::noinline]] inline long_way check_runs(const u8* at) {
    const vec c = load(at);
    const vec class_of = lookup128(scalars_by.classes, c);
    const u64 marks = _mm512_test_epi8_mask(class_of, all(mark));
    if (marks == 0) return {0, 0, false};
    const unsigned length = 64 - static_cast<unsigned>(__builtin_clzll(marks));
    const u64 valid = ~u64{0} >> (64 - length);
    const u64 begins = marks << 1 | 1;

    // Literals: their first letters tell the letters to come. All three first letters differ in their low four bits.
    const u64 first = begins & ~marks & _mm512_cmpeq_epi8_mask(c, _mm512_shuffle_epi8(letters('t', 'f', 'n'), c));
    u64 words = 0, error = 0, ends = 0;
    if (first != 0) {
        const vec d1 = _mm512_xor_si512(load(at + 1), _mm512_shuffle_epi8(letters('r', 'a', 'u'), c));
        const vec d2 = _mm512_xor_si512(load(at + 2), _mm512_shuffle_epi8(letters('u', 'l', 'l'), c));
        const vec d3 = _mm512_xor_si512(load(at + 3), _mm512_shuffle_epi8(letters('e', 's', 'l'), c));
        error |= first & _mm512_test_epi8_mask(_mm512_ternarylogic_epi32(d1, d2, d3, 0xFE),
                                               _mm512_ternarylogic_epi32(d1, d2, d3, 0xFE));
        const u64 longer = first & _mm512_cmpeq_epi8_mask(c, all('f'));
        error |= longer & _mm512_cmpneq_epi8_mask(load(at + 4), all('e'));
        words = first | first << 1 | first << 2 | first << 3 | longer << 4;
        ends = (first & ~longer) << 4 | longer << 5;
        error |= ends & ~marks;
    }

    const u64 rest = ~(words | marks);
    const u64 digits = _mm512_test_epi8_mask(class_of, all(digit));
    const u64 zeros = _mm512_cmpeq_epi8_mask(c, all('0'));
    const u64 dots = _mm512_test_epi8_mask(class_of, all(dot));
    const u64 minuses = _mm512_test_epi8_mask(class_of, all(minus));
    const u64 pluses = _mm512_cmpeq_epi8_mask(c, all('+'));
    const u64 exponents = rest & _mm512_cmpeq_epi8_mask(_mm512_or_si512(c, all(0x20)), all('e'));
    const u64 signs = minuses | pluses;
    error |= rest & ~(digits | dots | signs | exponents);
    error |= minuses & ~(begins | exponents << 1);
    error |= pluses & ~(exponents << 1);
    error |= (signs << 1 | dots << 1) & ~digits;
    error |= (exponents << 1) & ~(digits | signs);
    error |= (dots | exponents) & ~(digits << 1);
    const u64 integers = (begins & digits) | (begins & minuses) << 1;
    error |= (integers & zeros) << 1 & digits;
    // Behind a dot: no other dot before the run ends. Behind an exponent: neither.
    const u64 fill = digits | signs;
    error |= ((dots << 1) + fill) & dots;
    error |= ((exponents << 1) + fill) & (dots | exponents) & ~fill;
    // The first three digits of an exponent; a run lies in the window as a whole.
    const u64 first_digit = ((exponents << 1) | ((exponents << 1 & signs) << 1)) & digits;
    const bool three = (first_digit & valid & digits >> 1 & digits >> 2) != 0;
    return {error & valid, length, three};
}

// Stage D. 64 scalar bytes; two before them are read.
struct scalar_stage {
    u64 after_dot = 0;         // 1: the digits behind a dot reach the window's beginning
    u64 marks = u64{1} << 63;  // of the window before
    u64 error = 0;
    bool oversized = false;  // a run longer than a window went the long way: let the scalar kernel decide
    bool may_overflow = false;

    /// Returns how many bytes were settled, 64 unless the window had to go the long way.
    KUMIHIMO_INLINE std::size_t next(const u8* at) {
        const vec classes = lookup128(scalars_by.classes, load(at));
        const vec allowed =
            _mm512_or_si512(lookup128(scalars_by.follows, load(at - 1)), lookup128(scalars_by.relief, load(at - 2)));
        if (_mm512_movepi8_mask(classes) != 0) return long_way_from(at);
        error |= _mm512_testn_epi8_mask(allowed, classes);
        const u64 dots = in_register(_mm512_test_epi8_mask(classes, all(dot)));
        const u64 digits = in_register(_mm512_test_epi8_mask(classes, all(digit)));
        marks = _mm512_test_epi8_mask(classes, all(mark));
        may_overflow |= marks == 0;  // every run of 127 bytes fills a window
        u64 carry = after_dot;
        const u64 sum = add(dots << 1, digits, carry);
        after_dot = carry | dots >> 63;
        error |= sum & dots;
        return 64;
    }

    KUMIHIMO_INLINE std::size_t long_way_from(const u8* at) {
        if (marks == 0) {
            oversized = true;
            return 64;
        }
        // Back to where the run under way began: at most 63 bytes, so the first stretch ends behind `at` or has no
        // mark.
        std::size_t done = 0;
        const u8* from = at - __builtin_clzll(marks);
        do {
            const long_way w = check_runs(from);
            error |= w.error;
            may_overflow |= w.may_overflow;
            if (w.length == 0) {
                oversized = true;
                return 64;
            }
            from += w.length;
        } while (from <= at);
        done = static_cast<std::size_t>(from - at);
        marks = u64{1} << 63;
        after_dot = 0;
        return done;
    }
};

/// Moves what a stage left over, and 64 bytes before it, to the stream's beginning. At most 128 bytes are left over.
KUMIHIMO_INLINE void rewind(u8* stream, u8*& at, u8*& end) {
    const vec before = load(at - 64), first = load(at), second = load(at + 64);
    u8* const to = stream + history;
    store(to - 64, before);
    store(to, first);
    store(to + 64, second);
    end -= at - to;
    at = to;
}

template <class Watch>
inline bool check(const char* text, std::size_t size, std::size_t depth_limit, Watch& watch) {
    u8 tokens[history + chunk + slack], scalars[history + chunk + slack], brackets[chunk + slack];
    u8 *token = tokens + history, *tokens_end = token, *scalar = scalars + history, *scalar_end = scalar;
    std::size_t bracket_count = 0;
    store(token - 64, all(start_token));
    store(scalar - 64, all(','));
    block_stage blocks;
    token_stage grammar;
    scalar_stage numbers;
    bracket_stack stack;
    if constexpr (Watch::on) watch.counter.counted = token;
    struct ending {  // the watch outlives the tokens
        Watch& watch;
        ~ending() {
            if constexpr (Watch::on) watch.counter.counted = nullptr;
        }
    } const at_return{watch};

    for (std::size_t left = size;;) {
        const bool final = left <= chunk;
        std::size_t n = (final ? left : chunk) / 64;
        left -= n * 64;
        for (; n != 0; n--, text += 64) blocks.next(block::load(text), text, tokens_end, scalar_end, watch);
        if (final) {
            if (left != 0) {
                const __mmask64 tail = ~u64{0} >> (64 - left);
                blocks.next(block{{{_mm512_mask_loadu_epi8(all(' '), tail, text)}}}, text, tokens_end, scalar_end, watch);
            }
            if (blocks.in_string != 0 || blocks.escape.pending()) return false;
            *tokens_end = '"';
            tokens_end += blocks.after_string;
            store(tokens_end, all(end_token));
            store(tokens_end + 64, all(end_token));
            store(scalar_end, all(','));
            store(scalar_end + 64, all(','));
            store(scalar_end + 128, all(','));
        }

        u8* bracket_end = brackets + bracket_count;
        for (const u8* last = final ? tokens_end : tokens_end - 65; token <= last; token += 64)
            grammar.next(token, bracket_end);
        for (const u8* last = final ? scalar_end : scalar_end - 72; scalar <= last;) scalar += numbers.next(scalar);
        // Behind an oversized run the numbers' stage has lost its place: what it says then is the scalar kernel's to
        // judge.
        if ((blocks.error | grammar.error | (numbers.oversized ? 0 : numbers.error)) != 0) return false;

        bracket_count = static_cast<std::size_t>(bracket_end - brackets);
        if (!match_brackets(brackets, bracket_count, stack, final)) return false;
        const std::size_t depth = stack.highest - bracket_stack::floor;
        if (depth > depth_limit) return false;
        // Leaves never reach the stack, and one might be a level too deep.
        const bool close_call = depth == depth_limit || numbers.oversized;
        if (final) {
            if (stack.top != bracket_stack::floor || !blocks.utf8.ok()) return false;
            watch.may_overflow = numbers.may_overflow;
            return close_call ? check_scalar(text - (size - left), size, depth_limit, watch.may_overflow) : true;
        }
        if constexpr (Watch::on) watch.counter.at(tokens_end);
        rewind(tokens, token, tokens_end);
        if constexpr (Watch::on) watch.counter.counted = tokens_end;
        rewind(scalars, scalar, scalar_end);
    }
}

}  // namespace wide
