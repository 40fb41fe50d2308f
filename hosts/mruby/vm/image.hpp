// What an image is like when it is closed.
#pragma once
#include <initializer_list>

#include "arena.hpp"
#include "layout.hpp"

namespace kumihimo::inline v0::mruby {

/// Makes a VM ready for its memory to become the image: no garbage, and new objects will come from a page of the heap
/// that is nearly empty, side by side, so that a small run writes to few pages of memory. The collector is off
/// afterwards. May jump.
void prepare_image(mrb_state*);

/// What of an image need not be copied back after a run: objects that were free and still are, and places of the list
/// of values that C code holds which are written before they are read.
class unwritten {
public:
    /// Of an image that is about to be closed.
    void look(const mrb_state*) noexcept;
    /// After a run that has ended by itself, in `to`; how many.
    std::size_t ranges(arena::range (&to)[2]) const noexcept;

private:
    const heap_page* heap_ = nullptr;
    arena::range free_{};  // the longest row of free objects on it
    arena::range held_{};
};

/// After the first run of a script, in place of arena::restore(): the methods of the image's classes that were called
/// are looked up once more in the image, so that mruby finds them in its cache from now on and the runs to come need
/// not write there. False if the image cannot be protected again.
bool restore_and_remember(mrb_state*, arena&);

/// What mruby has one of and every run writes to, in the order in which it fits on one page of memory: the values that
/// C code holds, the context, the stack, the calls, and the state, of which it is the beginning.
inline constexpr std::initializer_list<std::size_t> written_always{MRB_GC_ARENA_SIZE * sizeof(RBasic*), sizeof(mrb_context),
                                                                   first_stack * sizeof(mrb_value),
                                                                   first_calls * sizeof(mrb_callinfo), sizeof(mrb_state)};

}  // namespace kumihimo::inline v0::mruby
