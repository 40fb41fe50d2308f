// What stands between the engine and Ruby: ruby.h without the macros that break C++ headers, the barrier for longjmp,
// and roots for the collector.
//
// Ruby leaves a function by longjmp (raise, throw, Thread#kill, Timeout, out of memory), and that runs no destructor.
// The rules:
//
//      1  A frame that Ruby may jump across holds trivially destructible objects only. Walkers, their output and bursts are
//         such: they are written so that a jump leaks nothing (their memory is Ruby's own, or on the machine stack).
//      2  An object with a destructor lives in a frame that calls protect(), and everything that may call Ruby runs inside.
//         After protect() said that Ruby jumped, the frame lets go of its objects and calls rb_jump_tag as its last step.
//      3  No C++ exception crosses a frame of Ruby's.
//      4  VALUEs live on the machine stack (the collector looks there) or in memory that a TypedData marks; never in a
//         container on the heap alone.
#pragma once
#include <ruby.h>
// ruby.h first: the encoding headers want its macros.
#include <ruby/encoding.h>
#include <ruby/thread.h>
#include <ruby/version.h>
// Ruby makes memcpy a macro, and std::memcpy with it.
#undef memcpy

#include <type_traits>

namespace kumihimo::inline v0::ruby {

/// Runs `body()`, in which Ruby may jump. The state for rb_jump_tag; 0 when it came to its end. Costs 5 ns.
template <class F>
[[nodiscard]] inline int protect(F&& body) {
    using body_type = std::remove_reference_t<F>;
    int state = 0;
    rb_protect(
        [](VALUE self) -> VALUE {
            (*reinterpret_cast<body_type*>(self))();
            return Qnil;
        },
        reinterpret_cast<VALUE>(&body), &state);
    return state;
}

/// CLASS_OF, with the usual case inline.
[[gnu::always_inline]] inline VALUE class_of(VALUE v) { return RB_SPECIAL_CONST_P(v) ? rb_class_of(v) : RBASIC_CLASS(v); }

/// A constant of Ruby's or ours that stays for good, and where it is.
inline VALUE lasting(VALUE v) {
    rb_gc_register_mark_object(v);
    return v;
}

}  // namespace kumihimo::inline v0::ruby
