// tape/partial.hpp: what it says of values that are not what they should be, and what it holds.
#include "engine/tape/partial.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "engine/formats.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;

namespace {

constexpr json::level levels[] = {json::level::strict, json::level::structural, json::level::trusted};

json::projection wants(std::string_view path) {
    context ctx;
    json::projection out;
    REQUIRE(json::projection::compile({&path, 1}, out, ctx) == errc::ok);
    return out;
}

}  // namespace

TEST_CASE("a value that is refused has its place in the document, at every level") {
    const std::string_view document = "{\"a\":\n {\"x\":1, \"b\":1e400}}";
    for (const json::level level : levels) {
        CAPTURE(static_cast<int>(level));
        tape::partial<json::format> by(wants("a"), level, json::doubles);
        context ctx;
        errc code = by.run(helpers::as_bytes(document), ctx);
        null_sink nothing;
        if (code == errc::ok) code = by.give(0, 0, nothing, ctx);
        CHECK(code == errc::range);
        CHECK(ctx.failure.offset == 19);
        CHECK(ctx.failure.line == 2);
        CHECK(ctx.failure.column == 14);
        CHECK(ctx.failure.path == "$.a.b");
    }
}

namespace {
struct refuses_truth : null_sink {
    errc boolean(bool) { return errc::type; }
};
}  // namespace

TEST_CASE("so has one that the receiver refuses; in a broken document the first fault is told") {
    for (const json::level level : levels) {
        CAPTURE(static_cast<int>(level));
        tape::partial<json::format> by(wants("a"), level, json::rfc8259);
        context ctx;
        refuses_truth to;
        REQUIRE(by.run(helpers::as_bytes("{\"a\":\n [0,true]}"), ctx) == errc::ok);
        CHECK(by.give(0, 0, to, ctx) == errc::type);
        CHECK(ctx.failure.offset == 10);
        CHECK(ctx.failure.line == 2);
        CHECK(ctx.failure.path == "$.a[1]");
        if (level == json::level::strict) continue;
        ctx.clear();
        REQUIRE(by.run(helpers::as_bytes("{\"b\":01,\"a\":[true]}"), ctx) == errc::ok);
        CHECK(by.give(0, 0, to, ctx) == errc::syntax);
        CHECK(ctx.failure.path == "$.b");
    }
}

TEST_CASE("bytes that are given out raw are checked at every level") {
    const std::string_view broken("\x81\xa1\x61\xa2\xff\xfe", 6), whole("\x81\xa1\x61\xa2\xc3\xa9", 6);
    for (const json::level level : levels) {
        CAPTURE(static_cast<int>(level));
        tape::partial<msgpack::format> by(wants("a"), level, *msgpack::format::read_dialects[0].dialect, true);
        context ctx;
        CHECK(by.run(helpers::as_bytes(broken), ctx) == errc::encoding);
        CHECK(ctx.failure.offset == 4);
        CHECK(ctx.failure.path == "$.a");
        ctx.clear();
        REQUIRE(by.run(helpers::as_bytes(whole), ctx) == errc::ok);
        CHECK(helpers::as_string(by.raw(0, 0)) == whole.substr(3));
        tape::partial<json::format> numbers(wants("a"), level, json::doubles, true);
        CHECK(numbers.run(helpers::as_bytes("{\"a\":1e400}"), ctx) == errc::range);
        CHECK(ctx.failure.path == "$.a");
    }
}

TEST_CASE("what is found off a tape is counted, limited, and goes with a large document") {
    constexpr std::size_t elements = 100'000;
    std::string large = "[";
    for (std::size_t i = 0; i != elements; ++i) large += "1,";
    large += "1]";
    tape::partial<json::format> by(wants("[*]"), json::level::strict, json::relaxed);
    REQUIRE(!by.projects());
    context ctx;
    REQUIRE(by.run(helpers::as_bytes("[1,2]"), ctx) == errc::ok);
    by.forget();
    const std::size_t little = by.memory();
    CHECK(little > 0);
    REQUIRE(by.run(helpers::as_bytes(large), ctx) == errc::ok);
    CHECK(by.count(0) == elements + 1);
    CHECK(by.memory() >= elements * sizeof(tape::cursor));
    by.forget();
    CHECK(by.memory() <= little);
    by.limit_memory(elements);
    CHECK(by.run(helpers::as_bytes(large), ctx) == errc::memory);
    CHECK(by.memory() <= elements);
    ctx.clear();
    CHECK(by.run(helpers::as_bytes("[1,2]"), ctx) == errc::ok);
    CHECK(by.count(0) == 2);
}
