#include "module.hpp"

namespace kumihimo::inline v0::mruby {

void define_module(mrb_state* mrb) {
    release::renew_errors(mrb);
    define_json(mrb);
    define_message_pack(mrb);
    define_any_format(mrb);
}

}  // namespace kumihimo::inline v0::mruby
