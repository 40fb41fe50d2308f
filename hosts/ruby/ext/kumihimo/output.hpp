// The Ruby String as the writer's buffer.
//
//      here_ (on the machine stack)  --  full -->  a hidden String, grown in place  --  take()  -->  the caller's String
//
// A small document never leaves `here_` before its String is made in one go. What nearly fills the hidden String gets
// that one; what leaves much of it empty is copied out, and the String waits for the next document (output.cpp).
//
// Nothing here has a destructor: when Ruby jumps, the collector finds the String. The object must stay on the machine
// stack, where the collector sees its VALUE.
//
//      begin_          at_        limit_              end_
//      |#### written ###|... turn ...|..................|
//
// Bytes are the clock for everything that must happen now and then: whenever a turn's worth of them was written, the
// slow way that asks for more room is taken, and says so to the walk (turn.hpp). So the fast way pays nothing for it.
#pragma once
#include <cstddef>
#include <cstring>

#include "engine/core/buffer.hpp"
#include "guard.hpp"
#include "long_work.hpp"

namespace kumihimo::inline v0::ruby {

class string_output {
public:
    /// `here` has n bytes and outlives this object.
    string_output(char* here, std::size_t n) noexcept : begin_(here), at_(here), limit_(here + n), end_(limit_) {}
    string_output(const string_output&) = delete;
    string_output& operator=(const string_output&) = delete;

    /// Sets `due` after each turn's worth of bytes.
    void announce(bool& due) noexcept { due_ = &due; }

    /// Raises NoMemoryError when memory is out; never null.
    char* reserve(std::size_t n) {
        if (static_cast<std::size_t>(limit_ - at_) < n) [[unlikely]]
            grow(n);
        return at_;
    }
    [[noreturn]] static void out_of_memory() { rb_memerror(); }
    void commit(char* p) noexcept { at_ = p; }
    const char* data() const noexcept { return begin_; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
    void rewind(std::size_t size) noexcept { at_ = begin_ + size; }
    void clear() noexcept { at_ = begin_; }

    /// The String, in UTF-8 or without an encoding. What follows must not write any more.
    VALUE take(bool utf8 = true) {
        const auto n = static_cast<long>(size());
        if (string_ == 0) return utf8 ? rb_utf8_str_new(begin_, n) : rb_str_new(begin_, n);
        return take_large(utf8);
    }

private:
    [[gnu::cold, gnu::noinline]] void grow(std::size_t n) {
        if (static_cast<std::size_t>(end_ - at_) < n) make_room(n);
        const auto rest = static_cast<std::size_t>(end_ - at_);
        limit_ = rest - n < bytes_per_turn ? end_ : at_ + n + bytes_per_turn;
        if (due_ != nullptr && size() >= bytes_per_turn) *due_ = true;
    }
    void make_room(std::size_t n);
    VALUE take_large(bool utf8);

    char* begin_;
    char* at_;
    char* limit_;
    char* end_;
    bool* due_ = nullptr;
    VALUE string_ = 0;
};
static_assert(output<string_output> && std::is_trivially_destructible_v<string_output>);

}  // namespace kumihimo::inline v0::ruby
