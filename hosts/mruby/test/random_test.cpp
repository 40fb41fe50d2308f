#include <set>

#include <sys/wait.h>
#include <unistd.h>

#include "answers.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

namespace {

constexpr const char* numbers[] = {"rand(1 << 40)",   "Random.rand(1 << 40)", "Random.new.rand(1 << 40)", "Random.new.bytes(8)",
                                   "Random.bytes(8)", "(0..99).to_a.shuffle", "(0..999).to_a.sample(8)"};

}  // namespace

TEST_CASE("each run has its own numbers") {
    const auto v = usual_vm();
    for (const char* const code : numbers) {
        INFO(code);
        from_text kept{"kept.rb", "p((" + std::string(code) + "))"};
        std::set<std::string> seen;
        // More than the thread has at hand.
        for (int i = 0; i < 150; ++i) {
            const result r = run(*v, kept);
            REQUIRE(r.end);
            seen.insert(r.out);
        }
        CHECK(seen.size() > 140);
        CHECK(answered(*v, code) != answered(*v, code));
    }
}

TEST_CASE("a seed is the run's") {
    const auto v = usual_vm();
    CHECK(answered(*v, "srand(5); [rand(1 << 40), rand(1 << 40)]") == answered(*v, "srand(5); [rand(1 << 40), rand(1 << 40)]"));
    CHECK(answered(*v, "Random.new(5).rand(1 << 40)") == answered(*v, "Random.new(5).rand(1 << 40)"));
    CHECK(answered(*v, "rand(1 << 40)") != answered(*v, "rand(1 << 40)"));
    CHECK(answered(*v, "Random.instance_method(:initialize).bind('x').call") != "nil");
}

TEST_CASE("what is not put back is seeded once") {
    profile keeping;
    keeping.keep_state = true;
    const auto a = vm_with(keeping), b = vm_with(keeping);
    CHECK(answered(*a, "rand(1 << 40)") != answered(*b, "rand(1 << 40)"));
    answered(*a, "srand(5)");
    const std::string first = answered(*a, "rand(1 << 40)");
    answered(*a, "srand(5)");
    CHECK(answered(*a, "rand(1 << 40)") == first);
    CHECK(answered(*a, "rand(1 << 40)") != first);
}

TEST_CASE("children do not share their parent's numbers") {
    const auto v = usual_vm();
    answered(*v, "rand");
    const auto of_child = [&] {
        int ends[2];
        REQUIRE(pipe(ends) == 0);
        const pid_t child = fork();
        if (child == 0) {
            const std::string said = answered(*v, "[rand(1 << 40), Random.new.rand(1 << 40)]");
            const bool whole = write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
            _exit(whole ? 0 : 1);
        }
        close(ends[1]);
        char said[256] = {};
        const ssize_t n = read(ends[0], said, sizeof said);
        close(ends[0]);
        int status = 1;
        waitpid(child, &status, 0);
        CHECK(status == 0);
        return std::string(said, n > 0 ? static_cast<std::size_t>(n) : 0);
    };
    const std::string a = of_child(), b = of_child();
    CHECK(a.starts_with("["));
    CHECK(a != b);
}
