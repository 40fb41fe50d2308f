// xz, and the bare LZMA streams that Zips hold (.lzma without the 13 bytes of its header), by liblzma 5.0 or newer,
// found when it is needed. They are read and not written.
#include <algorithm>

#include "engine/frame/over.hpp"

namespace kumihimo::inline v0::frame {
namespace {

// lzma_stream, which liblzma's ABI has fixed.
struct lzma_stream {
    const unsigned char* next_in = nullptr;
    std::size_t avail_in = 0;
    std::uint64_t total_in = 0;
    unsigned char* next_out = nullptr;
    std::size_t avail_out = 0;
    std::uint64_t total_out = 0;
    const void* allocator = nullptr;
    void* internal = nullptr;
    void* reserved[4] = {};
    std::uint64_t reserved_numbers[2] = {};
    std::size_t reserved_sizes[2] = {};
    int reserved_choices[2] = {};
};
constexpr int run = 0;  // LZMA_RUN
constexpr int all_well = 0, stream_end = 1, unknown_check = 3, no_memory_left = 5, beyond_limit = 6, wrong_options = 8,
              no_progress = 10;
constexpr std::uint32_t tell_unknown_check = 2;

struct functions {
    static constexpr library which = library::liblzma;
    static constexpr const char* missing =
        "xz and LZMA need the library liblzma, which is not found; install it (Debian: apt install liblzma5, macOS: brew "
        "install xz)";
    static constexpr const char* no_memory = "no memory for liblzma";
    int (*stream_decoder)(void*, std::uint64_t, std::uint32_t) = nullptr;
    int (*alone_decoder)(void*, std::uint64_t) = nullptr;
    int (*code)(void*, int) = nullptr;
    void (*end)(void*) = nullptr;
    bool there = false;

    functions() noexcept {
        static constexpr const char* names[] = {"liblzma.so.5",
                                                "liblzma.so",
                                                "liblzma.5.dylib",
                                                "/opt/homebrew/lib/liblzma.5.dylib",
                                                "/usr/local/lib/liblzma.5.dylib",
                                                "/opt/local/lib/liblzma.5.dylib"};
        const function all[] = {wanted("lzma_stream_decoder", stream_decoder), wanted("lzma_alone_decoder", alone_decoder),
                                wanted("lzma_code", code), wanted("lzma_end", end)};
        there = find(names, all);
    }
};

class xz_expander final : public over<expander, functions> {
public:
    // liblzma counts what it needs beside the dictionary, too.
    xz_expander(const functions& f, std::size_t window, bool alone) noexcept
        : over(f), most_(std::uint64_t{window} + (std::uint64_t{1} << 20)), alone_(alone) {
        restart();
    }
    ~xz_expander() override { f_.end(&by_); }

    void restart() noexcept override {
        ready = (alone_ ? f_.alone_decoder(&by_, most_) : f_.stream_decoder(&by_, most_, tell_unknown_check)) == all_well;
    }

    errc expand(bytes in, char* to, std::size_t room, step& done, const char*& what) noexcept override {
        if (!ready) {
            what = functions::no_memory;
            return errc::memory;
        }
        by_.next_in = in.data();
        by_.avail_in = in.size();
        by_.next_out = reinterpret_cast<unsigned char*>(to);
        by_.avail_out = room;
        const int said = f_.code(&by_, run);
        done.taken = in.size() - by_.avail_in;
        done.given = room - by_.avail_out;
        done.ended = said == stream_end;
        switch (said) {
            case all_well:
            case no_progress: return errc::ok;
            case stream_end: restart(); return errc::ok;
            case unknown_check:
                what = "the xz data has a check sum of a kind that this liblzma does not know";
                return errc::unsupported;
            case no_memory_left: what = functions::no_memory; return errc::memory;
            case beyond_limit:
                what = "the xz data needs more memory than the window limit allows, as one made with a large --lzma2=dict does";
                return errc::size;
            case wrong_options: what = "the xz data uses something that this liblzma does not know"; return errc::unsupported;
            default: what = alone_ ? "the LZMA data is damaged" : "the xz data is damaged"; return errc::syntax;
        }
    }

private:
    lzma_stream by_;
    std::uint64_t most_;
    bool alone_;
};

std::unique_ptr<expander> expand(const limits& allowed, errc& code, const char*& what) {
    return make<xz_expander>(code, what, allowed.window, false);
}
std::unique_ptr<expander> expand_alone(const limits& allowed, errc& code, const char*& what) {
    return make<xz_expander>(code, what, allowed.window, true);
}

codec::match begins(bytes head) {
    static constexpr unsigned char magic[] = {0xfd, 0x37, 0x7a, 0x58};
    return begins_with(head, magic);
}

// What it begins with are its properties, which are nearly any bytes; whoever asks knows by the Zip's directory.
codec::match begins_alone(bytes head) { return head.empty() ? codec::match::more : codec::match::yes; }

}  // namespace

constinit const codec xz = {
    .name = "xz",
    .ending = ".xz",
    .media = "application/x-xz",
    .padded = true,
    .padded_between = true,
    .other = "this is not xz: the header is another one, or damaged",
    .after = "something that is not xz follows the last xz stream",
    .cut = "the xz data is cut off",
    .missing = functions::missing,
    .begins = begins,
    .expand = expand,
};

constinit const codec lzma = {
    .name = "lzma",
    .other = "this is not LZMA",
    .cut = "the LZMA data is cut off",
    .missing = functions::missing,
    .begins = begins_alone,
    .expand = expand_alone,
};

}  // namespace kumihimo::inline v0::frame
