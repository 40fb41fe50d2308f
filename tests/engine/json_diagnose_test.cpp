// What is said about broken documents: code, offset, line, column, path, sentence.
#include <doctest/doctest.h>

#include <string>

#include "engine/json/diagnose.hpp"
#include "engine/json/locate.hpp"
#include "engine/json/reader.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;
using namespace helpers;

namespace {

/// "code offset line:column path: sentence", by the reader; the diagnosis alone must say the same.
std::string said(std::string_view document, const json::read_dialect& granted = json::rfc8259) {
    const auto line = [](const failure& f) {
        return std::string(name(f.code)) + " " + std::to_string(f.offset) + " " + std::to_string(f.line) + ":" +
               std::to_string(f.column) + " " + f.path + ": " + f.what;
    };
    context ctx;
    json::reader from(as_bytes(document), ctx, granted);
    null_sink nowhere;
    if (from.feed(nowhere) == errc::ok) return "ok";
    context again;
    CHECK(json::diagnose(as_bytes(document), again, granted) == ctx.failure.code);
    CHECK(line(again.failure) == line(ctx.failure));
    return line(ctx.failure);
}

}  // namespace

TEST_CASE("places") {
    const std::string text = "ab\ncd\r\nef\rg";
    const auto at = [&](std::size_t i) {
        const json::place p = json::locate(as_bytes(text), i);
        return std::to_string(p.line) + ":" + std::to_string(p.column);
    };
    CHECK(at(0) == "1:1");
    CHECK(at(2) == "1:3");
    CHECK(at(3) == "2:1");
    CHECK(at(6) == "2:4");
    CHECK(at(7) == "3:1");
    CHECK(at(9) == "3:3");
    CHECK(at(10) == "4:1");
    CHECK(at(11) == "4:2");
    CHECK(at(99) == "4:2");
    CHECK(json::locate({}, 5).line == 1);
}

TEST_CASE("every sentence") {
    CHECK(said("") == "truncated 0 1:1 $: the document is empty");
    CHECK(said(" \n ") == "truncated 3 2:2 $: the document is empty");
    CHECK(said("\xEF\xBB\xBF{}") == "syntax 0 1:1 $: a byte order mark before the document: remove these three bytes");
    CHECK(said(std::string_view("[\0]\0", 4)) == "encoding 0 1:1 $: this looks like UTF-16 or UTF-32: JSON is UTF-8");
    CHECK(said("\xFF\xFE[\x01") == "encoding 0 1:1 $: this looks like UTF-16 or UTF-32: JSON is UTF-8");
    CHECK(said("[1") == "truncated 2 1:3 $[0]: the document ends inside an array");
    CHECK(said("[") == "truncated 1 1:2 $[0]: the document ends inside an array");
    CHECK(said("[1,") == "truncated 3 1:4 $[1]: the document ends where a value was expected");
    CHECK(said("{\"a\":1") == "truncated 6 1:7 $.a: the document ends inside an object");
    CHECK(said("{") == "truncated 1 1:2 $: the document ends inside an object");
    CHECK(said("{\"a\"") == "truncated 4 1:5 $.a: the document ends after a key");
    CHECK(said("{\"a\":") == "truncated 5 1:6 $.a: the document ends where a value was expected");
    CHECK(said("[\"abc") == "truncated 1 1:2 $[0]: a string is not closed");
    CHECK(said("[\"abc\\") == "truncated 1 1:2 $[0]: a string is not closed");
    CHECK(said("[\"abc\\u00") == "truncated 1 1:2 $[0]: a string is not closed");
    CHECK(said("tru") == "truncated 3 1:4 $: the document ends inside a word");
    CHECK(said("-") == "truncated 1 1:2 $: the document ends inside a number");
    CHECK(said("1.") == "truncated 2 1:3 $: the document ends inside a number");
    CHECK(said("1e") == "truncated 2 1:3 $: the document ends inside a number");
    CHECK(said("[1]]") == "trailing 3 1:4 $: a closing bracket that nothing opened");
    CHECK(said("[1],") == "trailing 3 1:4 $: a comma after the document");
    CHECK(said("[1]2") == "trailing 3 1:4 $: something follows the document");
    CHECK(said("{\n  \"asks\": [[1, 2x]]\n}") == "syntax 18 2:17 $.asks[0][1]: a character that does not belong in a number");
    CHECK(said("[1,\n 2\n 3]") == "syntax 8 3:2 $[1]: ',' or ']' was expected after a value");
    CHECK(said("{\"a\":1 \"b\":2}") == "syntax 7 1:8 $.a: ',' or '}' was expected after a value");
    CHECK(said("{\"a\" 1}") == "syntax 5 1:6 $.a: ':' was expected after a key");
    CHECK(said("{1:2}") == "syntax 1 1:2 $: a key in double quotes was expected");
    CHECK(said("{'a':2}") == "syntax 1 1:2 $: a single quote: keys are written in double quotes");
    CHECK(said("['a']") == "syntax 1 1:2 $[0]: a single quote: strings are written in double quotes");
    CHECK(said("[1,]") == "syntax 3 1:4 $[1]: a trailing comma before ']'");
    CHECK(said("{\"a\":1,}") == "syntax 7 1:8 $.a: a trailing comma before '}'");
    CHECK(said("[,1]") == "syntax 1 1:2 $[0]: a value is missing before the comma");
    CHECK(said("{\"a\":}") == "syntax 5 1:6 $.a: the value of a key is missing");
    CHECK(said("[1}") == "syntax 2 1:3 $[0]: '[' is closed by '}'");
    CHECK(said("{\"a\":1]") == "syntax 6 1:7 $.a: '{' is closed by ']'");
    CHECK(said("[01]") == "syntax 2 1:3 $[0]: a number cannot start with 0 and another digit");
    CHECK(said("[+1]") == "syntax 1 1:2 $[0]: a number cannot start with '+'");
    CHECK(said("[.5]") == "syntax 1 1:2 $[0]: a number cannot start with '.': write 0 before it");
    CHECK(said("[-x]") == "syntax 2 1:3 $[0]: a number needs a digit after its sign");
    CHECK(said("[1.x]") == "syntax 3 1:4 $[0]: a number needs a digit after its point");
    CHECK(said("[1ex]") == "syntax 3 1:4 $[0]: a number needs a digit in its exponent");
    CHECK(said("[0x10]") == "syntax 2 1:3 $[0]: a hexadecimal number: JSON has decimal numbers only");
    CHECK(said("[NaN]") == "syntax 1 1:2 $[0]: a word that JSON does not have: there is no NaN and no Infinity");
    CHECK(said("[-Infinity]") == "syntax 2 1:3 $[0]: a word that JSON does not have: there is no NaN and no Infinity");
    CHECK(said("[True]") == "syntax 1 1:2 $[0]: a word that is not true, false or null: text needs double quotes");
    CHECK(said("[nulls]") == "syntax 1 1:2 $[0]: a word that is not true, false or null: text needs double quotes");
    CHECK(said("[*]") == "syntax 1 1:2 $[0]: a value was expected");
    CHECK(said("[1 // x\n]") == "syntax 3 1:4 $[0]: a comment: JSON has none");
    CHECK(said("[1 /* x ]", {.comments = true}) == "truncated 3 1:4 $[0]: a comment is not closed");
    CHECK(said("[\"a\tb\"]") == "syntax 3 1:4 $[0]: a control character inside a string: write it as \\u00XX");
    CHECK(said("[\"a\nb\"]") == "syntax 3 1:4 $[0]: a line break inside a string: close the string or write \\n");
    CHECK(said("[\x01]") == "syntax 1 1:2 $[0]: a control character outside a string");
    CHECK(said(std::string_view("[\0]", 3)) == "syntax 1 1:2 $[0]: a zero byte outside a string");
    CHECK(said("[\"\\x41\"]") ==
          "syntax 2 1:3 $[0]: an unknown escape: JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX");
    CHECK(said("[\"\\u12g4\"]") == "syntax 2 1:3 $[0]: \\u needs four hexadecimal digits");
    CHECK(said("[\"\\ud800\"]") ==
          "encoding 2 1:3 $[0]: an escape for half a surrogate pair: U+D800 to U+DFFF are no characters");
    CHECK(said("[\"a\xFFz\"]") == "encoding 3 1:4 $[0]: a byte that is not valid UTF-8");
    CHECK(said("[\xC3\xA9]") == "syntax 1 1:2 $[0]: a value was expected");
    CHECK(said("[\x80]") == "encoding 1 1:2 $[0]: a byte that is not valid UTF-8");
    CHECK(said("{\"a\":1,\"a\":2}", json::unique_keys) == "duplicate 7 1:8 $: a key that this object has already");
    CHECK(said("{\"a b\":{\"x.y\":{\"\":[0,{\"\\u0061\":!}]}}}") ==
          "syntax 31 1:32 $[\"a b\"][\"x.y\"][\"\"][1].a: a value was expected");
}

TEST_CASE("limits") {
    context ctx;
    ctx.limits.depth = 2;
    CHECK(json::diagnose(as_bytes("[{\"a\":[1]}]"), ctx) == errc::depth);
    CHECK(ctx.failure.offset == 6);
    CHECK(ctx.failure.path == "$[0].a");
    CHECK(std::string(ctx.failure.what) == "nested deeper than the depth limit");
    ctx.clear();
    ctx.limits.size = 3;
    CHECK(json::diagnose(as_bytes("[1,2]"), ctx) == errc::size);
    CHECK(std::string(ctx.failure.what) == "the document is larger than the size limit");
}

TEST_CASE("a sound document leaves the context alone") {
    context ctx;
    CHECK(json::diagnose(as_bytes(" {\"a\":[1,2.5,\"\\u00e9\",true,null,{}]} "), ctx) == errc::ok);
    CHECK(ctx.failure.code == errc::ok);
    CHECK(json::diagnose(as_bytes("[1] [2"), ctx, json::rfc8259, json::extent::first) == errc::ok);
    CHECK(json::diagnose(as_bytes("[1] [2"), ctx, json::rfc8259, json::extent::first, 4) == errc::truncated);
    CHECK(ctx.failure.offset == 6);
}

TEST_CASE("a hostile document costs no more than its size") {
    std::string deep(200000, '[');
    context ctx;
    ctx.limits.depth = 1000000;
    CHECK(json::diagnose(as_bytes(deep), ctx) == errc::truncated);
    // And says no more than a person can read.
    std::string begins = "$", ends;
    while (begins.size() < 120) begins += "[0]";
    while (ends.size() < 60) ends += "[0]";
    CHECK(ctx.failure.path == begins.substr(0, 120) + "..." + ends);
    std::string keys = "{";
    for (int i = 0; i < 20000; ++i) keys += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":0";
    keys += ",\"k19999\":1}";
    ctx.clear();
    CHECK(json::diagnose(as_bytes(keys), ctx, json::unique_keys) == errc::duplicate);
}
