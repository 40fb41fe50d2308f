// The verbs' grammar, kept: which verb may come now. For sinks whose output would be silently wrong after a value
// without its key, an end too many, or a count that was a lie; and the place where such sinks learn how many values a
// container had.
//
// The document itself is the outermost container: an array of exactly one value.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/core/stack.hpp"

namespace kumihimo::inline v0 {

/// An open container.
struct order_frame {
    std::uint64_t seen = 0;      // values so far; in a map keys count too, so an odd number means: a value is due
    std::uint64_t expected = 1;  // how many there must be at the end, or unknown
    std::uint64_t note = 0;      // the sink's own
    bool map = false;
};

/// `Memory` is that of a stack (core/stack.hpp).
template <class Memory = heap>
class basic_order {
public:
    static constexpr std::uint64_t unknown = static_cast<std::uint64_t>(-1);
    using frame = order_frame;

    explicit basic_order(context& ctx, Memory&& memory = Memory()) noexcept : ctx_(ctx), outer_(std::move(memory)) {}

    /// Any value verb, and first thing in array() and map().
    errc value() noexcept {
        if (now_.seen == now_.expected) [[unlikely]]
            return overfull();
        if (now_.map && (now_.seen & 1) == 0 && !key_is_value_) [[unlikely]] {
            return ctx_.fail(errc::misuse, failure::nowhere, "a value came in a map before its key");
        }
        key_is_value_ = false;
        ++now_.seen;
        return errc::ok;
    }

    errc key() noexcept {
        if (!now_.map || (now_.seen & 1) != 0 || key_is_value_) [[unlikely]] {
            return ctx_.fail(errc::misuse, failure::nowhere, "a key came where a value is due");
        }
        if (now_.seen == now_.expected) [[unlikely]]
            return overfull();
        ++now_.seen;
        return errc::ok;
    }

    errc key_is_next() noexcept {
        KUMIHIMO_TRY(key());
        --now_.seen;
        key_is_value_ = true;
        return errc::ok;
    }

    /// After value(): opens a container, and `note` waits in its frame.
    errc open(bool map, count n, std::uint64_t note = 0) noexcept {
        if (outer_.size() >= ctx_.limits.depth) [[unlikely]] {
            return ctx_.fail(errc::depth, failure::nowhere, "containers are nested deeper than the limit");
        }
        if (!outer_.push(now_)) [[unlikely]]
            return ctx_.fail(errc::memory, failure::nowhere, "out of memory");
        const std::uint64_t n_values = static_cast<std::uint64_t>(n.n) * (map ? 2 : 1);
        now_ = {0, n.known() ? n_values : unknown, note, map};
        return errc::ok;
    }

    /// Closes the innermost container and tells what it was.
    errc end(frame& closed) noexcept {
        if (outer_.empty()) [[unlikely]]
            return ctx_.fail(errc::misuse, failure::nowhere, "an end without its start");
        if (key_is_value_ || (now_.map && (now_.seen & 1) != 0)) [[unlikely]] {
            return ctx_.fail(errc::misuse, failure::nowhere, "a map ends after a key without a value");
        }
        if (now_.expected != unknown && now_.seen != now_.expected) [[unlikely]] {
            return ctx_.fail(errc::misuse, failure::nowhere, "a container ends with fewer values than it announced");
        }
        closed = now_;
        now_ = outer_.top();
        outer_.pop();
        return errc::ok;
    }

    /// The innermost open container, or the document.
    const frame& inner() const noexcept { return now_; }
    std::size_t depth() const noexcept { return outer_.size(); }
    /// One whole value has arrived.
    bool whole() const noexcept { return outer_.empty() && now_.seen == 1; }
    /// What finish() of a sink asks.
    errc finish() const noexcept {
        if (whole()) return errc::ok;
        return ctx_.fail(errc::misuse, failure::nowhere, "the document is not whole: a value or an end is missing");
    }
    void clear() noexcept {
        outer_.clear();
        now_ = {};
        key_is_value_ = false;
    }
    /// clear() for a document that is one key.
    void begin_key() noexcept {
        clear();
        now_.map = true;
    }

private:
    [[gnu::cold, gnu::noinline]] errc overfull() const noexcept {
        return ctx_.fail(
            errc::misuse, failure::nowhere,
            outer_.empty() ? "a value came after the document was whole" : "a container holds more values than it announced");
    }

    context& ctx_;
    frame now_;
    stack<frame, 0, Memory> outer_;
    bool key_is_value_ = false;
};
using order = basic_order<>;

}  // namespace kumihimo::inline v0
