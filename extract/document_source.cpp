#include "extract/document_source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "extract/cut.hpp"
#include "extract/document_source_state.hpp"
#include "extract/entry_text.hpp"
#include "extract/gzip.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t keep = std::size_t{4} << 20;  // of a buffer that once was larger
constexpr std::size_t piece_size = std::size_t{1} << 20;

}  // namespace

document_source::document_source(const input_list& inputs, const reading& how, bool trusted,
                                 const std::atomic<bool>* cancelled) noexcept
    : inputs_(inputs), how_(how), cancelled_(cancelled), trusted_(trusted) {}
document_source::~document_source() = default;

void document_source::open(const task& what, bool sampled, const position& from) {
    close();
    ctx_.clear();
    task_ = &what;
    sampled_ = sampled;
    skip_ = from;
    at_ = {};
    at_.item = from.item;
    members_ = newlines_ = 0;
    here_ = {};
    if (what.from) here_.archive = what.from->name;
    here_.entry = what.entry;
    if (what.type == task::kind::fault) {
        here_.archive = what.fault.archive;
        here_.entry = what.fault.entry;
    }
}

void document_source::close() noexcept {
    mode_ = mode::none;
    bounded_ = true;
    stream_.reset();
    archives_.clear();
    small_blocks_.reset();
    piece_ = nullptr;
    block_ = nullptr;
    tentative_ = false;
    expanded_.trim(keep);
    nested_.trim(keep);
    loose_.trim(keep);
}

// Counts what has ended: the innermost of piece, member and item that is open.
void document_source::step(position& p) const noexcept {
    p.document = 0;
    if (stream_) {
        ++p.piece;
        return;
    }
    p.piece = 0;
    const std::size_t n = levels();
    std::fill(p.members.begin() + static_cast<std::ptrdiff_t>(n), p.members.end(), 0);
    ++(n == 0 ? p.item : p.members[n - 1]);
}

void document_source::passed() noexcept {
    step(at_);
    skip_.document = 0;
    if (stream_) return;
    skip_.piece = 0;
    std::fill(skip_.members.begin() + static_cast<std::ptrdiff_t>(levels()), skip_.members.end(), 0);
}

document_source::found document_source::next() {
    for (;;) {
        if (!bounded_) find_end();
        if (mode_ != mode::none) {
            const bool known = at_.document < skip_.document;
            const found said = next_in_text();
            if (said == found::end) {
                passed();
                continue;
            }
            // Had the text been one document, the position would be behind it.
            if (known && tentative_) {
                look_inside();
                continue;
            }
            ++at_.document;
            if (!known) return said;
            continue;
        }
        if (!stream_ && levels() == 0) {
            const std::uint64_t items = task_->type == task::kind::entries   ? task_->entries.size()
                                        : task_->type == task::kind::members ? task_->members.size()
                                        : task_->type == task::kind::files   ? task_->files
                                        : task_->type == task::kind::blocks  ? task_->blocks.size()
                                                                             : 1;
            if (at_.item >= items) return found::end;
        }
        switch (stream_              ? next_piece()
                : !archives_.empty() ? next_archive_member()
                : small_blocks_      ? next_block()
                                     : begin_item()) {
            case begun::open: break;
            case begun::nothing: passed(); break;
            case begun::faulted: passed(); return found::fault;
        }
    }
}

document_source::begun document_source::begin_item() {
    const task& t = *task_;
    only_as_archive_ = false;
    switch (t.type) {
        case task::kind::fault: fault_ = t.fault; return begun::faulted;
        case task::kind::entries: return begin_entry(t.from->data, t.from->directory, t.entries[at_.item]);
        case task::kind::members: here_.entry = t.members[at_.item].name; return begin_member(t.members[at_.item]);
        case task::kind::files: {
            const std::size_t i = t.first_file + at_.item;
            return begin_file(inputs_.paths[i], inputs_.found[i].size);
        }
        case task::kind::blob: ++members_; return begin_packed(t.packed, t.from->data, report::scope::input, 0);
        case task::kind::piece:
            ++members_;
            begin_piece(t.text);
            return begun::open;
        case task::kind::blocks: ++members_; return begin_block(t.packed, t.blocks[at_.item]);
    }
    return begun::nothing;
}

// Open, read, close: mapping a file of a few KB costs more than reading it. A read that comes back short with as many
// bytes as the file was said to have has reached its end; in all other cases another read decides.
document_source::begun document_source::begin_file(const std::string& path, std::uint64_t size) {
    const std::string& name = how_.shown_as(path);
    here_.archive = name;
    here_.entry = {};
    const auto system_fault = [&](const char* what) {
        failure f;
        f.code = errc::host;
        f.what = what;
        f.path = std::strerror(errno);
        return failed(report::scope::input, f);
    };
    const int fd = open_input(path);
    if (fd < 0) return system_fault("the input cannot be opened");
    std::size_t used = 0;
    for (;;) {
        if (used == loose_.capacity() || loose_.capacity() == 0)
            if (loose_.room(std::max<std::size_t>(loose_.capacity() * 2, cutter::small * 2), used) == nullptr) {
                ::close(fd);
                throw std::bad_alloc();
            }
        const ssize_t got = ::read(fd, loose_.data() + used, loose_.capacity() - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            const begun said = system_fault("the input cannot be read");
            ::close(fd);
            return said;
        }
        if (got == 0) break;
        used += static_cast<std::size_t>(got);
        if (used == size && used < loose_.capacity()) break;
    }
    ::close(fd);
    const bytes data{reinterpret_cast<const unsigned char*>(loose_.data()), used};
    const char* why = "";
    if (binary_by_name(how_.format, name) != nullptr) {
        if (sniff(data, why) == content::zip) return begin_zip(std::make_unique<archive>(), data, report::scope::input);
    } else if (used != 0 && data[0] != '{' && data[0] != '[' && sniff_file(data, why) == content::zip)
        return begin_zip(std::make_unique<archive>(), data, report::scope::input);
    ++members_;
    if (used == 0) return begun::nothing;
    if (const packing packed_as = packing_of(sniff(data, why));
        how_.text_layout == layout::automatic && block_walk::begins(data, packed_as))
        return begin_blocks(packed_as, data);
    return begin_text(data, report::scope::input, 0, false);
}

document_source::begun document_source::begin_packed(packing packed_as, bytes packed, report::scope of, std::uint64_t at) {
    bytes t;
    expansion allowed = how_.allowed;
    allowed.size = std::min(allowed.size, cutter::whole * 4);
    // What is packed in an archive in an archive counts as its entries do.
    const bool counted = !archives_.empty() && depth() >= 2, scarce = counted && budget_ < allowed.size;
    if (scarce) allowed.size = budget_;
    const errc e = packed_as == packing::gzip ? gunzip(packed, inflater_, nested_, allowed, t, ctx_)
                                              : deframer_.all(packed_as, packed, nested_, allowed, t, ctx_);
    if (e == errc::size && scarce) {
        ctx_.clear();
        return refuse(errc::size, at, too_nested, of);
    }
    if (e == errc::size && allowed.size < how_.allowed.size) {
        ctx_.clear();
        return begin_proven(packed_as, packed, of, at, false);
    }
    if (e == errc::syntax || e == errc::truncated || e == errc::trailing) {
        ctx_.clear();
        return begin_proven(packed_as, packed, of, at, true);
    }
    if (e != errc::ok) {
        if (of == report::scope::entry) ctx_.failure.offset = at;
        return failed(of, ctx_.failure);
    }
    if (counted) budget_ -= t.size();
    return begin_text(t, of, at, true);
}

// More text than should be in memory at once, or damaged: in pieces, one after the other. What is damaged is looked at
// as a whole first. Else rows are given as they come where a fault ends the run, and after a first look at all of it
// elsewhere.
document_source::begun document_source::begin_proven(packing packed_as, bytes packed, report::scope of, std::uint64_t at,
                                                     bool damaged) {
    return begin_stream(packed_as, packed, of, at, damaged, by_name());
}

document_source::begun document_source::begin_stream(packing packed_as, bytes packed, report::scope of, std::uint64_t at,
                                                     bool damaged, const binary_format* binary) {
    const bool counted = !archives_.empty() && depth() >= 2;
    proof known;
    if (damaged || (how_.prove && !sampled_)) {
        memory_source raw(packed);
        source_chain first;
        auto& expanded = expand(first, raw, packed_as, how_.allowed);
        std::uint64_t left = budget_;
        known = prove(counted ? first.add<budgeted_source>(expanded, left, at) : static_cast<byte_source&>(expanded), &expanded,
                      -1, cancelled_);
    }
    auto made = std::make_unique<stream>();
    auto& raw = made->chain.add<memory_source>(packed);
    auto& expanded = expand(made->chain, raw, packed_as, how_.allowed);
    byte_source* given = &made->chain.add<proven_source>(expanded, std::move(known));
    if (counted) given = &made->chain.add<budgeted_source>(*given, budget_, at);
    if (const auto archive = begin_if_archive(*made, given, binary, of, at, packed)) return *archive;
    if (only_as_archive_) return passed_over();
    made->cut.emplace(*given, how_.rules(name()), how_.document_limit, binary);
    made->of = of;
    made->at = at;
    stream_ = std::move(made);
    lines_before_ = 0;
    return begun::open;
}

// What is left of a small block file behind its blocks.
document_source::begun document_source::begin_rest() {
    const small_blocks& s = *small_blocks_;
    const bytes rest = s.file.subspan(static_cast<std::size_t>(s.walk.at()));
    const begun said = begin_stream(s.packed_as, rest, report::scope::input, 0, false, s.walk.format(by_name()));
    if (!stream_) return said;
    stream_->before = s.walk.at();
    stream_->cut->behind(s.walk.text_at(), s.walk.documents());
    lines_before_ = s.walk.documents();
    return begun::open;
}

// The same pieces as the cutter makes, one after the other.
document_source::begun document_source::next_piece() {
    stream& s = *stream_;
    for (;;) {
        context ctx;
        if (s.cut->next(piece_size, s.at_hand, ctx) != errc::ok) {
            report::scope of = s.of;
            if (s.cut->in_text()) {
                of = report::scope::document;
                if (ctx.failure.line != 0) ctx.failure.line += static_cast<std::size_t>(lines_before_);
            } else if (of == report::scope::entry) {
                ctx.failure.offset = s.at;
            } else if (ctx.failure.offset != failure::nowhere) {
                ctx.failure.offset += s.before;
            }
            stream_.reset();
            return failed(of, ctx.failure);
        }
        if (s.at_hand.text.empty()) {
            stream_.reset();
            return begun::nothing;
        }
        if (at_.piece >= skip_.piece) break;
        ++at_.piece;
        lines_before_ += newlines_in(s.at_hand.text);
    }
    begin_piece(s.at_hand);
    return begun::open;
}

document_source::begun document_source::refuse(errc code, std::uint64_t at, const char* what, report::scope of) {
    failure f;
    f.code = code;
    f.offset = at;
    f.what = what;
    return failed(of, f);
}

document_source::begun document_source::failed(report::scope of, const failure& why) {
    fault_ = report_input(of, here_.archive, here_.entry, why);
    ctx_.clear();
    return begun::faulted;
}

}  // namespace kumihimo::inline v0::extract
