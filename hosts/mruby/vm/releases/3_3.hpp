// mruby 3.3, as in Debian 13: what its headers do not say. ../probe.cpp looks whether the library that is there is
// like this.
#pragma once

extern "C" {
// Of <mruby/internal.h>, which does not compile as C++; 3.1 has them in the headers that it shows.
mrb_value mrb_str_byte_subseq(mrb_state*, mrb_value string, mrb_int begin, mrb_int size);
mrb_int mrb_proc_arity(const RProc*);
}

namespace kumihimo::inline v0::mruby::release {

struct heap_page {
    RBasic* freelist;
    heap_page* next;
    heap_page* free_next;
    mrb_bool old : 1;
};
inline void* first_object(heap_page* page) noexcept { return page + 1; }

/// What the class Random keeps its own generator as.
inline constexpr char default_random[] = "mruby_Random";

/// Ends what the top level's frame has shared with closures.
inline void close_environment(mrb_state* mrb, mrb_callinfo* top) {
    if (top->u.env != nullptr && top->u.env->tt == MRB_TT_ENV) mrb_gc_protect(mrb, mrb_obj_value(top->u.env));
    mrb_vm_ci_env_clear(mrb, top);
    top->u.target_class = mrb->object_class;
}

/// mruby frees the messages of the two errors that it makes beforehand with the first garbage, and goes on to name
/// them.
inline void renew_errors(mrb_state* mrb) {
    const auto made = [mrb](const char* of_class, const char* message) {
        const mrb_value text = mrb_str_new_cstr(mrb, message);
        const mrb_value error = mrb_exc_new_str(mrb, mrb_class_get(mrb, of_class), text);
        mrb_gc_register(mrb, text);
        mrb_gc_register(mrb, error);
        return mrb_obj_ptr(error);
    };
    mrb->stack_err = made("SystemStackError", "stack level too deep");
    mrb->nomem_err = made("NoMemoryError", "Out of memory");
}

}  // namespace kumihimo::inline v0::mruby::release
