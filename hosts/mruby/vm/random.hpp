// Random numbers that no run can foretell: mruby 3.1 seeds none of its generators by anything but a constant, 3.3 by
// the time in seconds and an address, and a VM that is put back as it was would begin with the same one each time.
#pragma once
#include "arena.hpp"
#include "layout.hpp"

namespace kumihimo::inline v0::mruby {

/// Random.new without a seed gets a state of its own. For VMs, in which layout.hpp is known to be right.
void define_random(mrb_state*);

/// Puts another object in the place of the class's own (3.1: Random::DEFAULT), made now, and gives its state to be
/// written before each run: right behind prepare_image() it lies beside the objects that a run makes first, on a page
/// that is written anyway. Null where a script has put something else in its place. May jump.
random_state* renew_default_random(mrb_state*);

/// A state that is the system's choice: from a supply of the thread's, which one system call fills for many.
void seed(random_state&) noexcept;

}  // namespace kumihimo::inline v0::mruby
