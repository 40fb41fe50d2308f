// Options by name, as the last argument of a native has them.
#pragma once
#include <string_view>

#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

/// Calls one(name, value) for each option of a Hash, or for none of nil. ArgumentError for those that it answers with
/// false.
template <class F>
void each_option(mrb_state* mrb, mrb_value given, F one) {
    if (mrb_nil_p(given)) return;
    if (!mrb_hash_p(given)) mrb_raisef(mrb, E_TYPE_ERROR, "can't convert %C into Hash", mrb_obj_class(mrb, given));
    const mrb_value keys = mrb_hash_keys(mrb, given);
    for (mrb_int i = 0; i < RARRAY_LEN(keys); ++i) {
        const mrb_value key = RARRAY_PTR(keys)[i];
        mrb_int n = 0;
        const char* const name = mrb_symbol_p(key) ? mrb_sym_name_len(mrb, mrb_symbol(key), &n) : "";
        char copy[32];
        const std::size_t size = static_cast<std::size_t>(n) < sizeof copy ? static_cast<std::size_t>(n) : 0;
        std::memcpy(copy, name, size);  // the name of a short Symbol lives only until the next one is asked for
        if (!one(std::string_view(copy, size), mrb_hash_get(mrb, given, key)))
            mrb_raisef(mrb, E_ARGUMENT_ERROR, "unknown keyword: %v", key);
    }
}

/// max_nesting: nil and false are no limit, 0.
inline mrb_int nesting_of(mrb_state* mrb, mrb_value v) {
    const mrb_int n = mrb_test(v) ? mrb_as_int(mrb, v) : 0;
    if (n < 0) mrb_raisef(mrb, E_ARGUMENT_ERROR, "max_nesting is not negative: %i", n);
    return n;
}

}  // namespace kumihimo::inline v0::mruby
