// How much machine stack is left: recursion over a caller's structure must end in an error, not in a crash.
#pragma once
#include "guard.hpp"

namespace kumihimo::inline v0::perl {

struct machine_stack {
    /// Whether at least 256 KB (of a small stack, a third) are left for this thread; also true where that cannot be
    /// known.
    static bool has_room() noexcept;
};

}  // namespace kumihimo::inline v0::perl
