// Keys that come twice in one object. JSON allows them and readers differ; this pass finds them before anything is
// handed on. By sorting, not hashing: no choice of keys makes it slow.
#pragma once
#include <cstddef>
#include <vector>

#include "engine/core/errc.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/dialect.hpp"

namespace kumihimo::inline v0::json {

struct duplicates {
    std::vector<std::size_t> overridden;  // offsets of the opening quotes of keys that come again later, ascending
    std::size_t first_again = static_cast<std::size_t>(-1);  // offset of the first key that was there already; -1: none
};

/// Meant for documents that a reader accepts; with a broken one it stops where it is lost, and the reader reports what
/// broke. Keys count as equal when they are equal after unescaping. errc::memory when there is none left.
errc find_duplicates(bytes document, std::size_t from, const read_dialect& granted, duplicates& found);

}  // namespace kumihimo::inline v0::json
