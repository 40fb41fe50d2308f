// The shortest digits of a double, by the scaling of Schubfach (R. Giulietti, "The Schubfach way to render doubles")
// with the fast path that Y. Guo's and Xiang J.'s writers made known: scale once, so that the integer part holds all
// digits but the last, and read from the fraction whether that last digit is needed.
//
//      x = c * 2^q          one unit of c scales to 0.1 .. 1; half of it is `half`
//
//      m             m + f                    m + 1          in units of 10^(k+1), k = floor(log10(2^q))
//      |---------------x----------------------|
//               [---half---|---half---]                      what reads back as x
//
// If m or m + 1 lies inside, it is the answer without its last digit (trailing zeros are taken off later); at most one
// can. Otherwise the last digit is 10 f, rounded. The product of c and the 128-bit power is exact to 2^-72 of the
// unit; where a comparison is closer than that knows, and for zero, subnormals and powers of two (whose lower
// neighbour is nearer), the plain Schubfach below decides.
#include "engine/scalar/float_write.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "engine/scalar/digits.hpp"
#include "engine/scalar/exact.hpp"
#include "engine/scalar/float_read.hpp"
#include "engine/scalar/grisu.hpp"
#include "engine/scalar/powers.hpp"

namespace kumihimo::inline v0::scalar {

namespace {

constexpr std::uint64_t ten_to_15 = 1'000'000'000'000'000;
constexpr std::uint64_t ten_to_16 = 10 * ten_to_15;

constexpr std::uint64_t ten_to_17 = 100 * ten_to_15;

constexpr std::uint64_t hidden_bit = std::uint64_t{1} << 52;

constexpr std::uint64_t ten_to[17] = {
    1,          10,          100,          1000,          10000,          100000,          1000000,   10000000, 100000000,
    1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000, ten_to_15, ten_to_16};

// 0.ddddddddddddddddl * 10^point: 16 digits, the first not zero, and a 17th.
struct decimal {
    std::uint64_t digits;
    std::uint64_t last;
    int point;
};

// digits * 10^exponent, 1 to 17 digits, or 10^17.
decimal widened(std::uint64_t digits, int exponent) noexcept {
    if (digits == ten_to_17) return {ten_to_15, 0, exponent + 18};
    while (digits < ten_to_16) {
        digits *= 10;
        --exponent;
    }
    return {digits / 10, digits % 10, exponent + 17};
}

// floor(4 * c * 2^q * 10^-k) with its last bit set where something was cut ("round to odd"). The power is rounded up.
std::uint64_t scaled(wide g, std::uint64_t c) noexcept {
    const wide low = multiply(g.low, c);
    const wide high = multiply(g.high, c);
    const std::uint64_t middle = high.low + low.high;
    return (high.high + (middle < high.low)) | (middle > 1);
}

// Schubfach as published, for any c * 2^q; `uneven` where c is a power of two and its lower neighbour half as far.
decimal schubfach(std::uint64_t c, int q, bool uneven) noexcept {
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

// How a language lays digits out.
struct rules {
    int least_point;     // the fixed form from here
    int greatest_point;  // to here
    int whole_tail;      // 2 for 1.0, 0 for 1
    bool mantissa_zero;  // 1.0e+16, not 1e+16
    bool exponent_two;   // e-05, not e-5
    bool minus_zero;     // -0.0, not 0
};
constexpr rules rules_of[] = {
    {-5, 21, 0, false, false, false},  // ecmascript
    {-3, 16, 2, false, true, true},    // python
    {-3, 16, 2, true, true, true},     // ruby
    {-3, 15, 0, false, true, true},    // perl15
    {-3, 17, 0, false, true, true},    // g17
    {-3, 15, 2, false, true, true},    // cpanel15
    {-3, 17, 0, false, true, true},    // perl_shortest
    {-8, 24, 2, false, false, true},   // json_2_11: within these, fixed() says which numbers have the fixed form
    {-8, 24, 2, false, false, true},   // json_2_12
    {-8, 16, 2, false, false, true},   // json_2_15
    {-3, 16, 2, true, true, true},     // mruby
    {-4, 16, 2, false, false, true},   // orjson
};

constexpr bool of_json(float_layout l) noexcept { return l >= float_layout::json_2_11 && l <= float_layout::json_2_15; }
constexpr bool of_ruby(float_layout l) noexcept { return l == float_layout::ruby || l == float_layout::mruby; }

// Whether Ruby's json writes n digits in the fixed form: for whole numbers by the number of zeros to append, or the
// size; for others by the digits behind the point, or the size.
template <float_layout L>
constexpr bool fixed(int n, int point, bool negative) noexcept {
    if (n <= point) return L == float_layout::json_2_15 ? point <= 15 : point - n <= 7 - negative;
    if (L == float_layout::json_2_11) return n - point < 7 || (point > -3 && point < 5);
    return point >= -8;
}

struct place {
    std::uint64_t before;  // the bytes in front of the point
    std::uint64_t point;
};
constexpr place places[8] = {
    {0x0, 0x2E},
    {0xFF, 0x2E00},
    {0xFFFF, 0x2E0000},
    {0xFFFFFF, 0x2E000000},
    {0xFFFFFFFF, 0x2E00000000},
    {0xFFFFFFFFFF, 0x2E0000000000},
    {0xFFFFFFFFFFFF, 0x2E000000000000},
    {0xFFFFFFFFFFFFFF, 0x2E00000000000000},
};

// A word of digits with the point after the first n of them, n < 8; what falls out at the end is stored elsewhere.
inline std::uint64_t with_point(std::uint64_t word, unsigned n) noexcept {
    const place& p = places[n];
    return (word & p.before) | p.point | (word & ~p.before) << 8;
}

template <float_layout L>
inline char* with_exponent(char* to, const sixteen& text, char last, int n, int point) noexcept {
    constexpr rules r = rules_of[static_cast<unsigned>(L)];
    text.store(to + 1);
    to[17] = last;
    to[0] = static_cast<char>(text.first());
    to[1] = '.';
    to += n > 1 ? n + 1 : r.mantissa_zero ? 3 : 1;
    const int exponent = point - 1;
    const auto a = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
    const unsigned hundreds = a / 100;
    const unsigned rest = a - hundreds * 100;
    const unsigned tens = rest / 10;
    to[0] = 'e';
    to[1] = exponent < 0 ? '-' : '+';
    to[2] = static_cast<char>('0' + hundreds);
    to += 2 + (hundreds != 0);
    to[0] = static_cast<char>('0' + tens);
    to += r.exponent_two || a >= 10;
    to[0] = static_cast<char>('0' + rest - tens * 10);
    return to + 1;
}

// The first n of d's digits; what follows them is zeros.
template <float_layout L>
inline char* laid_out(char* to, const decimal& d, const sixteen& text, int n) noexcept {
    constexpr rules r = rules_of[static_cast<unsigned>(L)];
    const int point = d.point;
    const char last = static_cast<char>('0' + d.last);
    if (static_cast<unsigned>(point - 1) < static_cast<unsigned>(r.greatest_point < 15 ? r.greatest_point : 15)) {
        // The digits one place to the right, then those in front of the point over them, a word at a time.
        text.store(to + 1);
        to[17] = last;
        const auto left = static_cast<unsigned>(point);
        if (left < 8) {
            put_word(to, with_point(text.first(), left));
        } else {
            put_word(to, text.first());
            put_word(to + 8, with_point(text.second(), left - 8));
        }
        return to + std::max(n + (n > point), point + r.whole_tail);
    }
    if (point <= 0 && point >= r.least_point) {
        std::memcpy(to, "0.00000000", r.least_point < -5 ? 10 : 8);
        to += 2 - point;
        text.store(to);
        to[16] = last;
        return to + n;
    }
    // Ruby stops at 15 digits, but for a number that has some behind the point.
    const bool stops = of_ruby(L) && point == 16 && n <= 16;
    if (point > 0 && point <= r.greatest_point && !stops) {
        // 16 to 24 digits in front of the point
        text.store(to);
        to += 16;
        if (point == 16) {
            to[0] = '.';
            to[1] = last;
            return to + std::max(n == 17 ? 2 : 0, r.whole_tail);
        }
        to[0] = last;
        if constexpr (of_json(L)) {
            std::memcpy(to + 1, "0000000", 7);
            to += point - 16;
            std::memcpy(to, ".0", 2);
            return to + 2;
        }
        std::memcpy(to + 1, "0000", 4);
        return to + (point - 16);
    }
    return with_exponent<L>(to, text, last, n, point);
}

template <float_layout L>
inline char* laid_out(char* to, const decimal& d) noexcept {
    const sixteen text(d.digits);
    return laid_out<L>(to, d, text, text.significant(d.last != 0));
}

// The first `count` digits (15 or 17), correctly rounded, as 17.
decimal rounded(std::uint64_t c, int q, int count) noexcept {
    const int shift = std::countl_zero(c);
    const std::uint64_t high_c = c << shift;  // x = high_c * 2^(q - shift)
    const std::uint64_t least = count == 15 ? ten_to_15 / 10 : ten_to_16;
    int power = log10_of_power_of_2(q - shift + 63);  // floor(log10(x)), or one less
    for (;; ++power) {
        const int e = count - 1 - power;  // x * 10^e has `count` digits
        const wide& g = power_of_ten(e);
        const wide low = multiply(high_c, g.low);
        const uint128 product = static_cast<uint128>(high_c) * g.high + low.high;
        // The integer part of x * 10^e is above this many bits of the product.
        const int bits = 63 - (q - shift) - binary_exponent(e);
        std::uint64_t digits = static_cast<std::uint64_t>(product >> bits);
        if (digits >= least * 10) continue;
        const uint128 fraction = product << (128 - bits);
        const uint128 half = static_cast<uint128>(1) << 127;
        const uint128 doubt = static_cast<uint128>(4) << (128 - bits);
        bool up = fraction > half;
        if (fraction - half + doubt <= doubt * 2) [[unlikely]] {
            const int side = compare({2 * digits + 1, nullptr, nullptr, -e}, c, q + 1);
            up = side < 0 || (side == 0 && (digits & 1) != 0);
        }
        return widened(digits + up, power - count + 1);
    }
}

template <float_layout L>
[[gnu::noinline, gnu::cold]] char* write_other(char* to, std::uint64_t bits) noexcept {
    constexpr rules r = rules_of[static_cast<unsigned>(L)];
    if ((bits << 1) == 0) {
        if (bits != 0 && !r.minus_zero) --to;
        std::memcpy(to, "0.0", 3);
        return to + 1 + r.whole_tail;
    }
    const std::uint64_t fraction = bits & (hidden_bit - 1);
    const int biased = static_cast<int>(bits >> 52 & 0x7FF);
    if (biased == 0) return laid_out<L>(to, schubfach(fraction, -1074, false));
    const int q = biased - 1075;
    // Powers of two that are integers, 1 and 2 among them, are all digits.
    if (fraction == 0 && q <= 0 && q >= -52) return laid_out<L>(to, widened(hidden_bit >> -q, 0));
    return laid_out<L>(to, schubfach(fraction | hidden_bit, q, fraction == 0 && biased > 1));
}

// A double that was cut to c * 2^q with c = 4n stands for what rounds to c, c + 1, c + 2 or c + 3:
//
//      c - 1/2      c         c + 1       c + 3/2       c + 2       c + 3     c + 7/2      in units of 2^q
//         [---------|-----------|------------|------------|-----------|---------)
//
// These four units are less than one unit of the 15th digit, so the only number of 15 digits that can be among them is
// the one nearest to their middle. Whether it is, reading it back says: a product finds it nearly always, `rounded`
// always.
constexpr std::uint64_t dropped = 3;

struct fifteen {
    bool found = false;
    std::uint64_t digits = 0;  // 0.ddddddddddddddd * 10^point
    int point = 0;
    double value = 0;
};

// The first way, for numbers from 10^-8 to 10^14.
inline fifteen quick_fifteen(std::uint64_t magnitude) noexcept {
    using made::small_power;
    int k = 14 - log10_of_power_of_2(static_cast<int>(magnitude >> 52) - 1023);
    if (k < 1 || k > 22) return {};
    const double middle = std::bit_cast<double>(magnitude | 2);
    auto m = static_cast<std::int64_t>(middle * small_power[k] + 0.5);
    if (m >= static_cast<std::int64_t>(ten_to_15)) {
        --k;
        m = static_cast<std::int64_t>(middle * small_power[k] + 0.5);
    }
    const double value = static_cast<double>(m) / small_power[k];
    const bool comes_back = (std::bit_cast<std::uint64_t>(value) & ~dropped) == magnitude;
    return {comes_back && m < static_cast<std::int64_t>(ten_to_15), static_cast<std::uint64_t>(m), 15 - k, value};
}

}  // namespace

namespace made {

template <float_layout L>
char* write_shortest(char* to, double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    *to = '-';
    to += bits >> 63;
    const std::uint64_t fraction = bits & (hidden_bit - 1);
    const int biased = static_cast<int>(bits >> 52 & 0x7FF);
    if (fraction == 0 || biased == 0) [[unlikely]]
        return write_other<L>(to, bits);
    const int q = biased - 1075;
    const int k = log10_of_power_of_2(q) + 1;
    const wide& g = power_of_ten(-k);
    const int t = -(q + binary_exponent(-k));  // 1 to 4
    const std::uint64_t c = (fraction | hidden_bit) << (10 - t);
    const wide low = multiply(c, g.low);
    wide product = multiply(c, g.high);
    product.low += low.high;
    product.high += product.low < low.high;
    const std::uint64_t m = product.high >> 9;
    // Not an or: compilers would make it a double shift, which takes six steps on some machines.
    const std::uint64_t f = (product.high << 55) + (product.low >> 9);
    const std::uint64_t half = g.high >> t;
    const std::uint64_t to_nearest = f ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(f) >> 63);
    const uint128 tenfold = static_cast<uint128>(f) * 10;
    const std::uint64_t rest = static_cast<std::uint64_t>(tenfold);
    // Within three units of a border (or of a tie of the last digit, times ten) the answer is not known here.
    if ((to_nearest - half + 4 <= 8) | (rest - (std::uint64_t{1} << 63) + 30 <= 60)) [[unlikely]]
        return write_other<L>(to, bits);
    // Masks, not conditions: on most data these are coin tosses, and a missed branch costs as much as everything else.
    const std::uint64_t outside = to_nearest < half ? 0 : ~std::uint64_t{0};
    const std::uint64_t digits = m + (f >> 63 & ~outside);
    const std::uint64_t last = (static_cast<std::uint64_t>(tenfold >> 64) + (rest >> 63)) & outside;
    const std::uint64_t narrow = digits < ten_to_15 ? ~std::uint64_t{0} : 0;
    return laid_out<L>(to, {digits + ((digits * 9 + last) & narrow), last & ~narrow, k + 16 + static_cast<int>(narrow)});
}

template <float_layout L>
char* write_rounded(char* to, double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    *to = '-';
    to += bits >> 63;
    if ((bits << 1) == 0) return write_other<L>(to, bits);
    constexpr int count = L == float_layout::g17 ? 17 : 15;
    const std::uint64_t fraction = bits & (hidden_bit - 1);
    const int biased = static_cast<int>(bits >> 52 & 0x7FF);
    if (biased == 0) return laid_out<L>(to, rounded(fraction, -1074, count));
    const int q = biased - 1075;
    char* const end = laid_out<L>(to, rounded(fraction | hidden_bit, q, count));
    // Text that is whole only because it was rounded.
    if constexpr (L == float_layout::cpanel15)
        if (end[-2] == '.' && end[-1] == '0' && q < 0 && (q < -52 || fraction << (64 + q) != 0)) return end - 2;
    return end;
}

template <float_layout L>
char* write_grisu(char* to, double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const bool negative = bits >> 63 != 0;
    *to = '-';
    to += negative;
    const std::uint64_t fraction = bits & (hidden_bit - 1);
    const int biased = static_cast<int>(bits >> 52 & 0x7FF);
    if ((bits << 1) == 0) return write_other<L>(to, bits);
    const grisu_decimal g = biased == 0 ? grisu2(fraction, -1074) : grisu2(fraction | hidden_bit, biased - 1075);
    const std::uint64_t digits = g.digits * ten_to[17 - g.count];
    const decimal d{digits / 10, digits % 10, g.exponent + g.count};
    const sixteen text(d.digits);
    if (fixed<L>(g.count, d.point, negative)) return laid_out<L>(to, d, text, g.count);
    return with_exponent<L>(to, text, static_cast<char>('0' + d.last), g.count, d.point);
}

template <float_layout L>
char* write_boxed(char* to, double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x) & ~dropped;
    const std::uint64_t magnitude = bits << 1 >> 1;
    if (magnitude == 0) return write_shortest<L>(to, std::bit_cast<double>(bits));
    const std::uint64_t fraction = bits & (hidden_bit - 1);
    const int biased = static_cast<int>(magnitude >> 52);
    const auto comes_back = [&](std::uint64_t digits, int exponent) {
        return (std::bit_cast<std::uint64_t>(compose(digits, exponent, false, nullptr, nullptr)) & ~dropped) == magnitude;
    };
    if (const fifteen f = quick_fifteen(magnitude); f.found) [[likely]] {
        *to = '-';
        return laid_out<L>(to + (bits >> 63), {f.digits * 10, 0, f.point});
    }
    if (biased != 0) [[likely]] {
        const decimal d = rounded((fraction | hidden_bit) * 2 + 3, biased - 1076, 15);
        if (comes_back(d.digits / 10, d.point - 15)) {
            *to = '-';
            return laid_out<L>(to + (bits >> 63), d);
        }
    } else {
        // Below the normal ones a unit is worth more digits than one: the fewest that come back.
        const decimal d = rounded(fraction * 2 + 3, -1075, 17);
        for (int n = 1; n <= 15; ++n) {
            const std::uint64_t unit = ten_to[16 - n];
            const std::uint64_t digits = (d.digits + unit / 2) / unit;
            if (!comes_back(digits, d.point - n)) continue;
            *to = '-';
            return laid_out<L>(to + (bits >> 63), widened(digits, d.point - n));
        }
    }
    return write_shortest<L>(to, std::bit_cast<double>(bits));
}

template char* write_shortest<float_layout::ecmascript>(char*, double) noexcept;
template char* write_shortest<float_layout::python>(char*, double) noexcept;
template char* write_shortest<float_layout::ruby>(char*, double) noexcept;
template char* write_rounded<float_layout::perl15>(char*, double) noexcept;
template char* write_rounded<float_layout::g17>(char*, double) noexcept;
template char* write_rounded<float_layout::cpanel15>(char*, double) noexcept;
template char* write_shortest<float_layout::perl_shortest>(char*, double) noexcept;
template char* write_grisu<float_layout::json_2_11>(char*, double) noexcept;
template char* write_grisu<float_layout::json_2_12>(char*, double) noexcept;
template char* write_grisu<float_layout::json_2_15>(char*, double) noexcept;
template char* write_boxed<float_layout::mruby>(char*, double) noexcept;
template char* write_shortest<float_layout::orjson>(char*, double) noexcept;

}  // namespace made

double uncut(double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t magnitude = bits << 1 >> 1 & ~dropped;
    const int biased = static_cast<int>(magnitude >> 52);
    if (biased == 0 || biased == 0x7FF) return x;
    fifteen f = quick_fifteen(magnitude);
    if (!f.found) {
        const decimal d = rounded(((magnitude & (hidden_bit - 1)) | hidden_bit) * 2 + 3, biased - 1076, 15);
        f.value = compose(d.digits / 10, d.point - 15, false, nullptr, nullptr);
        f.found = (std::bit_cast<std::uint64_t>(f.value) & ~dropped) == magnitude;
    }
    return f.found ? std::copysign(f.value, x) : x;
}

}  // namespace kumihimo::inline v0::scalar
