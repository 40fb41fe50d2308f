// Over one MessagePack value by the first bytes of what is in it: nothing is built, and nothing is nested but a number of
// values that are still to come.
//
//      93 a3 61 62 63 c0 01        to come 1 -> 3 -> 2 -> 1 -> 0
#pragma once
#include <cstddef>

#include "engine/core/mold.hpp"

namespace kumihimo::inline v0::msgpack {

/// The byte behind the value at p. nullptr: [p, e) ends inside it, or a byte in it begins nothing. `known`: forms of
/// elements that earlier calls have met; one for skip(), one for pass(). `starved` is set where memory was out instead.
const unsigned char* skip(const unsigned char* p, const unsigned char* e, molds& known, bool& starved) noexcept;

/// The same for a value that the reader takes, with as many containers open in it at most. nullptr: it does not, and knows why.
const unsigned char* pass(const unsigned char* p, const unsigned char* e, std::size_t depth, molds& known,
                          bool& starved) noexcept;

}  // namespace kumihimo::inline v0::msgpack
