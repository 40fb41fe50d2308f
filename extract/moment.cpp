#include "extract/moment.hpp"

#include "engine/scalar/float_read.hpp"
#include "engine/scalar/time_text.hpp"
#include "extract/digits.hpp"
#include "extract/timestamp.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::int64_t first_second = scalar::days_from_civil({0, 1, 1}) * 86400;
constexpr std::int64_t last_second = scalar::days_from_civil({10000, 1, 1}) * 86400;
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
    out.nanoseconds = t.seconds * second + t.nanoseconds;
    return errc::ok;
}

errc moment_of_number(std::string_view number, const column_spec& column, moment& out) noexcept {
    int below = 0;  // the number's unit is 10^-below seconds
    switch (column.unit) {
        case time_unit::automatic: {
            double v = 0;
            if (scalar::read_f64(number.data(), number.data() + number.size(), v) != errc::ok) return errc::range;
            v = v < 0 ? -v : v;
            below = v < 1e11 ? 0 : v < 1e14 ? 3 : v < 1e17 ? 6 : 9;
            break;
        }
        case time_unit::seconds: below = 0; break;
        case time_unit::milliseconds: below = 3; break;
        case time_unit::microseconds: below = 6; break;
        case time_unit::nanoseconds: below = 9; break;
    }
    if (read_scaled(number, 9 - below, 38, out.nanoseconds) != errc::ok) return errc::range;
    if (out.nanoseconds < first_second * second || out.nanoseconds >= last_second * second) return errc::range;
    out.zoned = true;
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
