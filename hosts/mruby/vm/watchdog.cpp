#include "watchdog.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <limits>

namespace kumihimo::inline v0::mruby {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t idle = 30 * second;  // between two looks when nobody has a deadline
// Between two signals to one thread. Most of a script's time may be spent in libc, where it is not left: many are
// needed to meet it outside. One that waits in a system call is not to be woken as often for ever.
constexpr std::int64_t pause = second / 5'000;
constexpr std::int64_t longer_pause = second / 20;
constexpr int many = 10'000;
constexpr std::int64_t looking = std::numeric_limits<std::int64_t>::max();

std::int64_t now() noexcept {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * second + t.tv_nsec;
}

}  // namespace

std::atomic<std::int64_t> watchdog::next_look_{looking};

// Lives as long as the process: its thread does.
struct watchdog::all {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed;
    watched* first = nullptr;
    pid_t process = 0;  // whose thread works; another one's after a fork
    int signal = 0;

    all() noexcept {
        pthread_condattr_t monotonic;
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(&changed, &monotonic);
        pthread_condattr_destroy(&monotonic);
    }
};

watchdog::all& watchdog::of_process() noexcept {
    alignas(all) static unsigned char memory[sizeof(all)];
    static all* const one = new (memory) all;
    return *one;
}

// The lock, with signals kept back: from a signal's handler the thread may leave the run around the one that begins
// here, by siglongjmp.
class watchdog::locked {
public:
    explicit locked(all& a) noexcept : all_(a) {
        sigset_t every;
        sigfillset(&every);
        pthread_sigmask(SIG_SETMASK, &every, &before_);
        pthread_mutex_lock(&a.mutex);
    }
    ~locked() {
        pthread_mutex_unlock(&all_.mutex);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    locked(const locked&) = delete;
    locked& operator=(const locked&) = delete;

private:
    all& all_;
    sigset_t before_;
};

// Under the lock: the new thread has no signals either.
bool watchdog::start(all& a, int signal) noexcept {
    if (a.process == getpid()) return true;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    a.first = nullptr;
    a.signal = signal;
    pthread_t made;
    const bool started = pthread_create(&made, &attributes, work, &a) == 0;
    pthread_attr_destroy(&attributes);
    if (started) a.process = getpid();
    return started;
}

bool watchdog::start(int signal) noexcept {
    all& a = of_process();
    const locked here(a);
    return start(a, signal);
}

bool watchdog::add(watched& w, int signal) noexcept {
    all& a = of_process();
    const locked here(a);
    if (!start(a, signal)) return false;
    w.thread = static_cast<pid_t>(syscall(SYS_gettid));
    // What may be forbidden (seccomp) is tried at once, without a signal: later nobody would hear of it.
    if (syscall(SYS_tgkill, a.process, w.thread, 0) != 0) return false;
    w.next = a.first;
    a.first = &w;
    return true;
}

void watchdog::remove(watched& w) noexcept {
    all& a = of_process();
    const locked here(a);
    for (watched** p = &a.first; *p != nullptr; p = &(*p)->next) {
        if (*p != &w) continue;
        *p = w.next;
        break;
    }
}

void watchdog::wake() noexcept {
    all& a = of_process();
    const locked here(a);
    pthread_cond_signal(&a.changed);
}

// Signals who is late. When to look again.
std::int64_t watchdog::look(all& a, std::int64_t now) noexcept {
    std::int64_t next = now + idle;
    for (watched* w = a.first; w != nullptr; w = w->next) {
        const std::int64_t due = w->due.load(std::memory_order_seq_cst);
        if (due == 0 || due > now || w->knows.load(std::memory_order_relaxed)) {
            w->again = 0;
            w->told = 0;
            if (due > now) next = std::min(next, due);
            continue;
        }
        if (now >= w->again) {
            syscall(SYS_tgkill, a.process, w->thread, a.signal);
            w->again = now + (++w->told < many ? pause : longer_pause);
        }
        next = std::min(next, w->again);
    }
    return next;
}

void* watchdog::work(void* argument) {
    all& a = *static_cast<all*>(argument);
    pthread_mutex_lock(&a.mutex);
    for (;;) {
        // While it looks, whoever begins a run sees that it must say so, or is seen.
        next_look_.store(looking, std::memory_order_seq_cst);
        const std::int64_t next = look(a, now());
        next_look_.store(next, std::memory_order_seq_cst);
        timespec until{};
        until.tv_sec = next / second;
        until.tv_nsec = next % second;
        pthread_cond_timedwait(&a.changed, &a.mutex, &until);
    }
    return nullptr;
}

}  // namespace kumihimo::inline v0::mruby
