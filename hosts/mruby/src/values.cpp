#include "values.hpp"

namespace kumihimo::inline v0::mruby {

mrb_value boxed_integer(mrb_state* mrb, std::int64_t n) {
    const outside_arena here(mrb);
    const mrb_value made = mrb_int_value(mrb, n);
    here.restore();
    return made;
}

mrb_value integer_of(mrb_state* mrb, const char* digits, std::size_t n) {
    const outside_arena here(mrb);
    const mrb_value made = mrb_str_to_integer(mrb, mrb_str_new(mrb, digits, static_cast<mrb_int>(n)), 10, FALSE);
    here.restore();
    return made;
}

mrb_value long_array(mrb_state* mrb, const mrb_value* from, mrb_int n) {
    const outside_arena here(mrb);
    const mrb_value made = mrb_ary_new_from_values(mrb, n, from);
    here.restore();
    return made;
}

mrb_value any_hash(mrb_state* mrb, const mrb_value* pairs, mrb_int n) {
    const outside_arena here(mrb);
    const mrb_value hash = mrb_hash_new_capa(mrb, n);
    for (mrb_int i = 0; i < n; ++i) {
        if (i % 64 == 63) give_way(mrb);
        mrb_hash_set(mrb, hash, pairs[2 * i], pairs[2 * i + 1]);
    }
    here.restore();
    return hash;
}

void stop_building(mrb_state* mrb) { mrb_exc_raise(mrb, mrb_obj_value(mrb->stack_err)); }

mrb_value string_of(mrb_state* mrb, const char* p, std::size_t n, std::uint32_t flags) {
    RBasic* const s = n > static_cast<std::size_t>(RSTRING_EMBED_LEN_MAX)
                          ? take_free(mrb, MRB_TT_STRING, mrb->string_class, MRB_STR_EMBED)
                          : nullptr;
    if (s == nullptr) {
        const outside_arena here(mrb);
        const mrb_value made = mrb_str_new(mrb, p, n);
        mrb_basic_ptr(made)->flags |= flags;
        here.restore();
        return made;
    }
    // Empty until its memory is there: mruby may be out of it.
    auto* const string = reinterpret_cast<RString*>(s);
    auto* const to = static_cast<char*>(mrb_malloc(mrb, n + 1));
    std::memcpy(to, p, n);
    to[n] = '\0';
    string->flags = flags;
    string->as.heap.ptr = to;
    string->as.heap.len = string->as.heap.aux.capa = static_cast<mrb_ssize>(n);
    return object_value(string);
}

}  // namespace kumihimo::inline v0::mruby
