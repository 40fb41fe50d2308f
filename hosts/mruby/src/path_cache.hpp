// Compiled paths, which stay with the thread, for the next run too: they are C++ memory that holds nothing of mruby's.
// So no object of a script's needs to own them, whose end nobody would be told of (guard.hpp). Large ones are not
// kept.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/json/project.hpp"

#include "../vm/shelter.hpp"
#include "../vm/thread_specific.hpp"
#include "partial.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::mruby {

/// `Search` is what looks for their values.
template <class Search>
class path_cache {
public:
    struct compiled {
        std::string key;
        json::projection wanted;
        std::unique_ptr<Search> search;
        std::uint64_t used = 0;

        std::size_t memory() const noexcept { return key.capacity() + wanted.plan().memory() + search->memory(); }
    };

    static path_cache& here() {
        static constinit thread_local thread_specific<path_cache> one;
        return one.get();
    }

    /// The request's paths; null: ctx says why. make(projection) makes what looks for their values, for what `before`
    /// says of the documents. Throws std::bad_alloc.
    template <class Make>
    compiled* find(std::string_view before, const partial_request& r, context& ctx, Make make) {
        std::string key(before);
        std::vector<std::string_view> views;
        for (mrb_int i = 0; i < RARRAY_LEN(r.paths); ++i) {
            const string_view_of s(RARRAY_PTR(r.paths)[i]);
            views.emplace_back(s.data, s.size);
            key.append(1, ' ').append(std::to_string(s.size)).append(":").append(views.back());
        }
        key += static_cast<char>('0' + static_cast<int>(r.options.level));
        key += r.options.raw ? 'r' : '-';
        for (const auto& c : kept_)
            if (c->key == key) {
                c->used = ++now_;
                return c.get();
            }
        auto made = std::make_unique<compiled>();
        made->key = std::move(key);
        if (json::projection::compile(views, made->wanted, ctx) != errc::ok) return nullptr;
        made->search = make(made->wanted);
        made->used = ++now_;
        if (kept_.size() < most) return kept_.emplace_back(std::move(made)).get();
        auto& oldest =
            *std::min_element(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) { return a->used < b->used; });
        return (oldest = std::move(made)).get();
    }
    /// Drops them if they have become large.
    void used(const compiled* c) noexcept {
        if (c->memory() > largest) std::erase_if(kept_, [c](const auto& one) { return one.get() == c; });
    }

private:
    static constexpr std::size_t most = 32;
    static constexpr std::size_t largest = std::size_t{256} << 10;  // bytes
    std::vector<std::unique_ptr<compiled>> kept_;
    std::uint64_t now_ = 0;
};

/// Paths under work, until they are no more.
template <class Search>
struct paths_in_use {
    const typename path_cache<Search>::compiled* what;
    ~paths_in_use() {
        if (what != nullptr) path_cache<Search>::here().used(what);
    }
};

/// The values of what was found, as one Array or Hash on the builder's stack: of path i count(i), each by one(i, k),
/// which has errc::memory or another error in e. False: `out` says why, or e.
template <class Builder, class Outcome, class Count, class One>
bool partial_results(mrb_state* mrb, const partial_request& r, const json::projection& wanted, Builder& to, errc& e,
                     Outcome& out, Count found, One one) {
    const bool named = !mrb_nil_p(r.names);
    const auto here = [&](auto&& f) { return sheltered(mrb, f, out.error); };
    auto absent = [&] { e = to.object(r.options.missing); };
    if (!here([&] { e = named ? to.map(count{}) : to.array(count{}); })) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::size_t n = found(i);
        const bool wild = wanted.wild(i);
        if (named && !here([&] { to.object(RARRAY_PTR(r.names)[i]); })) return false;
        if (wild && !here([&] { to.array(count{}); })) return false;
        if (!wild && n == 0 && !here(absent)) return false;
        for (std::size_t k = 0; k < n; ++k)
            if (!one(i, k, absent) || e != errc::ok) return false;
        if (wild && !here([&] { to.end(); })) return false;
    }
    return here([&] {
        e = to.end();
        if (e == errc::ok) out.made = to.take();
    });
}

}  // namespace kumihimo::inline v0::mruby
