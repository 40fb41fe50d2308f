// What an image is like when it is closed.
#pragma once
#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

/// Makes a VM ready for its memory to become the image: no garbage, and new objects will come from a page of the heap that is
/// nearly empty, side by side, so that a small run writes to few pages of memory. The collector is off afterwards. May jump.
void settle(mrb_state*);

}  // namespace kumihimo::inline v0::mruby
