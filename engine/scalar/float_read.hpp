// Decimal text to the nearest double (ties to even), exactly, whatever the number of digits.
//
//      digits     way
//      up to 15   one exact multiplication or division by a power of ten up to 10^22 (W. Clinger)
//      up to 19   a 128-bit product (M. Eisel, D. Lemire; that it never needs more: N. Mushtak, D. Lemire)
//      more       the same for the first 19 digits and for those plus one; where they disagree, long multiplication decides
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/core/errc.hpp"
#include "engine/scalar/powers.hpp"

namespace kumihimo::inline v0::scalar {

namespace made {

/// mantissa * 10^exponent10, correctly rounded, by the 128-bit product.
inline double by_product(std::uint64_t mantissa, int exponent10) noexcept {
    if (mantissa == 0 || exponent10 < least_power) return 0;
    constexpr std::uint64_t infinite = std::uint64_t{0x7FF} << 52;
    if (exponent10 > 308) return std::bit_cast<double>(infinite);
    const int zeros = std::countl_zero(mantissa);
    const std::uint64_t w = mantissa << zeros;
    const wide& g = power_of_ten(exponent10);
    wide p = multiply(w, g.high);
    if ((p.high & 0x1FF) == 0x1FF) {  // the bits below those kept might carry: take the rest of the power too
        const wide low = multiply(w, g.low);
        p.low += low.high;
        p.high += p.low < low.high;
    }
    const int top = static_cast<int>(p.high >> 63);
    std::uint64_t m = p.high >> (top + 9);  // 54 bits, the last one for rounding
    int biased = binary_exponent(exponent10) + 63 + top - zeros + 1023;
    if (biased <= 0) [[unlikely]] {
        if (biased <= -63) return 0;
        m >>= 1 - biased;
        m = (m + (m & 1)) >> 1;
        return std::bit_cast<double>(m);  // 2^52 is the smallest normal: the bits are right as they are
    }
    // Half-way cases, possible where the power is exact; everything below the rounding bit is zero then.
    if (p.low <= 1 && exponent10 >= -4 && exponent10 <= 23 && (m & 3) == 1 && m << (top + 9) == p.high) [[unlikely]]
        m &= ~std::uint64_t{1};
    m = (m + (m & 1)) >> 1;
    // 2^53 after rounding is the next power of two: the carry goes where it belongs by itself.
    const std::uint64_t bits = (static_cast<std::uint64_t>(biased - 1) << 52) + m;
    return std::bit_cast<double>(bits < infinite ? bits : infinite);
}

inline constexpr double small_power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

double by_digits(std::uint64_t mantissa, int exponent10, const char* b, const char* e) noexcept;

}  // namespace made

/// The double nearest to mantissa * 10^exponent10.
///
/// A number with more than 19 significant digits passes its first 19 as mantissa (leading zeros are not significant),
/// the power of ten that belongs to them as exponent10, more_digits_follow = true, and its digits again as text in
/// [digits_begin, digits_end): all of them, leading zeros and one point allowed, without sign and exponent. The text
/// is looked at only when it matters, and not at all when more_digits_follow is false (it may then be null). Too large
/// gives infinity, too small gives zero.
inline double compose(std::uint64_t mantissa, int exponent10, bool more_digits_follow, const char* digits_begin,
                      const char* digits_end) noexcept {
    if (more_digits_follow) [[unlikely]]
        return made::by_digits(mantissa, exponent10, digits_begin, digits_end);
    // By the number of digits, not by mantissa < 2^53: numbers of 16 and 17 digits would flip between both ways at
    // random.
    if (mantissa < 1'000'000'000'000'000 && exponent10 >= -22 && exponent10 <= 22) {
        const auto m = static_cast<double>(static_cast<std::int64_t>(mantissa));
        return exponent10 < 0 ? m / made::small_power[-exponent10] : m * made::small_power[exponent10];
    }
    return made::by_product(mantissa, exponent10);
}

/// A number's text taken apart. `integer` where it has neither point nor exponent.
struct number {
    const char* end = nullptr;         // after the number; nullptr: the text is not one
    const char* digits = nullptr;      // after the minus
    const char* digits_end = nullptr;  // before the exponent
    std::uint64_t mantissa = 0;        // the first 19 significant digits at most
    int exponent10 = 0;                // of the mantissa's last digit
    bool negative = false;
    bool integer = false;
    bool more = false;  // more than 19 significant digits

    /// The double, with its sign.
    double value() const noexcept {
        const double x = compose(mantissa, exponent10, more, digits, digits_end);
        return negative ? -x : x;
    }
};

namespace made {

/// Eight characters as a word, the first one lowest.
inline std::uint64_t load_eight(const char* at) noexcept {
    std::uint64_t w;
    std::memcpy(&w, at, 8);
    if constexpr (std::endian::native == std::endian::big) w = __builtin_bswap64(w);
    return w;
}

inline constexpr std::uint64_t eight_zeros = 0x3030303030303030;  // "00000000"

/// The number of leading bytes of a word of characters that are digits. `x` becomes their values; what follows them is
/// unspecified.
inline unsigned leading_digits(std::uint64_t w, std::uint64_t& x) noexcept {
    x = w ^ eight_zeros;  // digits: 0 to 9; everything else: more
    // The high bit of a byte says: more. A carry can only spoil bytes after the first of those.
    const std::uint64_t other = ((x + 0x7676767676767676) | x) & 0x8080808080808080;
    return static_cast<unsigned>(std::countr_zero(other)) / 8;
}

/// Eight digit values (the first one lowest) as a number: pairs first, then all four pairs at once by two
/// multiplications.
constexpr std::uint64_t eight_value(std::uint64_t x) noexcept {
    constexpr std::uint64_t pairs = 0x000000FF000000FF;
    x = x * 10 + (x >> 8);
    return static_cast<std::uint32_t>(
        ((x & pairs) * (100 + (std::uint64_t{1000000} << 32)) + (x >> 16 & pairs) * (1 + (std::uint64_t{10000} << 32))) >> 32);
}

inline constexpr std::uint32_t short_power[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

constexpr bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }

/// Up to eight characters from `at`, then zero bytes, which are no digits. Reads within [b, e), which has eight at
/// least.
inline std::uint64_t load_some(const char* at, const char* e) noexcept {
    const std::ptrdiff_t left = e - at;
    const std::ptrdiff_t back = left < 8 ? 8 - left : 0;
    const std::uint64_t w = load_eight(at - back);
    return w >> back * 4 >> back * 4;  // in two steps, because back may be 8
}

/// Appends the digits at `at` to m (modulo 2^64) and returns where they end. Reads within [b, e), b <= at.
inline const char* take_digits(const char* b, const char* at, const char* e, std::uint64_t& m) noexcept {
    if (e - b < 8) [[unlikely]] {
        for (; at != e && is_digit(*at); ++at) m = m * 10 + static_cast<std::uint64_t>(*at - '0');
        return at;
    }
    std::uint64_t x;
    unsigned n = leading_digits(load_some(at, e), x);
    if (n < 8) {
        m = m * short_power[n] + eight_value(x << 8 << (56 - 8 * n));
        return at + n;
    }
    do {
        at += 8;
        m = m * 100000000 + eight_value(x);
        // One to eight more without asking how many: that is where the lengths of real numbers differ.
        n = leading_digits(load_some(at, e), x);
        m = m * short_power[n] + eight_value(x << (32 - 4 * n) << (32 - 4 * n));
        at += n;
        if (n < 8) return at;
        n = leading_digits(load_some(at, e), x);
    } while (n == 8);
    m = m * short_power[n] + eight_value(x << 8 << (56 - 8 * n));
    return at + n;
}

/// For more than 19 digits: leaves the first 19 significant ones in m and the exponent of the last of them; true where
/// the others are not all zero.
bool many_digits(const char* b, const char* e, std::uint64_t& m, std::ptrdiff_t& exponent) noexcept;

}  // namespace made

/// Takes apart the number that begins at b, by JSON's grammar: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
/// It ends where the grammar ends; what follows is the caller's. Reads nothing at or after e.
inline number scan_number(const char* b, const char* e) noexcept {
    const bool negative = b != e && *b == '-';
    const char* const digits = b + negative;
    const char* at = digits;
    std::uint64_t m = 0;
    // Most numbers have few digits here, and a loop of three is over before eight are taken apart.
    for (; at != e && made::is_digit(*at); ++at) m = m * 10 + static_cast<std::uint64_t>(*at - '0');
    std::ptrdiff_t count = at - digits;
    if (count == 0 || (count > 1 && *digits == '0')) return {};
    std::ptrdiff_t exponent = 0;
    bool integer = true;
    if (at != e && *at == '.') {
        integer = false;
        const char* const fraction = ++at;
        at = made::take_digits(b, at, e, m);
        if (at == fraction) return {};
        exponent = fraction - at;
        count -= exponent;  // leading zeros too: many_digits() sees to that
    }
    const char* const digits_end = at;
    if (at != e && (*at | 0x20) == 'e') {
        integer = false;
        ++at;
        const bool minus = at != e && *at == '-';
        if (at != e && (*at == '-' || *at == '+')) ++at;
        if (at == e || !made::is_digit(*at)) return {};
        std::ptrdiff_t written = 0;
        for (; at != e && made::is_digit(*at); ++at)
            if (written < 1'000'000'000'000) written = written * 10 + (*at - '0');
        exponent += minus ? -written : written;
    }
    const bool more = count > 19 && made::many_digits(digits, digits_end, m, exponent);
    // The ends are far beyond every double.
    exponent = exponent < -100'000 ? -100'000 : exponent > 100'000 ? 100'000 : exponent;
    return {at, digits, digits_end, m, static_cast<int>(exponent), negative, integer, more};
}

/// Reads the whole of [b, e) by JSON's number grammar.
/// errc::syntax when it is not one; errc::range, with out = the infinity, when it is beyond the largest double.
errc read_f64(const char* b, const char* e, double& out) noexcept;

}  // namespace kumihimo::inline v0::scalar
