// utf8_checker for instruction sets with a 16-byte table lookup: every error of two adjacent bytes is found by three
// lookups of a nibble each, whose common bits name the error (Keiser & Lemire, "Validating UTF-8 in less than one
// instruction per byte", 2021). What a lookup cannot see, that the third and fourth byte of a long sequence must
// continue it, is checked by the bytes two and three back.
//
// Needs `vector`: static constexpr width; lookup(table16) per nibble; before<N>(vector previous); operators | & ^ ;
// minus(byte) saturating; high nibble shr4(); any(). The ISA file has it.
struct utf8_checker {
    vector previous;
    vector wrong;
    vector pending;  // non-zero where the last bytes begin a sequence that they do not finish

    KUMIHIMO_INLINE utf8_checker() : previous(vector::zero()), wrong(vector::zero()), pending(vector::zero()) {}

    KUMIHIMO_INLINE void ascii() {
        wrong = wrong | pending;
        pending = vector::zero();
        previous = vector::zero();
    }

    KUMIHIMO_INLINE void next(const block& b) {
        for (int i = 0; i < 64 / vector::width; ++i) step(b.v[i]);
        pending = previous.beyond_last();
    }

    KUMIHIMO_INLINE bool ok() const { return !(wrong | pending).any(); }
    KUMIHIMO_INLINE bool clean() const { return !wrong.any(); }  // so far; a sequence may be pending

    KUMIHIMO_INLINE void step(const vector now) {
        // One bit per kind of error in the pair (byte before, byte).
        constexpr u8 too_short = 1 << 0;   // a lead byte, then no continuation
        constexpr u8 too_long = 1 << 1;    // ASCII, then a continuation
        constexpr u8 overlong_3 = 1 << 2;  // E0 80..9F
        constexpr u8 too_large = 1 << 3;   // F4 90.., F5.. and up
        constexpr u8 surrogate = 1 << 4;   // ED A0..BF
        constexpr u8 overlong_2 = 1 << 5;  // C0, C1
        constexpr u8 overlong_4 = 1 << 6;  // F0 80..8F; and F5.. with 80..8F, which shares the bit
        constexpr u8 too_large_low = 1 << 6;
        constexpr u8 two_cont = 1 << 7;  // a continuation, then another: fine only deep inside a sequence
        static constexpr u8 high_of_first[16] = {too_long,
                                                 too_long,
                                                 too_long,
                                                 too_long,
                                                 too_long,
                                                 too_long,
                                                 too_long,
                                                 too_long,
                                                 two_cont,
                                                 two_cont,
                                                 two_cont,
                                                 two_cont,
                                                 too_short | overlong_2,
                                                 too_short,
                                                 too_short | overlong_3 | surrogate,
                                                 too_short | too_large | too_large_low | overlong_4};
        constexpr u8 carry = too_short | too_long | two_cont;
        static constexpr u8 low_of_first[16] = {carry | overlong_3 | overlong_2 | overlong_4,
                                                carry | overlong_2,
                                                carry,
                                                carry,
                                                carry | too_large,
                                                carry | too_large | too_large_low,
                                                carry | too_large | too_large_low,
                                                carry | too_large | too_large_low,
                                                carry | too_large | too_large_low,
                                                carry | too_large | too_large_low,
                                                carry | too_large | too_large_low,
                                                carry | too_large | too_large_low,
                                                carry | too_large | too_large_low,
                                                carry | too_large | too_large_low | surrogate,
                                                carry | too_large | too_large_low,
                                                carry | too_large | too_large_low};
        static constexpr u8 high_of_second[16] = {too_short,
                                                  too_short,
                                                  too_short,
                                                  too_short,
                                                  too_short,
                                                  too_short,
                                                  too_short,
                                                  too_short,
                                                  too_long | overlong_2 | two_cont | overlong_3 | too_large_low | overlong_4,
                                                  too_long | overlong_2 | two_cont | overlong_3 | too_large,
                                                  too_long | overlong_2 | two_cont | surrogate | too_large,
                                                  too_long | overlong_2 | two_cont | surrogate | too_large,
                                                  too_short,
                                                  too_short,
                                                  too_short,
                                                  too_short};
        const vector one_back = now.template before<1>(previous);
        const vector pair =
            one_back.shr4().lookup(high_of_first) & one_back.low4().lookup(low_of_first) & now.shr4().lookup(high_of_second);
        // Bytes whose second predecessor is E0.. or third is F0.. must continue: there, and only there, two_cont is no
        // error.
        const vector must =
            (now.template before<2>(previous).minus(0xE0 - 0x80) | now.template before<3>(previous).minus(0xF0 - 0x80)).tops();
        wrong = wrong | (must ^ pair);
        previous = now;
    }
};
