// Ruby objects -> values, as JSON.generate and MessagePack see them: the exact core classes are written as they are, and
// everything else is the format's own affair.
//
//      Self (a format's walk) says            key(k)  other(v)  odd_string(s)  not_finite(v)  big(v)
//      To   (where it writes, emit.hpp)       null() boolean(b) i64(n) f64(x) str(p, n) open(map, n) close(map)
//
// Other threads and signals get their turn (turn.hpp) after a value or a key, never inside one, and wherever Ruby code is
// called. They may change whatever is being walked, so a walk holds no pointer into a String, an Array or a Hash across these.
//
// The walk recurses, as Ruby's iteration over a Hash does, to `max_nesting` and to what Ruby's stack bears. Nothing in its
// frames has a destructor (guard.hpp, rule 1).
#pragma once
#include <cmath>

#include "errors.hpp"
#include "output.hpp"
#include "text.hpp"
#include "turn.hpp"

namespace kumihimo::inline v0::ruby {

template <class Self, class To>
class walker {
public:
    /// `max_nesting` 0: no limit but the stack. `depth`: containers that are open around the value already.
    walker(To& to, string_output& out, long max_nesting, long depth = 0) noexcept
        : to_(to), max_nesting_(max_nesting), depth_(depth) {
        turns_.at(out);
    }

    /// Most values are small integers and Strings: these are written where they are met, the rest by a call.
    [[gnu::always_inline]] void value(VALUE v) {
        if (RB_FIXNUM_P(v)) return to_.i64(RB_FIX2LONG(v));
        if (!RB_SPECIAL_CONST_P(v) && RBASIC_CLASS(v) == rb_cString) [[likely]]
            return string(v);
        value_by_class(v);
    }
    [[gnu::noinline]] void value_by_class(VALUE v) {
        if (RB_SPECIAL_CONST_P(v)) {
            if (v == Qnil) return to_.null();
            if (v == Qtrue) return to_.boolean(true);
            if (v == Qfalse) return to_.boolean(false);
            if (RB_FLONUM_P(v)) return self().real(v);
            return self().symbol(v);
        }
        const VALUE klass = RBASIC_CLASS(v);
        if (klass == rb_cHash) return self().hash(v);
        if (klass == rb_cArray) return array(v);
        if (klass == rb_cFloat) return self().real(v);
        if (RB_TYPE_P(v, T_BIGNUM)) return self().big(v);
        if (RB_TYPE_P(v, T_SYMBOL)) return self().symbol(v);
        self().other(v);
    }

    [[gnu::always_inline]] void string(VALUE s) {
        if (!is_valid_utf8(s)) [[unlikely]]
            return self().odd_string(s);
        to_.str(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
        RB_GC_GUARD(s);
    }
    /// What is done with a Hash; a format may do more.
    void hash(VALUE h) { map(h); }
    void map(VALUE h) {
        enter();
        const std::size_t n = RHASH_SIZE(h);
        to_.open(true, n);
        if (n != 0) rb_hash_foreach(h, &pair, reinterpret_cast<VALUE>(this));
        to_.close(true);
        --depth_;
    }
    void array(VALUE a) {
        enter();
        to_.open(false, static_cast<std::size_t>(RARRAY_LEN(a)));
        // Ruby code may run in between and change the array: its length is asked each time.
        for (long i = 0; i < RARRAY_LEN(a); ++i) {
            value(RARRAY_AREF(a, i));
            turns_.turn();
        }
        to_.close(false);
        --depth_;
    }

    void real(VALUE v) {
        const double x = RFLOAT_VALUE(v);
        if (std::isfinite(x)) [[likely]]
            return to_.finite_f64(x);
        self().not_finite(v);
    }

protected:
    Self& self() noexcept { return static_cast<Self&>(*this); }

    void enter() {
        if (++depth_ > max_nesting_ && max_nesting_ != 0) [[unlikely]]
            self().too_deep(depth_);
        // The check costs as much as a small container, and Ruby's margin holds more than eight of them.
        if ((depth_ & 7) == 0 && ruby_stack_check()) [[unlikely]]
            rb_raise(rb_eSysStackError, "stack level too deep");
    }

    To& to_;
    long max_nesting_;
    long depth_;
    turns turns_;

private:
    static int pair(VALUE key, VALUE v, VALUE argument) {
        Self& self = *static_cast<Self*>(reinterpret_cast<walker*>(argument));
        self.key(key);
        self.value(v);
        self.turns_.turn();
        return ST_CONTINUE;
    }
};

}  // namespace kumihimo::inline v0::ruby
