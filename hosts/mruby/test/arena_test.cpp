#include <doctest/doctest.h>

#include <signal.h>

#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include "../vm/arena.hpp"
#include "../vm/deadline.hpp"

using kumihimo::mruby::allow_mappings;
using kumihimo::mruby::arena;
using kumihimo::mruby::mappings_allowed;
using kumihimo::mruby::mappings_taken;

namespace {

constexpr std::size_t MB = std::size_t{1} << 20;

// Blocks as a model of what is in them: every block is filled with a byte of its own.
struct model {
    arena& of;
    std::map<unsigned char*, std::pair<std::size_t, unsigned char>> blocks;
    std::mt19937 random{7};
    unsigned char next = 1;

    std::size_t size() {
        const unsigned bits = std::uniform_int_distribution<unsigned>(1, 17)(random);
        return std::uniform_int_distribution<std::size_t>(1, std::size_t{1} << bits)(random);
    }
    static void check(const unsigned char* p, std::size_t n, unsigned char with) {
        for (std::size_t i = 0; i < n; ++i)
            if (p[i] != with) FAIL("a byte of a block changed");
    }
    void step() {
        const unsigned what = std::uniform_int_distribution<unsigned>(0, 9)(random);
        if (what < 4 || blocks.empty()) {
            const std::size_t n = size();
            auto* const p = static_cast<unsigned char*>(of.allocate(nullptr, n));
            REQUIRE(p != nullptr);
            REQUIRE(reinterpret_cast<std::uintptr_t>(p) % 16 == 0);
            std::memset(p, ++next, n);
            REQUIRE(blocks.emplace(p, std::pair{n, next}).second);
            return;
        }
        auto at = blocks.begin();
        std::advance(at, std::uniform_int_distribution<std::size_t>(0, blocks.size() - 1)(random));
        auto [p, had] = *at;
        check(p, had.first, had.second);
        blocks.erase(at);
        if (what < 7) {
            CHECK(of.allocate(p, 0) == nullptr);
            return;
        }
        const std::size_t n = size();
        auto* const moved = static_cast<unsigned char*>(of.allocate(p, n));
        REQUIRE(moved != nullptr);
        check(moved, std::min(n, had.first), had.second);
        std::memset(moved, had.second, n);
        REQUIRE(blocks.emplace(moved, std::pair{n, had.second}).second);
    }
    void check_all() const {
        const unsigned char* end = nullptr;
        for (const auto& [p, b] : blocks) {
            CHECK(p >= end);
            end = p + b.first;
            check(p, b.first, b.second);
        }
    }
};

// The system's own list.
/// Of the addresses [from, from + size), as the system counts.
std::size_t mappings_of(const void* from, std::size_t size) {
    const auto low = reinterpret_cast<std::uintptr_t>(from);
    std::ifstream maps("/proc/self/maps");
    std::size_t n = 0;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t begin = 0, end = 0;
        char dash = 0;
        std::istringstream(line) >> std::hex >> begin >> dash >> end;
        n += begin < low + size && end > low;
    }
    return n;
}

std::string bytes(const void* p, std::size_t n) { return {static_cast<const char*>(p), n}; }

}  // namespace

TEST_CASE("blocks keep their bytes, do not overlap, and are aligned") {
    arena a;
    REQUIRE(a.open(512 * MB));
    model m{a, {}};
    for (int i = 0; i < 20000; ++i) m.step();
    m.check_all();
}

TEST_CASE("restore brings every byte of the image back, whatever a run did") {
    arena a;
    REQUIRE(a.open(256 * MB));
    const arena::use here(a);
    model image{a, {}};
    for (int i = 0; i < 3000; ++i) image.step();
    REQUIRE(a.commit());
    const char* const begin = static_cast<char*>(a.allocate(nullptr, 1)) - 16 - a.image();
    a.restore();
    const std::string before = bytes(begin, a.image());
    std::mt19937 random(3);
    // More runs than lie between two looks at which pages are still written.
    for (int run = 0; run < 600; ++run) {
        model m = image;
        m.random.seed(static_cast<unsigned>(run));
        const int steps = run % 50 == 0 ? 2000 : 20;
        for (int i = 0; i < steps; ++i) m.step();
        m.check_all();
        auto* const any = const_cast<char*>(begin) + random() % a.image();
        *any = static_cast<char>(*any + 1);
        a.restore();
        CHECK(a.taken() < a.image() + 16);
        if (bytes(begin, a.image()) != before) FAIL("the image is not what it was after run " << run);
    }
    CHECK(a.pages_copied() < a.image() / arena::page);
}

TEST_CASE("what is committed later belongs to the image, and memory free in it is used") {
    arena a;
    REQUIRE(a.open(64 * MB));
    const arena::use here(a);
    void* const first = a.allocate(nullptr, 20000);
    void* const last = a.allocate(nullptr, 100);
    std::memset(last, 1, 100);
    a.allocate(first, 0);
    REQUIRE(a.commit());
    const std::size_t size = a.image();
    std::memset(last, 2, 100);
    a.restore();
    CHECK(bytes(last, 100) == std::string(100, '\1'));

    a.extend_image();
    void* const second = a.allocate(nullptr, 19999);
    CHECK(second == first);
    std::memset(second, 7, 19999);
    REQUIRE(a.commit());
    CHECK(a.image() == size);
    std::memset(second, 9, 19999);
    a.restore();
    CHECK(bytes(second, 19999) == std::string(19999, '\7'));

    a.extend_image();
    std::memset(second, 8, 19999);
    a.restore();
    CHECK(bytes(second, 19999) == std::string(19999, '\7'));
}

TEST_CASE("an image larger than the list of pages is saved as a whole, and protected again later") {
    arena a;
    REQUIRE(a.open(256 * MB));
    const arena::use here(a);
    constexpr std::size_t n = 16 * MB;
    auto* const all = static_cast<unsigned char*>(a.allocate(nullptr, n));
    for (std::size_t i = 0; i < n; i += 64) all[i] = static_cast<unsigned char>(i >> 6);
    REQUIRE(a.commit());
    for (int run = 0; run < 3; ++run) {
        for (std::size_t i = 0; i < n; i += 1024) all[i] = 0xFF;
        a.restore();
        for (std::size_t i = 0; i < n; i += 64)
            if (all[i] != static_cast<unsigned char>(i >> 6)) FAIL("not restored");
    }
    for (int run = 0; run < 300; ++run) {
        all[0] = 1;
        a.restore();
    }
    CHECK(a.pages_copied() < 16);
    CHECK(all[0] == 0);
}

// Wherever a run writes in its image, the system keeps few mappings for it.
TEST_CASE("an image falls into few pieces") {
    const std::size_t taken = mappings_taken();
    arena a;
    REQUIRE(a.open(256 * MB));
    const arena::use here(a);
    constexpr std::size_t n = 4 * MB;
    auto* const all = static_cast<unsigned char*>(a.allocate(nullptr, n));
    for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<unsigned char>(i * 7 >> 6);
    const std::string image = bytes(all, n);
    REQUIRE(a.commit());
    CHECK(mappings_of(all, 255 * MB) <= a.mappings());
    std::mt19937 random(11);
    for (int run = 0; run < 700; ++run) {
        const auto writes = std::uniform_int_distribution<unsigned>(0, run % 7 == 0 ? 300 : 12)(random);
        for (unsigned i = 0; i < writes; ++i) all[random() % n] ^= 1;
        CHECK(a.mappings() <= arena::most_mappings);
        CHECK(mappings_of(all, 255 * MB) <= a.mappings());
        CHECK(mappings_taken() == taken + a.mappings());
        a.restore();
        if (bytes(all, n) != image) FAIL("the image is not what it was after run " << run);
    }
    // What was joined for runs that are over is protected again.
    for (int run = 0; run < 600; ++run) {
        all[0] ^= 1;
        a.restore();
    }
    CHECK(a.pages_copied() < 4);
    a.close();
    CHECK(mappings_taken() == taken);
}

// The handler of faults copies as much as a joined piece is long. A run that was left there would leave its thread
// with all signals blocked: no limit of time would hold in it any more, and its next fault would end the process.
TEST_CASE("a run that is late is not left where a page is saved") {
    constexpr std::size_t pages = 400, apart = 40;
    using kumihimo::mruby::deadline;
    arena a;
    REQUIRE(a.open(16 * MB));
    auto* const p = static_cast<volatile char*>(a.allocate(nullptr, pages * arena::page));
    const bool there = p != nullptr && a.commit();
    REQUIRE(there);
    const arena::use here(a);
    deadline::run r;
    bool left = true;
    if (sigsetjmp(r.back, 0) == 0) {
        REQUIRE(deadline::here().begin(r, 60'000'000'000));
        r.late = true;
        for (std::size_t i = 0; i < pages; i += apart) p[i * arena::page] = 'x';
        deadline::here().end(r);
        left = false;
    } else {
        deadline::here().landed(r);
    }
    CHECK_FALSE(left);
    CHECK(a.pages_copied() > apart);
    sigset_t blocked;
    REQUIRE(pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0);
    CHECK_FALSE(sigismember(&blocked, SIGSEGV));
    CHECK_FALSE(sigismember(&blocked, SIGURG));
}

TEST_CASE("where mappings are few an image is one piece, and comes apart again") {
    const std::size_t before = mappings_allowed();
    arena a;
    REQUIRE(a.open(256 * MB));
    const arena::use here(a);
    constexpr std::size_t n = MB;
    auto* const all = static_cast<unsigned char*>(a.allocate(nullptr, n));
    std::memset(all, 3, n);
    REQUIRE(a.commit());
    allow_mappings(2);
    for (int run = 0; run < 600; ++run) {
        all[5000 * static_cast<std::size_t>(run % 200)] = 9;
        CHECK(a.mappings() == 4);
        CHECK(a.pages_copied() == a.image() / arena::page);
        a.restore();
        if (bytes(all, n) != std::string(n, '\3')) FAIL("not restored");
    }
    arena b;
    REQUIRE(b.open(64 * MB));
    b.allocate(nullptr, 100'000);
    REQUIRE(b.commit());
    CHECK(b.mappings() == 4);
    allow_mappings(before);
    for (int run = 0; run < 600; ++run) {
        all[0] = 9;
        a.restore();
    }
    CHECK(a.pages_copied() < 4);
    CHECK(all[0] == 3);
}

TEST_CASE("what runs take again and again stays, and goes when they do not") {
    arena a;
    REQUIRE(a.open(256 * MB));
    const arena::use here(a);
    a.allocate(nullptr, 1000);
    REQUIRE(a.commit());
    const auto take = [&a](std::size_t n, bool again = true) {
        a.limit_to(200 * MB, 200 * MB);
        std::memset(a.allocate(nullptr, n), 1, n);
        a.restore({}, again);
    };
    take(100 * MB);
    CHECK(a.held() < 4 * MB);  // once is not again
    for (int run = 0; run < 600; ++run) take(6 * MB);
    take(6 * MB);
    CHECK(a.held() > 6 * MB);
    CHECK(a.held() < 10 * MB);
    take(6 * MB, false);
    CHECK(a.held() < 4 * MB);
    for (int run = 0; run < 600; ++run) take(1000);
    CHECK(a.held() < 4 * MB);
    for (int run = 0; run < 3; ++run) take(150 * MB);
    CHECK(a.held() < 20 * MB);  // more than one may keep
}

TEST_CASE("the limit holds, and says when it was met") {
    arena a;
    REQUIRE(a.open(64 * MB));
    const arena::use here(a);
    a.allocate(nullptr, 1000);
    REQUIRE(a.commit());
    struct seen {
        int relief = 0, full = 0;
    } told;
    a.told = &told;
    a.on_relief = [](void* to) { ++static_cast<seen*>(to)->relief; };
    a.on_full = [](void* to) { ++static_cast<seen*>(to)->full; };
    for (int run = 1; run <= 2; ++run) {
        a.limit_to(2 * MB, MB);
        std::size_t got = 0;
        while (a.allocate(nullptr, 10000) != nullptr) got += 10000;
        CHECK(got > MB);
        CHECK(got <= 2 * MB);
        CHECK(told.relief == run);
        CHECK(told.full == run);
        a.restore();
    }
    CHECK(a.allocate(nullptr, static_cast<std::size_t>(-1)) == nullptr);
    CHECK(a.allocate(nullptr, static_cast<std::size_t>(-8)) == nullptr);
    CHECK(a.allocate(nullptr, std::size_t{1} << 62) == nullptr);
    CHECK(told.full == 5);
    // A block that cannot grow stays what it is.
    auto* const p = static_cast<char*>(a.allocate(nullptr, 100));
    std::memset(p, 5, 100);
    CHECK(a.allocate(p, 32 * MB) == nullptr);
    CHECK(bytes(p, 100) == std::string(100, '\5'));
}

TEST_CASE("where all is taken, the last block moves to one that is free, and large free blocks are cut") {
    arena a;
    REQUIRE(a.open(64 * MB));
    const arena::use here(a);
    a.allocate(nullptr, 1000);
    REQUIRE(a.commit());
    a.limit_to(4 * MB, 4 * MB);
    int full = 0;
    a.told = &full;
    a.on_full = [](void* to) { ++*static_cast<int*>(to); };
    std::vector<void*> large;
    while (void* const p = a.allocate(nullptr, 500'000)) large.push_back(p);
    REQUIRE(large.size() >= 7);
    REQUIRE(full == 1);
    auto* last = static_cast<char*>(a.allocate(nullptr, 40'000));
    REQUIRE(last != nullptr);
    std::memset(last, 7, 40'000);
    a.allocate(large[0], 0);
    last = static_cast<char*>(a.allocate(last, 500'000));
    REQUIRE(last == large[0]);
    CHECK(bytes(last, 40'000) == std::string(40'000, '\7'));
    // Its place and another's, in small pieces: none is lost, none overlaps another.
    a.allocate(large[1], 0);
    std::vector<char*> small;
    std::size_t got = 0;
    for (std::size_t n = 1;; n = n * 7 % 3001) {
        auto* const p = static_cast<char*>(a.allocate(nullptr, n));
        if (p == nullptr) break;
        std::memset(p, static_cast<int>(small.size() % 251), n);
        small.push_back(p);
        got += n;
    }
    CHECK(got > 400'000);
    CHECK(full == 2);
    for (std::size_t i = 0, n = 1; i < small.size(); ++i, n = n * 7 % 3001)
        REQUIRE(bytes(small[i], n) == std::string(n, static_cast<char>(i % 251)));
    // What lies side by side becomes one, once memory was refused.
    for (std::size_t i = 0; i < small.size(); ++i)
        if (i % 100 != 0) a.allocate(small[i], 0);
    for (std::size_t i = 2; i < large.size(); ++i) a.allocate(large[i], 0);
    auto* const whole = static_cast<char*>(a.allocate(nullptr, 2 * MB));
    REQUIRE(whole != nullptr);
    std::memset(whole, 9, 2 * MB);
    std::vector<char*> again;
    while (auto* const p = static_cast<char*>(a.allocate(nullptr, 1000))) {
        std::memset(p, 11, 1000);
        again.push_back(p);
    }
    CHECK(again.size() > 500);
    CHECK(full == 3);
    for (std::size_t i = 0, n = 1; i < small.size(); ++i, n = n * 7 % 3001)
        if (i % 100 == 0) REQUIRE(bytes(small[i], n) == std::string(n, static_cast<char>(i % 251)));
    for (char* const p : again) REQUIRE(bytes(p, 1000) == std::string(1000, '\13'));
    CHECK(bytes(whole, 2 * MB) == std::string(2 * MB, '\11'));
    CHECK(bytes(last, 40'000) == std::string(40'000, '\7'));
    REQUIRE(a.restore());
    a.limit_to(4 * MB, 4 * MB);
    CHECK(a.allocate(nullptr, 2 * MB) != nullptr);
}

TEST_CASE("memory goes back to the system after a large run") {
    arena a;
    REQUIRE(a.open(256 * MB));
    const arena::use here(a);
    a.allocate(nullptr, 1000);
    REQUIRE(a.commit());
    a.limit_to(200 * MB, 200 * MB);
    auto* const p = static_cast<char*>(a.allocate(nullptr, 100 * MB));
    REQUIRE(p != nullptr);
    std::memset(p, 1, 100 * MB);
    CHECK(a.held() > 100 * MB);
    a.restore();
    CHECK(a.held() < 4 * MB);
}

// mruby's list of what natives hold is granted more than the limit while it grows.
TEST_CASE("the end of the addresses is a limit, whatever the limit is") {
    arena a;
    REQUIRE(a.open(4 * MB));
    const arena::use here(a);
    a.allocate(nullptr, 1000);
    REQUIRE(a.commit());
    a.limit_to(64 * MB, 64 * MB);
    a.spare(64 * static_cast<std::ptrdiff_t>(MB));
    const std::string filled(10'000, '\1');
    std::size_t got = 0;
    for (void* p; got < 5 * MB && (p = a.allocate(nullptr, filled.size())) != nullptr; got += filled.size())
        std::memcpy(p, filled.data(), filled.size());
    CHECK(got > 3 * MB);
    CHECK(got < 4 * MB);
    CHECK(a.allocate(nullptr, 3 * MB) == nullptr);
    CHECK(a.taken() <= 4 * MB);
    CHECK(a.held() <= 4 * MB + a.pages_copied() * arena::page);
}

TEST_CASE("blocks that are to lie together lie within the addresses") {
    arena a;
    CHECK_FALSE(a.open(MB, {100, 2 * MB}));
    arena b;
    CHECK(b.open(4 * MB, {100, 2 * MB}));
}
