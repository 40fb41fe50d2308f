// Work of a native that owns memory of C++'s.
#pragma once
#include <new>

#include "../vm/shelter.hpp"
#include "native.hpp"

namespace kumihimo::inline v0::mruby {

/// Does the work in a host_section, and makes a value of what it has, which no jump leaves: make(f) is called in it, f
/// makes the value. Undefined if there is none. Where there is no memory, a NoMemoryError is raised.
template <class Work>
[[gnu::noinline]] mrb_value with_memory(mrb_state* mrb, Work work) {
    mrb_value made = mrb_undef_value(), error = mrb_nil_value();
    {
        host_section section;
        try {
            work([&](auto f) {
                auto one = [&] { made = f(); };
                sheltered(mrb, one, error);
            });
        } catch (const std::bad_alloc&) {
            error = mrb_obj_value(mrb->nomem_err);
        }
    }
    if (!mrb_nil_p(error)) raise(mrb, error);
    return mrb_undef_p(made) ? made : kept(mrb, made);
}

}  // namespace kumihimo::inline v0::mruby
