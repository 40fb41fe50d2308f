// Where documents end in a run of tagged ones, one behind the other: msgpack/boundary.hpp's sibling, with the same
// verbs. The first byte says which layout a document has.
//
//      safe     c1 fe 54 c5 a1 61 c4 01 c6 c6         openings and ends add up
//      study    01 96 44 87 02  0a 00 00 00 06 ...    a map ends with its names, another value with itself, or with the names
//                                                     that the maps inside an array need
//
// Whether the document is valid is the reader's question.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/core/header_walk.hpp"
#include "engine/tagged/header.hpp"
#include "engine/tagged/study.hpp"

namespace kumihimo::inline v0::tagged {

class boundary : public header_walk<boundary, std::max(longest_header, published::longest_header)> {
    friend header_walk<boundary, std::max(longest_header, published::longest_header)>;

    /// Takes the header at p; its size, or 0 where the bytes end inside it.
    std::size_t step(const unsigned char* p, const unsigned char* e) noexcept {
        if (in == unknown && *p == mark[0]) {
            // A wrong mark is the reader's matter; where it ends the document ends.
            for (std::size_t i = 0; i < sizeof mark; ++i) {
                if (p + i == e) return 0;
                if (p[i] != mark[i]) {
                    done = true;
                    return i;
                }
            }
            in = safe;
            return sizeof mark;
        }
        return in == safe ? step_safe(p, e) : step_study(p, e);
    }

    std::size_t step_safe(const unsigned char* p, const unsigned char* e) noexcept {
        using kind = header::kind;
        const header h = read_header(p, e);
        if (h.is == kind::cut) return 0;
        payload = h.payload;
        if (h.is == kind::array || h.is == kind::map) {
            ++depth;
        } else if (h.is != kind::key) {
            if (h.is == kind::end && depth != 0) --depth;
            done = depth == 0;
        }
        return h.size;
    }

    std::size_t step_study(const unsigned char* p, const unsigned char* e) noexcept {
        const published::header h = published::read_header(p, e);
        if (h.is == published::header::kind::cut) return 0;
        if (h.is == published::header::kind::reserved) {
            done = true;
            return h.size;
        }
        payload = h.payload;
        const bool list = h.type() == published::array;
        switch (in) {
            case unknown:
                if (h.tag >> 8 != 0) {
                    in = fields;
                } else if (list) {
                    enter(h);
                } else {
                    done = true;
                }
                break;
            case array:
                inside -= std::min(inside, static_cast<std::uint64_t>(h.size));
                if (!list) {
                    if (h.type() == published::message && h.payload != 0) {
                        named = true;
                        payload = inside;  // what else there is does not matter
                    }
                    payload = std::min(payload, inside);
                    inside -= payload;
                } else {
                    payload = 0;
                }
                if (inside == 0) leave();
                break;
            default: done = h.tag == published::table_tag || in == names; break;
        }
        return h.size;
    }
    void enter(const published::header& h) noexcept {
        in = array;
        inside = h.payload;
        payload = 0;
        if (inside == 0) leave();
    }
    void leave() noexcept {
        in = names;
        done = !named;
    }

    std::uint64_t depth = 0;   // open containers
    std::uint64_t inside = 0;  // study: bytes of the outermost array that no header has been seen of
    enum : std::uint8_t { unknown, safe, fields, array, names } in = unknown;
    bool named = false;  // study: there is a field, so names follow
};

}  // namespace kumihimo::inline v0::tagged
