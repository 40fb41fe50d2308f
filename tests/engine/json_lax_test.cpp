// What a reader grants for Ruby's sake: broken text, odd escapes and half pairs, -0 as an integer, its comments, and
// empty containers that are no level of depth. Every case by both walks and by every kernel, and with the diagnosis of
// what is refused.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "engine/json/reader.hpp"
#include "engine/simd/dispatch.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;
using namespace helpers;

namespace {

/// The verbs as text, with the bytes of strings as they came: they may be no characters.
struct listener : null_sink {
    std::string said;
    errc note(std::string_view s) { return said.append(s).push_back(' '), errc::ok; }
    errc null() { return note("null"); }
    errc boolean(bool b) { return note(b ? "true" : "false"); }
    errc i64(std::int64_t n) { return note(std::to_string(n)); }
    errc f64(double x) { return note(x == 0 && std::signbit(x) ? "-0.0" : "double"); }
    errc big(text t) { return note("big:" + std::string(t.view())); }
    errc str(text t) {
        CHECK((t.charset == encoding::ascii || t.charset == encoding::utf8));
        if (t.charset == encoding::ascii)
            for (const char c : t.view()) CHECK(static_cast<unsigned char>(c) < 0x80);
        return note("'" + std::string(t.view()) + "'");
    }
    errc array(count) { return note("["); }
    errc map(count) { return note("{"); }
    errc key(text t) { return note("'" + std::string(t.view()) + "':"); }
    errc key(next_value) { return note("?"); }
    errc end() { return note("end"); }
};

std::string once(const std::string& document, const json::read_dialect& granted, std::size_t depth) {
    context ctx;
    ctx.limits.depth = depth;
    json::reader from(as_bytes(document), ctx, granted);
    listener to;
    const errc e = from.feed(to);
    if (e == errc::ok) return to.said;
    CHECK(ctx.failure.code == e);
    CHECK(ctx.failure.line != 0);
    // Were the diagnosis of another opinion than the walk, it would have found nothing and said this.
    CHECK(std::string(ctx.failure.what) != "the document is not valid JSON");
    return std::string("! ") + name(e);
}

std::string said(std::string_view document, const json::read_dialect& granted, std::size_t depth = 1024) {
    const std::string plain = once(std::string(document), granted, depth);
    const std::string before = simd::active().name;
    for (const simd::kernels* k : simd::available()) {
        simd::use(k->name);
        for (const std::size_t n : {300, 317, 320, 16384 - 1})
            CHECK_MESSAGE(once(std::string(n, ' ') + std::string(document), granted, depth) == plain, k->name, " ", n);
        CHECK(once(std::string(document) + std::string(300, ' '), granted, depth) == plain);
    }
    simd::use(before);
    return plain;
}

}  // namespace

TEST_CASE("bytes that are not UTF-8") {
    const json::read_dialect d{.comments = true, .any_bytes = true};
    CHECK(said("[\"\xFF\"]", d) == "[ '\xFF' end ");
    CHECK(said("{\"a\xED\xA0\x80\":\"\xC3\"}", d) == "{ 'a\xED\xA0\x80': '\xC3' end ");
    CHECK(said("[\"\xC3\\n\"]", d) == "[ '\xC3\n' end ");
    CHECK(said("[1/* \xFF */,// \xFE\n2]", d) == "[ 1 2 end ");
    for (const char* const s : {"[\xFF]", "[1\xFF]", "\xFF[1]", "[1]\xFF", "{\"a\"\xFF:1}"}) CHECK(said(s, d)[0] == '!');
    CHECK(said("[\"\xFF\"]", json::rfc8259) == "! encoding");
    CHECK(said("[\"\xFF]", d) == "! truncated");
}

TEST_CASE("unknown escapes") {
    const json::read_dialect d{.unknown_escapes = true};
    CHECK(said(R"(["\q\"\u0041\x41"])", d) == "[ 'q\"Ax41' end ");
    CHECK(said("[\"\\\xC3\xA9\"]", d) == "[ '\xC3\xA9' end ");
    CHECK(said("{\"\\k\":1}", d) == "{ 'k': 1 end ");
    for (const char* const s : {"[\"\\\n\"]", "[\"\\\x01\"]", R"(["\u12"])", R"(["\u12G4"])"}) CHECK(said(s, d) == "! syntax");
    CHECK(said("[\"\\", d) == "! truncated");
    CHECK(said(R"(["\q"])", json::rfc8259) == "! syntax");
    const json::read_dialect all{.control_characters = true, .unknown_escapes = true};
    CHECK(said("[\"\\\n\\\x01\"]", all) == "[ '\n\x01' end ");
    CHECK(said(std::string_view("[\"\\\0\"]", 6), all) == "! syntax");
}

TEST_CASE("half surrogate pairs") {
    const json::read_dialect low{.surrogates = json::lone_surrogates::low};
    const json::read_dialect greedy{.unknown_escapes = true, .surrogates = json::lone_surrogates::greedy};
    for (const json::read_dialect& d : {low, greedy}) {
        CHECK(said(R"(["\ud83d\ude00"])", d) == "[ '\xF0\x9F\x98\x80' end ");
        CHECK(said(R"(["\udc00x"])", d) == "[ '\xED\xB0\x80x' end ");
        CHECK(said(R"({"\udfff":1})", d) == "{ '\xED\xBF\xBF': 1 end ");
        for (const char* const s : {R"(["\ud800"])", R"(["\ud800x"])", R"(["\ud800abcde"])", R"(["\udc00\ud83d"])"})
            CHECK(said(s, d) == "! encoding");
    }
    for (const char* const s : {R"(["\ud800\u0041"])", R"(["\ud800abcdef"])", R"(["\ud83d\ud83d"])"})
        CHECK(said(s, low) == "! encoding");
    CHECK(said(R"(["\ud800\u0041"])", greedy) == "[ '\xF0\x90\x81\x81' end ");
    CHECK(said(R"(["\ud83d\ud83d"])", greedy) == "[ '\xF0\x9F\x90\xBD' end ");
    CHECK(said(R"(["\ud800\ud800\udc00"])", greedy) == "[ '\xF0\x90\x80\x80\xED\xB0\x80' end ");
    CHECK(said(R"(["\ud800abcdef"])", greedy) == "[ '?bcdef' end ");
    CHECK(said(R"(["\ud800\nabcd"])", greedy) == "[ '?nabcd' end ");
    CHECK(said(R"(["\ud800\"abcd"])", greedy) == "[ '?\"abcd' end ");
    CHECK(said(R"(["\ud800ab\n\t"])", greedy) == "[ '?b\n\t' end ");
    CHECK(said(R"(["\ud800\\u0041"])", greedy) == "[ '?A' end ");
    CHECK(said("[\"\\ud800\\\x01wxyz\"]", greedy) == "! syntax");
    CHECK(said(R"(["\ud800\u00zz"])", greedy) == "! syntax");
    // Only a character that may stand there is swallowed, and all of it.
    CHECK(said("[\"\\ud800\x1Cu0041\"]", greedy) == "! syntax");
    CHECK(said("[\"\\ud800\xE2\x82\xAC"
               "abc\\q\x01\"]",
               greedy) == "! syntax");
}

TEST_CASE("half surrogate pairs beside bytes that are not UTF-8") {
    const json::read_dialect d{.any_bytes = true, .surrogates = json::lone_surrogates::keep};
    CHECK(said("[\"\xE4\\udc00\"]", d) == "[ '\xE4\xED\xB0\x80' end ");
    CHECK(said("[\"\\ud800\\ud83d\\ude00\xFF\"]", d) == "[ '\xED\xA0\x80\xF0\x9F\x98\x80\xFF' end ");
}

TEST_CASE("a number that is refused is an earlier fault than what stands behind it") {
    for (const char* const s : {"[1e400x]", "[-1e400\"\"]", "[1e400 x]", "[1e400"}) CHECK(said(s, json::doubles) == "! range");
    CHECK(said("[1e308x]", json::doubles) == "! syntax");
}

TEST_CASE("-0 as an integer") {
    const json::read_dialect d{.integer_zero = true};
    CHECK(said("[-0,0,-0.0,-0e1,-1]", d) == "[ 0 0 -0.0 -0.0 -1 end ");
    CHECK(said("-0", d) == "0 ");
    CHECK(said("[-0]", json::rfc8259) == "[ -0.0 end ");
    const json::read_dialect digits{.decimal_digits = true, .integer_zero = true};
    CHECK(said("[-0,-0.0,1.5,7]", digits) == "[ 0 big:-0.0 big:1.5 7 end ");
    CHECK(said("[-0,-0.0,10]", json::exact_decimals) == "[ -0.0 big:-0.0 10 end ");
}

TEST_CASE("line comments") {
    const json::read_dialect any{.comments = true};
    const json::read_dialect feed{.comments = true, .line_end = json::line_comments::line_feed};
    const json::read_dialect closed{.comments = true, .line_end = json::line_comments::closed};
    CHECK(said("[1 // a\r]", any) == "[ 1 end ");
    for (const json::read_dialect& d : {feed, closed}) {
        CHECK(said("[1 // a\r2]", d) == "! truncated");
        CHECK(said("[1 // a\r2\n]", d) == "[ 1 end ");
        CHECK(said("[1] // a\n", d) == "[ 1 end ");
    }
    CHECK(said("[1] // a", any) == "[ 1 end ");
    CHECK(said("[1] // a", feed) == "[ 1 end ");
    CHECK(said("[1] // a\r", feed) == "[ 1 end ");
    CHECK(said("[1]\n//", closed) == "! truncated");
    // Keys that come twice are looked for in the same text.
    json::read_dialect unique = feed;
    unique.duplicates = json::duplicate_keys::error;
    CHECK(said("{\"a\":1 // \r,\"a\":2\n}", unique) == "{ 'a': 1 end ");
    CHECK(said("{\"a\":1 // \n,\"a\":2\n}", unique) == "! duplicate");
}

TEST_CASE("empty containers that are no level") {
    const json::read_dialect d{.comments = true, .flat_empty = true};
    CHECK(said("[[[]]]", d, 2) == "[ [ [ end end end ");
    CHECK(said("[[{ \n}]]", d, 2) == "[ [ { end end end ");
    CHECK(said("{\"a\":{\"b\":[/**/]}}", d, 2) == "{ 'a': { 'b': [ end end end ");
    for (const char* const s : {"[[[1]]]", "[[[[]]]]", "[[{\"a\":1}]]", "[[["}) CHECK(said(s, d, 2) == "! depth");
    CHECK(said("[[[/*]]]", d, 2) == "! truncated");
    CHECK(said("[[[]]]", json::rfc8259, 2) == "! depth");
    CHECK(said("[]", d, 0) == "[ end ");
    CHECK(said("[1]", d, 0) == "! depth");
}

TEST_CASE("an attempt leaves the reason to be asked for") {
    context ctx;
    json::reader from(as_bytes("[1,\n tru]"), ctx);
    null_sink to;
    const errc e = from.attempt(to);
    CHECK(e == errc::syntax);
    CHECK(ctx.failure.code == errc::ok);
    CHECK(from.explain(e) == errc::syntax);
    CHECK(ctx.failure.line == 2);
    CHECK(ctx.failure.path == "$[1]");
}
