// bzip2 by libbz2 1.0, found when it is needed. It is read and not written.
#include <algorithm>

#include "engine/frame/over.hpp"

namespace kumihimo::inline v0::frame {
namespace {

// bz_stream, which libbz2's ABI has fixed.
struct bz_stream {
    const unsigned char* next_in = nullptr;
    unsigned avail_in = 0, total_in_low = 0, total_in_high = 0;
    char* next_out = nullptr;
    unsigned avail_out = 0, total_out_low = 0, total_out_high = 0;
    void* state = nullptr;
    void* (*allocate)(void*, int, int) = nullptr;
    void (*release)(void*, void*) = nullptr;
    void* opaque = nullptr;
};
constexpr int all_well = 0, stream_end = 4, no_memory_left = -3;
constexpr std::size_t most_at_once = std::size_t{1} << 30;  // libbz2 counts in 32 bits

struct functions {
    static constexpr library which = library::libbz2;
    static constexpr const char* missing =
        "bzip2 needs the library libbz2, which is not found; install it (Debian: apt install libbz2-1.0, macOS: brew install "
        "bzip2)";
    static constexpr const char* no_memory = "no memory for libbz2";
    int (*init)(void*, int, int) = nullptr;
    int (*decompress)(void*) = nullptr;
    int (*end)(void*) = nullptr;
    bool there = false;

    functions() noexcept {
        static constexpr const char* names[] = {"libbz2.so.1.0",
                                                "libbz2.so.1",
                                                "libbz2.so",
                                                "libbz2.1.0.dylib",
                                                "/usr/lib/libbz2.1.0.dylib",
                                                "/opt/homebrew/opt/bzip2/lib/libbz2.1.0.dylib",
                                                "/usr/local/opt/bzip2/lib/libbz2.1.0.dylib"};
        const function all[] = {wanted("BZ2_bzDecompressInit", init), wanted("BZ2_bzDecompress", decompress),
                                wanted("BZ2_bzDecompressEnd", end)};
        there = find(names, all);
    }
};

class bzip2_expander final : public over<expander, functions> {
public:
    explicit bzip2_expander(const functions& f) noexcept : over(f) { begin(); }
    ~bzip2_expander() override { end(); }

    void restart() noexcept override {
        end();
        begin();
    }

    errc expand(bytes in, char* to, std::size_t room, step& done, const char*& what) noexcept override {
        if (!ready) {
            what = functions::no_memory;
            return errc::memory;
        }
        const std::size_t given = std::min(in.size(), most_at_once), free = std::min(room, most_at_once);
        by_.next_in = in.data();
        by_.avail_in = static_cast<unsigned>(given);
        by_.next_out = to;
        by_.avail_out = static_cast<unsigned>(free);
        const int said = f_.decompress(&by_);
        done.taken = given - by_.avail_in;
        done.given = free - by_.avail_out;
        done.ended = said == stream_end;
        if (said == all_well) return errc::ok;
        if (said == stream_end) {
            restart();
            return errc::ok;
        }
        what = said == no_memory_left ? functions::no_memory : "the bzip2 data is damaged";
        return said == no_memory_left ? errc::memory : errc::syntax;
    }

private:
    void begin() noexcept {
        by_ = {};
        ready = f_.init(&by_, 0, 0) == all_well;
    }
    void end() noexcept {
        if (ready) f_.end(&by_);
        ready = false;
    }

    bz_stream by_;
};

std::unique_ptr<expander> expand(const limits&, errc& code, const char*& what) { return make<bzip2_expander>(code, what); }

// "BZh" and the size of its blocks.
codec::match begins(bytes head) {
    static constexpr unsigned char magic[] = {'B', 'Z', 'h'};
    if (const codec::match is = begins_with(head, magic); is != codec::match::yes) return is;
    if (head.size() < 4) return codec::match::more;
    return head[3] >= '1' && head[3] <= '9' ? codec::match::yes : codec::match::no;
}

}  // namespace

constinit const codec bzip2 = {
    .name = "bzip2",
    .ending = ".bz2",
    .media = "application/x-bzip2",
    .other = "this is not bzip2: the header is another one, or damaged",
    .after = "something that is not bzip2 follows the last bzip2 stream",
    .cut = "the bzip2 data is cut off",
    .missing = functions::missing,
    .begins = begins,
    .expand = expand,
};

}  // namespace kumihimo::inline v0::frame
