#include "../vm/report.hpp"
#include "answers.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

TEST_CASE("limits as they are told") {
    CHECK(time_text(30'000 * ms) == "30 s");
    CHECK(time_text(1500 * ms) == "1500 ms");
    CHECK(time_text(400'000) == "400 us");
    CHECK(time_text(1) == "1 ns");
    CHECK(size_text(std::size_t{64} << 20) == "64 MB");
    CHECK(size_text(1000) == "1000 bytes");
    const auto v = usual_vm();
    run_limits brief;
    brief.nanoseconds = 400'000;
    CHECK(run(*v, "loop {}", brief).end.message == "the script ran longer than its limit of 400 us");
}
