// A writer that owns memory of C++'s, for a walk that a jump may leave: it is the thread's, not the frame's.
//
//      dump at depth 1   |  dump at depth 2, of a block's  |  left by a jump
//      [writer of 1]       [writer of 1][writer of 2]         [writer of 1][writer of 2]   until the thread makes another one
//
// Who stands deeper in the machine's stack than the one that is being made was left: its walk is over. Writers that own nothing
// (core/stack.hpp, memory_of) need none of this.
#pragma once
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "engine/core/buffer.hpp"
#include "engine/core/format.hpp"

#include "../vm/thread_specific.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

class held_writers {
public:
    struct held {
        virtual ~held() = default;
        const void* where = nullptr;
    };
    /// The calling thread's. Inside a host_section.
    static held_writers& here() {
        static constinit thread_local thread_specific<held_writers> one;
        return one.get();
    }
    /// A new one for a walk that begins at `where`, an address in its frame; null where there is no memory. Inside a
    /// host_section.
    template <class T, class... Args>
    T* make(const void* where, Args&&... args) noexcept {
        try {
            drop_from(where);
            auto made = std::make_unique<T>(std::forward<Args>(args)...);
            made->where = where;
            T* const p = made.get();
            all_.push_back(std::move(made));
            return p;
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }
    /// Ends those that began at `where` or deeper.
    void drop_from(const void* where) noexcept {
        while (!all_.empty() && !std::less<>()(where, all_.back()->where)) all_.pop_back();
    }

private:
    std::vector<std::unique_ptr<held>> all_;
};

/// A writer of a format, and what it writes into.
template <format F>
struct held_writer final : held_writers::held {
    using writer = typename F::template writer<buffer>;
    held_writer(std::size_t most, const typename writer::dialect& as) : to(out, ctx, as) {
        ctx.limits.size = most;
        ctx.limits.depth = static_cast<std::size_t>(-1);  // the walk counts
    }
    context ctx;
    buffer out;
    writer to;
};

/// A sink whose every verb is a host_section: left before or behind it, never within.
template <sink Sink>
class sectioned_sink {
public:
    explicit sectioned_sink(Sink& to) noexcept : to_(to) {}

    errc null() {
        return whole([&] { return to_.null(); });
    }
    errc boolean(bool b) {
        return whole([&] { return to_.boolean(b); });
    }
    errc i64(std::int64_t n) {
        return whole([&] { return to_.i64(n); });
    }
    errc u64(std::uint64_t n) {
        return whole([&] { return to_.u64(n); });
    }
    errc f64(double x) {
        return whole([&] { return to_.f64(x); });
    }
    errc big(text t) {
        return whole([&] { return to_.big(t); });
    }
    errc str(text t) {
        return whole([&] { return to_.str(t); });
    }
    errc bin(bytes b) {
        return whole([&] { return to_.bin(b); });
    }
    errc time(const instant& at) {
        return whole([&] { return to_.time(at); });
    }
    errc ext(int type, bytes b) {
        return whole([&] { return to_.ext(type, b); });
    }
    errc array(count n) {
        return whole([&] { return to_.array(n); });
    }
    errc map(count n) {
        return whole([&] { return to_.map(n); });
    }
    errc key(text t) {
        return whole([&] { return to_.key(t); });
    }
    errc key(next_value v) {
        return whole([&] { return to_.key(v); });
    }
    errc end() {
        return whole([&] { return to_.end(); });
    }

private:
    template <class Verb>
    errc whole(Verb verb) {
        const host_section at_work;
        return verb();
    }
    Sink& to_;
};

}  // namespace kumihimo::inline v0::mruby
