// The steps of a path that no projection compiles, walked in the value that its first steps lead to.
//
//      trades[-1].price        head $.trades       tail [-1].price
//      pairs.*.last[0]         head $.pairs        tail .*.last[0]          a list, one element for each member
//      pairs.*.~               head $.pairs        tail .*.~                the members' keys
//      $..price                head $              tail ..price             a list of all that there are, in document order
//
// One walk over the value, whatever the path: for each container it is known which steps its elements or members are
// at (a set, since behind .. several are possible), so nothing is looked at twice. Only an array that is counted from
// its end is passed over once before, with all that is in it: so what lies in k such arrays is passed over k times.
// A list has an element for each value that its last [*], * or ..NAME led to,
// absent where the rest of the path leads nowhere from there. Of a key that comes twice the last value counts where a
// path names it; *, and what lies behind .., are of every member that stands there.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/json/path.hpp"

namespace kumihimo::inline v0::extract {

class path_tail {
public:
    static constexpr std::size_t most = 60;  // steps

    /// `why` says what a path must not have. The tail begins at the first step that is `many`, or not compiled.
    static bool make(std::span<const json::step> steps, path_tail& out, const char*& why);
    /// How many steps of a path come before its tail. `lists`: a [*] begins it, too.
    static std::size_t head_of(std::span<const json::step> path, bool lists) noexcept;
    /// Whether a path leads to several values.
    static bool many(std::span<const json::step> path) noexcept;

    bool empty() const noexcept { return steps_.empty(); }
    bool many() const noexcept { return behind_ != 0; }

private:
    friend class tail_walk;
    std::vector<json::step> steps_;
    std::size_t first_ = 0;   // of a list: the first step that leads to several values
    std::size_t behind_ = 0;  // ... and how many steps there are up to the last one
    bool deep_ = false;       // it has a ..
    bool counts_ = false;     // it has an element counted from the end
};

/// Walks one value after the other. Not for two threads at once.
class tail_walk {
public:
    explicit tail_walk(const path_tail& of) noexcept : of_(&of) {}

    /// `json` is one valid value without white space around it. Throws std::bad_alloc.
    void run(std::string_view json);

    /// What was found, in the bytes of the value; empty where there is nothing. Of a path that is not `many` one.
    std::span<const std::string_view> found() const noexcept { return slots_; }
    /// Of a list: whether the first step that leads to several values met a container that it walks.
    bool list() const noexcept { return list_; }
    /// Whether a step met another kind of value, and not null.
    bool blocked() const noexcept { return blocked_; }
    /// Appends the list as JSON, null for what is absent; false, and nothing, where that is more than `most` bytes.
    bool join(std::string& to, std::size_t most) const;

    /// Memory held, in bytes. trim() gives back what is more than `keep` in one place; found() is no more.
    std::size_t capacity() const noexcept;
    void trim(std::size_t keep) noexcept;

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    struct frame {
        const char* begin;
        std::uint64_t at;     // the steps that its elements or members are at, as bits
        std::uint64_t next;   // of an array: the element to come
        std::uint64_t count;  // and how many it has, where that is asked
        std::size_t begun;    // the slot that begins with this value
        std::size_t fill;     // the slot that is this value
        std::size_t had;      // slots there were before
        bool object;
    };

    std::uint64_t closed(std::uint64_t at) const noexcept;
    std::uint64_t member(const frame& in, std::string_view key);
    std::uint64_t element(const frame& in) const noexcept;
    void again(const frame& in, std::size_t step);
    bool is_key(const json::step& s, std::string_view key, std::string_view& plain);
    std::size_t slot_of(std::size_t step, std::size_t begun) const noexcept;
    void enter(frame& in, const char* end);

    const path_tail* of_;
    std::vector<frame> frames_;
    std::vector<std::string_view> slots_;
    std::string unescaped_;
    bool list_ = false, blocked_ = false;
};

}  // namespace kumihimo::inline v0::extract
