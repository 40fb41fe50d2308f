// Intervals for a chart: all of them where it has room, else neighbours as one, so that a candle stays a candle. Rows
// come in order of time; memory is bounded by the chart's width.
//
//      10:00 10:05 10:10 10:15        more than two for each pixel:        10:00       10:10
//      |o h l c|o h l c| ...                                               |o h l c    |o h l c
//
// Where there is no row there is none here.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "extract/batch.hpp"
#include "extract/resample.hpp"

namespace kumihimo::inline v0::extract {

class candle_series {
public:
    struct row {
        std::int64_t x = 0;        // microseconds: where it begins
        std::uint64_t number = 0;  // of the interval, counted from the first
        std::uint64_t weight = 0;  // intervals that it is made of
    };

    /// `width` in pixels; `length`: the usual one of an interval, in microseconds. Rows at times that are not of
    /// [first, last] are left out and counted.
    candle_series(std::size_t width, std::int64_t length, std::vector<chart_role> roles, std::int64_t first, std::int64_t last);

    /// The columns behind the first, which is the time.
    void push(const batch& rows);

    const std::vector<chart_role>& roles() const noexcept { return roles_; }
    std::span<const row> rows() const noexcept { return rows_; }
    /// Of rows()[i] that column; NaN: it has no value.
    double value(std::size_t i, std::size_t column) const noexcept { return values_[i * roles_.size() + column]; }
    std::uint64_t outside() const noexcept { return outside_; }
    /// Microseconds that one of them stands for.
    std::int64_t length() const noexcept { return length_ << shift_; }

private:
    void merge();
    void join(std::size_t to, std::size_t from) noexcept;

    std::vector<chart_role> roles_;
    std::vector<row> rows_;
    std::vector<double> values_;
    std::size_t most_;
    std::int64_t length_, least_, largest_, first_ = 0;
    std::uint64_t outside_ = 0;
    unsigned shift_ = 0;
};

/// The number of a cell of any numeric column, for a chart; NaN where it is null or no number.
double number_at(const column& values, const column_spec& as, std::size_t row) noexcept;

}  // namespace kumihimo::inline v0::extract
