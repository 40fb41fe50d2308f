// New mruby values.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#include "floats.hpp"
#include "layout.hpp"

namespace kumihimo::inline v0::mruby {

[[gnu::always_inline]] inline mrb_value integer_value(mrb_state* mrb, std::int64_t n) { return mrb_int_value(mrb, n); }
[[gnu::always_inline]] inline mrb_value new_string(mrb_state* mrb, const char* p, std::size_t n) {
    return mrb_str_new(mrb, p, n);
}

}  // namespace kumihimo::inline v0::mruby
