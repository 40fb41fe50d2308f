// A compiled projection as flat arrays, and what a projection brings home. This is what kernels see; users want
// json/project.hpp.
//
// All paths together become one automaton over the way from the root to a value: in a state, an object's member leads
// to the target of its key, an array's element to the target of its index or to `each`; what leads nowhere is skipped.
// Paths that share a beginning share states, and `a[0]` beside `a[*]` is one state that serves both.
//
//      last_price.price, timestamp      state 0 --"last_price"--> 1 --"price"--> 2 (path 0 ends)
//                                       state 0 --"timestamp"---> 3 (path 1 ends)
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/errc.hpp"
#include "engine/json/path.hpp"

namespace kumihimo::inline v0::json {

/// Bytes of the document. length 0: absent (no JSON value is empty).
struct slice {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    friend constexpr bool operator==(const slice&, const slice&) = default;
};

constexpr std::uint32_t nowhere = 0xFFFFFFFF;

struct plan {
    struct key {
        const char* text;      // UTF-8, unescaped; points into `texts`
        std::uint32_t length;  // bytes
        std::uint32_t target;  // state
        bool plain;            // can stand in a document as it is: no quote, backslash or control character in it
        // What tells it apart at a glance, counted from its opening quote: the byte behind that is `first`, and the
        // byte `mark_at` behind it is `mark`: its closing quote, or a byte of its own when that is further than
        // `reach`.
        char first, mark;
        std::uint32_t mark_at;
        static constexpr std::uint32_t reach = 62;

        /// Sets first, mark and mark_at for a key of this text: the only place that decides where a key's marks are.
        constexpr void make_marks(std::string_view key_text) noexcept {
            const bool near = key_text.size() + 1 <= reach;
            first = key_text.empty() ? '"' : key_text[0];
            mark = near ? '"' : key_text[reach - 1];
            mark_at = near ? static_cast<std::uint32_t>(key_text.size() + 1) : reach;
        }
    };
    struct index {
        std::uint64_t element;
        std::uint32_t target;
    };
    /// A path that is under way in a state.
    struct live {
        std::uint32_t path;
        enum class kind : std::uint8_t {
            fresh,   // this value is an element of the path's last [*]: a new slot begins
            slot,    // behind the last [*] (or there is none): the newest slot is the one to fill
            list,    // before the last [*], after no other: a repeated key drops all slots
            nested,  // between two [*]: a repeated key drops the slots since its object began
        } type;
    };
    struct state {
        std::uint32_t first_key, key_count;
        std::uint32_t first_index, index_count;  // sorted by `element`
        std::uint32_t each;                      // target of every other element, or nowhere
        std::uint32_t first_end, end_count;      // in `ends`: the paths that end here
        std::uint32_t first_live, live_count;    // in `lives`: the paths that lead here
        bool opening;                            // only the first byte of its value is asked for
        bool wants_members() const { return key_count != 0; }
        bool wants_elements() const { return index_count != 0 || each != nowhere; }
    };

    std::vector<state> states;  // [0] is the root
    std::vector<key> keys;
    std::vector<index> indexes;
    std::vector<std::uint32_t> ends;
    std::vector<live> lives;
    std::vector<bool> wild;  // by path: has a [*]
    std::string texts;

    std::uint32_t find(const state& s, const char* text, std::size_t length) const;
    std::uint32_t find(const state& s, std::uint64_t element) const;

    /// Bytes that it holds.
    std::size_t memory() const noexcept {
        return states.capacity() * sizeof(state) + keys.capacity() * sizeof(key) + indexes.capacity() * sizeof(index) +
               (ends.capacity() + wild.capacity() / 32) * sizeof(std::uint32_t) + lives.capacity() * sizeof(live) +
               texts.capacity();
    }
};

/// Slices by path, and the scratch that the exact walk needs. Reused from document to document.
class harvest {
public:
    std::size_t depth_limit = 1024;
    /// After a projection in full: whether some number of the document might be beyond the largest double
    /// (json/kernels.hpp).
    bool may_overflow = false;
    /// Bytes that slices and scratch may take: a document makes eight of them for each of its own, and more. What
    /// would need more throws std::bad_alloc.
    std::size_t memory_limit = static_cast<std::size_t>(-1);
    std::size_t memory() const noexcept { return held_ + key_.capacity(); }

    /// Forgets the last document; one empty slot for each path without [*].
    void begin(const plan& p, const char* document);

    /// A value for `state` begins: prepares the slots of the paths that lead there. `holder` is
    /// the object's state and `marks` how many slots its nested paths had when it began; both nullptr at an array's
    /// element and at the root's members.
    void enter(const plan& p, std::uint32_t state, const plan::state* holder, const std::uint32_t* marks);

    std::span<const slice> slices(std::size_t path) const { return slots_[path]; }

    // For walks: how many slots the nested paths of an object's state have when it begins is noted by mark(), and
    // forgotten when it ends. What takes memory throws std::bad_alloc.
    void mark(const plan& p, const plan::state& s);
    std::uint32_t marks() const noexcept { return static_cast<std::uint32_t>(marks_.size()); }
    const std::uint32_t* marks_from(std::uint32_t first) const noexcept { return marks_.data() + first; }
    void forget_marks(std::uint32_t first) { marks_.resize(first); }
    /// The value of a state lies there: it is what the paths that end in the state lead to. Returns how many of them
    /// had none.
    std::uint32_t keep(const plan& p, const plan::state& s, const char* from, const char* to) noexcept {
        std::uint32_t fresh = 0;
        for (std::uint32_t i = 0; i < s.end_count; ++i) {
            slice& slot = slots_[p.ends[s.first_end + i]].back();
            fresh += slot.length == 0;
            slot = {static_cast<std::uint64_t>(from - document_), static_cast<std::uint64_t>(to - from)};
        }
        return fresh;
    }

    /// The first path that met a value which it cannot lead into, such as 5 where it wants a member: its number, else
    /// nowhere.
    std::uint32_t blocked() const noexcept { return blocked_; }
    /// A value that begins with `first` is met in a state. One that a path ends at is wanted whatever it is.
    void meet(const plan& p, const plan::state& s, char first) noexcept {
        if (s.end_count != 0 || s.live_count == 0 || first == 'n' || blocked_ != nowhere) return;
        if (first == '{' ? !s.wants_members() : first == '[' ? !s.wants_elements() : true)
            blocked_ = p.lives[s.first_live].path;
    }

private:
    struct frame {
        const char* begin;      // its opening bracket
        std::uint64_t element;  // arrays: number of the element under way
        std::uint32_t state;    // or nowhere: nobody wants anything from it
        std::uint32_t marks;    // objects: where its marks begin in marks_
        bool object;
    };
    template <class T>
    void put(std::vector<T>& to, const T& v) {
        if (to.size() == to.capacity()) [[unlikely]]
            grow(to);
        to.push_back(v);
    }
    template <class T>
    void grow(std::vector<T>& v);
    friend const char* walk(const plan&, std::uint32_t, const char*, const char*, std::size_t, harvest&);
    friend const char* member(const plan&, std::uint32_t, const char*, const char*, harvest&);
    friend std::uint32_t escaped_key(const plan&, const char*, const char*, harvest&);
    std::vector<std::vector<slice>> slots_;
    std::vector<frame> frames_;
    std::vector<std::uint32_t> marks_;
    const char* document_ = nullptr;
    std::string key_;
    std::size_t held_ = 0;  // bytes of the vectors
    std::uint32_t blocked_ = nowhere;
};

/// The exact walk: validates the one value that begins at `at` (no white space before it) as strictly as a reader
/// would, gathers what the paths of `state` want from it, and returns the byte behind it; nullptr when it is not valid
/// or deeper than allowed. `depth` containers are open around it. enter() was called by the caller.
const char* walk(const plan& p, std::uint32_t state, const char* at, const char* end, std::size_t depth, harvest& h);

/// The value of a root's member whose key is keys[key]: `at` is the byte behind the colon. Enters and walks the value
/// and checks that a comma or the object's end follows. Returns the byte behind the value, or nullptr.
const char* member(const plan& p, std::uint32_t key, const char* at, const char* end, harvest& h);

/// The same in a document that is known to be valid, for a state of which only the value's opening is asked: it is not
/// walked.
void note_opening(const plan& p, std::uint32_t key, const char* at, const char* end, harvest& h);

/// Whether the key whose escaped text ends before `close` (its closing quote) names a wanted member of the root: its
/// number in states[0]'s keys, or nowhere. For the rare keys with escapes; begin is the start of the document.
std::uint32_t escaped_key(const plan& p, const char* begin, const char* close, harvest& h);

/// The whole document by the exact walk: the reference that the kernels are held to.
bool project_exactly(const plan& p, const char* data, std::size_t size, harvest& h);

}  // namespace kumihimo::inline v0::json
