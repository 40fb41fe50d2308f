// Query, Cookie and Multipart parsing.
#include "library.hpp"

namespace kumihimo::inline v0::mruby {

void define_form(mrb_state*) {}

}  // namespace kumihimo::inline v0::mruby
