// mruby 3.1, as in Debian 12: what its headers do not say. ../probe.cpp looks whether the library that is there is
// like this.
//
// A page of the heap shows in its headers here. What the list of values that C code holds is taken for, see
// ../allocate.cpp.
#pragma once

namespace kumihimo::inline v0::mruby::release {

using heap_page = mrb_heap_page;
inline void* first_object(heap_page* page) noexcept { return page->objects; }

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
