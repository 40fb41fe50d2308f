// plain::value as a source.
#pragma once
#include <cmath>
#include <cstdint>

#include "engine/core/burst.hpp"
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
        if constexpr (bursting_writer<K>) {
            if (to.bursts()) return burst(to);
        }
        return verbs(to);
    }

private:
    // What is still to come of an open container. A map's pairs are read as the values they consist of: key, item,
    // key, item.
    struct frame {
        const value* at;
        const value* end;
        bool map;
        bool key_due;  // in a map: the next one is a key
    };

    /// The document itself is a list of one value that nothing opens or closes.
    frame document() const noexcept { return {&from_, &from_ + 1, false, false}; }

    // The frame at hand is a local; those around it are on the stack. (Tried, no faster here: its fields in variables,
    // as burst() has them. The verbs cost more than the frames.)
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
                if (open_.size() >= ctx_.limits.depth) [[unlikely]]
                    return too_deep();
                if (!open_.push(f)) [[unlikely]]
                    return no_memory();
                const bool map = inner->what() == kind::map;
                const std::size_t n = size_of(*inner);
                const value* const first = first_of(*inner);
                f = {first, first + (map ? 2 * n : n), map, map};
                const count counted{static_cast<std::int64_t>(n)};
                KUMIHIMO_TRY(map ? to.map(counted) : to.array(counted));
            } else {
                if (open_.empty()) return errc::ok;
                KUMIHIMO_TRY(to.end());
                f = open_.top();
                open_.pop();
            }
        }
    }

    /// The same into a writer that takes a burst (core/burst.hpp): what is usual without a verb, the rest aside,
    /// through the verbs of a writer of its own. The frame at hand is in variables, and moves field by field: a frame
    /// that is copied as a whole right after one of its fields was stored waits for that store (a sixth of the time on
    /// citm_catalog).
    template <sink K>
    errc burst(K& to) {
        auto b = to.start_burst();
        const value* at = &from_;
        const value* end = at + 1;
        bool map = false;
        for (;;) {
            const bool deeper = open_.size() < ctx_.limits.depth;  // may a container open here
            const value* inner = nullptr;
            if (map) {
                while (at != end) {
                    const value& key = at[0];
                    const value& item = at[1];
                    at += 2;
                    const string* const name = key.as<string>();
                    if (name == nullptr || !name->valid() || !b.key(name->data(), name->size())) [[unlikely]] {
                        b.stop();
                        KUMIHIMO_TRY(to.key_aside([&key](K& one) { return one_key(key, one); }));
                        b.resume();
                    }
                    if (!burst_scalar(item, b, deeper)) {
                        inner = &item;
                        break;
                    }
                }
            } else {
                while (at != end) {
                    const value& item = *at++;
                    if (!burst_scalar(item, b, deeper)) {
                        inner = &item;
                        break;
                    }
                }
            }
            if (inner == nullptr) {
                if (open_.empty()) break;
                if (!b.close(map)) [[unlikely]]
                    return full(to);
                const frame& f = open_.top();
                at = f.at;
                end = f.end;
                map = f.map;
                open_.pop();
            } else if (is_container(*inner)) [[likely]] {
                if (!deeper) [[unlikely]]
                    return too_deep();
                frame* const f = open_.add();
                if (f == nullptr) [[unlikely]]
                    return no_memory();
                f->at = at;
                f->end = end;
                f->map = map;
                map = inner->what() == kind::map;
                const std::size_t n = size_of(*inner);
                at = first_of(*inner);
                end = at + (map ? 2 * n : n);
                if (!b.open(map, n)) [[unlikely]]
                    return full(to);
            } else {
                b.stop();
                KUMIHIMO_TRY(to.value_aside([inner](K& one) {
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

    /// Why a burst could not open or close a container: the limit of the size, or memory.
    template <sink K>
    [[gnu::cold]] errc full(K& to) const {
        KUMIHIMO_TRY(to.value_aside([](K&) { return errc::ok; }));
        return no_memory();
    }

    /// A scalar that the burst has a verb for; false for the rest, and for what has no room, which the writer then
    /// tells.
    template <class B>
    [[gnu::always_inline]] static bool burst_scalar(const value& v, B& b, bool deeper) {
        switch (v.what()) {
            case kind::null: return b.null();
            case kind::boolean: return b.boolean(*v.as<bool>());
            case kind::i64: return b.i64(*v.as<std::int64_t>());
            case kind::real: return std::isfinite(v.as<real>()->x) && b.f64(v.as<real>()->x);
            case kind::str: return v.as<string>()->valid() && b.str(v.as<string>()->data(), v.as<string>()->size());
            // Empty ones are scalars here: they need no frame.
            case kind::array: return deeper && v.as<array>()->empty() && b.open(false, 0) && b.close(false);
            case kind::map: return deeper && v.as<map>()->empty() && b.open(true, 0) && b.close(true);
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
    /// The values in a container; of a map, the key of its first member.
    static const value* first_of(const value& v) noexcept {
        if (v.what() == kind::map) return reinterpret_cast<const value*>(v.as<map>()->begin());
        return v.as<array>()->begin();
    }
    [[gnu::cold]] errc too_deep() const noexcept {
        return ctx_.fail(errc::depth, failure::nowhere, "containers are nested deeper than the limit");
    }
    [[gnu::cold]] errc no_memory() const noexcept { return ctx_.fail(errc::memory, failure::nowhere, "out of memory"); }

    const value& from_;
    context& ctx_;
    stack<frame> open_;
};
static_assert(kumihimo::walker<walker>);

}  // namespace kumihimo::inline v0::plain
