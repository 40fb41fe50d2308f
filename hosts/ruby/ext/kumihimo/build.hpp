// Verbs -> Ruby objects.
//
// Everything that has arrived and is not yet inside a container lies on one stack. When a container ends, its values
// are the top of that stack and their number is known: the Array or Hash is made in its final size. Where a container
// began lies on the same stack, as an Integer that also says where the one around it began.
//
//      {"a": [1, 2], "b"       {- "a" [0 1 2            ->  end()  ->       {- "a" [1, 2] "b" ...
//
// The first values lie in the builder itself, which lives on the machine stack, where the collector looks; more lie in
// memory that an object marks. Every verb may raise (memory, a caller's own class or proc, an interrupt): a builder
// holds nothing that a jump would leak, once the frame that made it calls release().
//
// Where nobody can change the input, give_way() makes it leave the work now and then to signals and other threads.
// What it makes is its clock: a value counts sixteen, as a key does, and a byte of an ordinary String one more. The
// count is looked at where a container ends, and where a long list passes the next place of the stack that `limit_`
// stops at.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "guard.hpp"
#include "long_work.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::ruby {

/// What the caller asked for. The VALUEs are the caller's to keep alive and in their place: on the machine stack, or
/// by mark().
struct build_options {
    bool symbolize = false;     // text keys become symbols
    bool freeze = false;        // everything is frozen, strings are interned
    bool unique_keys = false;   // a key that comes twice in a map is errc::duplicate
    VALUE decimal = 0;          // the receiver that makes a number out of its digits, or 0: Float
    ID decimal_method = 0;      // what it is sent
    VALUE object_class = Qnil;  // made by new and filled by []=, instead of Hash
    VALUE array_class = Qnil;   // made by new and filled by <<, instead of Array
    VALUE on_load = Qnil;       // called with each value; what it returns takes the place
    bool additions = false;     // a map with the key create_id becomes what that class makes of it
    VALUE create_id = Qnil;     // String
    VALUE match_string = Qnil;  // Hash: a string that matches a key becomes what that class makes of it

    /// Whether code of the user's runs while values arrive.
    bool calls() const noexcept {
        return decimal != 0 || !NIL_P(object_class) || !NIL_P(array_class) || !NIL_P(on_load) || additions;
    }
    /// For options inside an object. That it keeps the Hash they came from is not enough: compaction moves what a Hash
    /// refers to.
    void mark() const;
};

class builder {
public:
    using value = VALUE;

    /// `options` must outlive the builder.
    builder(context& ctx, const build_options& options)
        : ctx_(ctx),
          keys_(key_cache::here()),
          options_(options),
          plain_(!options.freeze && NIL_P(options.on_load) && !options.additions),
          begin_(first_),
          at_(first_),
          limit_(first_ + room),
          end_(limit_) {}
    builder(const builder&) = delete;
    builder& operator=(const builder&) = delete;

    /// The finished object; Qundef before one whole value has arrived.
    VALUE take() noexcept {
        if (at_ - begin_ != 1 || open_ >= 0) return Qundef;
        return *--at_;
    }
    /// Drops what has arrived; ready for another document.
    void clear() noexcept {
        at_ = begin_;
        open_ = -1;
    }
    /// Lets go of what lies beside the builder, and wipes the stack: the collector looks at dead frames too, and would
    /// keep (and mark, and count as old) most of a document long after its last use. To be called by whoever made it,
    /// also after a jump.
    void release() noexcept;

    /// From now on signals and other threads get their turn. Only where nobody can change what is being read.
    void give_way() noexcept {
        interruptible_ = true;
        limit_ = at_ + stop;
    }

    /// Text that says utf8 may be wrong from here on: Strings will find out themselves.
    void distrust() noexcept { utf8_range_ = RUBY_ENC_CODERANGE_UNKNOWN; }
    /// After errc::duplicate: the key.
    VALUE repeated() const noexcept { return repeated_; }

    errc null() { return push(Qnil); }
    errc boolean(bool b) { return push(b ? Qtrue : Qfalse); }
    errc i64(std::int64_t n) { return push(FIXABLE(n) ? LONG2FIX(static_cast<long>(n)) : LL2NUM(n)); }
    errc u64(std::uint64_t n) { return push(ULL2NUM(n)); }
    errc f64(double x) { return push(rb_float_new(x)); }
    [[gnu::always_inline]] errc str(text t) {
        if (!plain_) [[unlikely]]
            return push(other_string(t));
        left_ -= static_cast<std::int64_t>(t.size);  // looked at by end() and grow()
        if (t.charset == encoding::ascii) [[likely]]
            return push(utf8_string(static_cast<const char*>(t.data), t.size, RUBY_ENC_CODERANGE_7BIT));
        return push(t.charset == encoding::utf8 ? utf8_string(static_cast<const char*>(t.data), t.size, utf8_range_)
                                                : converted_string(t));
    }
    [[gnu::always_inline]] errc key(text t) {
        if (t.charset != encoding::ascii && t.charset != encoding::utf8) [[unlikely]]
            return push(key_of(t));
        const char* const p = static_cast<const char*>(t.data);
        return push(options_.symbolize ? keys_.symbol(p, t.size) : keys_.string(p, t.size));
    }
    errc key(next_value) { return errc::ok; }
    errc bin(bytes b) { return push(rb_str_new(reinterpret_cast<const char*>(b.data()), static_cast<long>(b.size()))); }
    errc big(text digits);
    errc time(const instant& t);
    errc ext(int type, bytes data);

    /// An object that a format makes itself.
    errc object(VALUE v) { return push(v); }

    errc array(count) { return open(false); }
    errc map(count) { return open(true); }
    errc end() {
        if (at_ > highest_) highest_ = at_;
        VALUE* const first = begin_ + open_ + 1;
        const long mark = FIX2LONG(begin_[open_]);
        const long n = at_ - first;
        VALUE made;
        if ((mark & 1) == 0) {
            made = NIL_P(options_.array_class) ? rb_ary_new_from_values(n, first) : other_array(first, n);
        } else if (NIL_P(options_.object_class)) [[likely]] {
            made = hash_of(first, n);
            if (options_.unique_keys && static_cast<long>(RHASH_SIZE(made)) * 2 != n) [[unlikely]]
                return refuse_repeated(first, n);
        } else {
            made = other_object(first, n);
        }
        if ((mark & 1) != 0 && options_.additions) [[unlikely]]
            made = addition_of(made);
        at_ = first - 1;
        open_ = mark >> 1;
        if ((left_ -= (n + 1) * 16) < 0) [[unlikely]]
            take_turn();
        const errc e = push(made);
        RB_GC_GUARD(made);
        return e;
    }

private:
    [[gnu::always_inline]] errc push(VALUE v) {
        if (!plain_) [[unlikely]]
            v = finished(v);
        return put(v);
    }
    [[gnu::always_inline]] errc put(VALUE v) {
        if (at_ == limit_) [[unlikely]]
            grow(v);
        *at_++ = v;
        return errc::ok;
    }
    errc open(bool map) {
        put(LONG2FIX(open_ * 2 + map));
        open_ = at_ - begin_ - 1;
        return errc::ok;
    }
    [[gnu::always_inline]] static VALUE hash_of(const VALUE* first, long n) {
#ifdef HAVE_RB_HASH_NEW_CAPA
        const VALUE made = rb_hash_new_capa(n / 2);
#else
        const VALUE made = rb_hash_new();
#endif
        rb_hash_bulk_insert(n, first, made);
        return made;
    }

    void wipe() noexcept;
    [[gnu::cold, gnu::noinline]] void take_turn();
    [[gnu::cold, gnu::noinline]] void grow(VALUE& arriving);
    void grow_memory();
    [[gnu::noinline]] VALUE other_string(const text& t);
    [[gnu::noinline]] VALUE finished(VALUE v);
    [[gnu::noinline]] VALUE other_array(const VALUE* first, long n);
    [[gnu::noinline]] VALUE other_object(const VALUE* first, long n);
    [[gnu::noinline]] VALUE addition_of(VALUE object);
    [[gnu::cold, gnu::noinline]] errc refuse_repeated(const VALUE* first, long n);

    static constexpr std::size_t room = 512;
    static constexpr std::ptrdiff_t stop = 64;  // values of a long list between two looks at the count
    context& ctx_;
    key_cache& keys_;
    const build_options& options_;
    bool plain_;  // a value is on its place as soon as it is made
    VALUE utf8_range_ = RUBY_ENC_CODERANGE_VALID;
    VALUE* begin_;
    VALUE* at_;
    VALUE* limit_;
    VALUE* end_;                   // of the memory; limit_ lies before it while give_way() counts
    VALUE* highest_ = first_ + 1;  // behind the highest place of first_ that was used
    bool interruptible_ = false;
    std::int64_t left_ = units_per_turn;  // until the next turn
    long open_ = -1;                      // index of the innermost container's beginning, or -1
    VALUE beside_ = Qnil;                 // the object that marks [begin_, at_) when they are not first_
    VALUE repeated_ = Qnil;
    VALUE first_[room];
};
static_assert(kumihimo::builder<builder>);
static_assert(std::is_trivially_destructible_v<builder>);

}  // namespace kumihimo::inline v0::ruby
