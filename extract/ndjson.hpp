// Rows as NDJSON: one object a line, every column in it, null where there is no value.
//
// Numbers are JSON numbers (a decimal keeps its digits), timestamps texts as in csv.hpp, json columns the value's own
// text with line breaks between its tokens left out, lists and structs arrays and objects of these. An exact copy of a
// document's string keeps non-ASCII characters as they are.
#pragma once
#include "engine/core/buffer.hpp"
#include "extract/batch.hpp"

namespace kumihimo::inline v0::extract {

/// Appends one line a row. errc::memory is the only failure.
errc write_ndjson(const batch& rows, buffer& out);

}  // namespace kumihimo::inline v0::extract
