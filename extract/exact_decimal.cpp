#include "extract/exact_decimal.hpp"

#include <algorithm>

namespace kumihimo::inline v0::extract {
namespace {

constexpr __int128 ten_to_38 = [] {  // 10^38
    __int128 v = 1;
    for (int i = 0; i < exact_decimal::most_digits; ++i) v *= 10;
    return v;
}();

constexpr bool digit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace

bool exact_decimal::fits(__int128 v) noexcept { return v < ten_to_38 && v > -ten_to_38; }

// Whether there is room for one more digit.
bool exact_decimal::grows(__int128 v) noexcept { return v < ten_to_38 / 10 && v > -(ten_to_38 / 10); }

// Without zeros at its end.
void exact_decimal::shorten() noexcept {
    for (; value_ != 0 && value_ % 10 == 0; ++exponent_) value_ /= 10;
}

// To a smaller exponent; false where that takes too many digits.
bool exact_decimal::widen(std::int64_t exponent) noexcept {
    if (value_ == 0) exponent_ = exponent;
    for (; exponent_ > exponent; --exponent_) {
        if (!grows(value_)) return false;
        value_ *= 10;
    }
    return true;
}

errc exact_decimal::read(std::string_view s, exact_decimal& out) noexcept {
    exact_decimal made;
    std::size_t i = 0;
    const bool minus = !s.empty() && s[0] == '-';
    i += minus;
    std::int64_t zeros = 0, behind = 0;  // zeros that were met and not yet taken
    bool point = false;
    for (; i < s.size() && (s[i] == '.' || digit(s[i])); ++i) {
        if (s[i] == '.') {
            point = true;
            continue;
        }
        behind += point;
        if (s[i] == '0') {
            zeros += made.value_ != 0;
            continue;
        }
        for (; zeros >= 0; --zeros) {
            if (!grows(made.value_)) return errc::range;
            made.value_ *= 10;
        }
        zeros = 0;
        made.value_ += s[i] - '0';
    }
    std::int64_t e = 0;
    if (i < s.size()) {  // e or E
        ++i;
        const bool down = s[i] == '-';
        i += down || s[i] == '+';
        for (; i < s.size(); ++i) e = std::min(e * 10 + (s[i] - '0'), 2 * most_exponent);
        if (down) e = -e;
    }
    if (minus) made.value_ = -made.value_;
    made.exponent_ = e - behind + zeros;
    // Zeros at the end are digits like others, where there is room for them.
    exact_decimal with = made;
    if (with.widen(e - behind)) made = with;
    if (made.exponent_ > most_exponent || made.exponent_ < -most_exponent) {
        if (made.value_ != 0) return errc::range;
        made.exponent_ = 0;
    }
    out = made;
    return errc::ok;
}

errc exact_decimal::add(const exact_decimal& a, const exact_decimal& b, exact_decimal& out) noexcept {
    using wide = unsigned __int128;
    // With the digits as they are, else without zeros at their ends. One that needs a digit more than there are may
    // still give a difference that does not.
    for (const bool shortened : {false, true}) {
        exact_decimal x = a, y = b;
        if (shortened) {
            x.shorten();
            y.shorten();
            if (x.value_ == 0) x.exponent_ = y.exponent_;
            if (y.value_ == 0) y.exponent_ = x.exponent_;
        }
        const std::int64_t to = std::min(x.exponent_, y.exponent_);
        const auto moved = [&](const exact_decimal& from, wide& v) {
            v = static_cast<wide>(from.value_ < 0 ? -from.value_ : from.value_);
            for (std::int64_t e = from.exponent_; v != 0 && e > to; --e) {
                if (v >= 2 * static_cast<wide>(ten_to_38) / 10) return false;
                v *= 10;
            }
            return true;
        };
        wide p = 0, q = 0;
        if (!moved(x, p) || !moved(y, q)) continue;
        const bool same = (x.value_ < 0) == (y.value_ < 0);
        const bool minus = p >= q || same ? x.value_ < 0 : y.value_ < 0;
        wide sum = same ? p + q : p >= q ? p - q : q - p;
        std::int64_t exponent = to;
        if (sum >= static_cast<wide>(ten_to_38))
            for (; sum % 10 == 0; ++exponent) sum /= 10;
        if (sum >= static_cast<wide>(ten_to_38)) continue;
        out.value_ = minus ? -static_cast<__int128>(sum) : static_cast<__int128>(sum);
        out.exponent_ = exponent;
        return errc::ok;
    }
    return errc::range;
}

errc exact_decimal::multiply(const exact_decimal& a, const exact_decimal& b, exact_decimal& out) noexcept {
    exact_decimal x = a, y = b;
    __int128 product = 0;
    std::int64_t more = 0;
    if (__builtin_mul_overflow(x.value_, y.value_, &product) || !fits(product)) {
        // Without the zeros that it would end in: those of either, and those that come of a two and a five.
        x.shorten();
        y.shorten();
        const auto take_tens = [&](__int128& twos, __int128& fives) {
            for (; twos % 2 == 0 && fives % 5 == 0; ++more) twos /= 2, fives /= 5;
        };
        take_tens(x.value_, y.value_);
        take_tens(y.value_, x.value_);
        if (__builtin_mul_overflow(x.value_, y.value_, &product) || !fits(product)) return errc::range;
    }
    const std::int64_t exponent = x.exponent_ + y.exponent_ + more;
    if (exponent > most_exponent || exponent < -most_exponent) {
        if (product != 0) return errc::range;
        out = {};
        return errc::ok;
    }
    out.value_ = product;
    out.exponent_ = exponent;
    return errc::ok;
}

void exact_decimal::write(std::string& to) const {
    char text[most_digits + 1];
    char* const end = text + sizeof text;
    char* from = end;
    auto left = static_cast<unsigned __int128>(value_ < 0 ? -value_ : value_);
    do {
        *--from = static_cast<char>('0' + static_cast<int>(left % 10));
        left /= 10;
    } while (left != 0);
    const std::string_view digits(from, static_cast<std::size_t>(end - from));
    const auto count = static_cast<std::int64_t>(digits.size());
    const std::int64_t before = count + exponent_;  // digits before the point
    if (value_ < 0) to += '-';
    if (value_ == 0 && exponent_ >= 0) {
        to += '0';
    } else if (exponent_ >= 0 && before <= most_digits) {
        to += digits;
        to.append(static_cast<std::size_t>(exponent_), '0');
    } else if (exponent_ < 0 && before > 0) {
        to += digits.substr(0, static_cast<std::size_t>(before));
        to += '.';
        to += digits.substr(static_cast<std::size_t>(before));
    } else if (exponent_ < 0 && before > -6) {
        to += "0.";
        to.append(static_cast<std::size_t>(-before), '0');
        to += digits;
    } else {
        to += digits[0];
        if (count > 1) (to += '.') += digits.substr(1);
        to += 'e';
        to += std::to_string(before - 1);
    }
}

}  // namespace kumihimo::inline v0::extract
