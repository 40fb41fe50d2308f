// The shortest digits of a double, by the scaling of Schubfach (R. Giulietti, "The Schubfach way to render doubles") with the
// fast path that Y. Guo's and Xiang J.'s writers made known: scale once, so that the integer part holds all digits but the
// last, and read from the fraction whether that last digit is needed.
//
//      x = c * 2^q          one unit of c scales to 0.1 .. 1; half of it is `half`
//
//      m             m + f                    m + 1          in units of 10^(k+1), k = floor(log10(2^q))
//      |---------------x----------------------|
//               [---half---|---half---]                      what reads back as x
//
// If m or m + 1 lies inside, it is the answer without its last digit (trailing zeros are taken off later); at most one can.
// Otherwise the last digit is 10 f, rounded. The product of c and the 128-bit power is exact to 2^-72 of the unit; where a
// comparison is closer than that knows, and for zero, subnormals and powers of two (whose lower neighbour is nearer), the plain
// Schubfach below decides.
#include "engine/scalar/float_write.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/scalar/digits.hpp"
#include "engine/scalar/exact.hpp"
#include "engine/scalar/powers.hpp"

namespace kumihimo::inline v0::scalar {

namespace {

constexpr std::uint64_t ten_to_15 = 1'000'000'000'000'000;
constexpr std::uint64_t ten_to_16 = 10 * ten_to_15;

constexpr std::uint64_t hidden_bit = std::uint64_t{1} << 52;

// 17 digits, the first not zero, and where the point stands: 0.digits * 10^point.
struct decimal {
    std::uint64_t digits;
    int point;
};

// digits * 10^exponent with any number of digits.
decimal widened(std::uint64_t digits, int exponent) noexcept {
    while (digits < ten_to_16) {
        digits *= 10;
        --exponent;
    }
    return {digits, exponent + 17};
}

// floor(4 * c * 2^q * 10^-k) with its last bit set where something was cut ("round to odd"). The power is rounded up.
std::uint64_t scaled(wide g, std::uint64_t c) noexcept {
    const wide low = multiply(g.low, c);
    const wide high = multiply(g.high, c);
    const std::uint64_t middle = high.low + low.high;
    return (high.high + (middle < high.low)) | (middle > 1);
}

// Schubfach as published, for any c * 2^q; `uneven` where c is a power of two and its lower neighbour half as far.
[[gnu::noinline]] decimal schubfach(std::uint64_t c, int q, bool uneven) noexcept {
    // floor(log10(3/4 * 2^q)) where uneven
    const int k = uneven ? (q * 315653 - 131072) >> 20 : log10_of_power_of_2(q);
    const int h = q + binary_exponent(-k) + 1;
    wide g = power_of_ten(-k);
    if (-k > greatest_exact_power && ++g.low == 0) ++g.high;
    const std::uint64_t odd = c & 1;
    const std::uint64_t x = scaled(g, c * 4 << h);
    const std::uint64_t lower = scaled(g, (c * 4 - (uneven ? 1 : 2)) << h) + odd;
    const std::uint64_t upper = scaled(g, (c * 4 + 2) << h) - odd;
    const std::uint64_t s = x / 4;
    if (s >= 10) {
        const std::uint64_t tens = s / 10 * 10;
        const bool below = lower <= tens * 4;
        const bool above = (tens + 10) * 4 <= upper;
        if (below != above) return widened(tens + (above ? 10 : 0), k);
    }
    const bool below = lower <= s * 4;
    const bool above = (s + 1) * 4 <= upper;
    if (below != above) return widened(s + above, k);
    const std::uint64_t middle = s * 4 + 2;
    return widened(s + (x > middle || (x == middle && (s & 1) != 0)), k);
}

[[gnu::noinline]] decimal special(std::uint64_t c, int q) noexcept {
    // Powers of two that are integers, 1 and 2 among them, are all digits.
    if (c == hidden_bit && q <= 0 && q >= -52) return widened(c >> -q, 0);
    return schubfach(c, q, c == hidden_bit && q > -1074);
}

inline decimal shortest(std::uint64_t c, int q, bool regular) noexcept {
    if (!regular) [[unlikely]]
        return special(c, q);
    const int k = log10_of_power_of_2(q) + 1;
    const wide& g = power_of_ten(-k);
    const int t = -(q + binary_exponent(-k));  // 1 to 4
    const std::uint64_t shifted = c << (10 - t);
    const wide low = multiply(shifted, g.low);
    const uint128 product = static_cast<uint128>(shifted) * g.high + low.high;
    const std::uint64_t m = static_cast<std::uint64_t>(product >> 73);
    const std::uint64_t f = static_cast<std::uint64_t>(product >> 9);
    const std::uint64_t half = g.high >> t;
    const uint128 tenfold = static_cast<uint128>(f) * 10;
    const std::uint64_t rest = static_cast<std::uint64_t>(tenfold);
    // Within three units of a border (or of a tie of the last digit, times ten) the answer is not known here.
    const std::uint64_t to_lower = f - half + 3;
    const std::uint64_t to_upper = f + half + 3;
    const std::uint64_t to_tie = rest - (std::uint64_t{1} << 63) + 30;
    if (to_lower <= 6 || to_upper <= 6 || to_tie <= 60) [[unlikely]]
        return schubfach(c, q, false);
    std::uint64_t last = static_cast<std::uint64_t>(tenfold >> 64) + (rest >> 63);
    last = f < half ? 0 : last;
    last = f > ~half ? 10 : last;
    const std::uint64_t digits = m * 10 + last;
    const bool narrow = digits < ten_to_16;
    return {narrow ? digits * 10 : digits, k + 16 - narrow};
}

// How a language lays digits out.
struct rules {
    int least_point;     // the fixed form from here
    int greatest_point;  // to here
    bool whole_zero;     // 1.0, not 1
    bool mantissa_zero;  // 1.0e+16, not 1e+16
    bool exponent_two;   // e-05, not e-5
    bool minus_zero;     // -0.0, not 0
};
constexpr rules rules_of[] = {
    {-5, 21, false, false, false, false},  // ecmascript
    {-3, 16, true, false, true, true},     // python
    {-3, 16, true, true, true, true},      // ruby
    {-3, 15, false, false, true, true},    // perl15
    {-3, 17, false, false, true, true},    // g17
};

// A word of digits with the point after the first n of them, n < 8; what falls out at the end is stored elsewhere.
inline std::uint64_t with_point(std::uint64_t word, unsigned n) noexcept {
    const unsigned at = n * 8;
    const std::uint64_t before = (std::uint64_t{1} << at) - 1;
    return (word & before) | std::uint64_t{'.'} << at | (word & ~before) << 8;
}

inline char* laid_out(char* to, decimal d, const rules& r) noexcept {
    const std::uint64_t first = d.digits / ten_to_16;
    const sixteen rest(d.digits - first * ten_to_16);
    const int n = rest.significant + 1;
    const int point = d.point;
    if (static_cast<unsigned>(point - 1) < 16 && point <= r.greatest_point) {
        //  to: first | 8 digits, the point among them, or | 8 digits | 8 digits and the point | the last digit
        to[0] = static_cast<char>('0' + first);
        const auto left = static_cast<unsigned>(point - 1);
        rest.store(to + 2);
        if (left < 8) {
            put_word(to + 1, with_point(rest.first(), left));
        } else {
            put_word(to + 1, rest.first());
            put_word(to + 9, with_point(rest.second(), left - 8));
        }
        const int whole = r.whole_zero ? point + 2 : point;
        return to + (n > point ? n + 1 : whole);
    }
    if (point <= 0 && point >= r.least_point) {
        std::memcpy(to, "0.000000", 8);
        to += 2 - point;
        *to = static_cast<char>('0' + first);
        rest.store(to + 1);
        return to + n;
    }
    if (point > 16 && point <= r.greatest_point) {
        to[0] = static_cast<char>('0' + first);
        rest.store(to + 1);
        std::memcpy(to + 17, "0000.0", 6);
        return to + point + (r.whole_zero ? 2 : 0);
    }
    to[0] = static_cast<char>('0' + first);
    to[1] = '.';
    rest.store(to + 2);
    to += n > 1 ? n + 1 : r.mantissa_zero ? 3 : 1;
    const int exponent = point - 1;
    const auto a = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
    const unsigned hundreds = a / 100;
    const unsigned tens = a / 10 % 10;
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    *to = static_cast<char>('0' + hundreds);
    to += hundreds != 0;
    *to = static_cast<char>('0' + tens);
    to += r.exponent_two || a >= 10;
    *to++ = static_cast<char>('0' + a % 10);
    return to;
}

// The first `count` digits (15 or 17), correctly rounded, as 17.
[[gnu::noinline]] decimal rounded(std::uint64_t c, int q, int count) noexcept {
    const int shift = std::countl_zero(c);
    const std::uint64_t high_c = c << shift;  // x = high_c * 2^(q - shift)
    const std::uint64_t least = count == 15 ? ten_to_15 / 10 : ten_to_16;
    int power = log10_of_power_of_2(q - shift + 63);  // floor(log10(x)), or one less
    for (;; ++power) {
        const int e = count - 1 - power;  // x * 10^e has `count` digits
        const wide& g = power_of_ten(e);
        const wide low = multiply(high_c, g.low);
        const uint128 product = static_cast<uint128>(high_c) * g.high + low.high;
        // The integer part of x * 10^e is above bit `bits` of the product.
        const int bits = 127 - 64 - (q - shift) - binary_exponent(e);
        std::uint64_t digits = static_cast<std::uint64_t>(product >> bits);
        if (digits >= least * 10) continue;
        const uint128 fraction = product << (128 - bits);
        const uint128 half = static_cast<uint128>(1) << 127;
        const uint128 doubt = static_cast<uint128>(4) << (128 - bits);
        bool up = fraction > half;
        if (fraction - half + doubt <= doubt * 2) {
            const int side = compare({2 * digits + 1, nullptr, nullptr, -e}, c, q + 1);
            up = side < 0 || (side == 0 && (digits & 1) != 0);
        }
        digits += up;
        if (digits == least * 10) {
            digits = least;
            ++power;
        }
        return {count == 15 ? digits * 100 : digits, power + 1};
    }
}

}  // namespace

char* write_f64(char* to, double x, float_layout layout) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const rules& r = rules_of[static_cast<unsigned>(layout)];
    *to = '-';
    to += bits >> 63;
    const std::uint64_t fraction = bits & (hidden_bit - 1);
    const int biased = static_cast<int>(bits >> 52 & 0x7FF);
    if ((bits << 1) == 0) [[unlikely]] {
        to -= r.minus_zero ? 0 : bits >> 63;
        std::memcpy(to, "0.0", 3);
        return to + (r.whole_zero ? 3 : 1);
    }
    const std::uint64_t c = biased != 0 ? fraction | hidden_bit : fraction;
    const int q = (biased != 0 ? biased : 1) - 1075;
    if (layout >= float_layout::perl15) return laid_out(to, rounded(c, q, layout == float_layout::perl15 ? 15 : 17), r);
    return laid_out(to, shortest(c, q, fraction != 0 && biased != 0), r);
}

}  // namespace kumihimo::inline v0::scalar
