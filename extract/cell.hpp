// The text of one value that is not text itself: what CSV and NDJSON have in common.
#pragma once
#include "extract/batch.hpp"

namespace kumihimo::inline v0::extract {

/// Room that write_cell asks for.
inline constexpr std::size_t cell_room = 64;

/// Writes row r of a column whose layout is not text, and which is not null there; returns the end. int64: digits; float64: the
/// shortest text that reads back the same, with a point or an exponent; decimal(p,s): s digits after the point; bool: true,
/// false; timestamp: without quotes.
char* write_cell(char* to, const column& c, std::size_t r, const column_spec& spec, zone::stretch& last) noexcept;

}  // namespace kumihimo::inline v0::extract
