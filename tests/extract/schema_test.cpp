#include "extract/schema.hpp"

#include "tests/extract/rows.hpp"

using namespace rows;
using x::column_type;

namespace {

std::string refusal(std::string_view text) {
    x::column_spec c;
    std::string why;
    CHECK_MESSAGE(x::parse_field(text, c, why) == errc::misuse, text);
    CHECK(!why.empty());
    return why;
}

bool has(const std::string& s, std::string_view part) { return s.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("fields") {
    struct {
        const char *text, *name, *path, *type;
    } const cases[] = {
        {"timestamp", "timestamp", "timestamp", "infer"},
        {"last_price.price", "last_price.price", "last_price.price", "infer"},
        {"price=last_price.price:float64", "price", "last_price.price", "float64"},
        {"at=timestamp:timestamp[Asia/Tokyo]", "at", "timestamp", "timestamp[Asia/Tokyo]"},
        {"at:timestamp[+09:00]", "at", "at", "timestamp[+09:00]"},
        {"at:timestamp[ms]", "at", "at", "timestamp[ms]"},
        {"at:timestamp[ns, UTC]", "at", "at", "timestamp[ns,UTC]"},
        {"at:timestamp[naive]", "at", "at", "timestamp[naive]"},
        {"amount:decimal", "amount", "amount", "decimal"},
        {"amount:decimal(18,8)", "amount", "amount", "decimal(18,8)"},
        {"amount:decimal( 38 )", "amount", "amount", "decimal(38,0)"},
        {"asks[0][1]", "asks[0][1]", "asks[0][1]", "infer"},
        {"trades[*].price", "trades[*].price", "trades[*].price", "infer"},  // json, unless types may be nested
        {"p=trades[*].price:json", "p", "trades[*].price", "json"},
        {"\"a.b\".c:string", "a.b.c", "\"a.b\".c", "string"},
        {"[\"a=b\"][\"c:d\"]:int64", "a=b.c:d", "[\"a=b\"][\"c:d\"]", "int64"},
        {"['a:b']", "a:b", "['a:b']", "infer"},
        {"\"x = y\"=a:bool", "x = y", "a", "bool"},
        {"\"say \\\"hi\\\"\"=a", "say \"hi\"", "a", "infer"},
        {"\"a\\\"=\".b", "a\"=.b", "\"a\\\"=\".b", "infer"},
        {"/order/0/id:int64", "order.0.id", "/order/0/id", "int64"},
        {"/a=b/c", "a=b.c", "/a=b/c", "infer"},
        {"n=/a:b/c", "n", "/a:b/c", "infer"},
        {"/a:b:json", "a:b", "/a:b", "json"},
        {"/at:timestamp[Asia/Tokyo]", "at", "/at", "timestamp[Asia/Tokyo]"},
        {"/at:timestamp[ns,+09:00]", "at", "/at", "timestamp[ns,+09:00]"},
        {"$", "value", "$", "infer"},
        {"all=$:json", "all", "$", "json"},
        {"値=価格:float64", "値", "価格", "float64"},
    };
    for (const auto& c : cases) {
        INFO(c.text);
        const x::column_spec s = field(c.text);
        CHECK(s.name == c.name);
        CHECK(s.path == c.path);
        CHECK(s.type_text() == c.type);
        CHECK_FALSE(s.inferred);
    }
    CHECK(field("a:timestamp[UTC]").in_zone != nullptr);
    CHECK(field("a:timestamp[Asia/Tokyo]").in_zone == nullptr);
    CHECK(field("a:timestamp[ns]").nanoseconds);
}

TEST_CASE("a type reads back as it is printed") {
    for (const char* t : {"int64", "float64", "decimal", "decimal(18,8)", "string", "bool", "timestamp", "timestamp[s]",
                          "timestamp[us]", "timestamp[ns,Europe/Berlin]", "timestamp[naive]", "timestamp[ms,naive]", "json"}) {
        x::column_spec c;
        std::string why;
        REQUIRE(x::parse_type(t, c, why) == errc::ok);
        CHECK(c.type_text() == t);
    }
}

TEST_CASE("errors say what to write instead") {
    CHECK(has(refusal(""), "[NAME=]PATH[:TYPE]"));
    CHECK(has(refusal("a:int"), "write int64"));
    CHECK(has(refusal("a:double"), "write float64"));
    CHECK(has(refusal("a:datetime"), "write timestamp"));
    CHECK(has(refusal("a:flot64"), "Types: int64, float64"));
    CHECK(has(refusal("a:b:c"), "\"a:b\""));
    CHECK(has(refusal("a=b=c"), "\"a=b\""));
    CHECK(has(refusal("=a"), "no name before"));
    CHECK(has(refusal("a="), "no path"));
    CHECK(has(refusal(":int64"), "no path"));
    CHECK(has(refusal("a:"), "unknown type"));
    CHECK(has(refusal("a:infer"), "unknown type"));
    CHECK(has(refusal("a:decimal(40,2)"), "decimal(18,8)"));
    CHECK(has(refusal("a:decimal(4,5)"), "decimal(18,8)"));
    CHECK(has(refusal("a:decimal()"), "decimal(18,8)"));
    CHECK(has(refusal("a:decimal(18,8"), "no closing )"));
    CHECK(has(refusal("a:timestamp[Asia/Tokyo"), "no closing ]"));
    CHECK(has(refusal("a:timestamp[]"), "timestamp[ZONE]"));
    CHECK(has(refusal("a:timestamp[A,B]"), "timestamp[UNIT,ZONE]"));
    CHECK(has(refusal("a:timestamp[naive,UTC]"), "naive"));
    CHECK(has(refusal("a:int64[3]"), "takes nothing in brackets"));
    CHECK(has(refusal("a:string(3)"), "takes nothing in parentheses"));
    CHECK(has(refusal("a:timestamp(3)"), "takes nothing in parentheses"));
    CHECK(has(refusal("a...b"), "path"));
    CHECK(has(refusal("a[1"), "path"));
    CHECK(has(refusal("a[*]:int64"), "list"));
    CHECK(has(refusal("/a:b"), "/a:b:json"));
    CHECK(has(refusal("/a~2"), "~"));
}

TEST_CASE("schemas") {
    std::shared_ptr<const x::schema> s;
    std::string why;
    CHECK(x::schema::make({field("a:int64"), field("a:string")}, false, s, why) == errc::misuse);
    CHECK(has(why, "\"a\""));
    CHECK(x::schema::make({field("a")}, false, s, why) == errc::misuse);
    CHECK(has(why, "no type"));
    CHECK(x::schema::make({field("a:timestamp[Mars/Olympus]")}, false, s, why) == errc::misuse);
    CHECK(has(why, "Mars/Olympus"));
    x::column_spec hand;
    hand.name = "h";
    hand.path = "a[";
    hand.type = column_type::json;
    CHECK(x::schema::make({hand}, false, s, why) == errc::misuse);
    CHECK(s == nullptr);

    s = schema({"a:int64", "b.c:json"}, true);
    CHECK(s->fields() == 2);
    REQUIRE(s->columns().size() == 5);
    CHECK(s->columns()[2].name == "archive");
    CHECK(s->columns()[3].name == "entry");
    CHECK(s->columns()[4].name == "offset");
    CHECK(s->columns()[4].type == column_type::int64);
    CHECK(s->where(1) == "$.b.c");
    s = schema({"offset:int64"}, true);
    CHECK(s->columns()[1].name == "source_archive");
    CHECK(x::schema::make({field("offset:int64"), field("source_entry:json")}, true, s, why) == errc::misuse);

    s = schema({"a:int64", "b:json"}, true);
    std::shared_ptr<const x::schema> other;
    REQUIRE(s->with(1, field("b:string"), other, why) == errc::ok);
    CHECK(other->columns()[1].type == column_type::string);
    CHECK(other->columns()[0].type == column_type::int64);
    CHECK(other->columns().size() == 5);
    CHECK(s->columns()[1].type == column_type::json);
}
