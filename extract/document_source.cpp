#include "extract/document_source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

#include "extract/cut.hpp"
#include "extract/entry_rules.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t keep = std::size_t{4} << 20;  // of a buffer that once was larger
constexpr std::size_t tried_whole = 64 * 1024;      // longer texts are looked at before they are tried as one document
constexpr std::size_t piece_size = std::size_t{1} << 20;

std::uint64_t count_newlines(bytes text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), static_cast<unsigned char>('\n')));
}

// What no other kind of file begins with.
bool surely_json(unsigned char c) { return c == '{' || c == '[' || c == '"'; }

}  // namespace

// A small Zip that was read as a loose file: its directory, or the walk through one that has none, and why.
struct document_source::archive {
    bytes file;
    zip_directory directory;
    std::optional<zip_walk> walk;
    failure why;
};

// A small block file that was read as a loose file: its blocks, the report if an index is damaged, and the rest as a stream.
struct document_source::small_blocks {
    packing as = packing::none;
    bytes file;
    std::vector<packed_block> blocks;
    block_walk walk;  // as it ended
    bool rest = false;
    std::optional<failure> damage;
};

// Sources on top of one another, and what cuts the uppermost into pieces.
struct document_source::stream {
    source_chain chain;
    std::optional<text_cutter> cut;
    piece at_hand;
    report::scope of = report::scope::input;
    std::uint64_t at = 0;      // of the entry's header, for faults
    std::uint64_t before = 0;  // bytes of the input before those that the chain reads
};

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
    if (what.as == task::kind::fault) {
        here_.archive = what.fault.archive;
        here_.entry = what.fault.entry;
    }
}

void document_source::close() noexcept {
    mode_ = mode::none;
    bounded_ = true;
    stream_.reset();
    archive_.reset();
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
    } else if (nested()) {
        p.piece = 0;
        ++p.member;
    } else {
        p.piece = p.member = 0;
        ++p.item;
    }
}

void document_source::passed() noexcept {
    step(at_);
    skip_.document = 0;
    if (stream_) return;
    skip_.piece = 0;
    if (!nested()) skip_.member = 0;
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
        if (!stream_ && !nested()) {
            const std::uint64_t items = task_->as == task::kind::entries  ? task_->entries.size()
                                        : task_->as == task::kind::files  ? task_->files
                                        : task_->as == task::kind::blocks ? task_->blocks.size()
                                                                          : 1;
            if (at_.item >= items) return found::end;
        }
        switch (stream_ ? next_piece() : archive_ ? next_member() : small_blocks_ ? next_block() : begin_item()) {
            case begun::open: break;
            case begun::nothing: passed(); break;
            case begun::faulted: passed(); return found::fault;
        }
    }
}

document_source::begun document_source::begin_item() {
    const task& t = *task_;
    switch (t.as) {
        case task::kind::fault: fault_ = t.fault; return begun::faulted;
        case task::kind::entries: return begin_entry(t.from->file.data(), t.from->directory, t.entries[at_.item]);
        case task::kind::files: {
            const std::size_t i = t.first_file + at_.item;
            return begin_file(inputs_.paths[i], inputs_.found[i].size);
        }
        case task::kind::blob: ++members_; return begin_packed(t.packed, t.from->file.data(), report::scope::input, 0);
        case task::kind::piece:
            ++members_;
            begin_piece(t.text);
            return begun::open;
        case task::kind::blocks: ++members_; return begin_block(t.packed, t.blocks[at_.item]);
    }
    return begun::nothing;
}

document_source::begun document_source::begin_entry(bytes file, std::uint64_t directory, const zip_entry& e) {
    here_.entry = zip_name(e, name_room_);
    if (e.lost != nullptr) return refuse(errc::truncated, e.header, e.lost, report::scope::entry);
    if (e.cut) return begin_cut(file, e);
    bytes data;
    ++members_;
    if (zip_data(file, directory, e, data, ctx_) != errc::ok) return failed(report::scope::entry, ctx_.failure);
    if (const char* const why = too_much(e, how_.allowed)) return refuse(errc::size, e.header, why, report::scope::entry);
    if (const packing as = packing_of(e); as != packing::none) {
        char* to = expanded_.room(e.size);
        if (to == nullptr) throw std::bad_alloc();
        const std::size_t readable = static_cast<std::size_t>(file.data() + file.size() - data.data());
        const errc said = as == packing::deflate ? inflater_.exact(data, readable, to, e.size, e.header, ctx_)
                                                 : deframer_.exact(as, data, to, e.size, e.header, ctx_);
        if (said != errc::ok) return failed(report::scope::entry, ctx_.failure);
        data = {reinterpret_cast<const unsigned char*>(to), e.size};
    }
    if (crc32(0, data) != e.crc) [[unlikely]]
        return refuse(errc::syntax, e.header, wrong_checksum, report::scope::entry);
    return begin_text(data, report::scope::entry, e.header, false);
}

// Open, read, close: mapping a file of a few KB costs more than reading it. A read that comes back short with as many bytes as
// the file was said to have has reached its end; in all other cases another read decides.
document_source::begun document_source::begin_file(const std::string& path, std::uint64_t size) {
    here_.archive = path;
    here_.entry = {};
    const auto system_fault = [&](const char* what) {
        failure f;
        f.code = errc::host;
        f.what = what;
        f.path = std::strerror(errno);
        return failed(report::scope::input, f);
    };
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
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
    if (binary_by_name(how_.format, path) != nullptr) {
        if (sniff(data, why) == content::zip) return begin_zip(data);
    } else if (used != 0 && data[0] != '{' && data[0] != '[' && sniff_file(data, why) == content::zip)
        return begin_zip(data);
    ++members_;
    if (used == 0) return begun::nothing;
    if (const packing as = packing_of(sniff(data, why)); how_.as == layout::automatic && block_walk::begins(data, as))
        return begin_blocks(as, data);
    return begin_text(data, report::scope::input, 0, false);
}

document_source::begun document_source::begin_blocks(packing as, bytes file) {
    auto made = std::make_unique<small_blocks>();
    made->as = as;
    made->file = file;
    made->walk = block_walk(file, as, how_.format);
    for (block_walk::found said = block_walk::found::block; said == block_walk::found::block;) {
        packed_block next;
        said = made->walk.next(next, ctx_);
        if (said == block_walk::found::block) made->blocks.push_back(std::move(next));
        if (said == block_walk::found::damaged) made->damage = ctx_.failure;
        made->rest = said == block_walk::found::damaged || said == block_walk::found::plain;
    }
    ctx_.clear();
    small_blocks_ = std::move(made);
    return begun::open;
}

// The members of a small block file.
document_source::begun document_source::next_block() {
    small_blocks& s = *small_blocks_;
    at_.member = std::max(at_.member, skip_.member);
    if (at_.member < s.blocks.size()) return begin_block(s.as, s.blocks[at_.member]);
    const std::uint64_t behind = at_.member - s.blocks.size();
    if (s.damage && behind == 0) return failed(report::scope::input, *s.damage);
    if (s.rest && behind == (s.damage ? 1 : 0)) return begin_rest(s);
    small_blocks_.reset();
    return begun::nothing;
}

document_source::begun document_source::begin_rest(const small_blocks& s) {
    const bytes rest = s.file.subspan(static_cast<std::size_t>(s.walk.at()));
    begin_stream(s.as, rest, report::scope::input, 0, false, s.blocks.empty() ? by_name() : s.blocks.back().format);
    stream_->before = s.walk.at();
    stream_->cut->behind(s.walk.text_at(), s.walk.documents());
    lines_before_ = s.walk.documents();
    return begun::open;
}

document_source::begun document_source::begin_block(packing as, const packed_block& b) {
    // liblz4 expands into the room itself only where the largest block of its own, as repack writes them, could follow.
    constexpr std::size_t lz4_block = std::size_t{1} << 20;
    if (b.size > how_.allowed.size) return refuse(errc::size, b.at, too_large, report::scope::input);
    if (how_.allowed.excessive(b.packed.size(), b.size)) return refuse(errc::size, b.at, bomb, report::scope::input);
    const std::size_t room = as == packing::lz4 ? b.size + lz4_block : b.size + 1;
    char* const to = expanded_.room(room);
    if (to == nullptr) throw std::bad_alloc();
    if (crc32(0, b.packed) != b.check)
        return refuse(errc::syntax, b.at, "the block does not match its checksum (CRC-32): the file is damaged",
                      report::scope::input);
    if (deframer_.proven(as, b.packed, to, b.size, b.at, ctx_, room) != errc::ok)
        return failed(report::scope::input, ctx_.failure);
    piece_ = nullptr;
    block_ = &b;
    origins_open_ = false;
    text_ = {reinterpret_cast<const unsigned char*>(to), b.size};
    base_ = b.text_at;
    text_at_ = in_block_ = 0;
    counted_to_ = counted_lines_ = 0;
    binary_ = b.format;
    mode_ = mode::block;
    return begun::open;
}

origin document_source::provenance() {
    origin from = here_;
    from.offset = offset_;
    if (block_ == nullptr || in_block_ == 0) return from;
    if (!origins_open_) origins_.open(block_->origins);
    origins_open_ = true;
    origins_.at(in_block_ - 1, from);  // where the block does not say it, the place is all there is
    return from;
}

origin document_source::here() {
    if (block_ == nullptr || in_block_ == 0) return here_;
    const origin from = provenance();
    shown_ = from.archive.data() == here_.archive.data() ? std::string_view() : from.archive;
    if (!from.entry.empty()) (shown_ += shown_.empty() ? "" : ": ") += from.entry;
    origin shown = here_;
    shown.entry = shown_;
    return shown;
}

document_source::begun document_source::begin_zip(bytes data) {
    auto made = std::make_unique<archive>();
    made->file = data;
    if (made->directory.open(data, ctx_) != errc::ok) {
        made->why = ctx_.failure;
        ctx_.clear();
        if (!made->directory.walkable()) return failed(report::scope::input, made->why);
        made->walk.emplace(data, how_.allowed);
    }
    archive_ = std::move(made);
    return begun::open;
}

document_source::begun document_source::next_member() {
    archive& a = *archive_;
    zip_entry e;
    while (a.walk ? a.walk->next(e) : !a.directory.done()) {
        if (!a.walk) e = a.directory.next();
        if (!cutter::wanted(e, how_.match, name_room_)) continue;
        if (at_.member >= skip_.member) return begin_entry(a.file, a.walk ? a.file.size() : a.directory.begin(), e);
        ++at_.member;
    }
    here_.entry = {};
    const failure why = a.why;
    const bool walked = a.walk.has_value();
    archive_.reset();
    return walked ? failed(report::scope::input, why) : begun::nothing;
}

document_source::begun document_source::begin_packed(packing as, bytes packed, report::scope of, std::uint64_t at) {
    bytes t;
    expansion allowed = how_.allowed;
    allowed.size = std::min(allowed.size, cutter::whole * 4);
    const errc e = as == packing::gzip ? gunzip(packed, inflater_, nested_, allowed, t, ctx_)
                                       : deframer_.all(as, packed, nested_, allowed, t, ctx_);
    if (e == errc::size && allowed.size < how_.allowed.size) {
        ctx_.clear();
        return begin_proven(as, packed, of, at, false);
    }
    if (e == errc::syntax || e == errc::truncated || e == errc::trailing) {
        ctx_.clear();
        return begin_proven(as, packed, of, at, true);
    }
    if (e != errc::ok) {
        if (of == report::scope::entry) ctx_.failure.offset = at;
        return failed(of, ctx_.failure);
    }
    return begin_text(t, of, at, true);
}

// More text than should be in memory at once, or damaged: in pieces, one after the other. What is damaged is looked at as a
// whole first. Else rows are given as they come where a fault ends the run, and after a first look at all of it elsewhere.
document_source::begun document_source::begin_proven(packing as, bytes packed, report::scope of, std::uint64_t at,
                                                     bool damaged) {
    begin_stream(as, packed, of, at, damaged, by_name());
    return begun::open;
}

void document_source::begin_stream(packing as, bytes packed, report::scope of, std::uint64_t at, bool damaged,
                                   const binary_format* binary) {
    proof known;
    if (damaged || (how_.prove && !sampled_)) {
        memory_source raw(packed);
        source_chain first;
        auto& expanded = expand(first, raw, as, how_.allowed);
        known = prove(expanded, &expanded, -1, cancelled_);
    }
    auto made = std::make_unique<stream>();
    auto& raw = made->chain.add<memory_source>(packed);
    auto& expanded = expand(made->chain, raw, as, how_.allowed);
    auto& given = made->chain.add<proven_source>(expanded, std::move(known));
    made->cut.emplace(given, how_.as, how_.document_limit, binary);
    made->of = of;
    made->at = at;
    stream_ = std::move(made);
    lines_before_ = 0;
}

// The entry that the archive is cut off in.
document_source::begun document_source::begin_cut(bytes file, const zip_entry& e) {
    context ctx;
    bytes data;
    zip_entry there = e;
    there.size = there.method == zip_entry::stored ? there.packed : there.size;
    if (zip_data(file, file.size(), there, data, ctx) != errc::ok) return failed(report::scope::entry, ctx.failure);
    auto made = std::make_unique<stream>();
    byte_source* from = &made->chain.add<memory_source>(data);
    if (packing_of(e) != packing::none) from = &expand(made->chain, *from, packing_of(e), how_.allowed, true);
    from = &made->chain.add<cut_source>(*from);
    std::string head(std::size_t{64} << 10, 0);
    std::size_t n = 0;
    for (std::size_t got = 1; got != 0 && n < 512; n += got)
        if (from->read(head.data() + n, head.size() - n, got, ctx) != errc::ok) break;
    head.resize(n);
    ctx.clear();
    const char* why = "";
    const bytes start{reinterpret_cast<const unsigned char*>(head.data()), head.size()};
    content is = sniff(start, why);
    if (is == content::other && (by_name() != nullptr || binary_by_mark(start) != nullptr)) is = content::text;
    if (const char* const refused = not_opened(is, false, why))
        return refuse(errc::unsupported, e.header, refused, report::scope::entry);
    from = &made->chain.add<prefixed_source>(std::move(head), *from);
    if (packing_of(is) != packing::none) from = &expand(made->chain, *from, packing_of(is), how_.allowed);
    made->cut.emplace(*from, how_.as, how_.document_limit, by_name());
    made->of = report::scope::entry;
    made->at = e.header;
    stream_ = std::move(made);
    lines_before_ = 0;
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
        lines_before_ += count_newlines(s.at_hand.text);
    }
    begin_piece(s.at_hand);
    return begun::open;
}

void document_source::begin_piece(const piece& p) {
    piece_ = &p;
    block_ = nullptr;
    text_ = p.text;
    base_ = p.offset;
    text_at_ = 0;
    counted_to_ = counted_lines_ = newlines_ = 0;
    mode_ = p.as == layout::lines ? mode::lines : mode::listed;
    binary_ = p.binary;
}

// A text at hand. `of` and `at` say where faults that concern all of it lie.
document_source::begun document_source::begin_text(bytes t, report::scope of, std::uint64_t at, bool expanded) {
    piece_ = nullptr;
    block_ = nullptr;
    text_ = t;
    base_ = 0;
    counted_to_ = counted_lines_ = 0;
    const binary_format* const named = by_name();
    binary_ = named != nullptr ? named : binary_by_mark(t);
    if (binary_ != nullptr) return begin_binary(t, of, at, expanded);
    const bytes body = trimmed(without_mark(t));
    if (body.empty()) return begun::nothing;
    if (!surely_json(body[0])) [[unlikely]] {
        const char* why = "";
        const content is = sniff(t, why);
        if (packing_of(is) != packing::none && !expanded) return begin_packed(packing_of(is), t, of, at);
        if (const char* const refused = not_opened(is, expanded, why)) return refuse(errc::unsupported, at, refused, of);
    }
    document_ = body;  // if it is one
    offset_ = static_cast<std::uint64_t>(body.data() - t.data());
    if (how_.as == layout::document) {
        mode_ = mode::single;
        return begun::open;
    }
    if (how_.as == layout::automatic && body[0] == '{' && body.size() <= tried_whole && !many_ && !sampled_ &&
        (!trusted_ || std::memchr(body.data(), '\n', body.size()) == nullptr)) {
        mode_ = mode::single;
        return begun::open;
    }
    look_inside();
    return begun::open;
}

const binary_format* document_source::by_name() const noexcept {
    return binary_by_name(how_.format, here_.entry.empty() ? here_.archive : here_.entry);
}

document_source::begun document_source::begin_binary(bytes t, report::scope of, std::uint64_t at, bool expanded) {
    const char* why = "";
    content is = sniff(t, why);
    if (is == content::other) is = content::text;
    if (packing_of(is) != packing::none && !expanded) return begin_packed(packing_of(is), t, of, at);
    if (const char* const refused = not_opened(is, expanded, why)) return refuse(errc::unsupported, at, refused, of);
    if (t.empty()) return begun::nothing;
    binary_scanner_.emplace(*binary_, binary_layout(*binary_, t, true, how_.as));
    text_at_ = 0;
    mode_ = mode::binary;
    return begun::open;
}

void document_source::look_inside() {
    tentative_ = false;
    at_.document = 0;
    scanner_.emplace(how_.as == layout::automatic ? sniff_layout(trimmed(without_mark(text_)), true) : how_.as);
    text_at_ = text_.size() - without_mark(text_).size();
    mode_ = mode::scanned;
}

document_source::found document_source::next_in_text() {
    tentative_ = false;
    switch (mode_) {
        case mode::single:
            tentative_ = how_.as == layout::automatic;
            mode_ = mode::spent;
            return found::document;
        case mode::lines: return next_line();
        case mode::listed:
            if (text_at_ < piece_->documents.size()) {
                const span_of d = piece_->documents[text_at_++];
                document_ = text_.subspan(d.offset, d.length);
                offset_ = base_ + d.offset;
                return found::document;
            }
            if (binary_ != nullptr) break;
            newlines_ = count_newlines(text_);
            if (stream_) lines_before_ += newlines_;
            break;
        case mode::scanned: {
            span_of where;
            switch (scanner_->next(text_, text_at_, true, where, ctx_)) {
                case scanner::found::document:
                    document_ = text_.subspan(where.offset, where.length);
                    offset_ = where.offset;
                    return found::document;
                case scanner::found::fault:
                    fault_ = report_input(report::scope::document, here_.archive, here_.entry, ctx_.failure);
                    ctx_.clear();
                    fault_.line = line_at(fault_.offset);
                    fault_.column = column_at(fault_.offset);
                    many_ = at_.document > 1;
                    mode_ = mode::spent;
                    return found::fault;
                default: break;
            }
            many_ = at_.document > 1;
            break;
        }
        case mode::binary:
            switch (binary_scanner_->start(text_, text_at_, true, ctx_)) {
                case scanner::found::document:
                    document_ = text_.subspan(text_at_);
                    offset_ = text_at_;
                    bounded_ = false;
                    if (how_.as == layout::document) find_end();
                    return found::document;
                case scanner::found::fault:
                    fault_ = report_input(report::scope::document, here_.archive, here_.entry, ctx_.failure);
                    ctx_.clear();
                    mode_ = mode::spent;
                    return found::fault;
                default: break;
            }
            break;
        case mode::block: {
            if (in_block_ == block_->lengths.size()) break;
            const auto n = static_cast<std::size_t>(block_->lengths[in_block_++]);
            document_ = text_.subspan(text_at_, n);
            offset_ = base_ + text_at_;
            text_at_ += n;
            if (binary_ == nullptr) document_ = trimmed(document_);
            return found::document;
        }
        default: break;
    }
    mode_ = mode::none;
    block_ = nullptr;
    return found::end;
}

// Of the binary document at hand, where nobody has said it.
void document_source::find_end() { bound(binary_scanner_->length(document_)); }

document_source::found document_source::next_line() {
    while (text_at_ < text_.size()) {
        const void* p = std::memchr(text_.data() + text_at_, '\n', text_.size() - text_at_);
        const std::size_t end =
            p == nullptr ? text_.size() : static_cast<std::size_t>(static_cast<const unsigned char*>(p) - text_.data());
        document_ = trimmed(text_.subspan(text_at_, end - text_at_));
        if (p != nullptr) ++newlines_;
        text_at_ = std::min(end + 1, text_.size());
        if (document_.empty()) continue;
        offset_ = base_ + static_cast<std::uint64_t>(document_.data() - text_.data());
        return found::document;
    }
    if (stream_) lines_before_ += newlines_;
    mode_ = mode::none;
    return found::end;
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

// Counts on from where the last question left off.
std::uint64_t document_source::line_at(std::uint64_t offset) {
    if (block_ != nullptr) return block_->before + in_block_;
    const std::uint64_t inside = offset - base_;
    if (inside > counted_to_) {
        counted_lines_ += count_newlines(text_.subspan(counted_to_, inside - counted_to_));
        counted_to_ = inside;
    }
    return counted_lines_ + 1;
}

void document_source::relocate(report& r) const noexcept {
    if (piece_ == nullptr) return;
    // The first line of a piece began in an earlier one.
    if (r.line == 1 && r.offset >= piece_->line_start) r.column = r.offset - piece_->line_start + 1;
    if (stream_) r.line += lines_before_;
}

}  // namespace kumihimo::inline v0::extract
