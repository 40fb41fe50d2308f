// What stands at each path of many documents: how often, of which types, with which examples. A tree of keys, whose
// size is that of the documents' form and not of their number:
//
//      {"a":1,"b":[{"c":"x"},{}]}         $            2 objects
//      {"a":null,"b":[]}                  |- a         1 integer, 1 null
//                                         `- b         2 arrays
//                                            `- [*]    2 objects
//                                               `- c   1 string
//
// Summaries of parts of the input, united in input order, are the summary of the whole: counts add up, and what
// depends on the order of values (the first examples, the order of keys) goes by their positions, which count the
// values of all documents.
//
// An object whose keys are data (ids, dates) would have a path for each of them. One that has more than `most_keys`
// different keys, over all documents, has one member `*` in their place, which is what stands at any of them. Whether
// it does and what is in it depends on the documents alone, not on the parts that they came in.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/context.hpp"
#include "engine/core/key_hash.hpp"
#include "engine/core/sink.hpp"
#include "extract/infer.hpp"

namespace kumihimo::inline v0::extract {

class path_summary {
public:
    enum class kind : std::uint8_t { null, boolean, integer, number, string, object, array };
    static constexpr std::size_t kinds = 7;
    static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
    static constexpr std::size_t most_examples = 3, example_characters = 40;
    static constexpr std::size_t usual_most_keys = 1000;
    /// A summary with more paths, or with more text in them, is full().
    static constexpr std::size_t most_paths = std::size_t{1} << 15, most_path_bytes = std::size_t{8} << 20;

    /// A value that came, among those at its path that differ in their first characters one of the first.
    struct example {
        kind type = kind::null;
        bool cut = false;      // there is more of it
        std::string text;      // of a string what it says, of a number what was written
        std::uint64_t at = 0;  // its position
    };

    struct node {
        std::uint64_t last = 0;       // position of the last value here; 0: there was none
        std::uint64_t documents = 0;  // that have a value here; of no meaning below a member `*`
        evidence seen;                // numbers and strings
        std::array<std::uint64_t, kinds> count{};
        std::uint64_t repeated = 0;        // values whose key had come before in the same object
        std::vector<example> examples;     // by position
        std::uint64_t first = UINT64_MAX;  // position of the first value here
        std::string key;                   // of a member
        std::uint32_t parent = none;
        std::uint32_t place = none;          // index among the parent's members; none: the root, an element or *
        std::size_t path_size = 1;           // bytes of its path's text, about
        std::uint32_t element = none;        // what stands in arrays here
        std::uint32_t any = none;            // the member `*`; then there are no others
        std::vector<std::uint32_t> members;  // not in order: see in_order()

        std::uint64_t values() const noexcept {
            std::uint64_t n = 0;
            for (const std::uint64_t c : count) n += c;
            return n;
        }
        std::uint64_t of(kind k) const noexcept { return count[static_cast<std::size_t>(k)]; }
        bool has(kind k) const noexcept { return of(k) != 0; }
    };

    explicit path_summary(std::size_t most_keys = usual_most_keys) { clear(most_keys); }

    /// As if new.
    void clear(std::size_t most_keys);
    /// Looks at one document, JSON by RFC 8259. After a failure the summary holds a part of it: it is of use no more,
    /// unless the document was known to be valid; then the failure is that it is full.
    errc observe(bytes document, context& ctx);
    /// Adds what comes behind. False: it is full now.
    bool unite(const path_summary& later);
    /// There are too many paths: what is said about them is not all.
    bool full() const noexcept { return full_; }
    static std::string full_sentence(std::size_t most_keys);

    std::uint64_t documents() const noexcept { return documents_; }
    std::size_t most_keys() const noexcept { return most_keys_; }
    /// [0] is the document itself. Some are of no path any more: those that no other leads to.
    const node& at(std::uint32_t i) const noexcept { return nodes_[i]; }
    /// The members that have values, in the order in which their keys first came.
    std::vector<std::uint32_t> in_order(const node& of) const;

private:
    friend class summary_walk;

    // ---- one value after the other

    void begin() noexcept {
        ++documents_;
        document_ = position_ + 1;
        open_.clear();
    }
    node& touch(std::uint32_t i, kind k) noexcept {
        node& n = nodes_[i];
        ++n.count[static_cast<std::size_t>(k)];
        if (n.last < document_) [[unlikely]]
            ++n.documents;
        n.last = ++position_;
        return n;
    }
    // `next`: the member that is expected, because documents of one form have one order. None: there is no room for
    // more.
    std::uint32_t member(std::uint32_t parent, std::uint32_t& next, std::string_view key) {
        const node& p = nodes_[parent];
        if (next < p.members.size()) {
            const std::uint32_t expected = p.members[next];
            if (same(nodes_[expected].key, key)) [[likely]] {
                ++next;
                return expected;
            }
        }
        return find_member(parent, next, key);
    }
    std::uint32_t element(std::uint32_t array) {
        const std::uint32_t e = nodes_[array].element;
        return e != none ? e : add_element(array);
    }
    void show(node& n, kind k, std::string_view text) {
        if (n.examples.size() == most_examples) [[likely]]
            return;
        for (const example& e : n.examples)  // columns of few values never have enough
            if (e.type == k && !e.cut && same(e.text, text)) return;
        keep(n, k, text);
    }
    static bool same(std::string_view a, std::string_view b) noexcept {
        return a.size() == b.size() && (a.empty() || same_key(a.data(), b.data(), a.size()));
    }

    void keep(node& n, kind k, std::string_view text);
    std::uint32_t find_member(std::uint32_t parent, std::uint32_t& next, std::string_view key);
    std::uint32_t look_up(std::uint32_t parent, std::string_view key) const noexcept;
    std::uint32_t add_member(std::uint32_t parent, std::string key, std::uint64_t first);
    std::uint32_t add_element(std::uint32_t array);
    std::uint32_t add_node(std::uint32_t parent, std::string key, std::uint64_t first);
    bool too_large() const noexcept { return nodes_.size() - unused_.size() > most_paths || path_bytes_ > most_path_bytes; }
    std::size_t slot_of(std::uint32_t parent, std::string_view key) const noexcept;
    void put_in_table(std::uint32_t i) noexcept;
    void grow_table();

    // ---- whole trees

    void fold(std::uint32_t object);
    void absorb(const path_summary& from, std::uint32_t theirs, std::uint32_t ours, std::uint64_t base);
    void absorb_values(const node& theirs, node& ours, std::uint64_t base);
    void absorb_members(const path_summary& from, std::uint32_t theirs, std::uint32_t ours);
    void release(std::uint32_t subtree);

    struct pair {
        std::uint32_t theirs, ours;
    };
    // A container of the document at hand that is open.
    struct frame {
        std::uint32_t node;    // of an object itself, of an array what stands in it
        std::uint32_t next;    // none: an array; else the member that is expected
        std::uint64_t opened;  // of an object its position
    };

    std::size_t most_keys_ = usual_most_keys;
    std::vector<node> nodes_;
    std::vector<std::uint32_t> unused_;  // nodes that were released
    std::vector<std::uint32_t> table_;   // members by parent and key, as 1 + their number; 0 is an empty slot
    std::size_t in_table_ = 0, path_bytes_ = 0;
    std::vector<pair> to_absorb_;
    std::vector<frame> open_;
    std::uint64_t position_ = 0, document_ = 1, documents_ = 0;
    bool full_ = false;
};

}  // namespace kumihimo::inline v0::extract
