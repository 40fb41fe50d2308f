// Of a run: the sample, before the workers start, and what is kept of pipes for it or to be read again.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "extract/binary.hpp"
#include "extract/cut_state.hpp"
#include "extract/run.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t sample_inputs = 16;
constexpr std::size_t ahead_block = std::size_t{64} << 10;  // of a pipe, while it is sampled

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

// Opens a pipe to sample it. A Zip has its directory at the end, so all of it is taken; of a tar, too, for what is cut
// out of its stream would be gone.
void run::look_ahead(const std::string& path) {
    if (ahead_.count(path) != 0) return;
    read_ahead& known = ahead_[path];
    known.rest = open_input(path);
    if (known.rest < 0) return;
    descriptor_source from(known.rest, false, wake_);
    context ctx;
    std::string& head = known.bytes;
    kept_source kept(known, from);
    std::string seen;
    const bool binary = binary_by_name(how_.read.format, path) != nullptr;
    if (read_head(kept, tar_reader::block, binary, seen, ctx) != errc::ok) return;
    const char* why = "";
    content is = sniff(as_bytes(head), why);
    if (const packing packed_as = packing_of(is); packed_as != packing::none && !binary) {
        kept_source again(known, from);
        source_chain chain;
        std::string text;
        context said;  // the run says it
        static_cast<void>(read_head(expand(chain, again, packed_as, how_.read.allowed), tar_reader::block, false, text, said));
        is = sniff(as_bytes(text), why);
    }
    if (!is_archive(is)) return;
    if (known.ended) from.end();
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

std::uint64_t run::sample_list(const input_list& list, std::unordered_map<std::string, read_ahead> ahead, inference& by,
                               std::uint64_t n) {
    cut_options once{how_.read};
    once.prove = false;
    cutter inputs(list, std::move(once), wake_, std::move(ahead));
    worker eye(list, how_, &cancelled_, &silent_);
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
    if (known.file >= 0) {
        // Under the pipe's own name, which says what is in it.
        input_list list;
        list.paths.push_back(path);
        list.found.push_back({found_file::kind::stream});
        std::unordered_map<std::string, read_ahead> kept;
        kept[path].file = ::fcntl(known.file, F_DUPFD_CLOEXEC, 3);
        return kept[path].file < 0 ? 0 : sample_list(list, std::move(kept), by, n);
    }
    if (known.rest < 0) return 0;
    descriptor_source pipe(known.rest, false, wake_);
    kept_source raw(known, pipe);
    byte_source* from = &raw;
    source_chain chain;
    const char* why = "";
    const packing packed_as =
        packing_of(sniff({reinterpret_cast<const unsigned char*>(known.bytes.data()), known.bytes.size()}, why));
    if (packed_as != packing::none) from = &expand(chain, *from, packed_as, how_.read.allowed);
    text_cutter cut(*from, how_.read.rules(path), how_.document.size, binary_by_name(how_.read.format, path));
    const input_list none;
    worker eye(none, how_, &cancelled_, &silent_);
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

// Where the sample is everything: the plan of a schedule, whose jobs are inferences, united in input order.
struct run::survey {
    struct job {
        task what;
        std::unique_ptr<inference> seen;
        bool out_of_memory = false;
    };

    run& of;
    const inference& asked;
    cutter inputs;
    std::vector<std::unique_ptr<worker>> workers;
    schedule<job, survey> pipeline;

    survey(run& r, const inference& by, std::unordered_map<std::string, read_ahead> ahead)
        : of(r), asked(by), inputs(r.inputs_, cut_options{r.how_.read}, r.wake_, std::move(ahead)), pipeline(*this) {}

    bool cut(job& j) noexcept {
        j.seen.reset();
        j.out_of_memory = false;
        try {
            return !of.cancelled() && inputs.next(j.what);
        } catch (const std::bad_alloc&) {
            j.what.type = task::kind::fault;
            j.out_of_memory = true;
            return true;
        }
    }
    bool work(job& j, unsigned by) noexcept {
        try {
            j.seen = asked.another();
            workers[by]->watch(j.what, *j.seen, no_limit, true);
        } catch (const std::bad_alloc&) {
            j.out_of_memory = true;
        }
        return false;
    }
};

void run::sample_all(inference& by) {
    if (started_) return;
    std::unordered_map<std::string, read_ahead> ahead;
    for (const auto& [path, fd] : kept_) ahead[path].file = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
    for (const auto& [path, why] : lost_) ahead[path].lost = why;
    if (!by.unites()) {
        cutter inputs(inputs_, cut_options{how_.read}, wake_, std::move(ahead));
        worker eye(inputs_, how_, &cancelled_, &silent_);
        for (task t; !cancelled() && inputs.next(t);) eye.watch(t, by, no_limit, true);
        sampled_all_ = !cancelled();
        return;
    }
    survey all(*this, by, std::move(ahead));
    const unsigned jobs = how_.jobs != 0 ? how_.jobs : std::max(1u, std::thread::hardware_concurrency());
    const unsigned threads = jobs == 1 ? 0 : jobs;
    for (unsigned i = 0; i < std::max(1u, threads); ++i)
        all.workers.push_back(std::make_unique<worker>(inputs_, how_, &cancelled_, &silent_));
    if (!all.pipeline.start(threads, threads * 2 + 2)) throw std::bad_alloc();
    survey::job* j = nullptr;
    while (!cancelled()) {
        const progress p = all.pipeline.next(j, std::chrono::milliseconds(50));
        if (p == progress::end) break;
        if (p == progress::waiting) continue;
        if (j->out_of_memory) throw std::bad_alloc();
        by.unite(*j->seen);
        all.pipeline.release();
    }
    sampled_all_ = !cancelled();
}

std::uint64_t run::sample(std::uint64_t n, inference& by) {
    if (started_) return 0;
    std::uint64_t seen = 0;
    if (how_.read.joined) {
        seen = sample_list(inputs_, {}, by, n);
        sampled_all_ = all_of_input_;
        return seen;
    }
    std::vector<std::size_t> there;  // what is missing holds no document
    for (std::size_t i = 0; i < inputs_.size(); ++i)
        if (inputs_.found[i].type != found_file::kind::missing) there.push_back(i);
    // What the host fetches is read from the first one on, so that nobody waits for those that lie behind.
    const std::size_t inputs = std::min(fetches() ? 1 : sample_inputs, there.size());
    sampled_all_ = true;
    for (std::size_t i = 0; i < inputs; ++i) {
        if (seen >= n || by.sated() || cancelled()) {
            sampled_all_ = false;
            break;
        }
        // The inputs of one stretch of the list. A loose file holds a document or few, so its neighbours are looked at
        // too.
        const std::size_t from = i * there.size() / inputs, to = (i + 1) * there.size() / inputs;
        const std::uint64_t quota = (n - seen + inputs - i - 1) / (inputs - i);
        all_of_input_ = false;
        if (inputs_.found[there[from]].type == found_file::kind::stream) {
            seen += sample_pipe(inputs_.paths[there[from]], by, quota);
            sampled_all_ = sampled_all_ && all_of_input_ && to == from + 1;
            continue;
        }
        input_list stretch;
        for (std::size_t k = from; k < to && stretch.size() < quota; ++k) {
            const found_file& f = inputs_.found[there[k]];
            if (f.type == found_file::kind::regular || f.type == found_file::kind::fetched)
                stretch.add(inputs_.paths[there[k]], f);
        }
        seen += sample_list(stretch, {}, by, quota);
        sampled_all_ = sampled_all_ && all_of_input_ && stretch.size() == to - from;
    }
    return seen;
}

}  // namespace kumihimo::inline v0::extract
