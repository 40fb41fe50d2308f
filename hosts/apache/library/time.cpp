// Time's texts: ISO 8601, HTTP dates, strftime.
#include "library.hpp"

namespace kumihimo::inline v0::mruby {

void define_time(mrb_state*) {}

}  // namespace kumihimo::inline v0::mruby
