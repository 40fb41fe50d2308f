#include "extract/batch.hpp"

#include "tests/extract/rows.hpp"

using namespace rows;

TEST_CASE("int64") {
    CHECK(cell("int64", "42") == "42");
    CHECK(cell("int64", "-0") == "0");
    CHECK(cell("int64", "1.0") == "1");
    CHECK(cell("int64", "12e2") == "1200");
    CHECK(cell("int64", "9223372036854775807") == "9223372036854775807");
    CHECK(cell("int64", "-9223372036854775808") == "-9223372036854775808");
    CHECK(cell("int64", "9223372036854775808") == "!range");
    CHECK(cell("int64", "1e400") == "!range");
    CHECK(cell("int64", "1.5") == "!type");
    CHECK(cell("int64", "true") == "!type");
    CHECK(cell("int64", "[1]") == "!type");
    CHECK(cell("int64", "\"42\"") == "42");
    CHECK(cell("int64", "\"\\u0034\\u0032\"") == "42");
    CHECK(cell("int64", "\" 42\"") == "!type");
    CHECK(cell("int64", "\"042\"") == "!type");
    CHECK(cell("int64", "\"\"") == "!type");
    CHECK(cell("int64", "null") == "");
}

TEST_CASE("float64") {
    CHECK(cell("float64", "107910.0") == "107910.0");
    CHECK(cell("float64", "1e-08") == "1e-08");
    CHECK(cell("float64", "0.1") == "0.1");
    CHECK(cell("float64", "-0") == "-0.0");
    CHECK(cell("float64", "5e-324") == "5e-324");
    CHECK(cell("float64", "1e-400") == "0.0");
    CHECK(cell("float64", "1.7976931348623157e308") == "1.7976931348623157e+308");
    CHECK(cell("float64", "1e400") == "!range");
    CHECK(cell("float64", "-1e400") == "!range");
    CHECK(cell("float64", "100000000000000000000") == "1e+20");
    CHECK(cell("float64", "\"107910.5\"") == "107910.5");
    CHECK(cell("float64", "\"Infinity\"") == "!type");
    CHECK(cell("float64", "\"NaN\"") == "!type");
    CHECK(cell("float64", "\"1e400\"") == "!range");
    CHECK(cell("float64", "false") == "!type");
    CHECK(cell("float64", "{}") == "!type");
    // Halfway between two doubles, decided by a digit far away.
    CHECK(cell("float64", "9007199254740993.0000000000000000000000000001") == "9007199254740994.0");
    CHECK(cell("float64", "9007199254740993") == "9007199254740992.0");
}

TEST_CASE("decimal keeps its digits") {
    CHECK(cell("decimal", "0.10") == "0.10");
    CHECK(cell("decimal", "1e-08") == "1e-08");
    CHECK(cell("decimal", "123456789012345678901234567890.12345678901234567890") ==
          "123456789012345678901234567890.12345678901234567890");
    CHECK(cell("decimal", "1e400") == "1e400");
    CHECK(cell("decimal", "\"0.10\"") == "0.10");
    CHECK(cell("decimal", "\"abc\"") == "!type");
    CHECK(cell("decimal(18,8)", "1e-08") == "0.00000001");
    CHECK(cell("decimal(18,8)", "-12.5") == "-12.50000000");
    CHECK(cell("decimal(18,8)", "0") == "0.00000000");
    CHECK(cell("decimal(18,8)", "0.000000001") == "!range");
    CHECK(cell("decimal(18,8)", "9999999999.99999999") == "9999999999.99999999");
    CHECK(cell("decimal(18,8)", "10000000000") == "!range");
    CHECK(cell("decimal(5,0)", "12345") == "12345");
    CHECK(cell("decimal(5,0)", "1.23e2") == "123");
    CHECK(cell("decimal(5,0)", "0.5") == "!range");
    CHECK(cell("decimal(38,0)", "99999999999999999999999999999999999999") == "99999999999999999999999999999999999999");
    CHECK(cell("decimal(38,0)", "-99999999999999999999999999999999999999") == "-99999999999999999999999999999999999999");
    CHECK(cell("decimal(38,0)", "100000000000000000000000000000000000000") == "!range");
    CHECK(cell("decimal(38,38)", "-0.00000000000000000000000000000000000001") == "-0.00000000000000000000000000000000000001");
    CHECK(cell("decimal(2,2)", "1e99999999999") == "!range");
    CHECK(cell("decimal(2,2)", "0e99999999999") == "0.00");
    CHECK(cell("decimal(2,2)", "true") == "!type");
}

TEST_CASE("string") {
    CHECK(cell("string", "\"ask\"") == "ask");
    CHECK(cell("string", "\"\"") == "\"\"");
    CHECK(cell("string", "\"\\u00e9\\ud83d\\ude00\\n\\\"\"") == "\"é😀\n\"\"\"");
    CHECK(cell("string", "12.50") == "12.50");
    CHECK(cell("string", "true") == "true");
    CHECK(cell("string", "null") == "");
    CHECK(cell("string", "{\"a\":1}") == "!type");
    CHECK(cell("string", "[]") == "!type");
    const std::string longer(100000, 'x');
    CHECK(cell("string", '"' + longer + '"') == longer);
    CHECK(cell("string", '"' + longer + "\\t\"") == longer + '\t');
}

TEST_CASE("bool") {
    CHECK(cell("bool", "true") == "true");
    CHECK(cell("bool", "false") == "false");
    CHECK(cell("bool", "\"true\"") == "true");
    CHECK(cell("bool", "1") == "!type");
    CHECK(cell("bool", "\"yes\"") == "!type");
    CHECK(cell("bool", "\"\"") == "!type");
}

TEST_CASE("json: the bytes of the document") {
    CHECK(cell("json", "{ \"a\" : 1.50 }") == "\"{ \"\"a\"\" : 1.50 }\"");
    CHECK(cell("json", "1.50") == "1.50");
    CHECK(cell("json", "\"x\"") == "\"\"\"x\"\"\"");
    CHECK(cell("json", "null") == "");
}

TEST_CASE("timestamp") {
    CHECK(cell("timestamp", "\"2016-12-25T01:53:10.602955Z\"") == "2016-12-25T01:53:10.602955Z");
    CHECK(cell("timestamp", "\"2016-12-25 10:53:10.6+09:00\"") == "2016-12-25T01:53:10.600Z");
    CHECK(cell("timestamp", "\"2016-12-25T01:53:10Z\"") == "2016-12-25T01:53:10Z");
    CHECK(cell("timestamp", "\"0001-01-01T00:00:00Z\"") == "0001-01-01T00:00:00Z");
    CHECK(cell("timestamp", "\"9999-12-31T23:59:59.999999Z\"") == "9999-12-31T23:59:59.999999Z");
    CHECK(cell("timestamp", "\"1969-12-31T23:59:59.5Z\"") == "1969-12-31T23:59:59.500Z");
    CHECK(cell("timestamp", "\"2016-12-25 01:53:10\"") == "!type");  // in which zone?
    CHECK(cell("timestamp[UTC]", "\"2016-12-25 01:53:10\"") == "2016-12-25T01:53:10+00:00");
    CHECK(cell("timestamp[+09:00]", "\"2016-12-25 01:53:10.602955\"") == "2016-12-25T01:53:10.602955+09:00");
    CHECK(cell("timestamp[+09:00]", "\"2016-12-25T01:53:10Z\"") == "2016-12-25T10:53:10+09:00");
    CHECK(cell("timestamp[+09:00]", "\"2016-12-25\"") == "2016-12-25T00:00:00+09:00");
    CHECK(cell("timestamp[naive]", "\"2016-12-25 01:53:10.602955\"") == "2016-12-25T01:53:10.602955");
    CHECK(cell("timestamp[naive]", "\"2016-12-25T01:53:10Z\"") == "!type");
    CHECK(cell("timestamp[naive]", "1482598389") == "!type");
    CHECK(cell("timestamp", "\"2016-13-25T01:53:10Z\"") == "!range");
    CHECK(cell("timestamp", "\"yesterday\"") == "!type");
    // A moment outside the years 0000 to 9999 has no text, in UTC or on the clock that is printed.
    CHECK(cell("timestamp", "\"9999-12-31T23:59:59-14:00\"") == "!range");
    CHECK(cell("timestamp", "\"0000-01-01T00:00:00+14:00\"") == "!range");
    CHECK(cell("timestamp", "\"9999-12-31T23:59:59+14:00\"") == "9999-12-31T09:59:59Z");
    CHECK(cell("timestamp", "\"0000-01-01T00:00:00Z\"") == "0000-01-01T00:00:00Z");
    CHECK(cell("timestamp[+09:00]", "\"9999-12-31T14:59:59Z\"") == "9999-12-31T23:59:59+09:00");
    CHECK(cell("timestamp[+09:00]", "\"9999-12-31T15:00:00Z\"") == "!range");
    CHECK(cell("timestamp[-09:00]", "\"0000-01-01T08:59:59Z\"") == "!range");
    CHECK(cell("timestamp[-09:00]", "\"0000-01-01T09:00:00Z\"") == "0000-01-01T00:00:00-09:00");
    CHECK(cell("timestamp[-09:00]", "\"9999-12-31 15:00:00\"") == "!range");
    CHECK(cell("timestamp[naive]", "\"9999-12-31 23:59:59\"") == "9999-12-31T23:59:59");
    CHECK(cell("timestamp", "true") == "!type");
    // Digits are not lost in silence.
    CHECK(cell("timestamp", "\"2016-12-25T01:53:10.602955123Z\"") == "!range");
    CHECK(cell("timestamp", "\"2016-12-25T01:53:10.602955000Z\"") == "2016-12-25T01:53:10.602955Z");
    CHECK(cell("timestamp[ns]", "\"2016-12-25T01:53:10.602955123Z\"") == "2016-12-25T01:53:10.602955123Z");
    CHECK(cell("timestamp[ns]", "\"2016-12-25T01:53:10.6029551234Z\"") == "!range");
    CHECK(cell("timestamp[ns]", "\"2016-12-25T01:53:10.6029551230Z\"") == "2016-12-25T01:53:10.602955123Z");
    CHECK(cell("timestamp[ns]", "\"1677-09-21T00:12:43Z\"") == "!range");
    CHECK(cell("timestamp[ns]", "\"1677-09-21T00:12:43.145224192Z\"") == "!range");  // NaT
    CHECK(cell("timestamp[ns]", "\"1677-09-21T00:12:43.145224193Z\"") == "1677-09-21T00:12:43.145224193Z");
    CHECK(cell("timestamp[ns]", "-9223372036854775807") == "1677-09-21T00:12:43.145224193Z");
    CHECK(cell("timestamp[ns]", "-9223372036854775808") == "!range");
    CHECK(cell("timestamp[ns]", "\"1677-09-21T00:12:43.999999999Z\"") == "1677-09-21T00:12:43.999999999Z");
    CHECK(cell("timestamp[ns]", "\"1969-12-31T23:59:59.999999999Z\"") == "1969-12-31T23:59:59.999999999Z");
    CHECK(cell("timestamp[ns]", "\"2262-04-11T23:47:16.854775807Z\"") == "2262-04-11T23:47:16.854775807Z");
    CHECK(cell("timestamp[ns]", "\"2262-04-11T23:47:16.854775808Z\"") == "!range");
    CHECK(cell("timestamp[ns]", "\"0001-01-01T00:00:00Z\"") == "!range");
}

TEST_CASE("numbers as timestamps") {
    for (const char* same :
         {"1482598389", "1482598389000", "1482598389000000", "1482598389000000000", "1482598389.0", "1.482598389e9"})
        CHECK_MESSAGE(cell("timestamp", same) == "2016-12-24T16:53:09Z", same);
    CHECK(cell("timestamp", "1482598389.25") == "2016-12-24T16:53:09.250Z");
    CHECK(cell("timestamp", "1482598389123") == "2016-12-24T16:53:09.123Z");
    CHECK(cell("timestamp", "-1") == "1969-12-31T23:59:59Z");
    CHECK(cell("timestamp", "0") == "1970-01-01T00:00:00Z");
    CHECK(cell("timestamp[s]", "253402300799") == "9999-12-31T23:59:59Z");
    CHECK(cell("timestamp[ms]", "1000") == "1970-01-01T00:00:01Z");
    CHECK(cell("timestamp[us]", "1000") == "1970-01-01T00:00:00.001Z");
    CHECK(cell("timestamp[ns]", "1") == "1970-01-01T00:00:00.000000001Z");
    CHECK(cell("timestamp[ms]", "0.5") == "1970-01-01T00:00:00.000500Z");
    CHECK(cell("timestamp", "1482598389.1234567") == "!range");
    CHECK(cell("timestamp[s]", "1e300") == "!range");
    CHECK(cell("timestamp", "1e400") == "!range");
    CHECK(cell("timestamp[s]", "9223372036855") == "!range");
    CHECK(cell("timestamp[s]", "253402300800") == "!range");
    CHECK(cell("timestamp[s]", "-62167219200") == "0000-01-01T00:00:00Z");
    CHECK(cell("timestamp[s]", "-62167219200.5") == "!range");
    CHECK(cell("timestamp[+00:01]", "\"9999-12-31T23:59:00Z\"") == "!range");
}

TEST_CASE("a zone with a gap and a fold") {
    std::shared_ptr<const x::zone> z;
    std::string why;
    REQUIRE(x::zone::make("America/New_York", -18000, {}, "EST5EDT,M3.2.0,M11.1.0", z, why) == errc::ok);
    x::column_spec c = field("at:timestamp[America/New_York]");
    c.in_zone = z;
    const x::batch b = filled(
        schema({c}), {R"({"at":"2026-03-08 01:59:59"})", R"({"at":"2026-03-08 02:30:00"})", R"({"at":"2026-03-08 03:00:00"})",
                      R"({"at":"2026-11-01 00:59:59"})", R"({"at":"2026-11-01 01:30:00"})", R"({"at":"2026-11-01 02:00:00"})"});
    CHECK(csv(b) ==
          "2026-03-08T01:59:59-05:00\n2026-03-08T03:30:00-04:00\n2026-03-08T03:00:00-04:00\n"
          "2026-11-01T00:59:59-04:00\n2026-11-01T01:30:00-04:00\n2026-11-01T02:00:00-05:00\n");
}

TEST_CASE("absent is null, and the order of keys does not matter") {
    const x::batch b = filled(
        schema({"last_price.price:float64", "asks[0][1]:float64", "trades[*].price", "s=currency:string"}),
        {
            R"({"asks": [[1.0, 0.5]], "last_price": {"action": "ask", "price": 107910.0}, "trades": [{"price": 1}, {"amount": 2}, {"price": null}], "currency": "jpy"})",
            R"({"currency": null, "last_price": {"price": 2}, "asks": []})",
            R"({})",
            R"([])",
            R"({"last_price": {"pric\u0065": 3.5}, "trades": []})",
        });
    CHECK(csv(b) == "107910.0,0.5,\"[1,null,null]\",jpy\n2.0,,,\n,,,\n,,,\n3.5,,[],\n");
}

TEST_CASE("a list is empty where its array is, and null where there is none") {
    for (const json::level how : {json::level::strict, json::level::structural, json::level::trusted}) {
        x::batch b(schema({"a[*].p", "all=b[*]", "deep=c[*].d[*].e", "n.f[*]", "id:int64"}), how);
        const char* const documents[] = {
            R"({})",
            R"({"a":[],"b":[],"c":[],"n":{"f":[]}})",
            R"({"a":{"p":1},"b":5,"c":null,"n":[]})",
            R"({"a":[{}],"b":[1,null],"c":[{"d":[]},{}],"n":{"f":[1]}})",
            R"({"c":[{"d":[{"e":1}]}],"a":[1],"a":[]})",
        };
        for (const char* d : documents) {
            context ctx;
            REQUIRE(b.append(as_bytes(d), {}, ctx) == errc::ok);
        }
        CHECK(csv(b) == ",,,,\n[],[],[],[],\n,,,,\n[null],\"[1,null]\",[],[1],\n[],,[1],,\n");
    }
}

namespace {

std::shared_ptr<const x::schema> all_of(std::vector<x::column_spec> fields, x::beyond others) {
    std::shared_ptr<const x::schema> s;
    std::string why;
    REQUIRE(x::schema::make(std::move(fields), false, s, why, others) == errc::ok);
    return s;
}

}  // namespace

TEST_CASE("what has no column is told, or kept") {
    struct {
        const char* document;
        const char* rest;  // empty: everything has its column
    } const cases[] = {
        {R"({"id":1,"p":{"x":2},"l":[{"any":1}]})", ""},
        {R"( { "p" : { "x" : 2 } , "id" : 1 } )", ""},
        {R"({})", ""},
        {R"(null)", ""},
        {R"({"p":{}})", ""},
        {R"({"p":null,"id":null,"l":null})", ""},
        {R"({"id":{"x":1},"l":"text"})", ""},
        {R"({"\u0069d":1,"p":{"\u0078":2}})", ""},
        {R"({"id":1,"id":2,"p":{"x":1},"p":{"x":2}})", ""},
        {R"({"id":1,"new":2})", R"({"new":2})"},
        {R"({"new":2,"id":1})", R"({"new":2})"},
        {R"({"new":null})", R"({"new":null})"},
        {R"({"new":{}})", R"({"new":{}})"},
        {R"({"new":{"x":1},"x":1})", R"({"new":{"x":1},"x":1})"},
        {R"({"p":5})", R"({"p":5})"},
        {R"({"p":[1, {"x":2}],"id":1})", R"({"p":[1, {"x":2}]})"},
        {R"({"p":{"x":1,"y":{"x":1}},"z":"}\"{"})", R"({"p":{"y":{"x":1}},"z":"}\"{"})"},
        {R"({"p":{"y":1},"q":{"x":1},"id":4,"p":{"x":2}})", R"({"q":{"x":1}})"},
        // The last of two counts, whatever stood in the first.
        {R"({"p":{"y":1},"id":4,"p":{"x":2}})", ""},
        {R"({"p":{"y":1},"id":4})", R"({"p":{"y":1}})"},
        {R"({"p":{"y":1},"p":null})", ""},
        {R"({"p":{"y":1,"x":2},"p":{}})", ""},
        {R"({"p":{"y":1},"p":{"z":2}})", R"({"p":{"z":2}})"},
        {R"({"p":{"y":1},"\u0070":{"z":2},"a":1})", R"({"\u0070":{"z":2},"a":1})"},
        {R"({"p":5,"a":1,"b":2,"p":{"x":1}})", R"({"a":1,"b":2})"},
        {R"({"a":1,"p":5,"b":2,"p":6,"c":3,"p":{"y":[]}})", R"({"a":1,"b":2,"c":3,"p":{"y":[]}})"},
        {R"({"p":5,"a":"p","p":6,"p":7})", R"({"a":"p","p":7})"},
        {R"({"p":5,"p":6,"p":7,"p":null,"a":1})", R"({"a":1})"},
        {R"({"p":{"x":1,"y":1},"a":1,"p":{"x":1,"x":2},"b":2})", R"({"a":1,"b":2})"},
        {R"({"p":{"y":"{,"},"p":{"y":",{"},"p":{"y":3}})", R"({"p":{"y":3}})"},
        {R"({"a":"{","p":7,"p":{"x":1}})", R"({"a":"{"})"},
        {R"({"p":5,"p":{"x":1}})", ""},
        {R"({"":1,"a\"b":2})", R"({"":1,"a\"b":2})"},
        {R"([1,{"id":1}])", R"([1,{"id":1}])"},
        {R"("text")", R"("text")"},
    };
    std::vector<x::column_spec> fields = {field("id:json"), field("p.x:json"), field("l:json")};
    for (const json::level how : {json::level::strict, json::level::structural, json::level::trusted}) {
        // The same batch for all of them, twice: what it remembers of one must not hide anything of another.
        x::batch told(all_of(fields, x::beyond::told), how), kept(all_of(fields, x::beyond::kept), how);
        REQUIRE(kept.of().columns().back().name == "rest");
        for (int round = 0; round < 2; ++round) {
            for (const auto& c : cases) {
                INFO(c.document);
                context ctx;
                const bool whole = *c.rest == 0;
                CHECK((told.append(as_bytes(c.document), {}, ctx) == errc::ok) == whole);
                CHECK(told.unplaced() == !whole);
                CHECK_FALSE(told.disagreed());
                context other;
                REQUIRE(kept.append(as_bytes(c.document), {}, other) == errc::ok);
                CHECK(kept.kept_rest() == !whole);
                const x::column& rest = kept.at(3);
                CHECK(rest.valid(kept.rows() - 1) == !whole);
                if (!whole) CHECK(rest.text(kept.rows() - 1) == c.rest);
            }
        }
    }
}

TEST_CASE("the rest of a document in which thousands of keys come again, before and behind a long value") {
    constexpr int columns = 2000;
    std::vector<x::column_spec> fields;
    for (int i = 0; i < columns; ++i) fields.push_back(field("k" + std::to_string(i) + ".x:json"));
    x::batch b(all_of(fields, x::beyond::kept), json::level::strict);
    // Every key leads to a column, but has no object: all of it is left, and the last of each counts.
    const std::string tail = "\"tail\":\"" + std::string(std::size_t{4} << 20, 't') + '"';
    std::string document = "{", rest = "{" + tail;
    const auto add = [&](int i, const std::string& value) { document += "\"k" + std::to_string(i) + "\":" + value + ','; };
    for (int i = 0; i < columns; ++i) add(i, "1");
    document += tail + ',';
    for (int i = columns; i-- != 0;) add(i, "2");
    for (int i = 0; i < columns; ++i) {
        add(i, i % 2 == 0 ? "{\"x\":3}" : "[4]");
        if (i % 2 != 0) rest += ",\"k" + std::to_string(i) + "\":[4]";
    }
    document.back() = '}';
    context ctx;
    REQUIRE(b.append(as_bytes(document), {}, ctx) == errc::ok);
    CHECK((b.at(columns).text(0) == rest + "}"));
}

TEST_CASE("the rest: a wrong guess, names, rows that were there before") {
    x::column_spec n = field("n:int64"), rest = field("rest:string");
    n.inferred = true;
    x::batch b(all_of({n, rest}, x::beyond::kept), json::level::strict);
    CHECK(b.of().columns().back().name == "rest_2");
    for (const char* d : {R"({"n":1})", R"({"n":1.5,"m":2})", R"({"n":2,"rest":"r"})"}) {
        context ctx;
        REQUIRE(b.append(as_bytes(d), {}, ctx) == errc::ok);
    }
    context ctx;
    REQUIRE(b.append_null({}, ctx) == errc::ok);
    CHECK(csv(b) == "1,,\n,,\"{\"\"n\"\":1.5,\"\"m\"\":2}\"\n2,r,\n,,\n");
    // A type that the user gave is not bent.
    x::batch given(all_of({field("n:int64")}, x::beyond::kept), json::level::strict);
    CHECK(given.append(as_bytes(R"({"n":1.5})"), {}, ctx) != errc::ok);
    ctx.clear();
    x::batch before(all_of({n}, x::beyond::told), json::level::strict);
    REQUIRE(before.append(as_bytes(R"({"n":7})"), {}, ctx) == errc::ok);
    std::shared_ptr<const x::schema> fixed;
    std::string why;
    REQUIRE(before.of().fixed(fixed, why) == errc::ok);
    REQUIRE(before.adopt(fixed) == errc::ok);
    REQUIRE(before.append(as_bytes(R"({"n":8,"o":9})"), {}, ctx) == errc::ok);
    CHECK(csv(before) == "7,\n8,\"{\"\"o\"\":9}\"\n");
    // A document that fails behind a wrong guess leaves nothing of it for the next.
    x::column_spec many = field("m:int64");
    many.inferred = true;
    for (const json::level how : {json::level::structural, json::level::trusted}) {
        x::batch c(all_of({n, many}, x::beyond::kept), how);
        context other;
        CHECK(c.append(as_bytes(R"({"n":1.5,"m":2.5,"x":[tru]})"), {}, other) != errc::ok);
        other.clear();
        REQUIRE(c.append(as_bytes(R"({"n":2,"m":3})"), {}, other) == errc::ok);
        REQUIRE(c.append(as_bytes(R"({"n":3.5,"m":4})"), {}, other) == errc::ok);
        CHECK(csv(c) == "2,3,\n,4,\"{\"\"n\"\":3.5}\"\n");
    }
}

TEST_CASE("a failed row leaves nothing behind") {
    const auto s = schema({"a:string", "b:bool", "c:int64"}, true);
    x::batch b(s, json::level::strict);
    const std::string before = R"({"a":"first","b":true,"c":1})";
    context ctx;
    REQUIRE(b.append(as_bytes(before), {"x.zip", "e.json", 7, 1}, ctx) == errc::ok);
    const std::string good = csv(b);
    for (const char* bad : {R"({"a":"zzzzzzzzzzzzzzzzzzzzzzzz","b":false,"c":"no"})", R"({"a":"y","b":3,"c":1})",
                            R"({"a":[],"b":true,"c":1})", R"({"a":"y","b":true,"c":1)", R"({"a":"y","b":true,"c":1} x)", ""}) {
        context failed;
        CHECK(b.append(as_bytes(bad), {"x.zip", "f.json", 9, 1}, failed) != errc::ok);
        CHECK(failed.failure.code != errc::ok);
        CHECK(b.rows() == 1);
        CHECK(csv(b) == good);
    }
    REQUIRE(b.append_null({"", "g.json", 11, 2}, ctx) == errc::ok);
    REQUIRE(b.append(as_bytes(before), {"bad\xff\xe3\x81name", "日本.json", 12, 3}, ctx) == errc::ok);
    CHECK(csv(b) == good + ",,,,g.json,11\nfirst,true,1,bad\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDname,日本.json,12\n");
    b.clear();
    CHECK(b.rows() == 0);
    CHECK(csv(b).empty());
    REQUIRE(b.append(as_bytes(before), {"x.zip", "e.json", 7, 1}, ctx) == errc::ok);
    CHECK(csv(b) == good);
}

TEST_CASE("errors name column, path, place and the value") {
    x::batch b(schema({"price=last_price.price:float64", "n:int64"}), json::level::strict);
    const std::string d = "{\n  \"n\": 1,\n  \"last_price\": {\"price\": \"n/a\"}\n}";
    context ctx;
    CHECK(b.append(as_bytes(d), {}, ctx) == errc::type);
    CHECK(ctx.failure.code == errc::type);
    CHECK(ctx.failure.offset == d.find("\"n/a\""));
    CHECK(ctx.failure.line == 3);
    CHECK(ctx.failure.column == 27);
    CHECK(ctx.failure.path == "$.last_price.price");
    CHECK(std::string(ctx.failure.what).find("column \"price\" (float64) takes numbers") == 0);
    CHECK(b.explanation().find("here it is \"n/a\"") != std::string::npos);
    CHECK(b.failed_column() == 0);
    CHECK_FALSE(b.disagreed());
    CHECK(b.disagreement().empty());

    context later;
    CHECK(b.append(as_bytes("{]"), {}, later) != errc::ok);
    CHECK(b.failed_column() == x::batch::none);
    CHECK(b.explanation().empty());
}

TEST_CASE("a guess that was wrong says what the column becomes") {
    struct {
        const char *type, *value, *becomes;
    } const cases[] = {
        {"int64", "1.5", "float64"},
        {"int64", "1.0", "float64"},
        {"int64", "9223372036854775808", "decimal"},
        {"int64", "\"x\"", "json"},
        {"int64", "-0", "float64"},
        {"int64", "true", "json"},
        {"float64", "9007199254740993", "decimal"},
        {"float64", "1e400", "decimal"},
        {"float64", "0.1234567890123456789", "decimal"},
        {"float64", "\"1\"", "json"},
        {"decimal", "\"1\"", "json"},
        {"bool", "1", "json"},
        {"bool", "\"true\"", "json"},
        {"string", "1", "json"},
        {"string", "[]", "json"},
        {"string", "true", "json"},
    };
    for (const auto& c : cases) {
        INFO(c.type << " meets " << c.value);
        x::column_spec spec = field(std::string("v:") + c.type);
        spec.inferred = true;
        x::batch b(schema({spec}), json::level::strict);
        context ctx;
        CHECK(b.append(as_bytes("{\"v\":" + std::string(c.value) + "}"), {}, ctx) != errc::ok);
        CHECK(b.disagreed());
        CHECK(b.becomes().type_text() == c.becomes);
        CHECK(b.becomes().name == "v");
        CHECK(b.becomes().inferred);
        CHECK(b.disagreement().find(std::string("was taken for ") + c.type) != std::string::npos);
        CHECK(b.disagreement().find(std::string("it becomes ") + c.becomes) != std::string::npos);
        // And it can hold that value.
        std::shared_ptr<const x::schema> wider;
        std::string why;
        REQUIRE(b.of().with(0, b.becomes(), wider, why) == errc::ok);
        x::batch again(wider, json::level::strict);
        context fine;
        CHECK(again.append(as_bytes("{\"v\":" + std::string(c.value) + "}"), {}, fine) == errc::ok);
    }
    // What an inferred column can hold raises nothing.
    for (const auto& [type, value] :
         {std::pair{"float64", "3"}, {"float64", "-65.613616999999977"}, {"decimal", "1e400"}, {"json", "[1]"}}) {
        x::column_spec spec = field(std::string("v:") + type);
        spec.inferred = true;
        x::batch b(schema({spec}), json::level::strict);
        context ctx;
        CHECK(b.append(as_bytes("{\"v\":" + std::string(value) + "}"), {}, ctx) == errc::ok);
    }
}

TEST_CASE("every level gives the same rows, and no column takes a broken value") {
    const auto s = schema({"a.b:json", "c:string"});
    for (const json::level how : {json::level::strict, json::level::structural, json::level::trusted}) {
        x::batch b(s, how);
        context ctx;
        REQUIRE(b.append(as_bytes(R"({"x":[1,2],"a":{"b":{"k":[true]}},"c":"\u0041"})"), {}, ctx) == errc::ok);
        CHECK(ndjson(b) == "{\"a.b\":{\"k\":[true]},\"c\":\"A\"}\n");
        for (const char* bad :
             {R"({"a":{"b":{"k":[tru]}},"c":""})", R"({"a":{"b":01},"c":""})", "{\"a\":{\"b\":\"\xff\"},\"c\":\"\"}",
              R"({"a":{"b":1},"c":"\ud800"})", R"({"a":{"b":1},"c":"\x"})"}) {
            context failed;
            CHECK_MESSAGE(b.append(as_bytes(bad), {}, failed) != errc::ok, bad);
            CHECK(b.rows() == 1);
        }
    }
}

TEST_CASE("memory is bounded by what is in the batch") {
    x::batch b(schema({"a:string"}), json::level::strict);
    context ctx;
    const std::string giant = "{\"a\":\"" + std::string(std::size_t{6} << 20, 'x') + "\"}";
    REQUIRE(b.append(as_bytes(giant), {}, ctx) == errc::ok);
    CHECK(b.bytes_used() >= std::size_t{6} << 20);
    CHECK(b.capacity() >= b.bytes_used());
    b.clear();
    CHECK(b.bytes_used() == 0);
    CHECK(b.capacity() < x::batch::keep);
    REQUIRE(b.append(as_bytes(R"({"a":"after"})"), {}, ctx) == errc::ok);
    CHECK(csv(b) == "after\n");
    const std::size_t held = b.capacity();
    for (int round = 0; round < 50; ++round) {
        b.clear();
        for (int i = 0; i < 100; ++i) REQUIRE(b.append(as_bytes(R"({"a":"after"})"), {}, ctx) == errc::ok);
    }
    CHECK(b.capacity() <= held + 4096);
}
