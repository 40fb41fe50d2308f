// Giving way: a long document is left now and then, so that a signal, a Timeout or Thread#kill gets through to it and
// other threads run meanwhile.
//
//      writing      the output counts bytes and sets `due_`; the walk looks at it after each value
//      reading      the builder counts what it makes (build.hpp)
//      without the lock     other threads run all the time; what is long may be stopped by an interrupt (stoppable)
//
// rb_thread_check_ints() may do anything: raise, run a trap or another thread. To a walk it is like an as_json of the
// user's.
#pragma once
#include <atomic>

#include "guard.hpp"
#include "long_work.hpp"
#include "output.hpp"

namespace kumihimo::inline v0::ruby {

class turns {
public:
    /// From now on `out` says when. This object must stay where it is.
    void follow(string_output& out) noexcept { out.announce(due_); }
    /// For work that writes little.
    void now() noexcept { due_ = true; }

    [[gnu::always_inline]] void turn() {
        if (due_) [[unlikely]]
            give_way();
    }
    /// The same, with what is to be done when others may have run.
    template <class F>
    [[gnu::always_inline]] void turn(F&& afterwards) {
        if (due_) [[unlikely]] {
            give_way();
            afterwards();
        }
    }

private:
    [[gnu::cold, gnu::noinline]] void give_way() {
        due_ = false;
        rb_thread_check_ints();
    }
    bool due_ = false;
};

/// For a loop over something long that writes nothing: its turn comes after every so many steps.
class step_turns {
public:
    void turn() {
        if (++steps_ % steps_per_turn == 0) [[unlikely]]
            rb_thread_check_ints();
    }

private:
    unsigned steps_ = 0;
};

/// Runs `body()` with Ruby's lock given up: it must not touch Ruby, nor what others may change. An interrupt waits for
/// its end.
template <class F>
void without_lock(F&& body) {
    using body_type = std::remove_reference_t<F>;
    rb_thread_call_without_gvl(
        [](void* self) -> void* {
            (*static_cast<body_type*>(self))();
            return nullptr;
        },
        &body, nullptr, nullptr);
}

/// The same for a body that looks at `stop`, and gives up and says false when it is set. An interrupt sets it. When
/// that raises, so does this; when it was a trap that came back, the body begins again: a few times, and then it is
/// not stopped any more.
template <class F>
void without_lock_stoppable(F&& body) {
    struct job {
        std::remove_reference_t<F>* body;
        std::atomic<bool> stop;
        bool done;
    } j{&body, {false}, false};
    rb_unblock_function_t* const stopping = [](void* data) {
        static_cast<job*>(data)->stop.store(true, std::memory_order_relaxed);
    };
    for (int round = 0; !j.done; ++round) {
        j.stop = false;
        rb_thread_call_without_gvl(
            [](void* data) -> void* {
                job& j = *static_cast<job*>(data);
                j.done = (*j.body)(j.stop);
                return nullptr;
            },
            &j, round == 8 ? nullptr : stopping, &j);
    }
}

}  // namespace kumihimo::inline v0::ruby
