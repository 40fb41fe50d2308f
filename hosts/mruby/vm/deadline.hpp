// The time a script may take, kept against any loop it can write.
//
// Debian's mruby has no hook between instructions, so a thread that is late gets a signal (watchdog.hpp). The signal's
// handler leaves the script by siglongjmp, if it may:
//
//      the interrupted instruction is      then
//      in a host_section                   the section's end leaves the script
//      in this module's code (mruby's)     the script is left at once: all it can have half done is in the arena, which is
//                                          thrown away; what a script waits in is such code (system_calls.cpp)
//      elsewhere (libc, the loader)        locks may be held: the signal comes again shortly; where a function of libc may take
//                                          long, its end leaves the script (long_calls.cpp)
#pragma once
#include <setjmp.h>

#include <atomic>
#include <csignal>
#include <cstdint>

#include "at_thread_exit.hpp"
#include "earlier_handler.hpp"
#include "watchdog.hpp"

namespace kumihimo::inline v0::mruby {

class deadline : at_thread_exit {
public:
    /// The calling thread's.
    static deadline& here() noexcept;

    /// Why a run is left before its end: what sigsetjmp returns.
    enum reason : int { over_time = 1, over_memory, over_stack, crashed, unwatched, over_all, over_output };

    /// How long a run may take in all, with what it waits for.
    struct whole_time {
        std::int64_t nanoseconds = 0;  // 0: no limit
        void (*give_up)(void*) noexcept =
            nullptr;  // ends a wait that lasts longer; called by a signal's handler, in the thread
        void* argument = nullptr;
    };

    /// Where the thread goes then. Runs nest: an inner one has its own.
    struct run {
        sigjmp_buf back;
        volatile std::int64_t due = 0;  // nanoseconds of the monotonic clock; 0: no limit
        run* outer = nullptr;
        volatile std::uint32_t sections = 0;  // host_sections open
        volatile bool late = false;           // the time was over while one was open
        volatile reason why = over_time;      // it is left then
        whole_time whole;                     // its own, or the outer run's if that ends earlier
        std::int64_t due_in_all = 0;          // when `whole` is over; 0: never
        volatile std::uint32_t waiting = 0;   // waiting_sections open, if there is such a limit
        // Nanoseconds: when an inner run began, by both clocks, less what it was given back; and what inner runs have
        // slept.
        std::int64_t began = 0;
        std::int64_t slept = 0;
    };

    /// Begins a run of `nanoseconds` (0: no limit); the caller has called sigsetjmp(r.back, 0) before. Everything
    /// between begin and end is subject to rule 1 of src/guard.hpp. False, and no run, if the time cannot be watched.
    bool begin(run& r, std::int64_t nanoseconds, const whole_time& whole) noexcept;
    bool begin(run& r, std::int64_t nanoseconds) noexcept { return begin(r, nanoseconds, {}); }
    void end(run& r) noexcept;
    /// The run of the moment; null outside.
    run* running() const noexcept { return running_; }
    /// Whether a host_section should come to its end, since the run's time is over.
    bool late() const noexcept { return running_ != nullptr && running_->late; }
    /// Must be called first where sigsetjmp returned a second time.
    void landed(run& r) noexcept;
    /// Leaves the run of the moment, which must not be in a host_section. `context` is a signal handler's, or null
    /// outside one: its mask of signals is the thread's again.
    [[noreturn]] void leave(reason, const void* context = nullptr) noexcept;
    /// Leaves the run of the moment if its time is over, and nobody is in a host_section.
    static void leave_if_late() noexcept;
    /// Whether it may be left where it is.
    bool may_leave() const noexcept { return running_ != nullptr && running_->sections == 0; }
    /// Time that the thread has not worked, nor slept in a run within the one of the moment. Only differences mean
    /// something.
    std::int64_t waited() const noexcept { return now() - worked() - running_->slept; }
    /// Begins a wait for others, of which only the whole time is to be kept.
    void wait() noexcept;
    /// Ends it: gives the run back what it spent.
    void extend(std::int64_t nanoseconds) noexcept;
    /// Leaves the run of the moment when its host_section ends. Nothing outside a run.
    void stop(reason) noexcept;

    /// In a child of fork() that a run has made: it is not left there.
    void in_child() noexcept {
        if (running_ != nullptr) running_->late = false;
    }

    /// Begins to look after this process's time before the first run does: its threads then stay as many as they are.
    static bool prepare() noexcept;
    /// The process ends, maybe within a signal's handler in the middle of this thread's run: that is not left any
    /// more, and none begins, as httpd logs requests whose answer is still on its way.
    static void process_ends() noexcept;
    static std::int64_t now() noexcept;
    /// The thread's own work until now, in nanoseconds. A system call.
    static std::int64_t worked() noexcept;

private:
    friend class host_section;
    bool watch() noexcept;
    void watch_for(std::int64_t when) noexcept;
    void resume(run* outer) noexcept;
    static void on_signal(int, siginfo_t*, void*) noexcept;
    bool tell(const void* context) noexcept;
    void thread_exits() noexcept override;
    // What a signal's handler may use in any thread: that of one which is watched.
    static thread_local deadline* of_handler_;
    static earlier_handler before_;

    run* volatile running_ = nullptr;
    watchdog::watched watched_;
    bool is_watched_ = false;
    bool ended_ = false;
};

/// Work that the deadline must not break off: rule 2 of src/guard.hpp. The block calls nothing of mruby's. Where the
/// machine's stack is nearly used up it does not begin: a fault in it would end the process, while one in mruby is
/// caught.
class host_section {
public:
    host_section() noexcept;
    ~host_section();
    /// Whether there is a run to hold back at all.
    bool in_run() const noexcept { return run_ != nullptr; }
    host_section(const host_section&) = delete;
    host_section& operator=(const host_section&) = delete;

private:
    deadline::run* run_;
};

/// A host_section that waits for a client or for another program. The time it waits is not the script's; the time it
/// works is.
class waiting_section {
public:
    waiting_section() noexcept : since_(section_.in_run() ? deadline::here().waited() : 0) {
        if (section_.in_run()) deadline::here().wait();
    }
    ~waiting_section() {
        if (section_.in_run()) deadline::here().extend(deadline::here().waited() - since_);
    }
    waiting_section(const waiting_section&) = delete;
    waiting_section& operator=(const waiting_section&) = delete;

private:
    host_section section_;  // ends last
    std::int64_t since_;
};

}  // namespace kumihimo::inline v0::mruby
