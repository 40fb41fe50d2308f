// What a run's end tells: exceptions, and where a script was when it was left.
#pragma once
#include "arena.hpp"
#include "vm.hpp"

namespace kumihimo::inline v0::mruby {

/// An exception as values that can be read when mruby no longer runs. Trivial: it lives across jumps.
struct raised {
    mrb_value message;    // String or nil
    mrb_value backtrace;  // Array of Strings or nil
    bool no_memory;
};

/// A line of a script. The name lives as long as the script's code.
struct code_place {
    const char* file = nullptr;  // null: unknown
    int line = 0;
};
/// The line that runs, of the innermost frame that is a script's.
code_place place_of(mrb_state*) noexcept;

/// An outcome by a sentence of our own.
void say(outcome&, outcome::kind, std::string message, std::string_view file = {}, int line = 0);
/// "64 MB", "1000 bytes"; "30 s", "1500 ms", "400 us": limits as they are told, in the largest unit that they are
/// whole in.
std::string size_text(std::size_t bytes);
std::string time_text(std::int64_t nanoseconds);

/// Asks the exception, which may run the script's code: it may raise, and take its time.
raised ask(mrb_state*, mrb_value exception);
/// The answers as an outcome. Reads memory only.
void tell(const raised&, outcome&);
/// Where the VM was when it was left in the middle of anything. What it finds may be half written or destroyed: then
/// it says less.
void tell_place(mrb_state*, const arena&, outcome&);

/// How a run ended that was left, by its deadline::reason.
void say_left(outcome& out, int left, std::int64_t nanoseconds, std::int64_t max_time, std::size_t bytes);
/// The process has no memory for what should be said.
void say_no_memory(outcome& out) noexcept;

}  // namespace kumihimo::inline v0::mruby
