// Decimal text to the nearest double (ties to even), exactly, whatever the number of digits.
#pragma once
#include <cstdint>

#include "engine/core/errc.hpp"

namespace kumihimo::inline v0::scalar {

/// The double nearest to mantissa * 10^exponent10.
///
/// A number with more than 19 significant digits passes its first 19 as mantissa (leading zeros are not significant), the power
/// of ten that belongs to them as exponent10, more_digits_follow = true, and its digits again as text in [digits_begin,
/// digits_end): all of them, leading zeros and one point allowed, without sign and exponent. The text is looked at only when it
/// matters, and not at all when more_digits_follow is false (it may then be null). Too large gives infinity, too small gives
/// zero.
double compose(std::uint64_t mantissa, int exponent10, bool more_digits_follow, const char* digits_begin,
               const char* digits_end) noexcept;

/// Reads the whole of [b, e) by JSON's number grammar: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
/// errc::syntax when it is not one; errc::range, with out = the infinity, when it is beyond the largest double.
errc read_f64(const char* b, const char* e, double& out) noexcept;

}  // namespace kumihimo::inline v0::scalar
