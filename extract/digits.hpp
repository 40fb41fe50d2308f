// Decimal digits of JSON numbers to exact integers: what int64, decimal(p,s) and timestamp columns have in common.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// A number without an exponent, of at most 16 bytes behind its sign, eight digits at a time.
class short_number {
public:
    /// False for all others. 16 bytes behind the sign can be read.
    [[gnu::always_inline]] bool read(std::string_view number) noexcept {
        const char* p = number.data();
        std::size_t n = number.size();
        minus_ = n != 0 && *p == '-';
        p += minus_;
        n -= minus_;
        behind_ = 0;
        if (n - 1 < 8) {
            std::uint64_t w = digits(p) << (64 - 8 * n);
            whole_ = true;
            if (const std::uint64_t at = points(w); at != 0) take_out(w, at, 0);
            mantissa_ = eight(w);
            return good(w);
        }
        return n - 1 < 16 && read_long(p, n);
    }

    /// False where a division would not round as the number does.
    bool f64(double& out) const noexcept {
        static constexpr double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
        const double v = static_cast<double>(mantissa_) / powers[behind_];
        out = minus_ ? -v : v;
        return mantissa_ <= std::uint64_t{1} << 53;
    }
    /// False for one with a point, and for minus zero.
    bool i64(std::int64_t& out) const noexcept {
        const auto v = static_cast<std::int64_t>(mantissa_);
        out = minus_ ? -v : v;
        return whole_ && (!minus_ || v != 0);
    }

private:
    static constexpr std::uint64_t tops = 0x8080808080808080, lows = ~tops;

    // The first digit in the lowest byte.
    static std::uint64_t digits(const char* p) noexcept {
        std::uint64_t w;
        std::memcpy(&w, p, 8);
        if constexpr (std::endian::native == std::endian::big) w = __builtin_bswap64(w);
        return w ^ 0x3030303030303030;
    }
    // The top bit of each byte that is a point.
    static std::uint64_t points(std::uint64_t w) noexcept {
        const std::uint64_t x = w ^ 0x1E1E1E1E1E1E1E1E;
        return ~(((x & lows) + lows) | x) & tops;
    }
    static bool good(std::uint64_t w) noexcept { return (((w + 0x7676767676767676) | w) & tops) == 0; }
    // The digits before the point move up by one, and `before` comes into the lowest byte.
    void take_out(std::uint64_t& w, std::uint64_t at, std::uint64_t before) noexcept {
        const std::uint64_t below = (at >> 7) - 1;
        whole_ = false;
        behind_ = 7 - static_cast<unsigned>(std::countr_zero(at)) / 8;
        w = (w & ~(below << 8 | 0xFF)) | (w & below) << 8 | before;
    }
    static std::uint64_t eight(std::uint64_t w) noexcept {
        const std::uint64_t pairs = (w * 10 + (w >> 8)) & 0x00FF00FF00FF00FF;
        const std::uint64_t fours = (pairs * 100 + (pairs >> 16)) & 0x0000FFFF0000FFFF;
        return (fours * 10000 + (fours >> 32)) & 0xFFFFFFFF;
    }
    bool read_long(const char* p, std::size_t n) noexcept {
        std::uint64_t high = digits(p) << (64 - 8 * (n - 8)), low = digits(p + n - 8);
        whole_ = true;
        if (const std::uint64_t at = points(low); at != 0) {
            take_out(low, at, high >> 56);
            high <<= 8;
        } else if (const std::uint64_t further = points(high); further != 0) {
            take_out(high, further, 0);
            behind_ += 8;
        }
        mantissa_ = eight(high) * 100000000 + eight(low);
        return good(high) && good(low);
    }

    std::uint64_t mantissa_ = 0;
    unsigned behind_ = 0;  // digits behind the point
    bool minus_ = false, whole_ = true;
};

}  // namespace kumihimo::inline v0::extract
