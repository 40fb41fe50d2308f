// The Ruby classes: Apache and what is in it.
#pragma once
#include "exchange.hpp"

namespace kumihimo::inline v0::apache {

/// Defines them all in a new VM (profile.define). Built-in names for `require`: Apache, apache.
void define_ruby(mrb_state*);

}  // namespace kumihimo::inline v0::apache
