// A stack of plain frames for walks that must not recurse: grows by doubling, says no instead of throwing.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace kumihimo::inline v0 {

/// Last in, first out; T is moved as bytes. push() is false when memory is out. Memory stays for the next document.
template <class T>
class stack {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    stack() = default;
    stack(const stack&) = delete;
    stack& operator=(const stack&) = delete;
    stack(stack&& o) noexcept
        : begin_(std::exchange(o.begin_, nullptr)),
          size_(std::exchange(o.size_, 0)),
          capacity_(std::exchange(o.capacity_, 0)) {}
    stack& operator=(stack&& o) noexcept {
        std::swap(begin_, o.begin_);
        std::swap(size_, o.size_);
        std::swap(capacity_, o.capacity_);
        return *this;
    }
    ~stack() { std::free(begin_); }

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
    /// Room for one more frame, not initialised; nullptr when memory is out. A large frame that is filled field by field where
    /// it lies costs a third of one that is made elsewhere and copied.
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

private:
    [[gnu::cold, gnu::noinline]] bool grow() noexcept {
        const std::size_t want = capacity_ == 0 ? 32 : capacity_ * 2;
        if (want > static_cast<std::size_t>(-1) / 2 / sizeof(T)) return false;
        T* p = static_cast<T*>(std::realloc(static_cast<void*>(begin_), want * sizeof(T)));
        if (p == nullptr) return false;
        begin_ = p;
        capacity_ = want;
        return true;
    }

    T* begin_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace kumihimo::inline v0
