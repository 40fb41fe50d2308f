// The cells of timestamp columns: how their texts are recognised and written.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/core/sink.hpp"
#include "extract/column.hpp"

namespace kumihimo::inline v0::extract {

/// The shape of a text that scalar::read_time has read as `t`; false when a column that prints by shape could not
/// print the same text again (slashes, a lower-case t, a leap second, a date alone).
bool shape_of(std::string_view text, const instant& t, time_shape& out) noexcept;

/// Whether a column of this shape prints `t` as exactly `text`. For texts that scalar::read_time has read.
bool holds(const time_shape& shape, std::string_view text, const instant& t) noexcept;

/// One shape for both, if there is one.
bool combine(time_shape& into, const time_shape& other) noexcept;

/// Reads what a column whose type was given takes: all that scalar::read_time does, and
///
///      2024-01-01 00:00:00+09      hours alone      20240101T000000Z      without separators
///      2024-01-01 00:00:00,5       a comma          2024-01-01 00:00      without seconds
///
/// A second 60 is errc::range: no column can hold it, and the second after it is another moment.
errc read_moment(std::string_view text, instant& out) noexcept;

/// The cell of a moment: nanoseconds, or microseconds, which a finer moment is cut to. False when 64 bits do not hold
/// it, or only as their lowest number, which numpy and pandas take for no moment (NaT).
bool cell_of(const instant& t, bool nanoseconds, std::int64_t& out) noexcept;

/// Writes a cell, without quotes, and returns the end. `to` has scalar::time_room bytes. What is not printable(), and
/// so never gets into a batch from a document, is written as its count.
char* write_timestamp(char* to, std::int64_t cell, const column_spec& spec, zone::stretch& last) noexcept;

/// The cell's moment in seconds, rounded down.
std::int64_t whole_seconds(std::int64_t cell, const column_spec& spec) noexcept;

/// What a number since 1970 counts: 10^-below seconds, in the column's unit or by its size. errc::range: it has none.
errc unit_of(std::string_view number, time_unit unit, int& below) noexcept;

/// Whether the moment lies in the years 0000 to 9999, in UTC and on the clock that the column prints: others have no
/// text.
bool printable(std::int64_t seconds, const column_spec& spec) noexcept;

}  // namespace kumihimo::inline v0::extract
