#include "deadline.hpp"

#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <mutex>

#include "stack.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

int signal_number() noexcept { return SIGRTMIN + 5; }  // SIGRTMIN is no constant

constexpr std::int64_t second = 1'000'000'000;
// How soon the handler looks again where it could not leave: the interrupted code is in a library.
constexpr std::int64_t again_in_library = 100'000;

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

bool in_this_module(void* context) noexcept {
    const auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    const auto at = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
    const auto at = static_cast<std::uintptr_t>(machine.pc);
#else
#error "say here where this machine keeps the address of the interrupted instruction"
#endif
    return at >= code.begin && at < code.end;
}

}  // namespace

// The thread's own, whose timer goes with the thread.
struct deadline_of_thread {
    deadline of;
    ~deadline_of_thread() {
        if (of.made_) timer_delete(of.timer_);
        of.made_ = false;
    }
};

deadline& deadline::here() noexcept {
    static thread_local deadline_of_thread one;
    return one.of;
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

void deadline::arm(std::int64_t nanoseconds) noexcept {
    if (!made_) return;
    if (nanoseconds < 1) nanoseconds = 1;
    itimerspec when{};
    when.it_value.tv_sec = nanoseconds / second;
    when.it_value.tv_nsec = nanoseconds % second;
    timer_settime(timer_, 0, &when, nullptr);
}

void deadline::begin(run& r, std::int64_t nanoseconds) noexcept {
    r.outer = running_;
    r.sections = 0;
    r.late = false;
    r.at = 0;
    if (nanoseconds > 0) {
        if (!made_) {
            static std::once_flag once;
            std::call_once(once, [] {
                dl_iterate_phdr(find_code, nullptr);
                struct sigaction action {};
                action.sa_sigaction = on_signal;
                action.sa_flags = SA_SIGINFO | SA_RESTART;
                sigemptyset(&action.sa_mask);
                sigaction(signal_number(), &action, nullptr);
            });
            sigset_t mine;
            sigemptyset(&mine);
            sigaddset(&mine, signal_number());
            pthread_sigmask(SIG_UNBLOCK, &mine, nullptr);
            sigevent event{};
            event.sigev_notify = SIGEV_THREAD_ID;
            event.sigev_signo = signal_number();
            event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
            made_ = timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
            armed_until_ = 0;
        }
        r.at = now() + nanoseconds;
    }
    running_ = &r;
    if (r.at != 0 && (armed_until_ == 0 || armed_until_ > r.at)) {
        armed_until_ = r.at;
        arm(nanoseconds);
    }
}

void deadline::end(run& r) noexcept { resume(r.outer); }

void deadline::landed(run& r) noexcept { resume(r.outer); }

// The timer was the inner run's meanwhile.
void deadline::resume(run* outer) noexcept {
    running_ = outer;
    if (outer == nullptr || outer->at == 0) return;
    armed_until_ = outer->at;
    arm(outer->at - now());
}

void deadline::extend(std::int64_t nanoseconds) noexcept {
    run* const r = running_;
    if (r == nullptr || r->at == 0) return;
    r->at += nanoseconds;
    if (!r->late || r->at <= now()) return;
    r->late = false;
    armed_until_ = r->at;
    arm(r->at - now());
}

void deadline::leave(reason why, const void* context) noexcept {
    run* const r = running_;
    running_ = r->outer;  // from here on the signal finds another run, or none
    if (context != nullptr) pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(context)->uc_sigmask, nullptr);
    siglongjmp(r->back, why);
}

void deadline::on_signal(int, siginfo_t*, void* context) noexcept {
    const int error = errno;
    deadline& d = here();
    run* const r = d.running_;
    d.armed_until_ = 0;
    if (r != nullptr && r->at != 0) {
        const std::int64_t left = r->at - now();
        if (left > 0) {
            d.armed_until_ = r->at;
            d.arm(left);
        } else if (r->sections != 0) {
            // Once only: a poll that signals interrupt begins its wait anew, so httpd's own timeout would never come.
            r->late = true;
        } else if (in_this_module(context)) {
            d.leave(over_time, context);
        } else {
            d.armed_until_ = now() + again_in_library;
            d.arm(again_in_library);
        }
    }
    errno = error;
}

host_section::host_section() noexcept : run_(deadline::here().running_) {
    if (run_ == nullptr || run_->sections++ != 0) return;
    if (machine_stack::has_room()) [[likely]]
        return;
    run_->sections = 0;
    deadline::here().leave(deadline::over_stack);
}

host_section::~host_section() {
    if (run_ == nullptr) return;
    if (--run_->sections == 0 && run_->late) [[unlikely]]
        deadline::here().leave(deadline::over_time);
}

}  // namespace kumihimo::inline v0::mruby
