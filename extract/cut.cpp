#include "extract/cut.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "extract/binary.hpp"
#include "extract/entry_rules.hpp"
#include "extract/glob.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t most_entries = 8192;    // in one task, however small they are
constexpr std::size_t head_size = 64 * 1024;  // read to recognise a stream

struct descriptor {
    int fd;
    explicit descriptor(int f) noexcept : fd(f) {}
    ~descriptor() {
        if (fd >= 0) ::close(fd);
    }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    int release() noexcept { return std::exchange(fd, -1); }
};

// Passes a Zip entry's stream on and checks size and checksum at its end.
class checked_source final : public byte_source {
public:
    checked_source(byte_source& from, const zip_entry& entry) noexcept : from_(&from), entry_(entry) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override {
        KUMIHIMO_TRY(from_->read(to, room, got, ctx));
        crc_ = crc32(crc_, {reinterpret_cast<const unsigned char*>(to), got});
        seen_ += got;
        if (seen_ > entry_.size)
            return ctx.fail(errc::syntax, entry_.header, "the compressed data expands to more than the archive says");
        if (got != 0) return errc::ok;
        if (seen_ < entry_.size)
            return ctx.fail(errc::truncated, entry_.header, "the compressed data expands to less than the archive says");
        if (crc_ != entry_.crc) return ctx.fail(errc::syntax, entry_.header, wrong_checksum);
        return errc::ok;
    }
    std::uint64_t consumed() const noexcept override { return from_->consumed(); }

private:
    byte_source* from_;
    zip_entry entry_;
    std::uint64_t seen_ = 0;
    std::uint32_t crc_ = 0;
};

// Whether as much of a stream's beginning is enough to recognise it: what starts like JSON, and longer than all signatures.
bool recognisable(const std::string& head) noexcept {
    return head.size() >= 8 || (!head.empty() && std::strchr("{[\" \n\r\t\x1e", head[0]) != nullptr);
}

// Reads until there are n bytes or no more, or those that are there will do and the source is silent.
errc read_head(byte_source& from, std::size_t n, std::string& head, context& ctx) {
    constexpr int patience = 50;  // milliseconds
    while (head.size() < n && (!recognisable(head) || from.ready(patience))) {
        const std::size_t had = head.size();
        head.resize(n);
        std::size_t got = 0;
        const errc e = from.read(head.data() + had, n - had, got, ctx);
        head.resize(had + got);
        if (e != errc::ok) return e;
        if (got == 0) break;
    }
    return errc::ok;
}

bytes as_bytes(const std::string& s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }

}  // namespace

failure system_failure(const char* what, int error) {
    failure f;
    f.code = errc::host;
    f.what = what;
    f.path = std::strerror(error);
    return f;
}

// A Zip can only be read from its end, so one that comes through a pipe is written to a file first.
int spool(byte_source& from, context& ctx) {
    const auto fail = [&](const char* what) {
        ctx.failure = system_failure(what, errno);
        return -1;
    };
    const char* folder = std::getenv("TMPDIR");
    std::string name = (folder != nullptr && *folder != 0 ? folder : "/var/tmp") + std::string("/kumihimo-XXXXXX");
    descriptor fd(::mkostemp(name.data(), O_CLOEXEC));
    if (fd.fd < 0) return fail("what comes through this pipe needs a temporary file, and none can be made (set TMPDIR)");
    ::unlink(name.c_str());
    constexpr std::size_t block = std::size_t{1} << 20;
    const auto data = std::make_unique<char[]>(block);
    for (;;) {
        std::size_t got = 0;
        if (from.read(data.get(), block, got, ctx) != errc::ok) return -1;
        if (got == 0) return fd.release();
        for (std::size_t done = 0; done < got;) {
            const ssize_t n = ::write(fd.fd, data.get() + done, got - done);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return fail("what comes through this pipe cannot be written to a temporary file (set TMPDIR)");
            done += static_cast<std::size_t>(n);
        }
    }
}

// A text that is cut into pieces while it is read: the chain of sources, last the one that gives text, and the cutter on top.
struct cutter::text_stream {
    source_chain chain;
    std::unique_ptr<text_cutter> cut;
    std::string entry;
    std::uint64_t header = 0;    // of the entry, for faults
    std::uint64_t reported = 0;  // of consumed(), for progress
    std::uint64_t leftover = 0;  // cost of an input at hand, added with the last piece
    std::uint64_t before = 0;    // bytes of the input before those that the chain reads
};

cutter::cutter(const input_list& inputs, cut_options options, int wake, std::unordered_map<std::string, read_ahead> ahead)
    : inputs_(inputs), options_(std::move(options)), ahead_(std::move(ahead)), wake_(wake) {}
cutter::~cutter() = default;

read_ahead::~read_ahead() {
    if (file >= 0) ::close(file);
    if (rest >= 0) ::close(rest);
}

// The size of tasks grows from `start` to `target` by a quarter each: the first rows come soon, and the sequence depends on
// nothing but the input, so that runs are repeatable whatever the number of threads.
std::size_t cutter::aim() const noexcept {
    std::size_t size = options_.start;
    for (std::size_t i = 0; i < made_ && size < options_.target; ++i) size += size / 4;
    return std::min(size, options_.target);
}

bool cutter::wanted(const zip_entry& entry, const std::vector<std::string>& match, std::string& room) {
    // Nothing at all in it: what is said to be empty and has a checksum is not, and has to be looked at.
    const bool nothing = entry.size == 0 && entry.crc == 0 && entry.lost == nullptr;
    if (entry.lost != nullptr && entry.name.empty()) return true;
    return !nothing && !ignorable(entry.name) && (match.empty() || glob_any(match, zip_name(entry, room)));
}

bool cutter::fault(task& out, report::scope of, const std::string& entry, const failure& why) {
    out.type = task::kind::fault;
    out.fault = report_input(of, now_ ? now_->name : std::string(), entry, why);
    return true;
}

bool cutter::next(task& out) {
    out.from.reset();
    out.entries.clear();
    out.blocks.clear();
    out.text.documents.clear();
    out.text.holder.reset();
    out.entry.clear();
    out.cost = 0;
    for (;;) {
        bool made = false;
        if (stream_) {
            made = next_piece(out);
        } else if (in_zip_) {
            made = next_entries(out);
        } else if (blocks_) {
            made = next_blocks(out);
        } else if (at_ < inputs_.size()) {
            made = open(out);
        } else {
            return false;
        }
        if (made) {
            ++made_;
            return true;
        }
    }
}

// Opens the next path. True when a task was made at once (a group of files, a fault); else the state says what to go on with.
bool cutter::open(task& out) {
    const std::size_t first = at_;
    std::uint64_t total = 0;
    while (at_ < inputs_.size()) {
        const found_file& f = inputs_.found[at_];
        if (f.type != found_file::kind::regular || f.size > small) break;
        if (at_ != first && (total + f.size > aim() || at_ - first == group)) break;
        total += f.size;
        ++at_;
    }
    if (at_ != first) {
        out.type = task::kind::files;
        out.first_file = first;
        out.files = at_ - first;
        out.cost = total;
        return true;
    }
    const std::string& path = inputs_.paths[at_];
    const found_file& found = inputs_.found[at_++];
    now_ = std::make_shared<opened>();
    now_->name = path;
    if (found.type == found_file::kind::folder)
        return fault(out, report::scope::input, {}, system_failure("the input is a folder", EISDIR));
    if (found.type == found_file::kind::missing)
        return fault(out, report::scope::input, {},
                     system_failure(found.what != nullptr ? found.what : "the input cannot be opened", found.error));
    const auto known = ahead_.find(path);
    if (known != ahead_.end() && known->second.file >= 0) {
        const int file = std::exchange(known->second.file, -1);
        ahead_.erase(known);
        return open_spooled(out, file);
    }
    if (known != ahead_.end() && known->second.lost) return fault(out, report::scope::input, {}, *known->second.lost);
    const bool opened_before = known != ahead_.end() && known->second.rest >= 0;
    descriptor fd(opened_before ? std::exchange(known->second.rest, -1) : open_input(path));
    if (fd.fd < 0) return fault(out, report::scope::input, {}, system_failure("the input cannot be opened", errno));
    if (found.type == found_file::kind::stream) return open_stream(out, fd.release(), path);
    // The file may have grown since it was looked at.
    struct stat s;
    if (::fstat(fd.fd, &s) != 0 || !now_->file.map(fd.fd, static_cast<std::size_t>(s.st_size)))
        return fault(out, report::scope::input, {}, system_failure("the input cannot be mapped", errno));
    return open_mapped(out, now_);
}

bool cutter::open_mapped(task& out, std::shared_ptr<opened> file) {
    const bytes data = file->file.data();
    const char* why = "";
    const binary_format* const binary = binary_by_name(options_.format, file->name);
    // Binary documents may hold a whole Zip, so its end says nothing there.
    content is = binary != nullptr ? sniff(data, why) : sniff_file(data, why);
    is = binary_content(is, binary, file->name, data, why);
    context ctx;
    switch (is) {
        case content::zip:
            if (directory_.open(data, ctx) != errc::ok) {
                if (directory_.walkable()) {
                    walk_ = zip_walk(data, options_.allowed);
                    broken_ = ctx.failure;
                    file->directory = data.size();
                    in_zip_ = true;
                    zip_left_ = data.size();
                    return false;
                }
                out.cost = data.size();
                return fault(out, report::scope::input, {}, ctx.failure);
            }
            file->directory = directory_.begin();
            in_zip_ = true;
            zip_left_ = data.size();
            return false;
        case content::gzip:
        case content::zstd:
        case content::lz4: {
            const packing packed_as = packing_of(is);
            if (options_.text_layout == layout::automatic && block_walk::begins(data, packed_as)) {
                blocks_.emplace(data, packed_as, options_.format);
                blocks_packed_as_ = packed_as;
                return false;
            }
            // One stream keeps one thread busy; files that can be expanded as a whole spread over all of them.
            if (data.size() <= whole / 4 && announced(packed_as, data) <= whole) {
                out.type = task::kind::blob;
                out.packed = packed_as;
                out.from = now_;
                out.cost = data.size();
                return true;
            }
            open_packed(data, packed_as, binary, nullptr);
            return false;
        }
        case content::text:
            stream_ = std::make_unique<text_stream>();
            stream_->cut = std::make_unique<text_cutter>(data, options_.rules(file->name), options_.document_limit, binary);
            return false;
        default: break;
    }
    ctx.fail(errc::unsupported, 0, why);
    out.cost = data.size();
    return fault(out, report::scope::input, {}, ctx.failure);
}

// A mapped file as a stream, or what is left of it behind its blocks.
void cutter::open_packed(bytes data, packing packed_as, const binary_format* binary, const block_walk* behind) {
    if (behind != nullptr) data = data.subspan(static_cast<std::size_t>(behind->at()));
    stream_ = std::make_unique<text_stream>();
    auto& raw = stream_->chain.add<memory_source>(data);
    auto& text = expand(stream_->chain, raw, packed_as, options_.allowed);
    proof known;
    if (options_.prove) {
        memory_source again(data);
        source_chain first;
        auto& expanded = expand(first, again, packed_as, options_.allowed);
        known = prove(expanded, &expanded, wake_);
    }
    auto& given = stream_->chain.add<proven_source>(text, std::move(known));
    stream_->cut = std::make_unique<text_cutter>(given, options_.rules(now_->name), options_.document_limit, binary);
    if (behind == nullptr) return;
    stream_->before = behind->at();
    stream_->cut->behind(behind->text_at(), behind->documents());
}

bool cutter::open_stream(task& out, int fd, const std::string& path) {
    std::string head;
    bool ended = false;
    if (const auto known = ahead_.find(path); known != ahead_.end()) {
        head = std::move(known->second.bytes);
        ended = known->second.ended;
        ahead_.erase(known);
    }
    auto made = std::make_unique<text_stream>();
    auto& pipe = made->chain.add<descriptor_source>(fd, true, wake_, head.size());
    if (ended) pipe.end();
    byte_source* from = &pipe;
    context ctx;
    if (read_head(*from, head_size, head, ctx) != errc::ok) return fault(out, report::scope::input, {}, ctx.failure);
    const char* why = "";
    const binary_format* const binary = binary_by_name(options_.format, path);
    const content is = binary_content(sniff(as_bytes(head), why), binary, path, as_bytes(head), why);
    if (is == content::other) {
        ctx.fail(errc::unsupported, 0, why);
        return fault(out, report::scope::input, {}, ctx.failure);
    }
    from = &made->chain.add<prefixed_source>(std::move(head), *from);
    if (is == content::zip) {
        const int file = spool(*from, ctx);
        if (file < 0) return fault(out, report::scope::input, {}, ctx.failure);
        return open_spooled(out, file);
    }
    if (packing_of(is) != packing::none) from = &expand(made->chain, *from, packing_of(is), options_.allowed);
    made->cut = std::make_unique<text_cutter>(*from, options_.rules(path), options_.document_limit, binary);
    stream_ = std::move(made);
    return false;
}

bool cutter::open_spooled(task& out, int file) {
    descriptor fd(file);
    struct stat s;
    if (::fstat(fd.fd, &s) != 0 || !now_->file.map(fd.fd, static_cast<std::size_t>(s.st_size)))
        return fault(out, report::scope::input, {}, system_failure("the temporary file cannot be mapped", errno));
    return open_mapped(out, now_);
}

// Entries of an archive without its directory, and the archive's own fault behind them.
bool cutter::next_walked(task& out) {
    const std::size_t want = aim();
    std::uint64_t text = 0;
    out.type = task::kind::entries;
    std::string room;
    zip_entry e;
    bool more = false;
    while (text < want && out.entries.size() < most_entries && (more = walk_.next(e))) {
        if (!wanted(e, options_.match, room)) continue;
        out.cost += std::min(zip_left_, e.packed);
        zip_left_ -= std::min(zip_left_, e.packed);
        out.entries.push_back(e);
        text += e.size;
    }
    out.from = now_;
    if (!out.entries.empty()) return true;
    in_zip_ = false;
    out.from.reset();
    out.cost = zip_left_;
    const failure why = *std::exchange(broken_, std::nullopt);
    return fault(out, report::scope::input, {}, why);
}

bool cutter::next_entries(task& out) {
    if (broken_) return next_walked(out);
    const std::size_t want = aim();
    std::uint64_t text = 0;
    out.type = task::kind::entries;
    std::string room;
    while (!directory_.done() && out.entries.size() < most_entries) {
        const zip_directory before = directory_;
        const zip_entry e = directory_.next();
        out.cost += e.packed + e.name.size() * 2 + 76;
        if (!wanted(e, options_.match, room)) continue;
        // Large entries are streamed; encrypted ones and those of unknown methods only fail, whatever their size.
        const bool readable = !e.encrypted() && e.readable();
        const bool large = readable && e.size > whole && too_much(e, options_.allowed) == nullptr;
        if (large) {
            if (!out.entries.empty()) {
                directory_ = before;
                out.cost -= e.packed + e.name.size() * 2 + 76;
                break;
            }
            zip_left_ -= std::min(zip_left_, e.packed);
            return open_entry(out, e);
        }
        out.entries.push_back(e);
        text += e.size;
        if (text >= want) break;
    }
    if (directory_.done()) {
        in_zip_ = false;
        out.cost = zip_left_;
    }
    if (out.entries.empty()) return false;
    zip_left_ -= std::min(zip_left_, out.cost);
    out.from = now_;
    return true;
}

bool cutter::open_entry(task& out, const zip_entry& entry) {
    std::string room;
    const std::string name(zip_name(entry, room));
    context ctx;
    bytes data;
    if (zip_data(now_->file.data(), now_->directory, entry, data, ctx) != errc::ok)
        return fault(out, report::scope::entry, name, ctx.failure);
    // The chain is made twice: once to prove the entry, once to give it.
    for (bool proving = options_.prove;; proving = false) {
        auto made = std::make_unique<text_stream>();
        made->entry = name;
        made->header = entry.header;
        byte_source* from = &made->chain.add<memory_source>(data);
        if (packing_of(entry) != packing::none) from = &expand(made->chain, *from, packing_of(entry), options_.allowed);
        from = &made->chain.add<checked_source>(*from, entry);
        std::string head;
        if (read_head(*from, head_size, head, ctx) != errc::ok) {
            ctx.failure.offset = entry.header;
            return fault(out, report::scope::entry, name, ctx.failure);
        }
        const char* why = "";
        const binary_format* const binary = binary_by_name(options_.format, name);
        content is = sniff(as_bytes(head), why);
        is = binary_content(is, binary, name, as_bytes(head), why);
        if (const char* const refused = not_opened(is, false, why)) {
            ctx.fail(errc::unsupported, entry.header, refused);
            return fault(out, report::scope::entry, name, ctx.failure);
        }
        from = &made->chain.add<prefixed_source>(std::move(head), *from);
        if (proving) {
            proof known = prove(*from, nullptr, wake_);
            if (known.code == errc::ok) continue;
            known.why.offset = entry.header;
            return fault(out, report::scope::entry, name, known.why);
        }
        if (packing_of(is) != packing::none) from = &expand(made->chain, *from, packing_of(is), options_.allowed);
        made->cut = std::make_unique<text_cutter>(*from, options_.rules(name), options_.document_limit, binary);
        stream_ = std::move(made);
        return false;
    }
}

bool cutter::next_piece(task& out) {
    context ctx;
    text_stream& s = *stream_;
    const errc e = s.cut->next(aim(), out.text, ctx);
    if (!s.chain.empty()) {
        const std::uint64_t now = s.chain.first().consumed();
        out.cost = now - s.reported;
        s.reported = now;
    } else {
        out.cost = out.text.text.size();
    }
    if (e != errc::ok) {
        const bool member = !s.entry.empty();
        // Within the text an offset means something to the user; in the compressed data of an entry only its header does.
        report::scope of = s.cut->in_text() ? report::scope::document : member ? report::scope::entry : report::scope::input;
        if (of == report::scope::entry) ctx.failure.offset = s.header;
        if (of == report::scope::input && ctx.failure.offset != failure::nowhere) ctx.failure.offset += s.before;
        fault(out, of, s.entry, ctx.failure);
        stream_.reset();
        return true;
    }
    if (out.text.text.empty()) {
        stream_.reset();
        return false;
    }
    out.type = task::kind::piece;
    out.from = now_;
    out.entry = s.entry;
    return true;
}

}  // namespace kumihimo::inline v0::extract
