// Handlers of faults that others put before and behind ours.
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "../vm/arena.hpp"
#include "scripts.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

namespace {

[[gnu::noinline, gnu::no_sanitize("undefined", "address")]] void fault() {
    static int* volatile nowhere = nullptr;
    *nowhere = 1;
}

/// How a process ends that does so: waitpid's status.
template <class F>
int status_of_child(F work) {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        work();
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

/// Puts a handler in front of the one that is there, as a module does whose child_init comes later; ours again in
/// front of it.
void between_ours(void (*handler)(int, siginfo_t*, void*), struct sigaction& before) {
    arena first, second;
    if (!first.open(1)) _exit(90);
    struct sigaction theirs {};
    theirs.sa_flags = SA_SIGINFO | SA_ONSTACK;
    theirs.sa_sigaction = handler;
    sigaction(SIGSEGV, &theirs, &before);
    if (!second.open(1)) _exit(91);
    struct sigaction now {};
    sigaction(SIGSEGV, nullptr, &now);
    if (now.sa_sigaction != before.sa_sigaction) _exit(92);
}

struct sigaction ours;
sigjmp_buf back;
// The children's, which their parent reads.
volatile int* const called =
    static_cast<volatile int*>(mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));

}  // namespace

TEST_CASE("a fault that is nobody's ends the process, though the handler behind ours hands it back") {
    *called = 0;
    const int status = status_of_child([] {
        between_ours(
            [](int signal, siginfo_t* info, void* context) {
                *called = *called + 1;
                if (*called > 100) _exit(1);
                ours.sa_sigaction(signal, info, context);
            },
            ours);
        fault();
    });
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGSEGV);
    CHECK(*called == 1);
}

TEST_CASE("a handler behind ours that leaves by siglongjmp has each fault") {
    *called = 0;
    const int status = status_of_child([] {
        between_ours(
            [](int, siginfo_t*, void*) {
                *called = *called + 1;
                siglongjmp(back, 1);
            },
            ours);
        static int i;  // in memory, over the jumps
        for (i = 0; i < 3; ++i) {
            if (sigsetjmp(back, 1) == 0) fault();
        }
    });
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(*called == 3);
}

// The other way is the end of the process, with all its requests.
TEST_CASE("a script is left where mruby goes wrong within libc, too") {
    profile& made_with = some();
    made_with.define = [](mrb_state* mrb) {
        const auto copy = [](mrb_state*, mrb_value) {
            static const void* volatile wild = nullptr;
            static void* (*volatile libc)(void*, const void*, std::size_t) = std::memcpy;
            static char to[64];
            libc(to, wild, sizeof to);
            return mrb_nil_value();
        };
        mrb_define_method(mrb, mrb->kernel_module, "copy", copy, MRB_ARGS_NONE());
    };
    const auto v = vm_with(made_with);
    for (int i = 0; i < 3; ++i) {
        const result r = run(*v, "print 1; copy; print 2");
        CHECK(r.end.type == outcome::kind::crashed);
        CHECK(r.out == "1");
        CHECK(run(*v, "print 3").out == "3");
    }
}
