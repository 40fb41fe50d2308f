// What stands between the engine and mruby: mruby's headers without the macros that break C++ headers, and the rules of its
// longjmp.
//
// mruby leaves a function by longjmp (raise, throw, out of memory), and a script that is over its time is left by siglongjmp
// from a signal (deadline.hpp). Neither runs a destructor. The rules:
//
//      1  A frame that mruby may jump across holds trivially destructible objects only. Walkers, builders and their output are
//         such: their memory is mruby's own.
//      2  What touches anything that outlives the run (httpd, malloc, a file, a lock) does it inside a host_section, whose
//         block calls nothing of mruby's: no jump can start there. Results are made into mruby values behind it.
//      3  No C++ exception crosses a frame of mruby's.
//      4  A value that is held over a call into mruby is reachable: an argument, in a container, or in mruby's GC arena.
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
#error "which of releases/ is it? hosts/apache/CMakeLists.txt finds it out"
#endif
#include KUMIHIMO_MRUBY_RELEASE

#include "deadline.hpp"
