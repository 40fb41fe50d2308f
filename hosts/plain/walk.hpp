// plain::value as a source.
#pragma once
#include <cmath>
#include <cstdint>

#include "engine/core/context.hpp"
#include "engine/core/source.hpp"
#include "engine/core/stack.hpp"
#include "hosts/plain/value.hpp"

namespace kumihimo::inline v0::plain {

class walker {
public:
    using value = plain::value;

    walker(const value& from, context& ctx) noexcept : from_(from), ctx_(ctx) {}

    template <sink K>
    errc feed(K& to) {
        open_.clear();
        if constexpr (requires { to.bursts(); }) {
            if (to.bursts()) return burst(to);
        }
        return verbs(to);
    }

private:
    // What is still to come of an open container. A map's pairs are read as the values they consist of: key, item, key, item.
    struct frame {
        const value* at;
        const value* end;
        bool map;
        bool key_due;  // in a map: the next one is a key
    };

    /// The document itself is a list of one value that nothing opens or closes.
    frame document() const noexcept { return {&from_, &from_ + 1, false, false}; }

    // The frame at hand stays in registers; those around it are on the stack.
    template <sink K>
    errc verbs(K& to) {
        for (frame f = document();;) {
            const value* inner = nullptr;
            while (f.at != f.end) {
                const value& v = *f.at++;
                if (f.key_due) {
                    f.key_due = false;
                    if (const string* const name = v.as<string>()) [[likely]] {
                        KUMIHIMO_TRY(to.key(name->as_text()));
                        continue;
                    }
                    KUMIHIMO_TRY(to.key(next_value{}));
                } else {
                    f.key_due = f.map;
                }
                errc code;
                if (!scalar(v, to, code)) {
                    inner = &v;
                    break;
                }
                KUMIHIMO_TRY(code);
            }
            if (inner != nullptr) {
                KUMIHIMO_TRY(enter(*inner, f));
                const std::size_t n = size_of(*inner);
                KUMIHIMO_TRY(f.map ? to.map(count{static_cast<std::int64_t>(n)})
                                   : to.array(count{static_cast<std::int64_t>(n)}));
            } else {
                if (open_.empty()) return errc::ok;
                KUMIHIMO_TRY(to.end());
                leave(f);
            }
        }
    }

    /// The same into a writer that takes a burst (engine/json/burst.hpp): what is usual without a verb, the rest aside, through
    /// the verbs of a writer of its own.
    template <sink K>
    errc burst(K& to) {
        auto b = to.start_burst();
        for (frame f = document();;) {
            const value* inner = nullptr;
            if (f.map) {
                while (f.at != f.end) {
                    const string* const name = f.at[0].as<string>();
                    if (name == nullptr || !name->valid()) [[unlikely]] {
                        b.stop();
                        KUMIHIMO_TRY(to.key_aside([&](K& one) { return one_key(f.at[0], one); }));
                        b.resume();
                    } else if (!b.key(name->data(), name->size())) [[unlikely]] {
                        return no_memory();
                    }
                    f.at += 2;
                    if (!burst_scalar(f.at[-1], b)) {
                        inner = f.at - 1;
                        break;
                    }
                }
            } else {
                while (f.at != f.end) {
                    if (!burst_scalar(*f.at++, b)) {
                        inner = f.at - 1;
                        break;
                    }
                }
            }
            if (inner == nullptr) {
                if (open_.empty()) break;
                if (!b.close(f.map)) [[unlikely]]
                    return no_memory();
                leave(f);
            } else if (is_container(*inner)) [[likely]] {
                KUMIHIMO_TRY(enter(*inner, f));
                if (!b.open(f.map, size_of(*inner))) [[unlikely]]
                    return no_memory();
            } else {
                b.stop();
                KUMIHIMO_TRY(to.value_aside([&](K& one) {
                    errc code = errc::ok;
                    scalar(*inner, one, code);
                    return code;
                }));
                b.resume();
            }
        }
        b.stop();
        return to.end_burst();
    }

    /// A scalar that the burst has a verb for; false for the rest, or when memory is out, which the rest then finds.
    template <class B>
    [[gnu::always_inline]] static bool burst_scalar(const value& v, B& b) {
        switch (v.what()) {
            case kind::null: return b.null();
            case kind::boolean: return b.boolean(*v.as<bool>());
            case kind::i64: return b.i64(*v.as<std::int64_t>());
            case kind::real: return std::isfinite(v.as<real>()->x) && b.f64(v.as<real>()->x);
            case kind::str: return v.as<string>()->valid() && b.str(v.as<string>()->data(), v.as<string>()->size());
            default: return false;
        }
    }

    /// Sends a scalar, and says what the sink said; false for a container.
    template <sink K>
    [[gnu::always_inline]] static bool scalar(const value& v, K& to, errc& code) {
        switch (v.what()) {
            case kind::null: code = to.null(); return true;
            case kind::boolean: code = to.boolean(*v.as<bool>()); return true;
            case kind::i64: code = to.i64(*v.as<std::int64_t>()); return true;
            case kind::u64: {
                const std::uint64_t n = *v.as<std::uint64_t>();
                code = n <= INT64_MAX ? to.i64(static_cast<std::int64_t>(n)) : to.u64(n);
                return true;
            }
            case kind::real: code = to.f64(v.as<real>()->x); return true;
            case kind::str: code = to.str(v.as<string>()->as_text()); return true;
            case kind::big: code = to.big({v.as<big>()->digits, encoding::ascii}); return true;
            case kind::bin: code = to.bin(*v.as<bin>()); return true;
            case kind::time: code = to.time(*v.as<instant>()); return true;
            case kind::ext: code = to.ext(v.as<ext>()->type, v.as<ext>()->data); return true;
            default: return false;
        }
    }
    /// A key, into a writer of text keys, which refuses containers.
    template <sink K>
    [[gnu::noinline]] static errc one_key(const value& v, K& to) {
        if (const string* const name = v.as<string>()) return to.key(name->as_text());
        KUMIHIMO_TRY(to.key(next_value{}));
        errc code;
        if (scalar(v, to, code)) return code;
        return v.what() == kind::map ? to.map(count{}) : to.array(count{});
    }

    static bool is_container(const value& v) noexcept { return v.what() == kind::array || v.what() == kind::map; }
    static std::size_t size_of(const value& v) noexcept {
        return v.what() == kind::map ? v.as<map>()->size() : v.as<array>()->size();
    }
    /// Makes a container the frame at hand.
    [[gnu::always_inline]] errc enter(const value& v, frame& f) {
        if (open_.size() >= ctx_.limits.depth) [[unlikely]]
            return ctx_.fail(errc::depth, failure::nowhere, "containers are nested deeper than the limit");
        if (!open_.push(f)) [[unlikely]]
            return no_memory();
        if (const map* const pairs = v.as<map>()) {
            const value* const first = reinterpret_cast<const value*>(pairs->begin());  // a member's first value
            f = {first, first + 2 * pairs->size(), true, true};
        } else {
            const array& values = *v.as<array>();
            f = {values.begin(), values.end(), false, false};
        }
        return errc::ok;
    }
    [[gnu::always_inline]] void leave(frame& f) noexcept {
        f = open_.top();
        open_.pop();
    }
    [[gnu::cold]] errc no_memory() const noexcept { return ctx_.fail(errc::memory, failure::nowhere, "out of memory"); }

    const value& from_;
    context& ctx_;
    stack<frame> open_;
};
static_assert(kumihimo::walker<walker>);

}  // namespace kumihimo::inline v0::plain
