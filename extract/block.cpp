#include "extract/block.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/formats.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"
#include "extract/binary.hpp"
#include "extract/block_packer.hpp"

namespace kumihimo::inline v0::extract {
namespace {

using tape::cursor;
using tape::kind;

constexpr unsigned char magic[] = {0x5b, 0x2a, 0x4d, 0x18};
constexpr unsigned char mark[] = {'k', 'u', 'm', 'i', 'h', 'i', 'm', 'o', 1};
constexpr std::size_t head_size = sizeof magic + 4 + sizeof mark;
// An index, expanded. Beside names, a document takes five numbers of up to nine bytes there and the heads of two
// names.
constexpr std::size_t largest_index = block_options::most_names + 64 * block_options::most_documents;
constexpr std::size_t other_values = 16;  // keys and heads of a map, whatever the number of documents
constexpr std::size_t deepest = 8;
constexpr const char* not_whole = "the index of a block is damaged; from here on the file is read without it";

bool starts(bytes file, std::uint64_t at, bytes with) noexcept {
    return file.size() - at >= with.size() && std::memcmp(file.data() + at, with.data(), with.size()) == 0;
}

bytes as_bytes(std::string_view s) noexcept { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }
std::string_view as_text(bytes b) noexcept { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

// Of a writer into memory, which can fail only for want of it.
struct index_writer {
    context& ctx;
    buffer text{};
    msgpack::basic_writer<buffer> to{text, ctx};
    errc said = errc::ok;

    void operator()(errc e) noexcept {
        if (said == errc::ok) said = e;
    }
    void key(std::string_view name) { (*this)(to.key(kumihimo::text(name))); }
    void number(std::uint64_t n) { (*this)(n > INT64_MAX ? to.u64(n) : to.i64(static_cast<std::int64_t>(n))); }
    void name(std::string_view s) { (*this)(to.bin(as_bytes(s))); }
    errc finish(std::string_view& out) {
        bytes all;
        (*this)(to.end());
        if (said == errc::ok) said = to.finish(all);
        out = as_text(all);
        return said;
    }
};

void put_archives(index_writer& w, const document_list& of) {
    w.key("archives");
    w(w.to.array({}));
    for (std::size_t i = 0, first = 0; i < of.size(); ++i) {
        const std::string_view name = of.from(i).archive;
        if (i + 1 != of.size() && of.from(i + 1).archive == name) continue;
        w.name(name);
        w.number(i + 1 - first);
        first = i + 1;
    }
    w(w.to.end());
}

void put_entries(index_writer& w, const document_list& of) {
    w.key("entries");
    w(w.to.array({}));
    std::string_view before;
    for (std::size_t i = 0; i < of.size(); ++i) {
        const std::string_view name = of.from(i).entry;
        const auto differ = std::mismatch(name.begin(), name.end(), before.begin(), before.end());
        const auto shared = static_cast<std::size_t>(differ.first - name.begin());
        w.number(shared);
        w.name(name.substr(shared));
        before = name;
    }
    w(w.to.end());
}

void put_offsets(index_writer& w, const document_list& of) {
    w.key("offsets");
    w(w.to.array({}));
    for (std::size_t i = 0; i < of.size(); ++i) {
        const origin here = of.from(i), last = i == 0 ? origin() : of.from(i - 1);
        if (i != 0 && here.archive == last.archive && here.entry == last.entry)
            w(w.to.i64(static_cast<std::int64_t>(here.offset - last.offset)));
        else
            w.number(here.offset);
    }
    w(w.to.end());
}

errc write_index(const frame::codec& codec, std::string_view format, bytes packed, const document_list& documents, buffer& out,
                 context& ctx) {
    index_writer origins{ctx};
    origins(origins.to.map({}));
    put_archives(origins, documents);
    put_entries(origins, documents);
    put_offsets(origins, documents);
    std::string_view made;
    KUMIHIMO_TRY(origins.finish(made));
    index_writer w{ctx};
    w(w.to.map({}));
    w.key("format");
    w(w.to.str(text(format)));
    w.key("packed");
    w.number(packed.size());
    w.key("check");
    w.number(crc32(0, packed));
    w.key("lengths");
    w(w.to.array({static_cast<std::int64_t>(documents.size())}));
    for (std::size_t i = 0; i < documents.size(); ++i) w.number(documents.length(i));
    w(w.to.end());
    w.key("origins");
    w.name(made);
    KUMIHIMO_TRY(w.finish(made));
    buffer index;
    KUMIHIMO_TRY(frame::pack(codec, as_bytes(made), index, frame::usual_level, ctx));
    const std::uint64_t length = sizeof mark + index.size();
    if (length > UINT32_MAX) return ctx.fail(errc::size, failure::nowhere, "the index of a block is larger than 4 GB");
    unsigned char head[head_size];
    std::memcpy(head, magic, sizeof magic);
    for (int i = 0; i < 4; ++i) head[sizeof magic + i] = static_cast<unsigned char>(length >> 8 * i);
    std::memcpy(head + sizeof magic + 4, mark, sizeof mark);
    if (!out.append(head, sizeof head) || !out.append(index.data(), index.size()))
        return ctx.fail(errc::memory, failure::nowhere, "out of memory");
    return errc::ok;
}

}  // namespace

bool has_index(const frame::codec& codec) noexcept { return !codec.empty.empty(); }

bytes block_file_start(const frame::codec& codec) noexcept { return codec.empty; }

errc write_block(const frame::codec& codec, int level, std::string_view format, bytes text, const document_list& documents,
                 buffer& out, context& ctx) {
    if (!has_index(codec)) return frame::pack(codec, text, out, level, ctx);
    buffer packed;
    KUMIHIMO_TRY(frame::pack(codec, text, packed, level, ctx));
    KUMIHIMO_TRY(write_index(codec, format, as_bytes({packed.data(), packed.size()}), documents, out, ctx));
    return out.append(packed.data(), packed.size()) ? errc::ok : ctx.fail(errc::memory, failure::nowhere, "out of memory");
}

// ------------------------------------------------------------------------------------------------------------------ reading

namespace {

// A recorder for a number of values: an index could have one in every byte, and each takes sixteen on a tape.
class short_recorder {
public:
    short_recorder(tape::recorder& to, context& ctx, std::size_t most) noexcept : to_(to), ctx_(ctx), left_(most) {}
    errc null() { return less() ? to_.null() : many(); }
    errc boolean(bool b) { return less() ? to_.boolean(b) : many(); }
    errc i64(std::int64_t n) { return less() ? to_.i64(n) : many(); }
    errc u64(std::uint64_t n) { return less() ? to_.u64(n) : many(); }
    errc f64(double x) { return less() ? to_.f64(x) : many(); }
    errc big(text t) { return less() ? to_.big(t) : many(); }
    errc str(text t) { return less() ? to_.str(t) : many(); }
    errc bin(bytes b) { return less() ? to_.bin(b) : many(); }
    errc time(const instant& at) { return less() ? to_.time(at) : many(); }
    errc ext(int type, bytes b) { return less() ? to_.ext(type, b) : many(); }
    errc array(count n) { return less() ? to_.array(n) : many(); }
    errc map(count n) { return less() ? to_.map(n) : many(); }
    errc key(text t) { return less() ? to_.key(t) : many(); }
    errc key(next_value n) { return to_.key(n); }
    errc end() { return to_.end(); }

private:
    bool less() noexcept { return left_ != 0 && left_-- != 0; }
    errc many() { return ctx_.fail(errc::size, failure::nowhere, "more values than a block's index has"); }

    tape::recorder& to_;
    context& ctx_;
    std::size_t left_;
};

// A document of MessagePack, of so many values at most, on a tape. Throws std::bad_alloc.
errc record(bytes document, std::size_t most, tape::recorder& onto, tape::view& all, context& ctx) {
    msgpack::reader from(document, ctx);
    short_recorder values(onto, ctx, most);
    errc said = from.feed(values);
    if (said == errc::ok) said = onto.finish(all);
    if (said == errc::memory) throw std::bad_alloc();
    return said;
}

// Throws std::bad_alloc.
errc expand_index(const frame::codec& codec, bytes index, buffer& text, context& ctx) {
    ctx.limits.size = largest_index;
    ctx.limits.depth = deepest;
    const errc said = frame::unpack(codec, index.subspan(sizeof mark), text, ctx);
    if (said == errc::memory) throw std::bad_alloc();
    return said;
}

// The index that stands here, without its magic number and length; empty where none stands.
bytes index_at(bytes file, std::uint64_t at, bool& cut) noexcept {
    cut = false;
    if (!starts(file, at, magic) || file.size() - at < head_size || !starts(file, at + sizeof magic + 4, mark)) return {};
    const unsigned char* const p = file.data() + at + sizeof magic;
    const std::uint64_t length = p[0] | std::uint64_t{p[1]} << 8 | std::uint64_t{p[2]} << 16 | std::uint64_t{p[3]} << 24;
    const bytes rest = file.subspan(static_cast<std::size_t>(at + sizeof magic + 4));
    cut = length > rest.size();
    return rest.first(static_cast<std::size_t>(std::min<std::uint64_t>(length, rest.size())));
}

}  // namespace

bool block_walk::begins(bytes file, packing packed_as) noexcept {
    const frame::codec* const codec = codec_of(packed_as);
    if (codec == nullptr || !has_index(*codec)) return false;
    const bytes start = block_file_start(*codec);
    bool cut = false;
    return starts(file, 0, start) && !index_at(file, start.size(), cut).empty();
}

block_walk::found block_walk::next(packed_block& out, context& ctx) {
    if (over_) return found::plain;
    for (;;) {
        if (at_ == file_.size()) return found::end;
        if (!starts(file_, at_, block_file_start(*codec_))) break;
        at_ += block_file_start(*codec_).size();
    }
    bool cut = false;
    const bytes index = index_at(file_, at_, cut);
    // A file that ends here says so as a stream.
    const found said = index.empty() || cut ? found::plain : read(index, out, ctx);
    over_ = said != found::block;
    return said;
}

block_walk::found block_walk::read(bytes index, packed_block& out, context& ctx) {
    const auto damaged = [&] {
        ctx.clear();
        ctx.fail(errc::syntax, static_cast<std::size_t>(at_), not_whole);
        return found::damaged;
    };
    context own;
    buffer text;
    errc said = expand_index(*codec_, index, text, own);
    if (said == errc::unsupported && !frame::available(*codec_)) return found::plain;  // the stream says what to install
    if (said != errc::ok) return damaged();
    const bytes document{reinterpret_cast<const unsigned char*>(text.data()), text.size()};
    tape::recorder onto(own, document);
    tape::view all;
    if (record(document, block_options::most_documents + other_values, onto, all, own) != errc::ok) return damaged();
    const cursor root(all);
    kumihimo::text format;
    std::uint64_t packed = 0, check = 0;
    bytes origins;
    const cursor lengths = root["lengths"];
    if (!root["format"].is(kind::str) || root["format"].get(format) != errc::ok || root["packed"].get(packed) != errc::ok ||
        root["check"].get(check) != errc::ok || check > UINT32_MAX || root["origins"].get(origins) != errc::ok ||
        !lengths.is(kind::array) || lengths.size() == 0 || lengths.size() > block_options::most_documents || packed == 0)
        return damaged();
    out.lengths.clear();
    out.lengths.reserve(lengths.size());
    out.size = 0;
    for (cursor c = lengths.first(); c; c = c.next()) {
        std::uint64_t n = 0;
        if (c.get(n) != errc::ok || n == 0 || n > std::numeric_limits<std::uint64_t>::max() - out.size) return damaged();
        out.lengths.push_back(n);
        out.size += n;
    }
    if (!is_format(format.view())) return damaged();
    if (!stated_.empty() && stated_ != format.view()) return found::plain;
    const std::uint64_t begin = static_cast<std::uint64_t>(index.data() + index.size() - file_.data());
    if (packed > file_.size() - begin) return found::plain;  // cut off: the stream gives what is left, and says so
    out.at = at_;
    out.packed = file_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(packed));
    out.check = static_cast<std::uint32_t>(check);
    out.text_at = text_at_;
    out.before = documents_;
    out.format = format_ = binary_format_of(format.view());
    out.index = index;
    out.codec = codec_;
    at_ = begin + packed;
    text_at_ += out.size;
    documents_ += out.lengths.size();
    return found::block;
}

// ------------------------------------------------------------------------------------------------------------------ origins

void block_origins::open(const packed_block& of) {
    ctx_.clear();
    text_.clear();
    errc said = expand_index(*of.codec, of.index, text_, ctx_);
    bytes packed;
    if (said == errc::ok) {
        const bytes document{reinterpret_cast<const unsigned char*>(text_.data()), text_.size()};
        tape_.clear(document);
        said = record(document, block_options::most_documents + other_values, tape_, all_, ctx_);
        if (said == errc::ok) said = cursor(all_)["origins"].get(packed);
    }
    if (said == errc::ok) {
        tape_.clear(packed);
        said = record(packed, 5 * block_options::most_documents + other_values, tape_, all_, ctx_);
    }
    good_ = said == errc::ok;
    rewind();
}

void block_origins::rewind() noexcept {
    next_ = names_ = 0;
    from_archive_ = 0;
    at_ = 0;
    archive_name_ = {};
    entry_name_.clear();
    if (!good_) return;
    const cursor root(all_);
    archive_ = root["archives"].first();
    entry_ = root["entries"].first();
    offset_ = root["offsets"].first();
}

// Bytes of a name more. False: more than the names of a block have.
bool block_origins::counted(std::size_t name) noexcept { return (names_ += name) <= block_options::most_names; }

// To the next document. False: nothing is known of it, nor of those behind it.
bool block_origins::step() {
    bool same = next_ != 0;
    bytes name;
    if (from_archive_ == 0) {
        if (!archive_ || archive_.get(name) != errc::ok || !archive_.next() || archive_.next().get(from_archive_) != errc::ok ||
            from_archive_ == 0)
            return false;
        same = same && as_text(name) == archive_name_;
        if (!counted(name.size())) return false;
        archive_name_ = as_text(name);
        archive_ = archive_.next().next();
    }
    std::uint64_t shared = 0, offset = 0;
    std::int64_t further = 0;
    if (!entry_ || !offset_ || entry_.get(shared) != errc::ok || shared > entry_name_.size() || !entry_.next() ||
        entry_.next().get(name) != errc::ok)
        return false;
    // What a few shared bytes can become is bounded by what a writer puts into one block.
    const bool another = shared != entry_name_.size() || !name.empty();
    if (another && !counted(static_cast<std::size_t>(shared) + name.size())) return false;
    same = same && !another;
    if ((same ? offset_.get(further) : offset_.get(offset)) != errc::ok) return false;
    if (same && __builtin_add_overflow(static_cast<std::int64_t>(at_), further, &further)) return false;
    if (same) offset = static_cast<std::uint64_t>(further);
    if (offset > INT64_MAX) return false;  // no column of offsets holds it
    if (!same) {
        entry_name_.resize(static_cast<std::size_t>(shared));
        entry_name_ += as_text(name);
    }
    entry_ = entry_.next().next();
    offset_ = offset_.next();
    at_ = offset;
    --from_archive_;
    ++next_;
    return true;
}

bool block_origins::at(std::size_t i, origin& out) {
    if (!good_) return false;
    if (i + 1 < next_) rewind();
    while (next_ <= i)
        if (!step()) {
            good_ = false;
            return false;
        }
    out.archive = archive_name_;
    out.entry = entry_name_;
    out.offset = at_;
    out.line = 0;
    return true;
}

}  // namespace kumihimo::inline v0::extract
