#include "fibers.hpp"

#include <atomic>

#include "arena.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

std::atomic<mrb_func_t> stock_fiber_initialize;
mrb_value fiber_initialize(mrb_state* mrb, mrb_value self) {
    constexpr std::ptrdiff_t enough = 65536;
    auto& memory = *static_cast<arena*>(mrb->allocf_ud);
    if (memory.over_limit() && memory.on_exhausted != nullptr) memory.on_exhausted(memory.told);
    memory.spare(enough);
    const mrb_value made = stock_fiber_initialize.load(std::memory_order_relaxed)(mrb, self);
    memory.spare(-enough);
    return made;
}

}  // namespace

void guard_fibers(mrb_state* mrb) {
    RClass* const fiber = mrb_class_get(mrb, "Fiber");
    RClass* c = fiber;
    const mrb_method_t stock = mrb_method_search_vm(mrb, &c, mrb_intern_lit(mrb, "initialize"));
    if (!MRB_METHOD_CFUNC_P(stock)) return;
    stock_fiber_initialize.store(MRB_METHOD_CFUNC(stock), std::memory_order_relaxed);
    mrb_define_method(mrb, fiber, "initialize", fiber_initialize, MRB_ARGS_NONE() | MRB_ARGS_BLOCK());
}

}  // namespace kumihimo::inline v0::mruby
