// require and load.
#include "library.hpp"

namespace kumihimo::inline v0::mruby {

void define_require(mrb_state*) {}

}  // namespace kumihimo::inline v0::mruby
