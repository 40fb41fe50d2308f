#include "allocate.hpp"

#include <unwind.h>

#include "deadline.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr std::size_t most_variables = 255 * sizeof(mrb_value);  // of a frame: mruby counts them in 8 bits
constexpr std::size_t room_for_variables = std::size_t{1} << 20;

// Whether mruby wants the memory for the variables of a frame that a closure has and that ends. The frame is gone by
// then: the collector takes the variables for unused places of the stack and clears them, before they were copied.
bool for_variables() noexcept {
    struct search {
        int frames = 0;
        bool found = false;
        static _Unwind_Reason_Code look(_Unwind_Context* frame, void* argument) {
            auto& self = *static_cast<search*>(argument);
            self.found = _Unwind_GetRegionStart(frame) == reinterpret_cast<_Unwind_Ptr>(&mrb_env_unshare);
            return self.found || ++self.frames == 8 ? _URC_END_OF_STACK : _URC_NO_REASON;
        }
    } s;
    _Unwind_Backtrace(search::look, &s);
    return s.found;
}

void* allocate_beyond(arena& memory, void* p, std::size_t n, std::size_t spared) noexcept {
    memory.spare(static_cast<std::ptrdiff_t>(spared));
    void* const grown = memory.allocate(p, n);
    memory.spare(-static_cast<std::ptrdiff_t>(spared));
    return grown;
}

}  // namespace

void* allocate(mrb_state* mrb, void* p, std::size_t n, void* from) {
    auto& memory = *static_cast<arena*>(from);
    // The list of what natives hold. mruby 3.1 takes it for larger before it has asked, and writes on when it is
    // refused.
    if (p != nullptr && mrb != nullptr && p == mrb->gc.arena) return allocate_beyond(memory, p, n, 2 * n);
    void* got = memory.allocate(p, n);
    if (got != nullptr || p != nullptr || n == 0 || n > most_variables || !for_variables()) [[likely]]
        return got;
    got = allocate_beyond(memory, p, n, room_for_variables);
    if (got == nullptr) leave_exhausted(nullptr);
    mrb->gc.threshold = 0;  // with the next object garbage is collected, or some of it
    return got;
}

code_place& last_refusal() noexcept {
    static thread_local code_place refused;
    return refused;
}

void note_refusal(void* mrb) { last_refusal() = place_of(static_cast<mrb_state*>(mrb)); }

void leave_exhausted(void*) {
    if (deadline& d = deadline::here(); d.may_leave()) d.leave(deadline::over_memory);
}

}  // namespace kumihimo::inline v0::mruby
