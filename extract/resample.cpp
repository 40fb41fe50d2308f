#include "extract/resample.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <type_traits>

#include "engine/scalar/time_text.hpp"
#include "extract/formula.hpp"
#include "extract/serialized_cell.hpp"
#include "extract/timestamp.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t most_rows = 16384;  // in a batch
constexpr std::size_t most_bytes = std::size_t{8} << 20;
constexpr std::size_t page = 256;  // intervals whose slots are one block

constexpr __int128 ten_to(int n) noexcept {
    __int128 v = 1;
    while (n-- > 0) v *= 10;
    return v;
}
constexpr __int128 most_wide = ten_to(38) - 1;

/// sum / count as a double, correctly rounded.
double quotient(__int128 sum, std::uint64_t count) noexcept {
    unsigned __int128 n = sum < 0 ? -static_cast<unsigned __int128>(sum) : static_cast<unsigned __int128>(sum);
    const auto bits = [](unsigned __int128 v) {
        const auto high = static_cast<std::uint64_t>(v >> 64), low = static_cast<std::uint64_t>(v);
        return high != 0 ? 128 - __builtin_clzll(high) : low != 0 ? 64 - __builtin_clzll(low) : 0;
    };
    // At least 55 bits of it; the lowest says whether anything is left, so that the one rounding that follows is
    // right.
    const int shift = std::max(0, 55 + bits(count) - bits(n));
    n <<= shift;
    const unsigned __int128 q = n / count | (n % count != 0);
    const double v = std::ldexp(static_cast<double>(q), -shift);
    return sum < 0 ? -v : v;
}

std::string text_of_time(std::int64_t cell, const column_spec& as) {
    char text[scalar::time_room];
    zone::stretch fresh;
    return {text, write_timestamp(text, cell, as, fresh)};
}

// Why a time of the rows lies in no interval of this column.
std::string outside(std::int64_t cell, const column_spec& as) {
    if (printable(whole_seconds(cell, as), as))
        return text_of_time(cell, as) + ", whose interval " + (cell < 0 ? "begins before" : "ends after") +
               " all times that the column can hold";
    // It is one of UTC's years, or no column would hold it.
    column_spec utc = as;
    utc.in_zone.reset();
    utc.zone_name.clear();
    return text_of_time(cell, utc) + ", which is " + (cell < 0 ? "before the year 0000" : "after the year 9999") + " in " +
           as.zone_name;
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------------ columns

namespace {

// A path or an expression that finds a list.
bool finds_list(const column_spec& c) { return c.path.find("[*]") != std::string::npos || (c.made_of && c.made_of->list()); }

}  // namespace

errc resampler::make(const resampling& how, const schema& rows, const row_path* elements, std::unique_ptr<resampler>& out,
                     std::string& why) {
    std::unique_ptr<resampler> r(new resampler(how));
    r->time_ = rows.fields() - 1;
    r->times_ = rows.columns()[r->time_];
    const std::shared_ptr<const zone> days = how.in_zone ? how.in_zone : r->times_.naive ? nullptr : r->times_.in_zone;
    const std::int64_t per_second = r->times_.nanoseconds ? 1'000'000'000 : 1'000'000;
    r->calendar_ = r->between_ = calendar(how.every, days, per_second);
    r->carried_.resize(rows.fields());
    r->carried_cells_.resize(rows.fields());

    std::vector<column_spec> specs(1);
    column_spec& begin = specs[0];
    begin.name = r->times_.name;
    begin.path = r->times_.path;
    begin.made_of = r->times_.made_of;
    begin.type = column_type::timestamp;
    begin.naive = r->times_.naive;
    begin.nanoseconds = r->times_.nanoseconds;
    if (how.time) begin.name = how.time->name;
    if (days) begin.in_zone = days, begin.zone_name = days->name();
    for (const resampling::field& f : how.fields) {
        const column_spec& c = rows.columns()[f.column];
        const bool unseen = c.type == column_type::json && c.unseen;
        kind is = kind::nothing;
        if (c.type == column_type::int64 || c.type == column_type::timestamp) is = kind::whole;
        if (c.type == column_type::float64) is = kind::real;
        if (c.type == column_type::decimal && c.precision != 0) is = kind::wide;
        const step_of one = step_of_aggregate(f.how);
        const bool any_type = f.how != aggregate::ohlc && (one == step_of::first || one == step_of::last);
        if (any_type && is == kind::nothing && !unseen) is = kind::serialized;
        const bool adds = f.how == aggregate::sum || f.how == aggregate::mean;
        if (f.how != aggregate::count && !unseen && (is == kind::nothing || (adds && c.type == column_type::timestamp))) {
            why = std::string(name(f.how)) + " is of " + (adds ? "numbers" : "numbers and times") + ", and column \"" + c.name +
                  "\" is " + (c.type == column_type::decimal ? "decimal text" : c.type_text()) +
                  (finds_list(c)
                       ? ", a list: make rows of its elements (rows)"
                       : ": give the field a type, " +
                             with_type(c, c.type == column_type::decimal ? "decimal(38,8)" : "float64") + ':' + name(f.how));
            return errc::misuse;
        }
        const auto add = [&](aggregate what, std::string called, chart_role::kind role) {
            column_spec& s = specs.emplace_back(c);
            s.name = std::move(called);
            s.inferred = s.unseen = s.nested = false;
            s.only = 0;
            if (!any_type) s.members.clear();
            s.shape = {};
            s.format = nullptr;
            s.unit = time_unit::automatic;
            if (finds_list(s)) s.path = "$", s.made_of = nullptr;  // it would have to be a list
            if (unseen) s.type = column_type::float64;
            const step_of step = step_of_aggregate(what);
            if (what == aggregate::count) s.type = column_type::int64;
            if (what == aggregate::mean) s.type = column_type::float64;
            if (what == aggregate::sum && is == kind::wide) s.precision = 38;
            if (s.type != column_type::decimal) s.precision = s.scale = 0;
            if (s.type != column_type::timestamp) s.naive = s.nanoseconds = false, s.zone_name.clear(), s.in_zone = nullptr;
            if (is == kind::serialized) s.precision = c.precision, s.scale = c.scale;
            r->outputs_.push_back({what, r->step_for(step, f.column, is), is, c.scale});
            if (how.between == gaps::carry && what != aggregate::sum && what != aggregate::count)
                r->step_for(step_of::last, f.column, is);
            r->roles_.push_back({role, definition(c)});
        };
        using role = chart_role::kind;
        std::vector<std::string> called = resampling::names(f);
        if (f.how == aggregate::ohlc) {
            add(aggregate::open, std::move(called[0]), role::open);
            add(aggregate::high, std::move(called[1]), role::high);
            add(aggregate::low, std::move(called[2]), role::low);
            add(aggregate::close, std::move(called[3]), role::close);
        } else {
            add(f.how, std::move(called[0]), f.how == aggregate::sum || f.how == aggregate::count ? role::bar : role::value);
        }
    }
    KUMIHIMO_TRY(schema::make(std::move(specs), false, r->columns_, why, beyond::ignored, elements));
    out = std::move(r);
    return errc::ok;
}

resampler::step_of resampler::step_of_aggregate(aggregate what) noexcept {
    switch (what) {
        case aggregate::open:
        case aggregate::first: return step_of::first;
        case aggregate::close:
        case aggregate::last: return step_of::last;
        case aggregate::low:
        case aggregate::min: return step_of::least;
        case aggregate::high:
        case aggregate::max: return step_of::most;
        case aggregate::count: return step_of::count;
        default: return step_of::sum;  // of which a mean is made
    }
}

std::size_t resampler::step_for(step_of what, std::size_t column, kind is) {
    for (std::size_t i = 0; i < steps_.size(); ++i)
        if (steps_[i].what == what && steps_[i].column == column) return i;
    steps_.push_back({what, column, is, is == kind::serialized ? cells_per_record_++ : 0});
    return steps_.size() - 1;
}

// --------------------------------------------------------------------------------------------------------------------- rows

resampler::slot* resampler::room() {
    if (free_.empty()) {
        pages_.push_back(std::make_unique<slot[]>(page * steps_.size()));
        free_.reserve(pages_.size() * page);  // giving back needs no memory
        for (std::size_t i = page; i-- > 0;) free_.push_back(pages_.back().get() + i * steps_.size());
    }
    slot* const one = free_.back();
    free_.pop_back();
    std::fill_n(one, steps_.size(), slot{});
    return one;
}

namespace {

template <class T>
T cell(const column& c, std::size_t row) noexcept {
    if constexpr (sizeof(T) == 16)
        return c.i128(row);
    else if constexpr (std::is_same_v<T, double>)
        return c.f64(row);
    else
        return c.i64(row);
}

}  // namespace

// Rows from one to another, all of the interval at hand.
void resampler::feed(const batch& rows, std::size_t from, std::size_t to) {
    if (from == to) return;
    const column& times = rows.at(time_);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const step& what = steps_[i];
        slot& s = at_->slots[i];
        const column& c = rows.at(what.column);
        const auto each = [&](auto zero, auto& into) {
            using T = decltype(zero);
            for (std::size_t r = from; r < to; ++r) {
                if (!c.valid(r)) continue;
                const T v = cell<T>(c, r);
                const bool fresh = s.count++ == 0;
                switch (what.what) {
                    case step_of::first:
                        if (fresh || times.i64(r) < s.at) into = v, s.at = times.i64(r);
                        break;
                    case step_of::last:
                        if (fresh || times.i64(r) >= s.at) into = v, s.at = times.i64(r);
                        break;
                    case step_of::least:
                        if (fresh || v < into) into = v;
                        break;
                    case step_of::most:
                        if (fresh || v > into) into = v;
                        break;
                    case step_of::count: break;
                    case step_of::sum:
                        if constexpr (std::is_same_v<T, double>) {
                            // Neumaier: what a sum is too short for is kept apart.
                            if (fresh) s.lost = 0;
                            const double t = into + v;
                            s.lost += std::fabs(into) >= std::fabs(v) ? (into - t) + v : (v - t) + into;
                            into = t;
                        } else if (__builtin_add_overflow(into, static_cast<__int128>(v), &into)) {
                            s.at = 1;  // beyond 128 bits: there is no sum any more
                        }
                        break;
                }
            }
        };
        switch (what.is) {
            case kind::whole: each(std::int64_t{}, s.wide); break;
            case kind::wide: each(__int128{}, s.wide); break;
            case kind::real: each(double{}, s.real); break;
            case kind::serialized: feed_serialized(what, s, rows, from, to); break;
            case kind::nothing:
                if (what.what == step_of::count)
                    for (std::size_t r = from; r < to; ++r) s.count += c.valid(r);
        }
    }
}

// Of the rows only the one that counts in the end is serialized.
void resampler::feed_serialized(const step& what, slot& s, const batch& rows, std::size_t from, std::size_t to) {
    const column &c = rows.at(what.column), &times = rows.at(time_);
    std::size_t found = to;
    for (std::size_t r = from; r < to; ++r) {
        if (!c.valid(r)) continue;
        const std::int64_t t = times.i64(r);
        if (s.count++ != 0 && (what.what == step_of::first ? t >= s.at : t < s.at)) continue;
        found = r;
        s.at = t;
    }
    if (found == to) return;
    std::string& had = at_->cells[what.cell];
    state_bytes_ -= had.size();
    serialize(c, found, cell_);
    // What counts is its size, which does not depend on what stood there before; its room is near that.
    if (had.capacity() > 2 * cell_.size() + 64) std::string().swap(had);
    had.assign(cell_);
    state_bytes_ += had.size();
}

std::size_t resampler::record::bytes() const noexcept {
    std::size_t n = 0;
    for (const std::string& one : cells) n += one.size();
    return n;
}

void resampler::close_first() {
    const auto first = open_.begin();
    if (at_ == &first->second) at_ = nullptr;
    closed_from_ = first->first;
    any_closed_ = true;
    state_bytes_ -= first->second.bytes();
    closed_.push_back(std::move(first->second));
    open_.erase(first);
}

void resampler::add(const batch& rows, bool stop, std::vector<refused>& left) {
    const column& times = rows.at(time_);
    std::size_t begun = 0;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        const bool there = times.valid(r);
        const std::int64_t t = there ? times.i64(r) : 0;
        if (there && at_ != nullptr && t >= at_->from && t < at_->until) continue;
        feed(rows, begun, r);
        begun = r + 1;
        at_ = nullptr;
        if (!there) {
            ++timeless_;
            continue;
        }
        calendar::span s;
        if (!calendar_.at(t, s) || !printable(whole_seconds(s.from, times_), columns_->columns()[0])) {
            left.push_back({r, "its time is " + outside(t, columns_->columns()[0])});
        } else if ((any_closed_ && s.from <= closed_from_) || (is_full() && !open_.empty() && s.from < open_.begin()->first)) {
            std::string why =
                "its time is " + time_text(t) + ", and the interval that begins " + time_text(s.from) + " is closed, for ";
            if (open_.size() >= how_.open)
                why += std::to_string(how_.open) + " later ones are open: raise --open-intervals (open_intervals), or sort";
            else
                why += "the first and last values of later ones take more than " + std::to_string(most_state_bytes >> 20) +
                       " MB: sort";
            left.push_back({r, why + " the inputs by time"});
        } else {
            auto at = open_.find(s.from);
            // The room first: without memory for it there is no record.
            if (at == open_.end()) {
                std::vector<std::string> cells(cells_per_record_);
                at = open_.try_emplace(s.from, record{s.from, s.until, room(), std::move(cells)}).first;
            }
            // Not this one: it would be late.
            while ((open_.size() > how_.open || state_bytes_ > most_state_bytes) && open_.begin() != at) close_first();
            at_ = &at->second;
            begun = r;
            continue;
        }
        if (stop) return;
    }
    feed(rows, begun, rows.rows());
}

void resampler::finish() {
    while (!open_.empty()) close_first();
}

// -------------------------------------------------------------------------------------------------------------- what is given

std::string resampler::time_text(std::int64_t cell) const { return text_of_time(cell, columns_->columns()[0]); }

errc resampler::refuse_gap(std::int64_t until, std::string& why) const {
    const std::uint64_t missing =
        (static_cast<std::uint64_t>(until) - static_cast<std::uint64_t>(next_)) / static_cast<std::uint64_t>(between_.length());
    if (missing <= how_.open) return errc::ok;
    why = "from " + time_text(next_) + " to " + time_text(until) + " there are " + std::to_string(missing) +
          " intervals without a row, and gaps of that many are not filled: leave them out (--gaps skip, gaps), or raise "
          "--open-intervals (open_intervals), which is " +
          std::to_string(how_.open);
    return errc::size;
}

errc resampler::take(std::unique_ptr<batch>& out, std::string& why) {
    out.reset();
    if (closed_.empty() || enough()) return errc::ok;
    out = std::make_unique<batch>(columns_, json::level::strict);
    errc failed = errc::ok;
    put_bytes_ = 0;
    while (!closed_.empty() && out->rows() < most_rows && put_bytes_ < most_bytes && !enough() && failed == errc::ok) {
        const record& first = closed_.front();
        if (how_.between != gaps::skip && begun_ && next_ < first.from) {
            if (!gap_measured_) KUMIHIMO_TRY(refuse_gap(first.from, why));
            gap_measured_ = true;
            calendar::span s;
            if (!between_.at(next_, s)) s = {next_, first.from};
            put(*out, s.from, nullptr, why, failed);
            next_ = s.until;
            continue;
        }
        put(*out, first.from, &first, why, failed);
        next_ = first.until;
        begun_ = true;
        gap_measured_ = false;
        free_.push_back(first.slots);
        closed_.pop_front();
    }
    return failed;
}

// A row: of an interval, or of a gap, which has no slots.
void resampler::put(batch& to, std::int64_t from, const record* of, std::string& why, errc& failed) {
    const std::size_t row = to.rows();
    context ctx;
    if (to.append_null({}, ctx) != errc::ok) throw std::bad_alloc();
    to.at(0).put(row, from);
    if (of != nullptr && how_.between == gaps::carry)
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const step& s = steps_[i];
            if (s.what != step_of::last || of->slots[i].count == 0) continue;
            carried_[s.column] = of->slots[i];
            if (s.is == kind::serialized) carried_cells_[s.column] = of->cells[s.cell];
        }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        const column_spec& as = columns_->columns()[i + 1];
        failed = put_cell(to.at(i + 1), row, outputs_[i], as, of);
        if (failed == errc::ok) continue;
        why = "the sum for \"" + as.name + "\" in the interval that begins " + time_text(from) +
              " is more than its type holds (" + as.type_text() +
              "): give the field another one, PATH:decimal(38,0):sum or PATH:float64:sum";
        to.drop_last();
        return;
    }
    ++given_;
}

errc resampler::put_cell(column& to, std::size_t row, const output& o, const column_spec& as, const record* from) {
    const slot none{}, &s = from != nullptr ? from->slots[o.step] : none;
    if (o.how == aggregate::count) {
        to.put(row, static_cast<std::int64_t>(s.count));
        return errc::ok;
    }
    if (o.how == aggregate::sum) return put_sum(to, row, o, as, s);
    const slot& before = carried_[steps_[o.step].column];
    const bool carried = s.count == 0 && how_.between == gaps::carry && before.count != 0;
    if (s.count == 0 && !carried) {
        to.put_null(row);
        return errc::ok;
    }
    if (o.is == kind::serialized) {
        const step& what = steps_[o.step];
        const std::string& stored = carried ? carried_cells_[what.column] : from->cells[what.cell];
        if (!deserialize(stored, to, row)) throw std::bad_alloc();
        put_bytes_ += stored.size();
        return errc::ok;
    }
    const slot& of = carried ? before : s;
    if (o.how == aggregate::mean) {
        const std::uint64_t n = carried ? 1 : s.count;
        const double v = o.is == kind::real ? (of.real + (carried ? 0 : of.lost)) / static_cast<double>(n)
                                            : quotient(of.wide, n) / std::pow(10.0, o.scale);
        to.put(row, v);
        return std::isfinite(v) && (o.is == kind::real || carried || s.at == 0) ? errc::ok : errc::range;
    }
    if (o.is == kind::real)
        to.put(row, of.real);
    else if (o.is == kind::wide)
        to.put(row, of.wide);
    else
        to.put(row, static_cast<std::int64_t>(of.wide));
    return errc::ok;
}

errc resampler::put_sum(column& to, std::size_t row, const output& o, const column_spec& as, const slot& s) const {
    if (as.type == column_type::float64) {
        const double v = o.is == kind::real && s.count != 0 ? s.real + s.lost : 0.0;
        to.put(row, v);
        return std::isfinite(v) ? errc::ok : errc::range;
    }
    if (s.at != 0) return errc::range;  // beyond 128 bits on the way
    if (as.type == column_type::int64) {
        to.put(row, static_cast<std::int64_t>(s.wide));
        return s.wide == static_cast<std::int64_t>(s.wide) ? errc::ok : errc::range;
    }
    to.put(row, s.wide);
    return s.wide <= most_wide && s.wide >= -most_wide ? errc::ok : errc::range;
}

}  // namespace kumihimo::inline v0::extract
