// Where the system refuses to change what may be written: it has no more mappings, or no memory for them. An arena
// then says so, or goes on with an image that is saved as a whole; it never loses a byte of it, and never ends the
// process.
#include <doctest/doctest.h>

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <string>

#include "../vm/arena.hpp"
#include "../vm/deadline.hpp"

using kumihimo::mruby::arena;
using kumihimo::mruby::deadline;

namespace {

constexpr std::size_t MB = std::size_t{1} << 20, pages = 400;

// Whether the next call is refused, by what it asks for.
bool (*is_refused)(int rights) = nullptr;
unsigned refused = 0;
std::mt19937 coin(5);

bool to_read(int rights) { return rights == PROT_READ; }
bool to_write(int rights) { return rights != PROT_READ; }
bool any(int) { return true; }
bool some(int) { return coin() % 3 == 0; }
bool some_to_read(int rights) { return rights == PROT_READ && coin() % 2 == 0; }

}  // namespace

// In the place of the C library's, for all of this program.
extern "C" int mprotect(void* at, std::size_t size, int rights) noexcept {
    if (is_refused != nullptr && is_refused(rights)) {
        ++refused;
        errno = ENOMEM;
        return -1;
    }
    return static_cast<int>(syscall(SYS_mprotect, at, size, rights));
}

namespace {

struct image {
    arena a;
    char* at = nullptr;
    std::string was;

    image() {
        is_refused = nullptr;
        refused = 0;
        REQUIRE(a.open(64 * MB));
        at = static_cast<char*>(a.allocate(nullptr, pages * arena::page));
        REQUIRE(at != nullptr);
        for (std::size_t i = 0; i < pages * arena::page; ++i) at[i] = static_cast<char>(i * 7 >> 6);
        was.assign(at, pages * arena::page);
    }
    ~image() { is_refused = nullptr; }
    bool is_as_it_was() const { return std::memcmp(at, was.data(), was.size()) == 0; }

    /// A run that writes: whether it came to its end. It is left where a fault is not the arena's.
    template <class Write>
    bool run(Write&& write) {
        const arena::use here(a);
        deadline::run r;
        volatile bool ended = false;
        if (sigsetjmp(r.back, 0) == 0) {
            if (!deadline::here().begin(r, 60'000'000'000)) return false;
            write();
            deadline::here().end(r);
            ended = true;
        } else {
            deadline::here().landed(r);
        }
        sigset_t blocked;
        REQUIRE(pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0);
        CHECK_FALSE(sigismember(&blocked, SIGSEGV));
        return ended;
    }
    void write(std::size_t page, char what) const { *static_cast<volatile char*>(at + page * arena::page) = what; }
};

}  // namespace

TEST_CASE("an image that cannot be protected is saved as a whole") {
    image i;
    is_refused = to_read;
    REQUIRE(i.a.commit());
    CHECK(refused == 1);
    for (int run = 0; run < 600; ++run) {
        CHECK(i.run([&] { i.write(static_cast<std::size_t>(run * 31) % pages, 'x'); }));
        REQUIRE(i.a.restore());
        REQUIRE(i.is_as_it_was());
    }
    CHECK(i.a.pages_copied() == i.a.image() / arena::page);
    is_refused = nullptr;
    for (int run = 0; run < 600; ++run) {
        CHECK(i.run([&] { i.write(3, 'x'); }));
        REQUIRE(i.a.restore());
    }
    CHECK(i.a.pages_copied() < 4);
    CHECK(i.is_as_it_was());
}

TEST_CASE("an image that can neither be protected nor be said to be writable is refused") {
    image i;
    is_refused = any;
    CHECK_FALSE(i.a.commit());
}

TEST_CASE("a page that cannot be made writable ends the run, and the image is there for the next") {
    image i;
    REQUIRE(i.a.commit());
    REQUIRE(i.run([&] { i.write(2, 'x'), i.write(90, 'x'); }));
    const std::size_t saved = i.a.pages_copied();
    is_refused = to_write;
    CHECK_FALSE(i.run([&] { i.write(2, 'y'), i.write(40, 'y'), i.write(41, 'y'); }));
    CHECK(refused >= 2);  // the page, and then all of them
    CHECK(i.a.pages_copied() == saved);
    // What is said to be writable is: nothing else is copied back to.
    REQUIRE(i.a.restore());
    CHECK(i.is_as_it_was());
    is_refused = nullptr;
    REQUIRE(i.run([&] {
        for (std::size_t n = 0; n < pages; n += 7) i.write(n, 'z');
    }));
    REQUIRE(i.a.restore());
    CHECK(i.is_as_it_was());
}

TEST_CASE("where not all can be protected again, all of it is writable and saved") {
    for (const auto refuses : {to_read, some_to_read, some}) {
        image i;
        REQUIRE(i.a.commit());
        std::mt19937 random(9);
        unsigned ended = 0, runs = 0;
        // More than lie between two looks at what is still written.
        for (; runs < 1500; ++runs) {
            is_refused = refuses;
            ended += i.run([&] {
                for (unsigned n = 0; n < 6; ++n) i.write(random() % pages, 'x');
            });
            const bool restored = i.a.restore();
            is_refused = nullptr;
            if (!restored) {
                CHECK((refuses == some));  // nothing can be done where writing is refused as well
                break;
            }
            if (!i.is_as_it_was()) FAIL("the image is not what it was after run " << runs);
        }
        CHECK(refused > 0);
        if (refuses != some) CHECK(ended == runs);
    }
}
