// What a document remembers that is kept for random access, so that asking for each of its values costs no walk over
// the others: where values of large arrays are, and, once somebody asks, which bytes of the input each value is.
//
//      [ {..}, {..}, ... {..}, ... ]       a mark at every 16th value that was passed: 8 bytes, where 16 containers
//        ^ 0               ^ 16            have 512 and more on the tape
#pragma once
#include <cstdint>
#include <limits>
#include <new>
#include <unordered_map>
#include <vector>

#include "engine/tape/cursor.hpp"

namespace kumihimo::inline v0::tape {

/// The values of arrays by number, in any order. Of one tape; not for several threads at once.
class element_marks {
public:
    /// As `array[i]`, with no more than a few steps from the second time on. Where memory is out, as many as that
    /// takes.
    cursor find(const view& tape, cursor array, std::size_t i) noexcept {
        if (i < every || array.flat() || array.size() <= small || i >= array.size()) return array[i];
        try {
            std::vector<std::size_t>& marks = marks_[array.index()];
            if (marks.empty()) {
                marks.reserve((array.size() - 1) / every + 1);
                marks.push_back(array.first().index());
            }
            while (marks.size() <= i / every) marks.push_back(passed(cursor(tape, marks.back()), every).index());
            return passed(cursor(tape, marks[i / every]), i % every);
        } catch (const std::bad_alloc&) {
            return array[i];
        }
    }
    /// From an element on, so many steps are as good as find().
    static constexpr std::size_t every = 16;

private:
    static constexpr std::size_t small = 4 * every;  // a walk over these is cheaper than looking for their marks
    static cursor passed(cursor c, std::size_t n) noexcept {
        while (n-- > 0) c = c.next();
        return c;
    }
    std::unordered_map<std::size_t, std::vector<std::size_t>> marks_;  // by the array's place
};

/// The spans of a tape that was recorded with places, without that tape: 8 bytes a node where the input has less than
/// 4 GB.
class kept_spans {
public:
    bool known() const noexcept { return !small_.empty() || !large_.empty(); }
    /// False when memory is out; the tape's own spans serve then, as long as it lives.
    bool keep(const view& tape) noexcept {
        try {
            if (tape.input.size() <= std::numeric_limits<std::uint32_t>::max()) {
                small_.reserve(tape.size);
                for (std::size_t i = 0; i < tape.size; ++i) {
                    const span s = tape.spans[i];
                    small_.push_back({static_cast<std::uint32_t>(s.begin), static_cast<std::uint32_t>(s.end)});
                }
            } else {
                large_.assign(tape.spans, tape.spans + tape.size);
            }
        } catch (const std::bad_alloc&) {
            return false;
        }
        return true;
    }
    span span_of(std::size_t node) const noexcept {
        return large_.empty() ? span{small_[node].begin, small_[node].end} : large_[node];
    }

private:
    struct short_span {
        std::uint32_t begin;
        std::uint32_t end;
    };
    std::vector<short_span> small_;
    std::vector<span> large_;
};

}  // namespace kumihimo::inline v0::tape
