// How much of the calling thread's machine stack is left: walks over a script's objects recurse.
#pragma once
#include <cstddef>

#include "mruby_headers.hpp"

namespace kumihimo::inline v0::mruby {

class machine_stack {
public:
    /// Whether there is room for some more frames and for what they call, and for `more` bytes beside.
    static bool has_room(std::size_t more = 0) noexcept;
    /// SystemStackError where there is none.
    static void check(mrb_state* mrb) {
        if (!has_room()) [[unlikely]]
            mrb_exc_raise(mrb, mrb_obj_value(mrb->stack_err));
    }
};

}  // namespace kumihimo::inline v0::mruby
