// mruby 3.1, as in Debian 12: what its headers do not say. ../probe.cpp looks whether the library that is there is like this.
//
// A page of the heap shows in its headers here. What the list of values that C code holds is taken for, see ../allocate.cpp.
#pragma once

extern "C" {
// What mruby's own send and instance_eval end with: the frame of the native that returns its result becomes the method's. Of a
// native that the interpreter has called (callinfo's cci is 0), with the frame's arguments.
mrb_value mrb_exec_irep(mrb_state*, mrb_value self, RProc*);
}

namespace kumihimo::inline v0::mruby::release {

using heap_page = mrb_heap_page;
inline void* first_object(heap_page* page) noexcept { return page->objects; }

/// Of what a Time keeps besides its seconds.
inline std::int64_t nanoseconds_of(std::int64_t fraction) noexcept { return fraction * 1000; }

/// What the class Random keeps its own generator as.
inline constexpr char default_random[] = "DEFAULT";

/// Ends what the top level's frame has shared with closures.
inline void close_environment(mrb_state* mrb, mrb_callinfo* top) {
    REnv* const env = top->u.env;
    top->u.target_class = mrb->object_class;
    if (env == nullptr || env->tt != MRB_TT_ENV) return;
    mrb_gc_protect(mrb, mrb_obj_value(env));
    mrb_env_unshare(mrb, env);
}

inline void renew_errors(mrb_state*) noexcept {}

}  // namespace kumihimo::inline v0::mruby::release
