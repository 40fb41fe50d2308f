// What a plain mruby program gets (kumihimo.h), and what a VM's scripts find.
#include "library.hpp"

#include "../kumihimo.h"
#include "../src/floats.hpp"
#include "../src/module.hpp"
#include "../vm/vm.hpp"

extern "C" void kumihimo_mruby_define(mrb_state* mrb) {
    using namespace kumihimo::mruby;
    define_module(mrb);
    define_regexp(mrb);
    define_uri(mrb);
    define_html(mrb);
    define_time(mrb);
    define_form(mrb);
    define_rack(mrb);
}

namespace kumihimo::inline v0::mruby {

void define_library(mrb_state* mrb) {
    kumihimo_mruby_define(mrb);
    define_float_text(mrb);
    define_comparisons(mrb);
    define_output(mrb);
    define_require(mrb);
}

}  // namespace kumihimo::inline v0::mruby
