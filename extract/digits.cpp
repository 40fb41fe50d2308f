#include "extract/digits.hpp"

#include <cstddef>

#include "engine/json/number.hpp"
#include "engine/scalar/float_read.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr bool digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// A number's digits without leading and trailing zeros, and the power of ten of the last one.
struct significant {
    bool minus = false;
    bool zero = true;
    unsigned __int128 mantissa = 0;  // only while count <= 38
    std::int64_t count = 0;
    std::int64_t exponent = 0;
};

significant read(std::string_view s) noexcept {
    significant out;
    std::size_t i = 0;
    if (i < s.size() && s[i] == '-') out.minus = true, ++i;
    std::int64_t zeros = 0, behind = 0;
    bool point = false;
    for (; i < s.size(); ++i) {
        const char c = s[i];
        if (c == '.') {
            point = true;
            continue;
        }
        if (!digit(c)) break;
        behind += point;
        if (c == '0') {
            zeros += !out.zero;  // a zero counts once a digit follows it
            continue;
        }
        out.count += zeros + 1;
        if (out.count <= 38) {
            for (; zeros != 0; --zeros) out.mantissa *= 10;
            out.mantissa = out.mantissa * 10 + static_cast<unsigned>(c - '0');
        }
        zeros = 0;
        out.zero = false;
    }
    std::int64_t e = 0;
    if (i < s.size()) {  // e or E
        ++i;
        const bool minus = i < s.size() && s[i] == '-';
        if (i < s.size() && (s[i] == '-' || s[i] == '+')) ++i;
        for (; i < s.size(); ++i)
            if (e < 1'000'000'000'000'000) e = e * 10 + (s[i] - '0');
        if (minus) e = -e;
    }
    out.exponent = e - behind + zeros;
    return out;
}

}  // namespace

bool is_json_number(std::string_view s) noexcept {
    return !s.empty() && json::number_end(s.data(), s.data() + s.size()) == s.data() + s.size();
}

errc read_scaled(std::string_view number, int scale, int digits, __int128& out) noexcept {
    const significant s = read(number);
    out = 0;
    if (s.zero) return errc::ok;
    const std::int64_t shift = s.exponent + scale;
    if (shift < 0) return errc::type;
    if (s.count + shift > digits) return errc::range;
    unsigned __int128 v = s.mantissa;
    for (std::int64_t k = 0; k < shift; ++k) v *= 10;
    out = s.minus ? -static_cast<__int128>(v) : static_cast<__int128>(v);
    return errc::ok;
}

errc read_whole(std::string_view number, std::int64_t& out, bool generous) noexcept {
    const bool minus = number[0] == '-';
    if (number.size() - minus <= 18) {  // cannot overflow
        std::int64_t v = 0;
        std::size_t i = minus;
        for (; i < number.size() && digit(number[i]); ++i) v = v * 10 + (number[i] - '0');
        if (i == number.size() && (generous || !minus || v != 0)) {
            out = minus ? -v : v;
            return errc::ok;
        }
    }
    if (!generous) {
        if (number == "-0") return errc::type;
        for (std::size_t i = minus; i < number.size(); ++i)
            if (!digit(number[i])) return errc::type;
    }
    __int128 v = 0;
    const errc e = read_scaled(number, 0, 19, v);
    if (e != errc::ok) return e;
    if (v > INT64_MAX || v < INT64_MIN) return errc::range;
    out = static_cast<std::int64_t>(v);
    return errc::ok;
}

bool loses_digits(std::string_view number) noexcept {
    double d = 0;
    if (scalar::read_f64(number.data(), number.data() + number.size(), d) != errc::ok) return true;
    const significant s = read(number);
    if (s.zero) return false;
    if (d == 0) return true;  // below the smallest
    // Up to 15 digits a double of normal size always reads back the same; for 16 and 17 it depends on who prints it.
    if (s.count > 17) return true;
    const bool whole_text = number.find_first_of(".eE") == std::string_view::npos;
    if (!whole_text) return false;
    // An integer is expected to arrive exactly.
    const __int128 exact = s.minus ? -static_cast<__int128>(s.mantissa) : static_cast<__int128>(s.mantissa);
    __int128 v = exact;
    if (s.exponent > 20) return true;
    for (std::int64_t k = 0; k < s.exponent; ++k) v *= 10;
    return static_cast<__int128>(d) != v;
}

bool finer_than_nanoseconds(std::string_view text) noexcept {
    if (text.size() <= 29) return false;  // 2016-12-25T01:53:10. and nine digits
    std::size_t i = 20;
    const std::size_t nine = 29;
    for (; i < text.size() && digit(text[i]); ++i)
        if (i >= nine && text[i] != '0') return true;
    return false;
}

}  // namespace kumihimo::inline v0::extract
