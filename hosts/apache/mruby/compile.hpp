// A script's text as what mruby runs.
#pragma once
#include <cstddef>

#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

/// The first error of a text that is no program.
struct syntax_error {
    int line = 0;
    int column = 0;
    char message[200] = "";
};

/// The text's code, for the top level, or null: then `why` says what is wrong. May jump (out of memory). What it allocates is
/// mruby's. `name` ends with a NUL.
RProc* compile(mrb_state*, const char* text, std::size_t size, const char* name, int first_line, syntax_error& why);

/// Runs code on the top level, as the main program does. Jumps when it raises.
void run_top(mrb_state*, RProc*);

}  // namespace kumihimo::inline v0::mruby
