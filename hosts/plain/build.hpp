// A sink that builds a plain::value.
#pragma once
#include <algorithm>
#include <utility>

#include "engine/core/context.hpp"
#include "engine/core/order.hpp"
#include "engine/core/stack.hpp"
#include "hosts/plain/text.hpp"
#include "hosts/plain/value.hpp"

namespace kumihimo::inline v0::plain {

class builder {
public:
    using value = plain::value;

    explicit builder(context& ctx) noexcept : ctx_(ctx), order_(ctx) {}

    errc null() { return put<plain::null>(); }
    errc boolean(bool b) { return put<bool>(b); }
    errc i64(std::int64_t n) { return put<std::int64_t>(n); }
    errc u64(std::uint64_t n) { return put<std::uint64_t>(n); }
    errc f64(double x) { return put<real>(x); }
    errc big(text lexeme) {
        std::string digits;
        KUMIHIMO_TRY(string(lexeme, digits));
        return put<plain::big>(std::move(digits));
    }
    errc str(text t) {
        std::string s;
        KUMIHIMO_TRY(string(t, s));
        return put<std::string>(std::move(s));
    }
    errc bin(bytes b) {
        KUMIHIMO_TRY(put<plain::bin>());
        return guarded([&] { at_->as<plain::bin>()->assign(b.begin(), b.end()); });
    }
    errc time(const instant& at) { return put<instant>(at); }
    errc ext(int type, bytes b) {
        KUMIHIMO_TRY(put<plain::ext>());
        return guarded([&] { at_->as<plain::ext>()->type = type, at_->as<plain::ext>()->data.assign(b.begin(), b.end()); });
    }

    errc array(count n) {
        KUMIHIMO_TRY(put<plain::array>());
        return open(*at_->as<plain::array>(), n);
    }
    errc map(count n) {
        KUMIHIMO_TRY(put<plain::map>());
        return open(*at_->as<plain::map>(), n);
    }
    errc key(text t) {
        KUMIHIMO_TRY(order_.key());
        std::string s;
        KUMIHIMO_TRY(string(t, s));
        return guarded([&] { open_.top()->as<plain::map>()->push_back({{std::move(s)}, {}}); });
    }
    errc key(next_value) { return order_.key_is_next(); }
    errc end() {
        order::frame closed;
        KUMIHIMO_TRY(order_.end(closed));
        open_.pop();
        return errc::ok;
    }

    /// The finished value; null when no whole document arrived.
    value take() { return order_.whole() ? std::exchange(root_, {}) : value{}; }

private:
    /// A count may be a lie: more than this is believed only as it arrives.
    static constexpr std::int64_t believed = 256;

    /// Makes a T at the place of the next value; at_ points to it until the container it is in grows.
    template <class T, class... A>
    errc put(A&&... from) {
        KUMIHIMO_TRY(order_.value());
        return guarded([&] {
            at_ = &root_;
            if (!open_.empty()) {
                if (plain::array* const values = open_.top()->as<plain::array>()) {
                    at_ = &values->emplace_back();
                } else {
                    plain::map& pairs = *open_.top()->as<plain::map>();
                    const bool key = (order_.inner().seen & 1) != 0;
                    at_ = key ? &pairs.emplace_back().key : &pairs.back().item;
                }
            }
            at_->is = T{std::forward<A>(from)...};
        });
    }

    /// The value at at_ stays where it is until it is closed: its container grows only after that.
    template <class C>
    errc open(C& container, count n) {
        constexpr bool is_map = std::is_same_v<C, plain::map>;
        KUMIHIMO_TRY(order_.open(is_map, n));
        if (!open_.push(at_)) return ctx_.fail(errc::memory, failure::nowhere, "out of memory");
        return guarded([&] { container.reserve(static_cast<std::size_t>(std::clamp(n.n, std::int64_t{0}, believed))); });
    }

    errc string(text t, std::string& s) {
        errc code = errc::ok;
        KUMIHIMO_TRY(guarded([&] { code = to_string(t, s); }));
        return code == errc::ok ? code : ctx_.fail(code, failure::nowhere, "a string is not valid in its own encoding");
    }

    /// The standard library throws where the engine returns.
    template <class F>
    errc guarded(F work) {
        try {
            work();
            return errc::ok;
        } catch (...) {
            return ctx_.fail(errc::memory, failure::nowhere, "out of memory");
        }
    }

    context& ctx_;
    order order_;
    value root_;
    value* at_ = nullptr;
    stack<value*> open_;
};
static_assert(kumihimo::builder<builder>);

}  // namespace kumihimo::inline v0::plain
