// Counts that come too late. A format such as MessagePack writes a container's count before its content, in a header
// whose width depends on the count; a source such as JSON knows the count at the end. The writer leaves a hole as wide
// as the widest header, notes where, and moves the pieces together once, when the document ends:
//
//      written   a hole... b hole... c d e            holes are `widest` bytes, nested or not: their order is that of opening
//      joined    a hd b hdr c d e                     every piece moves left once, so the cost is linear whatever the nesting
//
// Tried instead: moving the content at each end(). A byte then moves once per container around it, which hostile
// nesting makes quadratic.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/core/stack.hpp"

namespace kumihimo::inline v0 {

struct backpatch_hole {
    std::uint64_t offset;      // where it begins, in bytes written
    std::uint64_t tag : 8;     // the format's own: which kind of header
    std::uint64_t count : 56;  // what the header must say
};

/// `Memory` is that of a stack (core/stack.hpp).
template <class Memory = heap>
class basic_backpatch {
public:
    using hole = backpatch_hole;

    explicit basic_backpatch(Memory&& memory = Memory()) noexcept : holes_(std::move(memory)) {}

    bool empty() const noexcept { return holes_.empty(); }
    void clear() noexcept { holes_.clear(); }
    std::size_t size() const noexcept { return holes_.size(); }

    /// Notes a hole; its index, to be given to close(), is size() before the call. False when memory is out.
    bool open(std::size_t offset, std::uint8_t tag) noexcept { return holes_.push({offset, tag, 0}); }
    void close(std::size_t index, std::uint64_t count) noexcept {
        holes_[index].count = count & ((std::uint64_t{1} << 56) - 1);
    }

    /// Moves the pieces of [data, data + size) together and returns the new size. `write(char* to, const hole&)` puts
    /// one header of at most `widest` bytes at `to` and returns its end.
    template <class Write>
    std::size_t join_pieces(char* data, std::size_t size, std::size_t widest, Write write) noexcept {
        if (holes_.empty()) return size;
        char* to = data + holes_[0].offset;
        for (std::size_t i = 0; i < holes_.size(); ++i) {
            const std::size_t from = static_cast<std::size_t>(holes_[i].offset) + widest;
            const std::size_t until = i + 1 < holes_.size() ? static_cast<std::size_t>(holes_[i + 1].offset) : size;
            to = write(to, holes_[i]);
            std::memmove(to, data + from, until - from);
            to += until - from;
        }
        holes_.clear();
        return static_cast<std::size_t>(to - data);
    }

private:
    stack<hole, 0, Memory> holes_;
};
using backpatch = basic_backpatch<>;

}  // namespace kumihimo::inline v0
