// JSON number text to a value, in one go: the grammar is checked while the digits are gathered.
//
//      -  0 | [1-9][0-9]*   . [0-9]+   e [+-]? [0-9]+
//         integer part      fraction   exponent
//
// Up to 19 significant digits make an exact 64-bit mantissa; the rest is scalar::compose's work.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "engine/json/scan.hpp"
#include "engine/scalar/float_read.hpp"

namespace kumihimo::inline v0::json {

enum class number_kind : std::uint8_t {
    i64,
    u64,
    f64,
    minus_zero,  // -0: an integer by its spelling, and a double by its value (in f)
    big,         // an integer beyond 64 bits, or beyond the largest double
    broken,      // not a number of JSON
};

struct number {
    number_kind kind;
    const char* end;  // behind the last byte of the number
    union {
        std::int64_t i;
        std::uint64_t u;
        double f;
    };
};

/// Reads the number at p, which is '-' or a digit. There must be a byte in [p, end) that no number contains, so that
/// the scan stops by itself; `end` bounds wide loads. What comes behind the number is the caller's to check.
[[gnu::always_inline]] inline number read_number(const char* p, const char* end) noexcept {
    using detail::digit_at;
    number out;
    const char* const begin = p;
    const bool negative = *p == '-';
    p += negative;
    const char* const digits = p;
    std::uint64_t m = static_cast<unsigned char>(*p - '0');
    if (m > 9) [[unlikely]] {
        out.kind = number_kind::broken;
        return out;
    }
    ++p;
    if (m == 0) {
        if (digit_at(p)) [[unlikely]] {
            out.kind = number_kind::broken;
            return out;
        }
    } else {
        while (digit_at(p)) m = m * 10 + static_cast<unsigned char>(*p++ - '0');  // wraps beyond 19 digits: counted below
    }
    const std::ptrdiff_t whole = p - digits;
    if (*p != '.' && (*p | 0x20) != 'e') {
        out.end = p;
        if (whole < 19) [[likely]] {
            if (negative && m == 0) [[unlikely]] {
                out.kind = number_kind::minus_zero;
                out.f = -0.0;
                return out;
            }
            out.kind = number_kind::i64;
            out.i = negative ? -static_cast<std::int64_t>(m) : static_cast<std::int64_t>(m);
            return out;
        }
        // 19 digits fit always; 20 fit when they start with 1 and the wrap-around did not happen.
        const bool fits = whole == 19 || (whole == 20 && *digits == '1' && m >= 10000000000000000000u);
        constexpr std::uint64_t top = std::uint64_t{1} << 63;
        if (!fits || (negative && m > top)) {
            out.kind = number_kind::big;
        } else if (negative) {
            out.kind = number_kind::i64;
            out.i = static_cast<std::int64_t>(~m + 1);
        } else if (m < top) {
            out.kind = number_kind::i64;
            out.i = static_cast<std::int64_t>(m);
        } else {
            out.kind = number_kind::u64;
            out.u = m;
        }
        return out;
    }

    std::int64_t exponent = 0;
    std::ptrdiff_t count = whole;  // digits, leading zeros included
    const char* fraction = p;
    if (*p == '.') {
        fraction = ++p;
        if (!digit_at(p)) [[unlikely]] {
            out.kind = number_kind::broken;
            return out;
        }
        p = scalar::made::take_digits(begin, p, end, m);
        exponent = fraction - p;
        count += p - fraction;
    }
    const char* const digits_end = p;
    if ((*p | 0x20) == 'e') {
        ++p;
        const bool down = *p == '-';
        p += down || *p == '+';
        if (!digit_at(p)) [[unlikely]] {
            out.kind = number_kind::broken;
            return out;
        }
        std::int64_t e = 0;
        while (digit_at(p)) {
            if (e < 100000000000000000) e = e * 10 + (*p - '0');
            ++p;
        }
        exponent += down ? -e : e;
    }
    out.end = p;
    bool more = false;
    if (count > 19) [[unlikely]] {
        // Leading zeros do not count. What is left beyond 19 digits goes to compose as text.
        const char* s = digits;
        while (s != digits_end && (*s == '0' || *s == '.')) {
            if (*s == '0') --count;
            ++s;
        }
        if (count > 19) {
            more = true;
            m = 0;
            std::ptrdiff_t taken = 0;
            const char* t = s;
            for (; taken < 19; ++t)
                if (*t != '.') {
                    m = m * 10 + static_cast<unsigned char>(*t - '0');
                    ++taken;
                }
            exponent += count - taken;
        }
    }
    const int q = exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : static_cast<int>(exponent);
    const double x = m == 0 && !more ? 0.0 : scalar::compose(m, q, more, digits, digits_end);
    if (x > 1.7976931348623157e308) [[unlikely]] {
        out.kind = number_kind::big;
        return out;
    }
    out.kind = number_kind::f64;
    out.f = negative ? -x : x;
    return out;
}

}  // namespace kumihimo::inline v0::json
