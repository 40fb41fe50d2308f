#include "engine/cbor/tagged.hpp"

#include <algorithm>
#include <cstring>

#include "engine/scalar/integer.hpp"
#include "engine/scalar/time_text.hpp"

namespace kumihimo::inline v0::cbor {
namespace {

using kind = header::kind;
constexpr std::int64_t seconds_of_day = 86400;
constexpr const char* cut_short = "the input ends inside a value";

/// The natural number and its sign as the verb that holds it.
void set_integer(scalar::natural& n, bool negative, bool digits, numeral& out) noexcept {
    if (n.bits() <= 64) {
        const std::uint64_t low = n.low();
        if (!negative ? low <= INT64_MAX : low <= std::uint64_t{1} << 63) {
            out.is = numeral::kind::i64;
            out.i64 = static_cast<std::int64_t>(negative ? 0 - low : low);
            return;
        }
        if (!negative) {
            out.is = numeral::kind::u64;
            out.u64 = low;
            return;
        }
    }
    out.is = numeral::kind::big;
    if (!digits) return;
    out.digits[0] = '-';
    out.size = static_cast<std::size_t>(n.write_digits(out.digits + negative) - out.digits);
}

/// n * 5^fives * 10^exponent as a decimal that is no integer's text: with a point where that shows no more than six
/// zeros behind it, else with an exponent.
void set_decimal(scalar::natural& n, bool negative, std::int64_t fives, std::int64_t exponent, bool digits,
                 numeral& out) noexcept {
    out.is = numeral::kind::big;
    if (!digits) return;
    char* const begin = out.digits + negative;
    out.digits[0] = '-';
    char* end = fives == 0 ? n.write_digits(begin) : n.write_times_5(begin, static_cast<std::size_t>(fives));
    const std::int64_t size = end - begin;
    if (exponent < 0 && exponent >= -size - 5) {
        const std::int64_t zeros = std::max<std::int64_t>(0, 1 - size - exponent);  // 5 * 10^-2 is 0.05
        std::memmove(begin + zeros, begin, static_cast<std::size_t>(size));
        std::memset(begin, '0', static_cast<std::size_t>(zeros));
        end += zeros;
        char* const point = end + exponent;
        std::memmove(point + 1, point, static_cast<std::size_t>(-exponent));
        *point = '.';
        ++end;
    } else {
        *end++ = 'e';
        end = scalar::write_i64(end, exponent);
    }
    out.size = static_cast<std::size_t>(end - out.digits);
}

/// Whether n * 5^k, n not 0, is within the limit of a number's size.
bool fits_times_5(const scalar::natural& n, std::int64_t k) noexcept {
    // Mostly its bits say so: log2(5) is 2.321928 and a little more.
    constexpr std::int64_t million = 1'000'000, log2_of_5 = 2'321'928;
    constexpr std::int64_t most = 8 * static_cast<std::int64_t>(limits::number_bytes) * million;
    const std::int64_t above = static_cast<std::int64_t>(n.bits()) * million;
    if (above + k * (log2_of_5 + 1) <= most) return true;
    if (above - million + k * log2_of_5 >= most) return false;
    constexpr std::int64_t most_fives = 27;  // whose power 64 bits hold
    scalar::natural product = n;
    for (; k > 0; k -= most_fives) {
        std::uint64_t power = 1;
        for (std::int64_t i = std::min(k, most_fives); i > 0; --i) power *= 5;
        if (!product.multiply(power)) return false;
    }
    return true;
}

}  // namespace

bool content::next(header& h) noexcept {
    h = read_header(p_, e_);
    if (h.is == kind::cut) return fail(errc::truncated, p_, cut_short);
    if (h.is == kind::reserved) return fail(errc::syntax, p_, "these bytes begin no CBOR item");
    return true;
}

bool content::integer(std::int64_t& out, const char* what) noexcept {
    header h;
    if (!next(h)) return false;
    if (h.is != kind::integer) return fail(errc::syntax, p_, what);
    if (h.argument > INT64_MAX) return fail(errc::range, p_, "an integer within a tag is beyond 64 bits with sign");
    out = static_cast<std::int64_t>(*p_ < 0x20 ? h.argument : ~h.argument);
    p_ += h.size;
    return true;
}

bool content::natural(scalar::natural& out) noexcept {
    header h;
    if (!next(h)) return false;
    const unsigned char* const start = p_;
    if (h.is != kind::bytes) return fail(errc::syntax, start, "a bignum is no byte string");
    p_ += h.size;
    // Chunks are joined; leading zeros may be any number.
    unsigned char joined[limits::number_bytes];
    std::size_t size = 0;
    const errc code = pieces(p_, e_, h, found_, [&](const unsigned char* b, std::size_t n) {
        for (; size == 0 && n != 0 && *b == 0; --n) ++b;
        if (n > sizeof joined - size) {
            found_ = {errc::size, start, "a number has more digits than the limit"};
            return errc::size;
        }
        std::memcpy(joined + size, b, n);
        size += n;
        return errc::ok;
    });
    return code == errc::ok && out.read_bytes(joined, size);
}

bool content::mantissa(scalar::natural& out, bool& negative) noexcept {
    header h;
    if (!next(h)) return false;
    if (h.is == kind::integer) {
        negative = *p_ >= 0x20;
        out = scalar::natural(h.argument);
        p_ += h.size;
    } else if (h.is == kind::tag && (h.argument == tags::natural || h.argument == tags::negative)) {
        negative = h.argument == tags::negative;
        p_ += h.size;
        if (!natural(out)) return false;
    } else {
        return fail(errc::syntax, p_, "a fraction's mantissa is no integer");
    }
    if (negative && !out.add(1)) return fail(errc::size, p_, "a number has more digits than the limit");
    return true;
}

bool content::bignum(bool negative, numeral& out) noexcept {
    scalar::natural n;
    const unsigned char* const start = p_;
    if (!natural(n)) return false;
    if (negative && !n.add(1)) return fail(errc::size, start, "a number has more digits than the limit");
    set_integer(n, negative, digits_, out);
    return true;
}

bool content::fraction(bool decimal, numeral& out) noexcept {
    constexpr const char* form = "a fraction is no array of an exponent and a mantissa";
    const unsigned char* const start = p_;
    header h;
    if (!next(h)) return false;
    if (h.is != kind::array || (!h.indefinite && h.argument != 2)) return fail(errc::syntax, p_, form);
    p_ += h.size;
    std::int64_t exponent = 0;
    if (!integer(exponent, "a fraction's exponent is no integer")) return false;
    scalar::natural n;
    bool negative = false;
    if (!mantissa(n, negative)) return false;
    if (h.indefinite) {
        if (p_ == e_) return fail(errc::truncated, p_, cut_short);
        if (*p_ != 0xff) return fail(errc::syntax, p_, form);
        ++p_;
    }
    if (decimal) {
        set_decimal(n, negative, 0, exponent, digits_, out);
        return true;
    }
    // n * 2^exponent, with n odd: a double where it is one, else all its decimal digits.
    if (n.zero()) exponent = 0;
    const std::size_t zeros = n.trailing_zeros();
    n.shift_right(zeros);
    const auto bits = static_cast<std::int64_t>(n.bits());
    constexpr const char* large = "a bigfloat has more digits than the limit";
    constexpr std::int64_t most = 8 * static_cast<std::int64_t>(limits::number_bytes);
    if (exponent > most || exponent < -2 * most) return fail(errc::size, start, large);
    exponent += static_cast<std::int64_t>(zeros);
    if (bits <= 53 && exponent >= -1074 && exponent + bits <= 1024) {
        const double magnitude = std::ldexp(static_cast<double>(n.low()), static_cast<int>(exponent));
        out.is = numeral::kind::f64;
        out.f64 = negative ? -magnitude : magnitude;
        return true;
    }
    if (exponent >= 0) {
        if (!n.shift_left(static_cast<std::size_t>(exponent))) return fail(errc::size, start, large);
        set_decimal(n, negative, 0, 0, digits_, out);
        return true;
    }
    // n / 2^k is n * 5^k / 10^k.
    if (!fits_times_5(n, -exponent)) return fail(errc::size, start, large);
    set_decimal(n, negative, -exponent, exponent, digits_, out);
    return true;
}

bool content::short_text(char* to, std::size_t room, std::size_t& size) noexcept {
    header h;
    if (!next(h)) return false;
    if (h.is != kind::text) return fail(errc::syntax, p_, "a date or time is no text");
    p_ += h.size;
    size = 0;
    return pieces(p_, e_, h, found_, [&](const unsigned char* b, std::size_t n) {
               // What does not fit is no time; one more than fits says so.
               n = std::min(n, room - size);
               std::memcpy(to + size, b, n);
               size += n;
               return errc::ok;
           }) == errc::ok;
}

bool content::date_time(instant& out) noexcept {
    char s[128];
    std::size_t size = 0;
    const unsigned char* const start = p_;
    if (!short_text(s, sizeof s, size)) return false;
    const errc code = size == sizeof s || size < 11 || s[4] != '-' ? errc::syntax : scalar::read_time(s, s + size, out);
    if (code == errc::range) return fail(code, start, "a date and time that no calendar has");
    if (code != errc::ok || (out.clock != instant::kind::utc && out.clock != instant::kind::offset))
        return fail(errc::syntax, start, "tag 0 holds no date and time of RFC 3339");
    return true;
}

bool content::date(instant& out) noexcept {
    char s[32];
    std::size_t size = 0;
    const unsigned char* const start = p_;
    if (!short_text(s, sizeof s, size)) return false;
    const errc code = size != 10 || s[4] != '-' ? errc::syntax : scalar::read_time(s, s + size, out);
    if (code == errc::range) return fail(code, start, "a date that no calendar has");
    if (code != errc::ok) return fail(errc::syntax, start, "tag 1004 holds no date of RFC 3339");
    return true;
}

bool content::epoch(instant& out) noexcept {
    header h;
    if (!next(h)) return false;
    if (h.is == kind::integer) return integer(out.seconds, "");
    if (h.is != kind::floating) return fail(errc::syntax, p_, "tag 1 holds no number");
    if (!moment_of(float_value(h.argument, h.size - 1u), out))
        return fail(errc::range, p_, "a time is beyond 64 bits of seconds");
    p_ += h.size;
    return true;
}

bool content::days(instant& out) noexcept {
    std::int64_t n = 0;
    const unsigned char* const start = p_;
    if (!integer(n, "tag 100 holds no integer")) return false;
    if (__builtin_mul_overflow(n, seconds_of_day, &out.seconds))
        return fail(errc::range, start, "a date is beyond 64 bits of seconds");
    out.clock = instant::kind::date;
    return true;
}

bool content::extended_time(instant& out, bool& known) noexcept {
    known = false;
    header h;
    if (!next(h)) return false;
    const unsigned char* q = p_ + h.size;
    if (h.is != kind::map || h.indefinite || h.argument < 1 || h.argument > 2) return true;
    bool base = false;
    for (std::uint64_t i = 0; i < h.argument; ++i) {
        const header name = read_header(q, e_);
        if (name.is != kind::integer) return true;
        const bool negative = *q >= 0x20;
        q += name.size;
        const header value = read_header(q, e_);
        if (value.is != kind::integer || value.argument > INT64_MAX) return true;
        const bool below = *q >= 0x20;
        if (!negative && name.argument == 1 && !base) {
            base = true;
            out.seconds = static_cast<std::int64_t>(below ? ~value.argument : value.argument);
        } else if (negative && (name.argument == 2 || name.argument == 5 || name.argument == 8) && !below &&
                   out.nanoseconds == 0) {
            const std::uint64_t unit = name.argument == 2 ? 1'000'000 : name.argument == 5 ? 1'000 : 1;  // -3, -6, -9
            if (value.argument >= 1'000'000'000 / unit) return true;
            out.nanoseconds = static_cast<std::uint32_t>(value.argument * unit);
        } else {
            return true;
        }
        q += value.size;
    }
    if (!base) return true;
    known = true;
    p_ = q;
    return true;
}

bool carried(const unsigned char* p, const unsigned char* e) noexcept {
    const header h = read_header(p, e);
    if (h.is == kind::simple) return h.argument < 20 || h.argument > 22;
    if (h.is != kind::tag) return false;
    p += h.size;
    switch (h.argument) {
        case tags::date_time:
        case tags::epoch:
        case tags::natural:
        case tags::negative:
        case tags::decimal:
        case tags::bigfloat:
        case tags::days:
        case tags::date:
        case tags::self_described: return false;
        case tags::extended_time: {
            fault ignored;
            instant t;
            bool known = true;
            return content(p, e, ignored).extended_time(t, known) && !known;
        }
        default: {
            const header inner = read_header(p, e);
            return h.argument >> 8 != tags::typed >> 8 || inner.is != kind::bytes || inner.indefinite;
        }
    }
}

}  // namespace kumihimo::inline v0::cbor
