// Zstandard (RFC 8878) by libzstd 1.4 or newer, found when it is needed. What is packed here carries a check sum.
#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/frame/over.hpp"

namespace kumihimo::inline v0::frame {
namespace {

struct in_buffer {
    const void* src;
    std::size_t size, pos;
};
struct out_buffer {
    void* dst;
    std::size_t size, pos;
};
constexpr int level_parameter = 100, checksum_parameter = 201, window_parameter = 100;  // ZSTD_c_..., ZSTD_d_windowLogMax
constexpr int ignore_checksum = 1002;  // ZSTD_d_forceIgnoreChecksum; a libzstd that does not know it refuses it
constexpr int session_only = 1;
constexpr int go_on = 0, flush = 1, end = 2;                                   // ZSTD_e_...
constexpr unsigned long long no_length = static_cast<unsigned long long>(-2);  // from there on: unknown, or no frame

struct functions {
    static constexpr library which = library::libzstd;
    static constexpr const char* missing =
        "zstd needs the library libzstd (1.4 or newer), which is not found; install it (Debian: apt install libzstd1, macOS: "
        "brew install zstd)";
    static constexpr const char* no_memory = "no memory for libzstd";
    unsigned (*is_error)(std::size_t) = nullptr;
    int (*error_code)(std::size_t) = nullptr;
    void* (*new_decompressor)() = nullptr;
    std::size_t (*free_decompressor)(void*) = nullptr;
    std::size_t (*reset_decompressor)(void*, int) = nullptr;
    std::size_t (*set_decompressor)(void*, int, int) = nullptr;
    std::size_t (*decompress)(void*, out_buffer*, in_buffer*) = nullptr;
    unsigned long long (*content_size)(const void*, std::size_t) = nullptr;
    void* (*new_compressor)() = nullptr;
    std::size_t (*free_compressor)(void*) = nullptr;
    std::size_t (*set_compressor)(void*, int, int) = nullptr;
    std::size_t (*compress)(void*, out_buffer*, in_buffer*, int) = nullptr;
    std::size_t (*compress_whole)(void*, void*, std::size_t, const void*, std::size_t) = nullptr;
    std::size_t (*bound)(std::size_t) = nullptr;
    bool there = false;

    functions() noexcept {
        static constexpr const char* names[] = {"libzstd.so.1",
                                                "libzstd.so",
                                                "libzstd.1.dylib",
                                                "/opt/homebrew/lib/libzstd.1.dylib",
                                                "/usr/local/lib/libzstd.1.dylib",
                                                "/opt/local/lib/libzstd.1.dylib"};
        const function all[] = {wanted("ZSTD_isError", is_error),
                                wanted("ZSTD_getErrorCode", error_code),
                                wanted("ZSTD_createDCtx", new_decompressor),
                                wanted("ZSTD_freeDCtx", free_decompressor),
                                wanted("ZSTD_DCtx_reset", reset_decompressor),
                                wanted("ZSTD_DCtx_setParameter", set_decompressor),
                                wanted("ZSTD_decompressStream", decompress),
                                wanted("ZSTD_getFrameContentSize", content_size),
                                wanted("ZSTD_createCCtx", new_compressor),
                                wanted("ZSTD_freeCCtx", free_compressor),
                                wanted("ZSTD_CCtx_setParameter", set_compressor),
                                wanted("ZSTD_compressStream2", compress),
                                wanted("ZSTD_compress2", compress_whole),
                                wanted("ZSTD_compressBound", bound)};
        there = find(names, all);
    }
};

// libzstd's numbers of errors, which zstd_errors.h keeps from release to release.
errc explain(int code, const char*& what) noexcept {
    switch (code) {
        case 14: what = "the zstd frame uses something that this libzstd does not know"; return errc::unsupported;
        case 16:
            what = "the zstd frame needs more memory than the window limit allows, as one made with --long does";
            return errc::size;
        case 22: what = "the text does not match its checksum (XXH64)"; return errc::syntax;
        case 30:
        case 32: what = "the zstd frame needs a dictionary, and there is none"; return errc::unsupported;
        case 64: what = functions::no_memory; return errc::memory;
        default: what = "the zstd data is damaged"; return errc::syntax;
    }
}

class zstd_expander final : public over<expander, functions> {
public:
    zstd_expander(const functions& f, std::size_t window) noexcept : over(f), by_(f.new_decompressor()) {
        // At least 10 and at most 31 (30 where addresses have 32 bits), as libzstd wants it.
        const int bits = std::clamp(static_cast<int>(std::bit_width(window)) - 1, 10, sizeof(void*) == 8 ? 31 : 30);
        ready = by_ != nullptr && f_.is_error(f_.set_decompressor(by_, window_parameter, bits)) == 0;
    }
    ~zstd_expander() override { f_.free_decompressor(by_); }

    void restart() noexcept override {
        f_.reset_decompressor(by_, session_only);
        held_ = 0;
        given_ = 0;
    }

    void trust() noexcept override { f_.set_decompressor(by_, ignore_checksum, 1); }

    errc expand(bytes in, char* to, std::size_t room, step& done, const char*& what) noexcept override {
        in_buffer from{in.data(), in.size(), 0};
        out_buffer out{to, room, 0};
        const std::size_t said = f_.decompress(by_, &out, &from);
        done.taken = from.pos;
        done.given = out.pos;
        done.ended = said == 0;
        if (f_.is_error(said) != 0) return explain(f_.error_code(said), what);
        // As a stream libzstd 1.5 does not compare the length with the header's where the last block is empty.
        const std::size_t more = std::min(sizeof header_ - held_, done.taken);
        if (more != 0) std::memcpy(header_ + held_, in.data(), more);
        held_ += more;
        given_ += done.given;
        if (!done.ended) return errc::ok;
        const unsigned long long length = f_.content_size(header_, held_);
        const bool wrong = (header_[0] & 0xf0) != 0x50 && length < no_length && length != given_;
        held_ = 0;
        given_ = 0;
        if (wrong) what = "the text is not as long as the zstd frame says";
        return wrong ? errc::syntax : errc::ok;
    }

private:
    void* by_;
    unsigned char header_[18];  // of the frame, as far as it is there; longer ones there are not
    std::size_t held_ = 0;
    std::uint64_t given_ = 0;
};

class zstd_compressor final : public over<compressor, functions> {
public:
    zstd_compressor(const functions& f, int level) noexcept : over(f), by_(f.new_compressor()) {
        ready = by_ != nullptr && f_.is_error(f_.set_compressor(by_, level_parameter, level)) == 0 &&
                f_.is_error(f_.set_compressor(by_, checksum_parameter, 1)) == 0;
    }
    ~zstd_compressor() override { f_.free_compressor(by_); }

    errc compress(bytes in, mode flush_mode, buffer& out, const char*& what) noexcept override {
        const int directive = flush_mode == mode::more ? go_on : flush_mode == mode::flush ? flush : end;
        in_buffer from{in.data(), in.size(), 0};
        for (;;) {
            std::size_t left = 0;
            KUMIHIMO_TRY(append(out, usual_room(in.size() - from.pos), what, [&](char* to, std::size_t free) {
                out_buffer room{to, free, 0};
                left = f_.compress(by_, &room, &from, directive);
                return room.pos;
            }));
            if (f_.is_error(left) != 0) return explain(f_.error_code(left), what);
            if (directive == go_on ? from.pos == from.size : left == 0) return errc::ok;
        }
    }

    /// One frame that knows its length.
    bool whole(bytes in, buffer& out) noexcept {
        const std::size_t bound = f_.bound(in.size());
        return f_.is_error(bound) == 0 && append_member(out, bound, [&](char* to) {
                   const std::size_t n = f_.compress_whole(by_, to, bound, in.data(), in.size());
                   return f_.is_error(n) == 0 ? n : 0;
               });
    }

private:
    void* by_;
};

std::unique_ptr<expander> expand(const limits& allowed, errc& code, const char*& what) {
    return make<zstd_expander>(code, what, allowed.window);
}

std::unique_ptr<compressor> compress(int level, errc& code, const char*& what) {
    return make<zstd_compressor>(code, what, level);
}

bool pack(bytes in, buffer& out, int level) {
    errc code = errc::ok;
    const char* what = "";
    const auto by = make<zstd_compressor>(code, what, level);
    return by && by->whole(in, out);
}

codec::match begins(bytes head) {
    static constexpr unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    return begins_or_skippable(head, magic);
}

std::uint64_t announced(bytes file) {
    const functions* const f = loaded<functions>();
    if (f == nullptr) return 0;
    const unsigned long long n = f->content_size(file.data(), file.size());
    return n < no_length ? n : 0;
}

// Without a check sum, and so with one spelling.
constexpr unsigned char empty[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00};

}  // namespace

constinit const codec zstd = {
    .name = "zstd",
    .ending = ".zst",
    .media = "application/zstd",
    .encoding = "zstd",
    .lowest = -131072,
    .usual = 3,
    .highest = 22,
    .archival = 3,
    .padded = false,
    .padded_between = false,
    .empty = empty,
    .other = "this is not zstd: the header is another one, or damaged",
    .after = "something that is not zstd follows the last zstd frame",
    .cut = "the zstd data is cut off",
    .missing = functions::missing,
    .levels = "the levels of zstd are -131072 to 22",
    .begins = begins,
    .announced = announced,
    .expand = expand,
    .compress = compress,
    .unpack = nullptr,
    .pack = pack,
};

}  // namespace kumihimo::inline v0::frame
