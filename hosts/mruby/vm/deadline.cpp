#include "deadline.hpp"

#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "stack.hpp"
#include "stay_loaded.hpp"
#include "system_calls.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// A standard signal: one of real time is refused where too many are queued (ulimit -i), which counts all of a user's
// processes. Of those that are pending at once only one arrives, which is enough: the handler looks at the clock. This
// one does nothing where it has no handler, as in the programs that scripts start, and hardly anybody uses it: Go's
// runtime does, for the same.
constexpr int signal_number = SIGURG;

constexpr std::int64_t second = 1'000'000'000;
// Where this module's code lies.
struct code_range {
    std::uintptr_t begin = 0, end = 0;
} code;

int find_code(dl_phdr_info* info, std::size_t, void*) {
    const auto here = reinterpret_cast<std::uintptr_t>(&find_code);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& p = info->dlpi_phdr[i];
        const std::uintptr_t begin = info->dlpi_addr + p.p_vaddr;
        if (p.p_type == PT_LOAD && (p.p_flags & PF_X) != 0 && here >= begin && here < begin + p.p_memsz) {
            code = {begin, begin + p.p_memsz};
            return 1;
        }
    }
    return 0;
}

// Whether a script is left there: in this module, but not where a descriptor would be lost.
bool may_be_left(const void* context) noexcept {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    const auto address = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
    const auto result = static_cast<long>(machine.gregs[REG_RAX]);
#elif defined(__aarch64__)
    const auto address = static_cast<std::uintptr_t>(machine.pc);
    const auto result = static_cast<long>(machine.regs[0]);
#else
#error "say here where this machine keeps the address of the interrupted instruction, and what a system call returns"
#endif
    if (address == reinterpret_cast<std::uintptr_t>(kumihimo_opened) && result >= 0) return false;
    return address >= code.begin && address < code.end;
}

// When somebody has to look. 0: not at all.
std::int64_t due(const deadline::run& r) noexcept { return r.waiting != 0 ? r.due_in_all : r.due; }

// The earlier of two times, of which 0 is never.
std::int64_t earlier(std::int64_t a, std::int64_t b) noexcept { return a == 0 || (b != 0 && b < a) ? b : a; }

// Which of the two times it was: the earlier one, however late anybody looks.
deadline::reason why(const deadline::run& r) noexcept {
    return r.why == deadline::over_time && r.due_in_all != 0 && due(r) == r.due_in_all ? deadline::over_all : r.why;
}

}  // namespace

deadline& deadline::here() noexcept {
    static constinit thread_local deadline one;
    return one;
}

void deadline::thread_exits() noexcept {
    of_handler_ = nullptr;
    watchdog::remove(watched_);
    is_watched_ = false;
}

void deadline::process_ends() noexcept {
    deadline& d = here();
    d.ended_ = true;
    d.running_ = nullptr;  // which is what the signal's handler asks
    std::atomic_signal_fence(std::memory_order_seq_cst);
    d.watched_.due.store(0, std::memory_order_relaxed);
}

std::int64_t deadline::now() noexcept {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * second + t.tv_nsec;
}

std::int64_t deadline::worked() noexcept {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * second + t.tv_nsec;
}

thread_local deadline* deadline::of_handler_ = nullptr;
earlier_handler deadline::before_;

// Called for each thread: should somebody have replaced the handler, it is put there again, in front of theirs.
bool deadline::prepare() noexcept {
    static std::mutex one;
    const std::lock_guard lock(one);
    if (code.end == 0) {
        if (!stay_loaded()) return false;
        dl_iterate_phdr(find_code, nullptr);
    }
    struct sigaction there {};
    if (sigaction(signal_number, nullptr, &there) != 0) return false;
    if ((there.sa_flags & SA_SIGINFO) == 0 || there.sa_sigaction != on_signal) {
        struct sigaction action {};
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigemptyset(&action.sa_mask);
        if (!before_.keep(there)) return false;
        if (sigaction(signal_number, &action, nullptr) != 0) return false;
    }
    return watchdog::start(signal_number);
}

bool deadline::watch() noexcept {
    if (!prepare()) return false;
    // httpd's threads have all signals blocked.
    sigset_t mine;
    sigemptyset(&mine);
    sigaddset(&mine, signal_number);
    pthread_sigmask(SIG_UNBLOCK, &mine, nullptr);
    of_handler_ = this;
    // First who takes it off the list: what the watchdog looks at is this thread's memory.
    is_watched_ = register_exit() && watchdog::add(watched_, signal_number);
    return is_watched_;
}

bool deadline::begin(run& r, std::int64_t nanoseconds, const whole_time& whole) noexcept {
    if (ended_) [[unlikely]]
        return false;
    r.outer = running_;
    r.began = r.outer == nullptr ? 0 : now() - worked();
    r.slept = 0;
    r.sections = 0;
    r.late = false;
    r.why = over_time;
    r.waiting = 0;
    r.due = 0;
    r.whole = whole;
    r.due_in_all = whole.nanoseconds > 0 ? now() + whole.nanoseconds : 0;
    // What an inner run takes is part of the outer one's.
    if (r.outer != nullptr && r.outer->due_in_all != 0) {
        const whole_time& outer = r.outer->whole;
        if (earlier(r.due_in_all, r.outer->due_in_all) != r.due_in_all) {
            r.due_in_all = r.outer->due_in_all;
            r.whole.nanoseconds = outer.nanoseconds;
        }
        if (whole.give_up == nullptr) {
            r.whole.give_up = outer.give_up;
            r.whole.argument = outer.argument;
        }
    }
    if (nanoseconds > 0 || r.due_in_all != 0) {
        if (!is_watched_ && !watch()) return false;
        r.due = earlier(nanoseconds > 0 ? now() + nanoseconds : 0, r.due_in_all);
        // Before the run: it takes a lock, out of which nobody may jump.
        watch_for(r.due);
    } else if (is_watched_) {
        watched_.due.store(0, std::memory_order_relaxed);
    }
    running_ = &r;
    return true;
}

void deadline::end(run& r) noexcept {
    // What an inner run sleeps is no waiting of the outer one's.
    if (r.outer != nullptr) r.outer->slept += std::max<std::int64_t>(now() - worked() - r.began, 0);
    resume(r.outer);
}

void deadline::landed(run& r) noexcept { end(r); }

// It was the inner run's time that was looked at meanwhile.
void deadline::resume(run* outer) noexcept {
    running_ = nullptr;
    const std::int64_t next = outer == nullptr ? 0 : due(*outer);
    // The next inner run may begin before the watchdog looks.
    if (next != 0 && next <= now()) outer->late = true;
    if (is_watched_) {
        // Only the end of a section leaves it without a signal.
        watched_.knows.store(next != 0 && outer->late && outer->sections != 0, std::memory_order_relaxed);
        watched_.due.store(next, std::memory_order_seq_cst);
        if (next != 0) watchdog::notice(next);
    }
    running_ = outer;
}

void deadline::watch_for(std::int64_t when) noexcept {
    watched_.knows.store(false, std::memory_order_relaxed);
    watched_.due.store(when, std::memory_order_seq_cst);
    watchdog::notice(when);
}

void deadline::wait() noexcept {
    run* const r = running_;
    if (r->due_in_all == 0 || r->due == 0) return;
    const std::uint32_t open = r->waiting;
    r->waiting = open + 1;
    if (open == 0) watch_for(r->due_in_all);
}

void deadline::extend(std::int64_t nanoseconds) noexcept {
    run* const r = running_;
    if (r == nullptr || r->due == 0) return;
    if (r->waiting != 0) r->waiting = r->waiting - 1;
    r->due = earlier(r->due + nanoseconds, r->due_in_all);
    r->began += nanoseconds;
    if (r->waiting != 0) return;
    if (r->late && r->due > now() && r->why == over_time) {
        r->late = false;
        watched_.knows.store(false, std::memory_order_relaxed);
    }
    watched_.due.store(r->due, std::memory_order_seq_cst);
    watchdog::notice(r->due);
}

void deadline::stop(reason r) noexcept {
    if (running_ == nullptr || running_->sections == 0) return;
    running_->why = r;
    running_->late = true;
}

void deadline::leave(reason why, const void* context) noexcept {
    run* const r = running_;
    running_ = r->outer;  // from here on the signal finds another run, or none
    if (context != nullptr) pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(context)->uc_sigmask, nullptr);
    siglongjmp(r->back, why);
}

void deadline::leave_if_late() noexcept {
    deadline* const d = of_handler_;
    const run* const r = d == nullptr ? nullptr : d->running_;
    if (r != nullptr && r->late && r->sections == 0) d->leave(why(*r));
}

void deadline::on_signal(int signal, siginfo_t* info, void* context) noexcept {
    const int error = errno;
    deadline* const d = of_handler_;
    static thread_local earlier_handler::passing passing;
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    // Handed back it is nobody's: the one before ours has had it.
    if (!passing.is_back(context, frame) && (d == nullptr || !d->tell(context)))
        before_.call(passing, frame, signal, info, context);
    errno = error;
}

// The thread may be late. False if it is not, so that the signal was another's, or came when the run had ended.
bool deadline::tell(const void* context) noexcept {
    run* const r = running_;
    if (r == nullptr || due(*r) == 0 || due(*r) > now()) return false;
    if (r->sections != 0) {
        // No more signals: a poll that is interrupted begins its wait anew, so httpd's own timeout would never come.
        r->late = true;
        watched_.knows.store(true, std::memory_order_relaxed);
        if (r->waiting != 0 && r->whole.give_up != nullptr) r->whole.give_up(r->whole.argument);
    } else if (may_be_left(context)) {
        leave(why(*r), context);
    } else {
        r->late = true;
    }
    return true;
}

host_section::host_section() noexcept : run_(deadline::here().running_) {
    if (run_ == nullptr) return;
    const std::uint32_t open = run_->sections;
    run_->sections = open + 1;
    if (open != 0) return;
    if (machine_stack::has_room()) [[likely]]
        return;
    run_->sections = 0;
    deadline::here().leave(deadline::over_stack);
}

host_section::~host_section() {
    if (run_ == nullptr) return;
    const std::uint32_t open = run_->sections - 1;
    run_->sections = open;
    if (open == 0 && run_->late) [[unlikely]]
        deadline::here().leave(why(*run_));
}

}  // namespace kumihimo::inline v0::mruby
