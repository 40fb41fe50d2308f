// Where documents end in a run of MessagePack values, one behind the other: json/boundary.hpp's sibling, with the same verbs.
//
// Nothing is nested here: a container's header adds its values to those that are still to come, and the document ends when none
// is. Whether the document is valid is the reader's question. Resumable, wherever the cut between two chunks falls, at the
// cost of a look at each header:
//
//      92 a3 61 62 63 c0        to come 1 -> 2 -> 1 -> 0
//
//      boundary state;
//      std::size_t n = state.next(chunk, size);       n bytes of the chunk belong to the current document
//      if (state.complete) { ...document...; state = {}; chunk += n; }
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/msgpack/header.hpp"

namespace kumihimo::inline v0::msgpack {

struct boundary {
    /// Continues in the next chunk. Returns how many of its bytes belong to the current document: all of them unless
    /// `complete`.
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
            payload = h.payload;
            // No input is long enough for a wrap: each header adds less than 2^33.
            to_come += h.values;
            --to_come;
        }
    }

    /// Whether anything was seen since the state was made.
    bool started() const noexcept { return begun; }

    static constexpr std::size_t longest_header = 6;
    std::uint64_t to_come = 1;  // values
    std::uint64_t payload = 0;  // bytes of the last value's that are not seen yet
    bool begun = false;
    bool complete = false;
    std::uint8_t cut = 0;  // bytes in `beginning`
    unsigned char beginning[longest_header] = {};
};

}  // namespace kumihimo::inline v0::msgpack
