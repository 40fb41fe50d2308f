// Where documents end in a run of CBOR items (RFC 8742, CBOR sequences): msgpack/boundary.hpp's sibling, with the same verbs.
//
// A definite container's header adds its values to those that are still to come. One of indefinite length puts that number
// aside until its break, and so do strings of indefinite length, whose chunks count as values. Whether the document is valid is
// the reader's question. Resumable, wherever the cut between two chunks falls, at the cost of a look at each header:
//
//      82 9f 01 ff a0      to come 1 -> 2 -> (2-1 aside) break -> 1 -> 0
//
//      boundary state;
//      std::size_t n = state.next(chunk, size);       n bytes of the chunk belong to the current document
//      if (state.complete) { ...document...; state = {}; chunk += n; }
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/cbor/header.hpp"
#include "engine/core/stack.hpp"

namespace kumihimo::inline v0::cbor {

struct boundary {
    /// Continues in the next chunk. Returns how many of its bytes belong to the current document: all of them unless
    /// `complete`. A byte that begins no item is one, and so is a break out of place, so that the reader says what is wrong.
    std::size_t next(const char* data, std::size_t size) noexcept {
        const auto* const begin = reinterpret_cast<const unsigned char*>(data);
        const unsigned char* const end = begin + size;
        const unsigned char* p = begin;
        complete = false;
        begun = begun || size != 0;
        for (;;) {
            const std::uint64_t here = std::min(payload, static_cast<std::uint64_t>(end - p));
            p += here;
            payload -= here;
            if (payload != 0) return size;
            if (to_come == 0) {
                complete = true;
                return static_cast<std::size_t>(p - begin);
            }
            if (p == end) return size;
            header h;
            if (cut == 0) {
                h = read_header(p, end);
                if (h.is == header::kind::cut) {
                    cut = static_cast<std::uint8_t>(end - p);
                    std::memcpy(beginning, p, cut);
                    return size;
                }
                p += h.size;
            } else {
                // The header that the last chunk cut, with as much of this one as it can need.
                unsigned char whole[2 * longest_header];
                std::memcpy(whole, beginning, cut);
                const auto more = static_cast<std::size_t>(std::min<std::ptrdiff_t>(end - p, longest_header));
                std::memcpy(whole + cut, p, more);
                h = read_header(whole, whole + cut + more);
                if (h.is == header::kind::cut) {
                    std::memcpy(beginning + cut, p, more);
                    cut = static_cast<std::uint8_t>(cut + more);
                    return size;
                }
                p += h.size - cut;
                cut = 0;
            }
            if (!take(h)) {
                complete = true;
                return static_cast<std::size_t>(p - begin);
            }
        }
    }

    /// Whether anything was seen since the state was made.
    bool started() const noexcept { return begun; }

    bool complete = false;

private:
    /// False where memory is out: the document is as good as over.
    bool take(const header& h) noexcept {
        using kind = header::kind;
        if (h.is == kind::stop && !aside.empty()) {
            to_come = aside.top();
            aside.pop();
            return true;
        }
        --to_come;
        if (h.indefinite) {
            if (!aside.push(to_come)) return false;
            to_come = endless;
        } else if (h.string()) {
            payload = h.argument;
        } else if (h.is == kind::tag) {
            ++to_come;
        } else if (h.container()) {
            // Hostile counts would wrap: what never ends stays so.
            const std::uint64_t room = endless - std::min(to_come, endless), times = h.is == kind::map ? 2 : 1;
            to_come = h.argument > room / times ? endless : to_come + h.argument * times;
        }
        return true;
    }

    static constexpr std::uint64_t endless = std::uint64_t{1} << 63;  // no input counts it down
    std::uint64_t to_come = 1;                                        // values
    std::uint64_t payload = 0;                                        // bytes of the last value's that are not seen yet
    stack<std::uint64_t> aside;  // to_come of what is around each open container or string of indefinite length
    bool begun = false;
    std::uint8_t cut = 0;  // bytes in `beginning`
    unsigned char beginning[2 * longest_header] = {};
};

}  // namespace kumihimo::inline v0::cbor
