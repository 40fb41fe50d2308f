// What scripts are not allowed to do is taken away.
#include "../mruby/vm.hpp"
#include "library.hpp"

namespace kumihimo::inline v0::mruby {

void restrict_to(mrb_state*, const permissions&) {}
void close_leftovers(mrb_state*) {}

}  // namespace kumihimo::inline v0::mruby
