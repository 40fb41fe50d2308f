// A time zone's rules, as the engine needs them: which offset from UTC applies at a moment, and which moment a wall
// clock meant. g++ 12 has no zone database, so whoever has one hands the rules over (Python: zoneinfo's files):
//
//      first offset |--- transition 0 ---|--- transition 1 ---| ... |--- the rule: every later year ---
//                 utc[0]               utc[1]
//
// A wall clock that reads the same time twice (clocks put back) means the first of the two, and one that never shows a
// time (clocks put forward) is read with the offset from before the change: what Python documents as fold=0 (PEP 495).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/errc.hpp"

namespace kumihimo::inline v0::extract {

class zone {
public:
    struct transition {
        std::int64_t utc;     // seconds since 1970-01-01T00:00:00Z at which the offset begins to apply
        std::int32_t offset;  // seconds east of UTC
    };

    /// The stretch of time that answered last. Callers keep one per thread and direction and hand it in again, because
    /// neighbouring rows have neighbouring times: the search is then two comparisons. A fresh one is empty and always
    /// right.
    struct stretch {
        std::int64_t from = 1;
        std::int64_t until = 0;  // exclusive
        std::int32_t offset = 0;
    };

    /// `rule` is the POSIX TZ text at the end of a TZif file ("EST5EDT,M3.2.0,M11.1.0"), for moments after the last
    /// transition; empty: the last offset stays. Transitions must be in ascending order. On errc::misuse `why` says
    /// what is wrong.
    static errc make(std::string name, std::int32_t first_offset, std::span<const transition> transitions,
                     std::string_view rule, std::shared_ptr<const zone>& out, std::string& why);
    /// One offset for ever. Its name is "UTC" for 0, else "+09:00".
    static std::shared_ptr<const zone> fixed(std::int32_t offset);
    /// "UTC", "Z", "+09:00", "-0330" to a fixed zone; nullptr when `name` needs a database.
    static std::shared_ptr<const zone> fixed(std::string_view name);

    const std::string& name() const noexcept { return name_; }

    /// The offset that applies at a moment.
    std::int32_t offset_at(std::int64_t utc, stretch& last) const noexcept;
    /// The moment at which a clock on the wall read `local` (seconds counted as if it were UTC).
    std::int64_t to_utc(std::int64_t local, stretch& last) const noexcept;

private:
    zone() = default;
    std::int32_t find(const std::vector<std::int64_t>& begins, std::int64_t at, stretch& last) const noexcept;

    std::string name_;
    std::int64_t horizon_ = INT64_MAX;  // from here on the rule's years repeat, so moments are moved back by whole cycles
    std::int32_t first_ = 0;
    std::vector<std::int64_t> utc_;     // when each offset begins, by the clock of UTC
    std::vector<std::int64_t> wall_;    // and by the clock on the wall, fold=0
    std::vector<std::int32_t> offset_;  // same length as the two above
};

}  // namespace kumihimo::inline v0::extract
