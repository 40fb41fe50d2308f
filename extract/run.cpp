#include "extract/run.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <thread>
#include <utility>

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t sample_inputs = 16;
constexpr std::size_t ahead_limit = std::size_t{1} << 20;  // bytes read from a pipe to look at its documents
constexpr int ahead_patience = 200;                        // milliseconds without a byte: what is there has to do
constexpr std::chrono::milliseconds ahead_longest{500};    // and in all, of a pipe that trickles

cut_options cut_options_of(const options& how) {
    cut_options c;
    c.match = how.match;
    c.as = how.as;
    c.allowed = how.allowed;
    c.document_limit = how.document.size;
    return c;
}

// The beginning of a pipe's bytes, as a source that fails at its end unless that is the pipe's end too: then a document that
// was cut by it is not taken for a whole one.
class unfinished_source final : public byte_source {
public:
    unfinished_source(bytes head, bool ended) noexcept : at_hand_(head), ended_(ended) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override {
        KUMIHIMO_TRY(at_hand_.read(to, room, got, ctx));
        return got == 0 && !ended_ ? ctx.fail(errc::truncated, 0, "only the beginning was read") : errc::ok;
    }
    std::uint64_t consumed() const noexcept override { return at_hand_.consumed(); }

private:
    memory_source at_hand_;
    bool ended_;
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
        try {
            return inputs.next(j.what);
        } catch (const std::bad_alloc&) {
            j.what.as = task::kind::fault;
            j.what.fault = {};
            j.what.fault.of = report::scope::input;
            j.what.fault.code = errc::memory;
            return true;
        }
    }

    void work(job& j, unsigned by) noexcept {
        j.with = current();
        workers[by]->work(j.what, j.with, of.how_.limit, j.got);
    }
};

run::run(std::vector<std::string> paths, options how) : how_(std::move(how)) {
    inputs_ = input_list(expand(paths, how_.match, early_));
    work_.level = how_.level;
    work_.as = how_.as;
    work_.on_error = how_.on_error;
    work_.out = how_.out;
    work_.keep_rows = how_.keep_rows;
    work_.csv = how_.csv;
    work_.allowed = how_.allowed;
    work_.match = how_.match;
    work_.document = how_.document;
    wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

run::~run() {
    cancel();
    engine_.reset();  // joins the workers
    if (wake_ >= 0) ::close(wake_);
}

void run::cancel() noexcept {
    cancelled_.store(true, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    if (wake_ >= 0) [[maybe_unused]]
        const auto written = ::write(wake_, &one, sizeof one);
}

// Takes what a pipe has, up to a limit, and keeps it for the run.
void run::look_ahead(const std::string& path) {
    if (ahead_.count(path) != 0) return;
    read_ahead& known = ahead_[path];
    const int fd = open_input(path);
    if (fd < 0) return;
    std::string& head = known.bytes;
    std::chrono::steady_clock::time_point until{};
    while (head.size() < ahead_limit && !cancelled()) {
        pollfd waiting[2] = {{fd, POLLIN, 0}, {wake_, POLLIN, 0}};
        const auto now = std::chrono::steady_clock::now();
        const int left = now < until ? ahead_patience : 0;
        const int n = ::poll(waiting, wake_ >= 0 ? 2 : 1, head.empty() ? -1 : left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0 || waiting[0].revents == 0) break;  // silent, or cancelled
        const std::size_t had = head.size();
        head.resize(ahead_limit);
        const ssize_t got = ::read(fd, head.data() + had, ahead_limit - had);
        head.resize(had + (got > 0 ? static_cast<std::size_t>(got) : 0));
        if (had == 0) until = std::chrono::steady_clock::now() + ahead_longest;
        if (got == 0) known.ended = true;
        if (got <= 0) break;
    }
    if (!looks_like_zip({reinterpret_cast<const unsigned char*>(head.data()), head.size()})) {
        known.rest = fd;
        return;
    }
    descriptor_source rest(fd, true, wake_);
    prefixed_source all(std::move(head), rest);
    context ctx;
    known.file = spool(all, ctx);
    if (known.file < 0) early_.push_back(report_input(report::scope::input, path, {}, ctx.failure));
}

std::uint64_t run::sample_files(const std::vector<std::string>& paths, inference& by, std::uint64_t n) {
    const input_list list(paths);
    cutter inputs(list, cut_options_of(how_), wake_);
    worker eye(list, work_, &cancelled_);
    std::uint64_t seen = 0;
    for (task t; seen < n && !cancelled() && inputs.next(t);) seen += eye.watch(t, by, n - seen);
    return seen;
}

std::uint64_t run::sample_pipe(const std::string& path, inference& by, std::uint64_t n) {
    look_ahead(path);
    const read_ahead& known = ahead_[path];
    // By this name the file has an offset of its own, and reading it here does not disturb the run.
    if (known.file >= 0) return sample_files({"/proc/self/fd/" + std::to_string(known.file)}, by, n);
    const bytes head{reinterpret_cast<const unsigned char*>(known.bytes.data()), known.bytes.size()};
    unfinished_source at_hand(head, known.ended);
    byte_source* from = &at_hand;
    std::optional<inflate_source> expanded;
    if (looks_like_gzip(head)) from = &expanded.emplace(*from, inflate_source::wrapper::gzip, how_.allowed);
    text_cutter cut(*from, how_.as, how_.document.size);
    const input_list none;
    worker eye(none, work_, &cancelled_);
    std::uint64_t seen = 0;
    task t;
    t.as = task::kind::piece;
    t.from = std::make_shared<opened>();
    for (context ctx; seen < n && cut.next(std::size_t{256} << 10, t.text, ctx) == errc::ok && !t.text.text.empty();)
        seen += eye.watch(t, by, n - seen);
    return seen;
}

std::uint64_t run::sample(std::uint64_t n, inference& by) {
    if (started_) return 0;
    std::uint64_t seen = 0;
    const std::size_t inputs = std::min(sample_inputs, inputs_.paths.size());
    for (std::size_t i = 0; i < inputs && seen < n && !cancelled(); ++i) {
        // The inputs of one stretch of the list. A loose file holds a document or few, so its neighbours are looked at too.
        const std::size_t from = i * inputs_.paths.size() / inputs, to = (i + 1) * inputs_.paths.size() / inputs;
        const std::uint64_t quota = (n - seen + inputs - i - 1) / (inputs - i);
        if (inputs_.found[from].as == found_file::kind::stream) {
            seen += sample_pipe(inputs_.paths[from], by, quota);
            continue;
        }
        std::vector<std::string> stretch;
        for (std::size_t k = from; k < to && stretch.size() < quota; ++k)
            if (inputs_.found[k].as == found_file::kind::regular) stretch.push_back(inputs_.paths[k]);
        seen += sample_files(stretch, by, quota);
    }
    return seen;
}

errc run::start(std::shared_ptr<const schema> columns) {
    if (started_) return errc::misuse;
    started_ = true;
    std::uint64_t total = 0;
    for (const found_file& f : inputs_.found) {
        total += f.size;
        pipes_ = pipes_ || f.as == found_file::kind::stream;
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
    out.quarantine.clear();
    out.reports.clear();
    out.notes.clear();
    out.count = 0;
    if (!engine_ || over_ || cancelled()) return progress::end;
    if (!early_.empty()) {
        out.reports = std::exchange(early_, {});
        bad_ += out.reports.size();
        if (how_.on_error == policy::stop) {
            failure_ = out.reports.front();
            over_ = true;
        }
        if (how_.on_error == policy::quarantine)
            for (const report& r : out.reports) write_report(r, nullptr, out.quarantine);
        return progress::ready;
    }
    for (;;) {
        job* j = nullptr;
        const progress p = engine_->pipeline.next(j, patience);
        if (p != progress::ready) {
            over_ = p == progress::end;
            return p;
        }
        const bool something = take(*j, out);
        engine_->pipeline.release();
        if (something) return progress::ready;
        if (over_) return progress::end;
    }
}

// Makes sure that the job was done with the columns as they are now and within the rows that are left; else does it again,
// here, in order. So neither widening nor a limit depends on how the threads were scheduled.
void run::settle(job& j) {
    worker& own = *engine_->workers.back();
    for (;;) {
        const std::shared_ptr<const schema> columns = engine_->current();
        if (j.with != columns || j.got.count > left()) {
            j.with = columns;
            own.work(j.what, columns, left(), j.got);
        }
        if (!j.got.widened) return;
        if (!how_.widen) {
            disagreement_ = contradiction{j.got.disagreement, j.got.widened};
            over_ = true;
            return;
        }
        notes_.push_back(j.got.disagreement);
        const std::lock_guard lock(engine_->schema_lock);
        engine_->columns = j.got.widened;
    }
}

// Hands a job's rows over. False when there is nothing in it to see.
bool run::take(job& j, result& out) {
    settle(j);
    if (over_) return false;
    outcome& got = j.got;
    if (got.piece) {
        if (got.first) lines_ = 0;
        for (report& r : got.reports)
            if (r.of == report::scope::document && r.line != 0) r.line += lines_;
        lines_ += got.newlines;
    }
    bytes_ += j.what.cost;
    documents_ += got.documents;
    rows_ += got.count;
    bad_ += got.reports.size();
    if (got.stopped) {
        if (!got.reports.empty()) failure_ = got.reports.back();
        over_ = true;
    }
    if (rows_ >= how_.limit) over_ = true;
    out.count = got.count;
    std::swap(out.text, got.text);
    std::swap(out.quarantine, got.quarantine);
    std::swap(out.reports, got.reports);
    std::swap(out.notes, notes_);
    notes_.clear();
    if (how_.out == form::columns || how_.keep_rows) std::swap(out.rows, got.rows);
    return out.count != 0 || !out.reports.empty() || !out.notes.empty();
}

bool run::reads_streams() const noexcept {
    return std::any_of(inputs_.found.begin(), inputs_.found.end(),
                       [](const found_file& f) { return f.as == found_file::kind::stream; });
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
