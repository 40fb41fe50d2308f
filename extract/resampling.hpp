// What is asked of rows that become intervals of time, and which columns that takes:
//
//      every 5min, fields price:ohlc, volume=amount:sum
//
//      the run extracts       price   amount   timestamp                         one column for all aggregates of a value
//      rows handed out        timestamp  open  high  low  close  volume          timestamp: when the interval begins
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extract/interval.hpp"
#include "extract/schema.hpp"

namespace kumihimo::inline v0::extract {

/// What becomes of a field's values in an interval. Values that are null, or not there, count for nothing.
enum class aggregate : std::uint8_t {
    ohlc,  // four columns: the next four
    open,  // the earliest value, of any type; of one time the first in input order
    high,
    low,
    close,  // the latest value, of any type; of one time the last in input order
    first,  // = open
    last,   // = close
    min,    // = low
    max,    // = high
    mean,
    sum,
    count,
};
const char* name(aggregate a) noexcept;
/// False where there is none of that name.
bool aggregate_by_name(std::string_view name, aggregate& out) noexcept;
/// "price:float64:ohlc": takes the aggregate off the end. False where there is none: `field` is as it was.
bool split_aggregate(std::string_view& field, aggregate& out) noexcept;
/// "ohlc, open, high, ...", for sentences.
std::string aggregate_names();

/// What stands for an interval in which there is no row, between two that have some.
enum class gaps : std::uint8_t {
    skip,   // nothing: there is no row of it
    empty,  // a row of nulls, where sums and counts are 0
    carry,  // the same, but values are the last one before it: a candle of no height
};

struct resampling {
    struct field {
        column_spec of;
        bool named = false;  // `of.name` was given, and not made of the path
        aggregate how = aggregate::last;
        std::size_t column = 0;  // of the run
    };
    interval every;
    std::optional<column_spec> time;  // none: the one that the sample has
    std::string zone_name;            // whose days they are, and in which times without a zone are read; empty: the times' own
    std::shared_ptr<const zone> in_zone;
    gaps between = gaps::skip;
    std::uint64_t open = default_open;  // intervals that wait for more rows
    std::vector<field> fields;
    std::uint64_t limit = UINT64_MAX;  // rows that are handed out

    static constexpr std::uint64_t default_open = 1'000'000;

    /// Fills `out` with what the run is to extract: the fields' values, and behind them the time if it is named. Sets
    /// field::column. On errc::misuse `why` says what cannot be.
    errc columns(std::vector<column_spec>& out, std::string& why);
    /// The names that a field's columns have.
    static std::vector<std::string> names(const field& f);
    /// Times without a zone are read in ours, where there is one.
    errc place(column_spec& time, std::string& why) const;
};

}  // namespace kumihimo::inline v0::extract
