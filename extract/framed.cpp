#include "extract/framed.hpp"

#include <algorithm>
#include <limits>
#include <new>

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
        default: return packing::none;
    }
}

packing packing_of(const zip_entry& entry) noexcept {
    return entry.method == zip_entry::deflated ? packing::deflate
           : entry.method == zip_entry::zstd   ? packing::zstd
                                               : packing::none;
}

const frame::codec* codec_of(packing packed_as) noexcept {
    return packed_as == packing::zstd ? &frame::zstd : packed_as == packing::lz4 ? &frame::lz4 : nullptr;
}

std::uint64_t announced(packing packed_as, bytes file) noexcept {
    if (packed_as == packing::gzip) return gzip_announced(file);
    const frame::codec* const codec = codec_of(packed_as);
    return codec != nullptr ? codec->announced(file) : 0;
}

expanding_source& expand(source_chain& chain, byte_source& from, packing packed_as, const expansion& allowed, bool single) {
    if (const frame::codec* const codec = codec_of(packed_as)) return chain.add<frame_source>(from, *codec, allowed, single);
    const auto wrapper = packed_as == packing::gzip ? inflate_source::wrapper::gzip : inflate_source::wrapper::none;
    return chain.add<inflate_source>(from, wrapper, allowed);
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
    std::optional<frame::unpacker>& of = packed_as == packing::zstd ? (proven ? proven_zstd_ : zstd_)
                                         : proven                   ? proven_lz4_
                                                                    : lz4_;
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
constexpr size_words of_block{"the block expands to more than its index says", "the block expands to less than its index says",
                              "the block's compressed data is cut off"};

// The archive's own sizes, and those of an index, were compared with what is allowed.
constexpr expansion compared{.floor = std::numeric_limits<std::uint64_t>::max()};

errc deframer::exact(packing packed_as, bytes packed, char* to, std::size_t size, std::uint64_t at, context& ctx) noexcept {
    return exact(fresh(packed_as, compared), of_entry, packed, to, size, size + 1, at, ctx);
}

errc deframer::proven(packing packed_as, bytes packed, char* to, std::size_t size, std::uint64_t at, context& ctx,
                      std::size_t room) noexcept {
    return exact(fresh(packed_as, compared, true), of_block, packed, to, size, room, at, ctx);
}

errc deframer::exact(frame::unpacker& from, const size_words& say, bytes packed, char* to, std::size_t size, std::size_t room,
                     std::uint64_t at, context& ctx) noexcept {
    std::size_t got = 0;
    errc code = from.expand(packed, to, room, got);
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
