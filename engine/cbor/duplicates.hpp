// Keys that come twice in one map. CBOR calls such a map invalid and lets a decoder pass it on; this pass finds them
// before anything is handed on. By sorting, not hashing: no choice of keys makes it slow.
#pragma once
#include <cstddef>

#include "engine/cbor/check.hpp"
#include "engine/core/stack.hpp"

namespace kumihimo::inline v0::cbor {

struct duplicates {
    stack<std::size_t> overridden;                           // offsets of keys that come again later in their map, ascending
    std::size_t first_again = static_cast<std::size_t>(-1);  // offset of the first key that was there already; -1: none
};

/// Of the document that begins at `from` and was checked to be well-formed. Keys are equal when their deterministic
/// encodings are: 1 in one byte or two, text in one piece or in chunks, 0.5 as half or double. errc::memory when there
/// is none left.
errc find_duplicates(const unsigned char* begin, const unsigned char* e, std::size_t from, duplicates& found) noexcept;

}  // namespace kumihimo::inline v0::cbor
