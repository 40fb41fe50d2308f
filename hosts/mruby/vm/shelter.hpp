// Work of the engine's that owns C++ memory and makes mruby values in the middle of it: a reader that feeds a builder.
//
//      host_section     no deadline comes through
//        reader, context, ...        with destructors
//          sheltered(mrb, [&] { ... })      mruby's own jumps (out of memory) end here
//
// This is rule 2 of src/guard.hpp with one thing more: mruby may be called inside sheltered(), since no jump leaves
// it. What runs there must not run Ruby code, which nothing could interrupt, and gets through in the time that its
// input takes.
#pragma once
#include "deadline.hpp"
#include "mruby_headers.hpp"

namespace kumihimo::inline v0::mruby {

/// Calls f. False when mruby raised in it: the exception is in `error`.
template <class F>
[[gnu::always_inline]] inline bool sheltered(mrb_state* mrb, F& f, mrb_value& error) {
    mrb_bool raised = 0;
    const mrb_value result = mrb_protect_error(
        mrb,
        [](mrb_state*, void* what) -> mrb_value {
            (*static_cast<F*>(what))();
            return mrb_nil_value();
        },
        &f, &raised);
    if (!raised) [[likely]]
        return true;
    error = result;
    return false;
}

/// No collection while it lives: what is made in between needs to be reachable only afterwards. Not to be jumped over.
///
/// By the collector's own mark for "objects are being looked at": `disabled` is a script's (GC.disable), and a VM's,
/// which takes it away in the middle of an allocation when much memory was taken.
class collector_off {
public:
    explicit collector_off(mrb_state* mrb) noexcept : mrb_(mrb), was_(mrb->gc.iterating) { mrb->gc.iterating = 1; }
    ~collector_off() { mrb_->gc.iterating = was_; }
    collector_off(const collector_off&) = delete;
    collector_off& operator=(const collector_off&) = delete;

private:
    mrb_state* mrb_;
    bool was_;
};

}  // namespace kumihimo::inline v0::mruby
