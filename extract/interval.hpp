// Intervals of time, one behind the other, and which of them a moment lies in.
//
//      5min     |00:00|00:05|00:10|  ...  |23:55|       counted from each day's midnight: a day begins with a new one
//      1day     |25 Dec   |26 Dec   |27 Dec   |         days of the zone's calendar, of 23 and 25 hours where clocks change
//      1week    from Monday on;  1month, 1quarter, 1year from the first of the month
//
// An interval holds its first moment and not its last. What begins at a midnight that comes twice begins with the
// first; a midnight that is skipped is the moment of the change; a day that a zone never had is no interval.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/core/errc.hpp"
#include "extract/zone.hpp"

namespace kumihimo::inline v0::extract {

/// How long intervals are.
struct interval {
    enum class unit : std::uint8_t { microseconds, days, weeks, months };
    unit of = unit::days;
    std::int64_t count = 1;  // microseconds: less than a day
};

/// Reads "5min", "250 ms", "1day". On errc::misuse `why` says what is wrong and what to write instead.
errc parse_interval(std::string_view text, interval& out, std::string& why);

/// The intervals of one length over a column of times. Asking changes what it remembers: one for each thread.
class calendar {
public:
    struct span {
        std::int64_t from = 0, until = 0;  // cells of the column; `until` is the next one's `from`
    };

    /// `in`: the zone whose midnights count; null: the clock that the column itself shows. `per_second`: what the
    /// column counts.
    calendar(interval every, std::shared_ptr<const zone> in, std::int64_t per_second) noexcept;

    /// False when an end of it is no cell of the column: it has none so early, or so late.
    bool at(std::int64_t cell, span& out) noexcept;
    /// The usual length, in cells.
    std::int64_t length() const noexcept { return length_; }

private:
    std::int64_t begin_of(std::int64_t number) noexcept;
    bool cells(std::int64_t from, std::int64_t until, span& out) const noexcept;
    bool whole_days(std::int64_t seconds, span& out) noexcept;

    interval every_;
    std::shared_ptr<const zone> zone_;
    std::int64_t per_second_, length_;
    std::int64_t days_ = 1, first_ = 0;  // unit::days and weeks: so many, counted from this day since 1970
    span day_;                           // of shorter intervals: where the last one was
    zone::stretch utc_, wall_;
};

}  // namespace kumihimo::inline v0::extract
