// Regexp on PCRE2.
#include "library.hpp"

namespace kumihimo::inline v0::mruby {

void define_regexp(mrb_state*) {}

}  // namespace kumihimo::inline v0::mruby
