// The cells of timestamp columns: how their texts are recognised and written.
#pragma once
#include <cstddef>
#include <string_view>

#include "engine/core/sink.hpp"
#include "extract/column.hpp"

namespace kumihimo::inline v0::extract {

/// The shape of a text that scalar::read_time has read as `t`; false when a column that prints by shape could not print the
/// same text again (slashes, a lower-case t, a leap second, a date alone).
bool shape_of(std::string_view text, const instant& t, time_shape& out) noexcept;

/// Whether a column of this shape prints `t` as exactly `text`. For texts that scalar::read_time has read.
bool holds(const time_shape& shape, std::string_view text, const instant& t) noexcept;

/// One shape for both, if there is one.
bool combine(time_shape& into, const time_shape& other) noexcept;

/// Writes a cell, without quotes, and returns the end. `to` has scalar::time_room bytes. What lies outside the years 0000 to
/// 9999 on the printed clock, which only numbers can say, is written as its count.
char* write_timestamp(char* to, std::int64_t cell, const column_spec& spec, zone::stretch& last) noexcept;

}  // namespace kumihimo::inline v0::extract
