#include "message_pack_types.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

struct names {
    const char* first;
    const char* second;
};
constexpr names extension_names{"@type", "@payload"}, timestamp_names{"@sec", "@nsec"};

template <const names& Names>
mrb_value initialize(mrb_state* mrb, mrb_value self) {
    mrb_value a, b = mrb_fixnum_value(0);
    mrb_get_args(mrb, "o|o", &a, &b);
    mrb_iv_set(mrb, self, mrb_intern_cstr(mrb, Names.first), a);
    mrb_iv_set(mrb, self, mrb_intern_cstr(mrb, Names.second), b);
    return self;
}
template <const names& Names>
mrb_value first(mrb_state* mrb, mrb_value self) {
    return mrb_iv_get(mrb, self, mrb_intern_cstr(mrb, Names.first));
}
template <const names& Names>
mrb_value second(mrb_state* mrb, mrb_value self) {
    return mrb_iv_get(mrb, self, mrb_intern_cstr(mrb, Names.second));
}
template <const names& Names>
mrb_value equal(mrb_state* mrb, mrb_value self) {
    mrb_value other;
    mrb_get_args(mrb, "o", &other);
    if (mrb_immediate_p(other) || mrb_obj_class(mrb, other) != mrb_obj_class(mrb, self)) return mrb_false_value();
    return mrb_bool_value(mrb_equal(mrb, first<Names>(mrb, self), first<Names>(mrb, other)) &&
                          mrb_equal(mrb, second<Names>(mrb, self), second<Names>(mrb, other)));
}
template <const names& Names>
RClass* define_pair(mrb_state* mrb, RClass* in, const char* name) {
    RClass* const c = mrb_define_class_under(mrb, in, name, mrb->object_class);
    mrb_define_method(mrb, c, "initialize", initialize<Names>, MRB_ARGS_ARG(1, 1));
    mrb_define_method(mrb, c, Names.first + 1, first<Names>, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, Names.second + 1, second<Names>, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "==", equal<Names>, MRB_ARGS_REQ(1));
    return c;
}

}  // namespace

message_pack_types define_message_pack_types(mrb_state* mrb, RClass* module) {
    return {define_pair<extension_names>(mrb, module, "Extension"), define_pair<timestamp_names>(mrb, module, "Timestamp")};
}

}  // namespace kumihimo::inline v0::mruby
