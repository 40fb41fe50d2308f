// Verbs that cannot fail, for hosts where everything fails by a jump: what engine/json/emit.hpp is for JSON.
//
// Out is an output (core/buffer.hpp) that raises by itself when memory is out. Refuse is called for a value longer than 32 bits
// can count, and does not return.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/msgpack/burst.hpp"

namespace kumihimo::inline v0::msgpack {

template <output Out, auto Refuse>
class emit_burst {
public:
    explicit emit_burst(Out& out) : out_(out), b_(out, standard) {}

    void null() { sure(b_.null()); }
    void boolean(bool b) { sure(b_.boolean(b)); }
    void i64(std::int64_t n) { sure(b_.i64(n)); }
    void u64(std::uint64_t n) { sure(b_.u64(n)); }
    void f64(double x) { sure(b_.f64(x)); }
    void str(const char* s, std::size_t n) { sure(b_.str(s, n)); }
    void key(const char* s, std::size_t n) { sure(b_.str(s, n)); }
    void bin(const char* s, std::size_t n) { sure(b_.bin(s, n)); }
    void ext(int type, const char* s, std::size_t n) { sure(b_.ext(type, s, n)); }
    void timestamp(std::int64_t seconds, std::uint32_t nanoseconds) { sure(b_.timestamp(seconds, nanoseconds)); }
    void open(bool map, std::size_t n) { sure(b_.open(map, n)); }
    void close(bool) noexcept {}
    /// A value's own bytes, as they are.
    void raw(const char* s, std::size_t n) {
        b_.stop();
        char* const p = out_.reserve(n);
        std::memcpy(p, s, n);
        out_.commit(p + n);
        b_.resume();
    }
    /// Forgets what was written.
    void clear() {
        b_.stop();
        out_.clear();
        b_.resume();
    }
    void finish() noexcept { b_.stop(); }

private:
    void sure(bool done) {
        if (!done) [[unlikely]]
            Refuse();
    }
    Out& out_;
    burst<Out> b_;
};

}  // namespace kumihimo::inline v0::msgpack
