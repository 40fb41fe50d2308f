// mruby values -> values, as JSON.generate and MessagePack.pack see them: the core classes are written as they are, and
// everything else is the format's own affair.
//
//      Self (a format's walk) says            key(k, v)  symbol(s)  other(v)  odd_string(s)  not_finite(x)  boxed(n)
//      To   (engine/json/emit.hpp)            null() boolean(b) i64(n) f64(x) str(p, n) key(p, n) open(map, n) close(map)
//
// The walk recurses, to max_nesting and to what the machine stack bears. Nothing in its frames has a destructor (guard.hpp).
//
// Ruby code may run in the middle (to_json, to_s) and may change what is being walked, or let go of it. So arrays and hashes
// are looked at anew for each value, and before such code runs keep_open() puts the open containers where the collector sees
// them; a walk without it pays for a few stores per container.
#pragma once
#include <cmath>

#include "floats.hpp"
#include "layout.hpp"
#include "stack.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::mruby {

template <class Self, class To>
class walker {
public:
    /// `max_nesting` 0: no limit but the stack. `depth`: containers that are open around the value already.
    walker(mrb_state* mrb, To& to, mrb_int max_nesting, mrb_int depth = 0) noexcept
        : mrb_(mrb), to_(to), max_nesting_(max_nesting), depth_(depth) {}

    /// Most values are small integers and Strings: these are written where they are met, the rest by a call.
    [[gnu::always_inline]] void value(mrb_value v) {
        if (mrb_fixnum_p(v)) return to_.i64(mrb_fixnum(v));
        if (!mrb_immediate_p(v) && mrb_basic_ptr(v)->c == mrb_->string_class) [[likely]]
            return self().string(v);
        value_by_class(v);
    }
    [[gnu::noinline]] void value_by_class(mrb_value v) {
        if (mrb_immediate_p(v)) {
            if (mrb_nil_p(v)) return to_.null();
            if (mrb_float_p(v)) return self().real(float_of(v));
            if (mrb_true_p(v)) return to_.boolean(true);
            if (mrb_false_p(v)) return to_.boolean(false);
            if (mrb_symbol_p(v)) return self().symbol(v);
            return self().other(v);
        }
        const RClass* const c = mrb_basic_ptr(v)->c;
        if (c == mrb_->hash_class) return self().hash(v);
        if (c == mrb_->array_class) return self().array(v);
        if (mrb_integer_p(v)) return self().boxed(mrb_integer(v));
        self().other(v);
    }

    [[gnu::always_inline]] void string(mrb_value v) {
        const string_view_of s(v);
        if (!is_utf8(s.data, s.size)) [[unlikely]]
            return self().odd_string(v);
        to_.str(s.data, s.size);
    }
    void real(double x) {
        if (std::isfinite(x)) [[likely]]
            return to_.finite_f64(x);
        self().not_finite(x);
    }
    void boxed(mrb_int n) { to_.i64(n); }

    void hash(mrb_value v) {
        const RHash* const h = mrb_hash_ptr(v);
        enter();
        to_.open(true, h->size);
        if (h->size != 0) {
            if (!layout_known()) [[unlikely]]
                return pairs_asked(v);
            frame f{mrb_basic_ptr(v), top_, -1};
            top_ = &f;
            for (std::uint32_t i = 0; i < entries_used(h); ++i) {
                const hash_entry e = entries_of(h)[i];
                if (mrb_undef_p(e.key)) [[unlikely]]
                    continue;
                self().key(e.key, e.value);
                value(e.value);
            }
            leave(f);
        }
        to_.close(true);
        --depth_;
    }
    void array(mrb_value v) {
        RArray* const a = mrb_ary_ptr(v);
        enter();
        to_.open(false, static_cast<std::size_t>(ARY_LEN(a)));
        frame f{mrb_basic_ptr(v), top_, -1};
        top_ = &f;
        for (mrb_int i = 0; i < ARY_LEN(a); ++i) value(ARY_PTR(a)[i]);
        leave(f);
        to_.close(false);
        --depth_;
    }

protected:
    // An open container.
    struct frame {
        RBasic* container;
        frame* outer;
        int arena;  // the GC arena's place before the container was put there; -1: it is not there
    };

    Self& self() noexcept { return static_cast<Self&>(*this); }

    void enter() {
        if (++depth_ > max_nesting_ && max_nesting_ != 0) [[unlikely]]
            self().too_deep(depth_);
        if ((depth_ & 15) == 0) machine_stack::check(mrb_);
    }
    void leave(const frame& f) noexcept {
        top_ = f.outer;
        if (f.arena >= 0) [[unlikely]]
            mrb_gc_arena_restore(mrb_, f.arena);
    }

    /// To be called before Ruby code runs.
    void keep_open() { keep(top_); }

    mrb_state* const mrb_;
    To& to_;
    mrb_int max_nesting_;
    mrb_int depth_;
    frame* top_ = nullptr;

private:
    // The outermost first, so that each one's place can be given back when it is closed. No deeper than the walk itself.
    void keep(frame* f) {
        if (f == nullptr || f->arena >= 0) return;
        keep(f->outer);
        f->arena = mrb_gc_arena_save(mrb_);
        mrb_gc_protect(mrb_, mrb_obj_value(f->container));
    }
    // A mruby whose hashes are not known: copies of its keys and values.
    [[gnu::cold, gnu::noinline]] void pairs_asked(mrb_value v) {
        const int arena = mrb_gc_arena_save(mrb_);
        const mrb_value keys = mrb_hash_keys(mrb_, v), values = mrb_hash_values(mrb_, v);
        for (mrb_int i = 0; i < RARRAY_LEN(keys); ++i) {
            self().key(mrb_ary_entry(keys, i), mrb_ary_entry(values, i));
            value(mrb_ary_entry(values, i));
        }
        mrb_gc_arena_restore(mrb_, arena);
        to_.close(true);
        --depth_;
    }
};

}  // namespace kumihimo::inline v0::mruby
