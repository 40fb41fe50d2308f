// A number in its own digits as a CBOR item: an integer, a bignum, or a decimal fraction that keeps every digit.
//
//      123                   18 7b                    12345678901234567890123    c2 4a ...
//      1.50                  c4 82 21 18 96           1e400                      c4 82 19 0190 01
#pragma once
#include <cstddef>

#include "engine/core/errc.hpp"
#include "engine/core/limits.hpp"
#include "engine/core/sink.hpp"

namespace kumihimo::inline v0::cbor {

struct encoded_number {
    std::size_t size = 0;
    char bytes[limits::number_bytes + 64];

    /// `lexeme` by JSON's number grammar. Minus zero, which no integer says, becomes the float of that name; the
    /// number of its zeros is lost. errc::syntax: not a number; errc::size: more digits than the limit; errc::range:
    /// the exponent is beyond 64 bits.
    errc read(text lexeme, bool shortest_floats, const char*& what) noexcept;
};

}  // namespace kumihimo::inline v0::cbor
