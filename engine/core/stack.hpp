// A stack of plain frames for walks that must not recurse: grows by doubling, says no instead of throwing.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

namespace kumihimo::inline v0 {

/// The memory of a stack: one block of the C library's heap.
class heap {
public:
    heap() = default;
    heap(heap&& o) noexcept : block_(std::exchange(o.block_, nullptr)) {}
    heap& operator=(heap&& o) noexcept {
        std::swap(block_, o.block_);
        return *this;
    }
    ~heap() {
        if (block_ != nullptr) std::free(block_);
    }

    /// The block with n bytes, and with what was in it; nullptr when memory is out: then it is as it was.
    void* resize(std::size_t n) noexcept {
        void* const p = std::realloc(block_, n);
        if (p != nullptr) block_ = p;
        return p;
    }

private:
    void* block_ = nullptr;
};

/// The memory of what a writer into B must remember. A host that leaves functions by jumps gives its output a class
/// `memory`, made from the output, trivially destructible, with heap's resize(): the blocks are the host's, which
/// finds them after a jump, and a writer with such stacks has no destructor either.
template <class B>
auto memory_of([[maybe_unused]] B& out) noexcept {
    if constexpr (requires { typename B::memory; })
        return typename B::memory(out);
    else
        return heap();
}
template <class B>
using memory_for = decltype(memory_of(std::declval<B&>()));

/// Last in, first out; T is moved as bytes. push() is false when memory is out. Memory stays for the next document.
/// The first `Here` of them lie in the object itself, which then stays where it is: for walks that are made for every
/// small document.
template <class T, std::size_t Here = 0, class Memory = heap>
class stack {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    explicit stack(Memory&& memory = Memory()) noexcept : begin_(here()), capacity_(Here), memory_(std::move(memory)) {}
    stack(const stack&) = delete;
    stack& operator=(const stack&) = delete;
    stack(stack&& o) noexcept requires(Here == 0)
        : begin_(std::exchange(o.begin_, nullptr)),
          size_(std::exchange(o.size_, 0)),
          capacity_(std::exchange(o.capacity_, 0)),
          memory_(std::move(o.memory_)) {}
    stack& operator=(stack&& o) noexcept requires(Here == 0) {
        std::swap(begin_, o.begin_);
        std::swap(size_, o.size_);
        std::swap(capacity_, o.capacity_);
        memory_ = std::move(o.memory_);
        return *this;
    }

    bool push(const T& frame) noexcept {
        if (size_ == capacity_) [[unlikely]] {
            const T kept = frame;  // it may live in the memory that moves
            if (!grow()) return false;
            begin_[size_++] = kept;
            return true;
        }
        begin_[size_++] = frame;
        return true;
    }
    /// Room for one more frame, not initialised; nullptr when memory is out. A large frame that is filled field by
    /// field where it lies costs a third of one that is made elsewhere and copied.
    T* add() noexcept {
        if (size_ == capacity_ && !grow()) [[unlikely]]
            return nullptr;
        return begin_ + size_++;
    }
    void pop() noexcept { --size_; }
    void clear() noexcept { size_ = 0; }

    T& top() noexcept { return begin_[size_ - 1]; }
    const T& top() const noexcept { return begin_[size_ - 1]; }
    T& operator[](std::size_t i) noexcept { return begin_[i]; }
    const T& operator[](std::size_t i) const noexcept { return begin_[i]; }
    T* data() noexcept { return begin_; }
    const T* data() const noexcept { return begin_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    /// Bytes that are kept for its frames.
    std::size_t memory() const noexcept { return capacity_ * sizeof(T); }

private:
    [[gnu::cold, gnu::noinline]] bool grow() noexcept {
        const std::size_t want = capacity_ == 0 ? 32 : capacity_ * 2;
        if (want > static_cast<std::size_t>(-1) / 2 / sizeof(T)) return false;
        const bool inside = Here != 0 && begin_ == here();
        T* const p = static_cast<T*>(memory_.resize(want * sizeof(T)));
        if (p == nullptr) return false;
        if (inside) std::memcpy(static_cast<void*>(p), static_cast<const void*>(begin_), size_ * sizeof(T));
        begin_ = p;
        capacity_ = want;
        return true;
    }

    struct nothing {};
    struct room {
        alignas(T) unsigned char bytes[(Here == 0 ? 1 : Here) * sizeof(T)];
    };
    T* here() noexcept {
        if constexpr (Here == 0)
            return nullptr;
        else
            return reinterpret_cast<T*>(here_.bytes);
    }

    T* begin_;
    std::size_t size_ = 0;
    std::size_t capacity_;
    Memory memory_;
    [[no_unique_address]] std::conditional_t<Here == 0, nothing, room> here_;
};

}  // namespace kumihimo::inline v0
