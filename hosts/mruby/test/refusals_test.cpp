// Which line is told to have been refused memory, where runs are within runs and an exception does not say it.
#include <doctest/doctest.h>

#include <functional>
#include <thread>

#include "scripts.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

using kind = outcome::kind;

namespace {

// Does something whenever the script prints.
struct doing final : surroundings {
    std::function<void()> what;
    void write(const char*, std::size_t) noexcept override { what(); }
    void log(int, std::string_view) noexcept override {}
};

constexpr char end_without_place[] = "e = NoMemoryError.new('mine')\ndef e.backtrace; nil; end\nraise e";

// How a script ends that does this within, and then says that it has no memory, but not where.
outcome after(const std::function<void()>& what, const std::string& before) {
    const profile& made_with = some();
    outcome end;
    int done = 0;
    // In a thread of its own, with which its VMs end.
    std::thread([&] {
        outcome why;
        const borrowed_vm mine(made_with, why);
        doing around;
        around.what = [&] {
            ++done;
            what();
        };
        from_text s{"outer.rb", before + "print 1\n" + end_without_place};
        mine.get()->run(s.as_script(), {.nanoseconds = 0}, &around, end);
    }).join();
    CHECK(done == 1);
    CHECK(end.type == kind::exhausted);
    CHECK(end.message == "mine (NoMemoryError)");
    CHECK(end.file == "outer.rb");
    return end;
}

// Until mruby has collected its garbage.
constexpr char refused_in_line_2[] = "100.times do\n  'x' * 3_000_000\nend\n";

void in_a_run() {
    outcome why;
    const borrowed_vm mine(some(), why);
    CHECK(run(*mine.get(), "x = []\nloop { x << 'q' * 100 }", {std::size_t{1} << 20, 0}).end.type == kind::exhausted);
}
void in_compiling() {
    profile& made_with = some();
    made_with.image_limit = std::size_t{4} << 20;
    outcome why;
    const borrowed_vm mine(made_with, why);
    REQUIRE(mine.get() != nullptr);
    from_text large{"inner.rb", ""};
    for (int i = 0; i < 60'000; ++i) large.text += "'literal " + std::to_string(i) + "'\n";
    CHECK(run(*mine.get(), large, {.nanoseconds = 0}).end.type == kind::exhausted);
}
void in_making() {
    profile& made_with = some();
    made_with.init = {file_with("\n\n\n\n'x' * 2_000_000_000")};
    outcome why;
    const borrowed_vm mine(made_with, why);
    CHECK(mine.get() == nullptr);
    CHECK(why.line == 5);
    std::filesystem::remove(made_with.init[0]);
}

}  // namespace

TEST_CASE("where memory was refused in a run within a run is not told of the outer one") {
    CHECK(after(in_a_run, "").line == 0);
    CHECK(after(in_a_run, refused_in_line_2).line == 2);
}
TEST_CASE("nor where it was refused to the compiler of a script within a run") {
    CHECK(after(in_compiling, "").line == 0);
    CHECK(after(in_compiling, refused_in_line_2).line == 2);
}
TEST_CASE("nor where the VM for a run within a run could not be made, whose names went with it") {
    CHECK(after(in_making, "").line == 0);
    CHECK(after(in_making, refused_in_line_2).line == 2);
}
