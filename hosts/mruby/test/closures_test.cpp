// What closures have of the frames they were made in, when those are gone.
#include <doctest/doctest.h>

#include "scripts.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

TEST_CASE("closures of files that run first do not see the variables of the script, nor of one another") {
    const std::string one = file_with(
        "s = 'one'\nONE = proc { s }\nSET = proc { |x| s = x }\ncache = {}\ndefine_method(:cached) { |k| cache[k] ||= \"made "
        "#{k}\" }");
    const std::string two = file_with("t = 'two'\nTWO = proc { t }");
    for (profile* const made_with : {&some(), &keeping()}) {
        made_with->init = {one, two};
        const auto v = vm_with(*made_with);
        const char* const text =
            "a = 'mine'; b = 2; print ONE.call, TWO.call, cached(:k), a; SET.call('set'); print a, b, ONE.call";
        CHECK(run(*v, text).out == "onetwomade kminemine2set");
        CHECK(run(*v, text).out == (made_with->keep_state ? "settwomade kminemine2set" : "onetwomade kminemine2set"));
    }
    std::filesystem::remove(one);
    std::filesystem::remove(two);
}

TEST_CASE("a closure that a run leaves to the next keeps its variables") {
    const auto v = vm_with(keeping());
    REQUIRE(run(*v, "q = 'from the first'; n = 0; $p = proc { n += 1; \"#{q} #{n}\" }; print $p.call").out ==
            "from the first 1");
    CHECK(run(*v, "q = 'mine'; x = 7; print $p.call, q, x").out == "from the first 2mine7");
    CHECK(!run(*v, "q = 'mine'; raise $p.call").end);
    // The stack grows, and what is left of the old one is collected.
    CHECK(run(*v, "def deep(n) n == 0 ? $p.call : deep(n - 1) end; GC.start; z = deep(500); GC.start; print z").out ==
          "from the first 4");
    CHECK(run(*v, "print $p.call").out == "from the first 5");
}

// mruby copies a frame's variables for its closures when the frame has ended, and the collector would not see them.
TEST_CASE("memory that runs out while a frame ends leaves its closures their variables") {
    for (const profile* const made_with : {&some(), &keeping()}) {
        for (std::size_t megabytes = 8; megabytes < 16; megabytes += 2) {
            const auto v = vm_with(*made_with);
            const result r = run(*v, R"(
                $live = (1..40_000).map { |i| [i] }
                def made(i)
                  a = b = c = d = e = f = g = h = j = k = l = m = n = o = p = q = r = s = t = u = v = w = x = y = z = i
                  proc { a + z }
                end
                wrong = n = 0
                all = []
                while n < 60_000
                  all << made(n)
                  n += 1
                  if all.size == 300
                    all.each_with_index { |p, i| wrong += 1 if (p.call != 2 * (n - 300 + i) rescue true) }
                    all = []
                  end
                end
                print wrong)",
                                 {megabytes << 20, 60'000 * ms});
            CAPTURE(megabytes);
            if (r.end.type != outcome::kind::exhausted) CHECK(r.out == "0");
            CHECK(run(*v, "print 'fine'").out == "fine");
        }
    }
}
