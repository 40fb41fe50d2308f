// Bytes that a writer keeps aside: a buffer whose memory is that of a stack (core/stack.hpp), so that an output may
// own it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "engine/core/buffer.hpp"
#include "engine/core/stack.hpp"

namespace kumihimo::inline v0::tagged {

/// The calls of core/buffer.hpp: reserve() is nullptr when memory is out, clear() keeps the memory.
template <class Memory = heap>
class scratch {
public:
    explicit scratch(Memory&& memory = Memory()) noexcept : memory_(std::move(memory)) {}
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    char* reserve(std::size_t n) noexcept {
        if (static_cast<std::size_t>(limit_ - at_) < n) [[unlikely]]
            return grow(n);
        return at_;
    }
    void commit(char* p) noexcept { at_ = p; }

    const char* data() const noexcept { return begin_; }
    char* data() noexcept { return begin_; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
    void clear() noexcept { at_ = begin_; }

private:
    [[gnu::cold, gnu::noinline]] char* grow(std::size_t n) noexcept {
        const std::size_t used = size(), capacity = static_cast<std::size_t>(limit_ - begin_);
        if (n > static_cast<std::size_t>(PTRDIFF_MAX) - used) return nullptr;
        std::size_t want = capacity < 128 ? 256 : capacity * 2;
        if (want < used + n) want = used + n;
        char* const p = static_cast<char*>(memory_.resize(want));
        if (p == nullptr) return nullptr;
        begin_ = p;
        at_ = p + used;
        limit_ = p + want;
        return at_;
    }

    char* begin_ = nullptr;
    char* at_ = nullptr;
    char* limit_ = nullptr;
    Memory memory_;
};
static_assert(output<scratch<>>);

}  // namespace kumihimo::inline v0::tagged
