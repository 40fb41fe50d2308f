// Steps that no projection compiles. Generated documents are Python's to judge (hosts/python/test/paths_test.py).
#include "extract/path_tail.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "engine/core/context.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

json::path steps(std::string_view text) {
    json::path p;
    context ctx;
    CAPTURE(text);
    REQUIRE(json::parse(text, p, ctx, json::path_steps::all) == errc::ok);
    return p;
}

// What is found, absent values as "-"; of a list in brackets, "none" where there is none.
std::string found(std::string_view path, std::string_view document) {
    path_tail tail;
    const char* why = "";
    CAPTURE(path);
    CAPTURE(why);
    REQUIRE(path_tail::make(steps(path), tail, why));
    tail_walk walk(tail);
    walk.run(document);
    walk.run(document);  // nothing is left of the document before
    if (tail.many() && !walk.list()) return "none";
    std::string out = tail.many() ? "[" : "";
    for (const std::string_view v : walk.found())
        out += (out.size() > 1 ? " " : "") + (v.empty() ? std::string("-") : std::string(v));
    return out + (tail.many() ? "]" : "") + (walk.blocked() ? "!" : "");
}

}  // namespace

TEST_CASE("values are found where a path leads") {
    struct one {
        const char *path, *document, *found;
    };
    for (const auto& [path, document, wanted] : {
             one{"[-1]", "[1,2,3]", "3"},
             one{"[-3]", "[ 1 , 2 , 3 ]", "1"},
             one{"[-4]", "[1,2,3]", "-"},
             one{"[-1]", "[]", "-"},
             one{"[-1]", "null", "-"},
             one{"[-1]", "5", "-!"},
             one{"[-1]", "{\"a\":1}", "-!"},
             one{"[-1][-2].a", "[0,[{\"a\":[7]},0]]", "[7]"},
             one{"[-1].a", "[{\"a\":1},{\"a\":\"]\",\"\\u0061\":2}]", "2"},
             one{"[-1].a.b", "[{\"a\":{\"b\":1},\"a\":{}}]", "-"},
             one{"*", "{}", "[]"},
             one{"*", "[1]", "none"},
             one{"*", "{\"x\":1,\"y\":{\"z\":[2]}}", "[1 {\"z\":[2]}]"},
             one{"*.a", "{\"x\":{\"a\":1},\"y\":5,\"z\":{}}", "[1 - -]!"},
             one{"*.a.b", "{\"x\":{\"a\":{\"b\":1},\"a\":{\"b\":2}},\"y\":{\"a\":{\"b\":3},\"a\":4}}", "[2 -]!"},
             one{"*.a[*]", "{\"x\":{\"a\":[1,2],\"a\":[3]},\"y\":{\"a\":[4]}}", "[3 4]"},
             one{"*.~", "{\"x\":1,\"y \\\"\":2}", "[\"x\" \"y \\\"\"]"},
             one{"*.*.~", "{\"x\":{\"a\":1},\"y\":{\"b\":{\"c\":1}}}", "[\"a\" \"b\"]"},
             one{"[*][-1]", "[[1,2],[],[3]]", "[2 - 3]"},
             one{"$..a", "{\"a\":{\"a\":1},\"b\":[{\"a\":2},[{\"a\":3}]]}", "[{\"a\":1} 1 2 3]"},
             one{"$..a.b", "{\"a\":{\"a\":{\"b\":1},\"b\":2},\"b\":3}", "[2 1]"},
             one{"$..a.a", "{\"a\":{\"a\":{\"a\":5}}}", "[{\"a\":5} 5 -]"},
             one{"$..a..a", "{\"a\":{\"a\":{\"a\":5}}}", "[{\"a\":5} 5]"},
             one{"$..[0]", "[[1,2],3]", "[[1,2] 1]"},
             one{"$..[*]", "[[1],{\"x\":[2]}]", "[[1] 1 {\"x\":[2]} 2]"},
             one{"$..*", "{\"a\":[{\"b\":1}]}", "[[{\"b\":1}] 1]"},
             one{"$..a", "5", "none"},
             one{"$..a", "[]", "[]"},
         }) {
        CAPTURE(document);
        CHECK(found(path, document) == wanted);
    }
}

TEST_CASE("what a tail must not have") {
    path_tail tail;
    const char* why = "";
    CHECK_FALSE(path_tail::make(steps("$..a[-1]"), tail, why));
    CHECK(std::string_view(why).find("not counted from the end") != std::string_view::npos);
    std::string deep = "$";
    for (std::size_t i = 0; i <= path_tail::most; ++i) deep += ".*";
    CHECK_FALSE(path_tail::make(steps(deep), tail, why));
    CHECK(path_tail::make(steps(deep.substr(0, deep.size() - 2)), tail, why));
    CHECK(path_tail::head_of(steps("a.b[-1]"), false) == 2);
    CHECK(path_tail::head_of(steps("a[*].b"), false) == 3);
    CHECK(path_tail::head_of(steps("a[*].b"), true) == 1);
    CHECK(path_tail::head_of(steps("a[*].b[-1]"), false) == 1);
    CHECK(path_tail::head_of(steps("a..b"), false) == 1);
}
