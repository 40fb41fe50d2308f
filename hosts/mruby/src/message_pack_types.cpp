#include "message_pack_types.hpp"

#include "errors.hpp"

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

message_pack_types message_pack_types_of(mrb_state* mrb) {
    return {class_in(mrb, "MessagePack", "Extension"), class_in(mrb, "MessagePack", "Timestamp")};
}

mrb_int integer_within(mrb_state* mrb, mrb_value v, const char* what, mrb_int least, mrb_int most) {
    if (!mrb_integer_p(v) || mrb_integer(v) < least || mrb_integer(v) > most)
        mrb_raisef(mrb, mrb_exc_get(mrb, "RangeError"), "%s is not from %i to %i", what, least, most);
    return mrb_integer(v);
}

extension_value extension_of(mrb_state* mrb, mrb_value v) {
    const mrb_value payload = second<extension_names>(mrb, v);
    return {static_cast<int>(integer_within(mrb, first<extension_names>(mrb, v), "an extension's type", -128, 127)), payload};
}

instant timestamp_of(mrb_state* mrb, mrb_value v) {
    const mrb_int seconds = integer_within(mrb, first<timestamp_names>(mrb, v), "a timestamp's sec", INT64_MIN, INT64_MAX);
    const mrb_int nano = integer_within(mrb, second<timestamp_names>(mrb, v), "a timestamp's nsec", 0, 999'999'999);
    return {.seconds = seconds, .nanoseconds = static_cast<std::uint32_t>(nano)};
}

}  // namespace kumihimo::inline v0::mruby
