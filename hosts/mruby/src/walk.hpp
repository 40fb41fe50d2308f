// mruby values -> values: arrays, hashes and what is plain, for every format and every call. What is a caller's own
// affair is a rule set's, a class on top of this one:
//
//      To     an emitter (engine/core/emit.hpp)
//      Rules  generate_rules (generate.cpp)         JSON.generate
//             pack_rules     (message_pack.cpp)     MessagePack.pack
//             any_rules      (any_dump.cpp)         Kumihimo.dump, any format
//
// A rule set says what becomes of key(k, v) symbol(s) other(v) odd_string(s) not_finite(x) and which error too_deep(n)
// is. It may have a string(v), real(x) or check_length(n) of its own. `counts_stand`: the format has a count before
// the values, so a container that changes meanwhile is its error changed(class).
//
// The walk recurses, as deep as max_nesting and the machine stack allow. Nothing in its frames has a destructor
// (guard.hpp).
//
// Ruby code may run in the middle (to_json, to_s) and may change what is being walked, or let go of it. So arrays and
// hashes are looked at anew for each value, and before such code runs keep_open() puts the open containers where the
// collector sees them; a walk without it pays for a few stores per container.
#pragma once
#include <cmath>
#include <type_traits>

#include "engine/core/emit.hpp"

#include "../vm/layout.hpp"
#include "../vm/stack.hpp"
#include "floats.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::mruby {

template <class Rules, class To>
class walker {
    static_assert(emitter<To> && std::is_trivially_destructible_v<To>);

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

    void check_length(std::size_t) noexcept {}

    void hash(mrb_value v) {
        const RHash* const h = mrb_hash_ptr(v);
        const std::uint32_t n = h->size;
        enter();
        to_.open(true, n);
        if (n != 0) {
            if (!layout_known()) [[unlikely]] {
                pairs_asked(v);
            } else {
                [[maybe_unused]] std::uint32_t seen = 0;
                frame f{mrb_basic_ptr(v), top_, -1};
                top_ = &f;
                for (std::uint32_t i = 0; i < entries_used(h); ++i) {
                    const hash_entry e = entries_of(h)[i];
                    if (mrb_undef_p(e.key)) [[unlikely]]
                        continue;
                    if constexpr (Rules::counts_stand)
                        if (seen++ == n) [[unlikely]]
                            self().changed("Hash");
                    self().key(e.key, e.value);
                    value(e.value);
                }
                if constexpr (Rules::counts_stand)
                    if (seen != n || h->size != n) self().changed("Hash");
                leave(f);
            }
        }
        to_.close(true);
        --depth_;
    }
    void array(mrb_value v) {
        RArray* const a = mrb_ary_ptr(v);
        const mrb_int n = ARY_LEN(a);
        enter();
        self().check_length(static_cast<std::size_t>(n));
        to_.open(false, static_cast<std::size_t>(n));
        frame f{mrb_basic_ptr(v), top_, -1};
        top_ = &f;
        for (mrb_int i = 0; (!Rules::counts_stand || i < n) && i < ARY_LEN(a); ++i) value(ARY_PTR(a)[i]);
        if constexpr (Rules::counts_stand)
            if (ARY_LEN(a) != n) self().changed("Array");
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

    Rules& self() noexcept { return static_cast<Rules&>(*this); }

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
    // The outermost first, so that each one's place can be given back when it is closed. No deeper than the walk
    // itself.
    void keep(frame* f) {
        if (f == nullptr || f->arena >= 0) return;
        keep(f->outer);
        f->arena = mrb_gc_arena_save(mrb_);
        mrb_gc_protect(mrb_, mrb_obj_value(f->container));
    }
    // A mruby whose hashes are not known: copies of its keys and values.
    [[gnu::cold, gnu::noinline]] void pairs_asked(mrb_value v) {
        const int arena = mrb_gc_arena_save(mrb_);
        mrb_gc_protect(mrb_, v);
        const mrb_value keys = mrb_hash_keys(mrb_, v), values = mrb_hash_values(mrb_, v);
        const mrb_int n = RARRAY_LEN(keys);
        for (mrb_int i = 0; i < n; ++i) {
            self().key(mrb_ary_entry(keys, i), mrb_ary_entry(values, i));
            value(mrb_ary_entry(values, i));
        }
        if constexpr (Rules::counts_stand)
            if (mrb_hash_size(mrb_, v) != n) self().changed("Hash");
        mrb_gc_arena_restore(mrb_, arena);
    }
};

}  // namespace kumihimo::inline v0::mruby
