// A method of mruby's that one of ours stands before, and may call. It is the same in every VM of the process.
#pragma once
#include <atomic>

#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

class stock_method {
public:
    /// Puts `ours` where c has the method, or inherits it. False, and nothing is done, if there is none, it is not written in
    /// C, or ours stands there already.
    bool put_before(mrb_state* mrb, RClass* c, const char* name, mrb_func_t ours, mrb_aspec takes = MRB_ARGS_ANY()) {
        RClass* found_in = c;
        const mrb_method_t m = mrb_method_search_vm(mrb, &found_in, mrb_intern_cstr(mrb, name));
        if (MRB_METHOD_UNDEF_P(m) || !MRB_METHOD_CFUNC_P(m) || MRB_METHOD_CFUNC(m) == ours) return false;
        method_.store(MRB_METHOD_CFUNC(m), std::memory_order_relaxed);
        mrb_define_method(mrb, c, name, ours, takes);
        return true;
    }
    /// With the arguments of the call of the moment.
    mrb_value operator()(mrb_state* mrb, mrb_value self) const { return method_.load(std::memory_order_relaxed)(mrb, self); }

private:
    std::atomic<mrb_func_t> method_{nullptr};
};

}  // namespace kumihimo::inline v0::mruby
