// Over one CBOR item by the first bytes of what is in it: msgpack/skip.hpp's sibling. What has no length puts the number of
// items that are still to come aside until its break.
#pragma once
#include <cstddef>

#include "engine/core/mold.hpp"

namespace kumihimo::inline v0::cbor {

/// The byte behind the item at p. nullptr: [p, e) ends inside it, or a byte in it begins nothing. `known`: forms of
/// elements that earlier calls have met; one for skip(), one for pass(). `starved` is set where memory was out instead.
const unsigned char* skip(const unsigned char* p, const unsigned char* e, molds& known, bool& starved) noexcept;

/// The same for an item that the reader takes, with as many containers open in it at most. nullptr: it does not, and knows why.
const unsigned char* pass(const unsigned char* p, const unsigned char* e, std::size_t depth, molds& known,
                          bool& starved) noexcept;

}  // namespace kumihimo::inline v0::cbor
