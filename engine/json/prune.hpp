// A document of any format as JSON, without the values that no path leads to: what a projection finds in the result is
// what it would find in the whole.
//
//      paths  a.b  t[1]       {"a":{"b":1,"c":[2,3]},"x":{...},"t":[7,8,9]}      ->      {"a":{"b":1},"t":[null,8,null]}
//
// So rows come out of binary documents by the same projector, columns and types as out of JSON, and a reader that can
// pass over values (core/declining.hpp) reads little more than what is wanted. A container of another kind than a path
// wants stays, empty: it blocks the path there, too.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/declining.hpp"
#include "engine/core/stack.hpp"
#include "engine/json/plan.hpp"
#include "engine/json/writer.hpp"

namespace kumihimo::inline v0::json {

/// Writes one document after the other, each into the buffer behind what is there; begin() comes before each.
class pruning_writer {
public:
    using dialect = json::dialect;

    /// `wanted` and `dialect`, which must be compact, outlive the writer.
    pruning_writer(buffer& out, context& ctx, const plan& wanted, const dialect& dialect) noexcept
        : ctx_(ctx), plan_(wanted), to_(out, ctx, dialect) {}

    void begin() noexcept {
        to_.begin();
        outer_.clear();
        now_ = {};
        dropping_ = whole_ = 0;
        pending_ = 0;
        naming_ = false;
    }

    errc null() {
        return value([&] { return to_.null(); });
    }
    errc boolean(bool b) {
        return value([&] { return to_.boolean(b); });
    }
    errc i64(std::int64_t n) {
        return value([&] { return to_.i64(n); });
    }
    errc u64(std::uint64_t n) {
        return value([&] { return to_.u64(n); });
    }
    errc f64(double x) {
        return value([&] { return to_.f64(x); });
    }
    errc big(text digits) {
        return value([&] { return to_.big(digits); });
    }
    errc str(text t) {
        return value([&] { return to_.str(t); });
    }
    errc bin(bytes b) {
        return value([&] { return to_.bin(b); });
    }
    errc time(const instant& t) {
        return value([&] { return to_.time(t); });
    }
    errc ext(int type, bytes b) {
        return value([&] { return to_.ext(type, b); });
    }
    errc array(count) { return open(false); }
    errc map(count) { return open(true); }

    errc key(text t) {
        if (dropping_ != 0) return errc::ok;
        if (whole_ != 0) return to_.key(t);
        const std::uint32_t found = plan_.find(plan_.states[now_.state], static_cast<const char*>(t.data), t.size);
        pending_ = found == nowhere ? nowhere : plan_.keys[found].target;
        return found == nowhere ? errc::ok : to_.key(t);
    }
    /// No path leads through such a key.
    errc key(next_value v) {
        if (dropping_ != 0) return errc::ok;
        if (whole_ != 0) return to_.key(v);
        naming_ = true;
        return errc::ok;
    }

    errc end() {
        if (dropping_ != 0) {
            --dropping_;
            return errc::ok;
        }
        if (whole_ != 0) {
            --whole_;
        } else {
            now_ = outer_.top();
            outer_.pop();
        }
        return to_.end();
    }

    errc finish(bytes& document) { return to_.finish(document); }

    bool declines() const noexcept {
        if (dropping_ != 0) return true;
        if (whole_ != 0 || outer_.empty()) return false;
        return now_.map ? pending_ == nowhere : plan_.find(plan_.states[now_.state], now_.element) == nowhere;
    }
    errc passed_over() { return dropping_ != 0 ? errc::ok : drop(); }

private:
    struct frame {
        std::uint32_t state = 0;
        bool map = false;
        std::uint64_t element = 0;  // of an array: the next one's number
    };

    // The state that the value at hand is for, or nowhere.
    std::uint32_t arrive() noexcept {
        if (naming_) {
            naming_ = false;
            pending_ = nowhere;
            return nowhere;
        }
        if (outer_.empty()) return 0;
        if (!now_.map) return plan_.find(plan_.states[now_.state], now_.element++);
        const std::uint32_t to = pending_;
        pending_ = nowhere;
        return to;
    }
    // An element that nobody wants keeps its place.
    errc hold_place() { return outer_.empty() || now_.map ? errc::ok : to_.null(); }
    errc drop() {
        arrive();
        return hold_place();
    }

    template <class F>
    errc value(F write) {
        if (dropping_ != 0) return errc::ok;
        if (whole_ != 0) return write();
        return arrive() == nowhere ? hold_place() : write();
    }

    errc open(bool map) {
        if (dropping_ != 0) {
            ++dropping_;
            return errc::ok;
        }
        if (whole_ == 0) {
            const std::uint32_t state = arrive();
            if (state == nowhere) {
                dropping_ = 1;
                return hold_place();
            }
            const plan::state& s = plan_.states[state];
            if (s.end_count == 0) {
                KUMIHIMO_TRY(map ? to_.map(count{}) : to_.array(count{}));
                if (map ? !s.wants_members() : !s.wants_elements()) {
                    dropping_ = 1;
                    return to_.end();
                }
                if (!outer_.push(now_)) return ctx_.fail(errc::memory, failure::nowhere, "out of memory");
                now_ = {state, map, 0};
                pending_ = nowhere;
                return errc::ok;
            }
        }
        ++whole_;
        return map ? to_.map(count{}) : to_.array(count{});
    }

    context& ctx_;
    const plan& plan_;
    basic_writer<buffer> to_;
    stack<frame, 16> outer_;
    frame now_;
    std::size_t dropping_ = 0;   // containers that are open and not written
    std::size_t whole_ = 0;      // containers that are open and written whole
    std::uint32_t pending_ = 0;  // of a map: the state behind the last key
    bool naming_ = false;        // the value at hand is a key
};
static_assert(kumihimo::writer<pruning_writer> && declining_sink<pruning_writer>);

}  // namespace kumihimo::inline v0::json
