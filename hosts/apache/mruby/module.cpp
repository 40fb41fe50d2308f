// What a plain mruby program gets (kumihimo.h).
#include "kumihimo.h"

#include "../library/library.hpp"

extern "C" void kumihimo_mruby_define(mrb_state* mrb) {
    using namespace kumihimo::mruby;
    release::renew_errors(mrb);
    define_json(mrb);
    define_message_pack(mrb);
    define_any_format(mrb);
    define_regexp(mrb);
    define_uri(mrb);
    define_html(mrb);
    define_time(mrb);
    define_form(mrb);
    define_rack(mrb);
}
