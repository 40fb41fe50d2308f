// tape/pick.hpp against json/project.hpp: the same paths lead to the same bytes, in documents with equal keys, too.
#include "engine/tape/pick.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/json/project.hpp"
#include "engine/json/reader.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;

namespace {

// The bytes that each place of the path holds, in order; "" where there is none.
std::vector<std::string> picked(std::string_view document, const std::string& path) {
    context ctx;
    json::path steps;
    REQUIRE(json::parse(path, steps, ctx) == errc::ok);
    tape::recorder record(ctx, helpers::as_bytes(document), true);
    json::reader from(helpers::as_bytes(document), ctx);
    tape::view view;
    REQUIRE(from.feed(record) == errc::ok);
    REQUIRE(record.finish(view) == errc::ok);
    tape::picker pick;
    stack<tape::cursor> found;
    REQUIRE(pick.run(tape::cursor(view), steps, found, ctx) == errc::ok);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < found.size(); ++i) out.push_back(helpers::as_string(found[i].raw()));
    return out;
}

std::vector<std::string> projected(std::string_view document, const std::string& path) {
    context ctx;
    json::projection wanted;
    const std::string_view paths[] = {path};
    REQUIRE(json::projection::compile(paths, wanted, ctx) == errc::ok);
    json::projector p(wanted);
    REQUIRE(p.run(helpers::as_bytes(document), ctx) == errc::ok);
    std::vector<std::string> out;
    if (wanted.wild(0)) {
        for (const json::slice& s : p.values(0)) out.emplace_back(document.substr(s.offset, s.length));
    } else {
        const json::slice s = p.value(0);
        out.emplace_back(document.substr(s.offset, s.length));
    }
    return out;
}

std::string random_document(std::mt19937& r, int depth) {
    switch (depth == 0 ? r() % 3 : r() % 7) {
        case 0: return std::to_string(r() % 100);
        case 1: return r() % 4 == 0 ? "null" : "true";
        case 2: return "\"a\"";
        case 3:
        case 4: {
            std::string s = "[";
            for (unsigned n = r() % 4; n != 0; --n) s += random_document(r, depth - 1) + (n == 1 ? "" : ",");
            return s + "]";
        }
        default: {
            std::string s = "{";
            for (unsigned n = r() % 5; n != 0; --n)
                s += std::string("\"") + "ab0"[r() % 3] + "\":" + random_document(r, depth - 1) + (n == 1 ? "" : ",");
            return s + "}";
        }
    }
}
std::string random_path(std::mt19937& r) {
    static const char* const dotted[] = {".a", ".b", "[0]", "[1]", "[*]", ".0"};
    static const char* const pointed[] = {"/a", "/b", "/0", "/1"};
    std::string s = "$";
    const bool pointer = r() % 4 == 0;
    if (pointer) s.clear();
    for (unsigned n = r() % 4; n != 0; --n) s += pointer ? pointed[r() % 4] : dotted[r() % 6];
    return s;
}

}  // namespace

TEST_CASE("places") {
    const std::string_view document =
        R"({"a":{"b":[1,[2,3],{"c":null}]},"a b":7,"t":[{"p":1,"q":[5,6]},{"q":[]},4,{"p":2,"q":[7]}],"n":null})";
    using list = std::vector<std::string>;
    CHECK(picked(document, "a.b[1][0]") == list{"2"});
    CHECK(picked(document, "a.b[2].c") == list{"null"});
    CHECK(picked(document, "a.b[3]") == list{""});
    CHECK(picked(document, "n.x") == list{""});
    CHECK(picked(document, "/a/b/0") == list{"1"});
    CHECK(picked(document, "t[*].p") == list{"1", "", "", "2"});
    CHECK(picked(document, "t[*].q[*]") == list{"5", "6", "7"});
    CHECK(picked(document, "n[*]").empty());
    CHECK(picked(document, "$").front() == document);
    CHECK(picked("[[1],[2,3]]", "[*][*]") == list{"1", "2", "3"});
    CHECK(picked(R"({"a":1,"a":{"b":2}})", "a.b") == list{"2"});
}

TEST_CASE("as the projector has it, for random documents and paths") {
    std::mt19937 r(13);
    int found = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::string document = random_document(r, 4), path = random_path(r);
        CAPTURE(document);
        CAPTURE(path);
        const auto wanted = projected(document, path);
        REQUIRE(picked(document, path) == wanted);
        for (const std::string& s : wanted) found += !s.empty();
    }
    CHECK(found > 2000);
}

TEST_CASE("deep documents need no machine stack") {
    const std::string deep = std::string(1000, '[') + std::string(1000, ']');
    std::string path = "$";
    for (int i = 0; i < 999; ++i) path += "[*]";
    CHECK(picked(deep, path) == std::vector<std::string>{"[]"});
}
