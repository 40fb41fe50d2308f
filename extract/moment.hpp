// Times to compare: what a value says that is taken for a time, as a column of type timestamp would take it.
#pragma once
#include <cstdint>
#include <string_view>

#include "engine/core/errc.hpp"
#include "extract/column.hpp"
#include "extract/zone.hpp"

namespace kumihimo::inline v0::extract {

struct moment {
    __int128 nanoseconds = 0;  // since 1970; of a wall clock as if it were UTC's
    bool zoned = false;        // else it is what a wall clock shows, and says nothing of instants
};

/// A text, without quotes and escapes, by the column's format and zone. errc::type: it is no such time; errc::range:
/// there is no such day or hour, it is finer than nanoseconds, or in none of the years 0000 to 9999.
errc moment_of_text(std::string_view text, const column_spec& column, zone::stretch& last, moment& out) noexcept;

/// A number since 1970, in the column's unit or by its size. errc::range: it is none of the years 0000 to 9999.
errc moment_of_number(std::string_view number, const column_spec& column, moment& out) noexcept;

}  // namespace kumihimo::inline v0::extract
