// A cell of any type as bytes, taken out of a column to be put into another one of the same type later.
//
//      serialize(rows.at(i), r, cell);           // of a row that has a value
//      deserialize(cell, to, row);
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "extract/column.hpp"

namespace kumihimo::inline v0::extract {

/// Replaces what is in `to`. Throws std::bad_alloc.
void serialize(const column& from, std::size_t row, std::string& to);

/// After to.room(row). False when memory is out, or the column's text would be more than column::most_text.
bool deserialize(std::string_view cell, column& to, std::size_t row) noexcept;

}  // namespace kumihimo::inline v0::extract
