// The last word on a decimal and a binary number: which is larger, exactly, by long multiplication. Only numbers
// within a hair of a rounding border come here.
#pragma once
#include <cstdint>

namespace kumihimo::inline v0::scalar {

/// digits * 10^exponent, where the digits are the decimal text [b, e) without leading zeros, a point in it ignored, or
/// `value` where the text is empty. exponent belongs to the last digit.
struct exact_decimal {
    std::uint64_t value = 0;
    const char* b = nullptr;
    const char* e = nullptr;
    int exponent = 0;
};

/// Negative, 0 or positive: d below, equal to or above c * 2^q. For numbers of comparable size in the range of
/// doubles.
int compare(const exact_decimal& d, std::uint64_t c, int q) noexcept;

}  // namespace kumihimo::inline v0::scalar
