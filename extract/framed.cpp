#include "extract/framed.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "extract/gzip.hpp"
#include "extract/inflate64.hpp"
#include "extract/salvage.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t piece = 256 * 1024;  // packed bytes read at a time
constexpr const char* no_memory = "no memory for the decompressor; use fewer --jobs (jobs)";

limits limits_of(const expansion& allowed) noexcept {
    constexpr std::uint64_t most = std::numeric_limits<std::size_t>::max();
    limits l;
    l.size = std::numeric_limits<std::size_t>::max();
    l.ratio = static_cast<std::size_t>(std::min(allowed.ratio, most));
    l.ratio_floor = static_cast<std::size_t>(std::min(allowed.floor, most));
    return l;
}

// The engine's failure in the words of this program's options.
errc translate(errc code, const failure& said, const frame::unpacker& from, const expansion& allowed, context& ctx) {
    const char* what = said.what;
    if (code == errc::size && from.produced() > allowed.floor) what = bomb;
    if (code == errc::memory) what = no_memory;
    if (code == errc::truncated) what = cut_off;
    return ctx.fail(code, said.offset, what);
}

}  // namespace

packing packing_of(content is) noexcept {
    switch (is) {
        case content::gzip: return packing::gzip;
        case content::zstd: return packing::zstd;
        case content::lz4: return packing::lz4;
        case content::xz: return packing::xz;
        case content::bzip2: return packing::bzip2;
        default: return packing::none;
    }
}

packing packing_of(const zip_entry& entry) noexcept {
    if (entry.sealed()) return packing::sealed;
    switch (entry.method) {
        case zip_entry::deflated: return packing::deflate;
        case zip_entry::zstd: return packing::zstd;
        case zip_entry::bzip2: return packing::bzip2;
        case zip_entry::lzma: return packing::lzma;
        case zip_entry::xz: return packing::xz;
        case zip_entry::deflate64: return packing::deflate64;
        default: return packing::none;
    }
}

const frame::codec* codec_of(packing packed_as) noexcept {
    switch (packed_as) {
        case packing::zstd: return &frame::zstd;
        case packing::lz4: return &frame::lz4;
        case packing::xz: return &frame::xz;
        case packing::bzip2: return &frame::bzip2;
        case packing::lzma: return &frame::lzma;
        default: return nullptr;
    }
}

std::uint64_t announced(packing packed_as, bytes file) noexcept {
    if (packed_as == packing::gzip) return gzip_announced(file);
    const frame::codec* const codec = codec_of(packed_as);
    return codec != nullptr ? codec->announced(file) : 0;
}

expanding_source& expand(source_chain& chain, byte_source& from, packing packed_as, const expansion& allowed, bool single) {
    if (const frame::codec* const codec = codec_of(packed_as)) return chain.add<frame_source>(from, *codec, allowed, single);
    if (packed_as == packing::deflate64) return chain.add<inflate64_source>(from, allowed);
    const auto wrapper = packed_as == packing::gzip ? inflate_source::wrapper::gzip : inflate_source::wrapper::none;
    return chain.add<inflate_source>(from, wrapper, allowed);
}

// In the Zip: the version of the packer, the length of the properties, 5, and these (APPNOTE 5.8). Where no mark ends
// the stream, its length does.
std::string lzma_header(const zip_entry& entry, bytes data, bytes& rest) {
    constexpr std::uint16_t ends_by_mark = 2;
    if (data.size() < 9 || data[2] != 5 || data[3] != 0) return {};
    std::string header(reinterpret_cast<const char*>(data.data()) + 4, 5);
    for (int i = 0; i < 8; ++i) header += (entry.flags & ends_by_mark) != 0 ? '\xff' : static_cast<char>(entry.size >> 8 * i);
    rest = data.subspan(9);
    return header;
}

frame_source::frame_source(byte_source& from, const frame::codec& codec, const expansion& allowed, bool single) noexcept
    : from_(&from),
      allowed_(allowed),
      own_{limits_of(allowed), {}},
      frames_(codec, own_, single),
      input_(new (std::nothrow) char[piece]),
      single_(single) {}

// A sender that flushes leaves nothing unread in the input.
bool frame_source::ready(int patience) noexcept {
    return ended_ || input_ended_ || full_ || !left_.empty() || from_->ready(patience);
}

errc frame_source::read(char* to, std::size_t room, std::size_t& got, context& ctx) {
    got = 0;
    if (!input_) return ctx.fail(errc::memory, 0, no_memory);
    while (!ended_) {
        if (left_.empty() && !input_ended_ && !full_) {
            std::size_t n = 0;
            KUMIHIMO_TRY(from_->read(input_.get(), piece, n, ctx));
            left_ = {reinterpret_cast<const unsigned char*>(input_.get()), n};
            input_ended_ = n == 0;
        }
        const errc code = frames_.expand(left_, to, room, got);
        full_ = got == room;
        if (got != 0) return errc::ok;  // what came before a fault counts; the fault is said again at the next call
        if (code != errc::ok) return translate(code, own_.failure, frames_, allowed_, ctx);
        if (single_ && frames_.members() != 0) {
            ended_ = true;
        } else if (input_ended_) {
            if (frames_.finish() != errc::ok) return translate(errc::truncated, own_.failure, frames_, allowed_, ctx);
            ended_ = true;
        }
    }
    return errc::ok;
}

frame::unpacker& deframer::fresh(packing packed_as, const expansion& allowed, bool proven) noexcept {
    own_.clear();
    own_.limits = limits_of(allowed);
    std::optional<frame::unpacker>& of = (proven ? proven_ : usual_)[static_cast<std::size_t>(packed_as)];
    if (!of) return of.emplace(*codec_of(packed_as), own_, false, proven);
    of->restart();
    return *of;
}

// What is said of data that has another size than it should.
struct size_words {
    const char *more, *less, *cut;
};
constexpr size_words of_entry{"the compressed data expands to more than the archive says",
                              "the compressed data expands to less than the archive says",
                              "the entry's compressed data is cut off"};
constexpr const char* damaged_lzma = "the entry's LZMA header is damaged: the archive is damaged; copy or download it again";
constexpr size_words of_block{"the block expands to more than its index says", "the block expands to less than its index says",
                              "the block's compressed data is cut off"};

// The archive's own sizes, and those of an index, were compared with what is allowed.
constexpr expansion compared{.floor = std::numeric_limits<std::uint64_t>::max()};

errc deframer::exact(packing packed_as, bytes packed, char* to, std::size_t size, std::uint64_t at, context& ctx) noexcept {
    return exact(fresh(packed_as, compared), of_entry, {}, packed, to, size, size + 1, at, ctx);
}

errc deframer::exact(const zip_entry& entry, bytes packed, char* to, context& ctx) {
    bytes rest;
    const std::string head = lzma_header(entry, packed, rest);
    if (head.empty()) return ctx.fail(errc::syntax, entry.header, damaged_lzma);
    return exact(fresh(packing::lzma, compared), of_entry, {reinterpret_cast<const unsigned char*>(head.data()), head.size()},
                 rest, to, entry.size, entry.size + 1, entry.header, ctx);
}

errc deframer::proven(packing packed_as, bytes packed, char* to, std::size_t size, std::uint64_t at, context& ctx,
                      std::size_t room) noexcept {
    return exact(fresh(packed_as, compared, true), of_block, {}, packed, to, size, room, at, ctx);
}

errc deframer::exact(frame::unpacker& from, const size_words& say, bytes head, bytes packed, char* to, std::size_t size,
                     std::size_t room, std::uint64_t at, context& ctx) noexcept {
    std::size_t got = 0, more = 0;
    errc code = from.expand(head, to, room, got);
    if (code == errc::ok && got < room) code = from.expand(packed, to + got, room - got, more);
    got += more;
    if (code == errc::ok && got <= size) code = from.finish();
    if (got > size) return ctx.fail(errc::syntax, at, say.more);
    if (code == errc::truncated) return ctx.fail(errc::truncated, at, say.cut);
    if (code != errc::ok) return ctx.fail(code, at, code == errc::memory ? no_memory : own_.failure.what);
    if (got < size) return ctx.fail(errc::truncated, at, say.less);
    return errc::ok;
}

errc deframer::all(packing packed_as, bytes file, arena& room, const expansion& allowed, bytes& out, context& ctx) noexcept {
    frame::unpacker& from = fresh(packed_as, allowed);
    std::size_t used = 0;
    // What is announced is believed as far as usual text goes; zstd and lz4 reach far beyond.
    std::uint64_t want = announced(packed_as, file);
    if (want == 0 || want > file.size() * std::uint64_t{64}) want = file.size() * std::uint64_t{4};
    bytes in = file;
    for (;;) {
        want = std::min<std::uint64_t>(want, allowed.size - used + 1);
        char* const to = room.room(used + static_cast<std::size_t>(want), used);
        if (to == nullptr)
            return ctx.fail(errc::memory, static_cast<std::size_t>(from.taken()),
                            "no memory for the expanded data; use fewer --jobs (jobs) or a lower --max-size (document_size)");
        const std::size_t free = room.capacity() - used;
        std::size_t got = 0;
        errc code = from.expand(in, to + used, free, got);
        used += got;
        if (code == errc::ok && used > allowed.size)
            return ctx.fail(errc::size, static_cast<std::size_t>(from.taken()), too_large);
        const bool all = in.empty() && (from.between() || got < free);
        if (code == errc::ok && all) code = from.finish();
        if (code != errc::ok) return translate(code, own_.failure, from, allowed, ctx);
        if (all) break;
        want = std::max<std::uint64_t>(used, 4096);
    }
    out = {reinterpret_cast<const unsigned char*>(room.data()), used};
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
