// The VMs that a thread keeps.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../vm/counters.hpp"
#include "../vm/failed_profiles.hpp"
#include "scripts.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

namespace {

std::string next_run(const profile& made_with, const char* code = "print $x = $x.to_i + 1") {
    outcome why;
    const borrowed_vm mine(made_with, why);
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
    // A letter for each time that it runs. The other thread has as long as that takes to ask.
    const std::string runs = file_with("");
    const std::string slow = file_with("File.open('" + runs +
                                       "', 'a') { |f| f.write('x') }\nt = Time.now\nwhile Time.now - t < 3\nend\nraise 'no'\n");
    static profile late;
    late.allow.read = late.allow.write = late.allow.io = true;
    late.init = {slow};
    const auto message = [] {
        outcome why;
        const borrowed_vm mine(late, why);
        CHECK(mine.get() == nullptr);
        CHECK(why.type == outcome::kind::unmade);
        CHECK(why.message.find("no (RuntimeError)") != std::string::npos);
        return why.message;
    };
    CHECK(message().find("tried again in") == std::string::npos);
    // In every thread of the process.
    std::thread([&] { CHECK(message().find("s at the soonest") != std::string::npos); }).join();
    CHECK(std::filesystem::file_size(runs) == 1);
}

TEST_CASE("a failure is remembered for as long as it took") {
    constexpr std::int64_t s = 1'000'000'000;
    failed_profiles all;
    const profile late, soon, other;
    outcome why, told;
    why.type = outcome::kind::unmade;
    why.message = "no";
    all.remember(late, why, 5 * s, 100 * s);
    all.remember(soon, why, failed_profiles::at_least - 1, 100 * s);
    CHECK(!all.are_recent(soon, told, 100 * s));
    CHECK(!all.are_recent(other, told, 100 * s));
    for (const auto& [now, left] : {std::pair{100 * s, 5}, {102 * s + 1, 3}, {105 * s - 1, 1}}) {
        told = {};
        REQUIRE(all.are_recent(late, told, now));
        CHECK(told.type == outcome::kind::unmade);
        CHECK(told.message == "no (tried again in " + std::to_string(left) + " s at the soonest)");
    }
    CHECK(!all.are_recent(late, told, 105 * s));
    all.remember(late, why, s, 200 * s);  // another one takes its place
    CHECK(all.are_recent(late, told, 200 * s));
    CHECK(!all.are_recent(late, told, 201 * s));
}
