// A few values off a tape, by the paths of a projection (engine/json/path.hpp): what Partial does for any format.
//
//      trades[*].price      one place per element of the arrays that the last [*] walks, in the document's order; an empty one
//                           for an element that lacks the rest of the path
//      asks[0][1]           one place, or an empty one
//
// Of a key that comes twice the last one counts.
#pragma once
#include <new>
#include <vector>

#include "any_format.hpp"
#include "engine/json/path.hpp"
#include "engine/tape/cursor.hpp"

namespace kumihimo::inline v0::ruby {

/// One document's picks. It has destructors: it lives outside of protect().
class picker {
public:
    /// With `places` the picks know their bytes.
    picker(const std::vector<json::path>& paths, context& ctx, bytes document, bool places)
        : paths_(paths), ctx_(ctx), document_(document), record_(ctx, document, places) {}

    /// Reads the document and follows every path. No Ruby.
    errc run(const any_reader& by) noexcept {
        errc e = by.record(by, document_, ctx_, record_);
        if (e == errc::ok) e = record_.finish(tape_);
        if (e != errc::ok) return e;
        try {
            found_.assign(paths_.size(), {});
            for (std::size_t i = 0; i < paths_.size(); ++i) pick(paths_[i], found_[i]);
        } catch (const std::bad_alloc&) {
            return ctx_.fail(errc::memory, failure::nowhere, "out of memory");
        }
        return errc::ok;
    }

    const std::vector<tape::cursor>& values(std::size_t path) const noexcept { return found_[path]; }

private:
    struct walked {
        tape::cursor at;   // the next element
        std::size_t step;  // the [*] that walks
    };

    static tape::cursor stepped(tape::cursor from, const json::step& by) {
        using kind = json::step::kind;
        const bool keyed = by.as == kind::key || (by.as == kind::either && from.is(tape::kind::map));
        return keyed ? from[std::string_view(by.key)] : from[by.index];
    }
    // To the next [*], or to the path's end.
    static tape::cursor followed(tape::cursor from, const json::path& path, std::size_t& step) {
        for (; from && step < path.size() && path[step].as != json::step::kind::each; ++step) from = stepped(from, path[step]);
        return from;
    }
    void pick(const json::path& path, std::vector<tape::cursor>& into) {
        std::size_t last = path.size();
        while (last != 0 && path[last - 1].as != json::step::kind::each) --last;
        std::size_t step = 0;
        tape::cursor at = followed(tape::cursor(tape_), path, step);
        if (last == 0) return into.push_back(at);
        open_.clear();
        if (at.is(tape::kind::array)) open_.push_back({at.first(), step});
        while (!open_.empty()) {
            walked& w = open_.back();
            if (!w.at) {
                open_.pop_back();
                continue;
            }
            const bool fills = w.step + 1 == last;
            step = w.step + 1;
            at = followed(w.at, path, step);
            w.at = w.at.next();
            if (fills)
                into.push_back(at);
            else if (at.is(tape::kind::array))
                open_.push_back({at.first(), step});
        }
    }

    const std::vector<json::path>& paths_;
    context& ctx_;
    bytes document_;
    stoppable record_;
    tape::view tape_;
    std::vector<std::vector<tape::cursor>> found_;
    std::vector<walked> open_;
};

}  // namespace kumihimo::inline v0::ruby
