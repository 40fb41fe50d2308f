// What a run has opened, in a list of its own outside the VM, so that it is closed behind the run wherever that was
// left: the descriptors, the programs that it has started, and libc's lists of addresses. The system calls of mruby's
// gems enter it (system_calls.cpp).
//
// mruby's own finalizers are not asked: a run may have been left before an IO had its descriptor, and its VM's memory
// may be in any state.
#pragma once
#include <netdb.h>
#include <sys/types.h>

#include <vector>

namespace kumihimo::inline v0::mruby {

class descriptors {
public:
    /// Of the calling thread's run; null outside.
    static descriptors* of_run() noexcept;

    /// While one exists, what the thread's mruby opens goes here. They nest.
    class use {
    public:
        explicit use(descriptors&) noexcept;
        ~use();
        use(const use&) = delete;
        use& operator=(const use&) = delete;

    private:
        descriptors* outer_;
    };
    /// A child of fork() begins without a list: what it opens is its own, and it may close all that it has from its
    /// parent.
    static void in_child() noexcept;

    // These inside a host_section. False: there is no memory for it.
    bool note(int number) noexcept;
    bool note_program(pid_t) noexcept;
    bool note_addresses(addrinfo*) noexcept;
    /// False: it was not here.
    bool forget(int number) noexcept;
    bool forget_addresses(addrinfo*) noexcept;
    void forget_program(pid_t) noexcept;

    /// Where a call that waits leaves its descriptor, by one instruction, until it is noted; less than 0: there is
    /// none.
    int* opening() noexcept { return &opening_; }

    bool any() const noexcept { return opening_ >= 0 || !numbers_.empty() || !programs_.empty() || !addresses_.empty(); }
    /// Closes and frees all. A program that was not waited for is ended with all that it has started.
    void close_all() noexcept;

private:
    int opening_ = -1;
    std::vector<int> numbers_;
    std::vector<pid_t> programs_;
    std::vector<addrinfo*> addresses_;
};

}  // namespace kumihimo::inline v0::mruby
