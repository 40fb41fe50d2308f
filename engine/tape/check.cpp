#include "engine/tape/tape.hpp"

namespace kumihimo::inline v0::tape {

errc check(const view& tape, context& ctx) noexcept {
    struct frame {
        std::uint64_t opener;
        std::uint64_t seen;
    };
    stack<frame> open;
    const auto bad = [&ctx](std::size_t i, const char* what) { return ctx.fail(errc::syntax, i, what); };
    if (tape.size == 0) return bad(0, "a tape without nodes");

    for (std::size_t i = 0; i < tape.size; ++i) {
        const node& n = tape.nodes[i];
        if (open.empty() && i != 0) return bad(i, "nodes after the document");
        if (static_cast<unsigned>(n.is()) > static_cast<unsigned>(kind::end)) return bad(i, "a node of no known kind");
        if (n.is() == kind::end) {
            if (n.head != node::pack(kind::end)) return bad(i, "an end with flags or a length");
            if (open.empty() || n.payload != open.top().opener) return bad(i, "an end that does not name its opener");
            const node& opener = tape.nodes[n.payload];
            if (opener.payload != i) return bad(n.payload, "a container that does not name its end");
            const bool map = opener.is() == kind::map;
            if (open.top().seen != opener.length() * (map ? 2 : 1)) return bad(n.payload, "a container with another count");
            open.pop();
            continue;
        }
        bool key = false;
        if (!open.empty()) {
            frame& f = open.top();
            key = tape.nodes[f.opener].is() == kind::map && (f.seen & 1) == 0;
            ++f.seen;
        }
        if (((n.flags() & is_key) != 0) != key)
            return bad(i, key ? "a map's value without its key" : "a key where a value is due");
        if (n.container()) {
            if (open.size() >= ctx.limits.depth) return ctx.fail(errc::depth, i, "containers are nested deeper than the limit");
            if (!open.push({i, 0})) return ctx.fail(errc::memory, i, "out of memory");
        } else if (n.has_bytes()) {
            const std::size_t room = (n.flags() & in_arena) != 0 ? tape.arena.size() : tape.input.size();
            if (n.payload > room || n.length() > room - n.payload) return bad(i, "bytes outside the input and the arena");
        } else if (n.is() == kind::boolean && n.payload > 1) {
            return bad(i, "a boolean that is neither 0 nor 1");
        } else if (n.is() == kind::time) {
            const instant t = view::as_instant(n);
            if (n.flags() >> 5 > 4 || t.nanoseconds > 999'999'999 || t.offset < -86399 || t.offset > 86399) {
                return bad(i, "an instant out of its range");
            }
        }
    }
    return open.empty() ? errc::ok : bad(tape.size, "a container without its end");
}

}  // namespace kumihimo::inline v0::tape
