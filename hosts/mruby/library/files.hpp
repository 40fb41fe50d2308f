// File and Dir of scripts that do not have mruby's own.
#pragma once
#include "../src/guard.hpp"

namespace kumihimo::inline v0::mruby {

/// File.basename and what else is text only; with permissions::read and write one call each for what touches files, so
/// that no descriptor outlives a call. Where mruby's own File stays, only what it lacks.
void define_files(mrb_state*, const struct permissions&);

}  // namespace kumihimo::inline v0::mruby
