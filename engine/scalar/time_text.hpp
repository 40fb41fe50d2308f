// Moments and their texts: RFC 3339, Python's isoformat, Rails' own, dates and wall-clock readings; and the days
// behind them.
//
// Calendar: proleptic Gregorian, years 0000 to 9999 (0000 is 1 BC), on the clock that is printed. Days have 86400
// seconds: a leap second cannot be held. The text 23:59:60 (RFC 3339 allows it) is read as the first second after it,
// as POSIX counts, and only where UTC could have one: at 23:59:60 UTC, whatever the offset it is written in. Any other
// :60 is errc::range. Fractions are cut, never rounded up, in both directions: a text never names a moment after the
// one it stands for.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/core/errc.hpp"
#include "engine/core/sink.hpp"

namespace kumihimo::inline v0::scalar {

struct civil {
    std::int32_t year = 1970;
    std::uint32_t month = 1;  // 1 to 12
    std::uint32_t day = 1;    // 1 to 31
    friend constexpr bool operator==(const civil&, const civil&) = default;
};

/// Days since 1970-01-01 of a date; any year within +-5 million. Counts from 1 March, so that the leap day comes last.
constexpr std::int64_t days_from_civil(const civil& d) noexcept {
    const std::int64_t y = std::int64_t{d.year} - (d.month <= 2);
    const std::int64_t era = (y >= 0 ? y : y - 399) / 400;  // 146097 days each
    const std::int64_t year_of_era = y - era * 400;
    const std::int64_t day_of_year = (153 * (d.month + (d.month > 2 ? -3 : 9)) + 2) / 5 + d.day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

/// The date of a day since 1970-01-01; any year within +-5 million. A year has 365.25 days here and a month 30.6, both
/// as fractions with a power of two below, so that quotient and remainder are the two halves of one product (Neri,
/// Schneider: Euclidean affine functions).
constexpr civil civil_from_days(std::int64_t days) noexcept {
    constexpr std::int64_t eras = 12505;  // of 400 years each; makes everything below positive
    const std::uint64_t from_march = 4 * static_cast<std::uint64_t>(days + 719468 + eras * 146097) + 3;
    const auto century = static_cast<std::int64_t>(from_march / 146097);
    const auto of_century = static_cast<std::uint32_t>(from_march % 146097) | 3;
    const std::uint64_t years = 2939745ULL * of_century;
    const std::uint32_t day_of_year = static_cast<std::uint32_t>(years) / 2939745 / 4;
    const std::uint32_t months = 2141 * day_of_year + 197913;
    const bool next_year = day_of_year >= 306;  // January and February
    return {static_cast<std::int32_t>(century * 100 + static_cast<std::int64_t>(years >> 32) - eras * 400 + next_year),
            (months >> 16) - (next_year ? 12 : 0), (months & 0xffff) / 2141 + 1};
}

constexpr bool leap_year(std::int32_t y) noexcept { return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0); }

constexpr std::uint32_t days_in_month(std::int32_t y, std::uint32_t m) noexcept {
    return m == 2 ? 28 + leap_year(y) : 30 + ((m + (m >> 3)) & 1);
}

/// How a moment is written. What does not apply to its kind is left out: a date has no clock, a naive reading no zone.
struct time_layout {
    enum class zone : std::uint8_t {
        z_for_utc,    // utc: Z; others +09:00, also +00:00
        z_for_zero,   // Z whenever the offset is 0
        colon,        // +09:00, also for utc (+00:00)
        plain,        // +0900
        space_plain,  // " +0900"
        none,         // not written at all
    };
    static constexpr std::int8_t shortest = -1;          // as many digits as needed, none for whole seconds
    static constexpr std::int8_t micro_or_none = -2;     // six digits, none for whole seconds
    static constexpr std::int8_t milli_micro_nano = -3;  // 0, 3, 6 or 9 digits, whichever holds it

    char date_separator = '-';
    char separator = 'T';              // between date and clock
    std::int8_t precision = shortest;  // digits after the second, 0 to 9, or a name above
    zone zone_form = zone::z_for_utc;
    bool offset_seconds = false;  // +09:00:30 where the offset has seconds, as Python does; else see write_time
    bool offset_cut = false;      // the offset loses its seconds and the clock keeps them, as Ruby does
};

namespace time_layouts {
inline constexpr time_layout rfc3339{};                                                        // 2017-01-01T00:00:00.5Z
inline constexpr time_layout rfc3339_milli{'-', 'T', 3, time_layout::zone::z_for_utc, false};  // 2017-01-01T09:00:00.500+09:00
inline constexpr time_layout space{'-', ' ', time_layout::shortest, time_layout::zone::z_for_utc, false};
inline constexpr time_layout python{'-', 'T', time_layout::micro_or_none, time_layout::zone::colon, true};  // isoformat()
inline constexpr time_layout rails{'/', ' ', 0, time_layout::zone::space_plain, false, true};  // 2017/01/01 09:00:00 +0900
}  // namespace time_layouts

/// Room that write_time asks for.
inline constexpr std::size_t time_room = 48;

/// Writes a moment and returns the end, or nullptr where its year on the printed clock is not in 0000 to 9999, or a
/// field of it is out of its own range (nanoseconds above 999,999,999, an offset of a day or more). `to` has time_room
/// bytes. An offset whose seconds the layout does not print is rounded to minutes, and the clock goes with it: the
/// moment stays what it was, 00:00:00+09:18:59 becomes 00:00:01+09:19. With offset_cut it becomes 00:00:00+09:18,
/// which is another moment.
char* write_time(char* to, const instant& t, const time_layout& layout = time_layouts::rfc3339) noexcept;

/// Writes YYYY-MM-DD (or another separator) and returns the end; nullptr outside 0000 to 9999. `to` has time_room
/// bytes.
char* write_date(char* to, std::int64_t days, char separator = '-') noexcept;

/// Reads the whole of [b, e):
///
///      2016-12-25                                   date
///      2016-12-25T01:53:10     (also t, a space)    naive
///      2016-12-25 01:53:10.602955                   naive; any number of digits, those after the ninth are cut
///      2016-12-25T01:53:10.6Z  (also z)             utc
///      2016-12-25T10:53:10+09:00  -0330  " +0900"  +09:00:30     offset
///      2016/12/25 ...                               the same with slashes
///
/// A colon form and a plain form of the clock are not mixed up: seconds are required, hours go to 23, offsets to
/// 23:59:59.
/// -00:00 (RFC 3339: offset unknown) is an offset of 0. errc::syntax: not of this form; errc::range: no such day, hour, ...
errc read_time(const char* b, const char* e, instant& out) noexcept;

}  // namespace kumihimo::inline v0::scalar
