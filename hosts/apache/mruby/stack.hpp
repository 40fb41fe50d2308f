// How much of the calling thread's machine stack is left: walks over a script's objects recurse.
#pragma once

namespace kumihimo::inline v0::mruby {

class machine_stack {
public:
    /// Whether there is room for some more frames and for what they call.
    static bool has_room() noexcept;
};

}  // namespace kumihimo::inline v0::mruby
