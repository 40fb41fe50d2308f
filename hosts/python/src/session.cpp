#include "src/session.hpp"

#include <condition_variable>
#include <thread>

#include "engine/scalar/time_text.hpp"
#include "extract/csv.hpp"
#include "extract/ndjson.hpp"
#include "src/extraction_arguments.hpp"

namespace nb = nanobind;

namespace kumihimo::inline v0::python {
namespace {

// How much is held back while types are only guessed, so that a wrong guess can still be corrected: bytes of column memory.
constexpr std::size_t held_back = std::size_t{48} << 20;
constexpr std::size_t report_size = 512;  // bytes of one, about

std::size_t untold(session& s) {
    const std::lock_guard lock(s.telling);
    return s.reports.size() * report_size + s.quarantine.size();
}

// What a calendar can draw, in microseconds: two days short of the years 1 and 9999, so that every zone's clock can say it.
// Nanoseconds of 64 bits do not reach so far.
constexpr std::int64_t day = std::int64_t{86400} * 1000000;
const std::int64_t first_time = (scalar::days_from_civil({1, 1, 1}) + 2) * day,
                   last_time = (scalar::days_from_civil({9999, 12, 31}) - 2) * day;

void draw(session& s, const extract::batch& rows) {
    const extract::schema& of = rows.of();
    const std::size_t x = time_column(of);
    const bool bounded = x != extract::batch::none && !of.columns()[x].meaning().nanoseconds;
    for (std::size_t i = 0; i < of.fields(); ++i) {
        const extract::column_type t = of.columns()[i].meaning().type;
        if (t != extract::column_type::int64 && t != extract::column_type::float64 && t != extract::column_type::decimal)
            continue;
        std::size_t k = 0;
        while (k < s.lines.size() && s.lines[k].first != i) ++k;
        if (k == s.lines.size())
            s.lines.emplace_back(i, bounded ? extract::thinner(s.chart, first_time, last_time) : extract::thinner(s.chart));
        if (s.lines[k].second.push(rows, x, i) != errc::ok) throw std::bad_alloc();
    }
}

void keep(session& s, extract::result& got) {
    const std::lock_guard lock(s.telling);
    for (extract::report& r : got.reports) s.reports.push_back(std::move(r));
    for (std::string& n : got.notes) s.notes.push_back(std::move(n));
    if (got.quarantine.size() != 0) s.quarantine.append(got.quarantine.data(), got.quarantine.size());
    got.reports.clear();
    got.notes.clear();
    got.quarantine.clear();
}

// Starts again with the columns as they have become. Only while nothing was handed out.
void start_wider(session& s) {
    s.run->cancel();
    const std::shared_ptr<const extract::schema> wider = s.run->columns();
    std::shared_ptr<extract::run> next = run_again(s, wider);
    s.ready.clear();
    s.lines.clear();
    s.stale = false;
    {
        const std::lock_guard lock(s.telling);
        s.reports.clear();  // the run that starts now reports them again
        s.quarantine.clear();
        s.columns = wider;
        s.run.swap(next);
        if (s.cancelled) s.run->cancel();
    }
}  // here the old run ends, unless another thread still looks at it

// The columns have changed: rows that come now are another table's. If all is to be done again, this run goes on to its end to
// meet what else there is, so that once is enough.
bool look_for_changes(session& s) {
    if (!s.stale && s.form != extract::form::none && s.run->columns() != s.columns) {
        s.stale = true;
        s.run->silence();
    }
    return s.stale;
}

// The schema is handed out now and rows are still to come: what no column holds goes to `rest` from here on.
void fix(session& s) {
    std::shared_ptr<const extract::schema> fixed;
    std::string why;
    if (s.columns->fixed(fixed, why) != errc::ok) refuse(why);
    for (const auto& rows : s.ready)
        if (rows->adopt(fixed) != errc::ok) throw std::bad_alloc();
    s.run->fix(fixed);
    const std::lock_guard lock(s.telling);
    s.columns = std::move(fixed);
}

}  // namespace

std::size_t time_column(const extract::schema& of) {
    for (std::size_t i = 0; i < of.fields(); ++i)
        if (of.columns()[i].meaning().type == extract::column_type::timestamp) return i;
    return extract::batch::none;
}

bool much_to_tell(session& s) { return untold(s) > held_back / 4; }

void session::cancel() {
    std::shared_ptr<extract::run> one;
    {
        const std::lock_guard lock(telling);
        cancelled = true;
        one = run;
    }
    one->cancel();
}

std::shared_ptr<extract::run> run_again(const session& s, std::shared_ptr<const extract::schema> columns) {
    auto run = std::make_shared<extract::run>(s.paths, s.how);
    run->inherit(*s.run);
    if (run->start(std::move(columns), s.finder) != errc::ok) throw std::bad_alloc();
    return run;
}

extract::progress advance(session& s, extract::result& got) {
    const extract::progress p = s.run->next(got, patience);
    if (const auto& why = s.run->failure(); why) [[unlikely]] {
        const std::lock_guard lock(s.telling);
        if (!s.failure) s.failure = *why;
    }
    if (p != extract::progress::ready) return p;
    // What is read only to be read again is also told again.
    if (s.stale) got.reports.clear(), got.quarantine.clear();
    keep(s, got);
    if (look_for_changes(s)) {
        got.text.clear();
        if (got.rows) got.rows->clear();
        return p;
    }
    if (s.chart == 0 || !got.rows || got.rows->rows() == 0) return p;
    draw(s, *got.rows);
    if (s.text()) {
        const errc e = s.form == extract::form::csv ? extract::write_csv(*got.rows, got.text, s.how.csv)
                                                    : extract::write_ndjson(*got.rows, got.text);
        if (e != errc::ok) throw std::bad_alloc();
    }
    return p;
}

bool note_contradiction(session& s) {
    const auto& found = s.run->disagreement();
    if (!found && !s.stale) return false;
    const std::lock_guard told(s.telling);
    if (found && s.contradiction.empty()) s.notes.push_back(found->note);
    s.contradiction = found ? found->note : s.run->last_change();
    s.widened = found ? found->widened : s.run->columns();
    return true;
}

void settle(session& s) {
    if (s.settled || !s.columns_out()) return;
    std::size_t held = 0;
    const bool calm = patiently(s, [&] {
        const std::lock_guard lock(s.driving);
        if (s.settled) return false;
        if (s.guessed && !s.over) {
            extract::result got;
            const extract::progress p = advance(s, got);
            if (p == extract::progress::waiting) return true;
            if (p == extract::progress::ready) {
                if (got.rows) held += got.rows->capacity();
                if (got.rows && !s.stale) s.ready.push_back(std::move(got.rows));
                if (held + untold(s) < held_back || (s.stale && s.can_rewrite)) return true;
            }
            if (s.stale && !s.run->failure()) {
                start_wider(s);
                held = 0;
                return true;
            }
            s.over = p == extract::progress::end;
            if (!s.over && !s.can_rewrite) fix(s);
        }
        s.settled = true;
        return false;
    });
    if (!calm) throw nb::python_error();
}

std::uint64_t sample(session& s, extract::inference& by, bool pipes, bool keep) {
    extract::run* const run = s.run.get();
    if (!pipes) {
        const unlocked free;
        return run->sample(s.sample, by);
    }
    std::mutex lock;
    std::condition_variable done;
    bool finished = false;
    std::uint64_t seen = 0;
    std::thread eye([&] {
        if (keep) run->keep_streams();
        const std::uint64_t got = run->sample(s.sample, by);
        const std::lock_guard hold(lock);
        seen = got;
        finished = true;
        done.notify_all();
    });
    const bool whole = patiently(s, [&] {
        std::unique_lock hold(lock);
        return !done.wait_for(hold, patience, [&] { return finished; });
    });
    {
        const unlocked free;
        eye.join();
    }
    if (!whole) throw nb::python_error();
    return seen;
}

void own_process(const session& s) {
    if (s.process == ::getpid()) return;
    PyErr_SetString(PyExc_RuntimeError,
                    "this extraction was begun in another process, which fork() copied without its threads: call extract() in "
                    "the process that reads the rows");
    throw nb::python_error();
}

void forget(session* s) {
    if (s->process == ::getpid()) delete s;
}

}  // namespace kumihimo::inline v0::python
