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
#include "extract/cut_state.hpp"
#include "extract/entry_rules.hpp"

namespace kumihimo::inline v0::extract {
namespace {

// Whether as much of a stream's beginning is enough to recognise it: what starts like JSON, is longer than all
// signatures, and is not the beginning of a tar's header.
bool recognisable(const std::string& head, bool binary) noexcept {
    if (!head.empty() && std::strchr("{[\" \n\r\t\x1e", head[0]) != nullptr) return true;
    if (head.size() < 8) return false;
    const char* why = "";
    return binary || head.size() >= tar_reader::block || static_cast<unsigned char>(head[0]) < ' ' ||
           head.find('\n') != head.npos || sniff(as_bytes(head), why) != content::text;
}

}  // namespace

errc read_head(byte_source& from, std::size_t n, bool binary, std::string& head, context& ctx) {
    constexpr int patience = 50;  // milliseconds
    while (head.size() < n && (!recognisable(head, binary) || from.ready(patience))) {
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

cutter::cutter(const input_list& inputs, cut_options options, int wake, std::unordered_map<std::string, read_ahead> ahead)
    : inputs_(inputs), options_(std::move(options)), ahead_(std::move(ahead)), wake_(wake) {}
cutter::~cutter() = default;

read_ahead::~read_ahead() {
    if (file >= 0) ::close(file);
    if (rest >= 0) ::close(rest);
}

// The size of tasks grows from `start` to `target` by a quarter each: the first rows come soon, and the sequence
// depends on nothing but the input, so that runs are repeatable whatever the number of threads.
std::size_t cutter::aim() const noexcept {
    std::size_t size = options_.start;
    for (std::size_t i = 0; i < made_ && size < options_.target; ++i) size += size / 4;
    return std::min(size, options_.target);
}

pick cutter::wanted(const zip_entry& entry, const reading& how, std::string_view prefix, bool opens, std::string& room) {
    // Nothing at all in it: what is said to be empty and has a checksum is not, and has to be looked at.
    const bool nothing = entry.size == 0 && entry.crc == 0 && entry.lost == nullptr;
    if (entry.lost != nullptr && entry.name.empty()) return pick::yes;
    if (nothing || ignorable(entry.name)) return pick::no;
    if (how.match.empty()) return pick::yes;
    return picked(zip_path(entry, prefix, room), how.match, opens);
}

bool cutter::fault(task& out, report::scope of, const std::string& entry, const failure& why) {
    out.type = task::kind::fault;
    out.fault = report_input(of, now_ ? now_->name : std::string(), entry, why);
    return true;
}

bool cutter::next(task& out) {
    out.from.reset();
    out.entries.clear();
    out.members.clear();
    out.held.reset();
    out.blocks.clear();
    out.text.documents.clear();
    out.text.holder.reset();
    out.entry.clear();
    out.cost = 0;
    for (;;) {
        bool made = false;
        if (stream_) {
            made = next_piece(out);
        } else if (!archives_.empty()) {
            made = archives_.back()->tar ? next_members(out) : next_entries(out);
        } else if (blocks_) {
            made = next_blocks(out);
        } else if (at_ < inputs_.size()) {
            here_ = {at_, made_, 0};
            made = open(out);
        } else {
            return false;
        }
        if (made) {
            ++made_;
            ++here_.done;
            out.of = here_.input;
            const bool ended = archives_.empty() && !blocks_ && (!stream_ || stream_->cut->spent());
            out.behind = ended ? cut_place{at_, made_, 0} : here_;
            return true;
        }
    }
}

// Opens the next path. True when a task was made at once (a group of files, a fault); else the state says what to go
// on with.
bool cutter::open(task& out) {
    if (options_.joined) return open_joined(out);
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
    now_->name = options_.shown_as(path);
    if (found.type == found_file::kind::folder)
        return fault(out, report::scope::input, {}, system_failure("the input is a folder", EISDIR));
    if (found.type == found_file::kind::missing)
        return fault(out, report::scope::input, {},
                     system_failure(found.what != nullptr ? found.what : "the input cannot be opened", found.error));
    if (found.type == found_file::kind::fetched) {
        failure why;
        const int file = options_.fetched->take(path, wake_, why);
        if (file < 0) return fault(out, report::scope::input, {}, why);
        return open_spooled(out, file);
    }
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
    if (found.type == found_file::kind::stream) {
        std::string head;
        bool ended = false;
        if (known != ahead_.end()) {
            head = std::move(known->second.bytes);
            ended = known->second.ended;
            ahead_.erase(known);
        }
        auto made = std::make_unique<text_stream>();
        auto& pipe = made->chain.add<descriptor_source>(fd.release(), true, wake_, head.size());
        if (ended) pipe.end();
        return open_stream(out, std::move(made), pipe, std::move(head), path);
    }
    // The file may have grown since it was looked at.
    struct stat s;
    if (::fstat(fd.fd, &s) != 0 || !now_->file.map(fd.fd, static_cast<std::size_t>(s.st_size)))
        return fault(out, report::scope::input, {}, system_failure("the input cannot be mapped", errno));
    now_->data = now_->file.data();
    return open_bytes(out, now_);
}

// All of an input, or an archive in one, is at hand.
bool cutter::open_bytes(task& out, std::shared_ptr<opened> file) {
    const bytes data = file->data;
    const bool member = !file->entry.empty();
    const std::string& name = member ? file->entry : file->name;
    const char* why = "";
    const binary_format* const binary = binary_by_name(options_.format, name);
    // Binary documents may hold a whole Zip, so its end says nothing there.
    content is = binary != nullptr ? sniff(data, why) : sniff_file(data, why);
    is = binary_content(is, binary, name, data, why);
    if (file->only_as_archive && packing_of(is) == packing::none && !is_archive(is)) return false;
    context ctx;
    if (const char* const refused = not_opened(is, false, file->depth, options_.nested, why)) {
        if (!member) out.cost = data.size();
        ctx.fail(errc::unsupported, 0, refused);
        return fault(out, member ? report::scope::entry : report::scope::input, file->entry, ctx.failure);
    }
    if (is_archive(is)) measure(*file, data.size());
    if (is == content::zip) return open_zip(out, std::move(file));
    if (is == content::tar) {
        open_tar(std::move(file), {}, nullptr);
        return false;
    }
    if (const packing packed_as = packing_of(is); packed_as != packing::none) {
        if (!member && options_.text_layout == layout::automatic && block_walk::begins(data, packed_as)) {
            blocks_.emplace(data, packed_as, options_.format);
            blocks_packed_as_ = packed_as;
            return false;
        }
        // One stream keeps one thread busy; files that can be expanded as a whole spread over all of them.
        if (!member && data.size() <= whole / 4 && announced(packed_as, data) <= whole) {
            out.type = task::kind::blob;
            out.packed = packed_as;
            out.from = now_;
            out.cost = data.size();
            return true;
        }
        return open_packed(out, file, packed_as, binary, nullptr);
    }
    stream_ = std::make_unique<text_stream>();
    stream_->entry = file->entry;
    stream_->from = file;
    stream_->cut = std::make_unique<text_cutter>(data, options_.rules(name), options_.document_limit, binary);
    return false;
}

// Packed bytes at hand as a stream, or what is left of them behind their blocks.
bool cutter::open_packed(task& out, std::shared_ptr<opened> file, packing packed_as, const binary_format* binary,
                         const block_walk* behind) {
    bytes data = file->data;
    if (behind != nullptr) data = data.subspan(static_cast<std::size_t>(behind->at()));
    auto made = std::make_unique<text_stream>();
    made->entry = file->entry;
    made->from = file;
    made->packed = data.size();
    auto& raw = made->chain.add<memory_source>(data);
    auto& text = expand(made->chain, raw, packed_as, options_.allowed);
    const bool counted = file->depth >= 2;  // it lies in an archive in an archive
    proof known;
    if (options_.prove) {
        memory_source again(data);
        source_chain first;
        auto& expanded = expand(first, again, packed_as, options_.allowed);
        std::uint64_t left = budget_;
        byte_source& read = counted ? first.add<budgeted_source>(expanded, left, 0) : static_cast<byte_source&>(expanded);
        known = prove(read, &expanded, wake_);
    }
    byte_source* given = &made->chain.add<proven_source>(text, std::move(known));
    if (counted) given = &made->chain.add<budgeted_source>(*given, budget_, 0);
    if (behind == nullptr && expands_to_archive(*made, given, binary))
        return open_expanded(out, std::move(made), std::move(file), *given);
    if (file->only_as_archive) return false;
    made->cut = std::make_unique<text_cutter>(*given, options_.rules(file->entry.empty() ? file->name : file->entry),
                                              options_.document_limit, binary);
    stream_ = std::move(made);
    if (behind == nullptr) return false;
    stream_->before = behind->at();
    stream_->cut->behind(behind->text_at(), behind->documents());
    return false;
}

// All inputs as one, which is read as a stream under the first one's name.
bool cutter::open_joined(task& out) {
    at_ = inputs_.size();
    now_ = std::make_shared<opened>();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const found_file& f = inputs_.found[i];
        if (f.type == found_file::kind::regular || f.type == found_file::kind::fetched) continue;
        now_->name = options_.shown_as(inputs_.paths[i]);
        return fault(out, report::scope::input, {},
                     f.type == found_file::kind::missing
                         ? system_failure(f.what != nullptr ? f.what : "the input cannot be opened", f.error)
                         : system_failure("only files are joined, no pipes", EINVAL));
    }
    now_->name = options_.shown_as(inputs_.paths[0]);
    auto made = std::make_unique<text_stream>();
    auto& all = made->chain.add<joined_source>(inputs_.paths, options_.fetched.get(), wake_);
    return open_stream(out, std::move(made), all, {}, now_->name);
}

bool cutter::open_stream(task& out, std::unique_ptr<text_stream> made, byte_source& input, std::string head,
                         const std::string& path) {
    byte_source* from = &input;
    context ctx;
    const binary_format* const binary = binary_by_name(options_.format, path);
    if (read_head(*from, head_size, binary != nullptr, head, ctx) != errc::ok)
        return fault(out, report::scope::input, {}, ctx.failure);
    const char* why = "";
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
    if (packing_of(is) != packing::none) {
        from = &expand(made->chain, *from, packing_of(is), options_.allowed);
        if (expands_to_archive(*made, from, binary)) return open_expanded(out, std::move(made), now_, *from);
    }
    if (is == content::tar) {
        open_tar(now_, std::move(made->chain), from);
        return false;
    }
    made->cut = std::make_unique<text_cutter>(*from, options_.rules(path), options_.document_limit, binary);
    stream_ = std::move(made);
    return false;
}

bool cutter::open_spooled(task& out, int file) {
    descriptor fd(file);
    struct stat s;
    if (::fstat(fd.fd, &s) != 0 || !now_->file.map(fd.fd, static_cast<std::size_t>(s.st_size)))
        return fault(out, report::scope::input, {}, system_failure("the temporary file cannot be mapped", errno));
    now_->data = now_->file.data();
    return open_bytes(out, now_);
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
        // Within the text an offset means something to the user; in the compressed data of an entry only its header
        // does.
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
    out.from = s.from ? s.from : now_;
    out.entry = s.entry;
    return true;
}

}  // namespace kumihimo::inline v0::extract
