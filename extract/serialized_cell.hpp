// A cell of any type taken out of a column, to be put into another one of the same type later.
//
//      keep(rows.at(i), r, kept);                // of a row that has a value
//      put_kept(kept, to, row);
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "extract/column.hpp"

namespace kumihimo::inline v0::extract {

/// Replaces what is in `to`. Throws std::bad_alloc.
void keep(const column& from, std::size_t row, std::string& to);

/// After to.room(row). False when memory is out, or the column's text would be more than column::most_text.
bool put_kept(std::string_view kept, column& to, std::size_t row) noexcept;

}  // namespace kumihimo::inline v0::extract
