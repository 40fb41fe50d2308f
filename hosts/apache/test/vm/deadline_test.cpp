#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "mruby/deadline.hpp"

using namespace kumihimo::mruby;

namespace {

constexpr std::int64_t ms = 1'000'000;

// Runs `work` under a limit; true if it came to its end. No inlining: nothing of the caller's is in registers over the jump.
template <class F>
[[gnu::noinline]] bool finishes(std::int64_t limit, F work) {
    static thread_local deadline::run all[4];
    static thread_local int depth = 0;
    deadline::run& r = all[depth++];
    deadline& clock = deadline::here();
    if (sigsetjmp(r.back, 0) != 0) {
        clock.landed(r);
        --depth;
        return false;
    }
    clock.begin(r, limit);
    work();
    clock.end(r);
    --depth;
    return true;
}

void spin() {
    for (;;) asm volatile("");
}
void spin_for(std::int64_t time) {
    for (const std::int64_t end = deadline::now() + time; deadline::now() < end;) {
    }
}

}  // namespace

TEST_CASE("a loop is left, a short run is not, again and again") {
    for (int i = 0; i < 20; ++i) {
        CHECK(finishes(10'000 * ms, [] {}));
        CHECK_FALSE(finishes(3 * ms, spin));
        CHECK(finishes(0, [] { spin_for(5 * ms); }));
    }
    CHECK(deadline::here().running() == nullptr);
}

TEST_CASE("a run that begins late has its whole time") {
    // The timer of the first run is still set when the second begins.
    CHECK(finishes(20 * ms, [] {}));
    CHECK(finishes(10'000 * ms, [] { spin_for(60 * ms); }));
}

TEST_CASE("a host_section is finished before the run is left") {
    static volatile int at = 0;
    CHECK_FALSE(finishes(3 * ms, [] {
        at = 1;
        {
            const host_section whole;
            {
                const host_section inner;
                spin_for(10 * ms);
            }
            at = 2;
        }
        at = 3;
    }));
    CHECK(at == 2);
}

TEST_CASE("time spent waiting is not the script's") {
    CHECK(finishes(20 * ms, [] {
        const waiting_section waits;
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
    }));
    // Work is, in such a section too.
    CHECK_FALSE(finishes(20 * ms, [] {
        for (;;) {
            const waiting_section waits;
            spin_for(ms);
        }
    }));
    CHECK_FALSE(finishes(20 * ms, [] {
        { const waiting_section waits; }
        spin();
    }));
}

TEST_CASE("a loop in the C library is left between two calls") {
    static char block[1 << 16];
    CHECK_FALSE(finishes(3 * ms, [] {
        for (;;) {
            std::memset(block, 1, sizeof block);
            asm volatile("" : : "r"(block) : "memory");
        }
    }));
}

TEST_CASE("an inner run's end leaves the outer one alone, and the outer has its own limit") {
    CHECK(finishes(10'000 * ms, [] { CHECK_FALSE(finishes(3 * ms, spin)); }));
    CHECK_FALSE(finishes(30 * ms, [] {
        CHECK_FALSE(finishes(3 * ms, spin));
        spin();
    }));
}

TEST_CASE("what an inner run sleeps is the outer one's time, what it waits is not") {
    const auto sleep = [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); };
    CHECK_FALSE(finishes(50 * ms, [&] {
        for (;;) {
            const waiting_section waits;
            finishes(1'000 * ms, [&] {
                const host_section sleeps;
                sleep();
            });
        }
    }));
    CHECK(finishes(50 * ms, [&] {
        for (int i = 0; i < 12; ++i) {
            const waiting_section waits;
            finishes(1'000 * ms, [&] {
                const waiting_section waits_too;
                sleep();
            });
        }
    }));
}

TEST_CASE("each thread has its own") {
    std::thread other([] {
        CHECK_FALSE(finishes(5 * ms, spin));
        CHECK_FALSE(finishes(5 * ms, spin));
    });
    CHECK(finishes(10'000 * ms, [] { spin_for(20 * ms); }));
    other.join();
    std::thread last([] { CHECK_FALSE(finishes(5 * ms, spin)); });
    last.join();
}
