// Decimal digits of JSON numbers to exact integers: what int64, decimal(p,s) and timestamp columns have in common.
#pragma once
#include <cstdint>
#include <string_view>

#include "engine/core/errc.hpp"

namespace kumihimo::inline v0::extract {

/// Whether the whole text is one number by JSON's grammar.
bool is_json_number(std::string_view s) noexcept;

/// number * 10^scale as an integer of at most `digits` (1 to 38) decimal digits. `number` is a JSON number.
/// errc::type: digits are left behind the point; errc::range: too many before it.
errc read_scaled(std::string_view number, int scale, int digits, __int128& out) noexcept;

/// A whole number. With `generous` any way to write one (7, 7.0, 70e-1, -0), otherwise digits alone.
/// errc::type: not whole; errc::range: beyond 64 bits.
errc read_whole(std::string_view number, std::int64_t& out, bool generous) noexcept;

/// Whether a double says something else than the digits do: more than 17 significant ones, an integer that is not a
/// double's, or beyond the largest. 0.1 is not such a case: the shortest text of its double is 0.1.
bool loses_digits(std::string_view number) noexcept;

/// Whether a time text has digits below the nanosecond that are not zero.
bool finer_than_nanoseconds(std::string_view text) noexcept;

/// Numbers of at most 15 digits without an exponent, exactly (Clinger): mantissa and power of ten are both doubles, so
/// one division rounds correctly. False, and `out` untouched, for all others.
inline bool short_double(std::string_view number, double& out) noexcept {
    static constexpr double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    if (number.size() > 16) return false;
    const char* p = number.data();
    const char* const e = p + number.size();
    const bool minus = *p == '-';
    p += minus;
    std::uint64_t m = 0;
    const char* point = nullptr;
    for (; p != e; ++p) {
        const auto d = static_cast<unsigned>(static_cast<unsigned char>(*p)) - '0';
        if (d <= 9)
            m = m * 10 + d;
        else if (*p == '.')
            point = p;
        else
            return false;
    }
    if (m > (std::uint64_t{1} << 53)) return false;
    auto v = static_cast<double>(m);
    if (point != nullptr) v /= powers[e - point - 1];
    out = minus ? -v : v;
    return true;
}

}  // namespace kumihimo::inline v0::extract
