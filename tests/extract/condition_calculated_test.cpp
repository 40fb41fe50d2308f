// What conditions calculate, of documents and of rows. Generated ones are compared with an oracle in Python
// (hosts/python/test/where_test.py).
#include <string>
#include <string_view>
#include <utility>

#include "extract/binary.hpp"
#include "extract/row_walk.hpp"
#include "judged.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;
using namespace judged;

TEST_CASE("what is calculated") {
    for (const auto& [text, answer] : {
             std::pair{"n * 2 > 9", "yes"},
             {"n + o.x == 3.5", "yes"},
             {"n-o.x == 6.5", "yes"},
             {"-n < -4", "yes"},
             {"- n == -5", "yes"},
             {"10 == n * 2", "yes"},
             {"n + 1 == o.x * -4", "yes"},
             {"(n + 1) * 2 == 12", "yes"},
             {"((n + 1)) * 2 == 12 and (n == 5)", "yes"},
             {"(n) == 5", "yes"},
             {"((yes))", "yes"},
             {"(n + 1 > 5 and t == 'x)') or (n - 1) == 4", "yes"},
             {"(t == '(') or n / 2 == 2.5", "yes"},
             {"(/list/1) * 2 == 4", "yes"},
             {"/list/1 * 2 == 4", "yes"},
             {"(/o/x<0 and [\"a-b\"] == 1)", "yes"},
             {"big + 1 == 9007199254740994", "yes"},
             {"n == 2 + 3", "yes"},
             {"n == (2 + 3)", "yes"},
             {"n in (2 + 3, 6)", "yes"},
             {"t == concat('j', 'py')", "yes"},
             {"q:decimal + 1 == 6", "yes"},
             {"n:string == '5'", "yes"},
             {"length(list) > 2", "yes"},
             {"length(list) in (1, 3)", "yes"},
             {"length(t) == 3", "yes"},
             {"LENGTH(z) == 2", "yes"},
             {"length(trades[*].p) == 3", "yes"},
             {"length(trades[0]) == 2", "yes"},
             {"length(deep[-1].l) == 1", "yes"},
             {"length($) > 10", "yes"},
             {"length(missing) == 0", "unknown"},
             {"length(nil) is null", "yes"},
             {"missing + 1 > 0", "unknown"},
             {"nil * 2 is null", "yes"},
             {"n * 2 is not null", "yes"},
             {"coalesce(missing, nil, n) == 5", "yes"},
             {"coalesce(missing, no, true)", "no"},
             {"not coalesce(missing, no)", "yes"},
             {"coalesce(nil, 'x') == 'x'", "yes"},
             {"coalesce(missing, nil) is null", "yes"},
             {"concat(t, '-', n) == 'jpy-5'", "yes"},
             {"concat(t, n) like 'jpy_'", "yes"},
             {"concat(t, n) matches '^j.*5$'", "yes"},
             {"concat(t, missing) like '%'", "unknown"},
             {"any(list[*]) == n - 3", "yes"},
             {"all(trades[*].p) < n * 100", "unknown"},
             {"any(trades[*].p) < length(list) * 4", "yes"},
             {"n * 2 == n + 5 and n - n == 0", "yes"},
             {"strptime('25/Dec/2016', '%d/%b/%Y') < time(missing)", "unknown"},
         }) {
        INFO(text);
        CHECK(said(text, document) == (std::string_view(answer) == "unknown" ? "no" : answer));
        const std::string opposite = "not (" + std::string(text) + ")";
        CHECK(said(opposite, document) == (std::string_view(answer) == "no" ? "yes" : "no"));
    }
    constexpr const char* days =
        R"({"d":"25/Dec/2016","iso":"2016-12-25","day":"2016-12-25","hour":"10:00:00","s":1482624000})";
    for (const char* const text : {
             "strptime(d, '%d/%b/%Y') == '2016-12-25'",
             "strptime(d, '%d/%b/%Y') < '2016-12-25T00:00:01'",
             "'2016-12-24' < strptime(d, '%d/%b/%Y')",
             "strptime(d, '%d/%b/%Y') == time(iso)",
             "strptime(d, '%d/%b/%Y') in ('2016-12-24', '2016-12-25')",
             "time(d, '%d/%b/%Y') == strptime('2016-01-01', '%F') or strptime(d, '%d/%b/%Y') > strptime('2016-01-01', '%F')",
             "time(concat(day, 'T', hour)) == '2016-12-25T10:00'",
             "time(s + 1) == '2016-12-25T00:00:01Z'",
         })
        CHECK(said(text, days) == "yes");
    CHECK(said("n * t > 5", document) ==
          "type at 34, $.t: the condition cannot calculate \"n * t\": \"t\" is text, \"jpy\", and not a number to calculate "
          "with; of texts that hold one write t:decimal");
    CHECK(said("n / (n - 5) > 1", document) ==
          "range at 5, $.n: the condition cannot calculate \"n / (n - 5)\": 5 / 0 divides by zero");
    CHECK(said("missing is null and n / 0 > 1", document).starts_with("range at 5, $.n: "));
    CHECK(said("coalesce(missing, t) > 1", document) ==
          "type at 34, $.t: the condition compares \"coalesce(missing, t)\" with a number, but here it is text, \"jpy\"");
    CHECK(said("length(list) == t", document) ==
          "type at 137, $.list: the condition compares \"length(list)\" with \"t\", but here they are a number, 3, and text, "
          "\"jpy\"");
    CHECK(said("coalesce(nil, 5)", document) ==
          "type at 94, $.nil: the condition takes \"coalesce(nil, 5)\" for true or false, but here it is a number, 5");
}

// What a condition says of each row, as letters.
namespace {

std::string of_rows(std::string_view text, const char* rows, std::initializer_list<std::string_view> documents) {
    row_path of;
    std::string why, answers;
    std::shared_ptr<const row_plan> plan;
    REQUIRE(parse_rows(rows, of, why) == errc::ok);
    REQUIRE(row_plan::make({}, of, false, plan, why) == errc::ok);
    judge j(compiled(text), json::level::strict);
    row_walk walk(plan, json::level::strict);
    context ctx;
    for (const std::string_view document : documents) {
        REQUIRE(walk.open(as_bytes(document), ctx) == errc::ok);
        REQUIRE(j.look(walk.document(), ctx) == errc::ok);
        for (bool more = false; walk.next(more, ctx) == errc::ok && more;) {
            bool holds = false;
            REQUIRE(j.look_at_row(walk, ctx) == errc::ok);
            if (j.decide(holds, ctx) == errc::ok) {
                answers += holds ? 'y' : 'n';
            } else {
                answers += '(' + std::to_string(ctx.failure.offset) + ctx.failure.path + ')';
                ctx.clear();
            }
        }
        answers += '/';
    }
    return answers;
}

}  // namespace

TEST_CASE("what is calculated of rows and of their documents") {
    CHECK(of_rows(".p * $.n > 10", "rows[*]",
                  {R"({"n":2,"rows":[{"p":6},{"p":5},{"p":"x"},{},{"p":7}]})", R"({"n":3,"rows":[{"p":4},{"p":3}]})",
                   R"({"rows":[{"p":4}]})", R"({"n":4,"rows":[]})"}) == "yn(36$.p)ny/yn/n//");
    CHECK(of_rows("length(..b) * .p == $.k", "a[*].b[*]",
                  {R"({"k":4,"a":[{"b":[{"p":2},{"p":4}]},{"b":[{"p":4}]},{"b":[]}]})", R"({"k":2,"a":[{"b":[{"p":2}]}]})"}) ==
          "yny/y/");
    CHECK(of_rows("length(.~) + .v == 4", "pairs.*", {R"({"pairs":{"btc":{"v":1},"ethx":{"v":0},"x":{"v":1}}})"}) == "yyn/");
    CHECK(of_rows("coalesce(.p, $.p) == 1", "rows[*]", {R"({"p":1,"rows":[{},{"p":2}]})", R"({"p":2,"rows":[{},{"p":1}]})"}) ==
          "yn/ny/");
}

TEST_CASE("what is calculated of binary documents") {
    const binary_format* const msgpack = binary_format_of("msgpack");
    REQUIRE(msgpack != nullptr);
    // {"a":{"b":1.5},"l":[1,"z"],"s":"xy"}
    const std::string_view text(
        "\x83\xa1"
        "a\x81\xa1"
        "b\xcb\x3f\xf8\0\0\0\0\0\0\xa1l\x92\x01\xa1z\xa1s\xa2xy",
        26);
    for (const auto& [what, answer] : {std::pair{"a.b * 2 == 3 and length(l) == 2", true},
                                       {"length(l) == l[0] + 1", true},
                                       {"concat(l[-1], s) == 'zxy'", true},
                                       {"length(a) > 1", false}}) {
        judge j(compiled(what), json::level::strict);
        context ctx;
        REQUIRE(j.look(*msgpack, as_bytes(text), json::given::document, ctx) == errc::ok);
        bool holds = false;
        REQUIRE(j.decide(holds, ctx) == errc::ok);
        CHECK(holds == answer);
    }
}
