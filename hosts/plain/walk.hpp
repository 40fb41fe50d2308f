// plain::value as a source.
#pragma once
#include <cstdint>
#include <type_traits>
#include <variant>

#include "engine/core/context.hpp"
#include "engine/core/source.hpp"
#include "engine/core/stack.hpp"
#include "hosts/plain/text.hpp"
#include "hosts/plain/value.hpp"

namespace kumihimo::inline v0::plain {

class walker {
public:
    using value = plain::value;

    walker(const value& from, context& ctx) noexcept : from_(from), ctx_(ctx) {}

    template <sink K>
    errc feed(K& to) {
        open_.clear();
        if (scalar(from_, to)) return code_;
        // The frame at hand stays in registers; those around it are on the stack.
        frame f;
        KUMIHIMO_TRY(enter(from_, f, to));
        for (;;) {
            const value* inner = nullptr;
            if (f.pairs == nullptr) {
                while (f.next != f.end) {
                    const value& v = *f.next++;
                    if (!scalar(v, to)) {
                        inner = &v;
                        break;
                    }
                    KUMIHIMO_TRY(code_);
                }
            } else {
                while (f.pairs != f.pairs_end) {
                    if (!f.key_done) {
                        const value& key = f.pairs->key;
                        if (const std::string* const name = key.as<std::string>()) [[likely]] {
                            KUMIHIMO_TRY(to.key(as_text(*name)));
                        } else {
                            KUMIHIMO_TRY(to.key(next_value{}));
                            if (!scalar(key, to)) {
                                f.key_done = true;
                                inner = &key;
                                break;
                            }
                            KUMIHIMO_TRY(code_);
                        }
                    }
                    f.key_done = false;
                    const value& v = f.pairs++->item;
                    if (!scalar(v, to)) {
                        inner = &v;
                        break;
                    }
                    KUMIHIMO_TRY(code_);
                }
            }
            if (inner != nullptr) {
                if (!open_.push(f)) [[unlikely]]
                    return ctx_.fail(errc::memory, failure::nowhere, "out of memory");
                KUMIHIMO_TRY(enter(*inner, f, to));
            } else {
                KUMIHIMO_TRY(to.end());
                if (open_.empty()) return errc::ok;
                f = open_.top();
                open_.pop();
            }
        }
    }

private:
    // What is still to come of an open container: values of an array, or pairs of a map.
    struct frame {
        const value* next = nullptr;
        const value* end = nullptr;
        const member* pairs = nullptr;
        const member* pairs_end = nullptr;
        bool key_done = false;  // in a map: the key at `pairs` is out, its item is due
    };

    template <class T>
    static const T& of(const value& v) noexcept {
        return *std::get_if<T>(&v.is);
    }

    /// Sends a scalar, and leaves the sink's answer in code_; false for a container. A switch, not std::visit, which calls
    /// through a table of pointers when there are more than eleven kinds: 4 times slower.
    template <sink K>
    [[gnu::always_inline]] bool scalar(const value& v, K& to) {
        switch (static_cast<kind>(v.is.index())) {
            case kind::null: code_ = to.null(); return true;
            case kind::boolean: code_ = to.boolean(of<bool>(v)); return true;
            case kind::i64: code_ = to.i64(of<std::int64_t>(v)); return true;
            case kind::u64: {
                const std::uint64_t n = of<std::uint64_t>(v);
                code_ = n <= INT64_MAX ? to.i64(static_cast<std::int64_t>(n)) : to.u64(n);
                return true;
            }
            case kind::real: code_ = to.f64(of<real>(v).x); return true;
            case kind::big: code_ = to.big({of<big>(v).digits, encoding::ascii}); return true;
            case kind::str: code_ = to.str(as_text(of<std::string>(v))); return true;
            case kind::bin: code_ = to.bin(of<bin>(v)); return true;
            case kind::time: code_ = to.time(of<instant>(v)); return true;
            case kind::ext: code_ = to.ext(of<ext>(v).type, of<ext>(v).data); return true;
            default: return false;
        }
    }

    /// Opens a container and makes its frame the one at hand.
    template <sink K>
    [[gnu::always_inline]] errc enter(const value& v, frame& f, K& to) {
        if (open_.size() >= ctx_.limits.depth) [[unlikely]]
            return ctx_.fail(errc::depth, failure::nowhere, "containers are nested deeper than the limit");
        f = {};
        if (const map* const pairs = v.as<map>()) {
            // An empty vector has no address of its own, and `pairs` says that this is a map.
            static const member none;
            const std::size_t n = pairs->size();
            f.pairs = n == 0 ? &none : pairs->data();
            f.pairs_end = f.pairs + n;
            return to.map(count{static_cast<std::int64_t>(n)});
        }
        const array& values = of<array>(v);
        f.next = values.data();
        f.end = f.next + values.size();
        return to.array(count{static_cast<std::int64_t>(values.size())});
    }

    // The alternatives of value::is, in their order.
    enum class kind : std::size_t { null, boolean, i64, u64, real, big, str, bin, time, ext, array, map };
    template <kind k, class T>
    static constexpr bool is_at =
        std::is_same_v<std::variant_alternative_t<static_cast<std::size_t>(k), decltype(value::is)>, T>;
    static_assert(is_at<kind::null, plain::null> && is_at<kind::boolean, bool> && is_at<kind::i64, std::int64_t> &&
                  is_at<kind::u64, std::uint64_t> && is_at<kind::real, real> && is_at<kind::big, plain::big> &&
                  is_at<kind::str, std::string> && is_at<kind::bin, plain::bin> && is_at<kind::time, instant> &&
                  is_at<kind::ext, plain::ext> && is_at<kind::array, plain::array> && is_at<kind::map, plain::map>);

    const value& from_;
    context& ctx_;
    errc code_ = errc::ok;
    stack<frame> open_;
};
static_assert(kumihimo::walker<walker>);

}  // namespace kumihimo::inline v0::plain
