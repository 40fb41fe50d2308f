// What one run leaves for the next: nothing, or all.
#include <doctest/doctest.h>

#include "scripts.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;
using kind = outcome::kind;

TEST_CASE("nothing of a run is there in the next") {
    const auto v = usual_vm();
    from_text all{"all.rb", R"(
        report = []
        report << $count.inspect
        $count = ($count || 0) + 1
        report << String.method_defined?(:shout)
        class String
          def shout; upcase + '!'; end
          def upcase; 'overridden'; end
        end
        report << Object.const_defined?(:Made)
        class Made; @@n = 1; X = 2; end
        module Kernel; def helper; 1; end; end
        report << Made.instance_variable_get(:@x).inspect
        Made.instance_variable_set(:@x, 5)
        class Integer; alias plus +; def +(o); plus(o).plus(1); end; end
        report << (1 + 1)
        def top; end
        undef puts2 rescue 0
        h = {}; 1000.times { |i| h["key#{i}"] = :"sym#{i}" }
        report << h.size
        print report.inspect
        Object.freeze
    )"};
    const result first = run(*v, all);
    REQUIRE_MESSAGE(first.end, first.end.message);
    CHECK(first.out.substr(0, 13) == "[\"nil\", false");
    for (int i = 0; i < 600; ++i) {
        const result next = run(*v, all);
        REQUIRE(next.end);
        REQUIRE(next.out == first.out);
    }
    CHECK(all.reads == 1);
    CHECK(run(*v, "print 1 + 1, 'a'.upcase, respond_to?(:helper), Object.frozen?").out == "2Afalsefalse");
}

TEST_CASE("scripts do not see one another") {
    const auto v = usual_vm();
    from_text a{"a.rb", "$a = 1; def from_a; end; class A; end"},
        b{"b.rb", "print [$a, respond_to?(:from_a), Object.const_defined?(:A)].inspect"};
    for (int i = 0; i < 3; ++i) {
        CHECK(run(*v, a).end);
        CHECK(run(*v, b).out == "[nil, false, false]");
    }
}

TEST_CASE("state is kept when the profile says so, and lost with a run that is broken off") {
    const auto v = vm_with(keeping());
    from_text count{"count.rb", "$n = ($n || 0) + 1; print $n"};
    CHECK(run(*v, count).out == "1");
    CHECK(run(*v, count).out == "2");
    CHECK(run(*v, "raise 'x'").end.type == kind::raised);
    CHECK(run(*v, count).out == "3");
    CHECK(run(*v, "loop {}", {std::size_t{64} << 20, 20 * ms}).end.type == kind::expired);
    CHECK(run(*v, count).out == "1");
}

TEST_CASE("memory stays flat over many runs that keep state, and over many that do not") {
    for (const bool keep : {false, true}) {
        const auto v = vm_with(keep ? keeping() : some());
        from_text work{"work.rb", "a = []; 2000.times { |i| a << \"string number #{i}\" * 3 << {i => [i]} }"};
        for (int i = 0; i < 50; ++i) REQUIRE(run(*v, work).end);
        const std::size_t after = v->memory();
        for (int i = 0; i < 500; ++i) REQUIRE(run(*v, work).end);
        CHECK(v->memory() <= after + after / 2);
    }
}

// The page of the heap on which the image ends may have its objects anywhere.
TEST_CASE("nothing of a run is in the image's objects, wherever they lie") {
    for (int objects = 1; objects < 2200; objects += 59) {
        for (const char* const how :
             {"$kept = (1..N).map { |i| [i] }", "$kept = (1..N).map { |i| [i] }; $kept = $kept.each_slice(2).map(&:last)",
              "a = (1..N).map { |i| [i] }; $kept = a[-9..-1] || a"}) {
            CAPTURE(objects);
            CAPTURE(how);
            const std::string init = file_with("N = " + std::to_string(objects) + "\n" + how);
            profile& made_with = some();
            made_with.init.push_back(init);
            const auto v = vm_with(made_with);
            from_text changes{"changes.rb", R"(
                print $kept.all? { |a| a.size == 1 }, $kept.inspect.size
                $kept.each { |a| a << a.size; a.instance_variable_set(:@seen, 1) rescue 0 }
                $kept = nil if rand > 0.5
                120_000.times { |i| [i] } if rand > 0.8
                x = (1..50).map { |i| "#{i} of this run's own" }
            )"};
            const result first = run(*v, changes);
            REQUIRE_MESSAGE(first.end, first.end.message);
            for (int i = 0; i < 4; ++i) CHECK(run(*v, changes).out == first.out);
            std::filesystem::remove(init);
        }
    }
}

// Garbage is collected in the middle of a run, and what was the image's and is no more has its place taken.
TEST_CASE("nothing of a run is there in the next, though the garbage of the image was collected") {
    const auto v = usual_vm();
    for (int i = 0; i < 20; ++i) {
        from_text one{"one" + std::to_string(i) + ".rb", R"(
            def helper_)" + std::to_string(i) + R"(; [1, 'two', :three]; end
            [:JSON, :MessagePack, :Regexp, :URI, :Rack, :HTML, :Math].each { |c| Object.remove_const(c) rescue 0 }
            120_000.times { |k| "a text that is too long to be within its object #{k}" }
            raise 'e' * 50
        )"};
        const result r = run(*v, one);
        CHECK(r.end.type == kind::raised);
        CHECK(r.end.message == std::string(50, 'e') + " (RuntimeError)");
        CHECK(run(*v, "print [1].map { |x| x.to_s + 'y' }.inspect").out == "[\"1y\"]");
    }
}
