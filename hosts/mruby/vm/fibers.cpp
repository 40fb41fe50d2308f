#include "fibers.hpp"

#include "arena.hpp"
#include "stock_method.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

stock_method stock_fiber_initialize;
mrb_value fiber_initialize(mrb_state* mrb, mrb_value self) {
    constexpr std::ptrdiff_t enough = 65536;
    auto& memory = *static_cast<arena*>(mrb->allocf_ud);
    if (memory.over_limit() && memory.on_exhausted != nullptr) memory.on_exhausted(memory.told);
    memory.spare(enough);
    const mrb_value made = stock_fiber_initialize(mrb, self);
    memory.spare(-enough);
    return made;
}

}  // namespace

void guard_fibers(mrb_state* mrb) {
    stock_fiber_initialize.put_before(mrb, mrb_class_get(mrb, "Fiber"), "initialize", fiber_initialize,
                                      MRB_ARGS_NONE() | MRB_ARGS_BLOCK());
}

}  // namespace kumihimo::inline v0::mruby
