#include "engine/scalar/float_read.hpp"

#include <charconv>
#include <cstring>
#include <limits>
#include <string>

namespace kumihimo::inline v0::scalar {

namespace {
double whole(const char* b, const char* e) {
    double out = 0;
    const auto r = std::from_chars(b, e, out);
    if (r.ec == std::errc::result_out_of_range) {
        // from_chars leaves the value alone; strtod says which side it fell off.
        return std::strtod(std::string(b, e).c_str(), nullptr);
    }
    return out;
}
}  // namespace

double compose(std::uint64_t mantissa, int exponent10, bool more, const char* b, const char* e) noexcept {
    std::string s;
    if (more) {
        int extra = -19;
        for (; b != e; ++b) {
            if (*b == '.' || (*b == '0' && s.empty())) continue;
            s += *b;
            ++extra;
        }
        exponent10 -= extra;
    } else {
        s = std::to_string(mantissa);
    }
    s += "e" + std::to_string(exponent10);
    return whole(s.data(), s.data() + s.size());
}

errc read_f64(const char* b, const char* e, double& out) noexcept {
    const char* p = b;
    const auto digit = [&] { return p != e && *p >= '0' && *p <= '9'; };
    if (p != e && *p == '-') ++p;
    if (!digit()) return errc::syntax;
    if (*p == '0')
        ++p;
    else
        while (digit()) ++p;
    if (p != e && *p == '.') {
        ++p;
        if (!digit()) return errc::syntax;
        while (digit()) ++p;
    }
    if (p != e && (*p == 'e' || *p == 'E')) {
        ++p;
        if (p != e && (*p == '+' || *p == '-')) ++p;
        if (!digit()) return errc::syntax;
        while (digit()) ++p;
    }
    if (p != e) return errc::syntax;
    out = whole(b, e);
    return out > std::numeric_limits<double>::max() || out < -std::numeric_limits<double>::max() ? errc::range : errc::ok;
}

}  // namespace kumihimo::inline v0::scalar
