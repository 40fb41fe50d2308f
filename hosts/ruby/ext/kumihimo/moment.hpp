// Ruby's moments: Time, Date, DateTime and ActiveSupport::TimeWithZone as an `instant`, and the texts that Rails
// writes for one.
//
//      class                        kind            #xmlschema(3)                    non-standard
//      Time, utc?                   utc             2017-01-01T00:00:00.500Z         2017/01/01 00:00:00 +0000
//      Time                         offset          2017-01-01T09:00:00.500+09:00    2017/01/01 09:00:00 +0900
//      DateTime                     offset          2017-01-01T00:00:00.500+00:00    2017/01/01 00:00:00 +0000
//      TimeWithZone, UTC or UCT     utc             as Time
//      TimeWithZone                 offset          as Time
//      Date                         date            2017-01-01                       2017/01/01
//
// Each instant_of_* says false for what an instant cannot hold as it is, or what looks unusual in any way; each writer
// says null. The caller then asks Ruby. Digits finer than a nanosecond are lost, so a precision above 9 is among what
// Ruby is asked. The caller has made sure that the object is of exactly that class, and that the methods which stock
// would call are the known ones.
//
// These functions may call Ruby: anything may be raised out of them.
#pragma once
#include <cstdint>

#include "engine/scalar/time_text.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::ruby {

/// What one encode learns about clocks and zones. Lives on the machine stack for as long as that encode, no longer: it
/// knows objects by their address, which the collector keeps only because it sees the stack.
struct moment_cache {
    struct offset {
        VALUE object;  // a TZInfo::TimezoneOffset
        std::int32_t seconds;
        bool utc;
    };
    // A stretch of time for which a zone has one offset.
    struct stretch {
        VALUE zone;
        std::int64_t from, to;
        offset has;
    };

    signed char leap_seconds = -1;  // whether the system's clock counts them; -1: not known yet
    std::uint8_t offsets = 0, stretches = 0, next_stretch = 0, last_stretch = 0;
    VALUE period_class[2] = {0, 0};
    VALUE zone_class = 0;
    // Only the entries counted above are set.
    offset offset_of[8];
    stretch stretch_of[32];

    moment_cache() {}
};

bool instant_of_time(VALUE time, instant& out, moment_cache& cache);
bool instant_of_twz(VALUE twz, instant& out, moment_cache& cache);
bool instant_of_date(VALUE date, instant& out);
bool instant_of_datetime(VALUE datetime, instant& out);

/// Room for either writer.
inline constexpr std::size_t moment_room = scalar::time_room;

/// What Time#xmlschema(precision) and the same method of the other classes give (of a date: its day), and where it
/// ends; null where the year is not in 0000 to 9999, or the precision not in 0 to 9.
inline char* write_xmlschema(char* to, const instant& t, int precision) noexcept {
    if (precision < 0 || precision > 9) return nullptr;
    scalar::time_layout layout;
    layout.precision = static_cast<std::int8_t>(precision);
    layout.offset_cut = true;
    return scalar::write_time(to, t, layout);
}

/// The same of what Rails writes when it was told not to use the standard format.
inline char* write_nonstandard(char* to, const instant& t) noexcept {
    return scalar::write_time(to, t, scalar::time_layouts::rails);
}

}  // namespace kumihimo::inline v0::ruby
