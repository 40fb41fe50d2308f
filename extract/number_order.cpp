#include "extract/number_order.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr bool digit(char c) noexcept { return c >= '0' && c <= '9'; }

// The exponent's digits without sign and leading zeros; empty where it is 0 or not written.
std::string_view exponent_digits(std::string_view s, bool& minus) noexcept {
    minus = false;
    std::size_t at = s.find_first_of("eE");
    if (at == std::string_view::npos) return {};
    ++at;
    minus = s[at] == '-';
    if (s[at] == '-' || s[at] == '+') ++at;
    while (at < s.size() && s[at] == '0') ++at;
    return s.substr(at);
}

// A number by its digits from the first that is not zero, a point among them, and the power of ten of that first one.
struct spelled {
    bool minus = false, zero = true;
    const char* at = nullptr;
    const char* end = nullptr;
    std::int64_t magnitude = 0;

    explicit spelled(std::string_view s) noexcept {
        std::size_t i = 0;
        if (s[0] == '-') minus = true, ++i;
        std::int64_t before = 0, skipped = 0;  // digits before the point, zeros in front
        bool point = false;
        for (; i < s.size() && (digit(s[i]) || s[i] == '.'); ++i) {
            if (s[i] == '.') {
                point = true;
                continue;
            }
            before += !point;
            if (!zero) continue;
            if (s[i] == '0') {
                ++skipped;
            } else {
                zero = false;
                at = s.data() + i;
            }
        }
        end = s.data() + i;
        bool down = false;
        std::int64_t exponent = 0;
        for (const char c : exponent_digits(s, down)) exponent = exponent * 10 + (c - '0');
        magnitude = (down ? -exponent : exponent) + before - 1 - skipped;
    }
    // The next digit, 0 behind the last one.
    char next() noexcept {
        if (at != end && *at == '.') ++at;
        return at == end ? '0' : *at++;
    }
};

}  // namespace

bool exact_number::exponent_fits() const noexcept {
    bool minus = false;
    return exponent_digits(text_, minus).size() <= 18;
}

int exact_number::compare_short(const scalar::number& a, const scalar::number& b) noexcept {
    const auto sign = [](const scalar::number& n) { return n.mantissa == 0 ? 0 : n.negative ? -1 : 1; };
    const int left = sign(a), right = sign(b);
    if (left != right) return left < right ? -1 : 1;
    if (left == 0) return 0;
    // Both below 10^19, so 19 powers of ten more fit 128 bits, and 20 decide alone.
    unsigned __int128 m = a.mantissa, n = b.mantissa;
    const int apart = a.exponent10 - b.exponent10;
    if (apart > 19) return left;
    if (apart < -19) return -left;
    for (int k = 0; k < apart; ++k) m *= 10;
    for (int k = 0; k > apart; --k) n *= 10;
    return m == n ? 0 : (m < n) == (left > 0) ? -1 : 1;
}

int exact_number::compare_text(std::string_view a, std::string_view b) noexcept {
    spelled x(a), y(b);
    const int left = x.zero ? 0 : x.minus ? -1 : 1, right = y.zero ? 0 : y.minus ? -1 : 1;
    if (left != right) return left < right ? -1 : 1;
    if (left == 0) return 0;
    if (x.magnitude != y.magnitude) return (x.magnitude < y.magnitude) == (left > 0) ? -1 : 1;
    while (x.at != x.end || y.at != y.end) {
        const char c = x.next(), d = y.next();
        if (c != d) return (c < d) == (left > 0) ? -1 : 1;
    }
    return 0;
}

}  // namespace kumihimo::inline v0::extract
