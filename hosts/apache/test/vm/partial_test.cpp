// A few values out of a document.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include "plain.hpp"

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
