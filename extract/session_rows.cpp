// How rows leave a session: what is read ahead, what starts again, what is drawn.
#include <algorithm>
#include <new>

#include "extract/csv.hpp"
#include "extract/ndjson.hpp"
#include "extract/session.hpp"

namespace kumihimo::inline v0::extract {
namespace {

// The column that a chart runs along: the first of times, else batch::none.
std::size_t time_column(const schema& of) {
    for (std::size_t i = 0; i < of.fields(); ++i)
        if (of.columns()[i].meaning().type == column_type::timestamp) return i;
    return batch::none;
}

}  // namespace

void session::keep() {
    const std::lock_guard lock(telling_);
    for (report& r : got_.reports) reports_.push_back(std::move(r));
    for (std::string& n : got_.notes) notes_.push_back(std::move(n));
    if (!quarantine_.append(got_.quarantine.data(), got_.quarantine.size())) throw std::bad_alloc();
}

void session::draw(const batch& rows) {
    const schema& of = rows.of();
    const std::size_t x = time_column(of);
    const bool bounded = x != batch::none && !of.columns()[x].meaning().nanoseconds;
    for (std::size_t i = 0; i < of.fields(); ++i) {
        const column_type t = of.columns()[i].meaning().type;
        if (t != column_type::int64 && t != column_type::float64 && t != column_type::decimal) continue;
        std::size_t k = 0;
        while (k < lines_.size() && lines_[k].first != i) ++k;
        if (k == lines_.size())
            lines_.emplace_back(i, bounded ? thinner(of_.chart, first_drawn, last_drawn) : thinner(of_.chart));
        if (lines_[k].second.push(rows, x, i) != errc::ok) throw std::bad_alloc();
    }
}

// The columns have changed: rows that come now are another table's. If all is to be done again, this run goes on to
// its end to meet what else there is, so that once is enough.
bool session::look_for_changes() {
    if (!stale_ && (tabular() || of_.rows != form::none) && !schema_only() && run_->columns() != columns_) {
        stale_ = true;
        run_->silence();
    }
    return stale_;
}

extract::progress session::advance(milliseconds patience) {
    if (intervals_ && hand_out_intervals()) return extract::progress::ready;
    if (intervals_ && (intervals_->enough() || own_failure_)) return extract::progress::end;
    got_.rows = std::move(spare_);  // null of a chart, whose rows stay here
    const extract::progress p = run_->next(got_, std::min(patience, turn));
    if (const auto& why = run_->failure(); why) [[unlikely]] {
        const std::lock_guard lock(telling_);
        if (!failure_) failure_ = *why;
    }
    if (p == extract::progress::end && intervals_ && finish_intervals()) return extract::progress::ready;
    if (p != extract::progress::ready) return p;
    // What is read only to be read again is also told again.
    if (stale_) got_.reports.clear(), got_.quarantine.clear();
    keep();
    if (look_for_changes()) {
        got_.text.clear();
        if (got_.rows) got_.rows->clear();
        return p;
    }
    if (intervals_) {
        take_in();
        hand_out_intervals();
        return p;
    }
    if (of_.chart == 0 || !got_.rows || got_.rows->rows() == 0) return p;
    draw(*got_.rows);
    if (text()) {
        const errc e =
            of_.rows == form::csv ? write_csv(*got_.rows, got_.text, of_.reading.csv) : write_ndjson(*got_.rows, got_.text);
        if (e != errc::ok) throw std::bad_alloc();
    }
    return p;
}

std::shared_ptr<extract::run> session::run_again(std::shared_ptr<const schema> columns) const {
    auto next = std::make_shared<extract::run>(of_.inputs, of_.reading);
    next->inherit(*run_);
    if (next->start(std::move(columns), finder_) != errc::ok) throw std::bad_alloc();
    return next;
}

// Starts again with the columns as they have become. Only while nothing was handed out.
bool session::start_wider(trouble& why) {
    run_->cancel();
    const std::shared_ptr<const schema> wider = run_->columns();
    if (std::string sentence; of_.resample && !resample_into(*wider, sentence)) {
        refuse(trouble::misuse(std::move(sentence)), why);
        return false;
    }
    std::shared_ptr<extract::run> next = run_again(wider);
    ready_.clear();
    lines_.clear();
    held_ = 0;
    stale_ = false;
    const std::lock_guard lock(telling_);
    reports_.clear();  // the run that starts now reports them again
    quarantine_.clear();
    columns_ = wider;
    first_notes_ = notes_;
    run_.swap(next);
    if (cancelled_) run_->cancel();
    return true;
}

// The schema is handed out now and rows are still to come: what no column holds goes to `rest` from here on.
bool session::fix(trouble& why) {
    std::shared_ptr<const schema> fixed;
    std::string sentence;
    if (columns_->fixed(fixed, sentence) != errc::ok) {
        why = trouble::misuse(sentence);
        return false;
    }
    const row_path* const elements = of_.elements ? &*of_.elements : nullptr;
    std::unique_ptr<resampler> same;
    if (of_.resample && resampler::make(*of_.resample, *fixed, elements, same, sentence) != errc::ok) {
        refuse(trouble::misuse(std::move(sentence)), why);
        return false;
    }
    for (const auto& rows : ready_)
        if (!of_.resample && rows->adopt(fixed) != errc::ok) throw std::bad_alloc();
    run_->fix(fixed);
    const std::lock_guard lock(telling_);
    columns_ = std::move(fixed);
    first_notes_ = notes_;
    return true;
}

bool session::can_drive(bool asked_for_form, const char* otherwise, trouble& why) const {
    if (phase_ == phase::running && asked_for_form) return true;
    why = trouble::misuse(phase_ == phase::running ? otherwise : "the extraction was not started");
    if (phase_ == phase::failed && of_.resample && run_) why = refused_;  // types that came late were of no use
    return false;
}

session::step session::decide_columns(milliseconds patience, trouble& why) {
    if (settled_) return step::ready;
    return driving([&]() -> step {
        if (!can_drive(true, "", why)) return step::failed;
        if (schema_only()) {
            why = trouble::misuse("the schema is known when all documents were counted");
            return step::failed;
        }
        if (settled_ || !tabular()) return step::ready;
        if (guessed_ && !over_) {
            const extract::progress p = advance(patience);
            if (p == extract::progress::waiting) return step::waiting;
            if (p == extract::progress::ready) {
                // Of intervals both count: few of them stand for many rows, and a gap between two rows for many of
                // them.
                held_ += std::exchange(read_, 0);
                if (got_.rows) held_ += got_.rows->capacity();
                if (got_.rows && !stale_) ready_.push_back(std::move(got_.rows));
                if (held_ + untold() < held_back || (stale_ && of_.rewritable)) return step::waiting;
            }
            if (stale_ && !run_->failure()) {
                return start_wider(why) ? step::waiting : step::failed;
            }
            over_ = p == extract::progress::end;
            if (!over_ && !of_.rewritable && !fix(why)) return step::failed;
        }
        settled_ = true;
        return step::ready;
    });
}

// A guess that did not hold, or a column that came late: kept for contradiction() and again(). False when there was
// none.
bool session::note_contradiction() {
    const auto& found = run_->disagreement();
    if (!found && !stale_) return false;
    const std::lock_guard told(telling_);
    if (found && contradiction_.empty()) notes_.push_back(found->note);
    contradiction_ = found ? found->note : run_->last_change();
    widened_ = found ? found->widened : run_->columns();
    return true;
}

session::step session::next(std::unique_ptr<batch>& out, milliseconds patience, trouble& why) {
    out.reset();
    if (const step s = decide_columns(patience, why); s != step::ready) return s;
    return driving([&]() -> step {
        if (!can_drive(columns_out(), "this extraction gives no columns: its form is another", why)) return step::failed;
        return take_rows(out, patience, why);
    });
}

session::step session::take_rows(std::unique_ptr<batch>& out, milliseconds patience, trouble& why) {
    if (!ready_.empty()) {
        out = std::move(ready_.front());
        ready_.pop_front();
        return step::ready;
    }
    const extract::progress p = over_ ? extract::progress::end : advance(patience);
    if (p != extract::progress::end) {
        // Without rows only so that the consumer may take what is told, or keep a token.
        const bool any = p == extract::progress::ready && got_.rows && got_.rows->rows() != 0;
        const bool empty = p == extract::progress::ready && got_.rows ? much_to_tell() : read_much();
        if (stale_ || (!any && !empty)) return step::waiting;
        out = p == extract::progress::ready && got_.rows ? std::move(got_.rows)
                                                         : std::make_unique<batch>(columns_, of_.reading.level);
        paused_at_ = run_->now().bytes;
        return step::ready;
    }
    over_ = true;
    if (run_->cancelled()) {
        why = {errc::host, trouble::was_cancelled, {}};
    } else if (ended_by()) {
        why = trouble::about(*ended_by());
    } else if (note_contradiction()) {
        why = {errc::unsupported,
               contradiction_ + ", but rows with the guessed type were handed out already: give the column's type",
               {}};
    } else {
        return step::end;
    }
    return step::failed;
}

session::step session::next(buffer& out, bool pause, milliseconds patience, trouble& why) {
    out.clear();
    if (of_.resample) return next_interval_text(out, pause, patience, why);
    return driving([&]() -> step {
        if (!can_drive(text() || blocks(), "this extraction gives no text: its form is not csv or ndjson", why))
            return step::failed;
        if (blocks()) return next_block(out, pause, patience, why);
        if (over_) return ended(why);
        std::swap(got_.text, out);
        const extract::progress p = advance(patience);
        std::swap(got_.text, out);
        if (p == extract::progress::end) return ended(why);
        if (p == extract::progress::waiting && !(pause && read_much())) return step::waiting;
        if (out.size() == 0 && !(pause && much_to_tell())) return step::waiting;
        paused_at_ = run_->now().bytes;
        return step::ready;
    });
}

// Blocks that are packed are handed out first; only where none waits for long, more is read.
session::step session::next_block(buffer& out, bool pause, milliseconds patience, trouble& why) {
    const auto taken = [&](milliseconds wait) {
        context ctx;
        const extract::progress p = packer_->take(out, wait, ctx);
        if (p != extract::progress::ready) return p == extract::progress::end ? step::end : step::waiting;
        if (ctx.failure.code == errc::ok) return step::ready;
        why = {ctx.failure.code, std::string("a block cannot be packed: ") + ctx.failure.what, {}};
        return step::failed;
    };
    if (run_->cancelled() || run_->failure()) return ended(why);
    if (over_ && !all_packed_) {
        packer_->finish();
        all_packed_ = true;
    }
    if (over_ || packer_->full()) {
        const step said = taken(std::min(patience, turn));
        return said == step::end ? ended(why) : said;
    }
    if (const step said = taken(milliseconds(0)); said == step::ready || said == step::failed) return said;
    const extract::progress p = advance(patience);
    if (p == extract::progress::end) {
        over_ = true;
        if (run_->failure() || run_->cancelled()) return ended(why);
        return step::waiting;
    }
    if (p == extract::progress::ready)
        packer_->add({reinterpret_cast<const unsigned char*>(got_.text.data()), got_.text.size()}, got_.listed);
    return pause && much_to_tell() ? step::ready : step::waiting;
}

session::step session::next(std::uint64_t& count, milliseconds patience, trouble& why) {
    count = 0;
    if (of_.resample) return next_interval_count(count, patience, why);
    return driving([&]() -> step {
        if (!can_drive(of_.rows == form::none || schema_only(), "rows are only counted with the form none", why))
            return step::failed;
        const extract::progress p = over_ ? extract::progress::end : advance(patience);
        if (p == extract::progress::end) {
            if (schema_only() && !settled_ && !run_->failure() && !run_->cancelled() && !decide_by_paths(why))
                return step::failed;
            return ended(why);
        }
        count = got_.count;
        return p == extract::progress::ready ? step::ready : step::waiting;
    });
}

// The columns of all documents that were read.
bool session::decide_by_paths(trouble& why) {
    std::shared_ptr<const schema> all;
    std::string sentence;
    if (const errc e = columns_of(run_->paths(), of_.nested_types, all, sentence); e != errc::ok) {
        if (e == errc::memory) throw std::bad_alloc();
        why = {errc::unsupported, "the documents have no columns: " + sentence, {}};
        return false;
    }
    {
        const std::lock_guard lock(telling_);
        columns_ = std::move(all);
    }
    settled_ = true;
    return true;
}

session::step session::schema_of_paths(schema_text as, buffer& out, trouble& why) const {
    out.clear();
    const std::lock_guard lock(driving_);
    if (!can_drive(schema_only(), "this extraction gives no schema: its form is another", why)) return step::failed;
    if (!settled_) {
        why = trouble::misuse("the schema is known when all documents were counted");
        return step::failed;
    }
    if (write_schema(run_->paths(), as, of_.nested_types, out) != errc::ok) throw std::bad_alloc();
    return step::ready;
}

// The end of text and counts, or what ended the run early.
session::step session::ended(trouble& why) {
    over_ = true;
    if (run_->failure() && !run_->cancelled()) {
        why = trouble::about(*run_->failure());
        return step::failed;
    }
    if (!note_contradiction() || of_.rewritable) return step::end;
    kumihimo::failure f;
    f.code = errc::unsupported;
    report r = report_input(report::scope::input, {}, {}, f);
    r.message = contradiction_ + ", but rows without it were handed out already";
    why = trouble::about(r);
    return step::failed;
}

series session::drawn() const {
    series out;
    out.x = "row";
    const std::lock_guard lock(driving_);
    const std::shared_ptr<const schema> of = columns();
    if (!of) return out;
    if (candles_) {
        draw_intervals(out);
        return out;
    }
    const std::size_t x = time_column(*of);
    const column_spec* const times = x != batch::none ? &of->columns()[x].meaning() : nullptr;
    if (times != nullptr) {
        out.x = of->columns()[x].name;
        out.is_time = true;
        if (times->in_zone) out.zone = times->in_zone->name();
    }
    const bool nano = times != nullptr && times->nanoseconds;
    for (const auto& [column, points] : lines_) {
        series::line& l = out.lines.emplace_back();
        l.name = of->columns()[column].name;
        for (const thinner::point& p : points.points()) {
            l.xs.push_back(nano ? p.x / 1000 - (p.x % 1000 < 0) : p.x);
            l.ys.push_back(p.y);
        }
        out.outside = std::max(out.outside, points.outside());
    }
    return out;
}

std::unique_ptr<session> session::again() {
    const std::lock_guard lock(driving_);
    std::shared_ptr<const schema> wider;
    {
        const std::lock_guard told(telling_);
        wider = widened_;
    }
    if (!wider || !can_read_again_) return nullptr;
    auto next = std::make_unique<session>(of_);
    next->columns_ = wider;
    next->finder_ = finder_;
    next->discovers_ = discovers_;
    next->guessed_ = next->can_read_again_ = true;
    next->phase_ = phase::running;
    next->notes_ = next->first_notes_ = notes();
    next->run_ = run_again(wider);
    if (std::string sentence; of_.resample && !next->resample_into(*wider, sentence)) {
        trouble said;
        next->refuse(trouble::misuse(std::move(sentence)), said);
    }
    return next;
}

}  // namespace kumihimo::inline v0::extract
