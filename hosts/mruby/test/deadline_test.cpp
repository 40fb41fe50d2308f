#include <doctest/doctest.h>

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "../vm/deadline.hpp"

using namespace kumihimo::mruby;

namespace {

constexpr std::int64_t ms = 1'000'000;

// Runs `work` under a limit; true if it came to its end. No inlining: nothing of the caller's is in registers over the
// jump.
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

// Whoever looks at the clock may wait for a processor.
void spin_until_late() {
    for (const std::int64_t end = deadline::now() + 20'000 * ms; !deadline::here().late() && deadline::now() < end;) {
    }
}

volatile std::sig_atomic_t passed_on = 0;
sigjmp_buf out_of_handler;

}  // namespace

// The first of all: before it this process has no handler of the deadline's.
TEST_CASE("a signal that is not the deadline's goes to the handler that was there") {
    const auto count = [](int) { passed_on = passed_on + 1; };
    std::signal(SIGURG, count);
    CHECK(finishes(10'000 * ms, [] {}));
    std::raise(SIGURG);
    CHECK(passed_on == 1);
    CHECK_FALSE(finishes(3 * ms, spin));
    std::thread([] { std::raise(SIGURG); }).join();  // one that has never run a script
    CHECK(passed_on >= 2);
    // Whoever takes its place later gets the same.
    struct sigaction ours {
    }, theirs{};
    sigaction(SIGURG, nullptr, &ours);
    passed_on = 0;
    std::signal(SIGURG, count);
    std::thread([] { CHECK_FALSE(finishes(3 * ms, spin)); }).join();
    sigaction(SIGURG, nullptr, &theirs);
    const bool again = theirs.sa_sigaction == ours.sa_sigaction;
    CHECK(again);
    passed_on = 0;
    std::raise(SIGURG);
    CHECK(passed_on == 1);
    // A handler that calls ours in its turn does not do so for ever.
    static struct sigaction before;
    const auto both = [](int signal, siginfo_t* info, void* context) {
        passed_on = passed_on + 1;
        before.sa_sigaction(signal, info, context);
    };
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = both;
    sigaction(SIGURG, &action, &before);
    std::thread([] { CHECK(finishes(10'000 * ms, [] {})); }).join();
    passed_on = 0;
    std::raise(SIGURG);
    CHECK(passed_on == 1);
    CHECK_FALSE(finishes(3 * ms, spin));
}

TEST_CASE("a handler that leaves by siglongjmp has each signal") {
    std::signal(SIGURG, [](int) {
        passed_on = passed_on + 1;
        siglongjmp(out_of_handler, 1);
    });
    REQUIRE(deadline::prepare());
    passed_on = 0;
    static int i;  // in memory, over the jumps
    for (i = 0; i < 3; ++i) {
        if (sigsetjmp(out_of_handler, 1) == 0) std::raise(SIGURG);
    }
    CHECK(passed_on == 3);
    std::signal(SIGURG, SIG_DFL);  // other threads cannot leave to here
    REQUIRE(deadline::prepare());
}

// Of one handler's address and another's flags nothing good would come: one of the two that are put there is SIG_IGN,
// which is 1.
TEST_CASE("handlers are replaced while signals come") {
    static std::atomic<int> wrong{0};
    std::atomic<bool> over{false};
    REQUIRE(deadline::prepare());
    std::thread other([&] {
        while (!over) std::raise(SIGURG);
    });
    for (int i = 0; i < 20'000; ++i) {
        struct sigaction theirs {};
        if (i % 2 == 0) {
            theirs.sa_flags = SA_SIGINFO;
            theirs.sa_sigaction = [](int signal, siginfo_t* info, void* context) {
                if (signal != SIGURG || info->si_signo != SIGURG || context == nullptr) ++wrong;
            };
        } else {
            theirs.sa_handler = SIG_IGN;
        }
        sigaction(SIGURG, &theirs, nullptr);
        if (!deadline::prepare()) ++wrong;
    }
    over = true;
    other.join();
    CHECK(wrong == 0);
}

TEST_CASE("a limit of pending signals is none of the deadline's") {
    rlimit before{};
    getrlimit(RLIMIT_SIGPENDING, &before);
    const rlimit none{0, before.rlim_max};
    setrlimit(RLIMIT_SIGPENDING, &none);
    bool left = false;
    left = !finishes(3 * ms, [] { spin_for(3'000 * ms); });
    CHECK(left);
    setrlimit(RLIMIT_SIGPENDING, &before);
}

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

TEST_CASE("the limit that ends first is the reason, whoever looks when") {
    const auto why = [](std::int64_t limit, std::int64_t in_all) {
        static deadline::run r;
        deadline& clock = deadline::here();
        if (const int reason = sigsetjmp(r.back, 0); reason != 0) {
            clock.landed(r);
            return reason;
        }
        clock.begin(r, limit, {in_all, nullptr, nullptr});
        {
            // Both are over when it ends.
            const host_section section;
            spin_for(20 * ms);
        }
        spin();
        return 0;
    };
    CHECK(why(2 * ms, 4 * ms) == deadline::over_time);
    CHECK(why(4 * ms, 2 * ms) == deadline::over_all);
    CHECK(why(0, 2 * ms) == deadline::over_all);
    CHECK(why(2 * ms, 0) == deadline::over_time);
}

TEST_CASE("a run within another has the time in all that ends first") {
    constexpr std::int64_t hour = std::int64_t{3'600'000} * ms;
    static deadline::run outer, inner;
    deadline& clock = deadline::here();
    int given_up = 0;
    const deadline::whole_time within_an_hour{hour, [](void* n) noexcept { ++*static_cast<int*>(n); }, &given_up};
    clock.begin(outer, 0, within_an_hour);
    clock.begin(inner, 0, {2 * hour, nullptr, nullptr});
    CHECK(inner.whole.nanoseconds == hour);
    CHECK(inner.due_in_all == outer.due_in_all);
    CHECK(inner.whole.argument == &given_up);
    clock.end(inner);
    clock.begin(inner, 0, {hour / 2, nullptr, nullptr});
    CHECK(inner.whole.nanoseconds == hour / 2);
    CHECK(inner.due_in_all < outer.due_in_all);
    CHECK(inner.whole.argument == &given_up);
    clock.end(inner);
    clock.begin(inner, 0);
    CHECK(inner.whole.nanoseconds == hour);
    clock.end(inner);
    clock.end(outer);
    clock.begin(inner, 0);  // what it was is forgotten
    CHECK(inner.due_in_all == 0);
    clock.end(inner);
}

TEST_CASE("a host_section is finished before the run is left") {
    static volatile int at = 0;
    CHECK_FALSE(finishes(3 * ms, [] {
        at = 1;
        {
            const host_section whole;
            {
                const host_section inner;
                spin_until_late();
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
    // Its time was over before the inner run's end, and no section will come to one.
    CHECK_FALSE(finishes(20 * ms, [] {
        CHECK(finishes(10'000 * ms, [] { spin_for(60 * ms); }));
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
