#include "engine/cbor/skip.hpp"

#include <array>
#include <cstdint>

#include "engine/cbor/header.hpp"
#include "engine/cbor/reader.hpp"
#include "engine/core/header_skip.hpp"
#include "engine/core/stack.hpp"
#include "engine/simd/text.hpp"

namespace kumihimo::inline v0::cbor {
namespace {

// The bytes that an item takes when its initial byte says it, and it is no container or string; else 0. Of a tag the
// header.
constexpr std::array<std::uint8_t, 256> fixed = [] {
    std::array<std::uint8_t, 256> all{};
    for (unsigned c = 0; c < 256; ++c) {
        const unsigned info = c & 31;
        const auto is = static_cast<major>(c >> 5);
        const bool alone = is == major::natural || is == major::negative || is == major::tag || is == major::simple;
        // f8 has values that are none.
        if (alone && info < 28 && c != 0xf8) all[c] = static_cast<std::uint8_t>(info < 24 ? 1 : 1 + (1 << (info - 24)));
    }
    return all;
}();

// More than any input counts down; a hostile count beyond it would wrap.
constexpr std::uint64_t endless = std::uint64_t{1} << 63;

struct first_bytes {
    using reader = cbor::reader;
    /// Items to come behind each container or string of indefinite length that is open.
    using levels = stack<std::uint64_t>;

    static bool text(unsigned c) noexcept { return c - 0x60u < 24u; }
    static bool float64(unsigned c) noexcept { return c == 0xfb; }
    static bool alone(unsigned c) noexcept { return c < 24; }
    static bool array(unsigned c) noexcept { return c - 0x80u < 24u; }
    static bool map(unsigned c) noexcept { return c - 0xa0u < 24u; }
    static unsigned count(unsigned c) noexcept { return c & 31; }
    static bool valid(const unsigned char* p, std::size_t n) noexcept { return simd::is_text(p, n); }

    template <bool Strict>
    [[gnu::always_inline]] static skipped other(skip_walk& walk, mold_run& run, skip_rest<levels>& rest, unsigned c) noexcept {
        const bool tag = c - 0xc0u < 0x20u;
        if (Strict && (tag || ((c & 31) == 31 && c - 0x40u < 0x80u))) return by_reader(walk, run, rest);
        if (const std::size_t size = fixed[c]; size != 0) {
            if (size > walk.left()) [[unlikely]]
                return skipped::refused;
            walk.p += size;
            if (tag) {
                ++walk.to_come;
                walk.header_size = size;
            }
            return skipped::passed;
        }
        const header h = read_header(walk.p, walk.e);
        if (h.is == header::kind::cut || h.is == header::kind::reserved) [[unlikely]]
            return skipped::refused;
        walk.header_size = h.size;
        walk.p += h.size;
        if (h.is == header::kind::stop) {
            if (rest.levels.empty()) return skipped::refused;
            walk.to_come = rest.levels.top();
            rest.levels.pop();
            run.stop();
        } else if (h.indefinite) {
            if (!rest.levels.push(walk.to_come)) [[unlikely]] {
                rest.starved = true;
                return skipped::refused;
            }
            walk.to_come = endless;
            run.stop();
        } else if (h.string()) {
            if (h.argument > walk.left()) [[unlikely]]
                return skipped::refused;
            const auto n = static_cast<std::size_t>(h.argument);
            if constexpr (Strict) {
                if (h.is == header::kind::text) {
                    if (!valid(walk.p, n)) [[unlikely]]
                        return skipped::refused;
                    run.text(walk.p, n);
                }
            }
            walk.p += n;
        } else if (h.container()) {
            // Each item has a byte at least; what counts more would also wrap.
            if (h.argument > walk.left() + h.size) [[unlikely]]
                return skipped::refused;
            ++walk.opened;
            walk.to_come += h.is == header::kind::map ? 2 * h.argument : h.argument;
            if (h.is == header::kind::array) walk.array = h.argument;
        }
        return skipped::passed;
    }

    // Tags have contents of their own, and what has no length is seldom: the reader knows both. It is not told how
    // deep this lies, so the most that can be counts.
    [[gnu::always_inline]] static skipped by_reader(skip_walk& walk, mold_run& run, skip_rest<levels>& rest) noexcept {
        if (walk.opened > rest.depth) return skipped::unsure;
        const unsigned char* const behind =
            header_skip<first_bytes>::read(walk.p, walk.e, rest.depth - walk.opened, rest.starved);
        if (behind == nullptr) return walk.opened == 0 ? skipped::refused : skipped::unsure;
        walk.p = behind;
        run.spoil();
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

}  // namespace kumihimo::inline v0::cbor
