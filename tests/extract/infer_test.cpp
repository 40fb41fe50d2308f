#include "extract/infer.hpp"

#include "tests/extract/rows.hpp"

using namespace rows;

namespace {

struct outcome {
    std::shared_ptr<const x::schema> schema;
    std::vector<std::string> notes;
    std::string why;
    std::string columns() const {  // name:type name:type
        std::string out;
        for (const x::column_spec& c : schema->columns()) out += (out.empty() ? "" : " ") + c.name + ':' + c.type_text();
        return out;
    }
};

outcome infer(std::initializer_list<std::string_view> documents, std::vector<x::column_spec> fields = {},
              bool provenance = false) {
    x::inference in(std::move(fields), provenance, json::level::strict);
    CHECK(in.needed());
    for (const std::string_view d : documents) {
        context ctx;
        INFO(d);
        REQUIRE(in.observe(as_bytes(d), ctx) == errc::ok);
    }
    CHECK(in.documents() == documents.size());
    outcome out;
    const errc e = in.finish(out.schema, out.why);
    INFO(out.why);
    REQUIRE(e == errc::ok);
    out.notes = in.notes();
    return out;
}

/// The type that a column of these values gets; the values are then put through it: nothing may be refused, and what a
/// column of times prints must be what it was given.
std::string type(std::initializer_list<std::string_view> values) {
    std::vector<std::string> documents;
    for (const std::string_view v : values) documents.push_back("{\"v\":" + std::string(v) + "}");
    x::inference in({field("v")}, false, json::level::strict);
    x::inference all({}, false, json::level::strict);
    for (const std::string& d : documents) {
        context ctx;
        REQUIRE(in.observe(as_bytes(d), ctx) == errc::ok);
        REQUIRE(all.observe(as_bytes(d), ctx) == errc::ok);
    }
    std::shared_ptr<const x::schema> s, same;
    std::string why;
    REQUIRE(in.finish(s, why) == errc::ok);
    if (documents.empty()) return s->columns()[0].type_text();
    REQUIRE(all.finish(same, why) == errc::ok);
    const x::column_spec& spec = s->columns()[0];
    if (!same->columns().empty() && same->columns()[0].name == "v") CHECK(same->columns()[0].type_text() == spec.type_text());
    CHECK(spec.inferred);
    x::batch b(s, json::level::strict);
    for (const std::string& d : documents) {
        context ctx;
        INFO(d << " into " << spec.type_text());
        CHECK(b.append(as_bytes(d), {}, ctx) == errc::ok);
    }
    if (spec.type == x::column_type::timestamp) {
        std::string expected;
        for (const std::string& d : documents) expected += d + '\n';
        CHECK(ndjson(b) == expected);
    }
    return spec.type_text();
}

}  // namespace

TEST_CASE("types") {
    CHECK(type({"1", "-2", "null"}) == "int64");
    CHECK(type({"1", "9007199254740993"}) == "int64");
    CHECK(type({"1", "9223372036854775807", "-9223372036854775808"}) == "int64");
    CHECK(type({"1", "9223372036854775808"}) == "decimal");
    CHECK(type({"1", "1.5"}) == "float64");
    CHECK(type({"107910.0"}) == "float64");
    CHECK(type({"-0"}) == "float64");
    CHECK(type({"1e-08", "5"}) == "float64");
    CHECK(type({"-65.613616999999977"}) == "float64");
    CHECK(type({"9007199254740992", "0.5"}) == "float64");
    CHECK(type({"9007199254740993", "0.5"}) == "decimal");
    CHECK(type({"0.1234567890123456789"}) == "decimal");
    CHECK(type({"1e400"}) == "decimal");
    CHECK(type({"true", "false"}) == "bool");
    CHECK(type({"\"a\"", "\"\""}) == "string");
    CHECK(type({"\"12\""}) == "string");
    CHECK(type({"null"}) == "json");
    CHECK(type({}) == "json");
    CHECK(type({"[1]"}) == "json");
    CHECK(type({"{}"}) == "json");
    CHECK(type({"1", "\"a\""}) == "json");
    CHECK(type({"1", "true"}) == "json");
    CHECK(type({"\"a\"", "[]"}) == "json");
}

TEST_CASE("times are times when all are written the same way") {
    CHECK(type({R"("2016-12-25 01:53:10.602955")", R"("2016-12-25 01:53:11.000001")"}) == "timestamp[naive]");
    CHECK(type({R"("2016-12-25 01:53:10.602955")", R"("2016-12-25 01:53:11")"}) == "timestamp[naive]");
    CHECK(type({R"("2016-12-25T01:53:10Z")"}) == "timestamp");
    CHECK(type({R"("2016-12-25T01:53:10.100Z")", R"("2016-12-25T01:53:10.000Z")"}) == "timestamp");
    CHECK(type({R"("2016-12-25T01:53:10.1Z")", R"("2016-12-25T01:53:10.12Z")", R"("2016-12-25T01:53:10Z")"}) == "timestamp");
    CHECK(type({R"("2016-12-25T01:53:10.100Z")", R"("2016-12-25T01:53:10Z")"}) == "timestamp");
    CHECK(type({R"("2016-12-25T01:53:10.123456789Z")", R"("2016-12-25T01:53:10.123Z")"}) == "timestamp[ns]");
    CHECK(type({R"("2016-12-25T01:53:10.6+09:00")", R"("2017-12-25T01:53:10.7+09:00")"}) == "timestamp[+09:00]");
    CHECK(type({R"("2016-12-25T01:53:10+00:00")"}) == "timestamp[UTC]");
    CHECK(type({R"("0001-01-01T00:00:00Z")", R"("9999-12-31T23:59:59Z")"}) == "timestamp");
    // Not a time, not all of one kind, or not to be printed again as it was.
    CHECK(type({R"("2016-12-25T01:53:10Z")", R"("2016-12-25 01:53:10Z")"}) == "string");
    CHECK(type({R"("2016-12-25T01:53:10Z")", R"("2016-12-25T01:53:10")"}) == "string");
    CHECK(type({R"("2016-12-25T01:53:10+09:00")", R"("2016-12-25T01:53:10+08:00")"}) == "string");
    CHECK(type({R"("2016-12-25T01:53:10-00:00")"}) == "string");
    CHECK(type({R"("2016-12-25T01:53:10+0900")"}) == "string");
    CHECK(type({R"("2016-12-31T23:59:60Z")"}) == "string");
    CHECK(type({R"("2016-12-25")"}) == "string");
    CHECK(type({R"("2016/12/25 01:53:10")"}) == "string");
    CHECK(type({R"("2016-12-25t01:53:10z")"}) == "string");
    CHECK(type({R"("2016-12-25T01:53:10Z")", R"("")"}) == "string");
    CHECK(type({R"("2016-13-25T01:53:10Z")"}) == "string");
    CHECK(type({R"("0001-01-01T00:00:00.000000000Z")"}) == "string");
    CHECK(type({R"("2016-12-25T01:53:10.1234567890Z")"}) == "string");
    CHECK(type({R"("2016-12-25T01:53:10Z")", "5"}) == "json");
}

TEST_CASE("a column that is widened again and again ends, and loses nothing") {
    // Each value is met after the column was made from those before it.
    const std::initializer_list<std::string_view> runs[] = {
        {"1", "1.5", "9007199254740993", "\"x\""},
        {"1", "99999999999999999999", "[]"},
        {"true", "1", "\"\""},
        {R"("2016-12-25T01:53:10Z")", R"("2016-12-25T01:53:10.600000Z")", R"("2016-12-25T01:53:10.603Z")",
         R"("2016-12-25T01:53:10.603000001Z")", R"("2016-12-25T01:53:10.6Z")", R"("2016-12-25T01:53:10.60Z")", "7"},
        {R"("2016-12-25T01:53:10.000000")", R"("2016-12-25T01:53:10")", R"("0001-01-01T00:00:00")",
         R"("2016-12-25T01:53:10.603000001")"},
        {R"("2016-12-25T01:53:10.000000001Z")", R"("0001-01-01T00:00:00.000000000Z")", R"("x")"},
    };
    for (const auto& values : runs) {
        x::column_spec spec;
        std::vector<std::string> documents;
        std::shared_ptr<const x::schema> s;
        std::string why;
        int widened = 0;
        for (const std::string_view v : values) {
            documents.push_back("{\"v\":" + std::string(v) + "}");
            if (s == nullptr) {
                x::inference in({field("v")}, false, json::level::strict);
                context ctx;
                REQUIRE(in.observe(as_bytes(documents[0]), ctx) == errc::ok);
                REQUIRE(in.finish(s, why) == errc::ok);
            }
            for (bool again = true; again;) {
                again = false;
                x::batch b(s, json::level::strict);
                for (const std::string& d : documents) {
                    context ctx;
                    if (b.append(as_bytes(d), {}, ctx) == errc::ok) continue;
                    REQUIRE(b.disagreed());
                    REQUIRE(++widened < 40);
                    std::shared_ptr<const x::schema> wider;
                    REQUIRE(s->with(0, b.becomes(), wider, why) == errc::ok);
                    s = wider;
                    again = true;
                    break;
                }
                if (again) continue;
                const x::column_type t = s->columns()[0].type;
                if (t != x::column_type::json && t != x::column_type::decimal && t != x::column_type::timestamp &&
                    t != x::column_type::string)
                    continue;
                std::string expected;
                for (const std::string& d : documents) expected += d + '\n';
                CHECK(ndjson(b) == expected);
            }
        }
        CHECK(widened > 0);
    }
}

TEST_CASE("columns are found: leaves in first-seen order, dotted") {
    CHECK(
        infer(
            {R"({"asks":[[1.0,2]],"last_price":{"action":"ask","price":107910.0},"n":1,"timestamp":"2016-12-25 01:53:10.602955"})"})
            .columns() == "asks:json last_price.action:string last_price.price:float64 n:int64 timestamp:timestamp[naive]");
    CHECK(infer({R"({"a":{"x":1},"b":2})", R"({"b":2.5,"a":{"y":"t","x":null},"c":true})"}).columns() ==
          "a.x:int64 a.y:string b:float64 c:bool");
    CHECK(infer({R"({"a":null})", R"({"a":{"b":1}})"}).columns() == "a.b:int64");
    CHECK(infer({R"({"a":{"b":1}})", R"({"a":5})"}).columns() == "a:json");
    CHECK(infer({R"({"a":[1]})", R"({"a":{"b":1}})"}).columns() == "a:json");
    CHECK(infer({R"({"a":{}})"}).columns() == "a:json");
    CHECK(infer({R"({"a":{}})", R"({"a":{"b":{"c":{"d":1}}}})"}).columns() == "a.b.c.d:int64");
    CHECK(infer({"5", "6.5"}).columns() == "value:float64");
    CHECK(infer({"[1,{\"a\":[2]},3]"}).columns() == "value:json");
    CHECK(infer({"{}"}).columns() == "value:json");
    CHECK(infer({"null"}).columns() == "value:json");
    CHECK(infer({R"({"a":1})", "7"}).columns() == "value:json");
    CHECK(infer({R"({"":1,"a.b":2,"a":{"b":3},"x=y":4,"*":5,"q\"\\":6})"}).columns() ==
          ":int64 a.b:int64 $.a.b:int64 x=y:int64 *:int64 q\"\\:int64");
    CHECK(infer({R"({"$.a.b":1,"a.b":2,"a":{"b":3}})"}).columns() == "$.a.b:int64 a.b:int64 $.a.b_2:int64");
    CHECK(infer({R"({"a":[{"b":[]},{"c":{}}],"d":{"e":[[]]}})"}).columns() == "a:json d.e:json");
    CHECK(infer({R"({"a":1,"a":"x"})"}).columns() == "a:json");
    CHECK(infer({R"({"offset":1})"}, {}, true).columns() ==
          "offset:int64 source_archive:string source_entry:string source_offset:int64");
    // What was found can be extracted again, whatever the keys are.
    const std::string_view odd = R"({"":1,"a.b":2,"a":{"b":3},"x=y":4,"*":5,"q\"\\":6,"é\n":7,"[0]":8})";
    const x::batch b = filled(infer({odd}).schema, {odd});
    CHECK(csv(b) == "1,2,3,4,5,6,7,8\n");
}

TEST_CASE("given types stay, the others are guessed") {
    std::vector<x::column_spec> fields{field("a"), field("b:string"), field("at:timestamp"), field("c[*]")};
    const outcome o = infer({R"({"a":1,"b":2,"at":"2016-12-25 01:53:10","c":[1]})"}, fields);
    CHECK(o.columns() == "a:int64 b:string at:timestamp[naive] c[*]:json");
    CHECK(o.schema->columns()[0].inferred);
    CHECK_FALSE(o.schema->columns()[1].inferred);
    CHECK_FALSE(o.schema->columns()[2].inferred);
    CHECK(infer({R"({"a":1,"at":"2016-12-25 01:53:10Z"})", R"({"at":"2016-12-25 01:53:10"})"}, fields).columns() ==
          "a:int64 b:string at:timestamp c[*]:json");
    CHECK(infer({R"({"at":1482598389})"}, fields).columns() == "a:json b:string at:timestamp c[*]:json");
    x::inference done({field("a:int64"), field("t:timestamp[UTC]")}, false, json::level::strict);
    CHECK_FALSE(done.needed());
    std::shared_ptr<const x::schema> s;
    std::string why;
    CHECK(done.finish(s, why) == errc::ok);
}

TEST_CASE("notes say what was decided and why") {
    const outcome o = infer({R"({"a":1,"b":null,"c":"x"})", R"({"a":2.5,"c":3})"});
    REQUIRE(o.notes.size() == 3);
    CHECK(o.notes[0] == "a: float64");
    CHECK(o.notes[1] == "b: json, because the sample has no value (in 0 of 2 documents)");
    CHECK(o.notes[2] == "c: json text, because it holds numbers, text");
}

TEST_CASE("a key that comes twice is in one document") {
    const outcome o = infer({R"({"a":1,"a":2,"o":{"x":1},"o":{"x":2,"x":3}})", R"({"a":3})"});
    CHECK(o.notes == std::vector<std::string>{"a: int64", "o.x: int64 (in 1 of 2 documents)"});
}

TEST_CASE("columns for text hold what stands there; the guess is beside it") {
    for (const x::layout_of_text form : {x::layout_of_text::csv, x::layout_of_text::ndjson}) {
        x::inference in({}, false, json::level::strict);
        in.as_text(form, false);
        context ctx;
        REQUIRE(in.observe(as_bytes(R"({"n":1.10,"t":"2024-01-01T00:00:00Z","e":null})"), ctx) == errc::ok);
        std::shared_ptr<const x::schema> s;
        std::string why;
        REQUIRE(in.finish(s, why) == errc::ok);
        const auto c = s->columns();
        CHECK(c[0].verbatim);
        CHECK(c[0].meaning().type == x::column_type::float64);
        CHECK(c[1].meaning().type == x::column_type::timestamp);
        CHECK(c[2].meaning().unseen);
        const char* const other = R"({"n":"a \"b\"","t":{"x":[1.0, 2]},"e":1E2})";
        const x::batch b = filled(s, {R"({"n":1.10,"t":"2024-01-01T00:00:00Z","e":null})", other});
        if (form == x::layout_of_text::csv)
            CHECK(csv(b) == "1.10,2024-01-01T00:00:00Z,\n\"a \"\"b\"\"\",\"{\"\"x\"\":[1.0, 2]}\",1E2\n");
        else
            CHECK(ndjson(b) == R"({"n":1.10,"t":"2024-01-01T00:00:00Z","e":null})"
                               "\n" +
                                   std::string(other) + "\n");
    }
    // Named fields need no sample then, unless somebody is to see the guess, or a zone is open.
    x::inference named({field("a")}, false, json::level::strict);
    CHECK(named.needed());
    named.as_text(x::layout_of_text::csv, false);
    CHECK_FALSE(named.needed());
    named.as_text(x::layout_of_text::csv, true);
    CHECK(named.needed());
    x::inference zone({field("a"), field("at:timestamp")}, false, json::level::strict);
    zone.as_text(x::layout_of_text::csv, false);
    CHECK(zone.needed());
    CHECK_FALSE(zone.sated());
    context ctx;
    REQUIRE(zone.observe(as_bytes(R"({"at":"2024-01-01T00:00:00Z"})"), ctx) == errc::ok);
    CHECK(zone.sated());
}

TEST_CASE("broken documents change nothing, and too many columns are refused with advice") {
    x::inference in({}, false, json::level::strict);
    context ctx;
    CHECK(in.observe(as_bytes(R"({"a":1,"b":)"), ctx) != errc::ok);
    CHECK(ctx.failure.code != errc::ok);
    CHECK(in.documents() == 0);
    std::shared_ptr<const x::schema> s;
    std::string why;
    CHECK(in.finish(s, why) == errc::misuse);
    CHECK(why.find("no document") != std::string::npos);

    x::inference wide({}, false, json::level::strict);
    std::string d = "{";
    for (int i = 0; i < 50000; ++i) d += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":{\"x\":1}";
    d += "}";
    context fine;
    REQUIRE(wide.observe(as_bytes(d), fine) == errc::ok);
    CHECK(wide.finish(s, why) == errc::misuse);
    CHECK(why.find("-f PATH") != std::string::npos);

    x::column_spec bad;
    bad.name = bad.path = "a[";
    x::inference broken({bad}, false, json::level::strict);
    context no;
    CHECK(broken.observe(as_bytes("{}"), no) == errc::misuse);
    CHECK(broken.finish(s, why) == errc::misuse);

    // Deep, but without recursion.
    std::string deep, close;
    for (int i = 0; i < 1000; ++i) deep += "{\"a\":", close += "}";
    CHECK(infer({deep + "1" + close}).schema->columns().size() == 1);
}
