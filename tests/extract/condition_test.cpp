// Conditions: what they say of documents, and what is said of conditions that are none. Generated ones are compared
// with an oracle in Python (hosts/python/test/where_test.py).
#include <string>
#include <string_view>

#include "extract/binary.hpp"
#include "extract/row_walk.hpp"
#include "judged.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;
using rows::as_bytes;
using namespace judged;

TEST_CASE("what holds, what does not, and what is unknown") {
    struct one {
        const char *condition, *answer;  // of it; of its negation the opposite, of what is unknown "no" twice
    };
    for (const auto& [text, answer] : {
             one{"n == 5", "yes"},
             one{"n = 5.0", "yes"},
             one{"n != 5", "no"},
             one{"n <> 4", "yes"},
             one{"n < 5", "no"},
             one{"n <= 5", "yes"},
             one{"n > 4.999999999999999999999999", "yes"},
             one{"n >= 5e0", "yes"},
             one{"5 == n", "yes"},
             one{"6 < n", "no"},
             one{"n==5", "yes"},
             one{"n<6", "yes"},
             one{"n>=-5", "yes"},
             one{"big == 9007199254740992", "no"},
             one{"big > 9007199254740992.0", "yes"},
             one{"big == 9.007199254740993e15", "yes"},
             one{"t == \"jpy\"", "yes"},
             one{"t == 'jpy'", "yes"},
             one{"e == 'jpy'", "yes"},
             one{"t == e", "yes"},
             one{"t > 'jp'", "yes"},
             one{"t < \"k\"", "yes"},
             one{"t == \"\\u006apy\"", "yes"},
             one{"empty == ''", "yes"},
             one{"z == '日本'", "yes"},
             one{"z < '\xF0\x9F\x98\x80'", "yes"},
             one{"t != 'it''s'", "yes"},
             one{"yes", "yes"},
             one{"no", "no"},
             one{"yes == true", "yes"},
             one{"no != FALSE", "no"},
             one{"yes != no", "yes"},
             one{"nil == 5", "unknown"},
             one{"nil != 5", "unknown"},
             one{"missing < 'x'", "unknown"},
             one{"nil", "unknown"},
             one{"nil == t", "unknown"},
             one{"n == missing", "unknown"},
             one{"missing in (1, 2)", "unknown"},
             one{"nil like '%'", "unknown"},
             one{"nil matches ''", "unknown"},
             one{"n.x == 5", "unknown"},
             one{"nil is null", "yes"},
             one{"missing IS NULL", "yes"},
             one{"n is null", "no"},
             one{"n is not null", "yes"},
             one{"o is not null", "yes"},
             one{"none is null", "no"},
             one{"nil is not null", "no"},
             one{"exists n", "yes"},
             one{"exists nil", "yes"},
             one{"exists missing", "no"},
             one{"exists (o.x)", "yes"},
             one{"exists list[2]", "yes"},
             one{"exists list[3]", "no"},
             one{"exists trades[*].s", "yes"},
             one{"exists trades[*].q", "no"},
             one{"exists none[*]", "no"},
             one{"n in (1, 5.00, 7)", "yes"},
             one{"n in (1, 2)", "no"},
             one{"t in ('usd', \"jpy\")", "yes"},
             one{"yes in (true)", "yes"},
             one{"t like 'j%'", "yes"},
             one{"t like 'j_y'", "yes"},
             one{"t like 'p%'", "no"},
             one{"z like '__'", "yes"},
             one{"t matches 'p'", "yes"},
             one{"t matches '^p'", "no"},
             one{"z matches '^.本$'", "yes"},
             one{"e matches \"^\\\\w+$\"", "yes"},
             one{"o.x == -1.5", "yes"},
             one{"/o/x < 0", "yes"},
             one{"$.o.x < -1", "yes"},
             one{"o[\"a.b\"] == 1", "yes"},
             one{"o.\"a.b\" == 1", "yes"},
             one{"[\"o\"].x < 0", "yes"},
             one{"o.and == 2", "yes"},
             one{"[\"a-b\"] == 1", "yes"},
             one{"é == 1", "yes"},
             one{"list[0] == 1", "yes"},
             one{"/list/1 == 2", "yes"},
             one{"/list/1==2", "yes"},
             one{"$ is null", "no"},
             one{"any(list[*]) == 2", "yes"},
             one{"any(list[*]) == 3", "unknown"},
             one{"all(list[*]) < 3", "unknown"},
             one{"all(list[*]) < 2", "no"},
             one{"any(none[*]) == 1", "no"},
             one{"all(none[*]) == 1", "yes"},
             one{"any(missing[*]) == 1", "unknown"},
             one{"all(nil[*]) == 1", "unknown"},
             one{"any(n[*]) == 1", "unknown"},
             one{"any(trades[*].p) > 15", "yes"},
             one{"15 < any(trades[*].p)", "yes"},
             one{"n < all(trades[*].p)", "unknown"},
             one{"any(trades[*].p) is null", "yes"},
             one{"all(trades[*].p) is not null", "no"},
             one{"any(trades[*].s) like 'a'", "yes"},
             one{"any(trades[*].p) in (20)", "yes"},
             one{"any(deep[*].l[*]) == 3", "yes"},
             one{"all(deep[*].l[*]) < 4", "yes"},
             one{"n == 5 and t == 'jpy'", "yes"},
             one{"n == 5 AND t == 'x'", "no"},
             one{"n == 4 or t == 'jpy'", "yes"},
             one{"n == 4 or t == 'x'", "no"},
             one{"nil == 1 and n == 4", "no"},
             one{"nil == 1 and n == 5", "unknown"},
             one{"nil == 1 or n == 5", "yes"},
             one{"nil == 1 or n == 4", "unknown"},
             one{"n == 5 and nil == 1", "unknown"},
             one{"not n == 4", "yes"},
             one{"not (n == 4 or n == 5)", "no"},
             one{"not nil == 1", "unknown"},
             one{"not not yes", "yes"},
             one{"n == 4 or n == 5 and t == 'x'", "no"},
             one{"(n == 4 or n == 5) and t == 'jpy'", "yes"},
             one{"n == 5 or n == 4 and t == 'x'", "yes"},
             one{"yes and not no and exists n", "yes"},
             one{"q:decimal == 5", "yes"},
             one{"q:decimal > 5.0", "no"},
             one{"n:decimal == 5", "yes"},
             one{"q:decimal == n", "yes"},
             one{"nil:decimal == 5", "unknown"},
             one{"q == '5.00'", "yes"},
             one{"n:string == '5'", "yes"},
             one{"yes:string like 't%'", "yes"},
             one{"o.x:string matches '^-1[.]5$'", "yes"},
             one{"any(quotes[*].p:decimal) < 2", "yes"},
             one{"q:decimal in (4, 5)", "yes"},
             one{"/q:decimal = 5", "yes"},
             one{"/q:decimal > 5", "no"},
             one{"/quotes/0/p:decimal<2", "yes"},
             one{"/yes:string like 't%'", "yes"},
             one{"exists /q:other", "no"},
             // What comes behind is not asked when the answer is there.
             one{"n == 4 and t == 5", "no"},
             one{"n == 5 or t == 5", "yes"},
             one{"any(list[*]) == 1", "yes"},
         }) {
        INFO(text);
        CHECK(said(text, document) == (std::string_view(answer) == "yes" ? "yes" : "no"));
        CHECK(said("not (" + std::string(text) + ")", document) == (std::string_view(answer) == "no" ? "yes" : "no"));
    }
    for (const auto& [text, answer] :
         {one{"n not in (1, 5)", "no"}, one{"n not in (1)", "yes"}, one{"nil not in (1)", "no"}, one{"t not like 'j%'", "no"},
          one{"t not matches 'x'", "yes"}, one{"nil not like ''", "no"}}) {
        INFO(text);
        CHECK(said(text, document) == answer);
    }
}

TEST_CASE("values of another kind are errors of the document") {
    CHECK(said("t > 5", document) ==
          "type at 34, $.t: the condition compares \"t\" with a number, but here it is text, \"jpy\"");
    CHECK(said("5 < t", document) ==
          "type at 34, $.t: the condition compares \"t\" with a number, but here it is text, \"jpy\"");
    CHECK(said("n == 'x'", document) == "type at 5, $.n: the condition compares \"n\" with text, but here it is a number, 5");
    CHECK(said("n == t", document) ==
          "type at 5, $.n: the condition compares \"n\" with \"t\", but here they are a number, 5, and text, \"jpy\"");
    CHECK(said("yes < no", document).find("true or false, true, and true or false, false") != std::string::npos);
    CHECK(said("n == true", document).ends_with("with true or false, but here it is a number, 5"));
    CHECK(said("o == 5", document).ends_with("but here it is an object, {\"x\":-1.5,\"a.b\":1,\"and\":2}"));
    CHECK(said("list == list", document).ends_with("but here they are an array, [1,2,null], and an array, [1,2,null]"));
    CHECK(said("n like 'x'", document) ==
          "type at 5, $.n: the condition looks for a pattern in \"n\", but here it is a number, 5");
    CHECK(said("n matches 'x'", document).ends_with("looks for a pattern in \"n\", but here it is a number, 5"));
    CHECK(said("n in ('x')", document).ends_with("compares \"n\" with text, but here it is a number, 5"));
    CHECK(said("n", document) == "type at 5, $.n: the condition takes \"n\" for true or false, but here it is a number, 5");
    CHECK(said("n == 4 or t", document).ends_with("takes \"t\" for true or false, but here it is text, \"jpy\""));
    CHECK(said("any(trades[*].s) == 1", document).ends_with("with a number, but here it is text, \"a\""));
    CHECK(said("a > 1", "{\"a\":1e1000000000000000000}") ==
          "range at 5, $.a: the condition cannot compare \"a\": its exponent has more than 18 digits");
    CHECK(said("t:decimal > 1", document) ==
          "type at 34, $.t: the condition takes \"t\" for a number, but here it is text, \"jpy\"");
    for (const char* const one : {"yes:decimal == 1", "yes:decimal == yes", "yes == yes:decimal", "not (yes:decimal != none)"})
        CHECK(said(one, document).ends_with("takes \"yes\" for a number, but here it is true or false, true"));
    CHECK(said("o:decimal == 1", document).find("takes \"o\" for a number, but here it is an object") != std::string::npos);
    CHECK(said("o:string == ''", document).find("with text, but here it is an object") != std::string::npos);
    CHECK(said("a:decimal > 1", "{\"a\":\"1e1000000000000000000\"}").find("its exponent has more than 18 digits") !=
          std::string::npos);
    const std::string lengthy = "{\"a\":\"" + std::string(58, 'x') + "日本\"}";
    CHECK(said("a > 1", lengthy).ends_with("text, \"" + std::string(58, 'x') + "..."));
}

TEST_CASE("binary documents are judged as the same documents in JSON") {
    const binary_format* const msgpack = binary_format_of("msgpack");
    REQUIRE(msgpack != nullptr);
    // {"a":{"b":1.5},"n":null,"s":"x\"y","l":[1,"z"],"u":18446744073709551615} and one byte that is another document's
    const std::string_view text(
        "\x85\xa1"
        "a\x81\xa1"
        "b\xcb\x3f\xf8\0\0\0\0\0\0\xa1n\xc0\xa1s\xa3x\"y\xa1l\x92\x01\xa1z\xa1u\xcf\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        42);
    const auto answer = [&](std::string_view what) {
        judge j(compiled(what), json::level::strict);
        context ctx;
        REQUIRE(j.look(*msgpack, as_bytes(text), json::given::stream, ctx) == errc::ok);
        CHECK(j.document_size() == text.size() - 1);
        bool holds = false;
        if (j.decide(holds, ctx) == errc::ok) return std::string(holds ? "yes" : "no");
        return std::to_string(ctx.failure.offset) + ", " + ctx.failure.path + ": " + j.explanation();
    };
    CHECK(answer("a.b == 1.5 and u > 1.8446744073709551614e19") == "yes");
    CHECK(answer("n is null and exists n and not exists m") == "yes");
    CHECK(answer("s == 'x\"y'") == "yes");
    CHECK(answer("any(l[*]) == 1 and any(l[*]:string) == 'z'") == "yes");
    CHECK(answer("any(a[*]) == 1 or u:string like '1844%'") == "yes");
    CHECK(answer("l[1] == 'z' and any(l[*]) == 1") == "yes");
    CHECK(answer("all(l[*]) == 1").find("$.l[*]: the condition compares \"l[*]\" with a number, but here it is text, \"z\"") !=
          std::string::npos);
    CHECK(answer("s > 1") == "20, $.s: the condition compares \"s\" with a number, but here it is text, \"x\\\"y\"");
}

TEST_CASE("a condition over rows is decided for each of them") {
    const auto c = compiled(".p > 5 and $.n == 5 and any(.l[*]) == 1 and .[\"a b\"] is null");
    CHECK(c->judges_rows());
    CHECK_FALSE(compiled("p > 5")->judges_rows());
    const std::string_view whole =
        R"({"n":5,"rows":[{"p":6,"l":[1]},{"p":5,"l":[1]},{"p":"x"},{"p":7,"l":[]},{"p":8,"l":[2,1]}]})";
    row_path of;
    std::string why;
    std::shared_ptr<const row_plan> plan;
    REQUIRE(parse_rows("rows[*]", of, why) == errc::ok);
    REQUIRE(row_plan::make({}, of, false, plan, why) == errc::ok);
    for (const json::level level : {json::level::strict, json::level::structural, json::level::trusted}) {
        judge j(c, level);
        row_walk walk(plan, level);
        context ctx;
        REQUIRE(walk.open(as_bytes(whole), ctx) == errc::ok);
        REQUIRE(j.look(walk.document(), ctx) == errc::ok);
        std::string answers;
        for (;;) {
            bool more = false, holds = false;
            REQUIRE(walk.next(more, ctx) == errc::ok);
            if (!more) break;
            REQUIRE(j.look_at_row(walk, ctx) == errc::ok);
            if (j.decide(holds, ctx) == errc::ok) {
                answers += holds ? "y" : "n";
            } else {
                answers += '(' + std::to_string(ctx.failure.offset) + ctx.failure.path + ')';
                ctx.clear();
            }
        }
        CHECK(answers == "yn(52$.p)ny");
    }
    CHECK(compiled(". > 5")->paths()[0].printed == "$");
    CHECK(compiled(".[0] > 5")->paths()[0].steps == "$[0]");
    CHECK(compiled("..x > 5")->dots() == 2);
}

TEST_CASE("a row whose outer element cannot be read is judged no better when it comes again") {
    const binary_format* const msgpack = binary_format_of("msgpack");
    // {"a":[{"s":"\xff","b":[1,2]},{"s":"x","b":[3]}]}, of which one text is not UTF-8
    const std::string_view text(
        "\x81\xa1"
        "a\x92\x82\xa1s\xa1\xff\xa1"
        "b\x92\x01\x02\x82\xa1s\xa1x\xa1"
        "b\x91\x03",
        25);
    row_path of;
    std::string why;
    std::shared_ptr<const row_plan> plan;
    REQUIRE(parse_rows("a[*].b[*]", of, why) == errc::ok);
    REQUIRE(row_plan::make({}, of, false, plan, why) == errc::ok);
    judge j(compiled("..s == 'x'"), json::level::trusted);
    row_walk walk(plan, json::level::trusted);
    context ctx;
    REQUIRE(walk.open(*msgpack, as_bytes(text), json::given::document, ctx) == errc::ok);
    REQUIRE(j.look(*msgpack, walk.document(), json::given::document, ctx) == errc::ok);
    std::string answers;
    for (bool more = false; walk.next(more, ctx) == errc::ok && more;) {
        bool holds = false;
        if (j.look_at_row(walk, ctx) != errc::ok) {
            answers += '!';
            ctx.clear();
            continue;
        }
        REQUIRE(j.decide(holds, ctx) == errc::ok);
        answers += holds ? 'y' : 'n';
    }
    CHECK(answers == "!!y");
}

TEST_CASE("times of several values") {
    constexpr const char* times =
        R"({"at":["2024-01-01T00:00:00Z","2024-06-01T00:00:00Z"],"t":[{"u":"1"},{"u":"1717200000"}]})";
    CHECK(said("any(time(at[*])) > '2024-03-01T00:00:00Z'", times) == "yes");
    CHECK(said("all(time(at[*])) > '2024-03-01T00:00:00Z'", times) == "no");
    CHECK(said("any(time(t[*].u, \"%s\")) > '1714521600'", times) == "yes");
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "time(";
    CHECK(refusal(deep).find("this is a time already") != std::string::npos);
    deep.clear();
    for (int i = 0; i < 100'000; ++i) deep += "any(time(";
    CHECK(!refusal(deep).empty());
}

TEST_CASE("a time that no column holds is none to compare") {
    constexpr const char* seconds = R"({"a":"253402300799","b":"253402300800","c":"999999999999999999","d":-62167219201})";
    CHECK(said("time(a, \"%s\") > '0'", seconds) == "yes");
    for (const std::string path : {"b", "c"}) {
        CAPTURE(path);
        CHECK(said("time(" + path + ", \"%s\") > '0'", seconds).starts_with("range at "));
    }
    CHECK(said("time(d) < '2024-01-01'", seconds).starts_with("range at "));
    CHECK(refusal("time(a, \"%s\") > '999999999999999999'").find("this is no time of the form %s") != std::string::npos);
}

TEST_CASE("an expression's column is no path's") {
    std::shared_ptr<const condition> c;
    std::string why;
    const std::vector<column_spec> fields{rows::field("at:timestamp := a - b"), rows::field("t:timestamp")};
    const auto takes_times = [&](std::string_view text) {
        REQUIRE(condition::compile(text, c, why, fields) == errc::ok);
        return c->clocks() != 0;
    };
    CHECK(takes_times("t > '2024-01-01'"));
    CHECK_FALSE(takes_times("[\"a - b\"] > '2024-01-01'"));
    CHECK_FALSE(takes_times("$ > '2024-01-01'"));
}

TEST_CASE("mistakes are shown") {
    for (const char* const one : {"a:decimal == true", "a:decimal == '1'", "a:decimal in ('1')", "a:decimal in (true)"})
        CHECK(refusal(one).find("a path with :decimal is compared with a number") != std::string::npos);
    CHECK(refusal("last_price.price >") ==
          "where at column 19: a path or a value is expected here\n"
          "  last_price.price >\n"
          "                    ^");
    CHECK(refusal("日本 == 1 ? 2") ==
          "where at column 9: and, or or the end is expected here\n"
          "  日本 == 1 ? 2\n"
          "          ^");
    CHECK(refusal("a == 1 and\n\tb == 'x' and\n c ==\n") ==
          "where at line 4, column 1: a path or a value is expected here\n"
          "  \n"
          "  ^");
    CHECK(refusal("a == 1 and\n\tb ! 'x'\n") ==
          "where at line 2, column 4: and, or or the end is expected here\n"
          "   b ! 'x'\n"
          "     ^");
    struct one {
        const char* text;
        int column;
        const char* what;
    };
    for (const auto& [text, column, what] : {
             one{"", 1, "a condition is missing, such as price > 5"},
             one{"  ", 3, "a condition is missing"},
             one{"a == null", 6, "nothing is compared with null: write is null"},
             one{"a != NULL", 6, "nothing is compared with null: write is not null"},
             one{"a in (1, null)", 10, "nothing is compared with null: add or ... is null"},
             one{"null == a", 1, "not the word null; a key of that name is quoted, [\"null\"]"},
             one{"a is 5", 6, "is stands before null or not null"},
             one{"a == 1 == b", 8, "two comparisons are joined by and"},
             one{"1 == 1", 1, "neither side of this comparison is a path"},
             one{"'a' == 'a'", 1, "neither side"},
             one{"true", 1, "a comparison is missing behind this value"},
             one{"5 in (5)", 1, "a comparison is missing behind this value"},
             one{"a < true", 3, "true and false have no order"},
             one{"true >= a", 6, "true and false have no order"},
             one{"a & b", 3, "write and"},
             one{"a || b", 3, "write or"},
             one{"!a", 1, "write not"},
             one{"a % 2 == 1", 3, "there are + - * / to calculate with"},
             one{"a + and == 1", 5, "not the word and"},
             one{"a + null == 1", 5, "not the word null"},
             one{"(a + 1 == 1", 1, "a ( is not closed"},
             one{"(a == 1) == b", 4, "two comparisons are joined by and"},
             one{"(a + 1) * == b", 11, "a path or a value is expected here"},
             one{"a + 1", 1, "a comparison is missing behind this value"},
             one{"length(a)", 1, "a comparison is missing behind this value"},
             one{"concat(a, b) and c", 1, "a comparison is missing behind this value"},
             one{"size(a) > 1", 1, "there is no function of this name; there are coalesce, concat, length and strptime"},
             one{"any(a[*] + 1) > 1", 10, "any and all are of a path alone"},
             one{"any(length(a)) > 1", 5, "any and all are of a path with [*]"},
             one{"any(a[*]) + 1 > 1", 1, "not the word any"},
             one{"1 + any(a[*]) > 1", 5, "not the word any"},
             one{"time(a) - 1 > 1", 1, "a time is not calculated with"},
             one{"1 + time(a) > 1", 5, "a time is not calculated with"},
             one{"time(time(a)) > '2024-01-01'", 6, "this is a time already"},
             one{"1 + 1 == 2", 1, "neither side of this comparison is a path"},
             one{"a == 1 / 0", 6, "1 / 0 divides by zero"},
             one{"a == 1 + 'x'", 10, "and not a number to calculate with"},
             one{"a in (b + 1)", 7, "lists are of values, not of paths"},
             one{"length(a) == 'x'", 1, "what is calculated here is a number"},
             one{"'x' == a * 2", 8, "what is calculated here is a number"},
             one{"length(a) in ('x')", 1, "what is calculated here is a number"},
             one{"concat(a, b) > 5", 1, "what is put together here is a text"},
             one{"time(a) > b + 1", 11, "a time is compared with a time"},
             one{"strptime(a, '%F') > 5", 21, "a time is compared with a time"},
             one{"strptime(a, '%F') > 'x'", 21, "this is no time"},
             one{"(a == 1", 1, "a ( is not closed"},
             one{"(a == 1 b)", 9, "and, or or the end is expected here"},
             one{"a == 1)", 7, "there is a ) without its ("},
             one{"a not 5", 7, "in, like or matches is expected behind not"},
             one{"a in 5", 6, "a list is expected here"},
             one{"a in (1, 2", 6, "this list is not closed"},
             one{"a in (1; 2)", 8, "a , or a ) is expected here"},
             one{"a in ()", 7, "a path or a value is expected here"},
             one{"a in (b)", 7, "lists are of values, not of paths"},
             one{"a in (1, 'x')", 10, "the values of a list are of one kind"},
             one{"a like 5", 8, "a pattern in quotes is expected here"},
             one{"a matches b", 11, "a regular expression in quotes is expected here"},
             one{"a matches 'x(y'", 13, "a group is not closed"},
             one{"a matches \"\\\\d(\"", 11, "a group is not closed, at character 3 of it"},
             one{"a like 'x\\'", 10, "the pattern ends behind a backslash"},
             one{"trades[*].p > 5", 1, "a path with [*], * or .. leads to several values: write any(...) or all(...)"},
             one{"(trades[*].p) > 5", 1, "a path with [*], * or .. leads to several values: write any(...) or all(...)"},
             one{"1 < ((a[*]))", 5, "a path with [*], * or .. leads to several values"},
             one{"(a[*].b) is null", 1, "a path with [*], * or .. leads to several values"},
             one{"time(a[*]) > '2024-01-01'", 1, "a path with [*], * or .. leads to several values"},
             one{"any(time((a[*]))) > '2024-01-01'", 10, "a path with [*], * or .. leads to several values"},
             one{"any(time(any(a[*]))) > '2024-01-01'", 10, "this is a time already, or several values"},
             one{"any(a) > 5", 5, "any and all are of a path with [*]"},
             one{"a[-0] == 1", 4, "there is no [-0]"},
             one{"a..b[-1] == 1", 1, "an element is not counted from the end in a path with .."},
             one{"$..a == 1", 1, "a path with [*], * or .. leads to several values"},
             one{"~ == 'a'", 1, "a path or a value is expected here"},
             one{"a.~ == 'a'", 3, "~ is the key of a member"},
             one{"time(a) > 5", 11, "a time is compared with a time"},
             one{"time(a) > '5'", 11, "this is no time"},
             one{"time(a) in ('2024-01-01', '5')", 27, "this is no time"},
             one{"time(a)", 1, "a time is compared, or one of a list"},
             one{"time(a, b) > '5'", 9, "a format in quotes is expected here"},
             one{"any a[*] > 5", 1, "any and all stand before a path in parentheses"},
             one{"any(a[*] > 5", 10, "a ) is expected here"},
             one{"any(a[*]) > all(b[*])", 13, "one side of a comparison is a single value"},
             one{"exists 5", 8, "a path is expected here"},
             one{"exists", 7, "a path is expected here"},
             one{"exists (a", 9, "a ) is missing behind this path"},
             one{"a == .5", 6, "a number is written as in JSON"},
             one{"a == 05", 6, "a number is written as in JSON"},
             one{"a == 5.", 6, "a number is written as in JSON"},
             one{"5a == 1", 1, "a key that begins with a digit is quoted"},
             one{"a == +5", 6, "a number is written without +"},
             one{"a == 1e1000000000000000000", 6, "the exponent has more than 18 digits"},
             one{"a == 'x", 6, "a text is not closed"},
             one{"a == \"x", 6, "a text is not closed"},
             one{"a == \"x\\", 6, "a text is not closed"},
             one{"a == \"\\q\"", 6, "an escape in this text is not JSON's; in '...' a text is taken as it stands"},
             one{"a == \"\\ud800\"", 6, "an escape in this text is not JSON's"},
             one{"\"a.b\".c == 1", 1, "a text has no members"},
             one{"a[ == 1", 3, "brackets in a path hold a number"},
             one{"a[01] == 1", 3, "an index in a path has a leading zero"},
             one{"a. == 1", 3, "an empty name in a path must be quoted"},
             one{"a[\"x] == 1", 11, "a quoted name in a path is not closed"},
             one{"/a~2 == 1", 3, "~ in a JSON Pointer"},
             one{"a == 1 and", 11, "a path or a value is expected here"},
             one{"and == 1", 1, "not the word and"},
             one{"a == 1 or or", 11, "not the word or"},
             one{"a:float64 > 5", 2, "values are taken as they are, as :decimal or as :string"},
             one{"a: decimal > 5", 2, "values are taken as they are, as :decimal or as :string"},
             one{"exists a:decimal", 8, "whether a value exists does not depend on its type"},
             one{"# a", 1, "a path or a value is expected here"},
         }) {
        INFO(text);
        const std::string why = refusal(text);
        INFO(why);
        CHECK(why.starts_with("where at column " + std::to_string(column) + ": "));
        CHECK(why.find(what) != std::string::npos);
        CHECK(why.ends_with("\n  " + std::string(static_cast<std::size_t>(column) - 1, ' ') + '^'));
    }
    CHECK(refusal("a == '\xFF'") == "where: the condition is not valid UTF-8, at byte 6");
    const std::string deep = std::string(201, '(') + "a" + std::string(201, ')');
    CHECK(refusal(deep).find("the expression is more than 200 deep") != std::string::npos);
    CHECK(said(std::string(200, '(') + "n == 5" + std::string(200, ')'), document) == "yes");
    std::string chain = "n == 5";
    for (int i = 0; i < 20'000; ++i) chain += " and n == 5";
    CHECK(said(chain, document) == "yes");
}
