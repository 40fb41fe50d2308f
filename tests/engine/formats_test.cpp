// engine/formats.hpp: every row is whole, and what names, bytes, media types and paths tell.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "engine/formats.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;
using helpers::as_bytes;

TEST_CASE("names, endings, media types and dialects stand once in the table") {
    std::set<std::string_view> names, endings, types;
    each_format([&](auto row) {
        using rows = decltype(row);
        CAPTURE(rows::name);
        CHECK(names.insert(rows::name).second);
        for (const auto e : rows::endings) {
            CHECK(e.starts_with('.'));
            CHECK(endings.insert(e).second);
        }
        for (const auto m : rows::media_types) CHECK(types.insert(m).second);
        std::set<std::string_view> read, written;
        for (const auto& d : rows::read_dialects) {
            CHECK(read.insert(d.name).second);
            CHECK(dialect_of(rows::read_dialects, d.name) == d.dialect);
        }
        for (const auto& d : rows::write_dialects) {
            CHECK(written.insert(d.name).second);
            CHECK(dialect_of(rows::write_dialects, d.name) == d.dialect);
        }
        CHECK(dialect_of(rows::read_dialects, "") == rows::read_dialects[0].dialect);
        CHECK(dialect_of(rows::write_dialects, "no such one") == nullptr);
    });
    CHECK(names.contains("json"));
    CHECK(names.contains("msgpack"));
}

TEST_CASE("a format is found by its name") {
    std::string_view found;
    CHECK(visit_format("msgpack", [&](auto row) { found = decltype(row)::name; }));
    CHECK(found == "msgpack");
    for (const char* const name : {"", "JSON", "json ", "yaml"}) CHECK(!visit_format(name, [](auto) { FAIL("found"); }));
}

TEST_CASE("what the first bytes tell") {
    for (const char* const text :
         {"{}", " [1]", "\n\t\r 1", "-1", "\"a\"", "true", "null", "NaN", "\xef\xbb\xbf{}", "// x\n1", "  "})
        CHECK(format_of(as_bytes(text)) == "json");
    for (const char* const hex : {"80", "c0", "a161", "93010203", "de0001", "01", "7f"})
        CHECK(format_of(as_bytes(helpers::unhex(hex))) == "msgpack");
    CHECK(format_of({}).empty());
}

TEST_CASE("each format tells what its own writer writes, where another row does not come first") {
    each_format([](auto row) {
        using rows = decltype(row);
        buffer out;
        context ctx;
        typename rows::template writer<buffer> to(out, ctx);
        bytes document;
        REQUIRE(to.map({1}) == errc::ok);
        REQUIRE(to.key(text("a")) == errc::ok);
        REQUIRE(to.boolean(true) == errc::ok);
        REQUIRE(to.end() == errc::ok);
        REQUIRE(to.finish(document) == errc::ok);
        CHECK(rows::resembles(document) != likeness::none);
    });
}

TEST_CASE("media types and paths, in any case") {
    CHECK(format_of_media_type("application/json") == "json");
    CHECK(format_of_media_type(" Application/JSON ; charset=utf-8") == "json");
    CHECK(format_of_media_type("application/vnd.msgpack") == "msgpack");
    CHECK(format_of_media_type("application/x-msgpack") == "msgpack");
    for (const char* const none : {"", ";", "application", "application/jsonx", "text/html"})
        CHECK(format_of_media_type(none).empty());
    CHECK(format_of_path("a/b.json") == "json");
    CHECK(format_of_path("A.NDJSON") == "json");
    CHECK(format_of_path("x.msgpack") == "msgpack");
    for (const char* const none : {"", ".json", "json", "x.json.gz", "x."}) CHECK(format_of_path(none).empty());
}
