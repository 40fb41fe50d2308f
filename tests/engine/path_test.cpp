// Paths as users write them: both notations, every refusal, and that print() is read back.
#include "engine/json/path.hpp"

#include <doctest/doctest.h>

#include <random>

#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;
using json::path;
using json::step;

namespace {

step key(std::string s) { return {step::kind::key, std::move(s), 0}; }
step index(std::uint64_t n) { return {step::kind::index, {}, n}; }
step each() { return {step::kind::each, {}, 0}; }
step either(std::uint64_t n) { return {step::kind::either, std::to_string(n), n}; }

path read(std::string_view text) {
    path p;
    context ctx;
    CAPTURE(text);
    CHECK(json::parse(text, p, ctx) == errc::ok);
    return p;
}

std::size_t refusal(std::string_view text, errc code = errc::syntax) {
    path p;
    context ctx;
    CAPTURE(text);
    CHECK(json::parse(text, p, ctx) == code);
    CHECK(std::string_view(ctx.failure.what) != "");
    return ctx.failure.offset;
}

}  // namespace

TEST_CASE("dotted") {
    CHECK(read("price") == path{key("price")});
    CHECK(read("last_price.price") == path{key("last_price"), key("price")});
    CHECK(read("a[0][12]") == path{key("a"), index(0), index(12)});
    CHECK(read("trades[*].price") == path{key("trades"), each(), key("price")});
    CHECK(read("[*]") == path{each()});
    CHECK(read("[3].x") == path{index(3), key("x")});
    CHECK(read("$") == path{});
    CHECK(read("") == path{});
    CHECK(read("$.a.b") == path{key("a"), key("b")});
    CHECK(read("$[1]") == path{index(1)});
    CHECK(read("$x") == path{key("$x")});
    CHECK(read("a.$") == path{key("a"), key("$")});
    CHECK(read("two words.x") == path{key("two words"), key("x")});
    CHECK(read("データ.é") == path{key("データ"), key("é")});
    CHECK(read("[18446744073709551615]") == path{index(UINT64_MAX)});
}

TEST_CASE("quoted names") {
    CHECK(read(R"(["a.b"])") == path{key("a.b")});
    CHECK(read(R"("a.b".c)") == path{key("a.b"), key("c")});
    CHECK(read(R"(x."a[0]")") == path{key("x"), key("a[0]")});
    CHECK(read(R"([""])") == path{key("")});
    CHECK(read(R"("")") == path{key("")});
    CHECK(read(R"(['it"s'])") == path{key("it\"s")});
    CHECK(read(R"(["\"\\\/\b\f\n\r\té\ud83d\ude00"])") == path{key("\"\\/\b\f\n\r\té😀")});
    CHECK(read(R"(["*"])") == path{key("*")});
}

TEST_CASE("JSON Pointer") {
    CHECK(read("/a/b") == path{key("a"), key("b")});
    CHECK(read("/") == path{key("")});
    CHECK(read("//") == path{key(""), key("")});
    CHECK(read("/a~1b/m~0n") == path{key("a/b"), key("m~n")});
    CHECK(read("/~01") == path{key("~1")});
    CHECK(read("/trades/0") == path{key("trades"), either(0)});
    CHECK(read("/01") == path{key("01")});
    CHECK(read("/-") == path{key("-")});
    CHECK(read("/a.b[*]") == path{key("a.b[*]")});
    CHECK(read("/18446744073709551616") == path{key("18446744073709551616")});
}

TEST_CASE("refusals say where") {
    CHECK(refusal("a..b") == 2);
    CHECK(refusal("a.") == 2);
    CHECK(refusal(".a") == 0);
    CHECK(refusal("a[") == 2);
    CHECK(refusal("a[]") == 2);
    CHECK(refusal("a[-1]") == 2);
    CHECK(refusal("a[01]") == 2);
    CHECK(refusal("a[18446744073709551616]") == 2);
    CHECK(refusal("a[1") == 3);
    CHECK(refusal("a[1x]") == 3);
    CHECK(refusal("a[0]b") == 4);
    CHECK(refusal("a]") == 1);
    CHECK(refusal("a.*") == 2);
    CHECK(refusal("*") == 0);
    CHECK(refusal(R"(["a)") == 3);
    CHECK(refusal(R"(["a"x])") == 4);
    CHECK(refusal(R"("a"b)") == 3);
    CHECK(refusal(R"(["\q"])") == 2);
    CHECK(refusal(R"(["\u12"])") == 2);
    CHECK(refusal(R"(["\ud800"])") == 2);
    CHECK(refusal(R"(["\udc00"])") == 2);
    CHECK(refusal("/a~") == 2);
    CHECK(refusal("/a~2") == 2);
    CHECK(refusal("a\xff", errc::encoding) == 0);
}

TEST_CASE("print is read back") {
    std::mt19937_64 random(3);
    static const char* const names[] = {"a", "",  "a.b", "x[0]", "\"",  "\\",         "*",        "$",        "é",
                                        " ", "]", "'",   "0",    "a-b", "\n\t\b\f\r", "\x01\x7f", "\"\\u0041"};
    for (int round = 0; round < 2000; ++round) {
        path p;
        for (std::size_t i = 0, n = random() % 6; i < n; ++i) {
            switch (random() % 3) {
                case 0: p.push_back(index(random() >> (random() % 64))); break;
                case 1: p.push_back(each()); break;
                default: p.push_back(key(names[random() % std::size(names)]));
            }
        }
        CHECK(read(json::print(p)) == p);
    }
}

TEST_CASE("errors of both formats and print() spell a path the same way, and it is read back") {
    CHECK(json::print({key("asks"), index(0), key("a b"), key("価格"), key("7"), key("")}) ==
          R"($.asks[0]["a b"].価格["7"][""])");
    CHECK(json::print({key("\"\\\n\x1f\x7f/")}) == R"($["\"\\\n\u001f\u007f/"])");
    std::mt19937_64 random(9);
    static const char* const pieces[] = {"a", "_", "7",  "$",  "-",  " ",  ".",  "[",    "]",    "\"",   "\\", "'",  "*",
                                         "/", "~", "\n", "\t", "\b", "\f", "\r", "\x01", "\x1f", "\x7f", "é",  "漢", "😀"};
    for (int round = 0; round < 2000; ++round) {
        path p;
        buffer json_bytes, msgpack_bytes;
        context ctx;
        json::writer json_to(json_bytes, ctx, round % 2 == 0 ? json::compact : json::ascii_only);
        msgpack::writer msgpack_to(msgpack_bytes, ctx);
        const auto both = [&](auto verb) {
            REQUIRE(verb(json_to) == errc::ok);
            REQUIRE(verb(msgpack_to) == errc::ok);
        };
        for (std::size_t depth = random() % 4 + 1; depth != 0; --depth) {
            if (random() % 3 == 0) {
                p.push_back(index(1));
                both([](auto& to) { return to.array(count{2}); });
                both([](auto& to) { return to.null(); });
            } else {
                std::string name;
                for (std::size_t n = random() % 4; n != 0; --n) name += pieces[random() % std::size(pieces)];
                both([](auto& to) { return to.map(count{1}); });
                both([&](auto& to) { return to.key(text(name)); });
                p.push_back(key(std::move(name)));
            }
        }
        both([](auto& to) { return to.boolean(true); });
        // The writers are left alone here: the documents end at the value, which is then broken.
        std::string json_text(json_bytes.data(), json_bytes.size()), msgpack_text(msgpack_bytes.data(), msgpack_bytes.size());
        json_text.replace(json_text.rfind("true"), std::string::npos, "!");
        msgpack_text.back() = '\xc1';
        const std::string printed = json::print(p);
        CAPTURE(printed);
        null_sink nothing;
        context one, two;
        json::reader json_from(helpers::as_bytes(json_text), one);
        REQUIRE(json_from.feed(nothing) == errc::syntax);
        CHECK(one.failure.path == printed);
        msgpack::reader msgpack_from(helpers::as_bytes(msgpack_text), two);
        REQUIRE(msgpack_from.feed(nothing) == errc::syntax);
        CHECK(two.failure.path == printed);
        CHECK(read(printed) == p);
    }
}

TEST_CASE("steps that no projection compiles are read where they are asked for, and printed so that they are read back") {
    using kind = step::kind;
    const step members{kind::members, {}, 0}, descend{kind::descend, {}, 0}, name{kind::name, {}, 0};
    const auto last = [](std::uint64_t n) { return step{kind::from_end, {}, n}; };
    struct one {
        std::string_view text;
        path steps;
        std::string_view printed;
    };
    for (const auto& [text, steps, printed] : {
             one{"a[-1].b", {key("a"), last(1), key("b")}, "$.a[-1].b"},
             one{"[-12]", {last(12)}, "$[-12]"},
             one{"*", {members}, "$.*"},
             one{"*.a", {members, key("a")}, "$.*.a"},
             one{"a.*[0].*", {key("a"), members, index(0), members}, "$.a.*[0].*"},
             one{"$..a", {descend, key("a")}, "$..a"},
             one{"a..b.c", {key("a"), descend, key("b"), key("c")}, "$.a..b.c"},
             one{"$..[*]", {descend, each()}, "$..[*]"},
             one{"$..*", {descend, members}, "$..*"},
             one{"$..\"a b\"", {descend, key("a b")}, "$..[\"a b\"]"},
             one{"~", {name}, "$.~"},
             one{"a.*.~", {key("a"), members, name}, "$.a.*.~"},
             one{"[\"*\"].\"~\"", {key("*"), key("~")}, "$[\"*\"][\"~\"]"},
         }) {
        CAPTURE(text);
        path p;
        context ctx;
        REQUIRE(json::parse(text, p, ctx, json::path_steps::all) == errc::ok);
        CHECK(p == steps);
        CHECK(json::print(p) == printed);
        path again;
        REQUIRE(json::parse(json::print(p), again, ctx, json::path_steps::all) == errc::ok);
        CHECK(again == p);
    }
    for (const std::string_view text : {"a[-1]", "a.*", "*", "$..a", "a..b"}) refusal(text);
    struct wrong {
        std::string_view text;
        std::size_t at;
    };
    for (const auto& [text, at] : {wrong{"a[-0]", 3}, wrong{"a[-]", 3}, wrong{"a[-01]", 3}, wrong{"a..", 3}, wrong{"a...b", 3},
                                   wrong{"a.~", 2}, wrong{"*.~.b", 3}, wrong{"$..~", 3}}) {
        CAPTURE(text);
        path p;
        context ctx;
        CHECK(json::parse(text, p, ctx, json::path_steps::all) == errc::syntax);
        CHECK(ctx.failure.offset == at);
    }
}
