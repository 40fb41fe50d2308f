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

void many_digits(number& n, std::ptrdiff_t& exponent) noexcept {
    const char* at = first_significant(n.digits, n.digits_end);
    std::ptrdiff_t count = 0;
    std::uint64_t m = 0;
    for (; at != n.digits_end && count < 19; ++at) {
        if (*at == '.') continue;
        m = m * 10 + static_cast<std::uint64_t>(*at - '0');
        ++count;
    }
    n.mantissa = m;
    for (; at != n.digits_end; ++at) {
        if (*at == '.') continue;
        ++exponent;
        n.more = n.more || *at != '0';
    }
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

errc read_f64(const char* b, const char* e, double& out) noexcept {
    const number n = scan_number(b, e);
    if (n.end == nullptr || n.end != e) return errc::syntax;
    out = n.value();
    constexpr double greatest = std::numeric_limits<double>::max();
    return out > greatest || out < -greatest ? errc::range : errc::ok;
}

}  // namespace kumihimo::inline v0::scalar
