// Rows in input order become intervals of time in the order of time:
//
//      rows                        open intervals, by time                     closed, the earliest first
//      09:04:59  107910.0          09:00  first, highest, lowest, last, sum
//      09:05:02  107911.5    ->    09:05  first, highest, lowest, last, sum    ->    a row each, and rows for gaps
//
// Rows may come in any order of time while their interval is open. So many are open at most (resampling::open): where
// one more begins, the earliest is closed and handed out. A row of a closed interval is late, and in none. So memory
// is bounded, and what is handed out is exact: first and last are by time, sums in the order of the input. First and
// last values that are no numbers are serialized (serialized_cell.hpp), in so many bytes at most (most_state_bytes):
// where they are more, the earliest interval is closed, too.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "extract/batch.hpp"
#include "extract/interval.hpp"
#include "extract/resampling.hpp"

namespace kumihimo::inline v0::extract {

/// What a column of intervals is in a chart, and the path of the field that it is made of.
struct chart_role {
    enum class kind : std::uint8_t { value, open, high, low, close, bar };
    kind is = kind::value;
    std::string of;
};

class resampler {
public:
    static constexpr std::size_t most_state_bytes = std::size_t{64} << 20;

    /// `rows`: the columns that resampling::columns() asked for, their types decided, the time the last of its fields,
    /// and with provenance. `elements`: as in schema::make. On errc::misuse `why` says which type is of no use and
    /// what to write instead.
    static errc make(const resampling& how, const schema& rows, const row_path* elements, std::unique_ptr<resampler>& out,
                     std::string& why);

    /// What is handed out.
    const std::shared_ptr<const schema>& columns() const noexcept { return columns_; }
    /// By column of it, the time's left out.
    const std::vector<chart_role>& roles() const noexcept { return roles_; }

    struct refused {
        std::size_t row = 0;
        std::string why;
    };
    /// Takes rows in. Those that are in no interval, because it is closed or because no column has its beginning, are
    /// `left` out; with `stop` the first of them is the last row that is looked at. Throws std::bad_alloc.
    void add(const batch& rows, bool stop, std::vector<refused>& left);
    /// There are no more.
    void finish();
    /// The next closed intervals, in order of time; null: there are none yet. On errc::range or size `why` says which
    /// cannot be handed out. Before the next add(), until there are none. Throws std::bad_alloc.
    errc take(std::unique_ptr<batch>& out, std::string& why);
    /// As many rows were handed out as are wanted.
    bool enough() const noexcept { return given_ == how_.limit; }
    std::uint64_t given() const noexcept { return given_; }
    /// Rows that have no time.
    std::uint64_t timeless() const noexcept { return timeless_; }
    /// The usual length of an interval in microseconds.
    std::int64_t length() const noexcept { return calendar_.length() / (times_.nanoseconds ? 1000 : 1); }

private:
    enum class kind : std::uint8_t { nothing, whole, real, wide, serialized };  // what a cell of the run's column is
    enum class step_of : std::uint8_t { first, last, least, most, sum, count };
    /// What is known of one step in one interval.
    struct slot {
        __int128 wide = 0;  // the value; of whole numbers, too, and their sum
        double real = 0;
        union {
            std::int64_t at = 0;  // first, last: when
            double lost;          // sum of doubles: what rounding took from it
        };
        std::uint64_t count = 0;  // values that came in
    };
    struct step {
        step_of what;
        std::size_t column;
        kind is;
        std::size_t cell;  // where it is serialized: which of the record's cells
    };
    struct output {
        aggregate how;
        std::size_t step;
        kind is;
        std::uint8_t scale;  // of a decimal
    };
    struct record {
        std::int64_t from = 0, until = 0;
        slot* slots = nullptr;
        std::vector<std::string> cells;  // serialized
        std::size_t bytes() const noexcept;
    };

    explicit resampler(const resampling& how) : how_(how), calendar_({}, nullptr, 1), between_({}, nullptr, 1) {}
    static step_of step_of_aggregate(aggregate what) noexcept;
    std::size_t step_for(step_of what, std::size_t column, kind is);
    void feed(const batch& rows, std::size_t from, std::size_t to);
    void feed_serialized(const step& what, slot& s, const batch& rows, std::size_t from, std::size_t to);
    bool is_full() const noexcept { return open_.size() >= how_.open || state_bytes_ > most_state_bytes; }
    void close_first();
    slot* room();
    void put(batch& to, std::int64_t from, const record* of, std::string& why, errc& failed);
    errc put_cell(column& to, std::size_t row, const output& o, const column_spec& as, const record* of);
    errc put_sum(column& to, std::size_t row, const output& o, const column_spec& as, const slot& s) const;
    std::string time_text(std::int64_t cell) const;
    errc refuse_gap(std::int64_t until, std::string& why) const;

    const resampling how_;
    std::shared_ptr<const schema> columns_;
    std::vector<chart_role> roles_;
    column_spec times_;  // of the rows
    std::size_t time_ = 0;
    calendar calendar_, between_;
    std::vector<step> steps_;
    std::vector<output> outputs_;
    std::size_t cells_per_record_ = 0;

    std::map<std::int64_t, record> open_;
    record* at_ = nullptr;  // the one of the row at hand
    std::deque<record> closed_;
    std::int64_t closed_from_ = INT64_MIN;  // of the last one that was closed
    bool any_closed_ = false;
    std::vector<std::unique_ptr<slot[]>> pages_;
    std::vector<slot*> free_;
    std::size_t state_bytes_ = 0;  // of serialized cells in open intervals
    std::size_t put_bytes_ = 0;    // ... and in the batch at hand
    std::string cell_;             // the one that is being serialized

    std::vector<slot> carried_;  // by column of the run: the last value that was handed out
    std::vector<std::string> carried_cells_;
    std::int64_t next_ = 0;  // where the interval behind the last one begins
    bool begun_ = false, gap_measured_ = false;
    std::uint64_t given_ = 0, timeless_ = 0;
};

}  // namespace kumihimo::inline v0::extract
