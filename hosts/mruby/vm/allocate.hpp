// How mruby's requests for memory are answered.
#pragma once
#include <utility>

#include "arena.hpp"
#include "report.hpp"

namespace kumihimo::inline v0::mruby {

/// What a VM is opened with: its memory comes from the arena that `from` is. Where that refuses, mruby collects its
/// garbage in the middle of what it is doing, and asks again. A request that must not fail there (mruby would crash)
/// is granted beyond the limit.
void* allocate(mrb_state*, void* p, std::size_t n, void* from);

/// The arena's on_full and on_exhausted: notes which line was refused memory, and ends the run.
void note_refusal(void* mrb);
void leave_exhausted(void*);

/// The last line of this thread's that was refused memory. The name is mruby's.
code_place& last_refusal() noexcept;

/// For a run, and for the making of a VM: both may be within a run, whose last refusal it stays. The names go with the
/// VM.
struct own_refusal {
    code_place outer = std::exchange(last_refusal(), {});
    ~own_refusal() { last_refusal() = outer; }
};

}  // namespace kumihimo::inline v0::mruby
