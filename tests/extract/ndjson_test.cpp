#include "extract/ndjson.hpp"

#include "tests/extract/rows.hpp"

using namespace rows;

TEST_CASE("one object a line, null where there is nothing") {
    const auto s =
        schema({"i:int64", "f:float64", "d:decimal", "p:decimal(10,2)", "b:bool", "s:string", "at:timestamp", "j:json"}, true);
    x::batch b(s, json::level::strict);
    context ctx;
    const std::string_view d =
        R"({"i":-7,"f":107910.0,"d":0.00070,"p":12.5,"b":true,"s":"x","at":"2016-12-25T01:53:10.602955Z","j":{"a": [1, 2]}})";
    REQUIRE(b.append(as_bytes(d), {"a.zip", "b/c.json", 99, 1}, ctx) == errc::ok);
    REQUIRE(b.append_null({"a.zip", "", 0, 1}, ctx) == errc::ok);
    CHECK(
        ndjson(b) ==
        R"({"i":-7,"f":107910.0,"d":0.00070,"p":12.50,"b":true,"s":"x","at":"2016-12-25T01:53:10.602955Z","j":{"a": [1, 2]},)"
        R"("archive":"a.zip","entry":"b/c.json","offset":99})"
        "\n"
        R"({"i":null,"f":null,"d":null,"p":null,"b":null,"s":null,"at":null,"j":null,"archive":"a.zip","entry":null,"offset":0})"
        "\n");
}

TEST_CASE("strings and keys are escaped") {
    std::string all;
    for (int c = 0; c < 0x20; ++c) all += "\\u00" + std::string(c < 16 ? "0" : "1") + "0123456789abcdef"[c % 16];
    const x::batch b = filled(schema({"\"k\\\"\\\\\"=a:string"}), {"{\"a\":\"" + all + "\\\"\\\\/é\\ud83d\\ude00\"}"});
    CHECK(ndjson(b) ==
          "{\"k\\\"\\\\\":"
          "\"\\u0000\\u0001\\u0002\\u0003\\u0004\\u0005\\u0006\\u0007\\b\\t\\n\\u000b\\f\\r\\u000e\\u000f\\u0010\\u0011\\u0012"
          "\\u0013\\u0014\\u0015\\u0016\\u0017\\u0018\\u0019\\u001a\\u001b\\u001c\\u001d\\u001e\\u001f\\\"\\\\/é😀\"}\n");
}

TEST_CASE("a json column stays on its line") {
    const x::batch b = filled(schema({"j:json"}), {"{\"j\": {\r\n  \"a\": [\n1,\n 2],\t\"b\": \"x\\ny\"\n}}"});
    CHECK(ndjson(b) == "{\"j\":{  \"a\": [1, 2],\t\"b\": \"x\\ny\"}}\n");
}

TEST_CASE("every line is JSON") {
    std::uint64_t seed = 11;
    const auto s = schema({"a:string", "b:float64", "c:json", "d:decimal"});
    x::batch b(s, json::level::strict);
    for (int row = 0; row < 300; ++row) {
        std::string text;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        for (std::uint64_t n = seed >> 60, bits = seed; n != 0; --n, bits = bits >> 9 | bits << 55) {
            const char* const units[] = {"a", "\\n", "\\\"", "é", "\\\\", "\\u0001", "/", "\\ud83d\\ude00", " "};
            text += units[(bits >> 5) % 9];
        }
        const std::string number =
            std::to_string(static_cast<std::int64_t>(seed) >> (seed & 31)) + "." + std::to_string(seed >> 50);
        context ctx;
        REQUIRE(b.append(as_bytes("{\"a\":\"" + text + "\",\"b\":" + number + ",\"c\":[\"" + text + "\" ,\n" + number +
                                  "],\"d\":" + number + "}"),
                         {}, ctx) == errc::ok);
    }
    const std::string out = ndjson(b);
    // Extracting the output again gives the output again.
    x::batch again(s, json::level::strict);
    std::size_t from = 0;
    for (std::size_t end; (end = out.find('\n', from)) != std::string::npos; from = end + 1) {
        context ctx;
        REQUIRE(again.append(as_bytes(std::string_view(out).substr(from, end - from)), {}, ctx) == errc::ok);
    }
    CHECK(from == out.size());
    CHECK(again.rows() == 300);
    CHECK(ndjson(again) == out);
}
