// Full RFC 8259 validation on bit masks alone, 64 bytes wide. For instruction sets without a byte compress but with a
// bit extract (AVX2 with BMI2).
//
// The same idea as avx512/check.hpp (read its head first: tokens, kinds of containers, brackets), with other means: a
// token is three bits, cut out of three masks by pext and appended to three bit streams, so 64 tokens are three words,
// and the grammar is a page of boolean algebra on them. Numbers are checked where they stand.
//
//      token     {    }    [    ]    ,    key  value  edge (before and behind everything)
//      bracket   1    1    1    1    0    0    0      0        bit 6 of the byte
//      round     1    1    0    0    1    1    0      0        bit 5: curly, for brackets
//      shut      0    1    0    1    1    0    0      1        bit 2: closing, for brackets
//
// Reads nothing outside the document. Needs `block` with two vectors, the helpers of simd/isa.hpp, check_scalar.hpp.

namespace planes {

constexpr std::size_t chunk = 8192;
constexpr std::size_t words = chunk / 64 + 12;

/// n bit streams of one length. The word under way is kept apart, so that nothing is read back that was just written.
template <int n>
struct bit_streams {
    u64 (*out)[n];
    u64 last[n];
    static constexpr u64 none[n] = {};
    std::size_t count = 0;  // full words
    unsigned fill = 0;      // bits in the last one

    KUMIHIMO_INLINE explicit bit_streams(u64 (*to)[n]) : out(to), last{} {}

    /// Appends the low `bits` (at most 64) bits of each x; above them x is zero.
    KUMIHIMO_INLINE void append(const u64 (&x)[n], unsigned bits) {
        const unsigned total = fill + bits;
        const bool over = total >= 64;
        for (int i = 0; i < n; i++) {
            last[i] |= x[i] << fill;
            out[count][i] = last[i];
            const u64 rest = x[i] >> 1 >> (63 - fill);
            last[i] = over ? rest : last[i];
        }
        count += over ? 1 : 0;
        fill = total & 63;
    }
    /// Full words whose next bit is known too.
    std::size_t ready() const { return count != 0 && fill == 0 ? count - 1 : count; }
    /// Makes the word under way readable behind the full ones.
    KUMIHIMO_INLINE void show() {
        for (int i = 0; i < n; i++) out[count][i] = last[i];
    }
    /// Forgets the first words.
    KUMIHIMO_INLINE void drop(std::size_t done) {
        for (std::size_t w = done; w < count; w++)
            for (int i = 0; i < n; i++) out[w - done][i] = out[w][i];
        count -= done;
    }
};

/// x + y + carry; carry becomes what ran out at the top.
KUMIHIMO_INLINE u64 add(u64 x, u64 y, u64& carry) {
    unsigned long long sum;
    const bool over1 = __builtin_uaddll_overflow(x, y, &sum);
    const bool over2 = __builtin_uaddll_overflow(sum, carry, &sum);
    carry = static_cast<u64>(over1) | static_cast<u64>(over2);
    return sum;
}
/// Every bit one place up, the top bit of the word before coming in.
KUMIHIMO_INLINE u64 up(u64 x, u64 before) { return x << 1 | before >> 63; }

template <int k>
KUMIHIMO_INLINE u64 bit_plane(const block& b) {
    return block::bits(vector{_mm256_slli_epi16(b.v[0].v, 7 - k)}, vector{_mm256_slli_epi16(b.v[1].v, 7 - k)});
}

// Backslashes, as in avx512/check.hpp.
struct escapes {
    u64 odd = 0, u = 0, d = 0, first = 0;
    KUMIHIMO_INLINE u64 pending() const { return odd | u | d | first; }

    KUMIHIMO_INLINE u64 next(const block& b, u64 backslashes, u64& quotes) {
        constexpr u64 odds = 0xAAAAAAAAAAAAAAAAu;
        const u64 potential = backslashes & ~odd;
        const u64 code = (((potential << 1) | odds) - potential) ^ odds;
        const u64 escaped = code ^ (backslashes | odd);
        odd = (code & backslashes) >> 63;
        const u64 u_now = escaped & b.eq('u');
        u64 bad =
            escaped & ~(quotes | backslashes | u_now | b.eq('n') | b.eq('/') | b.eq('t') | b.eq('r') | b.eq('b') | b.eq('f'));
        quotes &= ~escaped;
        if ((u_now | u | d | first) != 0) {
            const u64 needed = (u_now << 1 | u >> 3) | (u_now << 2 | u >> 2) | (u_now << 3 | u >> 1) | (u_now << 4 | u);
            const u64 digits = b.below('9' + 1) & ~b.below('0');
            const u64 upper = b.below('F' + 1) & ~b.below('A'), lower = b.below('f' + 1) & ~b.below('a');
            bad |= needed & ~(digits | upper | lower);
            const u64 d_now = (u_now << 1 | u >> 3) & b.folded_eq('d');
            const u64 at = d_now << 1 | d;
            const u64 first_now = at & (b.eq('8') | b.eq('9') | b.folded_eq('a') | b.folded_eq('b'));
            const u64 second_now = at & (b.folded_eq('c') | b.folded_eq('d') | b.folded_eq('e') | b.folded_eq('f'));
            bad |= (first_now << 6 | first) ^ second_now;
            u = u_now >> 60;
            d = d_now >> 63;
            first = first_now >> 58;
        }
        return bad;
    }
};

// Numbers and literals where they stand. `bytes` are a block's scalar bytes, `begins` the first of each run. Seventy
// bytes from `text` on are readable.
struct scalar_stage {
    // Masks of the block before; only their top bits count.
    u64 digits = 0, owing = 0, minuses = 0, exponents = 0;
    u64 zero = 0;            // 1: its last byte was a number's leading zero
    u64 after_dot = 0;       // 1: the digits behind a dot reach its end
    u64 after_exponent = 0;  // 1: likewise behind an exponent
    u64 word = 0, stop = 0;  // places in this block that a literal begun in the last one covers, and where it must end
    u64 pending = 0;         // not zero: go the long way
    u64 full = 0;            // not zero: a block of nothing but a scalar, which every run of 127 bytes fills
    // Where exponents have their sign and their first two digits. An exponent may go on from the block before:
    //
    //      ...,1.5e+3|08,...       its sign and first digit there, its second and third here
    //
    // so that the masks of the block before are kept, of which only the top bits count.
    u64 signed_exponent = 0, first_digit = 0, second_digit = 0;
    u64 third_digit = 0;  // not zero: some exponent has three
    u64 error = 0;
    bool may_overflow() const { return (full | third_digit) != 0; }

    KUMIHIMO_INLINE void next(const block& b, const char* text, u64 bytes, u64 begins) {
        const vector nine = vector::all(9), naught = vector::all('0');
        const vector d0{_mm256_sub_epi8(b.v[0].v, naught.v)}, d1{_mm256_sub_epi8(b.v[1].v, naught.v)};
        const u64 digit =
            block::bits(vector{_mm256_min_epu8(d0.v, nine.v)}.eq(d0), vector{_mm256_min_epu8(d1.v, nine.v)}.eq(d1)) & bytes;
        const u64 naughts = block::bits(d0.eq(vector::zero()), d1.eq(vector::zero())) & bytes;
        const u64 dot = b.eq('.') & bytes;
        const u64 minus = b.eq('-') & bytes;
        full |= static_cast<u64>(bytes == ~u64{0});
        if ((bytes & ~(digit | dot | minus)) != 0 || pending != 0) {
            the_long_way(b, text, bytes, begins, digit, naughts, dot, minus);
            return;
        }
        const u64 leading = naughts & (begins | up(minus, minuses));
        error |= (begins & dot) | (minus & ~begins) | (up(dot | minus, owing) & ~digit) | ((leading << 1 | zero) & digit);
        zero = leading >> 63;
        u64 carry = after_dot;
        const u64 sum = add(dot << 1, digit, carry);
        error |= sum & dot;
        after_dot = carry | dot >> 63;
        digits = digit;
        owing = dot | minus;
        minuses = minus;
        exponents = 0;
    }

    KUMIHIMO_INLINE void the_long_way(const block& b, const char* text, u64 bytes, u64 begins, u64 digit, u64 naughts, u64 dot,
                                      u64 minus) {
        u64 covered = word, ends = stop;
        word = stop = 0;
        for (u64 left = begins & ~(digit | dot | minus); left != 0; left &= left - 1) {
            const unsigned i = lowest(left);
            u32 four;
            __builtin_memcpy(&four, text + i, 4);
            // Little-endian, as all machines with this kernel are.
            constexpr u32 t = 0x65757274, n = 0x6C6C756E, f = 0x736C6166;
            const unsigned length = four == f ? 5 : 4;
            if (four != t && four != n && (four != f || text[i + 4] != 'e')) error |= 1;
            const u64 mask = (u64{1} << length) - 1;
            covered |= mask << i;
            if (i + length >= 64) {
                word |= mask >> 1 >> (63 - i);
                stop |= u64{1} << (i + length - 64);
            } else {
                ends |= u64{1} << (i + length);
            }
        }
        const u64 plus = b.eq('+') & bytes;
        const u64 exponent = b.folded_eq('e') & bytes & ~covered;
        const u64 sign = minus | plus, behind_exponent = up(exponent, exponents);
        error |= ends & bytes;
        error |= bytes & ~(digit | dot | sign | exponent | covered);
        error |= (minus & ~(begins | behind_exponent)) | (plus & ~behind_exponent);
        error |= behind_exponent & ~(digit | sign);
        error |= up(dot | sign, owing) & ~digit;
        error |= (dot | exponent) & ~up(digit, digits);
        const u64 leading = naughts & (begins | up(minus & begins, minuses));
        error |= (leading << 1 | zero) & digit;
        zero = leading >> 63;
        // Behind a dot: no other dot before the run ends. Behind an exponent: neither.
        const u64 fill = digit | sign;
        // All ones if the last byte of the block before was part of an exponent: only then does that one go on here.
        const u64 reached = u64{0} - static_cast<u64>((after_exponent | exponents >> 63) != 0);
        const u64 sign_there = behind_exponent & sign;
        const u64 first = (behind_exponent | up(sign_there, signed_exponent & reached)) & digit;
        const u64 second = up(first, first_digit & reached) & digit;
        third_digit |= up(second, second_digit & reached) & digit;
        signed_exponent = sign_there;
        first_digit = first;
        second_digit = second;
        u64 carry = after_dot;
        u64 sum = add(dot << 1, fill, carry);
        error |= sum & dot;
        after_dot = carry | dot >> 63;
        carry = after_exponent;
        sum = add(exponent << 1, fill, carry);
        error |= sum & (dot | exponent);
        after_exponent = carry | exponent >> 63;
        digits = digit;
        owing = dot | sign;
        minuses = minus & begins;
        exponents = exponent;
        pending = exponent >> 63 | after_exponent | word | stop;
    }
};

// Stage A. 64 bytes to tokens; scalars on the way.
struct block_stage {
    u64 in_string = 0, after_scalar = 0, after_string = 0, pending = 0;  // as in avx512/check.hpp
    u64 error = 0;
    escapes escape;
    utf8_checker utf8;
    scalar_stage scalars;

    KUMIHIMO_INLINE block_stage() {}  // an implicit one would lie outside the target region

    /// `at`: where the block stands in the document; `text`: where it is read.
    template <class Watch>
    KUMIHIMO_INLINE void next(const char* text, const char* at, bit_streams<3>& tokens, Watch& watch) {
        const block b = block::load(text);
        u64 quotes = b.eq('"');
        const u64 backslashes = b.eq('\\');
        u64 string = prefix_xor(quotes) ^ in_string;
        const u64 blank = b.whitespace();
        const u64 operators_anywhere = b.operators();
        const __m256i space = vector::all(' ').v;
        const u64 unusual =
            block::bits(vector{_mm256_cmpgt_epi8(space, b.v[0].v)}, vector{_mm256_cmpgt_epi8(space, b.v[1].v)});  // signed
        if ((backslashes | pending | (unusual & (string | ~blank))) != 0) {
            if ((backslashes | escape.pending()) != 0) {
                error |= escape.next(b, backslashes, quotes);
                string = prefix_xor(quotes) ^ in_string;
            }
            const u64 high = b.high();
            error |= unusual & ~high & (string | ~blank);  // outside strings high bytes are broken scalars
            if ((high | pending) != 0) utf8.next(b);
            pending = high >> 61 | escape.pending();
            if constexpr (Watch::on)
                if ((backslashes | watch.in_escaped) != 0)
                    pending |= watch.escapes(at, backslashes, quotes, string, watch.counter.here(tokens));
        }
        if constexpr (Watch::on) watch.keys_in(at, quotes & string, string, tokens);
        in_string = static_cast<u64>(static_cast<std::int64_t>(string) >> 63);

        const u64 operators = operators_anywhere & ~string;
        const u64 bytes = ~(string | quotes | operators_anywhere | blank);
        const u64 bracket = bit_plane<6>(b) & operators, round = bit_plane<5>(b) & operators,
                  shut = bit_plane<2>(b) & operators;
        const u64 keys = operators & ~(bracket | shut);

        // The first byte behind each string that is not white space: a carry runs through the white space to it.
        const u64 closed = quotes & ~string;
        unsigned long long reached;
        const bool out = __builtin_uaddll_overflow((closed << 1) + after_string, blank, &reached);
        after_string = (closed >> 63) + static_cast<u64>(out);
        const u64 behind = reached & ~blank;
        error |= keys & ~behind;
        const u64 values = behind & ~keys;

        const u64 begins = bytes & ~((bytes << 1) + after_scalar);
        // What a scalar hands on to the next block, it hands on by its last byte.
        if ((bytes | after_scalar) != 0) scalars.next(b, text, bytes, begins);
        after_scalar = bytes >> 63;

        if ((values & 1) != 0) tokens.append({0, 0, 0}, 1);
        const u64 token = operators | begins | values >> 1;
        tokens.append({extract(bracket, token), extract(round, token), extract(shut, token)}, popcount(token));
    }
};

// Stage B. A word of tokens to brackets.
struct token_stage {
    struct kinds {
        u64 open, close, curly, comma, key, value, edge;
        KUMIHIMO_INLINE explicit kinds(const u64 (&t)[3]) {
            const u64 bracket = t[0], round = t[1], shut = t[2];
            open = bracket & ~shut;
            close = bracket & shut;
            curly = bracket & round;
            comma = ~bracket & round & shut;
            key = ~bracket & round & ~shut;
            value = ~(bracket | round | shut);
            edge = ~(bracket | round) & shut;
        }
    };
    kinds before{{0, 0, ~u64{0}}};
    u64 key2 = 0, edge2 = 0;  // two tokens back
    u64 error = 0;

    KUMIHIMO_INLINE token_stage() {}

    KUMIHIMO_INLINE void next(const u64 (&now)[3], const u64 (&then)[3], bit_streams<4>& brackets) {
        const kinds c(now), n(then);
        const u64 open = up(c.open, before.open), close = up(c.close, before.close), curly = up(c.curly, before.curly);
        const u64 comma = up(c.comma, before.comma), key = up(c.key, before.key), value = up(c.value, before.value);
        const u64 edge = up(c.edge, before.edge);
        const u64 ended = value | close;
        // An end behind anything else than these shows as a wrong kind of container, or as a bracket left open.
        error |= (c.value | c.open) & ~((open & ~curly) | comma | key | edge);
        error |= c.key & ~((open & curly) | comma);
        error |= c.comma & ~ended;
        error |= c.close & ~(ended | (open & ~(curly ^ c.curly)));

        // The kind of container as the token behind a value or a closing bracket tells it: object, root, or else
        // array.
        const u64 right_object = (c.close & c.curly) | (c.comma & (c.key >> 1 | n.key << 63));
        error |= value & ((up(key, key2) ^ right_object) | (up(edge, edge2) ^ c.edge));
        key2 = key;
        edge2 = edge;
        before = c;

        const u64 some = close | c.open;
        brackets.append(
            {extract(c.open, some), extract((close & curly) | (c.open & c.curly), some),
             extract((close & right_object) | (c.open & key), some), extract((close & c.edge) | (c.open & edge), some)},
            popcount(some));
    }
};

// Stage C. A word of brackets: neighbours that open and close are compared at once, the rest goes over the stack.
struct bracket_stage {
    u64 taken = 0;  // 1: the first bracket closes the last one of the word before
    u64 error = 0;

    /// False when memory is out or a bracket closes nothing.
    KUMIHIMO_INLINE bool next(const u64 (&now)[4], const u64 (&then)[4], unsigned bits, bool more, bracket_stack& stack) {
        const u64 valid = ~u64{0} >> (64 - bits);
        const u64 open = now[0] | ~valid;
        const u64 open_next = bits < 64 ? open >> 1 | u64{1} << 63 : open >> 1 | (more ? then[0] << 63 : u64{1} << 63);
        const u64 leaf = open & valid & ~open_next;
        for (int i = 1; i < 4; i++) error |= leaf & (now[i] ^ (now[i] >> 1 | then[i] << 63));
        const u64 kept = valid & ~(leaf | leaf << 1 | taken);
        taken = leaf >> 63;
        if (stack.top + 80 > stack.capacity && !stack.grow()) return false;
        u64 o = extract(open, kept), c1 = extract(now[1], kept), c2 = extract(now[2], kept), c3 = extract(now[3], kept);
        u8* top = stack.bytes + stack.top;
        u8* highest = stack.bytes + stack.highest;
        for (unsigned n = popcount(kept); n != 0; n--, o >>= 1, c1 >>= 1, c2 >>= 1, c3 >>= 1) {
            const unsigned code = static_cast<unsigned>((c1 & 1) | (c2 & 1) << 1 | (c3 & 1) << 2);
            const bool opening = (o & 1) != 0;
            *top = static_cast<u8>(code);
            error |= opening ? 0 : static_cast<u64>(top[-1] ^ code);
            top += opening ? 1 : -1;
            highest = top > highest ? top : highest;
        }
        stack.top = static_cast<std::size_t>(top - stack.bytes);
        stack.highest = static_cast<std::size_t>(highest - stack.bytes);
        return error == 0 && stack.top >= bracket_stack::floor;
    }
};

template <class Watch>
inline bool check(const char* text, std::size_t size, std::size_t depth_limit, Watch& watch) {
    u64 token_words[words][3], bracket_words[words][4];
    bit_streams<3> tokens(token_words);
    bit_streams<4> brackets(bracket_words);
    block_stage blocks;
    token_stage grammar;
    bracket_stage nesting;
    bracket_stack stack;
    const char* const begin = text;
    const char* const end = text + size;
    bool started = false;

    for (;;) {
        // Literals are compared as words of memory, so the last block or two stand in a copy with blanks behind.
        constexpr std::size_t ahead = 64 + 8;
        const std::size_t left = static_cast<std::size_t>(end - text);
        const bool final = left < chunk + ahead;
        std::size_t n = final ? (left >= ahead ? (left - ahead) / 64 + 1 : 0) : chunk / 64;
        for (; n != 0; n--, text += 64) blocks.next(text, text, tokens, watch);
        if (final) {
            alignas(64) char tail[192];
            __builtin_memset(tail, ' ', sizeof tail);
            const std::size_t rest = static_cast<std::size_t>(end - text);
            if (rest != 0) __builtin_memcpy(tail, text, rest);
            for (std::size_t i = 0; i < rest; i += 64) blocks.next(tail + i, text + i, tokens, watch);
            // One more, of blanks, settles whatever reaches to the document's last byte.
            blocks.next(tail + 128, end, tokens, watch);
            if (blocks.in_string != 0) return false;
            if (blocks.after_string != 0) tokens.append({0, 0, 0}, 1);
            if (!started && tokens.count == 0 && tokens.fill == 0) return false;
            tokens.last[2] |= ~u64{0} << tokens.fill;
            tokens.show();
            tokens.count++;
            tokens.last[0] = tokens.last[1] = 0;
            tokens.last[2] = ~u64{0};
        }
        if ((blocks.error | blocks.scalars.error) != 0) return false;

        tokens.show();
        const std::size_t ready = final ? tokens.count : tokens.ready();
        for (std::size_t i = 0; i < ready; i++) grammar.next(token_words[i], token_words[i + 1], brackets);
        if (grammar.error != 0) return false;
        if constexpr (Watch::on) {
            watch.counter.at(watch.counter.here(tokens));
            watch.counter.counted -= ready;
        }
        tokens.drop(ready);
        started |= ready != 0;

        brackets.show();
        const std::size_t full = final ? brackets.count : brackets.ready();
        for (std::size_t i = 0; i < full; i++) {
            const bool more = i + 1 < brackets.count || brackets.fill != 0;
            if (!nesting.next(bracket_words[i], bracket_words[i + 1], 64, more, stack)) return false;
        }
        if (final && brackets.fill != 0 && !nesting.next(bracket_words[full], brackets.none, brackets.fill, false, stack))
            return false;
        brackets.drop(full);

        const std::size_t depth = stack.highest - bracket_stack::floor;
        if (depth > depth_limit) return false;
        if (final) {
            if (stack.top != bracket_stack::floor || !blocks.utf8.ok()) return false;
            // Leaves never reach the stack, and one might be a level too deep.
            watch.may_overflow = blocks.scalars.may_overflow();
            return depth == depth_limit ? check_scalar(begin, size, depth_limit, watch.may_overflow) : true;
        }
    }
}

}  // namespace planes
