#include "engine/cbor/skip.hpp"

#include <array>
#include <cstdint>

#include "engine/cbor/header.hpp"
#include "engine/cbor/reader.hpp"
#include "engine/core/null.hpp"
#include "engine/core/stack.hpp"
#include "engine/simd/text.hpp"

namespace kumihimo::inline v0::cbor {
namespace {

// The bytes that an item takes when its initial byte says it, and it is no container or string; else 0. Of a tag the header.
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

// Where the reader must decide.
[[gnu::noinline]] const unsigned char* read(const unsigned char* p, const unsigned char* e, std::size_t depth,
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
    stack<std::uint64_t> aside;  // items to come behind each container or string of indefinite length that is open
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
        if (c - 0x60u < 24u) {
            const std::size_t n = c & 31;
            if (n >= left) [[unlikely]]
                return nullptr;
            p += 1 + n;
            if constexpr (Strict) {
                if (!simd::is_text(start + 1, n)) [[unlikely]]
                    return nullptr;
                run.text(start + 1, n);
            }
        } else if (c == 0xfb) {
            if (left < 9) [[unlikely]]
                return nullptr;
            p += 9;
        } else if (c < 24) {
            ++p;
        } else if (c - 0x80u < 24u) {
            ++p;
            ++opened;
            to_come += array = c & 31;
        } else if (c - 0xa0u < 24u) {
            ++p;
            ++opened;
            to_come += 2 * (c & 31);
        } else if (Strict && (c - 0xc0u < 0x20u || ((c & 31) == 31 && c - 0x40u < 0x80u))) {
            // Tags have contents of their own, and what has no length is seldom: the reader knows both. It is not told how deep
            // this lies, so the most that can be counts.
            if (opened > depth) return read(first, e, depth, starved);
            p = read(start, e, depth - opened, starved);
            if (p == nullptr) return opened == 0 ? nullptr : read(first, e, depth, starved);
            run.spoil();
        } else if (const std::size_t size = fixed[c]; size != 0) {
            if (size > left) [[unlikely]]
                return nullptr;
            p += size;
            if (c - 0xc0u < 0x20u) {
                ++to_come;
                header_size = size;
            }
        } else {
            const header h = read_header(p, e);
            if (h.is == header::kind::cut || h.is == header::kind::reserved) [[unlikely]]
                return nullptr;
            header_size = h.size;
            p += h.size;
            if (h.is == header::kind::stop) {
                if (aside.empty()) return nullptr;
                to_come = aside.top();
                aside.pop();
                run.stop();
            } else if (h.indefinite) {
                if (!aside.push(to_come)) [[unlikely]] {
                    starved = true;
                    return nullptr;
                }
                to_come = endless;
                run.stop();
            } else if (h.string()) {
                if (h.argument > left - h.size) [[unlikely]]
                    return nullptr;
                const auto n = static_cast<std::size_t>(h.argument);
                if constexpr (Strict) {
                    if (h.is == header::kind::text) {
                        if (!simd::is_text(p, n)) [[unlikely]]
                            return nullptr;
                        run.text(p, n);
                    }
                }
                p += n;
            } else if (h.container()) {
                // Each item has a byte at least; what counts more would also wrap.
                if (h.argument > left) [[unlikely]]
                    return nullptr;
                ++opened;
                to_come += h.is == header::kind::map ? 2 * h.argument : h.argument;
                if (h.is == header::kind::array) array = h.argument;
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

}  // namespace kumihimo::inline v0::cbor
