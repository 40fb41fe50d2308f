// A few values out of documents of any format, by the same calls for all of them:
//
//      tape::partial<msgpack::format> p(wanted, json::level::strict, msgpack::standard_read);
//      p.run(document, ctx);
//      for (std::size_t k = 0; k != p.count(i); ++k)                      // of path i
//          if (!p.absent(i, k)) p.give(i, k, sink, ctx);
//
// The format's projector finds them, where the format has one that knows the dialect; else the document is read whole,
// onto a tape, and they are picked there. A level is what is promised at least: of a document that is read whole all
// is checked.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/core/format.hpp"
#include "engine/core/guarded.hpp"
#include "engine/core/null.hpp"
#include "engine/json/project.hpp"
#include "engine/tape/pick.hpp"

namespace kumihimo::inline v0::tape {

namespace detail {
struct no_projector {};
template <format F>
struct projector_of {
    using type = no_projector;
};
template <projecting_format F>
struct projector_of<F> {
    using type = typename F::projector;
};
}  // namespace detail

/// One document at a time, for one thread.
template <format F, class Recorder = recorder>
class partial {
public:
    using dialect = typename F::reader::dialect;
    using projector = typename detail::projector_of<F>::type;

    /// raw() is for those that are made with `raw`.
    partial(const json::projection& wanted, json::level level, const dialect& granted, bool raw = false)
        : wanted_(wanted), level_(level), granted_(granted), raw_(raw) {
        if constexpr (projecting_format<F>)
            if (projector::suits(granted, level)) projector_.emplace(wanted, level, granted);
        if (!projector_) found_.resize(wanted.size());
    }

    /// Whether documents are searched by the format's projector.
    bool projects() const noexcept { return projector_.has_value(); }
    projector& by_projector() noexcept { return *projector_; }
    const projector& by_projector() const noexcept { return *projector_; }

    /// Looks at one document, whose bytes have to stay until the next one or forget(). What is `before` comes before a
    /// Recorder's own arguments.
    template <class... A>
    errc run(bytes document, context& ctx, A&&... before) {
        document_ = document;
        if constexpr (projecting_format<F>)
            if (projector_) [[likely]] {
                KUMIHIMO_TRY(projector_->run(document, ctx));
                return raw_ && !projector::checks(granted_, level_) ? check(ctx) : errc::ok;
            }
        return pick(ctx, std::forward<A>(before)...);
    }
    /// Lets go of the last document, and of what much it needed beside a tape.
    void forget() noexcept {
        record_.reset();
        document_ = {};
        if (memory_of_places() <= kept) return;
        for (stack<cursor>& places : found_) places = stack<cursor>();
        picker_ = picker();
    }
    /// What the last document was recorded with; null where it was not.
    const Recorder* recorded() const noexcept { return record_ ? &*record_ : nullptr; }

    /// How many values path i has; without [*] one, which may be absent.
    std::size_t count(std::size_t i) const noexcept {
        if constexpr (projecting_format<F>)
            if (projector_) return projector_->values(i).size();
        return found_[i].size();
    }
    bool absent(std::size_t i, std::size_t k) const noexcept {
        if constexpr (projecting_format<F>)
            if (projector_) return projector_->values(i)[k].length == 0;
        return !found_[i][k];
    }
    /// The value's own bytes in the document.
    bytes raw(std::size_t i, std::size_t k) const noexcept {
        if constexpr (projecting_format<F>)
            if (projector_) {
                const json::slice s = projector_->values(i)[k];
                return document_.subspan(s.offset, s.length);
            }
        return found_[i][k].raw();
    }
    /// The value's verbs. errc::host where `guarded` was left before their end.
    template <sink K, class Guard = unguarded>
    errc give(std::size_t i, std::size_t k, K& to, context& ctx, Guard&& guarded = {}) {
        if constexpr (projecting_format<F>)
            if (projector_) return projector_->give(projector_->values(i)[k], to, ctx, guarded);
        player from = found_[i][k].play();
        errc code = errc::ok;
        return guarded([&] { code = from.feed(to); }) ? code : errc::host;
    }

    /// Bytes that a document may make it hold beside a tape; run() fails with errc::memory beyond. And those that it
    /// holds, for the next document too. A tape goes with forget(), and has at most 16 bytes for each byte of a
    /// document, 32 where values' own bytes are wanted.
    void limit_memory(std::size_t most) noexcept {
        if constexpr (projecting_format<F>)
            if (projector_) projector_->limit_memory(most);
        most_ = most;
    }
    std::size_t memory() const noexcept {
        if constexpr (projecting_format<F>)
            if (projector_) return projector_->memory();
        return memory_of_places();
    }

private:
    static constexpr std::size_t kept = std::size_t{64} << 10;  // bytes

    std::size_t memory_of_places() const noexcept {
        std::size_t n = picker_.memory();
        for (const stack<cursor>& places : found_) n += places.memory();
        return n;
    }

    // Whoever takes a value's bytes may rely on them, though the level did not look at them and nobody else will.
    errc check(context& ctx) requires projecting_format<F> {
        null_sink nothing;
        for (std::size_t i = 0; i != wanted_.size(); ++i)
            for (const json::slice value : projector_->values(i))
                if (value.length != 0) KUMIHIMO_TRY(projector_->give(value, nothing, ctx));
        return errc::ok;
    }
    template <class... A>
    errc pick(context& ctx, A&&... before) {
        record_.emplace(std::forward<A>(before)..., ctx, document_, raw_);
        typename F::reader from(document_, ctx, granted_);
        KUMIHIMO_TRY(from.feed(*record_));
        KUMIHIMO_TRY(record_->finish(view_));
        for (stack<cursor>& places : found_) places.clear();
        for (std::size_t i = 0; i != found_.size(); ++i) {
            const std::size_t others = memory_of_places() - found_[i].memory();
            const std::size_t most = most_ > others ? most_ - others : 0;
            KUMIHIMO_TRY(picker_.run(cursor(view_), wanted_.steps(i), found_[i], ctx, most));
        }
        return errc::ok;
    }

    json::projection wanted_;
    json::level level_;
    dialect granted_;
    bool raw_;
    bytes document_;
    std::optional<projector> projector_;
    std::optional<Recorder> record_;
    view view_;
    picker picker_;
    std::size_t most_ = static_cast<std::size_t>(-1);
    std::vector<stack<cursor>> found_;  // by path
};

/// The same for a host that learns the format when it runs. K is its builder.
template <class K, class Guard = unguarded>
class any_partial {
public:
    virtual ~any_partial() = default;
    virtual bool projects() const noexcept = 0;
    virtual errc run(bytes document, context& ctx) = 0;
    virtual void forget() noexcept = 0;
    virtual std::size_t count(std::size_t i) const noexcept = 0;
    virtual bool absent(std::size_t i, std::size_t k) const noexcept = 0;
    virtual bytes raw(std::size_t i, std::size_t k) const noexcept = 0;
    virtual errc give(std::size_t i, std::size_t k, K& to, context& ctx, Guard& guarded) = 0;
    virtual void limit_memory(std::size_t most) noexcept = 0;
    virtual std::size_t memory() const noexcept = 0;
};

template <format F, class K, class Guard = unguarded, class Recorder = recorder>
class partial_of final : public any_partial<K, Guard> {
public:
    template <class... A>
    explicit partial_of(A&&... as_partial) : it_(std::forward<A>(as_partial)...) {}
    bool projects() const noexcept override { return it_.projects(); }
    errc run(bytes document, context& ctx) override { return it_.run(document, ctx); }
    void forget() noexcept override { it_.forget(); }
    std::size_t count(std::size_t i) const noexcept override { return it_.count(i); }
    bool absent(std::size_t i, std::size_t k) const noexcept override { return it_.absent(i, k); }
    bytes raw(std::size_t i, std::size_t k) const noexcept override { return it_.raw(i, k); }
    errc give(std::size_t i, std::size_t k, K& to, context& ctx, Guard& guarded) override {
        return it_.give(i, k, to, ctx, guarded);
    }
    void limit_memory(std::size_t most) noexcept override { it_.limit_memory(most); }
    std::size_t memory() const noexcept override { return it_.memory(); }

private:
    partial<F, Recorder> it_;
};

}  // namespace kumihimo::inline v0::tape
