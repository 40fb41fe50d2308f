// puts, print, p.
#include "library.hpp"

namespace kumihimo::inline v0::mruby {

void define_output(mrb_state*) {}

}  // namespace kumihimo::inline v0::mruby
