#include "extract/moment.hpp"

#include "extract/digits.hpp"
#include "extract/timestamp.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr __int128 second = 1'000'000'000;

}  // namespace

errc moment_of_text(std::string_view text, const column_spec& column, zone::stretch& last, moment& out) noexcept {
    instant t;
    time_format::mismatch where;
    const errc e = column.format != nullptr ? column.format->read(text, t, where) : read_moment(text, t);
    if (e != errc::ok) return e == errc::range ? e : errc::type;
    if (column.format == nullptr && finer_than_nanoseconds(text)) return errc::range;
    out.zoned = t.clock == instant::kind::utc || t.clock == instant::kind::offset;
    if (!out.zoned && column.in_zone != nullptr) {
        t.seconds = column.in_zone->to_utc(t.seconds, last);
        out.zoned = true;
    }
    if (!printable(t.seconds, column)) return errc::range;
    out.nanoseconds = t.seconds * second + t.nanoseconds;
    return errc::ok;
}

errc moment_of_number(std::string_view number, const column_spec& column, moment& out) noexcept {
    int below = 0;
    KUMIHIMO_TRY(unit_of(number, column.unit, below));
    if (read_scaled(number, 9 - below, 38, out.nanoseconds) != errc::ok) return errc::range;
    const __int128 seconds = out.nanoseconds / second - (out.nanoseconds % second < 0);
    if (seconds > INT64_MAX || seconds < INT64_MIN || !printable(static_cast<std::int64_t>(seconds), column))
        return errc::range;
    out.zoned = true;
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
