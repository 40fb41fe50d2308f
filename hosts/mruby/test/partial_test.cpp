// A few values out of a document.
#include <doctest/doctest.h>
#include <malloc.h>

#include "answers.hpp"
#include "plain.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

TEST_CASE("paths, names and options") {
    plain ruby;
    ruby.run(R"(T = '{"last":{"price":1.5,"n":null},"trades":[{"price":1},{"price":2},{"x":1}],"at":"x","a.b":[[1,2]]}')");
    CHECK(ruby.run("JSON.partial(T, 'last.price', 'at')") == R"([1.5, "x"])");
    CHECK(ruby.run("JSON.partial(T, ['last.price', '/trades/1/price', '[\"a.b\"][0][1]'])") == "[1.5, 2, 2]");
    CHECK(ruby.run("JSON.partial(T, price: 'last.price', all: 'trades[*].price')") == "{:price=>1.5, :all=>[1, 2, nil]}");
    CHECK(ruby.run("JSON.partial(T, {'price' => 'last.price'}, symbolize_names: true)") == R"({"price"=>1.5})");
    CHECK(ruby.run("JSON.partial(T, 'last', symbolize_names: true)") == "[{:price=>1.5, :n=>nil}]");
    CHECK(ruby.run("JSON.partial(T, 'nope', 'last.n', 'trades[*].price', missing: -1)") == "[-1, nil, [1, 2, -1]]");
    CHECK(ruby.run("JSON.partial(T, 'last', raw: true)") == R"(["{\"price\":1.5,\"n\":null}"])");
    CHECK(ruby.run("JSON.partial(T, 'at', level: :trusted) + JSON.partial(T, 'at', level: :structural)") == R"(["x", "x"])");
    CHECK(ruby.run("JSON.partial('[1,2]', '$')") == "[[1, 2]]");
}

TEST_CASE("compiled once") {
    plain ruby;
    CHECK(ruby.run("p = JSON::Partial.new(a: 'x.y'); [p.call('{\"x\":{\"y\":1}}'), p['{}'], p.paths, p.names]") ==
          R"([{:a=>1}, {:a=>nil}, ["x.y"], [:a]])");
    CHECK(ruby.run("JSON::Partial.new('a').many(['{\"a\":1}', '{\"a\":2}'])") == "[[1], [2]]");
    CHECK(ruby.run("seen = []; JSON::Partial.new('a').many(['{\"a\":1}', '{}']) { |v| seen << v }; seen") == "[[1], [nil]]");
    CHECK(ruby.run("(0...100).map { |i| JSON.partial('{\"k1\":1,\"k99\":99}', \"k#{i}\")[0] }.compact") == "[1, 99]");
}

TEST_CASE("what is wrong") {
    plain ruby;
    CHECK(ruby.run("JSON.partial('{}', 'a[')").find("ArgumentError: the path is not valid") == 0);
    CHECK(ruby.run("JSON.partial('{}')") == "ArgumentError: at least one path is needed");
    CHECK(ruby.run("JSON.partial('{}', 'a', b: 'c')") == "ArgumentError: paths are given twice: in order and by name");
    CHECK(ruby.run("JSON.partial('{}', 3)").find("TypeError: a path is a String") == 0);
    CHECK(ruby.run("JSON.partial('{}', 'a', level: :none)").find("ArgumentError: level is one of") == 0);
    CHECK(ruby.run("JSON.partial('{\"a\":1,}', 'a')").find("JSON::ParserError: a trailing comma") == 0);
    CHECK(ruby.run("JSON.partial('[' * 200, 'a')").find("JSON::NestingError") == 0);
    CHECK(ruby.run("JSON.partial(nil, 'a')").find("TypeError") == 0);
    CHECK(ruby.run("JSON::Partial.allocate.call('1')").find("Error") != std::string::npos);
}

TEST_CASE("no script's code runs while arguments are read and results are made") {
    plain ruby;
    ruby.run("class K; def hash; raise 'asked' if $made; 1 end; def eql?(other) raise 'asked' if $made; false end; end");
    CHECK(ruby.run("h = {K.new => 'a', K.new => 'b'}; $made = true; JSON.partial('{}', h)") ==
          "TypeError: a name is a String, a Symbol or a number, not K");
    CHECK(ruby.run("JSON::Partial.new({K.new => 'a'})") == "TypeError: a name is a String, a Symbol or a number, not K");
    CHECK(ruby.run("JSON.partial('[1,2]', {1 => '[0]', 'x' => '[1]', nil => '[2]'})") == R"({1=>1, "x"=>2, nil=>nil})");
    CHECK(ruby.run("JSON.partial('[5]', *(['[0]'] * 20)) == [5] * 20") == "true");
}

TEST_CASE("what a document makes outside mruby's memory is within the run's limit, and does not stay") {
    const auto v = usual_vm();
    run_limits l;
    l.memory = std::size_t{64} << 20;
    const auto held = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
    REQUIRE(run(*v, "JSON.partial('[1,2]', '[*]')", l).end);
    const std::size_t before = held();
    for (const char* level : {"strict", "structural", "trusted"}) {
        const std::string large = std::string("JSON.partial('[' + '1,' * 5_000_000 + '1]', '[*]', level: :") + level + ")";
        CHECK(run(*v, large, l).end.type == outcome::kind::exhausted);
        CHECK(run(*v, "begin; " + large + "; rescue NoMemoryError; print 'rescued'; end", l).out == "rescued");
    }
    CHECK(run(*v, "JSON.partial('[' * 3_000_000 + ']' * 3_000_000, '[*]', max_nesting: 0)", l)
              .end.message.find("nesting of 100001 is too deep") == 0);
    for (int i = 0; i < 40; ++i)
        CHECK(run(*v, "print JSON.partial('[' + '1,' * 50_000 + '1]', '[*]', '[" + std::to_string(i) + "]')[1]", l).out == "1");
    CHECK(held() < before + (std::size_t{1} << 20));
}

TEST_CASE("documents that are read whole are bounded too, and leave nothing either") {
    const auto v = usual_vm();
    run_limits l;
    l.memory = std::size_t{64} << 20;
    const auto held = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
    // In rows of a hundred: an Array of mruby 3.3 has at most 131,072 elements.
    const auto partial = [&](int rows, const char* path, const char* raw) {
        return run(*v,
                   "print Kumihimo.partial('[' + ('[' + '1,' * 99 + '1],') * " + std::to_string(rows) + " + '1]', '" + path +
                       "', format: 'json', dialect: 'relaxed', raw: " + raw + ")[0].size",
                   l);
    };
    // A tape has 16 bytes for each byte of a document, and with `raw` 32: one of 2.2 MB may have the first.
    CHECK(partial(11'000, "$", "false").out == "11001");
    CHECK(partial(11'000, "$", "true").end.message.find("larger than a tape may be") != std::string::npos);
    REQUIRE(partial(1, "[*]", "false").out == "2");
    const std::size_t before = held();
    CHECK(partial(3'000, "[*]", "false").out == "3001");
    CHECK(held() < before + (std::size_t{1} << 20));
}

TEST_CASE("a value that is refused has its place in the document") {
    plain ruby;
    for (const char* level : {"strict", "structural", "trusted"}) {
        const std::string call =
            std::string("partial(%({\"b\":1,\n \"a\":[[1]]}), 'a', level: :") + level + ", max_nesting: 1)";
        const std::string place =
            "begin; JSON." + call + "; rescue JSON::ParserError, JSON::NestingError => e; [e.line, e.path]; end";
        CHECK(ruby.run(place) == "[2, \"$.a\"]");
    }
}

TEST_CASE("a document that is nested without end leaves nothing with the thread") {
    const auto v = usual_vm();
    run_limits l;
    l.memory = std::size_t{512} << 20;
    // Free memory that the C library keeps counts too.
    const auto held = [] { return mallinfo2().arena + mallinfo2().hblkhd; };
    const std::size_t before = held();
    for (const char* read :
         {"JSON.parse('[' * n, max_nesting: false)", "JSON.load('{\"a\":' * n)", "JSON.partial('[' * n, '[*]', max_nesting: 0)",
          "JSON.parse('[' * n, max_nesting: n)", "MessagePack.unpack(\"\\x91\" * n, max_nesting: 0)"}) {
        const outcome end = run(*v, "n = 3_000_000; " + std::string(read), l).end;
        CHECK(end.message.find("nesting of 100001 is too deep") == 0);
        CHECK(held() < before + (std::size_t{12} << 20));
    }
    CHECK(run(*v, "print JSON.parse('[' * 100_000 + ']' * 100_000, max_nesting: false).size", l).out == "1");
    CHECK(run(*v, "print MessagePack.unpack(\"\\x91\" * 99_999 + \"\\x90\", max_nesting: 0).size", l).out == "1");
}

TEST_CASE("a block of many leaves the method it is written in") {
    const auto v = usual_vm();
    const std::string of = "t = ['{\"a\":1}', '{\"a\":2}']; ";
    CHECK(answered(*v, of + "def f(t); JSON::Partial.new('a').many(t) { |x| return x if x == [2] }; 0; end; f(t)") == "[2]");
    CHECK(answered(*v, of + "r = []; [JSON::Partial.new('a').many(t) { |x| r << x }.class, r]") ==
          "[JSON::Partial, [[1], [2]]]");
}
