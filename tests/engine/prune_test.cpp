// json/prune.hpp: a projection finds in the pruned document what it finds in the whole, whatever format the document
// came in.
#include "engine/json/prune.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/formats.hpp"
#include "engine/json/project.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;

namespace {

json::projection compiled(const std::vector<std::string>& paths) {
    context ctx;
    json::projection wanted;
    const std::vector<std::string_view> views(paths.begin(), paths.end());
    REQUIRE(json::projection::compile(views, wanted, ctx) == errc::ok);
    return wanted;
}

template <format F>
std::string written(std::string_view document) {
    context ctx;
    buffer out;
    json::reader from(helpers::as_bytes(document), ctx);
    typename F::template writer<buffer> to(out, ctx);
    bytes whole;
    REQUIRE(pipe(from, to, whole) == errc::ok);
    return helpers::as_string(whole);
}

template <format F>
errc prune(std::string_view packed, const json::projection& wanted, std::string& out, context& ctx) {
    buffer text;
    json::pruning_writer to(text, ctx, wanted.plan(), json::compact);
    typename F::reader from(helpers::as_bytes(packed), ctx);
    to.begin();
    bytes whole;
    const errc e = pipe(from, to, whole);
    out = helpers::as_string(whole);
    return e;
}

// The values of each path, as text.
std::vector<std::vector<std::string>> found(std::string_view document, const json::projection& wanted, std::uint32_t& blocked) {
    context ctx;
    json::projector p(wanted);
    REQUIRE(p.run(helpers::as_bytes(document), ctx) == errc::ok);
    std::vector<std::vector<std::string>> out(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        for (const json::slice& s : p.values(i)) out[i].emplace_back(document.substr(s.offset, s.length));
    }
    blocked = p.blocked();
    return out;
}

std::string random_document(std::mt19937& r, int depth) {
    switch (depth == 0 ? r() % 3 : r() % 7) {
        case 0: return std::to_string(r() % 100);
        case 1: return r() % 4 == 0 ? "null" : "true";
        case 2: return "\"caf\xc3\xa9\"";
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
    static const char* const parts[] = {".a", ".b", "[0]", "[1]", "[*]", ".0"};
    std::string s = "$";
    for (unsigned n = r() % 4; n != 0; --n) s += parts[r() % 6];
    return s;
}

template <format F>
std::string pruned(std::string_view document, const std::vector<std::string>& paths) {
    context ctx;
    std::string out;
    const json::projection wanted = compiled(paths);
    CHECK(prune<F>(written<F>(document), wanted, out, ctx) == errc::ok);
    return out;
}

}  // namespace

TEST_CASE("what stays") {
    each_format([](auto row) {
        using rows = decltype(row);
        CAPTURE(rows::name);
        CHECK(pruned<rows>(R"({"a":{"b":1,"c":[2,3]},"x":{"y":[{}]},"t":[7,8,9]})", {"a.b", "t[1]"}) ==
              R"({"a":{"b":1},"t":[null,8,null]})");
        CHECK(pruned<rows>(R"([{"p":1,"q":2},{"q":3},4])", {"[*].p"}) == R"([{"p":1},{},4])");
        CHECK(pruned<rows>(R"({"a":[1],"b":5})", {"a.x", "b[0]"}) == R"({"a":[],"b":5})");
        CHECK(pruned<rows>(R"({"a":{"b":{"c":1}},"d":2})", {"a", "a.b.c"}) == R"({"a":{"b":{"c":1}}})");
        CHECK(pruned<rows>("[[1,2],[3]]", {"$"}) == "[[1,2],[3]]");
        CHECK(pruned<rows>("7", {"a"}) == "7");
        CHECK(pruned<rows>("[1,2]", {"a"}) == "[]");
    });
}

TEST_CASE("a projection finds the same") {
    std::mt19937 r(13);
    int values = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::string document = random_document(r, 4);
        std::vector<std::string> paths;
        for (unsigned n = 1 + r() % 3; n != 0; --n) paths.push_back(random_path(r));
        const json::projection wanted = compiled(paths);
        std::uint32_t blocked = 0;
        const auto expected = found(document, wanted, blocked);
        each_format([&](auto row) {
            using rows = decltype(row);
            CAPTURE(rows::name);
            CAPTURE(document);
            CAPTURE(paths[0]);
            context ctx;
            std::string small;
            REQUIRE(prune<rows>(written<rows>(document), wanted, small, ctx) == errc::ok);
            std::uint32_t also = 0;
            REQUIRE(found(small, wanted, also) == expected);
            REQUIRE((also == json::nowhere) == (blocked == json::nowhere));
            REQUIRE(small.size() <= document.size() + 40);
        });
        for (const auto& v : expected) values += static_cast<int>(v.size());
    }
    CHECK(values > 2000);
}

TEST_CASE("keys that are not text, and what is cut off") {
    context ctx;
    std::string out;
    const json::projection wanted = compiled({"a"});
    CHECK(prune<msgpack::format>(std::string("\x83\x01\x91\x02\x91\x03\x04\xa1"
                                             "a\xcb\x3f\xf8\0\0\0\0\0\0",
                                             18),
                                 wanted, out, ctx) == errc::ok);
    CHECK(out == R"({"a":1.5})");
    const std::string packed = written<msgpack::format>(R"({"x":[1,{"y":"long text that goes on and on"},3],"a":1})");
    for (std::size_t n = 0; n < packed.size(); ++n) {
        context again;
        CHECK(prune<msgpack::format>(packed.substr(0, n), wanted, out, again) == errc::truncated);
    }
}
