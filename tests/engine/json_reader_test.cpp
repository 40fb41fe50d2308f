// The JSON reader: both walks, every kernel, every dialect.
#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/json/reader.hpp"
#include "engine/simd/dispatch.hpp"
#include "tests/engine/helpers.hpp"
#include "tests/guarded.hpp"

using namespace kumihimo;
using namespace helpers;

namespace {

/// The document's trace, one line, verbs joined by a space.
std::string flat(std::string_view document, const json::read_dialect& granted = json::rfc8259, std::size_t depth = 1024) {
    context ctx;
    ctx.limits.depth = depth;
    json::reader from(as_bytes(document), ctx, granted);
    std::string t = trace(from, ctx);
    for (char& c : t)
        if (c == '\n') c = ' ';
    while (!t.empty() && t.back() == ' ') t.pop_back();
    return t;
}

/// The same document read by each walk of each kernel: white space in front makes it large enough for an index, at
/// every distance from the border of a block. All must agree; this is what they say.
std::string everywhere(std::string_view document, const json::read_dialect& granted = json::rfc8259) {
    const std::string plain = flat(document, granted);
    const std::string before = simd::active().name;
    for (const simd::kernels* k : simd::available()) {
        simd::use(k->name);
        for (const std::size_t n : {300, 301, 317, 319, 320, 321, 16384 - 1, 16384 + 1}) {
            const std::string padded = std::string(n, ' ') + std::string(document);
            context ctx;
            json::reader from(as_bytes(padded), ctx, granted);
            std::string t = trace(from, ctx);
            if (t.starts_with("error") && ctx.failure.offset != failure::nowhere) {
                // The same error, `n` bytes later.
                context again;
                json::reader short_one(as_bytes(document), again, granted);
                null_sink nowhere;
                CHECK(short_one.feed(nowhere) == ctx.failure.code);
                CHECK(again.failure.offset + n == ctx.failure.offset);
                CHECK(std::string(again.failure.what) == ctx.failure.what);
                CHECK(again.failure.path == ctx.failure.path);
            } else {
                for (char& c : t)
                    if (c == '\n') c = ' ';
                while (!t.empty() && t.back() == ' ') t.pop_back();
                CHECK_MESSAGE(t == plain, k->name, " ", n);
            }
        }
    }
    simd::use(before);
    return plain;
}

std::string code(std::string_view document, const json::read_dialect& granted = json::rfc8259) {
    const std::string t = everywhere(document, granted);
    if (!t.starts_with("error ")) return "ok";
    const std::size_t e = t.find_first_of(" :", 6);
    return t.substr(6, e - 6);
}

}  // namespace

TEST_CASE("every kind of value") {
    CHECK(everywhere("null") == "null");
    CHECK(everywhere("[true,false,null]") == "array boolean true boolean false null end");
    CHECK(everywhere(R"({"a":{"b":[{}, [], ""]}})") == R"(map key "a" map key "b" array map end array end str "" end end end)");
    CHECK(everywhere(" [ 1 , 2 ] ") == "array i64 1 i64 2 end");
    CHECK(everywhere("\t\r\n{ \"a\"\n:\t1\r}\n") == "map key \"a\" i64 1 end");
    CHECK(everywhere("\"a\"") == "str \"a\"");
    CHECK(everywhere(R"({"a":1,"a":2})") == R"(map key "a" i64 1 key "a" i64 2 end)");
}

TEST_CASE("numbers keep their width") {
    const auto one = [](std::string_view digits) {
        const std::string root = everywhere(digits);
        const std::string inside = everywhere("[" + std::string(digits) + "]");
        CHECK(inside == "array " + root + " end");
        return root;
    };
    CHECK(one("0") == "i64 0");
    CHECK(one("-1") == "i64 -1");
    CHECK(one("9223372036854775807") == "i64 9223372036854775807");
    CHECK(one("9223372036854775808") == "u64 9223372036854775808");
    CHECK(one("18446744073709551615") == "u64 18446744073709551615");
    CHECK(one("18446744073709551616") == "big 18446744073709551616");
    CHECK(one("99999999999999999999") == "big 99999999999999999999");
    CHECK(one("100000000000000000000") == "big 100000000000000000000");
    CHECK(one("-9223372036854775808") == "i64 -9223372036854775808");
    CHECK(one("-9223372036854775809") == "big -9223372036854775809");
    CHECK(one("-18446744073709551615") == "big -18446744073709551615");
    CHECK(one("10000000000000000000") == "u64 10000000000000000000");
    CHECK(one("1000000000000000000") == "i64 1000000000000000000");
    CHECK(one("-0") == "f64 0x8000000000000000 -0");
    CHECK(one("0.0") == "f64 0x0000000000000000 0");
    CHECK(one("-0.0") == "f64 0x8000000000000000 -0");
    CHECK(one("0e0") == "f64 0x0000000000000000 0");
    CHECK(one("0e999999999999999999999") == "f64 0x0000000000000000 0");
    CHECK(one("1e2") == "f64 0x4059000000000000 100");
    CHECK(one("1E+2") == "f64 0x4059000000000000 100");
    CHECK(one("1.5e-1") == "f64 0x3fc3333333333333 0.15");
    CHECK(one("0.1") == "f64 0x3fb999999999999a 0.1");
    CHECK(one("0.000000000000000000000000000001") == "f64 0x39b4484bfeebc2a0 1e-30");
    CHECK(one("123456789.123456789012345678901234567890") == "f64 0x419d6f34547e6b75 123456789.12345679");
    CHECK(one("1.7976931348623157e308") == "f64 0x7fefffffffffffff 1.7976931348623157e+308");
    CHECK(one("1.7976931348623158e308") == "f64 0x7fefffffffffffff 1.7976931348623157e+308");
    CHECK(one("1.7976931348623159e308") == "big 1.7976931348623159e308");
    CHECK(one("1e400") == "big 1e400");
    CHECK(one("-1e400") == "big -1e400");
    CHECK(one("1e-400") == "f64 0x0000000000000000 0");
    CHECK(one("-1e-400") == "f64 0x8000000000000000 -0");
    CHECK(one("5e-324") == "f64 0x0000000000000001 5e-324");
    CHECK(one("2.4703282292062328e-324") == "f64 0x0000000000000001 5e-324");
    CHECK(one("2.4703282292062327e-324") == "f64 0x0000000000000000 0");
    // 2^-1075 exactly is half way between nothing and the least double: to even, down.
    CHECK(one("1e99999999999999999999") == "big 1e99999999999999999999");
    CHECK(one("1e-99999999999999999999") == "f64 0x0000000000000000 0");
    CHECK(one("0." + std::string(400, '0') + "1e401") == "f64 0x3ff0000000000000 1");
    CHECK(one("1" + std::string(400, '0') + "e-400") == "f64 0x3ff0000000000000 1");
    CHECK(one("9007199254740993.0") == "f64 0x4340000000000000 9007199254740992");
    CHECK(one("9007199254740993.00000000000000000000000000000000001") == "f64 0x4340000000000001 9007199254740994");
}

TEST_CASE("numbers that are none") {
    for (const char* const d :
         {"01",  "-",  "-a", "1.",   ".5",   "1.e3",     "1e",  "1e+",       "+1",  "0x1", "1_0",   "--1",   "1.2.3", "1e5.5",
          "-01", "00", "1a", "1.5a", "1e5a", "Infinity", "NaN", "-Infinity", "1 2", "- 1", "1\"\"", "1true", "true1"}) {
        CAPTURE(d);
        CHECK(code(d) != "ok");
        CHECK(code("[" + std::string(d) + "]") != "ok");
        CHECK(code("{\"a\":" + std::string(d) + "}") != "ok");
        CHECK(code("[1," + std::string(d)) != "ok");
    }
}

TEST_CASE("strings, keys, and what is known about them") {
    CHECK(everywhere(R"(["\"\\\/\b\f\n\r\t"])") == R"(array str "\"\\/\u{8}\u{c}\u{a}\u{d}\u{9}" end)");
    CHECK(everywhere(R"(["\u0041\u00e9\u20AC\ud834\udd1e"])") == R"(array str "A\u{e9}\u{20ac}\u{1d11e}" end)");
    CHECK(everywhere("[\"caf\xC3\xA9\"]") == R"(array str "caf\u{e9}" end)");
    CHECK(everywhere(R"({"\u0061":1})") == R"(map key "a" i64 1 end)");
    CHECK(everywhere("[\"\\u0000\"]") == R"(array str "\u{0}" end)");

    // ascii is said of strings that are, by both walks.
    struct watcher : null_sink {
        std::vector<encoding> seen;
        errc str(text t) { return seen.push_back(t.charset), errc::ok; }
        errc key(text t) { return seen.push_back(t.charset), errc::ok; }
        errc key(next_value) { return errc::ok; }
    };
    const std::string document = "{\"abc\":\"\xC3\xA9\",\"\xC3\xA9\":\"x\",\"d\":[\"\\u00e9\",\"\\u0041\",\"\",\"" +
                                 std::string(200, 'y') + "\",\"" + std::string(100, 'y') + "\xE2\x82\xAC" +
                                 std::string(100, 'y') + "\",\"z\"]}";
    using e = encoding;
    const std::vector<e> expected{e::ascii, e::utf8,  e::utf8,  e::ascii, e::ascii, e::utf8,
                                  e::ascii, e::ascii, e::ascii, e::utf8,  e::ascii};
    for (const simd::kernels* k : simd::available()) {
        simd::use(k->name);
        for (const std::size_t n : {0, 500}) {
            const std::string padded = std::string(n, ' ') + document;
            context ctx;
            json::reader from(as_bytes(padded), ctx);
            watcher w;
            CHECK(from.feed(w) == errc::ok);
            CHECK(w.seen == expected);
        }
    }
}

TEST_CASE("every string length, with an escape or something beyond ASCII at every place, across every border") {
    for (const simd::kernels* k : simd::available()) {
        simd::use(k->name);
        for (std::size_t length = 0; length < 150; ++length) {
            std::string document(300, ' ');
            document += '[';
            std::string expected = "array\n";
            for (std::size_t at = 0; at <= length; at += 1 + length / 12) {
                for (const int what : {0, 1, 2, 3}) {
                    std::string body(length, 'a'), meant = body;
                    if (at < length) {
                        const char* const raw[] = {"a", "\\n", "\xC3\xA9", "\\\\"};
                        const char* const said[] = {"a", "\\u{a}", "\\u{e9}", "\\\\"};
                        body.replace(at, 1, raw[what]);
                        meant.replace(at, 1, said[what]);
                    }
                    document += (document.back() == '[' ? "\"" : ",\"") + body + "\"";
                    expected += "str \"" + meant + "\"\n";
                }
            }
            document += ']';
            expected += "end\n";
            CHECK(read<json::reader>(document) == expected);
        }
    }
}

TEST_CASE("documents larger than a chunk") {
    for (const simd::kernels* k : simd::available()) {
        simd::use(k->name);
        for (const std::size_t size : {16300, 16384, 16385, 32700, 32768, 40000, 100000}) {
            // One string over several chunks, beyond ASCII at its end.
            const std::string body(size, 'x');
            CHECK(read<json::reader>("[\"" + body + "\xC3\xA9\\n\"]") == "array\nstr \"" + body + "\\u{e9}\\u{a}\"\nend\n");
            // White space over several chunks, between any two tokens.
            const std::string gap(size, ' ');
            CHECK(read<json::reader>("{" + gap + "\"a\"" + gap + ":" + gap + "1" + gap + "}") ==
                  "map\nkey \"a\"\ni64 1\nend\n");
            // A number over the border of a chunk.
            CHECK(read<json::reader>("[" + std::string(size - 4, ' ') + "12345678]") == "array\ni64 12345678\nend\n");
            // A character over the border.
            for (std::size_t cut = 0; cut < 4; ++cut) {
                const std::string wide = "[\"" + std::string(size - 2 - cut, 'x') + "\xF0\x9D\x84\x9E\"]";
                CHECK(read<json::reader>(wide) == "array\nstr \"" + std::string(size - 2 - cut, 'x') + "\\u{1d11e}\"\nend\n");
                std::string broken = wide;
                broken[broken.size() - 3] = 'y';
                CHECK(read<json::reader>(broken).starts_with("error encoding " + std::to_string(size - cut)));
            }
        }
        std::string many = "[0", expected = "array\ni64 0\n";
        for (int i = 1; i < 30000; ++i) {
            many += i % 3 == 0 ? ",[]" : i % 3 == 1 ? ",\"\"" : ",-7";
            expected += i % 3 == 0 ? "array\nend\n" : i % 3 == 1 ? "str \"\"\n" : "i64 -7\n";
        }
        CHECK(read<json::reader>(many + "]") == expected + "end\n");
    }
}

TEST_CASE("a large document of numbers, which is read by the other walk") {
    std::string document = "{\"rows\":[", expected = "map\nkey \"rows\"\narray\n";
    for (int i = 0; i < 12000; ++i) {
        document += (i == 0 ? "" : ",") + std::string("[") + std::to_string(i) + "," + std::to_string(-i) + "]";
        expected += "array\ni64 " + std::to_string(i) + "\ni64 " + std::to_string(-i) + "\nend\n";
        if (i == 0) {
            document.replace(document.size() - 2, 1, "-0");
            expected = "map\nkey \"rows\"\narray\narray\ni64 0\nf64 0x8000000000000000 -0\nend\n";
        }
    }
    REQUIRE(document.size() > 100000);
    for (const simd::kernels* k : simd::available()) {
        simd::use(k->name);
        CHECK(read<json::reader>(document + "]}") == expected + "end\nend\n");
        CHECK(read<json::reader>(document + "]} ") == expected + "end\nend\n");
        CHECK(read<json::reader>(document + "]}]").starts_with("error trailing " + std::to_string(document.size() + 2)));
        CHECK(read<json::reader>(document + ",]}").starts_with("error syntax " + std::to_string(document.size() + 1)));
        CHECK(read<json::reader>(document + "}}").starts_with("error syntax " + std::to_string(document.size())));
    }
}

TEST_CASE("what comes after the document") {
    CHECK(code("1 ") == "ok");
    CHECK(code("[] ]") == "trailing");
    CHECK(code("[]1") == "trailing");
    CHECK(code("{}{}") == "trailing");
    CHECK(code("[1]\x01") == "trailing");
    CHECK(code("[1] [2]") == "trailing");
    CHECK(code("") == "truncated");
    CHECK(code("   ") == "truncated");
    CHECK(code("[1] " + std::string(70000, ' ') + "[") == "trailing");
}

TEST_CASE("a truncated document is refused wherever it is cut") {
    const std::string document = R"({"a":[1,-2.5e3,true,false,null,"x\u00e9y"],"b":{"c":{}}})";
    for (std::size_t n = 0; n < document.size(); ++n) {
        CAPTURE(n);
        CHECK(code(document.substr(0, n)) != "ok");
    }
    CHECK(code(document) == "ok");
}

// Quadratic, these would take minutes.
TEST_CASE("a broken document of many values is refused in the time it takes to read them") {
    constexpr int many = 1'000'000;
    null_sink nowhere;
    for (const std::string_view one : {"1,", "-1.5e3,", "\"a\":1,", "[1],", "{\"a\":1},"}) {
        std::string values(one.front() == '"' ? "{" : "[");
        for (int i = 0; i < many; ++i) values += one;
        for (const std::string_view tail : {"", "1", "x", "1 // "}) {
            context ctx;
            const std::string document = values + std::string(tail);
            CAPTURE(one);
            CAPTURE(tail);
            const errc verdict = json::reader(as_bytes(document), ctx).feed(nowhere);
            CHECK((verdict == errc::syntax || verdict == errc::truncated));
        }
    }
    context ctx;
    std::string stream;
    for (int i = 0; i < many; ++i) stream += "\n-1";
    json::reader from(as_bytes(stream), ctx);
    for (int i = 0; i < many; ++i) REQUIRE(from.next(nowhere) == errc::ok);
    CHECK(!from.more());
}

TEST_CASE("depth") {
    const auto deep = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
    CHECK(flat(deep(1024)).starts_with("array"));
    CHECK(flat(deep(1025)).starts_with("error depth 1024"));
    CHECK(flat(deep(5), json::rfc8259, 5).starts_with("array"));
    CHECK(flat(deep(6), json::rfc8259, 5).starts_with("error depth 5"));
    CHECK(flat(deep(100000), json::rfc8259, 100000).starts_with("array"));
    std::string maps;
    for (int i = 0; i < 1025; ++i) maps += "{\"\":";
    CHECK(flat(maps).starts_with("error depth"));
    CHECK(flat(std::string(300, ' ') + "{\"a\":" + deep(5) + "}", json::rfc8259, 5).starts_with("error depth"));
    CHECK(flat(std::string(300, ' ') + "{\"a\":" + deep(4) + "}", json::rfc8259, 5).starts_with("map"));
}

TEST_CASE("size limit") {
    context ctx;
    ctx.limits.size = 4;
    null_sink nowhere;
    json::reader five(as_bytes("[1,2]"), ctx);
    CHECK(five.feed(nowhere) == errc::size);
    ctx.clear();
    json::reader four(as_bytes("[12]"), ctx);
    CHECK(four.feed(nowhere) == errc::ok);
}

TEST_CASE("dialects") {
    SUBCASE("non-finite literals") {
        const json::read_dialect d{.non_finite = true};
        CHECK(everywhere("[NaN,Infinity,-Infinity,-1]", d) ==
              "array f64 0x7ff8000000000000 nan f64 0x7ff0000000000000 inf f64 0xfff0000000000000 -inf i64 -1 end");
        CHECK(everywhere("NaN", d) == "f64 0x7ff8000000000000 nan");
        CHECK(everywhere("{\"a\":-Infinity}", d) == "map key \"a\" f64 0xfff0000000000000 -inf end");
        for (const char* const s : {"[nan]", "[Nan]", "[NaN1]", "[Infinityy]", "[-NaN]", "[-Infinit]", "[Inf]", "[-InfinityX]"})
            CHECK(code(s, d) == "syntax");
        CHECK(code("[NaN]") == "syntax");
    }
    SUBCASE("comments") {
        const json::read_dialect d{.comments = true};
        CHECK(everywhere("/* a */ [ // b\n1,/**/2 /***/ ] // end", d) == "array i64 1 i64 2 end");
        CHECK(everywhere("{/*\"*/\"a\"/**/:/**/1/**/}", d) == "map key \"a\" i64 1 end");
        CHECK(everywhere("[\"/* no */\"]", d) == "array str \"/* no */\" end");
        CHECK(code("[1] /* open", d) == "truncated");
        CHECK(code("[1] / 2", d) == "trailing");
        CHECK(code("[/]", d) == "syntax");
        CHECK(code("[1 // \xFF\n]", d) == "encoding");
        CHECK(code("[1 /* */]") == "syntax");
    }
    SUBCASE("trailing commas") {
        const json::read_dialect d{.trailing_commas = true};
        CHECK(everywhere("[1,]", d) == "array i64 1 end");
        CHECK(everywhere("{\"a\":[{},],}", d) == "map key \"a\" array map end end end");
        for (const char* const s : {"[,]", "[1,,]", "{,}", "{\"a\":1,,}", "[1,}"}) CHECK(code(s, d) == "syntax");
    }
    SUBCASE("byte order mark") {
        const json::read_dialect d{.byte_order_mark = true};
        CHECK(flat("\xEF\xBB\xBF[1]", d) == "array i64 1 end");
        CHECK(flat("[1]", d) == "array i64 1 end");
        CHECK(flat("\xEF\xBB\xBF\xEF\xBB\xBF[1]", d).starts_with("error syntax 3"));
        CHECK(flat("\xEF\xBB\xBF[1]").starts_with("error syntax 0"));
        const std::string large = "\xEF\xBB\xBF[" + std::string(1000, ' ') + "1]";
        CHECK(flat(large, d) == "array i64 1 end");
        CHECK(flat(large).starts_with("error syntax 0"));
    }
    SUBCASE("control characters") {
        const json::read_dialect d{.control_characters = true};
        CHECK(everywhere("[\"a\tb\n\"]", d) == "array str \"a\\u{9}b\\u{a}\" end");
        CHECK(everywhere(std::string_view("[\"\0\"]", 5), d) == "array str \"\\u{0}\" end");
        CHECK(code("[\"a\tb\"]") == "syntax");
    }
    SUBCASE("half surrogate pairs") {
        for (const char* const s : {R"(["\ud800"])", R"(["\udc00"])", R"(["\ud800\u0041"])", R"(["\udc00\ud800"])",
                                    R"(["\ud800x"])", R"(["\ud83d\ud83d\ude00"])"})
            CHECK(code(s) == "encoding");
        const json::read_dialect replace{.surrogates = json::lone_surrogates::replace};
        CHECK(everywhere(R"(["a\ud800b\u00e9"])", replace) == R"(array str "a\u{fffd}b\u{e9}" end)");
        CHECK(everywhere(R"(["\ud83d\ud83d\ude00"])", replace) == R"(array str "\u{fffd}\u{1f600}" end)");
        struct wide : null_sink {
            std::u16string got;
            errc str(text t) {
                CHECK(t.charset == encoding::utf16);
                got.assign(static_cast<const char16_t*>(t.data), t.size);
                return errc::ok;
            }
        };
        const json::read_dialect keep{.surrogates = json::lone_surrogates::keep};
        for (const std::size_t n : {0, 400}) {
            const std::string document = std::string(n, ' ') + "[\"\xC3\xA9\xF0\x9D\x84\x9E\\n\\ud800\\ud83d\\ude00\\udc00\"]";
            context ctx;
            json::reader from(as_bytes(document), ctx, keep);
            wide w;
            CHECK(from.feed(w) == errc::ok);
            const char16_t meant[] = {0xE9, 0xD834, 0xDD1E, '\n', 0xD800, 0xD83D, 0xDE00, 0xDC00};
            CHECK(w.got == std::u16string(meant, 8));
        }
        CHECK(code(R"(["\ud8"])", keep) == "syntax");
        const json::read_dialect odd{.unknown_escapes = true, .surrogates = json::lone_surrogates::keep};
        CHECK(everywhere(R"(["\ud800\q\n\é"])", odd) == R"(array str "\xed\xa0\x80q\u{a}\u{e9}" end)");
    }
    SUBCASE("duplicate keys") {
        const json::read_dialect last{.duplicates = json::duplicate_keys::last};
        CHECK(everywhere(R"({"a":1,"b":2,"a":3})", last) == R"(map key "b" i64 2 key "a" i64 3 end)");
        CHECK(everywhere(R"({"a":{"a":1,"a":2},"a":{"x":1,"x":2,"\u0078":3}})", last) ==
              R"(map key "a" map key "x" i64 3 end end)");
        CHECK(everywhere(R"({"a":[{"a":1}],"b":{"a":1}})", last) ==
              R"(map key "a" array map key "a" i64 1 end end key "b" map key "a" i64 1 end end)");
        CHECK(everywhere(R"({"a":1,"a":1})", last) == R"(map key "a" i64 1 end)");
        CHECK(code(R"({"a":01,"a":1})", last) == "syntax");
        CHECK(code(R"({"a":1,"b":{"x":1,"c":2,"x":3}})", json::unique_keys) == "duplicate");
        CHECK(code(R"({"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]})", json::unique_keys) == "ok");
        CHECK(code(R"({"a":1,"\u0061":1})", json::unique_keys) == "duplicate");
        CHECK(code(R"({"":1,"":1})", json::unique_keys) == "duplicate");
        CHECK(flat(R"({"a":1,"b":{"x":1,"c":2,"x":3}})", json::unique_keys).starts_with("error duplicate 24 $.b"));
    }
    SUBCASE("duplicate keys, in each of them duplicate keys") {
        constexpr std::size_t many = 200'000;
        std::string document;
        for (std::size_t i = 0; i < many; ++i) document += "{\"a\":";
        document += "1";
        for (std::size_t i = 0; i < many; ++i) document += ",\"a\":2}";
        const auto verdict = [&](const std::string& text, std::size_t depth) {
            context ctx;
            ctx.limits.depth = depth;
            null_sink nowhere;
            const json::read_dialect last{.duplicates = json::duplicate_keys::last};
            return json::reader(as_bytes(text), ctx, last).feed(nowhere);
        };
        CHECK(verdict(document, many) == errc::ok);
        CHECK(verdict(document, many - 1) == errc::depth);
        document[many * 5] = 'x';
        CHECK(verdict(document, many) == errc::syntax);
    }
    SUBCASE("decimals") {
        CHECK(everywhere("[1,1.10,1e2,-0,-0.0,18446744073709551616,0e0]", json::exact_decimals) ==
              "array i64 1 big 1.10 big 1e2 f64 0x8000000000000000 -0 big -0.0 big 18446744073709551616 big 0e0 end");
    }
}

TEST_CASE("a stream of documents") {
    context ctx;
    const std::string stream = " {\"a\":1}\n[2] 3 \"x\"true{}{}4\n";
    json::reader from(as_bytes(stream), ctx);
    std::vector<std::size_t> ends;
    null_sink nowhere;
    while (from.more()) {
        REQUIRE(from.next(nowhere) == errc::ok);
        ends.push_back(from.position());
    }
    CHECK(ends == std::vector<std::size_t>{8, 12, 14, 18, 22, 24, 26, 27});

    const std::string broken = "[1] [2] [3,] [4]";
    json::reader second(as_bytes(broken), ctx);
    CHECK(second.next(nowhere) == errc::ok);
    CHECK(second.next(nowhere) == errc::ok);
    CHECK(second.next(nowhere) == errc::syntax);
    CHECK(ctx.failure.offset == 11);
    for (const char* const s : {"1a", "truefalse", "12-3", "1.2.3", "nulll", "0123"}) {
        context c;
        json::reader r(as_bytes(s), c);
        CHECK(r.next(nowhere) == errc::syntax);
    }
}

TEST_CASE("a sink's refusal gets a place") {
    struct picky : null_sink {
        context& ctx;
        explicit picky(context& c) : ctx(c) {}
        errc i64(std::int64_t n) { return n == 7 ? ctx.fail(errc::range, failure::nowhere, "seven") : errc::ok; }
        errc f64(double) { return errc::host; }
        errc boolean(bool) { return errc::unsupported; }
    };
    for (const std::size_t n : {0, 400}) {
        const std::string document = std::string(n, '\n') + "{\"a\":[1,\n {\"b c\":7}]}";
        context ctx;
        json::reader from(as_bytes(document), ctx);
        picky sink(ctx);
        CHECK(from.feed(sink) == errc::range);
        CHECK(std::string(ctx.failure.what) == "seven");
        CHECK(ctx.failure.offset == n + 17);
        CHECK(ctx.failure.line == n + 2);
        CHECK(ctx.failure.column == 9);
        CHECK(ctx.failure.path == "$.a[1][\"b c\"]");

        context host;
        const std::string half = std::string(n, ' ') + "[0.5]";
        json::reader second(as_bytes(half), host);
        picky other(host);
        CHECK(second.feed(other) == errc::host);
        CHECK(host.failure.code == errc::ok);

        context bare;
        const std::string flag = std::string(n, ' ') + "[true]";
        json::reader third(as_bytes(flag), bare);
        picky last(bare);
        CHECK(third.feed(last) == errc::unsupported);
        CHECK(bare.failure.offset == n + 1);
    }
}

TEST_CASE("mutations: both walks and every kernel give one verdict and one trace") {
    std::mt19937_64 random(7);
    const std::string seeds[] = {
        R"({"a":[1,-2.5e3,true,false,null,"x\u00e9y\n"],"b":{"c":{}},"d":[[],[[]],{"e":""}],"f":1234567890123,"g":0.0625})",
        "[\"\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E\", \"\\ud834\\udd1e\", \"\\\\\\\"\", {\"\\\\\":\"\"}]",
        R"([[[[{"k":[{"k":[{"k":[0]}]}]}]]],12345678901234567890,1e400,-0])",
    };
    static constexpr char letters[] = "[]{}:,\"\\ \t\n0123456789-+.eEtfnulrsa\x80\xC3\xE2\xF0\x00\x1F/";
    const std::string alphabet(letters, sizeof letters - 1);
    for (int i = 0; i < 6000; ++i) {
        std::string document = seeds[random() % 3];
        for (std::uint64_t edits = 1 + random() % 3; edits != 0; --edits) {
            const std::size_t at = random() % document.size();
            switch (random() % 3) {
                case 0: document[at] = alphabet[random() % alphabet.size()]; break;
                case 1: document.erase(at, 1); break;
                default: document.insert(at, 1, alphabet[random() % alphabet.size()]);
            }
        }
        const std::string plain = flat(document);
        const std::string gap(256 + random() % 200, ' ');
        for (const simd::kernels* k : simd::available()) {
            simd::use(k->name);
            const std::string indexed = flat(gap + document);
            if (plain.starts_with("error ")) {
                CHECK_MESSAGE(indexed.starts_with(plain.substr(0, plain.find_first_of(" :", 6))), document);
            } else {
                CHECK_MESSAGE(indexed == plain, document);
            }
        }
    }
}

TEST_CASE("nothing outside the document is read") {
    guarded room(std::size_t{1} << 13);
    char* const begin = room.begin();
    char* const end = room.end();
    for (const simd::kernels* k : simd::available()) {
        simd::use(k->name);
        for (const char* const tail : {"[1]",
                                       "[1.5]",
                                       "[true]",
                                       "[null]",
                                       "{\"a\":\"b\\n\"}",
                                       "[\"\xC3\xA9\"]",
                                       "12",
                                       "-1.5e3",
                                       "true",
                                       "\"x\"",
                                       "[tru",
                                       "[1",
                                       "[1.",
                                       "[-",
                                       "\"",
                                       "\"\\",
                                       "\"\\u",
                                       "\"\\u12",
                                       "[\"a",
                                       "{\"a\":",
                                       "{\"a\"",
                                       "[1,]",
                                       "[t]",
                                       "[n]",
                                       "[1e]"}) {
            const std::size_t n = std::strlen(tail);
            for (const std::size_t pad :
                 {std::size_t{0}, std::size_t{1}, std::size_t{300}, std::size_t{383}, room.room() - n}) {
                if (pad + n > room.room()) continue;
                // Against the end, and against the start.
                std::memset(end - n - pad, ' ', pad);
                std::memcpy(end - n, tail, n);
                context ctx;
                null_sink nowhere;
                json::reader last(as_bytes({end - n - pad, n + pad}), ctx);
                const errc a = last.feed(nowhere);
                std::memset(begin, ' ', pad);
                std::memcpy(begin + pad, tail, n);
                context again;
                json::reader first(as_bytes({begin, n + pad}), again);
                CHECK(first.feed(nowhere) == a);
            }
        }
    }
}
