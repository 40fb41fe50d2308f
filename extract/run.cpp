#include "extract/run.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "extract/binary.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t sample_inputs = 16;
constexpr std::size_t ahead_block = std::size_t{64} << 10;  // of a pipe, while it is sampled

cut_options cut_options_of(const options& how) {
    // Where comments may stand nothing but the reader finds a document's end.
    const bool whole = how.text_layout == layout::automatic && how.dialect && how.dialect->comments();
    return {{how.match, whole ? layout::document : how.text_layout, how.format, how.dialect, how.allowed,
             how.on_error != policy::stop, how.document.size}};
}

// A pipe that is read for the sample: all that comes is kept, for the run begins where the pipe does.
class kept_source final : public byte_source {
public:
    kept_source(read_ahead& kept, descriptor_source& from) noexcept : kept_(kept), from_(from) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override {
        std::string& all = kept_.bytes;
        if (at_ == all.size() && !kept_.ended) {
            const std::size_t had = all.size();
            all.resize(had + ahead_block);
            std::size_t came = 0;
            const errc e = from_.read(all.data() + had, ahead_block, came, ctx);
            all.resize(had + came);
            if (e != errc::ok) return e;
            kept_.ended = came == 0;
        }
        got = std::min(room, all.size() - at_);
        std::memcpy(to, all.data() + at_, got);
        at_ += got;
        return errc::ok;
    }
    bool ready(int patience) noexcept override { return at_ != kept_.bytes.size() || kept_.ended || from_.ready(patience); }
    std::uint64_t consumed() const noexcept override { return at_; }

private:
    read_ahead& kept_;
    descriptor_source& from_;
    std::size_t at_ = 0;
};

}  // namespace

// What exists only while a run is under way. It is the schedule's plan: cut() and work() are called by the workers.
struct run::engine {
    run& of;
    cutter inputs;
    mutable std::mutex schema_lock;
    std::shared_ptr<const schema> columns;
    std::vector<std::unique_ptr<worker>> workers;  // one per thread, and the collector's own
    schedule<job, engine> pipeline;

    engine(run& r, std::shared_ptr<const schema> c)
        : of(r),
          inputs(r.inputs_, cut_options_of(r.how_), r.wake_, std::move(r.ahead_)),
          columns(std::move(c)),
          pipeline(*this) {}

    std::shared_ptr<const schema> current() const {
        const std::lock_guard lock(schema_lock);
        return columns;
    }

    bool cut(job& j) noexcept {
        if (of.cancelled()) return false;
        j.begun = j.here = false;
        j.from = {};
        j.documents = 0;
        try {
            return inputs.next(j.what);
        } catch (const std::bad_alloc&) {
            j.what.type = task::kind::fault;
            j.what.fault = {};
            j.what.fault.about = report::scope::input;
            j.what.fault.code = errc::memory;
            return true;
        }
    }

    bool work(job& j, unsigned by) noexcept {
        j.with = current();
        if (j.begun)
            workers[by]->resume(j.with, of.how_.limit, j.got);
        else
            workers[by]->work(j.what, j.with, of.how_.limit, j.got);
        j.begun = true;
        return j.got.more;
    }
};

run::run(std::vector<std::string> paths, options how) : given_(std::move(paths)), how_(std::move(how)) {
    inputs_ = expand(given_, how_.match, notes_);
    work_.level = how_.level;
    work_.on_error = how_.on_error;
    work_.out = how_.out;
    work_.to = how_.to;
    work_.keep_rows = how_.keep_rows;
    work_.csv = how_.csv;
    work_.part = how_.part;
    work_.read = cut_options_of(how_);
    work_.document = how_.document;
    work_.silent = &silent_;
    wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

run::~run() {
    cancel();
    engine_.reset();  // joins the workers
    if (wake_ >= 0) ::close(wake_);
    for (const auto& [path, fd] : kept_) ::close(fd);
}

void run::cancel() noexcept {
    cancelled_.store(true, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    if (wake_ >= 0) [[maybe_unused]]
        const auto written = ::write(wake_, &one, sizeof one);
}

// Opens a pipe to sample it. A Zip has its directory at the end, so all of it is taken.
void run::look_ahead(const std::string& path) {
    if (ahead_.count(path) != 0) return;
    read_ahead& known = ahead_[path];
    known.rest = open_input(path);
    if (known.rest < 0) return;
    descriptor_source from(known.rest, false, wake_);
    context ctx;
    std::string& head = known.bytes;
    while (head.size() < 4 && !known.ended) {
        char some[4];
        std::size_t got = 0;
        if (from.read(some, sizeof some - head.size(), got, ctx) != errc::ok) return;
        head.append(some, got);
        known.ended = got == 0;
    }
    if (!looks_like_zip({reinterpret_cast<const unsigned char*>(head.data()), head.size()})) return;
    prefixed_source all(std::exchange(head, {}), from);
    known.file = spool(all, ctx);
    if (known.file < 0) known.lost = ctx.failure;
}

// Hands over what was kept of a pipe, or says why that cannot be.
void run::use_kept(const std::string& path) {
    read_ahead& to = ahead_[path];
    if (const auto lost = lost_.find(path); lost != lost_.end()) {
        to.lost = lost->second;
        return;
    }
    to.file = ::fcntl(kept_[path], F_DUPFD_CLOEXEC, 3);
    if (to.file < 0) to.lost = lost_[path] = system_failure("the temporary file of this pipe cannot be opened again", errno);
}

void run::keep_streams() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const std::string& path = inputs_.paths[i];
        if (inputs_.found[i].type != found_file::kind::stream || ahead_.count(path) != 0) continue;
        const int fd = open_input(path);
        if (fd < 0) continue;  // the run says so
        descriptor_source from(fd, true, wake_);
        context ctx;
        const int file = spool(from, ctx);
        if (file < 0)
            lost_[path] = ctx.failure;
        else
            kept_[path] = file;
        use_kept(path);
    }
}

void run::inherit(const run& other) {
    lost_ = other.lost_;
    for (const auto& [path, fd] : other.kept_) {
        const int mine = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
        if (mine >= 0)
            kept_[path] = mine;
        else
            lost_[path] = system_failure("the temporary file of this pipe cannot be opened again", errno);
        use_kept(path);
    }
    for (const auto& [path, why] : lost_) use_kept(path);
}

std::uint64_t run::sample_files(const std::vector<std::string>& paths, inference& by, std::uint64_t n,
                                const std::string& format) {
    const input_list list(paths);
    cut_options once = cut_options_of(how_);
    once.prove = false;
    once.format = format;
    work_options work = work_;
    work.read.format = format;
    cutter inputs(list, std::move(once), wake_);
    worker eye(list, work, &cancelled_);
    std::uint64_t seen = 0;
    task t;
    while (seen < n && !by.sated() && !cancelled()) {
        if (!inputs.next(t)) {
            all_of_input_ = true;
            break;
        }
        seen += eye.watch(t, by, n - seen);
    }
    return seen;
}

std::uint64_t run::sample_pipe(const std::string& path, inference& by, std::uint64_t n) {
    look_ahead(path);
    read_ahead& known = ahead_[path];
    const binary_format* const binary = binary_by_name(how_.format, path);
    // By this name the file has an offset of its own, and reading it here does not disturb the run.
    if (known.file >= 0)
        return sample_files({"/proc/self/fd/" + std::to_string(known.file)}, by, n,
                            binary != nullptr ? std::string(binary->name) : how_.format);
    if (known.rest < 0) return 0;
    descriptor_source pipe(known.rest, false, wake_);
    kept_source raw(known, pipe);
    byte_source* from = &raw;
    source_chain chain;
    const char* why = "";
    const packing packed_as =
        packing_of(sniff({reinterpret_cast<const unsigned char*>(known.bytes.data()), known.bytes.size()}, why));
    if (packed_as != packing::none) from = &expand(chain, *from, packed_as, how_.allowed);
    text_cutter cut(*from, work_.read.rules(), how_.document.size, binary);
    const input_list none;
    worker eye(none, work_, &cancelled_);
    std::uint64_t seen = 0;
    task t;
    t.type = task::kind::piece;
    t.from = std::make_shared<opened>();
    for (context ctx; seen < n && !by.sated() && !cancelled();) {
        const errc e = cut.next(ahead_block, t.text, ctx);
        if (e != errc::ok || t.text.text.empty()) {
            all_of_input_ = true;
            break;
        }
        seen += eye.watch(t, by, n - seen);
    }
    return seen;
}

std::uint64_t run::sample(std::uint64_t n, inference& by) {
    if (started_) return 0;
    std::uint64_t seen = 0;
    std::vector<std::size_t> there;  // what is missing holds no document
    for (std::size_t i = 0; i < inputs_.size(); ++i)
        if (inputs_.found[i].type != found_file::kind::missing) there.push_back(i);
    const std::size_t inputs = std::min(sample_inputs, there.size());
    sampled_all_ = true;
    for (std::size_t i = 0; i < inputs; ++i) {
        if (seen >= n || by.sated() || cancelled()) {
            sampled_all_ = false;
            break;
        }
        // The inputs of one stretch of the list. A loose file holds a document or few, so its neighbours are looked at too.
        const std::size_t from = i * there.size() / inputs, to = (i + 1) * there.size() / inputs;
        const std::uint64_t quota = (n - seen + inputs - i - 1) / (inputs - i);
        all_of_input_ = false;
        if (inputs_.found[there[from]].type == found_file::kind::stream) {
            seen += sample_pipe(inputs_.paths[there[from]], by, quota);
            sampled_all_ = sampled_all_ && all_of_input_ && to == from + 1;
            continue;
        }
        std::vector<std::string> stretch;
        for (std::size_t k = from; k < to && stretch.size() < quota; ++k)
            if (inputs_.found[there[k]].type == found_file::kind::regular) stretch.push_back(inputs_.paths[there[k]]);
        seen += sample_files(stretch, by, quota, how_.format);
        sampled_all_ = sampled_all_ && all_of_input_ && stretch.size() == to - from;
    }
    return seen;
}

errc run::start(std::shared_ptr<const schema> columns, std::shared_ptr<inference> finder) {
    if (started_) return errc::misuse;
    if (columns->others() == beyond::told && !finder) return errc::misuse;
    started_ = true;
    finder_ = std::move(finder);
    std::uint64_t total = 0;
    for (const found_file& f : inputs_.found) {
        total += f.size;
        pipes_ = pipes_ || f.type == found_file::kind::stream;
    }
    total_.store(total, std::memory_order_relaxed);
    unsigned threads = how_.jobs != 0 ? how_.jobs : std::max(1u, std::thread::hardware_concurrency());
    if (threads == 1 && !pipes_) threads = 0;
    try {
        engine_ = std::make_unique<engine>(*this, std::move(columns));
        for (unsigned i = 0; i <= threads; ++i)
            engine_->workers.push_back(std::make_unique<worker>(inputs_, work_, &cancelled_));
    } catch (const std::bad_alloc&) {
        return errc::memory;
    }
    return engine_->pipeline.start(threads, threads * 2 + 2) ? errc::ok : errc::memory;
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
    for (;;) {
        job* j = going_;
        if (j != nullptr) {
            j->with = engine_->current();
            engine_->workers.back()->resume(j->with, left(), j->got);
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
    }
}

// Behind the last task. True when there is one more thing to say.
bool run::end(result& out) {
    over_ = true;
    if (how_.match.empty() || members_ != 0 || bad_ != 0 || pipes_ || cancelled()) {
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
    return report_input(report::scope::input, given_.size() == 1 ? given_[0] : std::string(), {}, why);
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
    if (kept_rest_ != 0)
        out.push_back(std::to_string(kept_rest_) + (kept_rest_ == 1 ? " row has" : " rows have") +
                      " values without a column of their own, which are in \"" + std::string(columns()->columns().back().name) +
                      "\"; the first: " + first_rest_);
    return out;
}

// Makes sure that the job was done with the columns as they are now and within the rows that are left; else does it again,
// here, in order. So neither widening nor a limit depends on how the threads were scheduled. False when the run is over.
bool run::bring_up_to_date(job& j) {
    worker& own = *engine_->workers.back();
    for (;;) {
        const std::shared_ptr<const schema> columns = engine_->current();
        if (j.with != columns || j.got.count > left()) {
            j.with = columns;
            own.work(j.what, columns, left(), j.got, j.from);
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

// The columns were found in the documents, so those of this task are shown to the inference as well, and all columns decided
// anew: as if the sample had had them.
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
    const std::uint64_t shown = how_.limit == worker::no_limit ? worker::no_limit : j.documents + j.got.documents;
    engine_->workers.back()->watch(j.what, *finder_, shown, true);
    if (finder_->finish(out, why, before->others()) != errc::ok) return refuse(why);
    if (out->same(*before)) {
        context ctx;
        const std::string& text = j.got.offender;
        const bytes document{reinterpret_cast<const unsigned char*>(text.data()), text.size()};
        finder_->observe(document, ctx);
        for (std::size_t i = 0; j.got.widened && i < before->fields(); ++i)
            if (j.got.widened->columns()[i].type != before->columns()[i].type) finder_->give_up(before->columns()[i].path);
        if (finder_->finish(out, why, before->others()) != errc::ok) return refuse(why);
        if (out->same(*before)) return refuse("there is no column for what is in " + j.got.place);
    }
    if (!j.got.unplaced) return true;
    // Which are new.
    std::string names;
    std::size_t more = 0, named = 0;
    for (std::size_t i = 0; i < out->fields(); ++i) {
        const std::string& path = out->columns()[i].path;
        const auto old = before->columns().first(before->fields());
        if (std::any_of(old.begin(), old.end(), [&](const column_spec& c) { return c.path == path; })) continue;
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
    outcome& got = j.got;
    j.from = got.end;
    j.documents += got.documents;
    if (!got.more) bytes_ += j.what.cost;
    documents_ += got.documents;
    members_ += got.members;
    if (got.kept_rest != 0 && kept_rest_ == 0) first_rest_ = got.first_rest;
    kept_rest_ += got.kept_rest;
    if (got.blocked != 0 && blocked_ == 0) first_blocked_ = got.first_blocked;
    blocked_ += got.blocked;
    rows_ += got.count;
    if (got.stopped || rows_ >= how_.limit) over_ = true;
    out.count = got.count;
    place_reports(got, out);
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

counters run::now() const noexcept {
    counters c;
    c.bytes = bytes_;
    c.total = total_;
    c.documents = documents_;
    c.rows = rows_;
    c.bad = bad_;
    c.complete_total = !pipes_;
    return c;
}

std::shared_ptr<const schema> run::columns() const { return engine_ ? engine_->current() : nullptr; }

unsigned run::threads() const noexcept { return engine_ ? std::max(1u, engine_->pipeline.threads()) : 0; }

}  // namespace kumihimo::inline v0::extract
