// Every validation kernel that this machine has gives the verdict of JSONTestSuite, of the strict reader, and of every
// other kernel.
#include "engine/json/check.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/json/kernels.hpp"
#include "engine/json/project.hpp"
#include "engine/json/reader.hpp"
#include "engine/simd/dispatch.hpp"
#include "tests/engine/helpers.hpp"
#include "tests/guarded.hpp"

using namespace kumihimo;
using helpers::as_bytes;

namespace {

bool reads(std::string_view document, std::size_t depth = 1024) {
    context ctx;
    ctx.limits.depth = depth;
    null_sink nothing;
    json::reader from(as_bytes(document), ctx);
    return from.feed(nothing) == errc::ok;
}

std::string shown(std::string_view s) { return std::string(s.substr(0, 400)); }

/// All kernels say what `expected` says, whatever lies behind the document.
void all_say(std::string_view document, bool expected, std::size_t depth = 1024) {
    for (const json::kernels* k : json::available_kernels()) {
        bool may_overflow = false;
        if (k->check(document.data(), document.size(), depth, may_overflow) != expected) {
            CAPTURE(k->name);
            CAPTURE(shown(document));
            CAPTURE(depth);
            CHECK(expected == !expected);
        }
    }
}

/// ... at every alignment within a block, with bytes behind the end that would complete or break it.
void all_say_everywhere(std::string_view document, bool expected) {
    for (int spaces = 0; spaces < 70; ++spaces)
        for (const char behind : {'"', ']', '}', '0', ' ', '\\'}) {
            std::string s(static_cast<std::size_t>(spaces), ' ');
            s += document;
            const std::size_t size = s.size();
            s.append(100, behind);
            all_say(std::string_view(s).substr(0, size), expected);
        }
}

const std::vector<std::string> right = {
    "0",
    "-0",
    "-0.0",
    "1e400",
    "1E+2",
    "1e-2",
    "10.01e001",
    "true",
    "false",
    "null",
    "\"\"",
    "[]",
    "{}",
    " [ ] ",
    "\t\r\n{ }\n",
    R"({"a":1})",
    R"({"a" : [1, 2.5, -3e10, "b", true, false, null, {}, [], {"c":{"d":[[]]}}] , "e":"f"})",
    R"("\u00e9\ud83d\ude00")",
    R"("\"\\\/\b\f\n\r\t")",
    R"(["\uD834\uDD1E", "\ud7ff\ue000", "\uDBFF\uDFFF"])",
    "\"\xe3\x81\x82\xf0\x9f\x98\x80\xc3\xa9\x7f\"",
    "[\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\xf0\x90\x80\x80\xe0\xa0\x80\xc2\x80\"]",
    "[[[[],[]],[[]]],{\"\":{}}]",
    R"(["\\\\\\\"",[],"\\"])",
    R"({"":0,"":1})",
    "[0,-1,1.0,0e0,0.0e-0]",
    R"(["{}[],:", {"[": "]"}])",
    "1",
    "123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
    "[1e5,1.5,123456789012345678901234567890.123456789012345678901234567890123456789e+123456789]",
    "[true,1,false,-1,null,\"x\",1e1]",
    "[1 , 2\n,\t3 ]",
    "\"a\"   ",
    "{\"a\"\n\n\n:\n\n\n1\n\n}",
};

const std::vector<std::string> wrong = {
    "",
    " ",
    "\n\n",
    "[",
    "]",
    "{",
    "}",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[,]",
    "[1,,2]",
    "[1 2]",
    "[\"a\" \"b\"]",
    "[\"a\" 1]",
    "[1 \"a\"]",
    "[1\"a\"]",
    "[\"a\"1]",
    "[\"a\"true]",
    "[true\"a\"]",
    "[truefalse]",
    "[true false]",
    "[1]2",
    "1 2",
    "1,",
    ",1",
    "[]]",
    "[[]",
    "{}}",
    "{]",
    "[}",
    "[{]}",
    "{\"a\":[}]",
    "{\"a\":1]",
    "[1}",
    "[\"a\"}",
    "[\"a\":1]",
    "{\"a\"}",
    "{\"a\",\"b\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{,}",
    "{:1}",
    "{1:1}",
    "{\"a\":1 \"b\":2}",
    "{\"a\"::1}",
    "{\"a\":\"b\":1}",
    "{\"a\" 1}",
    "{\"a\":1,2}",
    "{\"a\":1,[]}",
    "{[]:1}",
    "{{}:1}",
    "{\"a\":1:2}",
    "\"a\":1",
    "\"a\",\"b\"",
    ":",
    ":1",
    "{true:1}",
    "{\"a\":[1,\"b\":2]}",
    "[{},\"a\":1]",
    "[{\"a\":1},2,\"b\":3]",
    "{\"a\":{},1}",
    "{\"a\":[],[]}",
    "{\"a\":1} , 1",
    "[1] , 1",
    "[1],",
    "{},{}",
    "[][]",
    "{}[]",
    "[]{}",
    "\"\"[]",
    "[]\"\"",
    "\"a\" []",
    "[1]true",
    "01",
    "-01",
    "00",
    "-",
    "+1",
    "1.",
    ".1",
    "-.1",
    "1.e1",
    "1e",
    "1e+",
    "1e-",
    "1e+-1",
    "1e1.5",
    "1.5.5",
    "1..5",
    "1e1e1",
    "1-1",
    "1+1",
    "--1",
    "-a",
    "0x10",
    "1a",
    "1e5x",
    "0e",
    "0.e1",
    "-e1",
    "e1",
    "E",
    "[01]",
    "[-01]",
    "[0.1.2]",
    "[1.5e3.2]",
    "[-]",
    "[1.]",
    "[.5]",
    "[1e]",
    "1_000",
    "0-",
    "[00.1]",
    "[-00]",
    "[0e+]",
    "[1/2]",
    "[1;2]",
    "NaN",
    "Infinity",
    "-Infinity",
    "[1e1,2e,3]",
    "[1e1,02]",
    "[true,02]",
    "[true,-]",
    "[true,1.2.3]",
    "tru",
    "t",
    "true1",
    "True",
    "truee",
    "rue",
    "tre",
    "nul",
    "nulll",
    "nule",
    "fals",
    "false0",
    "falsee",
    "falss",
    "n",
    "f",
    "trueg",
    "truetrue",
    "\"",
    "\"a",
    "\"\\\"",
    "\"\\",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\u123g\"",
    "\"\\u 123\"",
    "\"\\U0041\"",
    "\"\\a\"",
    "\"\\'\"",
    "\\u0041",
    "[\\n]",
    "[\\\"a\\\"]",
    "'a'",
    "[a]",
    "[\"\\\\\\\"]",
    "\"\\u00\"0\"",
    R"("\ud800")",
    R"("\udc00")",
    R"("\ud800\ud800")",
    R"("\ud800a")",
    R"("\ud800\n")",
    R"("\ud800\u0041")",
    R"("\udc00\ud800")",
    R"("\ud83d \ude00")",
    R"("\ud83d\\ude00")",
    R"(["\ud83d\ude00\ude00"])",
    R"("\ud83d\ud83d\ude00")",
    R"("\uD8)",
    R"("\uD800\u)",
    R"("\uD800\)",
    "\"\x01\"",
    "\"\n\"",
    "\"\t\"",
    "\"\x1f\"",
    "\x01",
    "[\x01]",
    "\x01[]",
    "[]\x01",
    "[1\x0c"
    "2]",
    "{\"a\"\x1a"
    "1}",
    "[1\x0c]",
    "\x0c[]",
    "[]\x0c",
    "[]\x1a",
    "[\x1f]",
    "\x7f",
    "[\x7f]",
    "\xef\xbb\xbf[]",
    "\xef\xbb\xbf",
    "[\xc2\xa0]",
    "\xa0[]",
    "[1\xac"
    "2]",
    "[\xdb]\xdd",
    "\"\x80\"",
    "\"\xbf\"",
    "\"\xc0\xaf\"",
    "\"\xc1\xbf\"",
    "\"\xc2\"",
    "\"\xc2\x41\"",
    "\"\xe0\x80\x80\"",
    "\"\xe0\x9f\xbf\"",
    "\"\xed\xa0\x80\"",
    "\"\xed\xbf\xbf\"",
    "\"\xf0\x80\x80\x80\"",
    "\"\xf0\x8f\xbf\xbf\"",
    "\"\xf4\x90\x80\x80\"",
    "\"\xf5\x80\x80\x80\"",
    "\"\xf8\x88\x80\x80\x80\"",
    "\"\xff\"",
    "\"\xfe\"",
    "\"\xe3\x81\"",
    "\"\xf0\x9f\x98\"",
    "\"\xe3\x81\x82\x82\"",
    "\"\xc3",
    "\"\xe3\x81",
    "\"\\\xc3\xa9\"",
    "\"\\\xf5\"",
    "// a\n1",
    "/* */1",
    "[1,/**/2]",
    "#",
    "undefined",
    "[1]\v",
    "[\xff\xfe]",
    "[\xdd\xb1",
    "[\xdb\xb1]]",
    "[\xdb\xb1\xdd\xb1]",
    "[1,\xdb\xb1\xdd\xb1]",
    "\xdb\xb1",
    "[\xc2\xb1]",
    "{\"a\":\xdb\xb1\xdd\xb1}",
};

/// Values with random structure, white space and scalars of every kind.
std::string any_value(std::mt19937_64& random, int depth) {
    static const char* const scalars[] = {"1",
                                          "-1.5",
                                          "0",
                                          "-0",
                                          "1e5",
                                          "1E-7",
                                          "0.1e+10",
                                          "true",
                                          "false",
                                          "null",
                                          "\"a\"",
                                          "\"\"",
                                          "\"\\u00e9\\ud83d\\ude00\"",
                                          "\"\xe3\x81\x82\"",
                                          "12345678901234567890",
                                          "\"\\\\\"",
                                          "\"a\\\"b\"",
                                          "-12.25",
                                          "\"\xf0\x9f\x98\x80 long text, so that strings cross blocks\""};
    static const char* const blanks[] = {"", "", "", "", " ", "\n", "\t ", "  \r\n          "};
    const auto blank = [&] { return std::string(blanks[random() % std::size(blanks)]); };
    const auto kind = random() % (depth > 6 ? 6 : 10);
    if (kind < 6) return scalars[random() % std::size(scalars)];
    const bool object = kind > 7;
    std::string s = object ? "{" : "[";
    for (auto n = random() % 6, i = n; i != 0; --i) {
        if (i != n) s += ",";
        s += blank();
        if (object) s += "\"key" + std::to_string(random() % 100) + "\"" + blank() + ":" + blank();
        s += any_value(random, depth + 1) + blank();
    }
    return s + blank() + (object ? "}" : "]");
}

void mutate(std::mt19937_64& random, std::string& s) {
    static constexpr char alphabet[] = "{}[]:,\"\\ \n\t0123456789.-+eEtfnrulasud\x01\x0c\x1a\x80\xed\xa0\xf0\x7f/bD8";
    for (auto edits = random() % 4; edits != 0 && !s.empty(); --edits) {
        const std::size_t at = random() % s.size();
        const char c = alphabet[random() % (sizeof alphabet - 1)];
        switch (random() % 5) {
            case 0: s[at] = c; break;
            case 1: s.insert(at, 1, c); break;
            case 2: s.erase(at, 1); break;
            case 3: s.insert(at, s.substr(random() % s.size(), 1 + random() % 8)); break;
            default: s[at] = static_cast<char>(random());
        }
    }
}

/// The reader decides; the kernels must agree. Returns the verdict.
bool agree(std::string_view document, std::size_t depth = 1024) {
    const bool expected = reads(document, depth);
    all_say(document, expected, depth);
    return expected;
}

}  // namespace

TEST_CASE("right documents") {
    for (const std::string& s : right) {
        CAPTURE(s);
        CHECK(reads(s));
        all_say_everywhere(s, true);
    }
}

TEST_CASE("wrong documents") {
    for (const std::string& s : wrong) {
        CAPTURE(s);
        CHECK_FALSE(reads(s));
        all_say_everywhere(s, false);
    }
}

TEST_CASE("every byte at every place of a document") {
    const std::string s = R"( {"a\n\u00e9" : [-10.5e+7, true,null,0 , "", {"é":[]}],"\ud83d\ude00":false} )";
    for (std::size_t shift : {0, 13, 40, 63})
        for (std::size_t at = 0; at < s.size(); ++at)
            for (int c = 0; c < 256; ++c) {
                std::string t = std::string(shift, ' ') + s;
                t[shift + at] = static_cast<char>(c);
                agree(t);
            }
}

TEST_CASE("nothing outside the document is read") {
    guarded page(std::size_t{1} << 15);
    for (const auto* list : {&right, &wrong})
        for (const std::string& s : *list)
            for (std::size_t spaces : {0, 1, 50, 64, 127, 8192}) {
                const std::string t = std::string(spaces, ' ') + s;
                const bool expected = reads(t);
                for (const json::kernels* k : json::available_kernels()) {
                    bool may_overflow = false;
                    CHECK(k->check(page.at_end(t), t.size(), 1024, may_overflow) == expected);
                    CHECK(k->check(page.at_start(t), t.size(), 1024, may_overflow) == expected);
                }
            }
}

TEST_CASE("depth") {
    for (std::size_t depth : {1, 2, 3, 63, 64, 65, 100, 1000, 1024, 1025, 5000, 100000}) {
        const std::string arrays = std::string(depth, '[') + std::string(depth, ']');
        std::string objects, mixed;
        for (std::size_t i = 0; i < depth; ++i) objects += "{\"a\":", mixed += i % 2 == 0 ? "[1,{\"b\":2,\"c\":" : "[[],[";
        objects += "[]" + std::string(depth, '}');
        mixed += "0";
        for (std::size_t i = depth; i-- > 0;) mixed += i % 2 == 0 ? "},3]" : "],[]]";
        for (std::size_t limit : {depth - 1, depth, depth + 1, 2 * depth - 1, 2 * depth, 2 * depth + 1}) {
            all_say(arrays, limit >= depth, limit);
            all_say(objects, limit >= depth + 1, limit);
            agree(mixed, limit);
        }
        all_say(arrays.substr(0, arrays.size() - 1), false, depth);
        all_say(arrays + "]", false, depth);
    }
    all_say("1", true, 0);
    all_say("[]", false, 0);
    all_say("[[],[],[[]]]", false, 2);
    all_say("[[],[],[[]]]", true, 3);
    all_say(std::string(2'000'000, '['), false);
    all_say(std::string(200'000, ']'), false);
}

TEST_CASE("long documents, and what lies across their chunks") {
    std::mt19937_64 random(5);
    for (int i = 0; i < 60; ++i) {
        std::string s = "[";
        while (s.size() < 30'000) s += any_value(random, 0) + (random() % 2 == 0 ? ",\n" : ",");
        s += "1]";
        CHECK(agree(s));
        for (int j = 0; j < 40; ++j) {
            std::string t = s;
            // Around the end of a chunk of the streaming kernels, or anywhere.
            const std::size_t at = j % 2 == 0 ? random() % t.size() : (1 + random() % 3) * 8192 - 40 + random() % 80;
            t[at] = "{}[]:,\" 01.-e\\t\x80"[random() % 17];
            agree(t);
        }
    }
    for (std::size_t n : {60, 64, 65, 127, 128, 8191, 8192, 8193, 100000}) {
        const std::string digits(n, '7'), spaces(n, ' '), text(n, 'x'), slashes(n & ~std::size_t{1}, '\\');
        for (const std::string& s : std::vector<std::string>{
                 digits, "-" + digits, digits + "." + digits, "0." + digits + "e-" + digits, "[1e5," + digits + "]",
                 "[true," + digits + ",null]", spaces + "1" + spaces, "{\"a\"" + spaces + ":" + spaces + "1}", "\"a\"" + spaces,
                 "\"" + text + "\"", "\"" + slashes + "\"", "[\"" + text + "\"" + spaces + "]",
                 "[1" + spaces + "," + spaces + "2]"})
            CHECK(agree(s));
        for (const std::string& s : std::vector<std::string>{
                 digits + ".", digits + "e", digits + "." + digits + "." + digits, digits + "-", "0" + digits, "-", spaces,
                 "1" + spaces + "2", "[\"a\"" + spaces + "1]", "\"a\"" + spaces + "\"b\"", "\"a\"" + spaces + ":", "\"" + text,
                 "\"" + slashes + "\\\"", digits + "x", "[1" + spaces + "2]", "{\"a\"" + spaces + "1}", "true" + digits,
                 "[e5," + digits + "]", "1e5" + digits + ".5"})
            CHECK_FALSE(agree(s));
    }
}

TEST_CASE("random documents, edited at random") {
    std::mt19937_64 random(11);
    int accepted = 0;
    for (int i = 0; i < 60'000; ++i) {
        std::string s = any_value(random, 0);
        if (random() % 3 == 0) s.insert(0, random() % 70, ' ');
        mutate(random, s);
        const std::size_t size = s.size();
        s.append(80, "]}\"0 "[random() % 5]);
        accepted += agree(std::string_view(s).substr(0, size)) ? 1 : 0;
        if (i % 8 == 0) agree(std::string_view(s).substr(0, size), random() % 6);
    }
    CHECK(accepted > 10'000);
    CHECK(accepted < 50'000);
}

TEST_CASE("errors say where") {
    context ctx;
    ctx.limits.depth = 2;
    CHECK(json::check(as_bytes("[[1]]"), ctx) == errc::ok);
    CHECK(json::check(as_bytes("[[[]]]"), ctx) == errc::depth);
    CHECK(ctx.failure.offset == 2);
    ctx.clear();
    CHECK(json::check(as_bytes("{\"a\": [1,\n 2 3]}"), ctx) == errc::syntax);
    CHECK(ctx.failure.line == 2);
    ctx.clear();
    ctx.limits.size = 3;
    CHECK(json::check(as_bytes("[1,2]"), ctx) == errc::size);
}

TEST_CASE("half a surrogate pair, by what a dialect does with it") {
    std::vector<std::string> documents = {R"(["\ud800"])", R"({"\udc00":1})", R"(["a", "\ud800\u0041"])", R"("\udfff\ud800")",
                                          R"(["\ud800", 1,])"};
    documents.insert(documents.end(), right.begin(), right.end());
    documents.insert(documents.end(), wrong.begin(), wrong.end());
    using json::lone_surrogates;
    for (const auto by : {lone_surrogates::refuse, lone_surrogates::replace, lone_surrogates::keep, lone_surrogates::low,
                          lone_surrogates::greedy}) {
        const json::read_dialect granted{.surrogates = by};
        CHECK(json::checked_by_kernels(granted));
        for (const std::string& s : documents) {
            CAPTURE(s);
            context by_reader, ctx;
            null_sink nobody;
            json::reader from(as_bytes(s), by_reader, granted);
            const errc expected = from.feed(nobody);
            CHECK(json::check(as_bytes(s), ctx, granted) == expected);
            CHECK(ctx.failure.offset == by_reader.failure.offset);
        }
        context ctx;
        CHECK((json::check(as_bytes(documents[1]), ctx, granted) == errc::ok) == (by != lone_surrogates::refuse));
    }
}

TEST_CASE("numbers beyond a double, where they are refused") {
    const std::string zeros(400, '0');
    struct row {
        std::string number;
        bool beyond;
    };
    const std::vector<row> rows = {{"1e400", true},
                                   {"-1e400", true},
                                   {"1E+400", true},
                                   {"1.5e0000000000000400", true},
                                   {"1e309", true},
                                   {"1.7976931348623159e308", true},
                                   {"123456789e305", true},
                                   {"1" + zeros + ".0", true},
                                   {"1" + zeros + ".5e-9", true},
                                   {"1" + zeros.substr(0, 220) + "e99", true},
                                   {"1e99999999999999999999999", true},
                                   {"1.7976931348623157e308", false},
                                   {"1e308", false},
                                   {"0e400", false},
                                   {"1e-400", false},
                                   {"1e007", false},
                                   {"0." + zeros + "1e500", false},
                                   {"1" + zeros + "e-200", false},
                                   {"1" + zeros, false},  // an integer
                                   {"-12345678901234567890123", false},
                                   {"1.5e10", false}};
    const std::vector<std::pair<std::string, std::string>> around = {
        {"", ""}, {"[", "]"}, {"[true,1e5,", ",1e-7,false]"}, {"{\"a\":[1,{\"b\":", "}]}"}, {"[\"1e400\",", " ]"}};
    const std::string_view active = simd::active().name;
    json::projection wanted;
    context unused;
    const std::string_view paths[] = {"zzz", "a[0]"};
    REQUIRE(json::projection::compile(paths, wanted, unused) == errc::ok);
    for (const row& r : rows) {
        for (const auto& [before, behind] : around) {
            for (std::size_t spaces = 0; spaces < 130; ++spaces) {
                const std::string document = before + std::string(spaces, ' ') + r.number + behind;
                CAPTURE(shown(document));
                context by_reader;
                null_sink nobody;
                json::reader from(as_bytes(document), by_reader, json::doubles);
                const errc expected = from.feed(nobody);
                REQUIRE(expected == (r.beyond ? errc::range : errc::ok));
                if (r.beyond) REQUIRE(by_reader.failure.offset == before.size() + spaces);
                for (const json::kernels* k : json::available_kernels()) {
                    CAPTURE(k->name);
                    REQUIRE(simd::use(k->name));
                    context ctx, any, exact;
                    REQUIRE(json::check(as_bytes(document), ctx, json::doubles) == expected);
                    REQUIRE(ctx.failure.offset == by_reader.failure.offset);
                    REQUIRE(ctx.failure.path == by_reader.failure.path);
                    REQUIRE(json::check(as_bytes(document), any) == errc::ok);
                    json::read_dialect digits = json::exact_decimals;
                    digits.overflows = json::overflow::refuse;  // nothing is left for it to refuse
                    REQUIRE(json::check(as_bytes(document), exact, digits) == errc::ok);
                    context projected;
                    json::projector p(wanted, json::level::strict, json::doubles);
                    REQUIRE(p.run(as_bytes(document), projected) == expected);
                    REQUIRE(projected.failure.offset == by_reader.failure.offset);
                    json::projector every(wanted);
                    REQUIRE(every.run(as_bytes(document), projected) == errc::ok);
                    bool may_overflow = true;
                    REQUIRE(k->check(document.data(), document.size(), 1024, may_overflow));
                    if (r.number == "1.5e10" || r.number == "-12345678901234567890123") REQUIRE(!may_overflow);
                }
            }
        }
    }
    simd::use(active);
}

TEST_CASE("a check by a dialect says what the reader says") {
    const json::read_dialect dialects[] = {json::rfc8259, json::doubles, json::unique_keys, json::relaxed, json::python_read};
    for (const std::string document : {"[1e400,", "[1e400]", "{\"a\":1,\"a\":1e400}", "// x\n[1,]", "[NaN]", "[\"\\ud800\"]",
                                       "[1e400 2]", "{\"a\":{\"b\":1,\"b\":2}}", ""}) {
        for (const json::read_dialect& d : dialects) {
            CAPTURE(document);
            context checked, read;
            null_sink nobody;
            json::reader from(as_bytes(document), read, d);
            const errc e = from.feed(nobody);
            CHECK(json::check(as_bytes(document), checked, d) == e);
            CHECK(checked.failure.offset == read.failure.offset);
            CHECK(std::string_view(checked.failure.what) == read.failure.what);
        }
    }
}

TEST_CASE("JSONTestSuite") {
    const char* data = std::getenv("KUMIHIMO_DATA");
    if (data == nullptr) {
        MESSAGE("not proven: JSONTestSuite (KUMIHIMO_DATA is not set)");
        return;
    }
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(data) + "/JSONTestSuite")) {
        const std::string name = entry.path().filename().string();
        if (entry.path().extension() != ".json" || name.size() < 2 || name[1] != '_') continue;
        std::ifstream in(entry.path(), std::ios::binary);
        const std::string s(std::istreambuf_iterator<char>(in), {});
        // Left to the implementation: any magnitude and 500 levels are fine, text must be whole Unicode without a
        // mark.
        const bool accept = name[0] == 'y' || name.starts_with("i_number_") || name == "i_structure_500_nested_arrays.json";
        CAPTURE(name);
        CHECK(reads(s) == accept);
        if (s.size() < 5000)
            all_say_everywhere(s, accept);
        else
            all_say(s, accept);
        ++files;
    }
    CHECK(files > 300);
}
