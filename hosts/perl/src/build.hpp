// Verbs -> Perl values.
//
// Everything that has arrived and is not yet inside a container lies on one stack. When a container ends, its values
// are the top of that stack and their number is known: the array or hash is made in its final size. Where a container
// began lies on the same stack, as a number that also says where the one around it began.
//
//      {"a": [1, 2], "b"       {- "a" [0 1 2            ->  end()  ->       {- "a" [1, 2] "b" ...
//
// A key lies there as Perl's shared key, or as a scalar when Perl stores it in another form: the low bits tell.
//
// Nothing here runs Perl code; a builder whose caller does (filters, THAW) is released by
// SAVEDESTRUCTOR_X(builder::release).
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "interpreter.hpp"
#include "options.hpp"
#include "values.hpp"

namespace kumihimo::inline v0::perl {

class builder {
public:
    using value = SV*;

    /// `keep_bytes`: the caller's text was not flagged UTF-8, and strings are so too unless they arrive as UTF-8.
    builder(pTHX_ context& ctx, const json_options& o, bool keep_bytes = false)
        : ctx_(ctx), o_(o), interpreter_(interpreter::here(aTHX)), begin_(first_), at_(first_), limit_(first_ + room) {
#ifdef MULTIPLICITY
        this->my_perl = aTHX;
#endif
        flagged_ = o.follows == rules::mojo && !keep_bytes;
        plain_booleans_ = o.v_true == nullptr && o.v_false == nullptr && !o.unblessed_bool;
    }
    builder(const builder&) = delete;
    builder& operator=(const builder&) = delete;

    /// The finished value, the caller's to count; null before one whole value has arrived.
    SV* take() noexcept {
        if (at_ - begin_ != 1 || open_ >= 0) return nullptr;
        return scalar(*--at_);
    }
    /// Drops what has arrived; ready for another document.
    void clear() noexcept;
    /// Drops what has arrived and the memory beside the builder. `data` is the builder.
    static void release(pTHX_ void* data) noexcept;

    errc null() { return push(new_undef(aTHX)); }
    errc boolean(bool b) {
        if (plain_booleans_) [[likely]]
            return push(new_reference(aTHX_ SvREFCNT_inc_simple_NN(interpreter_.boolean(aTHX_ b))));
        return push(other_boolean(b));
    }
    errc i64(std::int64_t n) { return push(new_integer(aTHX_ static_cast<IV>(n))); }
    errc u64(std::uint64_t n) { return push(newSVuv(static_cast<UV>(n))); }
    [[gnu::always_inline]] errc f64(double x) {
        if (whole_refused_ && x == std::trunc(x)) [[unlikely]]
            return errc::unsupported;
        return push(new_number(aTHX_ x));
    }
    // By reference: a text that the reader has just stored in two halves would be copied as one vector, and wait for
    // both stores.
    [[gnu::always_inline]] errc str(const text& t) {
        if (t.charset > encoding::utf8 || t.charset == encoding::latin1) [[unlikely]]
            return push(converted(t));
        if (t.charset == encoding::utf8 && beside(t) && has_noncharacter(t)) [[unlikely]]
            return errc::unsupported;
        if ((downgrades_ || doubts_) && t.charset == encoding::utf8) [[unlikely]]
            return push(downgrades_ ? downgraded(t) : doubted(t));
        return push(new_string(aTHX_ static_cast<const char*>(t.data), t.size, flagged_ || t.charset == encoding::utf8));
    }
    [[gnu::always_inline]] errc key(const text& t) {
        if (t.charset != encoding::ascii) [[unlikely]]
            return other_key(t);
        hash_key* const k = interpreter_.keys.get(aTHX_ static_cast<const char*>(t.data), t.size, false);
        return put(reinterpret_cast<item>(k) | shared_key);
    }
    errc key(next_value) {
        key_next_ = true;
        return errc::ok;
    }
    errc bin(bytes b) { return push(new_string(aTHX_ reinterpret_cast<const char*>(b.data()), b.size(), false)); }
    errc big(text digits);
    errc time(const instant& t);
    errc ext(int type, bytes data);

    /// From now on whole numbers that arrive as f64 are refused: what is made of them depends on how they were
    /// written.
    void refuse_whole() noexcept { whole_refused_ = true; }
    /// From now on non-characters (U+FFFE and the like) are refused in text that does not lie in the document, which
    /// has n bytes at p: such text had escapes, and whoever escapes one is warned.
    void refuse_noncharacters(const char* p, std::size_t n) noexcept {
        document_ = reinterpret_cast<std::uintptr_t>(p);
        size_ = n;
    }

    /// From now on UTF-8 is bytes that were upgraded to be read, and becomes bytes again.
    void downgrade() noexcept { downgrades_ = true; }

    /// From now on text may arrive that is not UTF-8: it becomes a string of bytes.
    void doubt() noexcept { doubts_ = true; }

    /// A ready value, counted.
    errc object(SV* sv) { return push(sv); }
    /// The value that arrived last.
    SV* last() const noexcept { return scalar(at_[-1]); }
    /// Takes the value that arrived last off again.
    SV* take_last() noexcept { return scalar(*--at_); }

    errc array(count) { return open(false); }
    errc map(count) { return open(true); }
    errc end();

private:
    using item = std::uintptr_t;
    static constexpr item shared_key = 1;  // a hash_key
    static constexpr item wide_key = 3;    // the same, beyond U+00FF
    static constexpr item scalar_key = 2;  // a scalar
    static SV* scalar(item i) noexcept { return reinterpret_cast<SV*>(i & ~item{3}); }

    [[gnu::always_inline]] errc push(SV* sv) {
        if (key_next_) [[unlikely]]
            return value_as_key(sv);
        return put(reinterpret_cast<item>(sv));
    }
    [[gnu::always_inline]] errc put(item i) {
        if (at_ == limit_) [[unlikely]]
            grow();
        *at_++ = i;
        return errc::ok;
    }
    errc open(bool map) {
        if (key_next_) [[unlikely]]
            return refuse_key();
        // Shifted past the bits that tell keys from values.
        put(static_cast<item>((open_ + 1) * 2 + map) << 2);
        open_ = at_ - begin_ - 1;
        return errc::ok;
    }
    bool beside(const text& t) const noexcept { return reinterpret_cast<std::uintptr_t>(t.data) - document_ >= size_; }
    [[gnu::cold, gnu::noinline]] static bool has_noncharacter(const text& t) noexcept;
    void drop(item* from) noexcept;
    [[gnu::cold, gnu::noinline]] void grow();
    [[gnu::noinline]] errc other_key(const text& t);
    [[gnu::cold, gnu::noinline]] errc value_as_key(SV* sv);
    [[gnu::cold, gnu::noinline]] errc refuse_key();
    [[gnu::cold, gnu::noinline]] SV* other_boolean(bool b);
    [[gnu::cold, gnu::noinline]] SV* downgraded(const text& t);
    [[gnu::cold, gnu::noinline]] SV* doubted(const text& t);
    SV* converted(const text& t);
    AV* array_of(const item* first, std::size_t n);
    // Null: a key came twice, and that is refused. The items before `repeated_` are inside the hash already.
    HV* hash_of(item* first, std::size_t n);
    [[gnu::cold, gnu::noinline]] SV* ordered_hash_of(item* first, std::size_t n);

    static constexpr std::size_t room = 512;
#ifdef MULTIPLICITY
    PerlInterpreter* my_perl;
#endif
    context& ctx_;
    const json_options& o_;
    interpreter& interpreter_;
    bool downgrades_ = false;
    bool doubts_ = false;
    bool flagged_;  // strings are flagged UTF-8 whatever they hold: Mojo::JSON
    bool whole_refused_ = false;
    bool plain_booleans_;
    bool key_next_ = false;
    item* begin_;
    item* at_;
    item* limit_;
    std::uintptr_t document_ = 0;
    std::size_t size_ = static_cast<std::size_t>(-1);  // so nothing lies beside it
    std::ptrdiff_t open_ = -1;                         // index of the innermost container's beginning, or -1
    item first_[room];
};
static_assert(kumihimo::builder<builder>);
static_assert(std::is_trivially_destructible_v<builder>);

}  // namespace kumihimo::inline v0::perl
