// gzip (RFC 1952) by zlib, and whole buffers by libdeflate where the build links it.
//
// KUMIHIMO_LINKS_ZLIB, KUMIHIMO_LINKS_LIBDEFLATE: the build links these libraries. Without the first zlib is found
// when it is needed; without the second whole buffers are streams of one piece. Either way no header of theirs is
// needed.
#include <algorithm>

#include "engine/frame/over.hpp"

namespace kumihimo::inline v0::frame {
namespace {

// zlib's z_stream, which its ABI has fixed.
struct z_stream {
    const unsigned char* next_in = nullptr;
    unsigned avail_in = 0;
    unsigned long total_in = 0;
    unsigned char* next_out = nullptr;
    unsigned avail_out = 0;
    unsigned long total_out = 0;
    const char* msg = nullptr;
    void* state = nullptr;
    void* (*zalloc)(void*, unsigned, unsigned) = nullptr;
    void (*zfree)(void*, void*) = nullptr;
    void* opaque = nullptr;
    int data_type = 0;
    unsigned long adler = 0, reserved = 0;
};
constexpr int z_ok = 0, z_stream_end = 1, z_mem_error = -4, z_buf_error = -5;
constexpr int z_no_flush = 0, z_sync_flush = 2, z_finish = 4;
constexpr int with_gzip_header = 15 + 16;
constexpr std::size_t most_at_once = std::size_t{1} << 30;  // zlib counts in 32 bits

}  // namespace

#ifdef KUMIHIMO_LINKS_ZLIB
extern "C" {
const char* zlibVersion();
int inflateInit2_(void*, int, const char*, int);
int inflate(void*, int);
int inflateReset(void*);
int inflateEnd(void*);
int deflateInit2_(void*, int, int, int, int, int, const char*, int);
int deflate(void*, int);
int deflateReset(void*);
int deflateEnd(void*);
}
#endif
#ifdef KUMIHIMO_LINKS_LIBDEFLATE
extern "C" {
struct libdeflate_compressor;
struct libdeflate_decompressor;
libdeflate_compressor* libdeflate_alloc_compressor(int);
std::size_t libdeflate_gzip_compress_bound(libdeflate_compressor*, std::size_t);
std::size_t libdeflate_gzip_compress(libdeflate_compressor*, const void*, std::size_t, void*, std::size_t);
void libdeflate_free_compressor(libdeflate_compressor*);
libdeflate_decompressor* libdeflate_alloc_decompressor();
int libdeflate_gzip_decompress_ex(libdeflate_decompressor*, const void*, std::size_t, void*, std::size_t, std::size_t*,
                                  std::size_t*);
void libdeflate_free_decompressor(libdeflate_decompressor*);
}
#endif

namespace {

struct functions {
    static constexpr library which = library::zlib;
    static constexpr const char* missing =
        "gzip needs the library zlib, which is not found; install it (Debian: apt install zlib1g)";
    static constexpr const char* no_memory = "no memory for zlib";
    const char* (*version)() = nullptr;
    int (*inflate_init)(void*, int, const char*, int) = nullptr;
    int (*inflate)(void*, int) = nullptr;
    int (*inflate_reset)(void*) = nullptr;
    int (*inflate_end)(void*) = nullptr;
    int (*deflate_init)(void*, int, int, int, int, int, const char*, int) = nullptr;
    int (*deflate)(void*, int) = nullptr;
    int (*deflate_reset)(void*) = nullptr;
    int (*deflate_end)(void*) = nullptr;
    bool there = false;

    functions() noexcept {
#ifdef KUMIHIMO_LINKS_ZLIB
        version = zlibVersion;
        inflate_init = inflateInit2_;
        inflate = frame::inflate;
        inflate_reset = inflateReset;
        inflate_end = inflateEnd;
        deflate_init = deflateInit2_;
        deflate = frame::deflate;
        deflate_reset = deflateReset;
        deflate_end = deflateEnd;
        there = true;
#else
        static constexpr const char* names[] = {"libz.so.1", "libz.so", "libz.1.dylib", "/usr/lib/libz.1.dylib"};
        const function all[] = {wanted("zlibVersion", version),    wanted("inflateInit2_", inflate_init),
                                wanted("inflate", inflate),        wanted("inflateReset", inflate_reset),
                                wanted("inflateEnd", inflate_end), wanted("deflateInit2_", deflate_init),
                                wanted("deflate", deflate),        wanted("deflateReset", deflate_reset),
                                wanted("deflateEnd", deflate_end)};
        there = find(names, all);
#endif
    }
};

class zlib_expander final : public over<expander, functions> {
public:
    explicit zlib_expander(const functions& f) noexcept : over(f) {
        ready = f_.inflate_init(&z_, with_gzip_header, f_.version(), sizeof z_) == z_ok;
    }
    ~zlib_expander() override {
        if (ready) f_.inflate_end(&z_);
    }

    void restart() noexcept override { f_.inflate_reset(&z_); }

    errc expand(bytes in, char* to, std::size_t room, step& done, const char*& what) noexcept override {
        z_.next_in = in.data();
        z_.avail_in = static_cast<unsigned>(std::min(in.size(), most_at_once));
        z_.next_out = reinterpret_cast<unsigned char*>(to);
        z_.avail_out = static_cast<unsigned>(std::min(room, most_at_once));
        const unsigned had = z_.avail_in, free = z_.avail_out;
        z_.msg = nullptr;
        const int said = f_.inflate(&z_, z_no_flush);
        done.taken = had - z_.avail_in;
        done.given = free - z_.avail_out;
        done.ended = said == z_stream_end;
        if (done.ended) restart();
        if (said == z_ok || said == z_stream_end || said == z_buf_error) return errc::ok;
        if (said == z_mem_error) {
            what = functions::no_memory;
            return errc::memory;
        }
        const std::string_view why = z_.msg == nullptr ? "" : z_.msg;
        what = why == "incorrect data check"       ? "the text does not match its checksum (CRC-32)"
               : why == "incorrect length check"   ? "the text is not as long as the gzip member says"
               : why == "header crc mismatch"      ? "the gzip header does not match its checksum"
               : why == "unknown header flags set" ? "the gzip header has flags that do not exist"
                                                   : "the gzip data is damaged";
        return errc::syntax;
    }

private:
    z_stream z_;
};

class zlib_compressor final : public over<compressor, functions> {
public:
    zlib_compressor(const functions& f, int level) noexcept : over(f) {
        constexpr int deflated = 8, memory = 8, usual_strategy = 0;
        ready =
            f_.deflate_init(&z_, level, deflated, with_gzip_header, memory, usual_strategy, f_.version(), sizeof z_) == z_ok;
    }
    ~zlib_compressor() override {
        if (ready) f_.deflate_end(&z_);
    }

    errc compress(bytes in, mode flush_mode, buffer& out, const char*& what) noexcept override {
        for (;;) {
            const bytes now = in.first(std::min(in.size(), most_at_once));
            const bool last = now.size() == in.size();
            in = in.subspan(now.size());
            z_.next_in = now.data();
            z_.avail_in = static_cast<unsigned>(now.size());
            const int flush = !last || flush_mode == mode::more ? z_no_flush
                              : flush_mode == mode::flush       ? z_sync_flush
                                                                : z_finish;
            int said = z_ok;
            do {
                KUMIHIMO_TRY(append(out, usual_room(now.size()), what, [&](char* to, std::size_t room) {
                    room = std::min(room, most_at_once);
                    z_.next_out = reinterpret_cast<unsigned char*>(to);
                    z_.avail_out = static_cast<unsigned>(room);
                    said = f_.deflate(&z_, flush);
                    return room - z_.avail_out;
                }));
                // A buffer that was filled to the last byte may not have held all there is.
            } while (said == z_ok && (z_.avail_out == 0 || z_.avail_in != 0 || flush == z_finish));
            if (said == z_stream_end) f_.deflate_reset(&z_);
            if (said != z_ok && said != z_stream_end && said != z_buf_error) {
                what = functions::no_memory;
                return errc::memory;
            }
            if (last) return errc::ok;
        }
    }

private:
    z_stream z_;
};

std::unique_ptr<expander> expand(const limits&, errc& code, const char*& what) { return make<zlib_expander>(code, what); }

std::unique_ptr<compressor> compress(int level, errc& code, const char*& what) {
    return make<zlib_compressor>(code, what, level);
}

codec::match begins(bytes head) {
    static constexpr unsigned char magic[] = {0x1f, 0x8b, 8};
    return begins_with(head, magic);
}

// Modulo 2^32, and of the last member only.
std::uint64_t announced(bytes file) { return file.size() < 18 ? 0 : little(file.data() + file.size() - 4); }

#ifdef KUMIHIMO_LINKS_LIBDEFLATE

// All members; whatever is wrong, or larger than usual, is left to the stream.
bool unpack_whole(bytes in, buffer& out, const limits& allowed) {
    if (pretended_missing(library::libdeflate)) return false;
    libdeflate_decompressor* const by = libdeflate_alloc_decompressor();
    if (by == nullptr) return false;
    const std::size_t before = out.size();
    bool good = !in.empty() && in[0] != 0;  // zeros before any member are no padding
    std::size_t want = static_cast<std::size_t>(announced(in));
    if (want > in.size() * 1032 || want < in.size()) want = in.size() * 4;
    while (good && !in.empty() && in[0] != 0) {
        // A header with a check sum of its own, which libdeflate passes over.
        constexpr unsigned char header_check = 2;
        good = in.size() < 4 || (in[3] & header_check) == 0;
        if (!good) break;
        char* const to = out.reserve(std::max<std::size_t>(want, 256));
        std::size_t taken = 0, given = 0;
        constexpr int success = 0, more_room = 3;
        const int said = to == nullptr ? -1
                                       : libdeflate_gzip_decompress_ex(by, in.data(), in.size(), to,
                                                                       out.capacity() - out.size(), &taken, &given);
        if (said == more_room && want <= allowed.ratio_floor) {
            want = (out.capacity() - out.size()) * 2;
            continue;
        }
        good = said == success;
        if (!good) break;
        out.commit(to + given);
        const std::size_t all = out.size() - before;
        good = all <= allowed.size && (all <= allowed.ratio_floor || all / std::max<std::size_t>(taken, 1) < allowed.ratio);
        in = in.subspan(taken);
    }
    libdeflate_free_decompressor(by);
    good = good && std::all_of(in.begin(), in.end(), [](unsigned char c) { return c == 0; });
    if (!good && out.size() != before) out.commit(out.data() + before);
    return good;
}

bool pack_whole(bytes in, buffer& out, int level) {
    if (pretended_missing(library::libdeflate)) return false;
    libdeflate_compressor* const by = libdeflate_alloc_compressor(level);
    if (by == nullptr) return false;
    static constexpr unsigned char nothing = 0;  // an empty span may have no address
    const std::size_t bound = libdeflate_gzip_compress_bound(by, in.size());
    const bool good = append_member(out, bound, [&](char* to) {
        return libdeflate_gzip_compress(by, in.empty() ? &nothing : in.data(), in.size(), to, bound);
    });
    libdeflate_free_compressor(by);
    return good;
}

#else
constexpr bool (*unpack_whole)(bytes, buffer&, const limits&) = nullptr;
constexpr bool (*pack_whole)(bytes, buffer&, int) = nullptr;
#endif

}  // namespace

constinit const codec gzip = {
    .name = "gzip",
    .ending = ".gz",
    .media = "application/gzip",
    .encoding = "gzip",
    .lowest = 1,
    .usual = 6,
    .highest = 9,
    .archival = 6,
    .padded = true,
    .padded_between = false,
    .empty = {},
    .other = "this is not gzip: the header is another one, or damaged",
    .after = "something that is not gzip follows the last gzip member",
    .cut = "the gzip data is cut off",
    .missing = functions::missing,
    .levels = "the levels of gzip are 1 to 9",
    .begins = begins,
    .announced = announced,
    .expand = expand,
    .compress = compress,
    .unpack = unpack_whole,
    .pack = pack_whole,
};

}  // namespace kumihimo::inline v0::frame
