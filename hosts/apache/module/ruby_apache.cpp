#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

using mruby::host_section;

void print(mrb_state* mrb, bool newline) {
    mrb_value said;
    mrb_get_args(mrb, "o", &said);
    said = mrb_obj_as_string(mrb, said);
    exchange& x = exchange::of(mrb);
    host_section section;
    x.append(RSTRING_PTR(said), static_cast<std::size_t>(RSTRING_LEN(said)));
    if (newline) x.append("\n", 1);
}
mrb_value rputs(mrb_state* mrb, mrb_value self) {
    print(mrb, false);
    return self;
}
mrb_value echo(mrb_state* mrb, mrb_value self) {
    print(mrb, true);
    return self;
}

}  // namespace

void define_ruby(mrb_state* mrb) {
    RClass* apache = mrb_define_module(mrb, "Apache");
    mrb_define_class_under(mrb, apache, "Error", mrb->eStandardError_class);
    mrb_define_class_method(mrb, apache, "rputs", rputs, MRB_ARGS_REQ(1));
    mrb_define_class_method(mrb, apache, "echo", echo, MRB_ARGS_REQ(1));
}

}  // namespace kumihimo::inline v0::apache
