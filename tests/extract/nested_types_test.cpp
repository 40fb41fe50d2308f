// Lists and structs: their types as text, values in and out, what is refused and where, and what is guessed.
#include <cstdint>

#include "extract/distinct.hpp"
#include "extract/infer.hpp"
#include "tests/extract/rows.hpp"

using namespace rows;

namespace {

std::string refused(std::string_view text) {
    x::column_spec c;
    std::string why;
    REQUIRE(x::parse_field(text, c, why) == errc::misuse);
    return why;
}

struct refusal {
    errc code;
    std::string path, sentence;
    std::size_t offset;
};

refusal bad(std::string_view field, std::string_view document) {
    x::batch b(schema({field}), json::level::strict);
    context ctx;
    const errc e = b.append(as_bytes(document), {}, ctx);
    CHECK(b.rows() == 0);
    CHECK(e != errc::ok);
    CHECK(b.failed_column() == 0);
    CHECK_FALSE(b.disagreed());
    return {e, ctx.failure.path, b.explanation(), ctx.failure.offset};
}

std::string guessed(std::initializer_list<std::string_view> values, std::string_view path = "v", std::string_view type = "") {
    x::column_spec f = field(std::string(path) + (type.empty() ? "" : ":" + std::string(type)));
    x::inference in({f}, false, json::level::strict);
    if (type.empty()) in.nest();
    std::shared_ptr<const x::schema> s;
    std::string why;
    for (const std::string_view v : values) {
        context ctx;
        REQUIRE(in.observe(as_bytes("{\"v\":" + std::string(v) + "}"), ctx) == errc::ok);
    }
    REQUIRE(in.finish(s, why) == errc::ok);
    // What was guessed holds all of it.
    x::batch b(s, json::level::strict);
    for (const std::string_view v : values) {
        context ctx;
        INFO(v << " in " << s->columns()[0].type_text());
        CHECK(b.append(as_bytes("{\"v\":" + std::string(v) + "}"), {}, ctx) == errc::ok);
    }
    return s->columns()[0].type_text();
}

}  // namespace

TEST_CASE("types are read and printed") {
    for (const char* type :
         {"list[int64]", "list[list[list[list[list[list[list[list[string]]]]]]]]", "struct[a:int64]", "list", "struct",
          "struct[a:list[struct[b:decimal(18,8),c:timestamp[ns,+09:00]]],\"d e\":json,\"f,g:h[\":bool,\"\":float64]",
          "list[timestamp[%d/%b/%Y:%H:%M:%S, %z]]", "struct[價格:decimal,$x:string]"}) {
        const x::column_spec c = field("v:" + std::string(type));
        CHECK(c.type_text() == type);
        CHECK(c.name == "v");
    }
    CHECK(field("v: list[ struct[ a : int64 , b:bool ] ]").type_text() == "list[struct[a:int64,b:bool]]");
    CHECK(field("/a/b:list[int64]").path == "/a/b");
    CHECK(field("/a:struct[at:timestamp[UTC]]").type_text() == "struct[at:timestamp[UTC]]");
    CHECK(field("x=v:struct[\"a=b\":int64,c:list[string]]").name == "x");
    CHECK(field("t[*].p:list[int64]").type_text() == "list[int64]");
}

TEST_CASE("types that cannot be are refused with what to write") {
    CHECK(refused("v:list[]").find("write list[TYPE]") != std::string::npos);
    CHECK(refused("v:struct[]").find("struct[NAME:TYPE,...]") != std::string::npos);
    CHECK(refused("v:struct[int64]").find("write NAME:TYPE") != std::string::npos);
    CHECK(refused("v:struct[a:int64,a:string]").find("two members named \"a\"") != std::string::npos);
    CHECK(refused("v:list[list]").find("list[TYPE]") != std::string::npos);
    CHECK(refused("v:list[text]").find("write string") != std::string::npos);
    CHECK(refused("v:list<int64>").find("with [ and ]") != std::string::npos);
    CHECK(refused("v:int64[]").find("list[int64]") != std::string::npos);
    CHECK(refused("v:list(int64)").find("write list[TYPE]") != std::string::npos);
    CHECK(refused("v:list[int64").find("list[TYPE]") != std::string::npos);
    CHECK(refused("v:array").find("write list") != std::string::npos);
    CHECK(refused("v:struct[a:list[list[list[list[list[list[list[list[int64]]]]]]]]]").find("more than 8") !=
          std::string::npos);
    CHECK(refused("t[*].p:int64").find("list[float64]") != std::string::npos);
    CHECK(refused("t[*].p:struct").find("finds a list") != std::string::npos);
    std::string deep = "v:";
    for (int i = 0; i < 100000; ++i) deep += "list[";
    CHECK(!refused(deep).empty());
    CHECK(refused(deep + "int64" + std::string(100000, ']')).find("more than 8") != std::string::npos);
}

TEST_CASE("values go in and come out as JSON") {
    const auto s = schema({"n:list[int64]", "b:struct[bid:list[float64],at:timestamp[+09:00],s:string,d:decimal,j:json]",
                           "p=t[*].p:list[int64]"});
    const x::batch b = filled(
        s,
        {R"({"n":[1,null,"7",3.0],"b":{"at":"2016-12-25T01:53:10.5Z","bid":[1,2.5,null],"more":[{}],"s":"\"\n\u00e9","d":1.10,"j":{ "x" : [1] }},"t":[{"p":1},{},{"p":null},{"p":4}]})",
         R"({"n":[],"b":{},"t":[]})", R"({"n":null,"b":null,"t":5})", R"({"b":{"s":null,"bid":[],"s":"last","at":1}})"});
    CHECK(ndjson(b) ==
          "{\"n\":[1,null,7,3],\"b\":{\"bid\":[1.0,2.5,null],\"at\":\"2016-12-25T10:53:10.500+09:00\",\"s\":\"\\\"\\né\",\"d\":"
          "1.10,"
          "\"j\":{ \"x\" : [1] }},\"p\":[1,null,null,4]}\n"
          "{\"n\":[],\"b\":{\"bid\":null,\"at\":null,\"s\":null,\"d\":null,\"j\":null},\"p\":[]}\n"
          "{\"n\":null,\"b\":null,\"p\":null}\n"
          "{\"n\":null,\"b\":{\"bid\":[],\"at\":\"1970-01-01T09:00:01+09:00\",\"s\":\"last\",\"d\":null,\"j\":null},\"p\":null}"
          "\n");
    CHECK(
        csv(filled(schema({"n:list[int64]", "s:struct[a:string]"}), {R"({"n":[1,2],"s":{"a":"x"}})", R"({"n":[],"s":{}})"})) ==
        "\"[1,2]\",\"{\"\"a\"\":\"\"x\"\"}\"\n[],\"{\"\"a\"\":null}\"\n");
}

TEST_CASE("of a key that comes twice the last one counts") {
    const auto s = schema({"v:struct[a:int64,b:list[int64],c:struct[d:int64,e:int64]]"});
    CHECK(ndjson(filled(s, {R"({"v":{"a":"no number","b":[1,2,3],"c":{"d":1},"a":2,"b":[4],"c":{"e":5}}})",
                            R"({"v":{"b":[1,2],"b":null,"\u0061":1,"a":null}})"})) ==
          "{\"v\":{\"a\":2,\"b\":[4],\"c\":{\"d\":null,\"e\":5}}}\n{\"v\":{\"a\":null,\"b\":null,\"c\":null}}\n");
}

TEST_CASE("what does not fit is refused with its place") {
    const refusal r = bad("v:struct[a:list[struct[b:int64]]]", R"({"v":{"a":[{"b":1},{"b":[2]}]}})");
    CHECK(r.code == errc::type);
    CHECK(r.path == "$.v.a[1].b");
    CHECK(r.offset == 24);
    CHECK(r.sentence ==
          "column \"v.a[*].b\" (int64) takes whole numbers from -9223372036854775808 to 9223372036854775807; here it is [2]");
    CHECK(bad("v:list[int64]", R"({"v":{"a":1}})").path == "$.v");
    CHECK(bad("v:list[int64]", R"({"v":5})").sentence.find("takes arrays") != std::string::npos);
    CHECK(bad("v:struct[a:int64]", R"({"v":[1]})").sentence.find("takes objects") != std::string::npos);
    CHECK(bad("v:list[int64]", R"({"v":[1,99999999999999999999]})").code == errc::range);
    CHECK(bad("v:list[int64]", R"({"v":[1,1.5]})").path == "$.v[1]");
    CHECK(bad("v:list[list[string]]", R"({"v":[["a"],["b",["c"]]]})").path == "$.v[1][1]");
    CHECK(bad("v:struct[\"a b\":bool]", R"({"v":{"a b":1}})").path == "$.v[\"a b\"]");
    CHECK(bad("p=t[*].p:list[int64]", R"({"t":[{"p":1},{"p":"x"}]})").path == "$.t[1].p");
    CHECK(bad("p=t[*].p:list[list[int64]]", R"({"t":[{"p":[1]},{"p":[2,"x"]}]})").path == "$.t[1].p[1]");
}

TEST_CASE("a row that fails half way leaves nothing") {
    x::batch b(schema({"v:list[struct[a:list[string]]]"}), json::level::strict);
    for (int i = 0; i < 3; ++i) {
        context ctx;
        CHECK(b.append(as_bytes(R"({"v":[{"a":["lost"]},{"a":["lost",[]]}]})"), {}, ctx) == errc::type);
        context good;
        REQUIRE(b.append(as_bytes(R"({"v":[{"a":["kept"]}]})"), {}, good) == errc::ok);
    }
    CHECK(ndjson(b) == "{\"v\":[{\"a\":[\"kept\"]}]}\n{\"v\":[{\"a\":[\"kept\"]}]}\n{\"v\":[{\"a\":[\"kept\"]}]}\n");
}

TEST_CASE("rows are taken out") {
    std::vector<std::string> documents, kept;
    const auto s = schema({"v:list[struct[a:list[string],n:int64]]"});
    x::batch b(s, json::level::strict);
    std::vector<std::uint32_t> rows;
    std::string expected;
    for (std::uint32_t i = 0; i < 3000; ++i) {
        std::string v = i % 7 == 0 ? "null" : "[";
        for (std::uint32_t k = 0; i % 7 != 0 && k < i % 5; ++k)
            v += std::string(k != 0 ? "," : "") + "{\"a\":[\"" + std::to_string(i) +
                 "\"],\"n\":" + (k == 2 ? "null" : std::to_string(i * k)) + "}";
        if (i % 7 != 0) v += "]";
        context ctx;
        REQUIRE(b.append(as_bytes("{\"v\":" + v + "}"), {}, ctx) == errc::ok);
        if (i % 3 != 1) continue;
        rows.push_back(i);
        expected += "{\"v\":" + v + "}\n";
    }
    const std::size_t used = b.bytes_used();
    CHECK(used > 30000);
    b.retain(rows);
    CHECK(b.bytes_used() < used);
    CHECK(ndjson(b) == expected);
    b.clear();
    CHECK(b.bytes_used() == 0);
}

TEST_CASE("distinct rows of lists") {
    x::batch b = filled(schema({"v:list[struct[a:int64]]", "i:int64"}),
                        {R"({"v":[{"a":1}],"i":1})", R"({"v":[{"a":1.0}],"i":2})", R"({"v":[],"i":3})", R"({"i":4})",
                         R"({"v":[null],"i":5})", R"({"v":[{}],"i":6})", R"({"v":[],"i":7})"});
    x::distinct_rows only({"v"}, 1 << 20);
    REQUIRE(only.filter(b, 100) == errc::ok);
    CHECK(csv(b) == "\"[{\"\"a\"\":1}]\",1\n[],3\n,4\n[null],5\n\"[{\"\"a\"\":null}]\",6\n");
}

TEST_CASE("types are guessed, what is in them too") {
    CHECK(guessed({"[1,2]", "[]", "null", "[3]"}) == "list[int64]");
    CHECK(guessed({"[1,2.5]", "[null]"}) == "list[float64]");
    CHECK(guessed({"[0.12345678901234567890]"}) == "list[decimal]");
    CHECK(guessed({"[9007199254740993]", "[0.5]"}) == "list[decimal]");
    CHECK(guessed({"[\"a\"]", "[1]"}) == "list[json]");
    CHECK(guessed({"[]"}) == "list[json]");
    CHECK(guessed({"{\"a\":1}", "{\"b\":\"x\"}", "{}"}) == "struct[a:int64,b:string]");
    CHECK(guessed({"{}"}) == "json");
    CHECK(guessed({"[1]", "{\"a\":1}"}) == "json");
    CHECK(guessed({"[1]", "1"}) == "json");
    CHECK(guessed({"[{\"a\":[{\"b\":true}]},{\"a\":null,\"c d\":1}]"}) == "list[struct[a:list[struct[b:bool]],\"c d\":int64]]");
    CHECK(guessed({"[\"2016-12-25T01:53:10Z\"]", "[\"2016-12-25T01:53:11Z\"]"}) == "list[timestamp]");
    CHECK(guessed({"[[[[[[[[1]]]]]]]]"}) == "list[list[list[list[list[list[list[list[int64]]]]]]]]");
    CHECK(guessed({"[[[[[[[[[1]]]]]]]]]"}) == "list[list[list[list[list[list[list[list[json]]]]]]]]");
    CHECK(guessed({"[{\"p\":1},{\"p\":2.5},{}]", "[]"}, "v[*].p") == "list[float64]");
    CHECK(guessed({"5"}, "v[*].p") == "list[json]");
    CHECK(guessed({"[1]"}, "v", "list") == "list[int64]");
    CHECK(guessed({"{\"a\":[1]}"}, "v", "struct") == "struct[a:list[int64]]");
    CHECK(guessed({"null"}, "v", "struct") == "struct");
    CHECK(guessed({"null"}, "v", "list") == "list");
}

TEST_CASE("columns are the documents' members") {
    x::inference in({}, false, json::level::strict);
    in.nest();
    CHECK(in.needed());
    CHECK(in.nests() == false);
    for (const char* d : {R"({"id":1,"book":{"bid":[1]},"x":null})", R"({"id":2,"tags":["a"],"book":{"ask":[2.5]}})"}) {
        context ctx;
        REQUIRE(in.observe(as_bytes(d), ctx) == errc::ok);
    }
    std::shared_ptr<const x::schema> s;
    std::string why;
    const auto types = [&] {
        REQUIRE(in.finish(s, why) == errc::ok);
        std::string out;
        for (const x::column_spec& c : s->columns()) out += c.name + ':' + c.type_text() + ' ';
        return out;
    };
    CHECK(types() == "id:int64 book:struct[bid:list[int64],ask:list[float64]] x:json tags:list[string] ");
    CHECK(in.notes().size() == 4);
    CHECK(in.notes()[1] == "book: struct[bid:list[int64],ask:list[float64]]");
    CHECK(in.notes()[3] == "tags: list[string] (in 1 of 2 documents)");
    context ctx;
    REQUIRE(in.observe(as_bytes("[1]"), ctx) == errc::ok);
    CHECK(types() == "value:json ");
}

TEST_CASE("a guess that does not hold becomes wider") {
    const auto becomes = [](std::initializer_list<std::string_view> sample, std::string_view then) {
        x::inference in({field("v")}, false, json::level::strict);
        in.nest();
        context ctx;
        for (const std::string_view v : sample)
            REQUIRE(in.observe(as_bytes("{\"v\":" + std::string(v) + "}"), ctx) == errc::ok);
        std::shared_ptr<const x::schema> s;
        std::string why;
        REQUIRE(in.finish(s, why) == errc::ok);
        const std::string document = "{\"v\":" + std::string(then) + "}";
        x::batch b(s, json::level::strict);
        if (b.append(as_bytes(document), {}, ctx) == errc::ok) return std::string("holds");
        REQUIRE(b.disagreed());
        std::shared_ptr<const x::schema> wider;
        REQUIRE(s->with(0, b.becomes(), wider, why) == errc::ok);
        CHECK_FALSE(wider->same(*s));
        x::batch again(wider, json::level::strict);
        context good;
        CHECK(again.append(as_bytes(document), {}, good) == errc::ok);
        std::string out = ndjson(again);
        INFO(out);
        return b.disagreement();
    };
    CHECK(becomes({"[1]"}, "[2,null]") == "holds");
    CHECK(becomes({"[1]"}, "[2,0.5]") == "column \"v\" was taken for list[int64] but holds 0.5; it becomes list[float64]");
    CHECK(becomes({"[]"}, "[\"x\"]") == "column \"v\" was taken for list[json] but holds \"x\"; it becomes list[string]");
    CHECK(becomes({"{\"a\":1}"}, "{\"b\":[true]}") ==
          "column \"v\" was taken for struct[a:int64] but holds a member \"b\"; it becomes struct[a:int64,b:list[bool]]");
    CHECK(becomes({"{\"a\":{\"c\":1}}"}, "{\"a\":{\"d\":null}}") ==
          "column \"v\" was taken for struct[a:struct[c:int64]] but holds a member \"d\"; it becomes "
          "struct[a:struct[c:int64,d:json]]");
    CHECK(becomes({"[1]"}, "{\"a\":1}") == "column \"v\" was taken for list[int64] but holds {\"a\":1}; it becomes json text");
    CHECK(becomes({"[[1]]"}, "[[1],5]") == "column \"v\" was taken for list[list[int64]] but holds 5; it becomes list[json]");
    CHECK(becomes({"[1.5]"}, "[0.1000000000000000055511151231257827]") ==
          "column \"v\" was taken for list[float64] but holds 0.1000000000000000055511151231257827; it becomes list[decimal]");
    CHECK(becomes({"null"}, "[1]") == "column \"v\" had no value in the sample, but holds [1]; it becomes list[int64]");
    CHECK(becomes({"[1]"}, "\"x\"") == "column \"v\" was taken for list[int64] but holds \"x\"; it becomes json text");
}

TEST_CASE("arrays were asked for, and what is in them was guessed") {
    x::inference in({field("v:list")}, false, json::level::strict);
    context ctx;
    REQUIRE(in.observe(as_bytes(R"({"v":7})"), ctx) == errc::ok);  // a bad record, whatever is guessed
    REQUIRE(in.observe(as_bytes(R"({"v":[1]})"), ctx) == errc::ok);
    std::shared_ptr<const x::schema> s;
    std::string why;
    REQUIRE(in.finish(s, why) == errc::ok);
    CHECK(s->columns()[0].type_text() == "list[int64]");
    x::batch b(s, json::level::strict);
    CHECK(b.append(as_bytes(R"({"v":7})"), {}, ctx) == errc::type);
    CHECK_FALSE(b.disagreed());
    ctx.clear();
    CHECK(b.append(as_bytes(R"({"v":["x"]})"), {}, ctx) == errc::type);
    CHECK(b.disagreed());
}

TEST_CASE("a map keyed by ids is no struct") {
    x::inference in({field("v")}, false, json::level::strict);
    in.nest();
    std::string wide = "{";
    for (int i = 0; i < 5000; ++i) wide += (i != 0 ? ",\"id" : "\"id") + std::to_string(i) + "\":" + std::to_string(i);
    context ctx;
    REQUIRE(in.observe(as_bytes("{\"v\":{\"few\":1,\"many\":" + wide + "}}}"), ctx) == errc::ok);
    std::shared_ptr<const x::schema> s;
    std::string why;
    REQUIRE(in.finish(s, why) == errc::ok);
    CHECK(s->columns()[0].type_text() == "struct[few:int64,many:json]");
    // Many of them, one in another.
    std::string tree = "{";
    for (int i = 0; i < 200; ++i) {
        tree += (i != 0 ? ",\"t" : "\"t") + std::to_string(i) + "\":{";
        for (int k = 0; k < 400; ++k) tree += (k != 0 ? ",\"u" : "\"u") + std::to_string(k) + "\":1";
        tree += '}';
    }
    REQUIRE(in.observe(as_bytes("{\"v\":" + tree + "}}"), ctx) == errc::ok);
    REQUIRE(in.finish(s, why) == errc::ok);
    CHECK(s->columns()[0].type_text() == "json");
}

TEST_CASE("what a level does not look at is found out in time") {
    x::batch b(schema({"v:list[int64]"}), json::level::trusted);
    context ctx;
    CHECK(b.append(as_bytes(R"({"v":[1 2]})"), {}, ctx) == errc::syntax);
    CHECK(b.rows() == 0);
    context good;
    CHECK(b.append(as_bytes(R"({"v":[1,2]})"), {}, good) == errc::ok);
}
