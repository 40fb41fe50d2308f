#include "extract/path_summary.hpp"

#include <doctest/doctest.h>

#include <random>

#include "engine/json/check.hpp"
#include "extract/path_report.hpp"
#include "tests/extract/rows.hpp"

using namespace rows;

namespace {

constexpr std::size_t usual = x::path_summary::usual_most_keys;

x::path_summary summary_of(const std::vector<std::string>& documents, std::size_t most_keys = usual) {
    x::path_summary s(most_keys);
    for (const std::string& d : documents) {
        context ctx;
        INFO(d << ": " << ctx.failure.what);
        REQUIRE(s.observe(as_bytes(d), ctx) == errc::ok);
    }
    return s;
}

std::string written(const x::path_summary& s, x::schema_text as = x::schema_text::paths, bool nested = false) {
    buffer out;
    REQUIRE(x::write_schema(s, as, nested, out) == errc::ok);
    context ctx;
    CHECK(json::check({reinterpret_cast<const unsigned char*>(out.data()), out.size()}, ctx) == errc::ok);
    return {out.data(), out.size()};
}

std::string columns(const x::path_summary& s, bool nested = false) {
    std::shared_ptr<const x::schema> all;
    std::string why;
    REQUIRE(x::columns_of(s, nested, all, why) == errc::ok);
    std::string out;
    for (const x::column_spec& c : all->columns()) out += (out.empty() ? "" : " ") + c.name + ':' + c.type_text();
    return out;
}

using generator = std::mt19937_64;

std::string value(generator& r, int depth) {
    const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(r() % n); };
    switch (pick(depth == 0 ? 7 : 11)) {
        case 0: return "null";
        case 1: return pick(2) != 0 ? "true" : "false";
        case 2: return std::to_string(pick(20));
        case 3: return pick(9) == 0 ? "9007199254740993" : std::to_string(pick(90)) + "." + std::to_string(pick(90));
        case 4: return '"' + std::string(1, static_cast<char>('a' + pick(20))) + '"';
        case 5: {
            constexpr const char* fractions[] = {"", ".5", ".500", ".123456", ".1234"};
            return "\"2024-01-0" + std::to_string(1 + pick(9)) + "T10:00:00" + fractions[pick(pick(4) == 0 ? 5 : 2)] + "Z\"";
        }
        case 6: return '"' + std::string(30 + pick(30), static_cast<char>('a' + pick(2))) + '"';
        case 7: {
            std::string out = "[";
            for (std::size_t n = pick(4); n > 0; --n) out += value(r, depth - 1) + (n > 1 ? "," : "");
            return out + ']';
        }
        default: {
            std::string out = "{";
            const std::size_t names = pick(3) == 0 ? 12 : 4;  // sometimes ids
            for (std::size_t n = pick(5); n > 0; --n)
                out += "\"k" + std::to_string(pick(names)) + "\":" + value(r, depth - 1) + (n > 1 ? "," : "");
            return out + '}';
        }
    }
}

}  // namespace

TEST_CASE("what stands at each path") {
    const x::path_summary s = summary_of({R"({"a":1,"b":[{"c":"x"},{}]})", R"({"a":null,"b":[],"d e":{"f":2.50}})", "7"});
    CHECK(written(s) == R"({"kumihimo":"schema","documents":3,"fold":1000,
"paths":[
{"path":"$","documents":3,"values":3,"types":{"integer":1,"object":2},"examples":[7]},
{"path":"$.a","documents":2,"values":2,"of":2,"types":{"null":1,"integer":1},"type":"int64","examples":[1]},
{"path":"$.b","documents":2,"values":2,"of":2,"types":{"array":2}},
{"path":"$.b[*]","documents":1,"values":2,"types":{"object":2}},
{"path":"$.b[*].c","documents":1,"values":1,"of":2,"types":{"string":1},"type":"string","examples":["x"]},
{"path":"$[\"d e\"]","documents":1,"values":1,"of":2,"types":{"object":1}},
{"path":"$[\"d e\"].f","documents":1,"values":1,"of":1,"types":{"number":1},"type":"float64","examples":[2.50]}
],
"fields":[
{"name":"value","path":"$","type":"json"}
]}
)");
    CHECK(columns(summary_of({R"({"a":1,"b":{"c":"x","d":{}},"e":[1]})", R"({"b":null,"f":"2024-01-01T00:00:00Z"})"})) ==
          "a:int64 b.c:string b.d:json e:json f:timestamp");
    CHECK(columns(summary_of({})) == "");
    const x::path_summary deep = summary_of({R"({"a":[{"b c":1,"d":[]},{"b c":null,"e":[true]}],"f":{"g":{"h":1.5}}})",
                                             R"({"a":[],"i":[1,"x"],"j":[[1],{}],"f":{}})"});
    CHECK(columns(deep) == "a:json f.g.h:float64 i:json j:json");
    CHECK(columns(deep, true) ==
          "a:list[struct[\"b c\":int64,d:list[json],e:list[bool]]] "
          "f:struct[g:struct[h:float64]] i:list[json] j:list[json]");
    CHECK(written(summary_of({})) ==
          "{\"kumihimo\":\"schema\",\"documents\":0,\"fold\":1000,\n\"paths\":[\n],\n\"fields\":[\n]}\n");
}

TEST_CASE("JSON Schema") {
    const x::path_summary s = summary_of({R"({"a":1,"b":[{"c":"2024-01-01T00:00:00Z"}],"n":12345678901234567890123})",
                                          R"({"a":1.5,"b":[{"c":"2024-01-01T00:00:00Z"},"x"],"n":null})"});
    CHECK(written(s, x::schema_text::json_schema) == R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "a": {
      "type": "number",
      "examples": [
        1,
        1.5
      ]
    },
    "b": {
      "type": "array",
      "x-kumihimo-type": "json",
      "items": {
        "type": [
          "string",
          "object"
        ],
        "examples": [
          "x"
        ],
        "properties": {
          "c": {
            "type": "string",
            "format": "date-time",
            "x-kumihimo-type": "timestamp",
            "examples": [
              "2024-01-01T00:00:00Z"
            ]
          }
        },
        "required": [
          "c"
        ]
      }
    },
    "n": {
      "type": [
        "null",
        "integer"
      ],
      "x-kumihimo-type": "decimal",
      "examples": [
        12345678901234567890123
      ]
    }
  },
  "required": [
    "a",
    "b",
    "n"
  ]
}
)");
    CHECK(written(summary_of({}), x::schema_text::json_schema) ==
          "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\"\n}\n");
}

TEST_CASE("keys that are data become one member") {
    const std::vector<std::string> documents{R"({"by":{"x":{"p":1},"y":{"p":2,"q":0}},"a":1})",
                                             R"({"by":{"z":{"r":3}},"b":1})"};
    CHECK(columns(summary_of(documents, 2)) == "value:json");
    CHECK(columns(summary_of(documents, 3)) == "by.x.p:int64 by.y.p:int64 by.y.q:int64 by.z.r:int64 a:int64 b:int64");
    CHECK(written(summary_of({R"({"x":{"p":1},"y":{"p":2,"q":0},"z":7})"}, 2)) ==
          R"({"kumihimo":"schema","documents":1,"fold":2,
"paths":[
{"path":"$","documents":1,"values":1,"types":{"object":1}},
{"path":"$.*","values":3,"types":{"integer":1,"object":2},"examples":[7]},
{"path":"$.*.p","values":2,"of":2,"types":{"integer":2},"type":"int64","examples":[1,2]},
{"path":"$.*.q","values":1,"of":2,"types":{"integer":1},"type":"int64","examples":[0]}
],
"fields":[
{"name":"value","path":"$","type":"json"}
]}
)");
}

TEST_CASE("columns have names of their own, whatever the keys are") {
    CHECK(columns(summary_of({R"({"$.a.b":1,"a.b":2.5,"a":{"b":true}})"})) == "$.a.b:int64 a.b:float64 $.a.b_2:bool");
    CHECK(columns(summary_of({R"({"$.a.b_2":"x","$.a.b":1,"a.b":2.5,"a":{"b":true}})"})) ==
          "$.a.b_2:string $.a.b:int64 a.b:float64 $.a.b_3:bool");
}

TEST_CASE("keys that come twice, and examples") {
    const std::string s = written(summary_of({R"({"a":1,"a":1,"a":"1"})", "{}", R"({"a":true,"a":2})"}));
    INFO(s);
    CHECK(s.find(R"("path":"$.a","documents":2,"values":5,"of":3,"repeated":3,"types":{"boolean":1,"integer":3,"string":1})") !=
          s.npos);
    CHECK(s.find(R"("examples":[1,"1",true])") != s.npos);
    // 40 characters, not bytes, and what was cut says so.
    std::string wide;
    for (int i = 0; i < 40; ++i) wide += "ü";
    CHECK(written(summary_of({'"' + wide + '"'})).find("\"examples\":[\"" + wide + "\"]") != s.npos);
    CHECK(written(summary_of({'"' + wide + "x\"", '"' + wide + "y\""})).find("\"examples\":[\"" + wide + "…\"]") != s.npos);
}

TEST_CASE("what stands in arrays is no member with an empty key") {
    // Slots of the folded keys are left over, and lead to the nodes of p and of what stands in it. Where one lies by
    // chance, which differs from process to process, on the way to p's member "", it must not be taken for that.
    for (int i = 0; i < 3000; ++i) {
        const std::string n = std::to_string(i);
        const std::string s = written(summary_of(
            {R"({"x":{"a)" + n + R"(":1,"b)" + n + R"(":2}})", R"({"x":{"c":3}})", R"({"p":[1]})", R"({"p":{"":true}})"}, 2));
        INFO(s);
        REQUIRE(s.find(R"("path":"$.p[\"\"]","documents":1,"values":1)") != s.npos);
        REQUIRE(s.find(R"("path":"$.p[*]","documents":1,"values":1,"types":{"integer":1})") != s.npos);
    }
}

TEST_CASE("parts united are the whole, wherever it is cut") {
    const char* const wanted = std::getenv("KUMIHIMO_COUNT");
    const int rounds = wanted != nullptr ? std::atoi(wanted) : 300;
    for (int seed = 0; seed < rounds; ++seed) {
        generator r(static_cast<std::uint64_t>(seed));
        std::vector<std::string> documents;
        for (std::size_t n = r() % 12; n > 0; --n) documents.push_back(value(r, 3));
        const std::size_t most_keys = 1 + r() % 6;
        const x::path_summary whole = summary_of(documents, most_keys);
        x::path_summary united(most_keys);
        for (std::size_t at = 0; at < documents.size();) {
            const std::size_t n = std::min<std::size_t>(r() % 4, documents.size() - at);
            const auto from = documents.begin() + static_cast<std::ptrdiff_t>(at);
            REQUIRE(united.unite(summary_of({from, from + static_cast<std::ptrdiff_t>(n)}, most_keys)));
            at += n;
        }
        INFO(seed << ", fold " << most_keys);
        REQUIRE(written(united) == written(whole));
        REQUIRE(written(united, x::schema_text::json_schema) == written(whole, x::schema_text::json_schema));
    }
}

TEST_CASE("too many paths") {
    x::path_summary s(100);
    errc said = errc::ok;
    context ctx;
    std::string deep;
    for (int i = 0; i < 400 && said == errc::ok; ++i) {  // 100 keys of 100 keys of 4 keys
        std::string d;
        for (int k = 0; k < 100; ++k)
            d += (d.empty() ? "{\"" : ",\"") + std::to_string(k) + "\":{\"" + std::to_string(i % 100) + "\":{\"" +
                 std::to_string(i) + "\":1}}";
        d += '}';
        said = s.observe(as_bytes(d), ctx);
    }
    CHECK(said == errc::size);
    CHECK(s.full());
    x::path_summary long_keys;
    for (int i = 0; i < 20 && !long_keys.full(); ++i) {
        const std::string d = "{\"" + std::string(1 << 20, static_cast<char>('a' + i)) + "\":{\"x\":1}}";
        context aside;
        said = long_keys.observe(as_bytes(d), aside);
    }
    CHECK(long_keys.full());
    x::path_summary other;
    CHECK(!other.unite(long_keys));
    CHECK(x::path_summary::full_sentence(7).find("lower --fold") != std::string::npos);
}
