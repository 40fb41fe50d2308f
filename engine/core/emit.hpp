// Verbs that do not return a code, for hosts where everything fails by a longjmp (Ruby, Perl, mruby): where a sink's
// verb returns a code, these raise at once, in the host's own way. A walk over host objects then needs no code to pass
// on, and its frames hold nothing that a jump would leave behind.
//
//      a format with a burst    emit_burst<Burst, Writer, Out, Raise>    straight into the host's own string
//      any sink                 emit_sink<Sink, Raise>                   a writer of any dialect, the trace sink, the tape
//
// Out is an output (core/buffer.hpp) of the host's. Raise(code, sentence) does not return; the sentence is a constant.
// Where Out's own reserve() raises, too, Out says where a writer's levels lie (memory_of, core/stack.hpp): the writer
// then has no destructor, and the first few levels, more than a verb aside ever opens, lie in the JSON writer itself.
//
// The walker answers for what a burst's source answers for: the order of values, keys and ends, counts, depth, and
// that str() and key() get valid UTF-8. Text that may be broken goes through unchecked_str() and unchecked_key(): the
// writer's dialect says what becomes of it.
#pragma once
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/core/burst.hpp"
#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"

namespace kumihimo::inline v0 {

/// The fourteen verbs as a walker of such a host calls them. open(true, n) is a map of n pairs, open(false, n) an
/// array of n values; close() gets the same bool.
template <class E>
concept emitter = requires(E e, const char* s, std::size_t n, const instant& t) {
    { e.null() } -> std::same_as<void>;
    { e.boolean(true) } -> std::same_as<void>;
    { e.i64(std::int64_t{}) } -> std::same_as<void>;
    { e.u64(std::uint64_t{}) } -> std::same_as<void>;
    { e.f64(double{}) } -> std::same_as<void>;
    { e.finite_f64(double{}) } -> std::same_as<void>;  // f64 of a walker that knows it to be so
    { e.big(s, n) } -> std::same_as<void>;
    { e.str(s, n) } -> std::same_as<void>;
    { e.unchecked_str(s, n) } -> std::same_as<void>;
    { e.bin(s, n) } -> std::same_as<void>;
    { e.time(t) } -> std::same_as<void>;
    { e.ext(int{}, s, n) } -> std::same_as<void>;
    { e.key(s, n) } -> std::same_as<void>;
    { e.unchecked_key(s, n) } -> std::same_as<void>;
    { e.key(next_value{}) } -> std::same_as<void>;
    { e.open(true, n) } -> std::same_as<void>;
    { e.close(true) } -> std::same_as<void>;
    { e.finish() } -> std::same_as<void>;
};

/// A walk of such a host, W, over its values V: value() hands one of them to an emitter of any format. A jump may
/// leave it.
template <class W, class E, class V>
concept emitting_walker = emitter<E> && std::is_trivially_destructible_v<W> && requires(W w, V v) {
    { w.value(v) } -> std::same_as<void>;
};

namespace detail {
inline bytes as_bytes(const char* s, std::size_t n) noexcept { return {reinterpret_cast<const unsigned char*>(s), n}; }
}  // namespace detail

/// An emitter over a format's burst. What the burst has no verb for, or says no to, goes aside: a writer of the same
/// dialect takes that one verb behind the burst's bytes. Trivially destructible, if Burst is.
template <class Burst, class Writer, output Out, auto Raise>
class emit_burst {
public:
    using dialect = typename Writer::dialect;

    /// `dialect` must outlive the emitter, and Burst must suit it.
    emit_burst(Out& out, const dialect& dialect) : out_(out), dialect_(dialect), b_(out, dialect) {}

    void null() {
        if (!b_.null()) [[unlikely]]
            aside([](Writer& to) { return to.null(); });
    }
    void boolean(bool v) {
        if (!b_.boolean(v)) [[unlikely]]
            aside([v](Writer& to) { return to.boolean(v); });
    }
    void i64(std::int64_t n) {
        if (!b_.i64(n)) [[unlikely]]
            aside([n](Writer& to) { return to.i64(n); });
    }
    void u64(std::uint64_t n) {
        if constexpr (requires(Burst b) { b.u64(n); }) {
            if (b_.u64(n)) [[likely]]
                return;
        }
        aside([n](Writer& to) { return n <= INT64_MAX ? to.i64(static_cast<std::int64_t>(n)) : to.u64(n); });
    }
    /// A double that is not finite becomes what the dialect says.
    void f64(double x) {
        if (!Burst::any_double && !std::isfinite(x)) [[unlikely]]
            return aside([x](Writer& to) { return to.f64(x); });
        finite_f64(x);
    }
    void finite_f64(double x) {
        if (!b_.f64(x)) [[unlikely]]
            aside([x](Writer& to) { return to.f64(x); });
    }
    void big(const char* s, std::size_t n) {
        aside([=](Writer& to) { return to.big(text(s, n, encoding::ascii)); });
    }
    void str(const char* s, std::size_t n) {
        if (!b_.str(s, n)) [[unlikely]]
            unchecked_str(s, n);
    }
    void unchecked_str(const char* s, std::size_t n) {
        aside([=](Writer& to) { return to.str(text(s, n, encoding::utf8)); });
    }
    void bin(const char* s, std::size_t n) {
        if constexpr (requires(Burst b) { b.bin(s, n); }) {
            if (b_.bin(s, n)) [[likely]]
                return;
        }
        aside([=](Writer& to) { return to.bin(detail::as_bytes(s, n)); });
    }
    void time(const instant& t) {
        if constexpr (requires(Burst b) { b.time(t); }) {
            if (b_.time(t)) [[likely]]
                return;
        }
        aside([&t](Writer& to) { return to.time(t); });
    }
    void ext(int type, const char* s, std::size_t n) {
        if constexpr (requires(Burst b) { b.ext(type, s, n); }) {
            if (type >= INT8_MIN && type <= INT8_MAX && b_.ext(type, s, n)) [[likely]]
                return;
        }
        aside([=](Writer& to) { return to.ext(type, detail::as_bytes(s, n)); });
    }
    void key(const char* s, std::size_t n) {
        if (!b_.key(s, n)) [[unlikely]]
            unchecked_key(s, n);
    }
    void unchecked_key(const char* s, std::size_t n) {
        aside<true>([=](Writer& to) { return to.key(text(s, n, encoding::utf8)); });
    }
    /// The next value is the key. Where keys are spelled otherwise than values the burst is suspended, so that the
    /// value's verb is refused and comes aside; the others pay nothing for it.
    void key(next_value) {
        if constexpr (!Burst::keys_are_values) {
            b_.suspend();
            naming_ = true;
        }
    }
    [[gnu::always_inline]] void open(bool map, std::size_t n) {
        if (!b_.open(map, n)) [[unlikely]]
            refused_open(map, n);
    }
    [[gnu::always_inline]] void close(bool map) {
        if (!b_.close(map)) [[unlikely]]
            aside([](Writer&) { return errc::memory; });
    }
    /// The document is whole. What stands behind its last value goes as well.
    void finish() {
        look_for_loss();
        b_.stop();
        if constexpr (Burst::trailing != 0) out_.commit(const_cast<char*>(out_.data()) + (out_.size() - Burst::trailing));
    }

protected:
    /// Whether what stands behind a value depends on where it is (json/laid_out_burst.hpp): such a burst is told of
    /// values that a writer has written, and opens containers itself.
    static constexpr bool counts_levels = requires(Burst b) { b.value_aside(); };

    void look_for_loss() {
        if constexpr (counts_levels)
            if (b_.lost()) [[unlikely]]
                Raise(errc::memory, "out of memory");
    }
    /// One verb by a writer. Its memory and its context are gone before Raise is called.
    template <bool Key = false, class F>
    [[gnu::cold, gnu::noinline]] void aside(F send) {
        look_for_loss();
        const char* what = "out of memory";
        if (!naming_) b_.stop();
        const errc code = sent<Key>(send, what);
        const bool named = Key || naming_;
        naming_ = false;
        if (code != errc::ok) Raise(code, what);
        b_.resume();
        if constexpr (counts_levels)
            if (!named) b_.value_aside();
    }
    [[gnu::cold, gnu::noinline]] void refused_open(bool map, std::size_t n) {
        if constexpr (counts_levels) Raise(errc::memory, "out of memory");
        aside([=](Writer& to) {
            return map ? to.map({static_cast<std::int64_t>(n)}) : to.array({static_cast<std::int64_t>(n)});
        });
    }

    Out& out_;
    const dialect& dialect_;
    Burst b_;

private:
    template <bool Key, class F>
    errc sent(F& send, const char*& what) {
        context_room room;
        context& ctx = room.make();
        Writer one(out_, ctx, dialect_);
        if (Key || naming_) one.begin_key();
        errc code = naming_ ? one.key(next_value{}) : errc::ok;
        if (code == errc::ok) code = send(one);
        if (ctx.failure.code != errc::ok) what = ctx.failure.what;
        return code;
    }

    bool naming_ = false;
};

/// An emitter over any sink. A sink with a destructor lives outside the host's barrier against jumps, this inside.
template <sink Sink, auto Raise>
class emit_sink {
public:
    emit_sink(Sink& to, const context& ctx) : to_(to), ctx_(ctx) {}

    void null() { sure(to_.null()); }
    void boolean(bool b) { sure(to_.boolean(b)); }
    void i64(std::int64_t n) { sure(to_.i64(n)); }
    void u64(std::uint64_t n) { sure(n <= INT64_MAX ? to_.i64(static_cast<std::int64_t>(n)) : to_.u64(n)); }
    void f64(double x) { sure(to_.f64(x)); }
    void finite_f64(double x) { sure(to_.f64(x)); }
    void big(const char* s, std::size_t n) { sure(to_.big(text(s, n, encoding::ascii))); }
    void str(const char* s, std::size_t n) { sure(to_.str(text(s, n, encoding::utf8))); }
    void unchecked_str(const char* s, std::size_t n) { str(s, n); }
    void bin(const char* s, std::size_t n) { sure(to_.bin(detail::as_bytes(s, n))); }
    void time(const instant& t) { sure(to_.time(t)); }
    void ext(int type, const char* s, std::size_t n) { sure(to_.ext(type, detail::as_bytes(s, n))); }
    void key(const char* s, std::size_t n) { sure(to_.key(text(s, n, encoding::utf8))); }
    void unchecked_key(const char* s, std::size_t n) { key(s, n); }
    void key(next_value v) { sure(to_.key(v)); }
    void open(bool map, std::size_t n) {
        const count counted{static_cast<std::int64_t>(n)};
        sure(map ? to_.map(counted) : to_.array(counted));
    }
    void close(bool) { sure(to_.end()); }
    void finish() {
        if constexpr (writer<Sink>) {
            bytes document;
            sure(to_.finish(document));
        }
    }

protected:
    void sure(errc e) {
        if (e != errc::ok) [[unlikely]]
            Raise(e, ctx_.failure.code == errc::ok ? name(e) : ctx_.failure.what);
    }

    Sink& to_;
    const context& ctx_;
};

}  // namespace kumihimo::inline v0
