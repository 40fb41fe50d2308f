#include "extract/run.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "extract/csv.hpp"
#include "extract/ndjson.hpp"

namespace kumihimo::inline v0::extract {

// What exists only while a run is under way. It is the schedule's plan: cut() and work() are called by the workers.
struct run::engine {
    run& of;
    cutter inputs;
    mutable std::mutex schema_lock;
    std::shared_ptr<const schema> columns;
    std::vector<std::unique_ptr<worker>> workers;  // one per thread, and the collector's own
    schedule<job, engine> pipeline;
    std::size_t behind = 0;  // tasks of the first input that are only cut, for they were done before

    engine(run& r, std::shared_ptr<const schema> c)
        : of(r),
          inputs(r.inputs_, cut_options{r.how_.read}, r.wake_, std::move(r.ahead_)),
          columns(std::move(c)),
          pipeline(*this) {
        inputs.begin_at(r.from_.at.input, r.from_.at.made);
        behind = r.from_.at.done;
    }

    std::shared_ptr<const schema> current() const {
        const std::lock_guard lock(schema_lock);
        return columns;
    }

    bool cut(job& j) noexcept {
        if (of.cancelled()) return false;
        j.begun = j.here = false;
        j.from = {};
        j.documents = j.had = 0;
        try {
            for (; behind != 0; --behind) {
                if (of.cancelled()) return false;
                if (!inputs.next(j.what)) return lack(j);
            }
            return inputs.next(j.what);
        } catch (const std::bad_alloc&) {
            j.what.type = task::kind::fault;
            j.what.fault = {};
            j.what.fault.about = report::scope::input;
            j.what.fault.code = errc::memory;
            return true;
        }
    }

    // There are fewer tasks than lie behind.
    bool lack(job& j) {
        behind = 0;
        j.what.type = task::kind::fault;
        j.what.from.reset();
        kumihimo::failure why;
        why.code = errc::misuse;
        why.what = "this is not the input that was read before: it ends where reading was to go on";
        const std::size_t at = of.from_.at.input;
        j.what.fault =
            report_input(report::scope::input, at < of.inputs_.size() ? of.inputs_.paths[at] : std::string(), {}, why);
        return true;
    }

    bool work(job& j, unsigned by) noexcept {
        j.with = current();
        if (j.begun)
            workers[by]->resume(j.with, of.most_rows(of.how_.limit), j.got);
        else
            workers[by]->work(j.what, j.with, of.most_rows(of.how_.limit), j.got);
        j.begun = true;
        return j.got.more;
    }
};

run::run(std::vector<std::string> paths, options how) : given_(std::move(paths)), how_(std::move(how)) {
    how_.read.nested = std::min(how_.read.nested, most_nested);
    how_.read.prove = how_.on_error != policy::stop;
    how_.read.document_limit = how_.document.size;
    inputs_ = expand(given_, how_.read.match, notes_, how_.read.fetched.get());
    pipes_ = reads_streams();
    paths_.clear(how_.most_keys);
    if (!how_.distinct.empty() && how_.out != form::documents) distinct_.emplace(how_.distinct, how_.distinct_size);
    wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

run::~run() {
    cancel();
    engine_.reset();  // joins the workers
    if (wake_ >= 0) ::close(wake_);
    for (const auto& [path, fd] : kept_) ::close(fd);
}

bool run::resume(const resume_point& from) {
    if (started_ || from.at.input > inputs_.size()) return false;
    point_ = from_ = from;
    lines_ = from.lines;
    of_archive_ = from.of_archive;
    inputs_done_ = from.at.input;
    bytes_ = from.bytes;
    documents_ = from.documents;
    rows_ = from.rows;
    bad_ = from.bad;
    members_ = from.members;
    kept_rest_ = from.kept_rest.count;
    first_rest_ = from.kept_rest.first;
    blocked_ = from.blocked.count;
    first_blocked_ = from.blocked.first;
    astray_ = from.astray.count;
    first_astray_ = from.astray.first;
    no_array_ = from.no_array.count;
    first_no_array_ = from.no_array.first;
    return true;
}

// All that was counted until this place.
resume_point run::stand(const cut_place& at) const {
    resume_point p;
    p.at = at;
    p.lines = lines_;
    p.of_archive = at.done != 0 ? of_archive_ : 0;
    p.bytes = bytes_;
    p.documents = documents_;
    p.rows = rows_;
    p.bad = bad_;
    p.members = members_;
    p.kept_rest = {kept_rest_, first_rest_};
    p.blocked = {blocked_, first_blocked_};
    p.astray = {astray_, first_astray_};
    p.no_array = {no_array_, first_no_array_};
    return p;
}

void run::cancel() noexcept {
    cancelled_.store(true, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    if (wake_ >= 0) [[maybe_unused]]
        const auto written = ::write(wake_, &one, sizeof one);
}

errc run::start(std::shared_ptr<const schema> columns, std::shared_ptr<inference> finder) {
    if (started_) return errc::misuse;
    if (columns->others() == beyond::told && !finder) return errc::misuse;
    started_ = true;
    over_ = from_.rows != 0 && from_.rows >= how_.limit;
    finder_ = std::move(finder);
    std::uint64_t total = 0;
    for (const found_file& f : inputs_.found) total += f.size;
    total_.store(total, std::memory_order_relaxed);
    unsigned threads = how_.jobs != 0 ? how_.jobs : std::max(1u, std::thread::hardware_concurrency());
    if (threads == 1 && !waits()) threads = 0;
    try {
        engine_ = std::make_unique<engine>(*this, std::move(columns));
        for (unsigned i = 0; i <= threads; ++i)
            engine_->workers.push_back(std::make_unique<worker>(inputs_, how_, &cancelled_, &silent_));
        for (const auto& w : engine_->workers) w->watch_for(finished_);
    } catch (const std::bad_alloc&) {
        return errc::memory;
    }
    if (!engine_->pipeline.start(threads, threads * 2 + 2)) return errc::memory;
    threads_.store(std::max(1u, engine_->pipeline.threads()), std::memory_order_release);
    return errc::ok;
}

bool run::next(result& out) {
    for (;;) {
        const progress p = next(out, std::chrono::hours(1));
        if (p != progress::waiting) return p == progress::ready;
    }
}

progress run::next(result& out, std::chrono::milliseconds patience) {
    out.text.clear();
    out.listed.clear();
    out.quarantine.clear();
    out.reports.clear();
    out.notes.clear();
    out.count = 0;
    if (!engine_ || over_ || cancelled()) return progress::end;
    const auto until = std::chrono::steady_clock::now() + patience;
    for (;;) {
        job* j = going_;
        if (j != nullptr) {
            j->with = engine_->current();
            engine_->workers.back()->resume(j->with, most_rows(left()), j->got);
        } else {
            const progress p = engine_->pipeline.next(j, patience);
            if (p == progress::waiting) return p;
            if (p == progress::end) return end(out) ? progress::ready : progress::end;
        }
        const bool something = take(*j, out);
        going_ = j->here && j->got.more && !over_ ? j : nullptr;
        if (going_ == nullptr) engine_->pipeline.release(j->here || over_);
        if (something) return progress::ready;
        if (over_) return progress::end;
        // A condition may hold for nothing in gigabytes: the caller looks up at times.
        if (std::chrono::steady_clock::now() >= until) return progress::waiting;
    }
}

// Behind the last task. True when there is one more thing to say.
bool run::end(result& out) {
    over_ = true;
    inputs_done_ = inputs_.size();
    if (how_.read.match.empty() || members_ != 0 || bad_ != 0 || pipes_ || cancelled()) {
        std::swap(out.notes, notes_);
        if (inputs_.unopened.count != 0) out.notes.push_back(inputs_.unopened.sentence());
        return !out.notes.empty();
    }
    kumihimo::failure why;
    why.code = errc::misuse;
    why.what = "no entry and no file has a path that matches --match";
    out.reports.push_back(about_all(why));
    if (inputs_.links.count != 0) out.reports.back().message += "; " + inputs_.links.sentence();
    if (inputs_.unopened.count != 0) out.reports.back().message += "; " + inputs_.unopened.sentence();
    std::swap(out.notes, notes_);
    ++bad_;
    if (how_.on_error == policy::stop) failure_ = out.reports.front();
    if (how_.on_error == policy::quarantine) write_report(out.reports.front(), nullptr, out.quarantine);
    return true;
}

report run::about_all(const kumihimo::failure& why) const {
    return report_input(report::scope::input, given_.size() == 1 ? how_.read.shown_as(given_[0]) : std::string(), {}, why);
}

void run::fix(std::shared_ptr<const schema> columns) {
    how_.widen = false;
    const std::lock_guard lock(engine_->schema_lock);
    engine_->columns = std::move(columns);
}

std::vector<std::string> run::closing() const {
    std::vector<std::string> out;
    if (blocked_ != 0)
        out.push_back("in " + std::to_string(blocked_) + (blocked_ == 1 ? " row" : " rows") +
                      " a field is empty because its path meets another kind of value; the first: " + first_blocked_);
    if (astray_ != 0)
        out.push_back("for " + std::to_string(astray_) + (astray_ == 1 ? " document" : " documents") +
                      " a path of the condition meets another kind of value, so it leads nowhere; the first: " + first_astray_);
    if (no_array_ != 0)
        out.push_back("where an array of the rows was looked for, another kind of value stood " + std::to_string(no_array_) +
                      (no_array_ == 1 ? " time" : " times") + "; the first: " + first_no_array_);
    if (kept_rest_ != 0)
        out.push_back(std::to_string(kept_rest_) + (kept_rest_ == 1 ? " row has" : " rows have") +
                      " values without a column of their own, which are in \"" + std::string(columns()->columns().back().name) +
                      "\"; the first: " + first_rest_);
    return out;
}

// Makes sure that the job was done with the columns as they are now and within the rows that are left; else does it
// again, here, in order. So neither widening nor a limit depends on how the threads were scheduled. False when the run
// is over.
bool run::bring_up_to_date(job& j) {
    worker& own = *engine_->workers.back();
    for (;;) {
        const std::shared_ptr<const schema> columns = engine_->current();
        const bool overflows = archive_overflows(j);
        if (j.with != columns || overflows || j.got.count > most_rows(left())) {
            j.with = columns;
            own.work(j.what, columns, most_rows(left()), j.got, j.from, j.had);
            j.here = true;
        }
        if (!j.got.widened && !j.got.unplaced) return true;
        std::shared_ptr<const schema> wider = j.got.widened;
        if (finder_ && !find_columns(j, wider)) return false;
        if (!how_.widen) {
            disagreement_ = contradiction{j.got.disagreement, wider};
            over_ = true;
            return false;
        }
        last_change_ = j.got.disagreement;
        notes_.push_back(last_change_);
        const std::lock_guard lock(engine_->schema_lock);
        engine_->columns = std::move(wider);
    }
}

// Whether the job has more rows than its input may still give. An input's tasks are worked on at the same time, so
// none of them knows what those before it gave.
bool run::archive_overflows(job& j) {
    if (how_.per_archive == no_limit || !j.what.from) return false;
    if (!archive_ || archive_->input() != j.what.from->input()) {
        finished_.store(nullptr, std::memory_order_release);  // first: a worker must not take another input for this one
        // Where the run goes on inside of an input, that has given rows before.
        if (archive_ || from_.at.done == 0 || j.what.of != from_.at.input) of_archive_ = 0;
        archive_ = j.what.from;
    }
    j.had = of_archive_;
    if (of_archive_ < how_.per_archive) return j.got.count > how_.per_archive - of_archive_;
    finished_.store(archive_->input(), std::memory_order_release);
    return j.got.documents != 0 || j.got.more || !j.got.reports.empty() || j.got.widened || j.got.unplaced;
}

// Takes rows out that are not new, and makes the text of the others. False when there is no memory for what was seen.
bool run::make_distinct(job& j) {
    outcome& got = j.got;
    if (!distinct_ || silent_.load(std::memory_order_relaxed)) return true;
    if (distinct_->filter(*got.rows, left()) == errc::size) {
        kumihimo::failure f;
        f.code = errc::size;
        report r = report_input(report::scope::input, j.what.from ? j.what.from->name : std::string(), j.what.entry, f);
        r.message = "what is distinct takes more than " + std::to_string(how_.distinct_size) +
                    " bytes; raise --distinct-size (distinct_size), or sort the rows and make them distinct behind this";
        failure_ = r;
        ++bad_;
        over_ = true;
        return false;
    }
    got.count = got.rows->rows();
    errc e = errc::ok;
    if (how_.out == form::csv) e = write_csv(*got.rows, got.text, how_.csv);
    if (how_.out == form::ndjson) e = write_ndjson(*got.rows, got.text);
    if (e != errc::ok) throw std::bad_alloc();
    return true;
}

// Adds what was seen in a part. False when there is no room for it.
bool run::unite_paths(job& j) {
    if (how_.out != form::schema || j.got.stopped || paths_.unite(j.got.paths)) return true;
    kumihimo::failure f;
    f.code = errc::size;
    report r = report_input(report::scope::input, j.what.from ? j.what.from->name : std::string(), j.what.entry, f);
    r.message = path_summary::full_sentence(how_.most_keys);
    failure_ = r;
    ++bad_;
    over_ = true;
    return false;
}

// The columns, or members of structs, were found in the documents, so those of this task are shown to the inference as
// well, and all is decided anew: as if the sample had had them.
bool run::find_columns(job& j, std::shared_ptr<const schema>& out) {
    const std::shared_ptr<const schema> before = engine_->current();
    const auto refuse = [&](const std::string& why) {
        kumihimo::failure f;
        f.code = errc::unsupported;
        report r = report_input(report::scope::input, j.what.from ? j.what.from->name : std::string(), j.what.entry, f);
        r.message = "the columns cannot hold all fields: " + why;
        failure_ = r;
        ++bad_;
        over_ = true;
        return false;
    };
    std::string why;
    const bool all = how_.limit == no_limit && how_.per_archive == no_limit;
    const std::uint64_t shown = all ? no_limit : j.documents + j.got.documents;
    engine_->workers.back()->watch(j.what, *finder_, shown, true);
    if (finder_->finish(out, why, before->others()) != errc::ok) return refuse(why);
    if (out->same(*before)) {
        context ctx;
        const std::string& text = j.got.offender;
        const bytes document{reinterpret_cast<const unsigned char*>(text.data()), text.size()};
        finder_->observe(document, ctx);
        for (std::size_t i = 0; j.got.widened && i < before->fields(); ++i)
            if (!same_type(j.got.widened->columns()[i], before->columns()[i]))
                finder_->give_up(definition(before->columns()[i]));
        if (finder_->finish(out, why, before->others()) != errc::ok) return refuse(why);
        if (out->same(*before)) return refuse("there is no column for what is in " + j.got.place);
    }
    if (!j.got.unplaced) return true;
    // Which are new.
    std::string names;
    std::size_t more = 0, named = 0;
    for (std::size_t i = 0; i < out->fields(); ++i) {
        const column_spec& now = out->columns()[i];
        const auto old = before->columns().first(before->fields());
        if (std::any_of(old.begin(), old.end(), [&](const column_spec& c) { return same_value(c, now); })) continue;
        if (++named > 3) {
            ++more;
            continue;
        }
        names += (names.empty() ? "\"" : ", \"") + out->columns()[i].name + '"';
    }
    if (more != 0) names += " and " + std::to_string(more) + " more";
    j.got.disagreement = named == 0   ? "columns had to change"
                         : named == 1 ? "column " + names + " was not in the sample"
                                      : "columns " + names + " were not in the sample";
    j.got.disagreement += "; the first place is " + j.got.place;
    return true;
}

// Says where reports are in the whole text, not in its piece, and hands them over.
void run::place_reports(outcome& got, result& out) {
    if (got.piece) {
        if (got.first) lines_ = got.lines_before;
        for (report& r : got.reports)
            if (r.about == report::scope::document && r.line != 0) r.line += lines_;
        lines_ += got.newlines;
    }
    bad_ += got.reports.size();
    if (got.stopped && !got.reports.empty()) failure_ = got.reports.back();
    for (std::size_t i = 0; i < got.put_aside.size(); ++i) {
        const std::string& text = got.put_aside[i];
        const bytes document{reinterpret_cast<const unsigned char*>(text.data()), text.size()};
        if (!write_report(got.reports[i], text.empty() ? nullptr : &document, out.quarantine)) throw std::bad_alloc();
    }
    std::swap(out.reports, got.reports);
}

// Hands a job's rows over, or a part of them. False when there is nothing in it to see.
bool run::take(job& j, result& out) {
    if (!bring_up_to_date(j)) return false;
    if (j.what.from) of_archive_ += j.got.count;
    if (!make_distinct(j) || !unite_paths(j)) return false;
    outcome& got = j.got;
    j.from = got.end;
    j.had = got.of_archive;
    j.documents += got.documents;
    if (!got.more) bytes_ += j.what.cost;
    documents_ += got.documents;
    members_ += got.members;
    if (got.kept_rest != 0 && kept_rest_ == 0) first_rest_ = got.first_rest;
    kept_rest_ += got.kept_rest;
    if (got.blocked != 0 && blocked_ == 0) first_blocked_ = got.first_blocked;
    blocked_ += got.blocked;
    if (got.astray != 0 && astray_ == 0) first_astray_ = got.first_astray;
    astray_ += got.astray;
    if (got.no_array != 0 && no_array_ == 0) first_no_array_ = got.first_no_array;
    no_array_ += got.no_array;
    rows_ += got.count;
    if (got.stopped || rows_ >= how_.limit) over_ = true;
    out.count = got.count;
    const bool further = got.more && !over_;
    place_reports(got, out);
    if (further) {
        point_.reset();
    } else {
        point_ = stand(j.what.behind);
        inputs_done_ = j.what.behind.input;
    }
    std::swap(out.text, got.text);
    std::swap(out.listed, got.listed);
    std::swap(out.notes, notes_);
    notes_.clear();
    if (how_.out == form::columns || how_.keep_rows) std::swap(out.rows, got.rows);
    return out.count != 0 || !out.reports.empty() || !out.notes.empty();
}

bool run::reads_streams() const noexcept {
    return std::any_of(inputs_.found.begin(), inputs_.found.end(),
                       [](const found_file& f) { return f.type == found_file::kind::stream; });
}

bool run::fetches() const noexcept {
    return std::any_of(inputs_.found.begin(), inputs_.found.end(),
                       [](const found_file& f) { return f.type == found_file::kind::fetched; });
}

counters run::now() const noexcept {
    counters c;
    c.bytes = bytes_;
    c.total = total_;
    c.documents = documents_;
    c.rows = rows_;
    c.bad = bad_;
    c.complete_total = !pipes_ && how_.read.fetched == nullptr;
    c.inputs = inputs_done_;
    return c;
}

std::shared_ptr<const schema> run::columns() const { return threads() != 0 ? engine_->current() : nullptr; }

}  // namespace kumihimo::inline v0::extract
