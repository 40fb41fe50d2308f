// Of a session: rows become intervals of time on the driving thread, where they are in input order, so that sums of
// doubles and late rows do not depend on the threads. What is handed out then are the intervals.
//
//      run's rows -> take_in() -> [resampler: open | closed] -> hand_out_intervals() -> got_.rows -> as any other rows
#include <algorithm>
#include <new>

#include "extract/csv.hpp"
#include "extract/ndjson.hpp"
#include "extract/session.hpp"
#include "extract/thin.hpp"

namespace kumihimo::inline v0::extract {

// For rows with these columns, from the first one on.
bool session::resample_into(const schema& rows, std::string& why) {
    std::unique_ptr<resampler> made;
    if (resampler::make(*of_.resample, rows, of_.elements ? &*of_.elements : nullptr, made, why) != errc::ok) return false;
    intervals_ = std::move(made);
    candles_.reset();
    if (of_.chart != 0) candles_.emplace(of_.chart, intervals_->length(), intervals_->roles(), first_drawn, last_drawn);
    given_ = left_ = timeless_ = 0;
    const std::lock_guard lock(telling_);
    shown_ = intervals_->columns();
    return true;
}

// The one column of times that the sample has, as if its type had been given: later times may be written otherwise.
void session::find_time() {
    inference all({}, false, of_.reading.level);
    run_->sample(of_.sample, all);
    std::shared_ptr<const schema> found;
    std::vector<column_spec> times;
    if (all.documents() == 0 || all.finish(found, no_time_, beyond::told) == errc::ok) {
        for (std::size_t i = 0; found && i < found->fields(); ++i)
            if (found->columns()[i].type == column_type::timestamp) times.push_back(found->columns()[i]);
    }
    if (!no_time_.empty()) return;
    if (times.size() != 1) {
        no_time_ = times.empty() ? "the sample has no time that intervals could run along: name one (--time, time), such as "
                                   "PATH:timestamp"
                                 : "the sample has several times, ";
        for (std::size_t i = 0; i < times.size() && i < 5; ++i) no_time_ += (i == 0 ? "\"" : ", \"") + times[i].name + '"';
        if (!times.empty()) no_time_ += ": name the one that intervals run along (--time, time)";
        return;
    }
    column_spec& c = times[0];
    c.inferred = false;
    c.shape = {};
    if (c.naive && !of_.resample->zone_name.empty()) {
        c.naive = false;
        c.zone_name = of_.resample->zone_name;
        c.in_zone = of_.resample->in_zone;
    }
    {
        const std::lock_guard lock(telling_);
        notes_.push_back(c.name + ": " + c.type_text() + ", along which intervals run");
    }
    of_.resample->time = c;
    const auto taken = [&] {
        return std::any_of(of_.fields.begin(), of_.fields.end(), [&](const column_spec& o) { return o.name == c.name; });
    };
    while (taken()) c.name += '_';
    of_.fields.push_back(std::move(c));
}

void session::end_by(report what) {
    const std::lock_guard lock(telling_);
    own_failure_ = what;
    failure_ = what;
    reports_.push_back(std::move(what));
    ++left_;
}

// The run's next rows. Those that are late are bad records.
void session::take_in() {
    if (!got_.rows) return;
    const batch& rows = *got_.rows;
    read_ += rows.capacity();
    const bool stop = of_.reading.on_error == policy::stop;
    std::vector<resampler::refused> left;
    intervals_->add(rows, stop, left);
    timeless_ = intervals_->timeless();
    for (resampler::refused& one : left) {
        const std::size_t place = rows.of().fields();
        report r;
        r.code = errc::range;
        r.archive = rows.at(place).text(one.row);
        if (rows.at(place + 1).valid(one.row)) r.entry = rows.at(place + 1).text(one.row);
        r.document = r.offset = static_cast<std::uint64_t>(rows.at(place + 2).i64(one.row));
        r.message = std::move(one.why);
        if (stop) {
            end_by(std::move(r));
            break;
        }
        const std::lock_guard lock(telling_);
        if (of_.reading.on_error == policy::quarantine && !write_report(r, nullptr, quarantine_)) throw std::bad_alloc();
        reports_.push_back(std::move(r));
        ++left_;
    }
    spare_ = std::move(got_.rows);
}

// Into got_.rows; false when none is closed.
bool session::hand_out_intervals() {
    got_.rows.reset();
    if (own_failure_) return false;
    std::string why;
    const errc e = intervals_->take(got_.rows, why);
    given_ = intervals_->given();
    if (e != errc::ok) {
        got_.rows.reset();
        kumihimo::failure f;
        f.code = e;
        report r = run_->about_all(f);
        r.message = std::move(why);
        end_by(std::move(r));
        return false;
    }
    if (got_.rows && candles_) candles_->push(*got_.rows);
    const bool any = got_.rows != nullptr;
    // A consumer who only waits is let come by for what is told.
    if (!any && much_to_tell()) got_.rows = std::make_unique<batch>(intervals_->columns(), json::level::strict);
    return any;
}

// The run is at its end. True when there is something to hand out; what ended early gives nothing of what is still
// open.
bool session::finish_intervals() {
    if (last_given_ || stale_ || own_failure_ || run_->failure() || run_->cancelled() || run_->disagreement()) return false;
    last_given_ = true;
    intervals_->finish();
    return hand_out_intervals();
}

session::step session::next_interval_text(buffer& out, bool pause, milliseconds patience, trouble& why) {
    if (const step s = decide_columns(patience, why); s != step::ready) return s;
    return driving([&]() -> step {
        if (!can_drive(text(), "this extraction gives no text: its form is not csv or ndjson", why)) return step::failed;
        std::unique_ptr<batch> rows;
        const step got = take_rows(rows, patience, why);
        if (got == step::failed && (run_->cancelled() || (of_.rewritable && !contradiction().empty()))) return step::end;
        if (got != step::ready) return got;
        const errc e = of_.rows == form::csv ? write_csv(*rows, out, of_.reading.csv) : write_ndjson(*rows, out);
        if (e != errc::ok) throw std::bad_alloc();
        return rows->rows() != 0 || pause ? step::ready : step::waiting;
    });
}

session::step session::next_interval_count(std::uint64_t& count, milliseconds patience, trouble& why) {
    if (const step s = decide_columns(patience, why); s != step::ready) return s;
    return driving([&]() -> step {
        if (!can_drive(of_.rows == form::none, "rows are only counted with the form none", why)) return step::failed;
        std::unique_ptr<batch> rows;
        const step got = take_rows(rows, patience, why);
        if (got == step::failed && run_->cancelled()) return step::end;
        if (got == step::ready) count = rows->rows();
        return got;
    });
}

void session::draw_intervals(series& to) const {
    const column_spec& times = shown_->columns()[0];
    to.x = times.name;
    to.is_time = true;
    if (times.in_zone) to.zone = times.in_zone->name();
    to.outside = candles_->outside();
    to.interval = candles_->length();
    for (std::size_t i = 0; i < candles_->roles().size(); ++i) {
        const column_spec& as = shown_->columns()[i + 1];
        if (as.type != column_type::int64 && as.type != column_type::float64 &&
            (as.type != column_type::decimal || as.precision == 0))
            continue;  // the first or last of a text or a time
        series::line& l = to.lines.emplace_back();
        l.name = as.name;
        l.role = candles_->roles()[i];
        for (std::size_t k = 0; k < candles_->rows().size(); ++k) {
            const double v = candles_->value(k, i);
            if (v != v) continue;
            l.xs.push_back(candles_->rows()[k].x);
            l.ys.push_back(v);
        }
    }
}

}  // namespace kumihimo::inline v0::extract
