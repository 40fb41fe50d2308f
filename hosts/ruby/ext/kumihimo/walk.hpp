// Ruby objects -> values: the one walk over Arrays and Hashes, whatever the format. The exact core classes are written
// as they are; what a format or a library does otherwise is its rules'.
//
//      To     (where it writes)     an emitter (engine/core/emit.hpp)
//      Self   (the rules)           is_text(s)       whether a String goes out as text as it stands; odd_string(s) for the rest
//                                   key(k)           all of a pair's key
//                                   hash(h)          may hand map() another Hash
//                                   real(x) big(n) symbol(v) not_finite(x)
//                                   other(v)         everything else: subclasses, moments, the user's objects
//                                   too_deep(depth)
//                                   counted          the count that a container begins with must stay true, whatever the
//                                                    user's code does to it meanwhile: changed(class) where it does not
//
// Other threads and signals get their turn (turn.hpp) after a value or a key, never inside one, and wherever Ruby code
// is called. They may change whatever is being walked, so a walk holds no pointer into a String, an Array or a Hash
// across these.
//
// The walk recurses, as Ruby's iteration over a Hash does, as deep as `max_nesting` and Ruby's stack allow. Nothing in
// its frames has a destructor (guard.hpp, rule 1).
#pragma once
#include <cmath>

#include "engine/core/emit.hpp"
#include "errors.hpp"
#include "output.hpp"
#include "text.hpp"
#include "turn.hpp"

namespace kumihimo::inline v0::ruby {

template <class Self, class To>
class walker {
    static_assert(emitter<To>);

public:
    /// `max_nesting` 0: no limit but the stack. `depth`: containers that are open around the value already.
    walker(To& to, string_output& out, long max_nesting, long depth = 0) noexcept
        : to_(to), max_nesting_(max_nesting), depth_(depth) {
        turns_.follow(out);
    }

    /// What most values are is written where it is met, the rest by a call.
    [[gnu::always_inline]] void value(VALUE v) {
        if (!RB_SPECIAL_CONST_P(v)) {
            const VALUE klass = RBASIC_CLASS(v);
            if (klass == rb_cString) return string(v);
            if (klass == rb_cHash) return self().hash(v);
            if (klass == rb_cArray) return array(v);
        } else if (RB_FIXNUM_P(v)) {
            return to_.i64(RB_FIX2LONG(v));
        }
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
        if (RBASIC_CLASS(v) == rb_cFloat) return self().real(v);
        if (RB_TYPE_P(v, T_BIGNUM)) return self().big(v);
        if (RB_TYPE_P(v, T_SYMBOL)) return self().symbol(v);
        self().other(v);
    }

    [[gnu::always_inline]] void string(VALUE s) {
        if (!self().is_text(s)) [[unlikely]]
            return self().odd_string(s);
        to_.str(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
        RB_GC_GUARD(s);
    }
    void hash(VALUE h) { map(h); }
    void map(VALUE h) {
        const std::size_t n = RHASH_SIZE(h);
        enter();
        to_.open(true, n);
        if constexpr (Self::counted) {
            pairs p{this, 0};
            if (n != 0) rb_hash_foreach(h, &counted_pair, reinterpret_cast<VALUE>(&p));
            if (p.seen != n) [[unlikely]]
                self().changed("Hash");
        } else {
            if (n != 0) rb_hash_foreach(h, &pair, reinterpret_cast<VALUE>(this));
        }
        to_.close(true);
        --depth_;
    }
    void array(VALUE a) {
        const long n = RARRAY_LEN(a);
        enter();
        to_.open(false, static_cast<std::size_t>(n));
        // Ruby code may run in between and change the array: its length is asked each time.
        for (long i = 0; i < (Self::counted ? n : RARRAY_LEN(a)); ++i) {
            if constexpr (Self::counted)
                if (i >= RARRAY_LEN(a)) [[unlikely]]
                    self().changed("Array");
            value(RARRAY_AREF(a, i));
            turns_.turn();
        }
        if constexpr (Self::counted)
            if (RARRAY_LEN(a) != n) [[unlikely]]
                self().changed("Array");
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
    /// A value that stands for another one, at that one's place. It counts as a level, so that answers come to an end.
    void instead(VALUE v) {
        enter();
        value(v);
        --depth_;
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
    struct pairs {
        walker* owner;
        std::size_t seen;
    };
    static int counted_pair(VALUE key, VALUE v, VALUE argument) {
        pairs& p = *reinterpret_cast<pairs*>(argument);
        ++p.seen;
        return pair(key, v, reinterpret_cast<VALUE>(p.owner));
    }
};

}  // namespace kumihimo::inline v0::ruby
