// LZ4's frame format (its doc/lz4_Frame_format.md, 1.6) by liblz4, found when it is needed. What is packed here
// carries a check sum. Not the format that `lz4 -l` writes, which has none and no end.
#include <algorithm>

#include "engine/frame/over.hpp"

namespace kumihimo::inline v0::frame {
namespace {

// LZ4F_preferences_t, whose size the library's ABI has fixed.
struct preferences {
    int block_size = 6;  // 1 MB
    int block_mode = 0;  // linked
    int content_checksum = 1;
    int frame_type = 0;
    unsigned long long content_size = 0;
    unsigned dictionary = 0;
    int block_checksum = 0;
    int level = 0;
    unsigned auto_flush = 0, favor_speed = 0, reserved[3] = {};
};
static_assert(sizeof(preferences) == 56);
// LZ4F_decompressOptions_t. An older liblz4 does not look at the second.
struct expanding {
    unsigned stable = 0, skip_checksums = 0, reserved[2] = {};
};
constexpr unsigned version = 100;
constexpr std::size_t most_at_once = std::size_t{1} << 20;

struct functions {
    static constexpr library which = library::liblz4;
    static constexpr const char* missing =
        "lz4 needs the library liblz4 (1.8 or newer), which is not found; install it "
        "(Debian: apt install liblz4-1, macOS: brew install lz4)";
    static constexpr const char* no_memory = "no memory for liblz4";
    unsigned (*is_error)(std::size_t) = nullptr;
    const char* (*error_name)(std::size_t) = nullptr;
    std::size_t (*new_decompressor)(void**, unsigned) = nullptr;
    std::size_t (*free_decompressor)(void*) = nullptr;
    void (*reset_decompressor)(void*) = nullptr;
    std::size_t (*decompress)(void*, void*, std::size_t*, const void*, std::size_t*, const void*) = nullptr;
    std::size_t (*new_compressor)(void**, unsigned) = nullptr;
    std::size_t (*free_compressor)(void*) = nullptr;
    std::size_t (*begin)(void*, void*, std::size_t, const void*) = nullptr;
    std::size_t (*update)(void*, void*, std::size_t, const void*, std::size_t, const void*) = nullptr;
    std::size_t (*flush)(void*, void*, std::size_t, const void*) = nullptr;
    std::size_t (*end)(void*, void*, std::size_t, const void*) = nullptr;
    std::size_t (*bound)(std::size_t, const void*) = nullptr;
    std::size_t (*whole_bound)(std::size_t, const void*) = nullptr;
    std::size_t (*whole)(void*, std::size_t, const void*, std::size_t, const void*) = nullptr;
    bool there = false;

    functions() noexcept {
        static constexpr const char* names[] = {"liblz4.so.1",
                                                "liblz4.so",
                                                "liblz4.1.dylib",
                                                "/opt/homebrew/lib/liblz4.1.dylib",
                                                "/usr/local/lib/liblz4.1.dylib",
                                                "/opt/local/lib/liblz4.1.dylib"};
        const function all[] = {wanted("LZ4F_isError", is_error),
                                wanted("LZ4F_getErrorName", error_name),
                                wanted("LZ4F_createDecompressionContext", new_decompressor),
                                wanted("LZ4F_freeDecompressionContext", free_decompressor),
                                wanted("LZ4F_resetDecompressionContext", reset_decompressor),
                                wanted("LZ4F_decompress", decompress),
                                wanted("LZ4F_createCompressionContext", new_compressor),
                                wanted("LZ4F_freeCompressionContext", free_compressor),
                                wanted("LZ4F_compressBegin", begin),
                                wanted("LZ4F_compressUpdate", update),
                                wanted("LZ4F_flush", flush),
                                wanted("LZ4F_compressEnd", end),
                                wanted("LZ4F_compressBound", bound),
                                wanted("LZ4F_compressFrameBound", whole_bound),
                                wanted("LZ4F_compressFrame", whole)};
        there = find(names, all);
    }
};

class lz4_expander final : public over<expander, functions> {
public:
    explicit lz4_expander(const functions& f) noexcept : over(f) {
        ready = f_.is_error(f_.new_decompressor(&by_, version)) == 0;
    }
    ~lz4_expander() override { f_.free_decompressor(by_); }

    void restart() noexcept override { f_.reset_decompressor(by_); }
    void trust() noexcept override { options_.skip_checksums = 1; }

    errc expand(bytes in, char* to, std::size_t room, step& done, const char*& what) noexcept override {
        done.taken = in.size();
        done.given = room;
        const std::size_t said = f_.decompress(by_, to, &done.given, in.data(), &done.taken, &options_);
        done.ended = said == 0;
        if (f_.is_error(said) == 0) return errc::ok;
        done = {};  // after a failure the library's counts say nothing
        const std::string_view why = f_.error_name(said);
        if (why == "ERROR_allocation_failed") {
            what = functions::no_memory;
            return errc::memory;
        }
        what = why == "ERROR_contentChecksum_invalid" || why == "ERROR_blockChecksum_invalid"
                   ? "the text does not match its checksum (XXH32)"
               : why == "ERROR_headerChecksum_invalid" ? "the lz4 header does not match its checksum"
               : why == "ERROR_frameSize_wrong"        ? "the text is not as long as the lz4 frame says"
                                                       : "the lz4 data is damaged";
        return errc::syntax;
    }

private:
    void* by_ = nullptr;
    expanding options_;
};

class lz4_compressor final : public over<compressor, functions> {
public:
    lz4_compressor(const functions& f, int level) noexcept : over(f) {
        preferences_.level = level;
        ready = f_.is_error(f_.new_compressor(&by_, version)) == 0;
    }
    ~lz4_compressor() override { f_.free_compressor(by_); }

    errc compress(bytes in, mode flush_mode, buffer& out, const char*& what) noexcept override {
        constexpr std::size_t header = 32;  // 19 at most
        if (!open_) {
            KUMIHIMO_TRY(call(out, header, what, [&](char* to, std::size_t n) { return f_.begin(by_, to, n, &preferences_); }));
            open_ = true;
        }
        while (!in.empty()) {
            const bytes now = in.first(std::min(in.size(), most_at_once));
            in = in.subspan(now.size());
            KUMIHIMO_TRY(call(out, f_.bound(now.size(), &preferences_), what,
                              [&](char* to, std::size_t n) { return f_.update(by_, to, n, now.data(), now.size(), nullptr); }));
        }
        if (flush_mode == mode::flush)
            return call(out, f_.bound(0, &preferences_), what,
                        [&](char* to, std::size_t n) { return f_.flush(by_, to, n, nullptr); });
        if (flush_mode == mode::finish) {
            open_ = false;
            return call(out, f_.bound(0, &preferences_), what,
                        [&](char* to, std::size_t n) { return f_.end(by_, to, n, nullptr); });
        }
        return errc::ok;
    }

private:
    template <class F>
    errc call(buffer& out, std::size_t room, const char*& what, F&& library) noexcept {
        bool good = true;
        const errc code = append(out, room, what, [&](char* to, std::size_t free) {
            const std::size_t n = library(to, free);
            good = f_.is_error(n) == 0;
            return good ? n : 0;
        });
        if (code != errc::ok || good) return code;
        what = functions::no_memory;  // with enough room there is no other reason
        return errc::memory;
    }

    void* by_ = nullptr;
    preferences preferences_;
    bool open_ = false;
};

std::unique_ptr<expander> expand(const limits&, errc& code, const char*& what) { return make<lz4_expander>(code, what); }

std::unique_ptr<compressor> compress(int level, errc& code, const char*& what) {
    return make<lz4_compressor>(code, what, level);
}

// One frame that knows its length.
bool pack(bytes in, buffer& out, int level) {
    const functions* const f = loaded<functions>();
    if (f == nullptr) return false;
    preferences settings;
    settings.level = level;
    settings.content_size = in.size();
    const std::size_t bound = f->whole_bound(in.size(), &settings);
    return append_member(out, bound, [&](char* to) {
        const std::size_t n = f->whole(to, bound, in.data(), in.size(), &settings);
        return f->is_error(n) == 0 ? n : 0;
    });
}

codec::match begins(bytes head) {
    static constexpr unsigned char magic[] = {0x04, 0x22, 0x4d, 0x18};
    return begins_or_skippable(head, magic);
}

// Magic, flags (bit 3: the length is there), block size, 8 bytes of length.
std::uint64_t announced(bytes file) {
    if (file.size() < 15 || (file[4] & 8) == 0 || begins(file) != codec::match::yes || file[0] != 4) return 0;
    return little(file.data() + 6) | static_cast<std::uint64_t>(little(file.data() + 10)) << 32;
}

// Without a check sum, and so with one spelling.
constexpr unsigned char empty[] = {0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, 0x00, 0x00, 0x00, 0x00};

}  // namespace

constinit const codec lz4 = {
    .name = "lz4",
    .ending = ".lz4",
    .media = "application/x-lz4",
    .encoding = {},
    .lowest = 1,
    .usual = 1,
    .highest = 12,
    .archival = 9,
    .padded = false,
    .padded_between = false,
    .empty = empty,
    .other = "this is not lz4: the header is another one, or damaged",
    .after = "something that is not lz4 follows the last lz4 frame",
    .cut = "the lz4 data is cut off",
    .missing = functions::missing,
    .levels = "the levels of lz4 are 1 to 12",
    .begins = begins,
    .announced = announced,
    .expand = expand,
    .compress = compress,
    .unpack = nullptr,
    .pack = pack,
};

}  // namespace kumihimo::inline v0::frame
