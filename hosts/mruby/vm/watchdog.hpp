// The thread that looks after all others' time: one per process, started by the first run that has a limit.
//
// It sleeps until the next deadline it knows of, sends the thread that is late a signal, and again until
// that thread says that it knows. So a run costs two stores and no system call, and no thread is interrupted that is
// not late. (A timer per thread was tried: set and stopped for each run it costs a microsecond; left to run on, it
// interrupts what others do in that thread afterwards: PHP's sleep, a poll.)
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>

namespace kumihimo::inline v0::mruby {

class watchdog {
public:
    /// A thread that is looked after. `due`, in nanoseconds of the monotonic clock, is when it will be late; 0: not at
    /// all.
    struct watched {
        std::atomic<std::int64_t> due{0};
        std::atomic<bool> knows{false};  // it has been told, and will come by itself

    private:
        friend class watchdog;
        pid_t thread = 0;
        std::int64_t again = 0;
        int told = 0;
        watched* next = nullptr;
    };
    /// Begins to look after the calling thread, which removes itself before it ends. False when no thread can be
    /// started.
    static bool add(watched&, int signal) noexcept;
    /// Starts the thread, if it does not work yet. add() does too: this is for who wants to have it from the start.
    static bool start(int signal) noexcept;
    static void remove(watched&) noexcept;
    /// After a new `due`: makes sure that it is seen in time. Not to be jumped out of.
    static void notice(std::int64_t when) noexcept {
        if (when < next_look_.load(std::memory_order_seq_cst)) [[unlikely]]
            wake();
    }

private:
    struct all;
    class locked;
    static all& of_process() noexcept;
    static bool start(all&, int signal) noexcept;
    static void wake() noexcept;
    static void* work(void*);
    static std::int64_t look(all&, std::int64_t now) noexcept;
    static std::atomic<std::int64_t> next_look_;
};

}  // namespace kumihimo::inline v0::mruby
