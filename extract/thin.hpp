// A series for a chart, thinned so that nothing a reader of the chart could see is lost: per pixel column the first,
// lowest, highest and last point (M4, Jugel et al., VLDB 2014). Rows stream through; memory is bounded by the chart's
// width.
//
// The range of x is not known beforehand, so columns are x >> shift for one shift, and when they become more than
// twice the width, shift grows by one and neighbours merge in pairs:
//
//      x:      0 1 2 3 4 5 6 7          shift 0: |0|1|2|3|4|5|6|7|     shift 1: |0 1|2 3|4 5|6 7|
//
// So at least `width` columns are in use once there are that many different x, and x may arrive in any order.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/scalar/time_text.hpp"
#include "extract/batch.hpp"

namespace kumihimo::inline v0::extract {

/// What a calendar can draw, in microseconds: two days short of the years 1 and 9999, so that every zone's clock can
/// say it. Nanoseconds of 64 bits do not reach so far.
inline constexpr std::int64_t first_drawn = (scalar::days_from_civil({1, 1, 1}) + 2) * 86400 * 1000000,
                              last_drawn = (scalar::days_from_civil({9999, 12, 31}) - 2) * 86400 * 1000000;

class thinner {
public:
    struct point {
        std::int64_t x;
        double y;
    };

    /// `width` in pixels, at least 1. What lies outside of [first, last] is left out and counted: one row at an x that
    /// no chart has would leave a single column for all others.
    explicit thinner(std::size_t width, std::int64_t first = INT64_MIN, std::int64_t last = INT64_MAX);

    void push(std::int64_t x, double y);
    /// Column y of every row against column x (timestamp, int64), or against the row's number when x is batch::none.
    /// Rows where either is null or y is not a number are counted in skipped() only.
    errc push(const batch& rows, std::size_t x, std::size_t y);

    /// The points to draw, by x, at most 8 * width. Fewer than that many rows come back whole, unless more than four
    /// share an x.
    std::vector<point> points() const;
    std::uint64_t seen() const noexcept { return seen_; }
    std::uint64_t skipped() const noexcept { return skipped_; }
    std::uint64_t outside() const noexcept { return outside_; }

private:
    struct bucket {
        std::int64_t id;  // x >> shift
        point first, low, high, last;
    };
    std::uint64_t span() const noexcept;
    void merge();

    std::vector<bucket> buckets_;  // by id
    std::size_t most_;
    std::size_t recent_ = 0;  // series mostly arrive in order: where the last point went
    unsigned shift_ = 0;
    std::uint64_t seen_ = 0, skipped_ = 0, outside_ = 0;
    std::int64_t first_, last_;
    std::int64_t row_ = 0;
};

}  // namespace kumihimo::inline v0::extract
