#include "fault.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "at_thread_exit.hpp"
#include "deadline.hpp"

namespace kumihimo::inline v0::mruby {

namespace {

// A stack for the handlers, so that a thread that has used up its own can be told from one that has not. A thread that
// has one keeps it.
class signal_stack : at_thread_exit {
public:
    static bool give() noexcept {
        static constinit thread_local signal_stack mine;
        if (mine.memory_ != nullptr) return true;
        stack_t now{};
        if (sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) == 0) return true;
        void* const p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) return false;
        stack_t ours{};
        ours.ss_sp = p;
        ours.ss_size = size;
        if (sigaltstack(&ours, nullptr) != 0) return munmap(p, size), false;
        mine.memory_ = p;
        mine.register_exit();
        return true;
    }

private:
    void thread_exits() noexcept override {
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, nullptr);
        munmap(std::exchange(memory_, nullptr), size);
    }
    static constexpr std::size_t size = 64 * 1024;
    void* memory_ = nullptr;
};

}  // namespace

thread_local arena* fault::expected = nullptr;
earlier_handler fault::before[count];

void fault::on_fault(int signal, siginfo_t* info, void* context) noexcept {
    arena* const a = expected;
    if (a != nullptr && signal == SIGSEGV && save(*a, info->si_addr)) return;
    // mruby went wrong in its own code: the run ends, and its VM with it. What it may have destroyed is its arena. Or
    // it did so within libc (memcpy of what is nowhere, the stack's end in snprintf), where a lock may be held that
    // nobody will let go. A deadline waits until the thread is outside; this instruction does not go on, and the only
    // other way is the end of the process with all its requests. What of mruby's takes such locks (localtime_r,
    // getaddrinfo) does it with pointers that are sound.
    if (a != nullptr && deadline::here().may_leave()) deadline::here().leave(deadline::crashed, context);
    // Not ours. Whoever hands it back has nothing to do with it either.
    static thread_local earlier_handler::passing passing;
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const earlier_handler& next = before[std::find(signals, signals + count, signal) - signals];
    if (!passing.is_back(context, frame) && next.call(passing, frame, signal, info, context)) return;
    struct sigaction fatal {};
    fatal.sa_handler = SIG_DFL;
    sigaction(signal, &fatal, nullptr);  // the instruction faults again
}

// The handlers are put there by the first arena of the process, and again should somebody have replaced them.
bool fault::ready() noexcept {
    static std::mutex one;
    const std::lock_guard lock(one);
    sigset_t ours;
    sigemptyset(&ours);
    for (std::size_t i = 0; i < count; ++i) {
        sigaddset(&ours, signals[i]);
        struct sigaction now {};
        if (sigaction(signals[i], nullptr, &now) != 0) return false;
        if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault) continue;
        struct sigaction action {};
        action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
        action.sa_sigaction = on_fault;
        sigfillset(&action.sa_mask);  // a deadline waits until the page is saved
        if (!before[i].keep(now)) return false;
        if (sigaction(signals[i], &action, nullptr) != 0) return false;
    }
    return pthread_sigmask(SIG_UNBLOCK, &ours, nullptr) == 0 && signal_stack::give();
}

arena::use::use(arena& a) noexcept : outer_(fault::expected) { fault::expected = &a; }
arena::use::~use() { fault::expected = outer_; }

}  // namespace kumihimo::inline v0::mruby
