// Where documents end in a run of tagged ones, one behind the other: msgpack/boundary.hpp's sibling, with the same verbs. The
// first byte says which layout a document has.
//
//      safe     c1 fe 54 c5 a1 61 c4 01 c6 c6         openings and ends add up
//      study    01 96 44 87 02  0a 00 00 00 06 ...    a map ends with its names, another value with itself, or with the names
//                                                     that the maps inside an array need
//
// Whether the document is valid is the reader's question. Resumable, wherever the cut between two chunks falls, at the cost of
// a look at each header.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/tagged/header.hpp"
#include "engine/tagged/study.hpp"

namespace kumihimo::inline v0::tagged {

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
            if (done) {
                complete = true;
                return static_cast<std::size_t>(p - begin);
            }
            if (p == end) return size;
            // The header that the last chunk cut, with as much of this one as it can need.
            unsigned char whole[2 * longest];
            const unsigned char* from = p;
            const unsigned char* until = end;
            std::size_t more = 0;
            if (cut != 0) {
                more = static_cast<std::size_t>(std::min<std::ptrdiff_t>(end - p, longest));
                std::memcpy(whole, beginning, cut);
                std::memcpy(whole + cut, p, more);
                from = whole;
                until = whole + cut + more;
            }
            const std::size_t used = step(from, until);
            if (used == 0) {
                const auto n = static_cast<std::size_t>(until - from);
                std::memcpy(beginning, from, n);
                cut = static_cast<std::uint8_t>(n);
                return size;
            }
            p += used - cut;
            cut = 0;
        }
    }

    /// Whether anything was seen since the state was made.
    bool started() const noexcept { return begun; }

    static constexpr std::size_t longest = std::max(longest_header, published::longest_header);
    std::uint64_t payload = 0;  // bytes of the last piece that are not seen yet
    std::uint64_t depth = 0;    // open containers
    std::uint64_t inside = 0;   // study: bytes of the outermost array that no header has been seen of
    enum : std::uint8_t { unknown, safe, fields, array, names } in = unknown;
    bool named = false;  // study: there is a field, so names follow
    bool done = false;   // but for the payload
    bool begun = false;
    bool complete = false;
    std::uint8_t cut = 0;  // bytes in `beginning`
    unsigned char beginning[longest] = {};

private:
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
};

}  // namespace kumihimo::inline v0::tagged
