// What a condition says about kinds of values before any document is read: what no document could decide is refused,
// and what one could is not.
#include <string>
#include <string_view>
#include <vector>

#include "judged.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;
using namespace judged;

namespace {

struct mistake {
    const char* text;
    int column;
    const char* what;
};

void refuses(std::initializer_list<mistake> all, std::span<const column_spec> columns = {}) {
    for (const auto& [text, column, what] : all) {
        INFO(std::string(text));
        std::shared_ptr<const condition> c;
        std::string why;
        CHECK(condition::compile(text, c, why, columns) == errc::misuse);
        INFO(why);
        CHECK(why.starts_with("where at column " + std::to_string(column) + ": "));
        CHECK(why.find(what) != std::string::npos);
        CHECK(why.ends_with("\n  " + std::string(static_cast<std::size_t>(column) - 1, ' ') + '^'));
    }
}

constexpr const char* days = R"({"d":"25/Dec/2016","iso":"2016-12-25","z":"2016-12-25T00:00:00Z","t":"x","s":1482624000})";

}  // namespace

TEST_CASE("a list in which one is a time is a list of times") {
    for (const char* const text : {
             "iso in ('2016-12-24', strptime('25/Dec/2016', '%d/%b/%Y'))",
             "iso in (strptime('25/Dec/2016', '%d/%b/%Y'), '2016-12-24')",
             "iso in ('2016-12-25', strptime('24/Dec/2016', '%d/%b/%Y'))",
             "iso in ('2016-12-25T00:00:00', strptime('24/Dec/2016', '%d/%b/%Y'))",
             "iso not in ('2016-12-23', strptime('24/Dec/2016', '%d/%b/%Y'))",
             "strptime(d, '%d/%b/%Y') in (strptime('2016-12-24', '%F'), strptime('25.12.2016', '%d.%m.%Y'))",
             "time(d, '%d/%b/%Y') in ('24/Dec/2016', strptime('2016-12-25', '%F'))",
             "time(d, '%d/%b/%Y') in (strptime('2016-12-24', '%F'), '25/Dec/2016')",
             "time(z) in ('2016-12-25T09:00+09:00', strptime('1', '%s'))",
             "time(s) in (strptime('1', '%s'), '2016-12-25T00:00Z')",
         }) {
        INFO(std::string(text));
        CHECK(said(text, days) == "yes");
    }
    CHECK(said("t in ('2016-12-24', strptime('2016-12-25', '%F'))", days).find("the condition takes \"t\" for a time") !=
          std::string::npos);
    refuses({
        {"t in ('x', strptime('2016-12-25', '%F'))", 7, "this is no time, such as \"2024-01-01T00:00Z\""},
        {"t in (strptime('2016-12-25', '%F'), 'x')", 37, "this is no time"},
        {"t in (strptime('2016-12-25', '%F'), 5)", 37, "of one kind: all numbers, all texts, or all times"},
        {"t in (5, strptime('2016-12-25', '%F'))", 10, "of one kind"},
        {"t:string in ('x', strptime('2016-12-25', '%F'))", 1, "a time is compared with a time"},
        {"length(t) in (strptime('2016-12-25', '%F'))", 1, "a time is compared with a time"},
        {"time(t) in ('2016-12-25', '2016-12-25T00:00Z')", 27, "this time has a zone, and the other one has none"},
        {"t in (strptime('1', '%s'), '2016-12-25')", 28, "this time has no zone, and the other one has one"},
        {"t in ('2016-12-25', strptime('1', '%s'))", 21, "this time has a zone, and the other one has none"},
    });
}

TEST_CASE("times with a zone and without one") {
    const std::vector<column_spec> columns{rows::field("at:timestamp[UTC]"), rows::field("n:timestamp[naive]"),
                                           rows::field("f=g:timestamp[%d/%b/%Y]"), rows::field("u:timestamp")};
    refuses(
        {
            {"strptime(a, '%F') == strptime(b, '%F %z')", 22,
             "this time has a zone, and the other one has none: they are compared"},
            {"strptime(a, '%F') > '2016-12-25T00:00Z'", 21, "this time has a zone"},
            {"'2016-12-25' < strptime(a, '%s')", 1, "this time has no zone"},
            {"time(a, '%F') == time(b, '%s')", 18, "this time has a zone"},
            {"n > '2016-12-25T00:00Z'", 5, "this time has a zone"},
            {"n == at", 6, "this time has a zone"},
            {"at == strptime(b, '%F')", 7, "this time has no zone"},
            {"at == strptime('2016-12-25', '%F')", 7, "this time has no zone"},
            {"g > strptime('1', '%s')", 5, "this time has a zone"},
            {"any(time(a[*], '%F')) > '2016-12-25T00:00Z'", 25, "this is no time of the form"},
        },
        columns);
    std::shared_ptr<const condition> c;
    std::string why;
    for (const char* const text :
         {"at > '2016-12-25'", "at > '2016-12-25T00:00Z'", "n > '2016-12-25'", "u > '2016-12-25'", "u > '2016-12-25T00:00Z'",
          "u == at", "u == n", "time(x) == at", "g == '25/Dec/2016'", "at == strptime(b, '%s')", "n in ('2016-12-25')",
          "at in ('2016-12-25', '2016-12-25T00:00Z')", "g == n"}) {
        INFO(std::string(text));
        CHECK(condition::compile(text, c, why, columns) == errc::ok);
    }
}

TEST_CASE("what no document decides is refused") {
    refuses({
        // Patterns are looked for in texts.
        {"length(a) like 'x%'", 1, "this is a number, and like is of texts; concat(...) makes one of it"},
        {"not (b and a * 2 not matches 'x')", 12, "this is a number, and matches is of texts"},
        {"a:decimal like '7%'", 1, "this is a number, and like is of texts; write :string"},
        {"any(a[*]:decimal) like '7%'", 1, "this is a number, and like is of texts; write :string"},
        {"coalesce(length(a), 5, b) like '7%'", 1, "this is a number"},
        {"coalesce(true, a) like '7%'", 1, "this is true or false"},
        {"coalesce(a[*], b.*) like '7%'", 1, "this is a list of values, and like is of texts"},
        // What stands alone is true or false.
        {"a:decimal", 1, "a comparison is missing behind this value"},
        {"b and not a:string", 11, "a comparison is missing behind this value"},
        {"coalesce(length(a), 1)", 1, "a comparison is missing behind this value"},
        // Comparisons are of one kind.
        {"a:string == 7", 13, "a path with :string is compared with a text, in quotes"},
        {"true != a:string", 1, "a path with :string is compared with a text"},
        {"a:string in ('7', '8') or a:string in (7)", 40, "a path with :string is compared with a text"},
        {"a:decimal == b:string", 14, "a path with :decimal is compared with a number"},
        {"any(a[*]:string) > 5", 20, "a path with :string is compared with a text"},
        {"a:decimal > concat(b, c)", 13, "a path with :decimal is compared with a number"},
        {"length(a) == b:string", 1, "a path with :string is compared with a text"},
        {"length(a) == concat(b, c)", 1, "what is calculated here is a number, and is compared with one"},
        {"concat(b, c) == a + 1", 1, "what is put together here is a text, and is compared with one"},
        {"coalesce(a:decimal, 0) == 'x'", 1, "what is calculated here is a number"},
        {"coalesce(a:decimal, b:string) == true", 1, "what is calculated here is a number or a text"},
        {"coalesce(a[*], b[*]) == 5", 1, "is a list of values; its values are compared by any(...) or all(...)"},
        {"a < coalesce(true, b)", 3, "true and false have no order"},
        {"time(a) == b:string", 12, "a time is compared with a time"},
        {"time(a) == length(b)", 12, "a time is compared with a time"},
        {"time(a) == coalesce(b[*])", 12, "a time is compared with a time"},
        {"time(a, '%d/%b/%Y') == coalesce(b:decimal, 0)", 24, "a time is compared with a time"},
        {"time(length(a), '%s') == b", 6, "this is a number, and times of a form are texts"},
        {"time(coalesce(a[*])) == b", 6, "this is a list of values, and a time is read from a text or a number"},
        {"time(a / 1000) > '2024-01-01'", 18, "this time has no zone, and the other one has one"},
        // So it is in what is calculated.
        {"a[*] * 2 > 5", 1, "this is a list of values, and not a number to calculate with; name one of them, as in list[0]"},
        {"5 < 1 + b.*.c", 9, "this is a list of values, and not a number"},
        {"-($..a) > 5", 3, "this is a list of values, and not a number"},
        {"a:string + 1 > 5", 1, "this is a text, and not a number to calculate with; write :decimal"},
        {"a - 'x' > 5", 5, "this is a text, and not a number to calculate with"},
        {"a / true > 5", 5, "this is true or false, and not a number to calculate with"},
        {"a * concat(b, c) > 5", 5, "this is a text, and not a number"},
        {"strptime(a, '%F') - 1 > 5", 1, "this is a time, and not a number"},
        {"concat(a, b[*]) == 'x'", 11, "this is a list of values, and concat joins texts, numbers, true and false"},
        {"length(5 + a) == 1", 8, "this is a number, and length is of texts, arrays and objects"},
        {"length(a:decimal) == 1", 8, "this is a number, and length is of texts, arrays and objects; write :string"},
        {"length(length(a)) == 1", 8, "this is a number, and length is of"},
        {"length(true) == a", 8, "this is true or false, and length is of"},
        {"strptime(true, '%F') == a", 10, "this is true or false, and strptime reads texts"},
        {"strptime(a[*], '%F') == a", 10, "this is a list of values, and strptime reads texts"},
        {"length(a[*]:decimal) == 1", 8, "a list of values is taken as it is, without :decimal and :string"},
    });
}

TEST_CASE("what a document may decide is not refused") {
    for (const auto& [text, answer] : {
             std::pair{"coalesce(missing, n) == 5", "yes"},
             {"coalesce(list[*], n) is not null", "yes"},
             {"coalesce(missing[*], n) == 5", "yes"},
             {"coalesce(n:decimal, t) == 5", "yes"},
             {"coalesce(missing:decimal, t) like 'j%'", "yes"},
             {"coalesce(missing:decimal, yes)", "yes"},
             {"concat(length(t)) like '3'", "yes"},
             {"concat(n * 2) == '10'", "yes"},
             {"length(coalesce(list[*], 'x')) == 3", "yes"},
             {"length(n:string) == 1", "yes"},
             {"n:decimal is not null and n:string is not null", "yes"},
             {"n:string == t:string or n == 5", "yes"},
             {"length(concat(t, t)) + n:decimal == 11", "yes"},
             {"n:string in ('4', '5')", "yes"},
             {"time(n) > coalesce(missing:decimal, n - 1)", "yes"},
             {"coalesce(n:decimal, 0) > time(n + 1)", "no"},
             {"time(n / 1) < '2024-01-01T00:00Z'", "yes"},
             {"length(strptime('2016-12-25', '%F')) == length(t) * 3 + 10", "yes"},
         }) {
        INFO(std::string(text));
        CHECK(said(text, document) == answer);
    }
    // What a path is taken for it is in what is calculated, too.
    CHECK(said("coalesce(yes:decimal, 1) == 1", document)
              .ends_with("\"yes\" is taken for a number, but here it is true or false, true"));
    CHECK(said("coalesce(o:decimal, 1) == 1", document)
              .find("\"o\" is taken for a number, but here it is an array or an object") != std::string::npos);
}
