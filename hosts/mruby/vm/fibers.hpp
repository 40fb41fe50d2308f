// Fibers under a limit of memory.
#pragma once
#include "mruby_headers.hpp"

namespace kumihimo::inline v0::mruby {

/// mruby 3.1 puts a fiber's memory together piece by piece where the collector already looks at it. A piece that is
/// refused starts the collector, which then follows a null pointer. This gives Fiber an initialize that is refused
/// nothing. The VM's allocator must be an arena.
void guard_fibers(mrb_state*);

}  // namespace kumihimo::inline v0::mruby
