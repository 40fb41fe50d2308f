// What stands between the engine and mruby: its headers, and the rules of its longjmp.
//
// mruby leaves a function by longjmp (raise, throw, out of memory), and a script that is over its time is left by
// siglongjmp from a signal (vm/deadline.hpp). Neither runs a destructor. The rules:
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
#include "../vm/deadline.hpp"
#include "../vm/mruby_headers.hpp"
