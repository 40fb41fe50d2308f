// Decimal numbers that columns are calculated of: exact up to 38 digits, and an error beyond, never another number.
//
//      0.1 + 0.2 = 0.3        1.10 + 2 = 3.10        9223372036854775807 + 1 = 9223372036854775808        1.5 * 0.10 = 0.150
//
// As by hand: a sum has the places of the operand that has more of them, a product those of both together.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/errc.hpp"

namespace kumihimo::inline v0::extract {

class exact_decimal {
public:
    static constexpr int most_digits = 38;
    static constexpr std::int64_t most_exponent = 1'000'000;

    exact_decimal() = default;
    /// errc::range: it has more digits than that, or an exponent beyond most_exponent. `number` is a JSON number.
    static errc read(std::string_view number, exact_decimal& out) noexcept;

    /// errc::range, as read().
    static errc add(const exact_decimal& a, const exact_decimal& b, exact_decimal& out) noexcept;
    static errc multiply(const exact_decimal& a, const exact_decimal& b, exact_decimal& out) noexcept;
    exact_decimal negated() const noexcept {
        exact_decimal out = *this;
        out.value_ = -value_;
        return out;
    }

    /// Appends it as a JSON number: digits while that is readable (up to 38 before the point, up to 6 zeros behind
    /// it), else with an exponent. Zero has no sign.
    void write(std::string& to) const;

private:
    static bool fits(__int128 v) noexcept;
    static bool grows(__int128 v) noexcept;
    void shorten() noexcept;
    bool widen(std::int64_t exponent) noexcept;

    __int128 value_ = 0;
    std::int64_t exponent_ = 0;  // of ten
};

}  // namespace kumihimo::inline v0::extract
