// Which items are equal as values, found bottom up: every item gets a number, the same for those whose deterministic
// encodings are the same. A container's number is that of the list of its items' numbers, in a map of the pairs in
// their order; so an item is looked at once, however deep it lies.
//
// What has no value here (a date that is none, a map with a key twice, and all that such a thing is in) is equal to
// its own bytes only. So each item has a second number, for its bytes. A container behind a tag without a meaning
// arrives as the bytes that it is, so that number is its value, too.
//
// Lists are found by a tree over their bits: no choice of them makes that slow.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/core/buffer.hpp"
#include "engine/core/sink.hpp"
#include "engine/core/stack.hpp"

namespace kumihimo::inline v0::cbor {

class identities {
public:
    struct identity {
        std::uint32_t value;  // `none`: it has none
        std::uint32_t own;    // of the bytes
    };
    static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

    // False: memory is out.

    /// Another item of the innermost container, which is none itself: its bytes, and its deterministic encoding, if it
    /// has one.
    bool scalar(bytes own, bytes encoded, bool valued) noexcept;
    /// The same for an item whose value is known, or asked for by nobody.
    bool scalar(bytes own, std::uint32_t value) noexcept;
    /// Another item, which was a container.
    bool add(identity added) noexcept { return items_.push(added); }
    /// The item that came last, which is forgotten.
    identity take() noexcept {
        const identity last = items_.top();
        items_.pop();
        return last;
    }

    /// How many items there are: what a container is told of when it ends.
    std::size_t size() const noexcept { return items_.size(); }
    /// What makes a container's value.
    enum class value_of : std::uint8_t { array, map, bytes, nothing };
    /// The container ends whose items are those from `first` on; they are forgotten. `head` is what it begins with:
    /// its tags and its header. Of value_of::bytes only those from `payload` on count.
    bool close(std::size_t first, bytes head, value_of what, std::size_t payload, identity& out) noexcept;

private:
    enum class list : unsigned char { item, own, array, map };
    // A node of the tree, or, with the lowest bit set, a list.
    using branch = std::uint32_t;
    struct node {
        std::size_t at;      // the byte of the list that is looked at
        unsigned char mask;  // and its bit
        branch next[2];
    };

    /// Begins a list of `size` bytes: what is appended to lists_ then.
    bool begin(list what, std::size_t size) noexcept;
    /// The number of the list that was begun last.
    bool number(std::uint32_t& out) noexcept;
    bool number(list what, bytes content, std::uint32_t& out) noexcept;
    /// The number of a container's bytes: of those in `head`, and of its items from `first` on.
    bool number_own(std::size_t first, bytes head, std::uint32_t& out) noexcept;

    stack<identity> items_;
    buffer lists_;
    std::size_t begun_ = 0;
    stack<std::size_t> places_;  // of each list in lists_
    stack<node> nodes_;
    branch root_ = 0;
    stack<std::uint64_t> pairs_;  // of the map that ends
};

}  // namespace kumihimo::inline v0::cbor
