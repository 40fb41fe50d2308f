// Where writers put bytes. The contract is two calls, so that a host can offer its own string object as the buffer and
// the finished document needs no copy:
//
//      char* p = out.reserve(n);      n writable bytes at p, or nullptr when memory is out
//      out.commit(p + used);          used <= n; the next reserve continues there
//
//      data()                size()                 capacity
//      |######### committed ##|...... reserved .....|
//
// reserve() moves what was committed when it grows, so pointers into the buffer do not survive it.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace kumihimo::inline v0 {

template <class B>
concept output = requires(B b, const B c, char* p, std::size_t n) {
    { b.reserve(n) } -> std::same_as<char*>;
    {b.commit(p)};
    { c.data() } -> std::convertible_to<const char*>;
    { c.size() } -> std::convertible_to<std::size_t>;
};

/// The engine's own buffer: malloc'ed, doubling, reusable. clear() keeps the memory for the next document.
class buffer {
public:
    buffer() = default;
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
    buffer(buffer&& o) noexcept
        : begin_(std::exchange(o.begin_, nullptr)),
          at_(std::exchange(o.at_, nullptr)),
          limit_(std::exchange(o.limit_, nullptr)) {}
    buffer& operator=(buffer&& o) noexcept {
        std::swap(begin_, o.begin_);
        std::swap(at_, o.at_);
        std::swap(limit_, o.limit_);
        return *this;
    }
    ~buffer() { std::free(begin_); }

    char* reserve(std::size_t n) noexcept {
        if (static_cast<std::size_t>(limit_ - at_) < n) [[unlikely]]
            return grow(n);
        return at_;
    }
    void commit(char* p) noexcept { at_ = p; }

    const char* data() const noexcept { return begin_; }
    char* data() noexcept { return begin_; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
    std::size_t capacity() const noexcept { return static_cast<std::size_t>(limit_ - begin_); }
    void clear() noexcept { at_ = begin_; }

    /// Appends n bytes; false when memory is out.
    bool append(const void* p, std::size_t n) noexcept {
        if (n == 0) return true;  // an empty buffer has no place to point to yet
        char* to = reserve(n);
        if (to == nullptr) return false;
        std::memcpy(to, p, n);
        commit(to + n);
        return true;
    }

private:
    [[gnu::cold, gnu::noinline]] char* grow(std::size_t n) noexcept {
        const std::size_t used = size();
        if (n > static_cast<std::size_t>(PTRDIFF_MAX) - used) return nullptr;
        std::size_t want = capacity() < 128 ? 256 : capacity() * 2;
        if (want < used + n) want = used + n;
        char* p = static_cast<char*>(std::realloc(begin_, want));
        if (p == nullptr) return nullptr;
        begin_ = p;
        at_ = p + used;
        limit_ = p + want;
        return at_;
    }

    char* begin_ = nullptr;
    char* at_ = nullptr;
    char* limit_ = nullptr;
};
static_assert(output<buffer>);

}  // namespace kumihimo::inline v0
