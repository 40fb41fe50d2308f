#include "engine/msgpack/skip.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#include "engine/core/big_endian.hpp"
#include "engine/core/null.hpp"
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

// Where the reader must decide.
[[gnu::cold, gnu::noinline]] const unsigned char* read(const unsigned char* p, const unsigned char* e, std::size_t depth,
                                                       bool& starved) noexcept {
    context ctx;
    ctx.limits.depth = depth;
    ctx.limits.size = static_cast<std::size_t>(-1);
    null_sink nobody;
    reader from({p, e}, ctx);
    const errc code = from.next(nobody);
    starved = starved || code == errc::memory;
    return code == errc::ok ? p + from.position() : nullptr;
}

template <bool Strict>
const unsigned char* over(const unsigned char* p, const unsigned char* const e, std::size_t depth, molds& known,
                          bool& starved) noexcept {
    const unsigned char* const first = p;
    std::uint64_t to_come = 1;
    std::size_t opened = 0;  // containers
    mold_run run(known);

    for (;;) {
        const unsigned char* const start = p;
        const auto left = static_cast<std::size_t>(e - p);
        if (left == 0) [[unlikely]]
            return nullptr;
        const unsigned c = *p;
        std::size_t header_size = 1;
        std::uint64_t array = 0;
        --to_come;
        // Branches can be foretold, and then the walk need not wait for a byte to know where the next one is.
        if (c - 0xa0u < 0x20u) {
            const std::size_t n = c & 31;
            if (n >= left) [[unlikely]]
                return nullptr;
            p += 1 + n;
            if constexpr (Strict) {
                if (!simd::is_text(start + 1, n)) [[unlikely]]
                    return nullptr;
                run.text(start + 1, n);
            }
        } else if (c == 0xcb) {
            if (left < 9) [[unlikely]]
                return nullptr;
            p += 9;
        } else if (c < 0x80) {
            ++p;
        } else if (c < 0xa0) {
            ++p;
            ++opened;
            if (c < 0x90)
                to_come += 2 * (c & 15);
            else
                to_come += array = c & 15;
        } else if (const std::size_t size = fixed[c]; size != 0) {
            if (size > left) [[unlikely]]
                return nullptr;
            p += size;
        } else {
            const header h = read_header(p, e);
            if (h.is == header::kind::cut || h.is == header::kind::reserved || h.payload > left - h.size) [[unlikely]]
                return nullptr;
            header_size = h.size;
            p += h.size + h.payload;
            to_come += h.values;
            opened += c >= 0xdc;
            if (h.is == header::kind::array) array = h.values;
            if constexpr (Strict) {
                if (h.is == header::kind::str) {
                    const auto n = static_cast<std::size_t>(h.payload);
                    if (!simd::is_text(start + h.size, n)) return nullptr;
                    run.text(start + h.size, n);
                } else if (h.is == header::kind::ext && start[h.size - 1] == 0xff) {
                    if (!is_moment(start + h.size, h.payload)) return nullptr;
                    run.spoil();
                }
            }
        }

        if (array >= mold_run::several)
            run.array(array, p, e, to_come, opened);
        else if (run.on())
            run.item(start, header_size, p, e, to_come, opened);
        if (to_come == 0) break;
    }
    // No deeper than there are containers; more of them are seldom, and the reader counts exactly.
    if (Strict && opened > depth) return read(first, e, depth, starved);
    return p;
}

}  // namespace

const unsigned char* skip(const unsigned char* p, const unsigned char* e, molds& known, bool& starved) noexcept {
    return over<false>(p, e, 0, known, starved);
}

const unsigned char* pass(const unsigned char* p, const unsigned char* e, std::size_t depth, molds& known,
                          bool& starved) noexcept {
    return over<true>(p, e, depth, known, starved);
}

}  // namespace kumihimo::inline v0::msgpack
