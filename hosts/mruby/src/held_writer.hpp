// A writer that owns memory of C++'s, for a walk that a jump may leave (vm/held.hpp).
#pragma once
#include "engine/core/buffer.hpp"
#include "engine/core/format.hpp"

#include "../vm/held.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

/// A writer of a format, and what it writes into.
template <format F>
struct held_writer final : held_objects::held {
    using writer = typename F::template writer<buffer>;
    held_writer(std::size_t most, const typename writer::dialect& dialect) : to(out, ctx, dialect) {
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
    errc time(const instant& t) {
        return whole([&] { return to_.time(t); });
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
