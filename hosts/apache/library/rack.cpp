// Rack's helpers.
#include "library.hpp"

namespace kumihimo::inline v0::mruby {

void define_rack(mrb_state*) {}

}  // namespace kumihimo::inline v0::mruby
