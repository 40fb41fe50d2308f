// plain::value as a source.
#pragma once
#include <type_traits>

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
        KUMIHIMO_TRY(enter(from_, to));
        while (!open_.empty()) {
            frame& f = open_.top();
            const array* const values = f.container->as<array>();
            const map* const pairs = f.container->as<map>();
            if (f.next == (values ? values->size() : pairs->size())) {
                open_.pop();
                KUMIHIMO_TRY(to.end());
            } else if (values) {
                KUMIHIMO_TRY(enter((*values)[f.next++], to));
            } else if (const member& pair = (*pairs)[f.next]; f.key_done) {
                f.key_done = false;
                ++f.next;
                KUMIHIMO_TRY(enter(pair.item, to));
            } else {
                f.key_done = true;
                if (const std::string* const name = pair.key.as<std::string>()) {
                    KUMIHIMO_TRY(to.key(as_text(*name)));
                } else {
                    KUMIHIMO_TRY(to.key(next_value{}));
                    KUMIHIMO_TRY(enter(pair.key, to));
                }
            }
        }
        return errc::ok;
    }

private:
    struct frame {
        const value* container;
        std::size_t next = 0;
        bool key_done = false;  // in a map: the key of pair `next` is out, its item is due
    };

    /// Sends a scalar, or opens a container.
    template <sink K>
    errc enter(const value& v, K& to) {
        return std::visit(
            [&]<class T>(const T& x) -> errc {
                if constexpr (std::is_same_v<T, null>) return to.null();
                if constexpr (std::is_same_v<T, bool>) return to.boolean(x);
                if constexpr (std::is_same_v<T, std::int64_t>) return to.i64(x);
                if constexpr (std::is_same_v<T, std::uint64_t>) {
                    return x <= INT64_MAX ? to.i64(static_cast<std::int64_t>(x)) : to.u64(x);
                }
                if constexpr (std::is_same_v<T, real>) return to.f64(x.x);
                if constexpr (std::is_same_v<T, big>) return to.big({x.digits, encoding::ascii});
                if constexpr (std::is_same_v<T, std::string>) return to.str(as_text(x));
                if constexpr (std::is_same_v<T, bin>) return to.bin(x);
                if constexpr (std::is_same_v<T, instant>) return to.time(x);
                if constexpr (std::is_same_v<T, ext>) return to.ext(x.type, x.data);
                if constexpr (std::is_same_v<T, array> || std::is_same_v<T, map>) {
                    if (open_.size() >= ctx_.limits.depth) {
                        return ctx_.fail(errc::depth, failure::nowhere, "containers are nested deeper than the limit");
                    }
                    if (!open_.push({&v})) return ctx_.fail(errc::memory, failure::nowhere, "out of memory");
                    const count n{static_cast<std::int64_t>(x.size())};
                    if constexpr (std::is_same_v<T, map>)
                        return to.map(n);
                    else
                        return to.array(n);
                }
            },
            v.is);
    }

    const value& from_;
    context& ctx_;
    stack<frame> open_;
};
static_assert(kumihimo::walker<walker>);

}  // namespace kumihimo::inline v0::plain
