// What a client sends, as values: read when a script first asks for it, and kept with the request.
#pragma once
#include "ruby.hpp"

namespace kumihimo::inline v0::apache {

/// The request's whole body as a String.
mrb_value body_of(mrb_state*, mrb_value request);

/// What parse() gives. What a client sends that cannot be parsed is its own error (400), unless the script knows
/// better.
template <class Parse>
mrb_value parsed(mrb_state* mrb, Parse parse) {
    mrb_bool failed = FALSE;
    const mrb_value value = mrb_protect_error(
        mrb, [](mrb_state*, void* work) { return (*static_cast<Parse*>(work))(); }, &parse, &failed);
    if (!failed) return value;
    exchange::of(mrb).blame(mrb_ptr(value), HTTP_BAD_REQUEST);
    mrb_exc_raise(mrb, value);
    __builtin_unreachable();
}

/// What make() gave the first time, kept in the object.
template <class Make>
mrb_value once(mrb_state* mrb, mrb_value self, const char* name, Make make) {
    const mrb_sym key = mrb_intern_cstr(mrb, name);
    mrb_value value = mrb_iv_get(mrb, self, key);
    if (!mrb_nil_p(value)) return value;
    value = make();
    mrb_iv_set(mrb, self, key, value);
    return value;
}

}  // namespace kumihimo::inline v0::apache
