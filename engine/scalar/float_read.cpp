#include "engine/scalar/float_read.hpp"

#include <limits>

#include "engine/scalar/exact.hpp"

namespace kumihimo::inline v0::scalar {

namespace made {

namespace {

const char* first_significant(const char* b, const char* e) noexcept {
    while (b != e && (*b == '0' || *b == '.')) ++b;
    return b;
}

}  // namespace

bool many_digits(const char* b, const char* e, std::uint64_t& m, std::ptrdiff_t& exponent) noexcept {
    m = 0;
    int count = 0;
    const char* at = first_significant(b, e);
    for (; at != e && count < 19; ++at) {
        if (*at == '.') continue;
        m = m * 10 + static_cast<std::uint64_t>(*at - '0');
        ++count;
    }
    bool more = false;
    for (; at != e; ++at) {
        if (*at == '.') continue;
        ++exponent;
        more = more || *at != '0';
    }
    return more;
}

double by_digits(std::uint64_t mantissa, int exponent10, const char* b, const char* e) noexcept {
    const double low = by_product(mantissa, exponent10);
    const double high = by_product(mantissa + 1, exponent10);
    if (low == high) return low;
    exact_decimal d{0, first_significant(b, e), e, exponent10 + 19};
    for (const char* at = d.b; at != e; ++at) d.exponent -= *at != '.';
    // The number lies between two neighbours; the border is half a unit above the lower one.
    const auto bits = std::bit_cast<std::uint64_t>(low);
    const int biased = static_cast<int>(bits >> 52);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    const std::uint64_t c = biased != 0 ? fraction | std::uint64_t{1} << 52 : fraction;
    const int side = compare(d, 2 * c + 1, (biased != 0 ? biased : 1) - 1076);
    return side > 0 || (side == 0 && (c & 1) != 0) ? high : low;
}

}  // namespace made

namespace {

// The usual text, digits with a point among the first few and nothing after them: where it ends is known, so its last
// digits are loaded from there and stand at the right end of their word by themselves. False: another form, which
// scan_number() knows.
inline bool read_plain(const char* b, const char* e, int exponent, double& out) noexcept {
    if (e - b < 9) return false;
    const bool negative = *b == '-';
    const char* const digits = b + negative;
    const char* at = digits;
    std::uint64_t m = 0;
    std::uint64_t x;
    // Up to three digits in front of the point: one by one. More: a word at once, or every other length would miss a
    // branch.
    if (!(static_cast<unsigned>(digits[1] == '.') | static_cast<unsigned>(digits[2] == '.') |
          static_cast<unsigned>(digits[3] == '.'))) {
        const unsigned n = made::leading_digits(made::load_eight(digits), x);
        m = n < 8 ? made::eight_value(x << 8 << (56 - 8 * n)) : made::eight_value(x);
        at += n;
        if (n < 4) return false;
    }
    for (; at != e && made::is_digit(*at); ++at) m = m * 10 + static_cast<std::uint64_t>(*at - '0');
    const std::ptrdiff_t whole = at - digits;
    const std::ptrdiff_t fraction = e - at - 1;
    if (whole == 0 || (whole > 1 && *digits == '0') || fraction < 1 || *at != '.') return false;
    if (fraction > 16 || whole + fraction > 19) return false;
    std::ptrdiff_t last = fraction;
    if (last > 8) {
        if (made::leading_digits(made::load_eight(at + 1), x) != 8) return false;
        m = m * 100000000 + made::eight_value(x);
        last -= 8;
    }
    // What is in front of the last digits becomes '0'.
    const auto front = static_cast<unsigned>(64 - 8 * last);
    const std::uint64_t w = ((made::load_eight(e - 8) ^ made::eight_zeros) >> front << front) ^ made::eight_zeros;
    if (made::leading_digits(w, x) != 8) return false;
    m = m * made::short_power[last] + made::eight_value(x);
    const double value = compose(m, exponent - static_cast<int>(fraction), false, nullptr, nullptr);
    out = negative ? -value : value;
    return true;
}

// The same with an exponent of one to three digits behind it.
inline bool read_scientific(const char* b, const char* e, double& out) noexcept {
    if (e - b < 12) return false;
    int exponent = 0, unit = 1;
    const char* at = e - 1;
    for (; e - at <= 3 && made::is_digit(*at); --at, unit *= 10) exponent += unit * (*at - '0');
    if (at == e - 1) return false;
    if (*at == '-') exponent = -exponent;
    at -= *at == '-' || *at == '+';
    return (*at | 0x20) == 'e' && read_plain(b, at, exponent, out);
}

}  // namespace

errc read_f64(const char* b, const char* e, double& out) noexcept {
    if (read_plain(b, e, 0, out)) return errc::ok;
    if (!read_scientific(b, e, out)) {
        const number n = scan_number(b, e);
        if (n.end == nullptr || n.end != e) return errc::syntax;
        out = n.value();
    }
    constexpr double greatest = std::numeric_limits<double>::max();
    return out > greatest || out < -greatest ? errc::range : errc::ok;
}

}  // namespace kumihimo::inline v0::scalar
