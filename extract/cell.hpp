// The text of one value that is not text itself: what CSV and NDJSON have in common.
#pragma once
#include <string_view>

#include "engine/core/buffer.hpp"
#include "extract/batch.hpp"

namespace kumihimo::inline v0::extract {

/// Room that write_cell asks for.
inline constexpr std::size_t cell_room = 64;

/// Writes row r of a column whose layout is not text, and which is not null there; returns the end. int64: digits;
/// float64: the shortest text that reads back the same, with a point or an exponent; decimal(p,s): s digits after the
/// point; bool: true, false; timestamp: without quotes.
char* write_cell(char* to, const column& c, std::size_t r, const column_spec& spec, zone::stretch& last) noexcept;

/// Writes a JSON string of valid UTF-8, quotes included: string_room(s) bytes at most.
char* write_string(char* to, std::string_view s) noexcept;
inline std::size_t string_room(std::string_view s) noexcept { return s.size() * 6 + 2; }
/// Writes a JSON value on one line: line breaks stand only between its tokens, for inside strings they are escaped.
char* write_line(char* to, std::string_view json) noexcept;

/// Appends any cell as JSON: of a list [1,null,2.5], of a struct {"a":1,"b":null} with all its members. False when
/// memory is out.
bool write_json(buffer& out, const column& c, std::size_t r, const column_spec& spec) noexcept;

}  // namespace kumihimo::inline v0::extract
