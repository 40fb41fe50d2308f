// Grisu2 (F. Loitsch, "Printing Floating-Point Numbers Quickly and Accurately with Integers", PLDI 2010): digits that
// read back as the same double and are nearly always, but not always, the shortest and the nearest ones.
//
// float_write.cpp has a generator that is always right about that. This second one exists for its imperfections: json
// 2.11 and later print Ruby's floats with Grisu2, and whoever promises json's bytes must differ from the shortest
// exactly where json does. Of random doubles one in 1,240 gets a digit more than it needs, one in 1,690 as many but
// another last one than the nearest; of decimals with up to nine digits one in 1,060 comes out long:
//
//      0.02133      0.021329999999999998      0.01207      0.012070000000000001      1e23      9.999999999999999e+22
#pragma once
#include <cstdint>

namespace kumihimo::inline v0::scalar {

/// digits * 10^exponent; `count` says how many digits there are, at most 17.
struct grisu_decimal {
    std::uint64_t digits;
    int count;
    int exponent;
};

/// The digits of c * 2^q, 0 < c < 2^53, in the range of doubles.
grisu_decimal grisu2(std::uint64_t c, int q) noexcept;

}  // namespace kumihimo::inline v0::scalar
