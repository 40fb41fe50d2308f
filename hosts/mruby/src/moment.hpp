// mruby's Time and the engine's moment.
#pragma once
#include <cstdint>

#include "../vm/layout.hpp"
#include "engine/core/sink.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

bool is_time(mrb_value) noexcept;

/// Whether v is a Time, and which moment that is, in UTC or with the zone's offset then. Asks no Ruby code.
bool moment_of(mrb_value v, instant& out) noexcept;

/// A Time as mruby's own methods make it, whatever scripts have put in their place: of a class, in local time or UTC.
mrb_value time_at(mrb_state*, mrb_value of_class, std::int64_t seconds, std::int64_t nanoseconds, bool utc);
/// Remembers mruby's own methods for time_at. Before it is called.
void find_time_methods(mrb_state*);

}  // namespace kumihimo::inline v0::mruby
