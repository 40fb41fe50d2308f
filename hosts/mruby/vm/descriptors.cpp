#include "descriptors.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <mutex>
#include <new>

namespace kumihimo::inline v0::mruby {
namespace {

thread_local descriptors* current = nullptr;

template <class T>
bool add_to(std::vector<T>& list, T what) noexcept {
    try {
        list.push_back(what);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

// What was noted last is mostly what goes first.
template <class T>
bool take_from(std::vector<T>& list, T what) noexcept {
    const auto found = std::find(list.rbegin(), list.rend(), what);
    if (found == list.rend()) return false;
    *found = list.back();
    list.pop_back();
    return true;
}

// Also true if it is no child of this process's, or no more.
bool has_ended(pid_t program) noexcept {
    int status;
    return ::waitpid(program, &status, WNOHANG) != 0;
}

// Of the process: programs that have not ended yet, though their run has. One too many is forgotten, and stays a
// zombie.
class left_over_programs {
public:
    static void add(pid_t program) noexcept {
        const std::lock_guard lock(mutex_);
        if (n_ < sizeof all_ / sizeof *all_) all_[n_++] = program;
        any_.store(true, std::memory_order_relaxed);
    }
    static void ask_again() noexcept {
        if (!any_.load(std::memory_order_relaxed)) return;
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) return;  // another thread asks, or did when this child was forked
        n_ = static_cast<std::size_t>(std::remove_if(all_, all_ + n_, has_ended) - all_);
        any_.store(n_ != 0, std::memory_order_relaxed);
    }

private:
    static inline std::mutex mutex_;
    static inline std::atomic<bool> any_{false};
    static inline pid_t all_[256];
    static inline std::size_t n_ = 0;
};

// A program that the script did not wait for ends with it and all that it has started, and is no zombie of the
// server's. As long as nobody has asked for its status, its number is no other's, nor its group's. One that has other
// rights is left alone. One that does not end at once is in a call that nothing breaks off (a network's file system):
// it is asked for again behind later runs, whichever thread's.
void end_program(pid_t leader) noexcept {
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(leader), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return;
    ::kill(-leader, SIGKILL);
    constexpr long first_wait = 50'000, longest_wait = 400'000'000;  // nanoseconds: 0.8 s in all
    bool gone = has_ended(leader);
    if (::kill(leader, SIGKILL) == 0) {
        for (long wait = first_wait; !gone && wait < longest_wait; wait *= 2) {
            const timespec time{0, wait};
            ::nanosleep(&time, nullptr);
            gone = has_ended(leader);
        }
    }
    if (!gone) left_over_programs::add(leader);
}

}  // namespace

descriptors* descriptors::of_run() noexcept { return current; }
void descriptors::in_child() noexcept { current = nullptr; }

descriptors::use::use(descriptors& d) noexcept : outer_(current) { current = &d; }
descriptors::use::~use() { current = outer_; }

bool descriptors::note(int number) noexcept { return add_to(numbers_, number); }
bool descriptors::note_program(pid_t number) noexcept { return add_to(programs_, number); }
bool descriptors::note_addresses(addrinfo* list) noexcept { return add_to(addresses_, list); }
bool descriptors::forget(int number) noexcept { return take_from(numbers_, number); }
bool descriptors::forget_addresses(addrinfo* list) noexcept { return take_from(addresses_, list); }
void descriptors::forget_program(pid_t number) noexcept { take_from(programs_, number); }

void descriptors::close_all() noexcept {
    if (opening_ >= 0) ::close(opening_);
    opening_ = -1;
    while (!numbers_.empty()) {
        const int number = numbers_.back();
        numbers_.pop_back();
        ::close(number);
    }
    while (!programs_.empty()) {
        const pid_t number = programs_.back();
        programs_.pop_back();
        end_program(number);
    }
    while (!addresses_.empty()) {
        addrinfo* const list = addresses_.back();
        addresses_.pop_back();
        ::freeaddrinfo(list);
    }
    left_over_programs::ask_again();
}

}  // namespace kumihimo::inline v0::mruby
