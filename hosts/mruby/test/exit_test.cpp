// A process that ends in the middle of a run, as httpd's prefork does from a signal's handler: exit() destroys nothing
// that the thread keeps, as the run may be at work on it, or within malloc.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <thread>

#include "../vm/thread_specific.hpp"
#include "scripts.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

namespace {

thread_local bool counts = false;  // constant: nothing to be destroyed
int freed = 0;

}  // namespace

// All that is freed by C++, and what PCRE2 frees: here, before the libraries are asked. Made here too, as the
// sanitizers want it.
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return std::malloc(n == 0 ? 1 : n); }
void* operator new(std::size_t n) {
    if (void* const p = operator new(n, std::nothrow)) return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept {
    if (counts && p != nullptr) ++freed;
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
extern "C" void pcre2_match_data_free_8(pcre2_match_data* p) {
    if (counts && p != nullptr) ++freed;  // and no more: nothing else is to come
}

namespace {

/// How many blocks the end of a thread frees that runs `text`, or exit() where `text` prints; -1 if the run ended
/// otherwise.
int freed_at_end(const std::string& text, bool exits) {
    struct ending final : surroundings {
        bool exits = false;
        void write(const char*, std::size_t) noexcept override {
            if (!exits) return;
            counts = true;
            std::exit(0);
        }
        void log(int, std::string_view) noexcept override {}
    };
    const pid_t child = fork();
    if (child == 0) {
        std::atexit([] { _exit(freed); });  // behind the thread_local objects, before the static ones
        // Of a thread that does nothing else: doctest keeps things for each thread, too.
        std::thread([&] {
            outcome how;
            {
                profile& made_with = *new profile;  // exit() must not find anything to destroy
                made_with.load_path = {std::filesystem::temp_directory_path()};
                const borrowed_vm v(made_with, how);
                from_text code{"exit.rb", text};
                code.keep = script::reuse::never;
                ending around;
                around.exits = exits;
                if (v.get() != nullptr) v.get()->run(code.as_script(), {}, &around, how);
            }
            if (exits || !how) _exit(255);
            counts = true;
        }).join();
        _exit(freed);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) < 254 ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("what a thread keeps is freed with it, and not by exit() in a run") {
    const std::string file = file_with("print 1");
    const std::string texts[] = {
        "print 1",
        "'abc'.gsub(/b/) { print 1 }",
        "print JSON.partial('{\"a\": [1, 2, 3]}', ['/a/1', '/a/2']).inspect",
        "require '" + file + "'",
    };
    for (const std::string& text : texts) {
        CAPTURE(text);
        CHECK(freed_at_end(text, false) > 0);
        CHECK(freed_at_end(text, true) == 0);
    }
    unlink(file.c_str());
}

TEST_CASE("what lies in a thread's own memory is destroyed at its end, what was made last first") {
    static std::string destroyed;
    struct noted {
        char name = '?';
        ~noted() { destroyed += name; }
    };
    static constinit thread_local thread_specific<noted> kept;
    static constinit thread_local thread_specific_ptr<noted> owned;
    static constinit thread_local thread_specific<noted> unused;
    std::thread([] {
        kept->name = 'a';
        owned.get()->name = 'b';
        kept->name = 'c';
        CHECK(destroyed.empty());
    }).join();
    CHECK(destroyed == "bc");
}

TEST_CASE("when the process ends within a run, it is not left and none begins") {
    deadline::run r;
    const int back = sigsetjmp(r.back, 0);
    REQUIRE(back == 0);
    REQUIRE(deadline::here().begin(r, 1'000'000));
    deadline::process_ends();
    const std::int64_t until = deadline::now() + 20'000'000;
    while (deadline::now() < until) {
    }
    CHECK_FALSE(deadline::here().may_leave());
    deadline::run next;
    CHECK_FALSE(deadline::here().begin(next, 1'000'000));
}
