// Where documents end in a run of MessagePack values, one behind the other: json/boundary.hpp's sibling, with the same
// verbs.
//
// Nothing is nested here: a container's header adds its values to those that are still to come, and the document ends
// when none is. Whether the document is valid is the reader's question.
//
//      92 a3 61 62 63 c0        to come 1 -> 2 -> 1 -> 0
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/core/header_walk.hpp"
#include "engine/msgpack/header.hpp"

namespace kumihimo::inline v0::msgpack {

inline constexpr std::size_t longest_header = 6;

class boundary : public header_walk<boundary, longest_header> {
    friend header_walk<boundary, longest_header>;

    std::size_t step(const unsigned char* p, const unsigned char* e) noexcept {
        const header h = read_header(p, e);
        if (h.is == header::kind::cut) return 0;
        payload = h.payload;
        // No input is long enough for a wrap: each header adds less than 2^33.
        to_come_ += h.values;
        done = --to_come_ == 0;
        return h.size;
    }

    std::uint64_t to_come_ = 1;  // values
};

}  // namespace kumihimo::inline v0::msgpack
