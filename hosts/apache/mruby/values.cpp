#include "values.hpp"

namespace kumihimo::inline v0::mruby {

mrb_value string_of(mrb_state* mrb, const char* p, std::size_t n, std::uint32_t flags) {
    RBasic* const s = n > static_cast<std::size_t>(RSTRING_EMBED_LEN_MAX)
                          ? take_free(mrb, MRB_TT_STRING, mrb->string_class, MRB_STR_EMBED)
                          : nullptr;
    if (s == nullptr) {
        const mrb_value made = mrb_str_new(mrb, p, n);
        mrb_basic_ptr(made)->flags |= flags;
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
