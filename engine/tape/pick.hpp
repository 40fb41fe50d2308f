// A few values off a tape, by a path (json/path.hpp): projection for formats that have no projector of their own, and
// for dialects that it does not know; the same answers as json/project.hpp gives.
//
//      trades[*].price      one place for each element of the arrays that the path's last [*] walks, in the document's
//                           order; an empty cursor for an element that lacks the rest of the path
//      asks[0][1]           one place, or an empty cursor
//
// Of a key that comes twice the last one counts; null is absence on the way.
#pragma once
#include <algorithm>
#include <cstddef>

#include "engine/core/context.hpp"
#include "engine/core/stack.hpp"
#include "engine/json/path.hpp"
#include "engine/tape/cursor.hpp"

namespace kumihimo::inline v0::tape {

class picker {
public:
    /// Adds the places that `path` leads to from there: cursor(tape) is the whole document. errc::memory where `to`
    /// would take more than `most` bytes.
    errc run(cursor from, const json::path& path, stack<cursor>& to, context& ctx,
             std::size_t most = static_cast<std::size_t>(-1)) noexcept {
        std::size_t behind_each = path.size();  // the first step behind the last [*]; 0: there is none
        while (behind_each != 0 && path[behind_each - 1].type != json::step::kind::each) --behind_each;
        std::size_t step = 0;
        cursor at = follow(from, path, step);
        if (behind_each == 0) return add(to, at, most) ? errc::ok : no_memory(ctx);
        walks_.clear();
        if (at.is(kind::array) && !walks_.push({at.first(), step})) return no_memory(ctx);
        while (!walks_.empty()) {
            walk& w = walks_.top();
            if (!w.at) {
                walks_.pop();
                continue;
            }
            step = w.step + 1;
            const bool last = step == behind_each;
            at = follow(w.at, path, step);
            w.at = w.at.next();
            if (last ? !add(to, at, most) : at.is(kind::array) && !walks_.push({at.first(), step})) return no_memory(ctx);
        }
        return errc::ok;
    }

    /// Bytes that it holds, for the next document too.
    std::size_t memory() const noexcept { return walks_.memory(); }

private:
    // The stack doubles where it is full.
    static bool add(stack<cursor>& to, cursor at, std::size_t most) noexcept {
        const std::size_t held = to.memory();
        if (held == to.size() * sizeof at && std::max(held, 16 * sizeof at) > most / 2) [[unlikely]]
            return false;
        return to.push(at);
    }

    struct walk {
        cursor at;         // the next element
        std::size_t step;  // the [*] that walks
    };

    static cursor follow_one(cursor from, const json::step& by) noexcept {
        using kind = json::step::kind;
        const bool keyed = by.type == kind::key || (by.type == kind::either && from.is(tape::kind::map));
        return keyed ? from[std::string_view(by.key)] : from[by.index];
    }
    // To the next [*], or to the path's end.
    static cursor follow(cursor from, const json::path& path, std::size_t& step) noexcept {
        for (; from && step < path.size() && path[step].type != json::step::kind::each; ++step)
            from = follow_one(from, path[step]);
        return from;
    }
    static errc no_memory(context& ctx) noexcept { return ctx.fail(errc::memory, failure::nowhere, "out of memory"); }

    stack<walk> walks_;
};

}  // namespace kumihimo::inline v0::tape
