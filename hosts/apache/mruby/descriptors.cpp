#include "descriptors.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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

// A program that the script did not wait for ends with it and all that it has started, and is no zombie of the server's. As
// long as nobody has asked for its status, its number is no other's, nor its group's. One that has other rights is left alone.
void end_program(pid_t leader) noexcept {
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(leader), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return;
    ::kill(-leader, SIGKILL);
    int status;
    ::waitpid(leader, &status, ::kill(leader, SIGKILL) == 0 ? 0 : WNOHANG);
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
}

}  // namespace kumihimo::inline v0::mruby
