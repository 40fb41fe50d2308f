#include "extract/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "extract/salvage.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t piece = 256 * 1024;  // compressed bytes read at a time
constexpr const char* after = "something that is not gzip follows the last gzip member";
constexpr const char* wrong_sum =
    "the expanded gzip data does not match its checksum (CRC-32); copy or download the file again";

std::uint32_t u32(const unsigned char* p) {
    return static_cast<std::uint32_t>(p[0]) | static_cast<std::uint32_t>(p[1]) << 8 | static_cast<std::uint32_t>(p[2]) << 16 |
           static_cast<std::uint32_t>(p[3]) << 24;
}

// The length of a member's header; 0 when it is cut off, npos when it is none.
constexpr std::size_t npos = static_cast<std::size_t>(-1);
std::size_t header_length(bytes b) {
    static constexpr unsigned char magic[3] = {0x1f, 0x8b, 8};
    if (std::memcmp(b.data(), magic, std::min<std::size_t>(b.size(), 3)) != 0) return npos;
    if (b.size() < 10) return 0;
    if ((b[3] & 0xe0) != 0) return npos;
    const unsigned flags = b[3];
    std::size_t at = 10;
    if ((flags & 4) != 0) {
        if (b.size() - at < 2) return 0;
        at += 2 + static_cast<std::size_t>(b[at] | b[at + 1] << 8);
        if (at > b.size()) return 0;
    }
    for (const unsigned text : {8u, 16u}) {  // the file's name, a comment: each ends with a zero byte
        if ((flags & text) == 0) continue;
        const void* zero = at < b.size() ? std::memchr(b.data() + at, 0, b.size() - at) : nullptr;
        if (zero == nullptr) return 0;
        at = static_cast<std::size_t>(static_cast<const unsigned char*>(zero) - b.data()) + 1;
    }
    if ((flags & 2) != 0) at += 2;
    return at <= b.size() ? at : 0;
}

}  // namespace

bool looks_like_gzip(bytes head) noexcept { return head.size() >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8; }

std::size_t gzip_announced(bytes file) noexcept { return file.size() < 18 ? 0 : u32(file.data() + file.size() - 4); }

errc gunzip(bytes file, inflater& how, arena& room, const expansion& allowed, bytes& out, context& ctx) {
    std::size_t at = 0, used = 0;
    while (at < file.size()) {
        const bytes rest = file.subspan(at);
        if (at != 0 && rest[0] == 0) {
            if (std::any_of(rest.begin(), rest.end(), [](unsigned char c) { return c != 0; }))
                return ctx.fail(errc::trailing, at, after);
            break;
        }
        const std::size_t header = header_length(rest);
        if (header == npos)
            return at == 0 ? ctx.fail(errc::syntax, 0, "the gzip header is damaged; copy or download the file again")
                           : ctx.fail(errc::trailing, at, after);
        if (header == 0) return ctx.fail(errc::truncated, file.size(), "the gzip file is cut off inside a header");
        if ((rest[3] & 2) != 0 && (crc32(0, rest.first(header - 2)) & 0xFFFF) !=
                                      (rest[header - 2] | static_cast<std::uint32_t>(rest[header - 1]) << 8))
            return ctx.fail(errc::syntax, at, "the gzip header does not match its checksum");
        // The announced length is that of the last member, so it is right at the first try for the usual file of one.
        std::size_t want = std::max<std::size_t>(gzip_announced(file), 4096);
        if (want > rest.size() * 1032 || want < rest.size()) want = rest.size() * 4;
        for (;;) {
            want = static_cast<std::size_t>(std::min<std::uint64_t>(want, allowed.size - used + 1));
            char* to = room.room(used + want, used);
            if (to == nullptr)
                return ctx.fail(
                    errc::memory, at,
                    "no memory for the expanded data; use fewer --jobs (jobs) or a lower --max-size (document_size)");
            std::size_t read = 0, written = 0;
            const auto said = how.any(rest.subspan(header), to + used, want + arena::slack, read, written);
            if (said == inflater::outcome::no_memory)
                return ctx.fail(errc::memory, at, "no memory for the decompressor; use fewer --jobs (jobs)");
            if (said == inflater::outcome::more_room) {
                if (want > allowed.size - used) return ctx.fail(errc::size, at, too_large);
                if (allowed.excessive(rest.size(), want)) return ctx.fail(errc::size, at, bomb);
                want *= 2;
                continue;
            }
            const std::size_t tail = header + read;
            if (said == inflater::outcome::damaged) {
                // libdeflate has one word for damage and for an end inside a block; the length tells them apart badly,
                // so say both.
                return ctx.fail(errc::syntax, at, "the gzip data is damaged or cut off");
            }
            if (rest.size() - tail < 8)
                return ctx.fail(errc::truncated, file.size(), "the gzip file is cut off before its checksum");
            if (written > allowed.size - used) return ctx.fail(errc::size, at, too_large);
            if (allowed.excessive(tail, written)) return ctx.fail(errc::size, at, bomb);
            const bytes text{reinterpret_cast<const unsigned char*>(to) + used, written};
            if (crc32(0, text) != u32(rest.data() + tail)) return ctx.fail(errc::syntax, at, wrong_sum);
            if (static_cast<std::uint32_t>(written) != u32(rest.data() + tail + 4))
                return ctx.fail(errc::syntax, at, "the expanded gzip data is not as long as the file says");
            used += written;
            at += tail + 8;
            break;
        }
    }
    out = {reinterpret_cast<const unsigned char*>(room.data()), used};
    return errc::ok;
}

inflate_source::inflate_source(byte_source& from, wrapper w, const expansion& allowed) noexcept
    : from_(&from),
      allowed_(allowed),
      zlib_(new (std::nothrow) z_stream_s{}),
      input_(new (std::nothrow) char[piece]),
      wrapper_(w) {
    ready_ = zlib_ && input_ && inflateInit2(zlib_.get(), w == wrapper::gzip ? 15 + 16 : -15) == Z_OK;
}

inflate_source::~inflate_source() {
    if (ready_) inflateEnd(zlib_.get());
}

std::uint64_t inflate_source::taken() const noexcept { return fed_ - (zlib_ ? zlib_->avail_in : 0); }

errc inflate_source::refill(context& ctx) {
    std::size_t n = 0;
    KUMIHIMO_TRY(from_->read(input_.get(), piece, n, ctx));
    zlib_->next_in = reinterpret_cast<Bytef*>(input_.get());
    zlib_->avail_in = static_cast<uInt>(n);
    fed_ += n;
    if (n == 0) input_ended_ = true;
    return errc::ok;
}

// A sender that flushes (zlib's Z_SYNC_FLUSH) leaves nothing unread in the input.
bool inflate_source::ready(int patience) noexcept {
    return !ready_ || ended_ || input_ended_ || zlib_->avail_in != 0 || from_->ready(patience);
}

errc inflate_source::read(char* to, std::size_t room, std::size_t& got, context& ctx) {
    got = 0;
    if (!ready_) return ctx.fail(errc::memory, 0, "no memory for the decompressor; use fewer --jobs (jobs)");
    room = std::min<std::size_t>(room, std::size_t{1} << 30);
    while (got == 0 && !ended_) {
        if (zlib_->avail_in == 0 && !input_ended_) KUMIHIMO_TRY(refill(ctx));
        if (between_ && fed_ != zlib_->avail_in) {
            // Behind a member: another one, padding, or the end. One byte is enough to tell; zlib checks the rest of
            // the header.
            while (zlib_->avail_in != 0 && *zlib_->next_in == 0) {
                padding_ = true;
                ++zlib_->next_in;
                --zlib_->avail_in;
            }
            if (zlib_->avail_in == 0) {
                ended_ = input_ended_;
                continue;
            }
            if (padding_ || *zlib_->next_in != 0x1f) return ctx.fail(errc::trailing, taken(), after);
        } else if (between_ && zlib_->avail_in == 0 && input_ended_) {
            ended_ = true;  // empty input
            continue;
        }
        between_ = false;
        zlib_->next_out = reinterpret_cast<Bytef*>(to);
        zlib_->avail_out = static_cast<uInt>(room);
        const int said = inflate(zlib_.get(), Z_NO_FLUSH);
        got = room - zlib_->avail_out;
        produced_ += got;
        if (allowed_.excessive(taken(), produced_)) return ctx.fail(errc::size, taken(), bomb);
        if (said == Z_STREAM_END) {
            if (wrapper_ == wrapper::none) {
                ended_ = true;
            } else {
                inflateReset(zlib_.get());
                between_ = true;
                proven_ = produced_;
            }
        } else if (said == Z_MEM_ERROR) {
            return ctx.fail(errc::memory, taken(), "no memory for the decompressor; use fewer --jobs (jobs)");
        } else if (said != Z_OK && said != Z_BUF_ERROR) {
            if (got != 0) return errc::ok;  // what came before the damage counts; zlib repeats its answer at the next call
            const bool sum = zlib_->msg != nullptr && std::strcmp(zlib_->msg, "incorrect data check") == 0;
            return ctx.fail(errc::syntax, taken(),
                            sum ? wrong_sum : "the compressed data is damaged; copy or download the file again");
        } else if (got == 0 && zlib_->avail_in == 0 && input_ended_) {
            return ctx.fail(errc::truncated, taken(), cut_off);
        }
    }
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
