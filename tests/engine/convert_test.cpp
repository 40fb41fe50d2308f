// From one format to another: reader into writer, nothing between them.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"
#include "hosts/plain/build.hpp"
#include "hosts/plain/walk.hpp"
#include "tests/engine/helpers.hpp"
#include "tests/engine/random_value.hpp"

using namespace kumihimo;
using namespace helpers;

namespace {

template <class Reader, class Writer>
std::string convert(std::string_view document, const typename Writer::dialect& as) {
    context ctx;
    buffer out;
    Reader from(as_bytes(document), ctx);
    Writer to(out, ctx, as);
    bytes b;
    const errc code = pipe(from, to, b);
    if (code == errc::ok) return as_string(b);
    return std::string("error ") + name(code) + " " + std::to_string(ctx.failure.offset) + " " + ctx.failure.path;
}

std::string packed(std::string_view json, const msgpack::dialect& as = msgpack::standard) {
    return convert<json::reader, msgpack::writer>(json, as);
}
std::string json_of(std::string_view document, const json::dialect& as = json::compact) {
    return convert<msgpack::reader, json::writer>(document, as);
}
std::string there_and_back(std::string_view json) { return json_of(packed(json)); }

}  // namespace

TEST_CASE("JSON to MessagePack, byte for byte") {
    CHECK(hex(packed("{\"b\":[1,2.5,\"x\"],\"a\":null}")) ==
          "82a16293"
          "01"
          "cb4004000000000000"
          "a178"
          "a161c0");
    CHECK(hex(packed(" [ ] ")) == "90");
    CHECK(hex(packed("[[[]],{}]")) == "92919080");
    CHECK(hex(packed("[1.0]")) == "91cb3ff0000000000000");
    CHECK(hex(packed("[-0]")) == "91cb8000000000000000");
    CHECK(hex(packed("[18446744073709551615,-9223372036854775808]")) == "92cfffffffffffffffffd38000000000000000");
}

TEST_CASE("order, duplicates, integer width and doubles survive") {
    for (const char* json :
         {"{\"z\":1,\"a\":2,\"m\":3,\"z\":4}", "[0,127,128,255,256,65535,65536,4294967295,4294967296,9223372036854775807]",
          "[-1,-32,-33,-128,-129,-32768,-32769,-2147483648,-2147483649,-9223372036854775808]",
          "[9223372036854775808,18446744073709551615]",
          "[0.1,107910.0,-0.0,1e-07,123456789.123456789,5e-324,1.7976931348623157e+308,0.30000000000000004]",
          "{\"\":\"\",\"caf\xc3\xa9\":\"\xf0\x9f\x98\x80\",\"\\u0000\\u001f\":\"\\\"\\\\/\"}",
          "[true,false,null,[],{},[[]],[{}]]"}) {
        std::string expected = json;
        if (expected.find("123456789.123456789") != std::string::npos) {
            expected.replace(expected.find("123456789.123456789"), 19, "123456789.12345679");
        }
        CHECK(there_and_back(json) == expected);
    }
}

TEST_CASE("numbers that no double and no 64 bits hold") {
    const char* json = "[123456789012345678901234567890,1e400,-99999999999999999999]";
    CHECK(hex(packed(json, msgpack::big_text)) ==
          "93be" + hex("123456789012345678901234567890") + "a5" + hex("1e400") + "b5" + hex("-99999999999999999999"));
    CHECK(json_of(packed(json, msgpack::big_text)) ==
          "[\"123456789012345678901234567890\",\"1e400\",\"-99999999999999999999\"]");
    // Nobody asked for text.
    CHECK(packed(json) == "error unsupported 1 $[0]");
    CHECK(packed("{\"a\":[1,1e400]}") == "error unsupported 8 $.a[1]");
    CHECK(packed(json, msgpack::exact).starts_with("error unsupported 1 $[0]"));
    CHECK(packed("{\"a\":[1,1e400]}", msgpack::exact).starts_with("error unsupported 8 $.a[1]"));
}

TEST_CASE("what JSON cannot say is lowered or refused, and the refusal says where") {
    CHECK(json_of(unhex("c40300ff10")) == "\"AP8Q\"");
    CHECK(json_of(unhex("d6ff585f1100")) == "\"2016-12-25T00:21:20Z\"");
    CHECK(json_of(unhex("83 01 c0 c3 c0 cb3ff8000000000000 c0")) == "{\"1\":null,\"true\":null,\"1.5\":null}");
    CHECK(json_of(unhex("92 01 d4050a")).starts_with("error unsupported 2 $[1]"));
    CHECK(json_of(unhex("92 01 d4050a"), json::lenient) == "[1,{\"type\":5,\"data\":\"Cg==\"}]");
    CHECK(json_of(unhex("81 a161 cb7ff8000000000000")).starts_with("error unsupported 3 $.a"));
    CHECK(json_of(unhex("81 90 01")).starts_with("error unsupported 1"));
}

TEST_CASE("broken input names its place through the conversion") {
    CHECK(packed("{\"a\":[1,}").starts_with("error syntax 8 $.a"));
    CHECK(json_of(unhex("81 a161 93 01")).starts_with("error truncated 3 $.a"));
}

TEST_CASE("random JSON documents survive both ways") {
    std::mt19937_64 random(5);
    for (int i = 0; i < 3000; ++i) {
        const plain::value v = random_value(random, {.json_only = true});
        context ctx;
        buffer out;
        plain::walker from(v, ctx);
        json::writer to(out, ctx);
        bytes document;
        REQUIRE(pipe(from, to, document) == errc::ok);
        const std::string json = as_string(document);
        REQUIRE(there_and_back(json) == json);
        REQUIRE(json_of(packed(json), json::pretty) == convert<json::reader, json::writer>(json, json::pretty));
    }
}

TEST_CASE("whole files survive both ways") {
    const char* const folder = std::getenv("KUMIHIMO_DATA");
    if (folder == nullptr) {
        MESSAGE("not proven: KUMIHIMO_DATA is not set, real files were not converted");
        return;
    }
    for (const char* name : {"films.json", "twitter.json", "citm_catalog.json", "canada.json"}) {
        CAPTURE(name);
        std::ifstream in(std::string(folder) + "/" + name, std::ios::binary);
        REQUIRE(in.good());
        const std::string file{std::istreambuf_iterator<char>(in), {}};
        const std::string compact = convert<json::reader, json::writer>(file, json::compact);
        REQUIRE(!compact.starts_with("error"));
        CHECK((there_and_back(compact) == compact));
        CHECK(packed(file).size() < compact.size() + compact.size() / 4);
    }
}
