// A method of mruby's that one of ours stands before, or calls whatever scripts put in its place. It is the same in
// every VM of the process.
#pragma once
#include <atomic>
#include <initializer_list>

#include "mruby_headers.hpp"

namespace kumihimo::inline v0::mruby {

class stock_method {
public:
    /// Puts `ours` where c has the method, or inherits it. False, and nothing is done, if there is none, it is not
    /// written in C, or ours stands there already.
    bool put_before(mrb_state* mrb, RClass* c, const char* name, mrb_func_t ours, mrb_aspec takes = MRB_ARGS_ANY()) {
        if (!find(mrb, c, name, ours)) return false;
        mrb_define_method(mrb, c, name, ours, takes);
        return true;
    }
    /// Remembers what c has, or inherits. False if there is none, it is not written in C, or is `ours`.
    bool find(mrb_state* mrb, RClass* c, const char* name, mrb_func_t ours = nullptr) {
        RClass* found_in = c;
        const mrb_method_t m = mrb_method_search_vm(mrb, &found_in, mrb_intern_cstr(mrb, name));
        if (MRB_METHOD_UNDEF_P(m) || !MRB_METHOD_CFUNC_P(m) || MRB_METHOD_CFUNC(m) == ours) return false;
        method_.store(MRB_METHOD_CFUNC(m), std::memory_order_relaxed);
        return true;
    }
    /// With the arguments of the call of the moment.
    mrb_value operator()(mrb_state* mrb, mrb_value self) const { return method_.load(std::memory_order_relaxed)(mrb, self); }
    /// With arguments of one's own, in a frame of its own.
    mrb_value call(mrb_state* mrb, mrb_value self, std::initializer_list<mrb_value> given) const {
        RProc* const as_block = mrb_proc_new_cfunc(mrb, method_.load(std::memory_order_relaxed));
        return mrb_yield_with_class(mrb, mrb_obj_value(as_block), static_cast<mrb_int>(given.size()), given.begin(), self,
                                    mrb_class(mrb, self));
    }

private:
    std::atomic<mrb_func_t> method_{nullptr};
};

}  // namespace kumihimo::inline v0::mruby
