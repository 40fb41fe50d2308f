// What a calculated column looks at, and how long what it makes may be. What it makes of values is Python's to judge
// (hosts/python/test/paths_test.py).
#include "extract/calculation.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "extract/row_walk.hpp"
#include "rows.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

std::shared_ptr<const formula> compiled(std::string_view text) {
    std::shared_ptr<const formula> f;
    std::string why;
    const errc e = formula::compile(text, 0, f, why);
    INFO(text << "\n" << why);
    REQUIRE(e == errc::ok);
    return f;
}

std::string refusal(std::string_view text) {
    std::shared_ptr<const formula> f;
    std::string why;
    CHECK(formula::compile(text, 0, f, why) == errc::misuse);
    return why;
}

// What is found in one value after the other, by path.
std::string made(calculation& c) {
    const errc e = c.run();
    return e == errc::ok ? std::string(c.json()) : '!' + c.explanation();
}

// {"a":{"a":{"a":"text"}}}, of any depth
std::string nested(std::size_t deep, std::size_t text) {
    std::string s;
    for (std::size_t i = 0; i < deep; ++i) s += "{\"a\":";
    return s + '"' + std::string(text, 'x') + '"' + std::string(deep, '}');
}

// A batch that takes the rows of a document, a change of whose bytes shows what is looked at again.
struct row_by_row {
    std::string document;
    std::shared_ptr<const schema> columns;
    std::unique_ptr<row_walk> walk;
    std::unique_ptr<batch> out;

    row_by_row(std::string text, std::string_view rows_of, std::initializer_list<std::string_view> fields)
        : document(std::move(text)) {
        row_path of;
        std::string why;
        REQUIRE(parse_rows(rows_of, of, why) == errc::ok);
        std::vector<column_spec> specs;
        for (const std::string_view f : fields) specs.push_back(rows::field(f));
        const errc e = schema::make(std::move(specs), false, columns, why, beyond::ignored, &of);
        INFO(why);
        REQUIRE(e == errc::ok);
        walk = std::make_unique<row_walk>(columns->rows(), json::level::strict);
        out = std::make_unique<batch>(columns, json::level::strict);
        context ctx;
        REQUIRE(walk->open(rows::as_bytes(document), ctx) == errc::ok);
        out->renew();
    }
    void next() {
        context ctx;
        bool more = false;
        REQUIRE(walk->next(more, ctx) == errc::ok);
        REQUIRE(more);
        const errc e = out->append(*walk, {}, ctx);
        INFO(out->explanation());
        REQUIRE(e == errc::ok);
    }
    void becomes(std::string_view old, std::string_view now) {
        REQUIRE(old.size() == now.size());
        document.replace(document.find(old), old.size(), now);
    }
};

}  // namespace

TEST_CASE("what stands around rows is looked at once") {
    row_by_row r(R"({"big":[1,2,3],"t":[{"p":10},{"p":20},{"p":30}]})", "t[*]",
                 {"n:int64 := length($.big)", "last=$.big[-1]:int64", "m:int64 := .p * $.big[-1]",
                  "x:int64 := length(coalesce($.big, $.none)) + .p"});
    r.next();
    r.becomes("[1,2,3]", "[1,  3]");
    r.next();
    r.next();
    CHECK(rows::csv(*r.out) == "3,3,30,13\n3,3,60,23\n3,3,90,33\n");
    // Without its rows the batch knows of no element any more.
    r.out->clear();
    context ctx;
    REQUIRE(r.walk->open(rows::as_bytes(r.document), ctx) == errc::ok);
    r.next();
    CHECK(rows::csv(*r.out) == "2,3,30,12\n");
}

TEST_CASE("each row has the values of the elements around it") {
    row_by_row r(
        R"({"a":[{"k":"x","l":[1,2],"b":[{"p":1},{"p":2}]},{"k":"y","l":[3],"b":[{"p":3}]},{"k":null,"b":[{"p":4}]}]})",
        "a[*].b[*]",
        {"n:int64 := length(..l)", "id := concat(..k, .p)", "sum:int64 := ..l[-1] + .p",
         "c:int64 := coalesce(.q, ..l[0], .p)"});
    for (int i = 0; i < 4; ++i) r.next();
    CHECK(rows::csv(*r.out) == "2,x1,3,1\n2,x2,4,1\n1,y3,6,3\n,,,4\n");
}

TEST_CASE("what is not asked of one value may be asked of the next") {
    const auto f = compiled("coalesce(a, concat(b, c))");
    calculation c(*f);
    const std::string b = "\"b\"";
    c.give(0, "", 1);
    c.give(1, b, 1);
    c.give(2, "5", 2);
    CHECK(made(c) == "\"b5\"");
    CHECK(c.has(1, 1));
    CHECK_FALSE(c.has(1, 2));
    c.give(0, "7", 3);
    CHECK(made(c) == "7");
    c.give(2, "6", 4);  // behind a, nobody asks for it
    CHECK(made(c) == "7");
    c.give(0, "null", 5);
    CHECK(made(c) == "\"b6\"");
    c.give(2, "[1]", 6);
    CHECK(made(c).find("concat joins texts") != std::string::npos);
    CHECK(made(c).find("concat joins texts") != std::string::npos);
    c.give(2, "8", 7);
    CHECK(made(c) == "\"b8\"");
    c.forget();
    CHECK_FALSE(c.has(1, 1));
    CHECK(made(c) == "");
}

TEST_CASE("a list of values that are in one another does not outgrow its document") {
    const auto f = compiled("$..a");
    calculation c(*f);
    c.give(0, R"({"a":{"a":1}})");
    CHECK(made(c) == R"([{"a":1},1])");
    const std::string deep = nested(200, 200'000);
    c.give(0, deep);
    CHECK(c.run() == errc::size);
    CHECK(c.explanation() == "the list that \"$..a\" finds has more than " + std::to_string(4 * deep.size() + (16u << 20)) +
                                 " bytes, for its values are in one another");
    // Where nothing is, the list has null, and may be longer than what it was found in.
    const auto wide = compiled("t[*].a");
    calculation w(*wide);
    std::string zeros = "[0";
    for (int i = 1; i < 3'000'000; ++i) zeros += ",0";
    w.give(0, zeros += ']');
    CHECK(w.run() == errc::ok);
    CHECK(w.json().size() == 15'000'001);
}

TEST_CASE("memory that a long list took is counted, and given back") {
    const auto columns = rows::schema({"c=$..a"});
    batch b(columns, json::level::strict);
    const std::string deep = nested(60, 200'000);
    context ctx;
    REQUIRE(b.append(rows::as_bytes(deep), {}, ctx) == errc::ok);
    const std::size_t size = b.bytes_used();
    CHECK(size > 12'000'000);
    CHECK(b.capacity() > 2 * size);
    b.clear();
    CHECK(b.capacity() < 2 * batch::keep);
}

TEST_CASE("parentheses and signs in one another") {
    for (const std::string open : {"(", "-"}) {
        const auto inside = [&](std::size_t n) {
            std::string s;
            for (std::size_t i = 0; i < n; ++i) s += open;
            return s + 'a' + (open == "(" ? std::string(n, ')') : std::string());
        };
        CHECK(compiled(inside(200)));
        CHECK(refusal(inside(201)).find("the expression is more than 200 deep") != std::string::npos);
    }
    CHECK(compiled(" a:decimal ")->expression() == "a:decimal");
}
