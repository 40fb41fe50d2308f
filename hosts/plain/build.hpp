// A sink that builds a plain::value.
//
//      [1, {"a": 2}]      parts_:  1  "a" 2      then, at the end of the map,      1  {"a": 2}      and of the array:  [1,
//      {"a": 2}]
//                                  ^open ^open                                     ^open
//
// What is read waits on one pile; the end of a container takes its part of the pile into a block of exactly that size.
// So counts need not be known, nor believed, and blocks lie in memory nearly as they will be walked.
#pragma once
#include <utility>
#include <vector>

#include "engine/core/context.hpp"
#include "engine/core/order.hpp"
#include "hosts/plain/text.hpp"
#include "hosts/plain/value.hpp"

namespace kumihimo::inline v0::plain {

class builder {
public:
    using value = plain::value;

    explicit builder(context& ctx) noexcept : ctx_(ctx), order_(ctx) {}

    errc null() { return put(plain::null{}); }
    errc boolean(bool b) { return put(b); }
    errc i64(std::int64_t n) { return put(n); }
    errc u64(std::uint64_t n) { return put(n); }
    errc f64(double x) { return put(real{x}); }
    errc big(text lexeme) {
        KUMIHIMO_TRY(order_.value());
        return guarded([&] {
            string digits;
            const errc code = to_string(lexeme, digits);
            if (code == errc::ok) parts_.emplace_back(plain::big{std::string(digits.view())});
            return code;
        });
    }
    errc str(text t) {
        KUMIHIMO_TRY(order_.value());
        return string_part(t);
    }
    errc bin(bytes b) {
        KUMIHIMO_TRY(order_.value());
        return guarded([&] { return parts_.emplace_back(plain::bin(b.begin(), b.end())), errc::ok; });
    }
    errc time(const instant& t) { return put(t); }
    errc ext(int type, bytes b) {
        KUMIHIMO_TRY(order_.value());
        return guarded([&] { return parts_.emplace_back(plain::ext{type, plain::bin(b.begin(), b.end())}), errc::ok; });
    }

    errc array(count n) {
        KUMIHIMO_TRY(order_.value());
        return order_.open(false, n, parts_.size());
    }
    errc map(count n) {
        KUMIHIMO_TRY(order_.value());
        return order_.open(true, n, parts_.size());
    }
    errc key(text t) {
        KUMIHIMO_TRY(order_.key());
        return string_part(t);
    }
    errc key(next_value) { return order_.key_is_next(); }
    errc end() {
        order::frame closed;
        KUMIHIMO_TRY(order_.end(closed));
        return guarded([&] {
            const auto first = parts_.begin() + static_cast<std::ptrdiff_t>(closed.note);
            value whole = closed.map ? value(pairs(first)) : value(values(first));
            parts_.erase(first, parts_.end());
            parts_.push_back(std::move(whole));
            return errc::ok;
        });
    }

    /// The finished value; null when no whole document arrived.
    value take() {
        if (!order_.whole() || parts_.empty()) return {};
        return std::exchange(parts_.front(), {});
    }

private:
    using part = std::vector<value>::iterator;

    plain::array values(part from) {
        plain::array all(static_cast<std::size_t>(parts_.end() - from));
        for (; from != parts_.end(); ++from) all.append(std::move(*from));
        return all;
    }
    plain::map pairs(part from) {
        plain::map all(static_cast<std::size_t>(parts_.end() - from) / 2);
        for (; from != parts_.end(); from += 2) all.append({std::move(from[0]), std::move(from[1])});
        return all;
    }

    template <class T>
    errc put(const T& x) {
        KUMIHIMO_TRY(order_.value());
        return guarded([&] { return parts_.emplace_back(x), errc::ok; });
    }
    errc string_part(text t) {
        return guarded([&] {
            string s;
            const errc code = to_string(t, s);
            if (code == errc::ok) parts_.emplace_back(std::move(s));
            return code;
        });
    }

    /// The standard library throws where the engine returns.
    template <class F>
    errc guarded(F work) {
        try {
            const errc code = work();
            return code == errc::ok ? code : ctx_.fail(code, failure::nowhere, "a string is not valid in its own encoding");
        } catch (...) {
            return ctx_.fail(errc::memory, failure::nowhere, "out of memory");
        }
    }

    context& ctx_;
    order order_;
    std::vector<value> parts_;
};
static_assert(kumihimo::builder<builder>);

}  // namespace kumihimo::inline v0::plain
