// Where a path's value begins in a document of any format: asked after a failure, so that an error names a byte of the
// input and not of the text that was made of it.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/core/context.hpp"
#include "engine/core/located.hpp"
#include "engine/core/null.hpp"
#include "engine/core/stack.hpp"
#include "engine/json/plan.hpp"

namespace kumihimo::inline v0::extract {

/// A sink that keeps the place of one path's value, of a key that comes twice the last one's.
class value_place {
public:
    value_place(const json::plan& plan, std::uint32_t path) noexcept : plan_(plan), path_(path) {}
    /// failure::nowhere: there is no such value.
    std::size_t offset() const noexcept { return found_; }

    bool wants_places() const noexcept { return true; }
    void at(std::size_t from, std::size_t) noexcept { here_ = from; }
    errc null() { return value(); }
    errc boolean(bool) { return value(); }
    errc i64(std::int64_t) { return value(); }
    errc u64(std::uint64_t) { return value(); }
    errc f64(double) { return value(); }
    errc big(text) { return value(); }
    errc str(text) { return value(); }
    errc bin(bytes) { return value(); }
    errc time(const instant&) { return value(); }
    errc ext(int, bytes) { return value(); }
    errc array(count) { return open(false); }
    errc map(count) { return open(true); }
    errc key(text t) {
        if (now_.state == json::nowhere) return errc::ok;
        const std::uint32_t k = plan_.find(plan_.states[now_.state], static_cast<const char*>(t.data), t.size);
        pending_ = k == json::nowhere ? json::nowhere : plan_.keys[k].target;
        return errc::ok;
    }
    errc key(next_value) {
        naming_ = true;
        return errc::ok;
    }
    errc end() {
        now_ = outer_.top();
        outer_.pop();
        return errc::ok;
    }

private:
    struct frame {
        std::uint32_t state;
        bool map;
        std::uint64_t element;
    };

    // The state that the value at hand is for, or nowhere.
    std::uint32_t arrive() noexcept {
        std::uint32_t to = 0;
        if (naming_) {
            naming_ = false;
            to = json::nowhere;
        } else if (!outer_.empty()) {
            to = now_.map                      ? pending_
                 : now_.state == json::nowhere ? json::nowhere
                                               : plan_.find(plan_.states[now_.state], now_.element);
            if (!now_.map) ++now_.element;
        }
        pending_ = json::nowhere;
        if (to == json::nowhere) return to;
        const json::plan::state& s = plan_.states[to];
        for (std::uint32_t i = 0; i < s.end_count; ++i)
            if (plan_.ends[s.first_end + i] == path_) found_ = here_;
        return to;
    }
    errc value() noexcept {
        arrive();
        return errc::ok;
    }
    errc open(bool map) noexcept {
        const std::uint32_t state = arrive();
        if (!outer_.push(now_)) return errc::memory;
        now_ = {state, map, 0};
        return errc::ok;
    }

    const json::plan& plan_;
    std::uint32_t path_, pending_ = json::nowhere;
    std::size_t here_ = 0, found_ = failure::nowhere;
    stack<frame, 16> outer_;
    frame now_{json::nowhere, false, 0};
    bool naming_ = false;
};
static_assert(located_sink<value_place>);

}  // namespace kumihimo::inline v0::extract
