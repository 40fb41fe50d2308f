// The trace notation is law for every host: what it writes is fixed here line by line, and reads back to the same
// verbs.
#include "engine/core/trace.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/engine/helpers.hpp"

using namespace kumihimo;
using namespace helpers;

namespace {

/// What `send` gives as a trace; an error as "error <code>".
template <class F>
std::string lines(F send, trace_dialect as = {}) {
    buffer out;
    context ctx;
    trace_sink to(out, ctx, as);
    const errc code = send(to);
    if (code != errc::ok) return std::string("error ") + name(code);
    return std::string(to.view());
}

std::string str(std::string_view s, encoding as = encoding::utf8) {
    return lines([&](trace_sink& k) { return k.str({s, as}); });
}
std::string str16(std::u16string_view s) {
    return lines([&](trace_sink& k) { return k.str({s.data(), s.size(), encoding::utf16}); });
}
std::string f64(double x) {
    return lines([&](trace_sink& k) { return k.f64(x); });
}
std::string back(std::string_view trace) {
    context ctx;
    trace_source from(trace, ctx);
    return helpers::trace(from, ctx);
}

}  // namespace

TEST_CASE("every scalar verb is one line") {
    CHECK(lines([](auto& k) { return k.null(); }) == "null\n");
    CHECK(lines([](auto& k) { return k.boolean(true); }) == "boolean true\n");
    CHECK(lines([](auto& k) { return k.boolean(false); }) == "boolean false\n");
    CHECK(lines([](auto& k) { return k.i64(INT64_MIN); }) == "i64 -9223372036854775808\n");
    CHECK(lines([](auto& k) { return k.u64(UINT64_MAX); }) == "u64 18446744073709551615\n");
    CHECK(lines([](auto& k) { return k.big({"1e400", encoding::ascii}); }) == "big 1e400\n");
    CHECK(lines([](auto& k) { return k.bin(as_bytes(std::string_view("\0\xff", 2))); }) == "bin 0x00ff\n");
    CHECK(lines([](auto& k) { return k.bin({}); }) == "bin 0x\n");
    CHECK(lines([](auto& k) { return k.ext(-5, as_bytes("a")); }) == "ext -5 0x61\n");
    CHECK(lines([](auto& k) {
              return k.time({-1, 500000000, 32400, instant::kind::offset});
          }) == "time offset -1 500000000 32400\n");
    CHECK(lines([](auto& k) { return k.time({1, 0, 0, instant::kind::utc}); }) == "time utc 1 0 0\n");
    CHECK(lines([](auto& k) { return k.time({1, 0, 0, instant::kind::local}); }) == "time local 1 0 0\n");
    CHECK(lines([](auto& k) { return k.time({1, 0, 0, instant::kind::date}); }) == "time date 1 0 0\n");
    CHECK(lines([](auto& k) { return k.time({1, 0, 0, instant::kind::naive}); }) == "time naive 1 0 0\n");
}

TEST_CASE("text is ASCII with escapes, whatever encoding it came in") {
    CHECK(str("") == "str \"\"\n");
    CHECK(str("a b~") == "str \"a b~\"\n");
    CHECK(str("\"\\") == "str \"\\\"\\\\\"\n");
    CHECK(str(std::string_view("\0\n\x7f", 3)) == "str \"\\u{0}\\u{a}\\u{7f}\"\n");
    CHECK(str("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") == "str \"caf\\u{e9} \\u{20ac} \\u{1f600}\"\n");
    CHECK(str("caf\xe9", encoding::latin1) == "str \"caf\\u{e9}\"\n");
    CHECK(str16(u"caf\u00e9 \U0001f600") == "str \"caf\\u{e9} \\u{1f600}\"\n");
}

TEST_CASE("text that is broken shows its bytes") {
    CHECK(str("a\xff"
              "b") == "str \"a\\xffb\"\n");
    CHECK(str("\xe2\x82") == "str \"\\xe2\\x82\"\n");
    CHECK(str("\xed\xa0\x80") == "str \"\\xed\\xa0\\x80\"\n");
    CHECK(str("\xc0\x80\xf4\x90\x80\x80") == "str \"\\xc0\\x80\\xf4\\x90\\x80\\x80\"\n");
    const char16_t half[] = {u'a', 0xd800, u'b', 0xdc00};
    CHECK(str16({half, 4}) == "str \"a\\xed\\xa0\\x80b\\xed\\xb0\\x80\"\n");
}

TEST_CASE("doubles are their bits, and ECMAScript's text for the eye") {
    CHECK(f64(1.5) == "f64 0x3ff8000000000000 1.5\n");
    CHECK(f64(0.0) == "f64 0x0000000000000000 0\n");
    CHECK(f64(-0.0) == "f64 0x8000000000000000 -0\n");
    CHECK(f64(100) == "f64 0x4059000000000000 100\n");
    CHECK(f64(1e21) == "f64 0x444b1ae4d6e2ef50 1e+21\n");
    CHECK(f64(123456789012345680000.0) == "f64 0x441ac53a7e04bcda 123456789012345680000\n");
    CHECK(f64(0.000001) == "f64 0x3eb0c6f7a0b5ed8d 0.000001\n");
    CHECK(f64(0.00000012) == "f64 0x3e801b2b29a4692b 1.2e-7\n");
    CHECK(f64(-1.25e-300) == "f64 0x81aac9a7b3b7302f -1.25e-300\n");
    CHECK(f64(5e-324) == "f64 0x0000000000000001 5e-324\n");
    CHECK(f64(1.7976931348623157e308) == "f64 0x7fefffffffffffff 1.7976931348623157e+308\n");
    CHECK(f64(std::numeric_limits<double>::infinity()) == "f64 0x7ff0000000000000 inf\n");
    CHECK(f64(-std::numeric_limits<double>::infinity()) == "f64 0xfff0000000000000 -inf\n");
    CHECK(f64(std::nan("7")) == "f64 0x7ff8000000000000 nan\n");
    CHECK(f64(-std::nan("")) == "f64 0x7ff8000000000000 nan\n");
}

TEST_CASE("containers, counts and keys") {
    const auto send = [](trace_sink& k) {
        KUMIHIMO_TRY(k.map({2}));
        KUMIHIMO_TRY(k.key(text("a")));
        KUMIHIMO_TRY(k.array({}));
        KUMIHIMO_TRY(k.end());
        KUMIHIMO_TRY(k.key(next_value{}));
        KUMIHIMO_TRY(k.i64(7));
        KUMIHIMO_TRY(k.null());
        return k.end();
    };
    CHECK(lines(send) == "map 2\nkey \"a\"\narray\nend\nkey\ni64 7\nnull\nend\n");
    CHECK(lines(send, {.counts = false}) == "map\nkey \"a\"\narray\nend\nkey\ni64 7\nnull\nend\n");
}

TEST_CASE("verbs in a wrong order are misuse") {
    CHECK(lines([](auto& k) { return k.end(); }) == "error misuse");
    CHECK(lines([](auto& k) { return k.key(text("a")); }) == "error misuse");
    CHECK(lines([](auto& k) { return k.null(), k.null(); }) == "error misuse");
    CHECK(lines([](auto& k) { return k.map({}), k.null(); }) == "error misuse");
    CHECK(lines([](auto& k) { return k.array({}), k.key(text("a")); }) == "error misuse");
    CHECK(lines([](auto& k) { return k.array({}), k.key(next_value{}); }) == "error misuse");
    CHECK(lines([](auto& k) { return k.map({}), k.key(text("a")), k.key(text("b")); }) == "error misuse");
    CHECK(lines([](auto& k) { return k.map({}), k.key(text("a")), k.end(); }) == "error misuse");
    CHECK(lines([](auto& k) { return k.map({}), k.key(next_value{}), k.key(text("b")); }) == "error misuse");
    CHECK(lines([](auto& k) { return k.map({}), k.key(next_value{}), k.end(); }) == "error misuse");
    CHECK(lines([](auto& k) { return k.map({1}), k.end(); }) == "error misuse");
    CHECK(lines([](auto& k) { return k.map({0}), k.key(text("a")); }) == "error misuse");
    CHECK(lines([](auto& k) { return k.array({1}), k.null(), k.null(); }) == "error misuse");
    CHECK(lines([](auto& k) { return k.array({2}), k.null(), k.end(); }) == "error misuse");

    buffer out;
    context ctx;
    trace_sink to(out, ctx);
    bytes b;
    CHECK(to.finish(b) == errc::misuse);
}

TEST_CASE("nesting is limited, not recursive") {
    buffer out;
    context ctx;
    ctx.limits.depth = 3;
    trace_sink to(out, ctx);
    for (int i = 0; i < 3; ++i) CHECK(to.array({}) == errc::ok);
    CHECK(to.array({}) == errc::depth);
}

TEST_CASE("a trace reads back to the same trace") {
    for (const std::string_view t :
         {"null\n", "boolean true\n", "i64 -5\n", "u64 9223372036854775808\n", "f64 0x3ff8000000000000 1.5\n", "big 1e400\n",
          "str \"a\\\"\\\\\\u{1f600}\\u{0}\\xff\"\n", "bin 0x00ff\n", "bin 0x\n", "ext -1 0x\n", "ext 127 0x0102\n",
          "time local -62135596800 999999999 -3600\n", "array 0\nend\n", "array\nend\n",
          "map 2\nkey \"a\"\nmap\nend\nkey\narray 1\nnull\nend\nstr \"b\"\nend\n"}) {
        CHECK(back(t) == t);
    }
}

TEST_CASE("random doubles: the text says the bits") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 200000; ++i) {
        const auto x = std::bit_cast<double>(random());
        if (!std::isfinite(x)) continue;
        char d[32];
        char* const e = trace_text::number(d, x);
        REQUIRE(e - d <= 25);
        double y = 0;
        REQUIRE(std::from_chars(d, e, y).ptr == e);
        REQUIRE(std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y));
    }
}

TEST_CASE("a broken trace names its line") {
    const auto fails = [](std::string_view t) {
        context ctx;
        trace_source from(t, ctx);
        null_sink nothing;
        const errc code = from.feed(nothing);
        return std::string(name(code)) + " " + std::to_string(ctx.failure.line);
    };
    CHECK(fails("") == "truncated 0");
    CHECK(fails("null") == "truncated 0");
    CHECK(fails("array\nnull\n") == "truncated 2");
    CHECK(fails("null\nnull\n") == "trailing 1");
    for (const std::string_view line : {"nul",
                                        "null ",
                                        "boolean",
                                        "boolean yes",
                                        "i64",
                                        "i64 ",
                                        "i64 1 ",
                                        "i64 9223372036854775808",
                                        "u64 -1",
                                        "f64 1.5",
                                        "f64 0x3ff800000000000 1.5",
                                        "f64 0x3ff8000000000000",
                                        "f64 0xX000000000000000 0",
                                        "big",
                                        "big ",
                                        "str",
                                        "str a",
                                        "str \"",
                                        "str \"\"\"",
                                        "str \"\\\"",
                                        "str \"\\n\"",
                                        "str \"\\u{}\"",
                                        "str \"\\u{d800}\"",
                                        "str \"\\u{110000}\"",
                                        "str \"\\u{41\"",
                                        "str \"\\xf\"",
                                        "str \"\\xFF\"",
                                        "str \"\x80\"",
                                        "bin",
                                        "bin 00",
                                        "bin 0x0",
                                        "bin 0xgg",
                                        "ext 0x00",
                                        "ext 1",
                                        "ext 1  0x00",
                                        "time",
                                        "time utc",
                                        "time utc 1 2",
                                        "time zulu 1 2 3",
                                        "time utc 1 2 3 4",
                                        "array -1",
                                        "array x",
                                        "array 1 ",
                                        "map  ",
                                        "whatever",
                                        "i64 007",
                                        "str \"\\u{E9}\"",
                                        "str \"\\u{0e9}\"",
                                        "str \"\\u{00}\"",
                                        "str \"\\u{41}\"",
                                        "i64 -0",
                                        "f64 0x3FF8000000000000 1.5",
                                        "",
                                        " null",
                                        "NULL"}) {
        CAPTURE(line);
        const std::string whole = "array\nnull\n" + std::string(line) + "\nend\n";
        CHECK(fails(whole) == "syntax 3");
    }
    CHECK(fails("array\nend 1\n") == "syntax 2");
}
