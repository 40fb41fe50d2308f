// Where documents end in a run of CBOR items (RFC 8742, CBOR sequences): msgpack/boundary.hpp's sibling, with the same
// verbs.
//
// A definite container's header adds its values to those that are still to come. One of indefinite length puts that
// number aside until its break, and so do strings of indefinite length, whose chunks count as values. Whether the
// document is valid is the reader's question.
//
//      82 9f 01 ff a0      to come 1 -> 2 -> (2-1 aside) break -> 1 -> 0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/cbor/header.hpp"
#include "engine/core/header_walk.hpp"
#include "engine/core/stack.hpp"

namespace kumihimo::inline v0::cbor {

class boundary : public header_walk<boundary, longest_header> {
    friend header_walk<boundary, longest_header>;

    /// A byte that begins no item is one, and so is a break out of place, so that the reader says what is wrong.
    std::size_t step(const unsigned char* p, const unsigned char* e) noexcept {
        const header h = read_header(p, e);
        if (h.is == header::kind::cut) return 0;
        done = !take(h) || to_come_ == 0;
        return h.size;
    }
    /// False where memory is out: the document is as good as over.
    bool take(const header& h) noexcept {
        using kind = header::kind;
        if (h.is == kind::stop && !aside_.empty()) {
            to_come_ = aside_.top();
            aside_.pop();
            return true;
        }
        --to_come_;
        if (h.indefinite) {
            if (!aside_.push(to_come_)) return false;
            to_come_ = endless;
        } else if (h.string()) {
            payload = h.argument;
        } else if (h.is == kind::tag) {
            ++to_come_;
        } else if (h.container()) {
            // Hostile counts would wrap: what never ends stays so.
            const std::uint64_t room = endless - std::min(to_come_, endless), times = h.is == kind::map ? 2 : 1;
            to_come_ = h.argument > room / times ? endless : to_come_ + h.argument * times;
        }
        return true;
    }

    static constexpr std::uint64_t endless = std::uint64_t{1} << 63;  // no input counts it down
    std::uint64_t to_come_ = 1;                                       // values
    stack<std::uint64_t> aside_;  // to_come_ of what is around each open container or string of indefinite length
};

}  // namespace kumihimo::inline v0::cbor
