// Signals of a thread's own doing: a page of an image is written to for the first time, or mruby goes wrong.
#pragma once
#include <csignal>

#include "arena.hpp"
#include "earlier_handler.hpp"

namespace kumihimo::inline v0::mruby {

struct fault {
    static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    static constexpr std::size_t count = sizeof signals / sizeof *signals;
    static thread_local arena* expected;  // whose image this thread may be writing to
    static earlier_handler before[count];
    static void on_fault(int, siginfo_t*, void*) noexcept;
    static bool ready() noexcept;
    static bool save(arena& a, const void* p) noexcept {
        return a.in_image(p) && a.save(static_cast<std::size_t>(static_cast<const char*>(p) - a.begin_) / arena::page);
    }
};

}  // namespace kumihimo::inline v0::mruby
