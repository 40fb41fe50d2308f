// The VMs that a thread keeps.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "mruby/counters.hpp"
#include "scripts.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

namespace {

std::string next_run(const profile& as, const char* code = "print $x = $x.to_i + 1") {
    outcome why;
    const borrowed_vm mine(as, why);
    REQUIRE(mine.get() != nullptr);
    from_text s{"s.rb", code};
    return run(*mine.get(), s).out;
}

}  // namespace

TEST_CASE("many profiles do not add up: the VM that was longest unused gives way") {
    static counters here{};
    count_into(&here);
    static std::vector<profile> many(borrowed_vm::most_of_thread * 2);
    for (profile& p : many) p.keep_state = true;
    std::thread([] {
        const profile& used = many[0];
        for (std::size_t i = 1; i < many.size(); ++i) {
            CHECK(next_run(used) == std::to_string(i));  // the one that is used stays
            CHECK(next_run(many[i]) == "1");
            CHECK(here.vms <= borrowed_vm::most_of_thread);
        }
        CHECK(here.vms == borrowed_vm::most_of_thread);
        CHECK(next_run(many[1]) == "1");  // it was gone
        CHECK(next_run(many.back()) == "2");
    }).join();
    CHECK(here.vms == 0);
}

TEST_CASE("a VM that is at work stays, whatever runs within it") {
    static std::vector<profile> many(borrowed_vm::most_of_thread * 2);
    std::thread([] {
        outcome why;
        const borrowed_vm outer(many[0], why);
        REQUIRE(outer.get() != nullptr);
        for (const profile& p : many) CHECK(next_run(p) == "1");
        from_text s{"s.rb", "print 'still here'"};
        CHECK(run(*outer.get(), s).out == "still here");
    }).join();
}

TEST_CASE("an init file that takes long to fail is not run again at once") {
    const std::string slow = file_with("t = Time.now\nwhile Time.now - t < 0.5\nend\nraise 'no'\n"),
                      quick = file_with("raise 'no'\n");
    static profile late, soon;
    late.init = {slow};
    soon.init = {quick};
    const auto message = [](const profile& as) {
        outcome why;
        const borrowed_vm mine(as, why);
        CHECK(mine.get() == nullptr);
        CHECK(why.how == outcome::kind::unmade);
        CHECK(why.message.find("no (RuntimeError)") != std::string::npos);
        return why.message;
    };
    const auto waits = [&](const profile& as) {
        return message(as).find("tried again in 1 s at the soonest") != std::string::npos;
    };
    CHECK(!waits(late));
    // In every thread of the process.
    std::thread([&] { CHECK(waits(late)); }).join();
    CHECK(!waits(soon));
    CHECK(!waits(soon));
    std::this_thread::sleep_for(std::chrono::seconds(2));
    CHECK(!waits(late));
}
