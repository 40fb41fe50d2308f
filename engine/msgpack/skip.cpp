#include "engine/msgpack/skip.hpp"

#include <array>
#include <cstdint>

#include "engine/core/big_endian.hpp"
#include "engine/core/header_skip.hpp"
#include "engine/msgpack/header.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/simd/text.hpp"

namespace kumihimo::inline v0::msgpack {
namespace {

// The bytes that a value takes when its first byte says it, and it is no container; else 0.
constexpr std::array<std::uint8_t, 256> fixed = [] {
    std::array<std::uint8_t, 256> all{};
    for (unsigned c = 0xc0; c < 256; ++c) {
        if (c >= 0xe0 || c == 0xc0 || c == 0xc2 || c == 0xc3) all[c] = 1;
        if (c == 0xca) all[c] = 5;
        if (c == 0xcb) all[c] = 9;
        if (c >= 0xcc && c <= 0xd3) all[c] = static_cast<std::uint8_t>(1 + (1 << (c & 3)));
    }
    return all;
}();

// Whether the reader takes an ext -1 of 8 or 12 bytes: a timestamp whose nanoseconds are below 1,000,000,000.
bool is_moment(const unsigned char* p, std::uint64_t size) noexcept {
    if (size == 8) return big_endian::load<std::uint64_t>(p) >> 34 <= 999'999'999;
    return size != 12 || big_endian::load<std::uint32_t>(p) <= 999'999'999;
}

struct first_bytes {
    using reader = msgpack::reader;
    struct levels {};

    static bool text(unsigned c) noexcept { return c - 0xa0u < 0x20u; }
    static bool float64(unsigned c) noexcept { return c == 0xcb; }
    static bool alone(unsigned c) noexcept { return c < 0x80; }
    static bool array(unsigned c) noexcept { return c - 0x90u < 16u; }
    static bool map(unsigned c) noexcept { return c < 0x90; }  // where it is not alone()
    static unsigned count(unsigned c) noexcept { return c & 15; }
    static bool valid(const unsigned char* p, std::size_t n) noexcept { return simd::is_text(p, n); }

    template <bool Strict>
    [[gnu::always_inline]] static skipped other(skip_walk& walk, mold_run& run, skip_rest<levels>&, unsigned c) noexcept {
        if (const std::size_t size = fixed[c]; size != 0) {
            if (size > walk.left()) [[unlikely]]
                return skipped::refused;
            walk.p += size;
            return skipped::passed;
        }
        const unsigned char* const start = walk.p;
        const header h = read_header(start, walk.e);
        if (h.is == header::kind::cut || h.is == header::kind::reserved || h.payload > walk.left() - h.size) [[unlikely]]
            return skipped::refused;
        walk.header_size = h.size;
        walk.p += h.size + h.payload;
        walk.to_come += h.values;
        walk.opened += c >= 0xdc;
        if (h.is == header::kind::array) walk.array = h.values;
        if constexpr (Strict) {
            if (h.is == header::kind::str) {
                const auto n = static_cast<std::size_t>(h.payload);
                if (!valid(start + h.size, n)) return skipped::refused;
                run.text(start + h.size, n);
            } else if (h.is == header::kind::ext && start[h.size - 1] == 0xff) {
                if (!is_moment(start + h.size, h.payload)) return skipped::refused;
                run.spoil();
            }
        }
        return skipped::passed;
    }
};

}  // namespace

const unsigned char* skip(const unsigned char* p, const unsigned char* e, molds& known, bool& starved) noexcept {
    return header_skip<first_bytes>::skip(p, e, known, starved);
}

const unsigned char* pass(const unsigned char* p, const unsigned char* e, std::size_t depth, molds& known,
                          bool& starved) noexcept {
    return header_skip<first_bytes>::pass(p, e, depth, known, starved);
}

}  // namespace kumihimo::inline v0::msgpack
