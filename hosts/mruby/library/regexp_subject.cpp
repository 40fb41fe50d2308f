// Strings as what a pattern searches.
#include "../src/characters.hpp"
#include "native.hpp"
#include "regexp.hpp"

namespace kumihimo::inline v0::mruby {

mrb_value frozen_copy(mrb_state* mrb, mrb_value string) {
    if (mrb_frozen_p(mrb_str_ptr(string)) && mrb_obj_class(mrb, string) == mrb->string_class) return string;
    const mrb_value copy = mrb_str_dup(mrb, string);
    MRB_SET_FROZEN_FLAG(mrb_basic_ptr(copy));
    return copy;
}

// What a long string is made of takes a walk over it, and a loop of searches would be quadratic. So the last one's is
// remembered, beside a string that shares its memory: as long as that is there, mruby gives whoever changes another
// string of this memory a copy, and what lies at the address is the same. The String is frozen and has no class, so no
// script has it.
subject subject_of(mrb_state* mrb, mrb_value string) {
    if (static_cast<std::size_t>(RSTRING_LEN(string)) < long_subject) return subject(bytes_of(string));
    const mrb_sym name = mrb_intern_lit(mrb, "searched");
    const mrb_value holder = mrb_obj_value(mrb->string_class), known = mrb_iv_get(mrb, holder, name);
    if (mrb_array_p(known)) {
        const std::string_view s = bytes_of(string), whole = bytes_of(RARRAY_PTR(known)[0]);
        const auto type = static_cast<subject::kind>(mrb_integer(RARRAY_PTR(known)[1]));
        const auto at = reinterpret_cast<std::uintptr_t>(s.data()) - reinterpret_cast<std::uintptr_t>(whole.data());
        const auto divides = [&](std::size_t i) { return i == whole.size() || !is_continuation(whole[i]); };
        if (at <= whole.size() && s.size() <= whole.size() - at) {
            const bool all = s.size() == whole.size();
            if (all || type == subject::kind::ascii || (type == subject::kind::utf8 && divides(at) && divides(at + s.size())))
                return {s, type};
        }
    }
    const mrb_value same = mrb_str_dup(mrb, string);  // may move the bytes
    const subject in(bytes_of(string));
    RString* const s = mrb_str_ptr(same);
    if (RSTRING_PTR(same) != in.data || RSTR_EMBED_P(s) || RSTR_NOFREE_P(s) || mrb_frozen_p(mrb_basic_ptr(holder))) return in;
    MRB_SET_FROZEN_FLAG(s);
    const mrb_value both[] = {same, mrb_fixnum_value(static_cast<mrb_int>(in.type))};
    const mrb_value list = mrb_ary_new_from_values(mrb, 2, both);
    s->c = nullptr;
    mrb_basic_ptr(list)->c = nullptr;
    mrb_iv_set(mrb, holder, name, list);
    return in;
}

}  // namespace kumihimo::inline v0::mruby
