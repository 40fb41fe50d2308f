// The values that a path leads to on a tape, by the rules of the projector (engine/json/project.hpp): of equal keys the last,
// null is absence on the way, and with [*] one place for each element of the arrays that the path's last [*] walks.
#pragma once
#include <cstddef>
#include <vector>

#include "engine/json/path.hpp"
#include "engine/tape/cursor.hpp"

namespace kumihimo::inline v0::perl {

inline bool has_each(const json::path& path, std::size_t from = 0) noexcept {
    for (std::size_t i = from; i < path.size(); ++i)
        if (path[i].as == json::step::kind::each) return true;
    return false;
}

/// Where one step leads; empty where it leads nowhere. Not for `each`.
inline tape::cursor stepped(tape::cursor at, const json::step& s) noexcept {
    using kind = json::step::kind;
    if (at.is(tape::kind::map)) return s.as == kind::index ? tape::cursor() : at[std::string_view(s.key)];
    if (at.is(tape::kind::array)) return s.as == kind::key ? tape::cursor() : at[s.index];
    return {};
}

/// Adds the places that path[from, ...) leads to from `at`; an empty cursor for each that is not there. As deep in calls as the
/// path has [*].
inline void pick(tape::cursor at, const json::path& path, std::size_t from, std::vector<tape::cursor>& to) {
    for (std::size_t i = from; i < path.size(); ++i) {
        if (path[i].as != json::step::kind::each) {
            at = stepped(at, path[i]);
            continue;
        }
        if (!at.is(tape::kind::array)) return;
        const bool last = !has_each(path, i + 1);
        for (tape::cursor c = at.first(); c; c = c.next()) {
            if (!last) {
                pick(c, path, i + 1, to);
                continue;
            }
            tape::cursor found = c;
            for (std::size_t k = i + 1; k < path.size(); ++k) found = stepped(found, path[k]);
            to.push_back(found);
        }
        return;
    }
    to.push_back(at);
}

}  // namespace kumihimo::inline v0::perl
