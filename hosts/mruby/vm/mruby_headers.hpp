// mruby's headers, without the macros that break C++ headers, and what this release's do not say (releases/).
//
// Include order: the standard library and the engine first, this last.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

// Debian does not ship the table of symbols known at compile time.
#ifndef MRB_NO_PRESYM
#define MRB_NO_PRESYM
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <mruby.h>
#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/compile.h>
#include <mruby/data.h>
#include <mruby/error.h>
#include <mruby/hash.h>
#include <mruby/irep.h>
#include <mruby/istruct.h>
#include <mruby/numeric.h>
#include <mruby/proc.h>
#include <mruby/range.h>
#include <mruby/string.h>
#include <mruby/variable.h>
#pragma GCC diagnostic pop

// What this release's headers do not say (layout.hpp).
#ifndef KUMIHIMO_MRUBY_RELEASE
#error "which of releases/ is it? find_mruby.cmake finds it out"
#endif
#include KUMIHIMO_MRUBY_RELEASE
