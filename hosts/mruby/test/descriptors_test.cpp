// Programs that a run has started and that do not end when they are killed: in a call that nothing breaks off.
#include <doctest/doctest.h>

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "../vm/descriptors.hpp"

using kumihimo::mruby::descriptors;

namespace {

bool kills = true;
unsigned asked = 0;

bool is_there(pid_t program) { return syscall(SYS_kill, program, 0) == 0; }
bool has_ended(pid_t program) {
    siginfo_t how{};
    return waitid(P_PID, static_cast<id_t>(program), &how, WEXITED | WNOHANG | WNOWAIT) != 0 || how.si_pid != 0;
}

// A program of its own group that ends by itself after a minute: a test that waits for it fails then.
pid_t start() {
    const pid_t made = fork();
    REQUIRE(made >= 0);
    if (made == 0) {
        setpgid(0, 0);
        signal(SIGALRM, SIG_DFL);
        alarm(60);
        for (;;) pause();
    }
    setpgid(made, made);
    return made;
}

}  // namespace

// In the place of the C library's, for all of this program.
extern "C" int kill(pid_t program, int signal) noexcept {
    ++asked;
    return kills ? static_cast<int>(syscall(SYS_kill, program, signal)) : 0;
}

TEST_CASE("a program that ends is waited for") {
    const pid_t program = start();
    descriptors of;
    REQUIRE(of.note_program(program));
    of.close_all();
    CHECK_FALSE(is_there(program));
    CHECK_FALSE(of.any());
}

TEST_CASE("one that does not end is left, and waited for behind a later run") {
    std::vector<pid_t> programs;
    kills = false;
    {
        descriptors of;
        for (int i = 0; i < 3; ++i) REQUIRE(of.note_program(programs.emplace_back(start())));
        asked = 0;
        of.close_all();
        CHECK(asked >= programs.size());
        CHECK_FALSE(of.any());
    }
    for (const pid_t program : programs) CHECK_FALSE(has_ended(program));
    descriptors later;
    later.close_all();
    for (const pid_t program : programs) CHECK(is_there(program));
    kills = true;
    for (const pid_t program : programs) {
        REQUIRE(kill(program, SIGKILL) == 0);
        while (!has_ended(program)) usleep(1000);
        CHECK(is_there(program));  // a zombie of ours
    }
    later.close_all();
    for (const pid_t program : programs) CHECK_FALSE(is_there(program));
}
