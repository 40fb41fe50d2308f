// A script's text as what mruby runs.
#pragma once
#include <cstddef>
#include <cstdint>

#include "mruby_headers.hpp"

namespace kumihimo::inline v0::mruby {

/// The first error of a text that is no program.
struct syntax_error {
    int line = 0;
    int column = 0;
    char message[200] = "";
};

/// The text's code, for the top level, or null: then `why` says what is wrong. May jump (out of memory). What it
/// allocates is mruby's. `name` ends with a NUL.
RProc* compile(mrb_state*, const char* text, std::size_t size, const char* name, int first_line, syntax_error& why);

/// Whether the text compiles, in a VM that is gone afterwards: where no run can be, as in httpd's parent, which gets
/// no signals and no threads of ours. mruby's parser takes a time that is quadratic in the number of statements of a
/// body, and elements of a list, so it is given up after `nanoseconds` of the thread's own work. May not jump.
bool compiles(const char* text, std::size_t size, const char* name, int first_line, std::int64_t nanoseconds,
              syntax_error& why);

/// Gives the closures of what ran on the top level variables of their own. May jump (out of memory).
void close_top(mrb_state*);

/// Runs code on the top level, as the main program does. Jumps when it raises.
void run_top(mrb_state*, RProc*);

}  // namespace kumihimo::inline v0::mruby
