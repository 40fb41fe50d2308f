// The JSON writer: every verb, every field of a dialect, every encoding, every wrong order.
#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "tests/engine/helpers.hpp"
#include "tests/guarded.hpp"

using namespace kumihimo;
using namespace helpers;
using json::dialect;

namespace {

std::string from_trace(std::string_view trace, const dialect& as = json::compact) { return write<json::writer>(trace, as); }

/// What `verbs` write, or "error code: sentence".
template <class F>
std::string made(F verbs, const dialect& as = json::compact, std::size_t depth = 1024) {
    buffer out;
    context ctx;
    ctx.limits.depth = depth;
    json::writer to(out, ctx, as);
    errc e = verbs(to);
    bytes document;
    if (e == errc::ok) e = to.finish(document);
    if (e == errc::ok) return as_string(document);
    CHECK(e == ctx.failure.code);
    return std::string("error ") + name(e) + ": " + ctx.failure.what;
}

std::string one(text t, const dialect& as = json::compact) {
    return made([&](json::writer& to) { return to.str(t); }, as);
}

std::string_view s(const std::string& x) { return x; }

}  // namespace

TEST_CASE("every verb") {
    CHECK(from_trace("null\n") == "null");
    CHECK(from_trace("array\nboolean true\nboolean false\nnull\nend\n") == "[true,false,null]");
    CHECK(
        from_trace(
            "array\ni64 0\ni64 -9223372036854775808\nu64 18446744073709551615\nf64 0x3fb999999999999a 0.1\nbig 1e400\nend\n") ==
        "[0,-9223372036854775808,18446744073709551615,0.1,1e400]");
    CHECK(from_trace("map\nkey \"a\"\narray\nend\nkey \"b\"\nmap\nend\nkey \"c\"\nstr \"\"\nend\n") ==
          R"({"a":[],"b":{},"c":""})");
    CHECK(from_trace("array\narray\narray\nend\nend\nmap\nend\nend\n") == "[[[]],{}]");
    CHECK(from_trace("array\nstr \",\"\narray\nend\nstr \"[\"\nend\n") == R"([",",[],"["])");
    CHECK(from_trace("bin 0x00ff10\n") == "\"AP8Q\"");
    CHECK(from_trace("bin 0xfbff\n") == "\"+/8=\"");
    CHECK(from_trace("time utc 1482624000 500000000 0\n") == "\"2016-12-25T00:00:00.5Z\"");
}

TEST_CASE("the buffer may hold something already, and be used again") {
    buffer out;
    out.append("xyz", 3);
    context ctx;
    for (int i = 0; i < 3; ++i) {
        json::writer to(out, ctx);
        CHECK(to.array(count{}) == errc::ok);
        CHECK(to.i64(i) == errc::ok);
        CHECK(to.end() == errc::ok);
        bytes document;
        CHECK(to.finish(document) == errc::ok);
        CHECK(as_string(document) == "[" + std::to_string(i) + "]");
        CHECK(to.finish(document) == errc::ok);  // asking twice changes nothing
        CHECK(as_string(document) == "[" + std::to_string(i) + "]");
    }
    CHECK(std::string_view(out.data(), out.size()) == "xyz[0][1][2]");
}

TEST_CASE("escapes") {
    std::string all;
    for (int c = 0; c < 0x80; ++c) all += static_cast<char>(c);
    all += "\xC2\x80\xC3\xA9\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA\xE2\x82\xAC\xEF\xBF\xBF\xF0\x9D\x84\x9E\xF4\x8F\xBF\xBF";
    const std::string low =
        "\\u0000\\u0001\\u0002\\u0003\\u0004\\u0005\\u0006\\u0007\\b\\t\\n\\u000b\\f\\r\\u000e\\u000f\\u0010\\u0011\\u0012\\u00"
        "13\\u0014\\u0015\\u0016"
        "\\u0017\\u0018\\u0019\\u001a\\u001b\\u001c\\u001d\\u001e\\u001f";
    const std::string tail =
        "\xC2\x80\xC3\xA9\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA\xE2\x82\xAC\xEF\xBF\xBF\xF0\x9D\x84\x9E\xF4\x8F\xBF\xBF";
    const std::string no_lines =
        "\xC2\x80\xC3\xA9\\u2028\\u2029\xE2\x80\xAA\xE2\x82\xAC\xEF\xBF\xBF\xF0\x9D\x84\x9E\xF4\x8F\xBF\xBF";
    const auto middle = [](std::string_view slash, std::string_view less, std::string_view more, std::string_view amp) {
        std::string out;
        for (int c = 0x20; c < 0x80; ++c) {
            if (c == '"')
                out += "\\\"";
            else if (c == '\\')
                out += "\\\\";
            else if (c == '/')
                out += slash;
            else if (c == '<')
                out += less;
            else if (c == '>')
                out += more;
            else if (c == '&')
                out += amp;
            else
                out += static_cast<char>(c);
        }
        return out;
    };
    const std::string usual = low + middle("/", "<", ">", "&");
    CHECK(one(s(all)) == '"' + usual + tail + '"');
    CHECK(one(s(all), json::script_safe) == '"' + low + middle("\\/", "<", ">", "&") + no_lines + '"');
    CHECK(one(s(all), json::html_safe) == '"' + low + middle("/", "\\u003c", "\\u003e", "\\u0026") + no_lines + '"');
    CHECK(one(s(all), json::escape_slash) == '"' + low + middle("\\/", "<", ">", "&") + tail + '"');
    CHECK(one(s(all), json::ascii_only) ==
          '"' + usual + "\\u0080\\u00e9\\u2028\\u2029\\u202a\\u20ac\\uffff\\ud834\\udd1e\\udbff\\udfff\"");
    static constexpr json::escape_set upper{"", false, true, true};
    static constexpr dialect loud{.escapes = &upper};
    CHECK(one(std::string_view("\x1F\xC3\xA9"), loud) == "\"\\u001F\\u00E9\"");
}

TEST_CASE("every length, something to escape at every place, in every encoding") {
    const std::vector<const dialect*> dialects{&json::compact, &json::script_safe, &json::html_safe, &json::ascii_only,
                                               &json::escape_slash};
    for (std::size_t n = 0; n < 80; ++n) {
        for (std::size_t at = 0; at <= n; ++at) {
            std::string plain(n, 'x');
            for (const char c : {'x', '"', '\n', '/', '<'}) {
                if (at < n) plain[at] = c;
                std::u16string wide(plain.begin(), plain.end());
                for (const dialect* d : dialects) {
                    const std::string ascii = one({plain.data(), n, encoding::ascii}, *d);
                    CHECK(one({plain.data(), n, encoding::utf8}, *d) == ascii);
                    CHECK(one({plain.data(), n, encoding::latin1}, *d) == ascii);
                    CHECK(one({wide.data(), n, encoding::utf16}, *d) == ascii);
                    CHECK(read<json::reader>(ascii) == [&] {
                        buffer out;
                        context ctx;
                        trace_sink t(out, ctx);
                        t.str({plain.data(), n, encoding::ascii});
                        return std::string(t.view());
                    }());
                }
            }
        }
    }
}

TEST_CASE("encodings") {
    const std::string latin = "caf\xE9 \xFF";
    CHECK(one({latin.data(), latin.size(), encoding::latin1}) == "\"caf\xC3\xA9 \xC3\xBF\"");
    CHECK(one({latin.data(), latin.size(), encoding::latin1}, json::ascii_only) == "\"caf\\u00e9 \\u00ff\"");
    const char16_t wide[] = {'a', 0xE9, 0x20AC, 0xD834, 0xDD1E};
    CHECK(one({wide, 5, encoding::utf16}) == "\"a\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E\"");
    CHECK(one({wide, 5, encoding::utf16}, json::ascii_only) == "\"a\\u00e9\\u20ac\\ud834\\udd1e\"");
    // Long text goes in pieces; no piece may cut a character.
    for (std::size_t n = 4080; n < 4110; ++n) {
        const std::string x(n, 'x');
        const std::string u8 = x + "\xF0\x9D\x84\x9E" + x + "\xE2\x80\xA8" + x;
        CHECK(one(s(u8)) == '"' + u8 + '"');
        CHECK(one(s(u8), json::ascii_only) == '"' + x + "\\ud834\\udd1e" + x + "\\u2028" + x + '"');
        CHECK(one(s(u8), json::html_safe) == '"' + x + "\xF0\x9D\x84\x9E" + x + "\\u2028" + x + '"');
    }
    for (std::size_t n = 1020; n < 1030; ++n) {
        std::u16string u(n, u'x');
        u += {char16_t{0xD834}, char16_t{0xDD1E}};
        CHECK(one({u.data(), u.size(), encoding::utf16}) == '"' + std::string(n, 'x') + "\xF0\x9D\x84\x9E\"");
        std::string l(n, '\xE9');
        std::string expected = "\"";
        for (std::size_t i = 0; i < n; ++i) expected += "\xC3\xA9";
        CHECK(one({l.data(), l.size(), encoding::latin1}) == expected + '"');
    }
}

TEST_CASE("broken text is refused or repaired") {
    static constexpr dialect repair{.invalid = json::invalid_text::replace};
    static constexpr dialect repair_ascii{.escapes = &json::ascii_escapes, .invalid = json::invalid_text::replace};
    const std::string r = "\xEF\xBF\xBD";
    struct {
        std::string broken, repaired;
    } const cases[] = {
        {"\xFF", r},
        {"a\x80z", "a" + r + "z"},
        {"\xC3", r},
        {"\xC3(", r + "("},
        {"\xE2\x82", r},
        {"\xE2\x82x", r + "x"},
        {"\xE2x", r + "x"},
        {"\xF0\x9D\x84", r},
        {"\xF0\x9D\x84\xC3\xA9", r + "\xC3\xA9"},
        {"\xC0\xAF", r + r},
        {"\xE0\x80\xAF", r + r + r},
        {"\xED\xA0\x80", r + r + r},
        {"\xF4\x90\x80\x80", r + r + r + r},
        {"\xF0\x80\x80\x80", r + r + r + r},
    };
    for (const auto& c : cases) {
        CHECK(one(s(c.broken)) == "error encoding: text that is not valid UTF-8");
        CHECK(one(s(c.broken), json::ascii_only) == "error encoding: text that is not valid UTF-8");
        CHECK(one(s(c.broken), repair) == '"' + c.repaired + '"');
        for (const std::size_t n : {15, 16, 17, 4094, 4095, 4096, 5000}) {
            const std::string x(n, 'x');
            CHECK(one(s(x + c.broken), repair) == '"' + x + c.repaired + '"');
            CHECK(one(s(c.broken + x), repair) == '"' + c.repaired + x + '"');
            CHECK(one(s(x + c.broken)).starts_with("error encoding"));
        }
    }
    CHECK(one(s(std::string("\xFF")), repair_ascii) == "\"\\ufffd\"");
    const char16_t half[] = {'a', 0xD800, 'b', 0xDC00, 0xD800};
    CHECK(one({half, 5, encoding::utf16}) == "error encoding: text that is not valid UTF-16");
    CHECK(one({half, 5, encoding::utf16}, repair) == "\"a" + r + "b" + r + r + "\"");
    CHECK(made([&](json::writer& to) {
              KUMIHIMO_TRY(to.map(count{}));
              return to.key(text("\xFF", encoding::utf8));
          }) == "error encoding: text that is not valid UTF-8");
}

TEST_CASE("layouts") {
    const char* const trace =
        "map\nkey \"a\"\narray\ni64 1\narray\nend\nmap\nend\narray\ni64 2\nend\nend\nkey \"b\"\nmap\nkey "
        "\"c\"\nnull\nend\nend\n";
    CHECK(from_trace(trace) == R"({"a":[1,[],{},[2]],"b":{"c":null}})");
    CHECK(from_trace(trace, json::pretty) ==
          "{\n  \"a\": [\n    1,\n    [],\n    {},\n    [\n      2\n    ]\n  ],\n  \"b\": {\n    \"c\": null\n  }\n}");
    CHECK(from_trace(trace, json::ruby_pretty) == from_trace(trace, json::pretty));
    CHECK(from_trace(trace, json::python_default) == R"({"a": [1, [], {}, [2]], "b": {"c": null}})");
    static constexpr dialect odd{.layout = {" ,", " : ", "\r\n", "\t"}};
    CHECK(from_trace("map\nkey \"a\"\ni64 1\nkey \"b\"\ni64 2\nend\n", odd) == "{\r\n\t\"a\" : 1 ,\r\n\t\"b\" : 2\r\n}");
    CHECK(from_trace("str \"x\"\n", json::pretty) == "\"x\"");
    CHECK(from_trace("array\nend\n", json::pretty) == "[]");
}

TEST_CASE("floats by dialect") {
    const auto number = [](double x, const dialect& as) { return made([&](json::writer& to) { return to.f64(x); }, as); };
    CHECK(number(1.0, json::compact) == "1.0");
    CHECK(number(-0.0, json::compact) == "-0.0");
    CHECK(number(1.0, json::javascript) == "1");
    CHECK(number(1e21, json::javascript) == "1e+21");
    CHECK(number(1.0, json::python_compact) == "1.0");
    CHECK(number(1e16, json::python_compact) == "1e+16");
    CHECK(number(1e16, json::ruby_generate) == "1.0e+16");
    CHECK(number(0.1, json::compact) == "0.1");
    static constexpr dialect perl{.floats = scalar::float_layout::perl15};
    CHECK(number(0.1 + 0.2, perl) == "0.3");
    static constexpr dialect cpanel{.floats = scalar::float_layout::cpanel15};
    CHECK(number(1.0, cpanel) == "1.0");
    CHECK(number(2.9999999999999996, cpanel) == "3");
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    static constexpr dialect null{.non_finite = json::non_finite::null}, literal{.non_finite = json::non_finite::literal},
        quoted{.non_finite = json::non_finite::text};
    for (const double x : {inf, -inf, nan}) {
        CHECK(number(x, json::compact) ==
              "error unsupported: NaN or an infinity: JSON has none, and this dialect does not replace them");
        CHECK(number(x, null) == "null");
    }
    CHECK(number(nan, literal) == "NaN");
    CHECK(number(inf, literal) == "Infinity");
    CHECK(number(-inf, literal) == "-Infinity");
    CHECK(number(nan, quoted) == "\"NaN\"");
    CHECK(number(-inf, quoted) == "\"-Infinity\"");
    CHECK(from_trace("array\nf64 0x7ff8000000000000 nan\nf64 0x7ff0000000000000 inf\nend\n", json::python_default) ==
          "[NaN, Infinity]");
}

TEST_CASE("what JSON does not have, lowered") {
    static constexpr dialect url{.binary = json::binary::base64url}, none{.binary = json::binary::refuse};
    CHECK(from_trace("bin 0xfbff\n", url) == "\"-_8\"");
    CHECK(from_trace("bin 0x\n") == "\"\"");
    CHECK(from_trace("bin 0x00\n", none).starts_with("error unsupported: bytes"));
    static constexpr dialect data{.extension = json::extension::data}, object{.extension = json::extension::object};
    CHECK(from_trace("ext 5 0x0a\n").starts_with("error unsupported: an extension"));
    CHECK(from_trace("ext 5 0x0a\n", data) == "\"Cg==\"");
    CHECK(from_trace("array\next -1 0x0a\nnull\nend\n", object) == R"([{"type":-1,"data":"Cg=="},null])");
    static constexpr dialect quoted{.big = json::big_number::text};
    CHECK(from_trace("array\nbig 123456789012345678901\nend\n", quoted) == R"(["123456789012345678901"])");
    for (const char* const b : {"01", "", "-", "1.", "1e", "x", "1 ", " 1", "NaN", "0x1", "+1", "1e5.5"})
        CHECK(made([&](json::writer& to) { return to.big(text(b, encoding::ascii)); }).starts_with("error misuse"));
    for (const char* const b : {"0", "-0", "1.5", "1e400", "-1.25E-7", "123456789012345678901234567890"})
        CHECK(made([&](json::writer& to) { return to.big(text(b, encoding::ascii)); }) == b);
    static constexpr dialect epoch{.time = json::moment::epoch}, no_time{.time = json::moment::refuse};
    CHECK(from_trace("time utc 1482624000 500000000 0\n", epoch) == "1482624000.5");
    CHECK(from_trace("time utc 1482624000 0 0\n", epoch) == "1482624000");
    CHECK(from_trace("time utc -1 500000000 0\n", epoch) == "-0.5");
    CHECK(from_trace("time utc -2 500000000 0\n", epoch) == "-1.5");
    CHECK(from_trace("time utc -2 999999999 0\n", epoch) == "-1.000000001");
    CHECK(from_trace("time utc -9223372036854775808 1 0\n", epoch) == "-9223372036854775807.999999999");
    CHECK(from_trace("time utc 0 0 0\n", no_time).starts_with("error unsupported: a moment"));
    CHECK(from_trace("time offset 1482591600 0 32400\n") == "\"2016-12-25T00:00:00+09:00\"");
    CHECK(from_trace("time date 1482624000 0 0\n") == "\"2016-12-25\"");
    CHECK(from_trace("time utc 9223372036854775807 0 0\n").starts_with("error range"));
}

TEST_CASE("keys that are not text") {
    static constexpr dialect refuse{.keys = json::other_keys::refuse};
    const char* const all =
        "map\nkey\ni64 1\nnull\nkey\nboolean true\nnull\nkey\nnull\nnull\nkey\nf64 0x3fe0000000000000 0.5\nnull\nkey\nstr "
        "\"s\\\"\"\nnull\nkey\nbin 0x00\nnull\nkey\nbig 1e400\n"
        "null\nkey\nu64 18446744073709551615\nnull\nkey\ntime date 0 0 0\nnull\nend\n";
    CHECK(
        from_trace(all) ==
        R"({"1":null,"true":null,"null":null,"0.5":null,"s\"":null,"AA==":null,"1e400":null,"18446744073709551615":null,"1970-01-01":null})");
    CHECK(from_trace("map\nkey\ni64 1\narray\nend\nkey\nboolean false\nmap\nend\nend\n", json::pretty) ==
          "{\n  \"1\": [],\n  \"false\": {}\n}");
    CHECK(from_trace(all, refuse).starts_with("error unsupported: a key that is not text"));
    CHECK(from_trace("map\nkey\narray\nend\nnull\nend\n") == "error unsupported: a container as a key: JSON's keys are text");
    CHECK(from_trace("map\nkey\next 1 0x00\nnull\nend\n").starts_with("error unsupported"));
    static constexpr dialect epoch{.big = json::big_number::text, .time = json::moment::epoch};
    CHECK(from_trace("map\nkey\ntime utc 1 500000000 0\nnull\nkey\nbig 1e400\nnull\nend\n", epoch) ==
          R"({"1.5":null,"1e400":null})");
    CHECK(from_trace("map\nkey\nf64 0x7ff8000000000000 nan\nnull\nend\n", json::python_default) == R"({"NaN": null})");
}

TEST_CASE("verbs in a wrong order make no document") {
    const text a("a", encoding::ascii);
    const auto misuse = [](auto verbs) { return made(verbs).starts_with("error misuse"); };
    CHECK(misuse([](json::writer&) { return errc::ok; }));
    CHECK(misuse([](json::writer& to) { return to.end(); }));
    CHECK(misuse([](json::writer& to) { return to.array(count{}); }));
    CHECK(misuse([&](json::writer& to) { return to.key(a); }));
    CHECK(misuse([](json::writer& to) { return to.null() == errc::ok ? to.null() : errc::ok; }));
    CHECK(misuse([](json::writer& to) { return to.i64(1) == errc::ok ? to.array(count{}) : errc::ok; }));
    for (const auto verb : std::vector<errc (*)(json::writer&)>{
             [](json::writer& to) { return to.null(); }, [](json::writer& to) { return to.boolean(true); },
             [](json::writer& to) { return to.i64(1); }, [](json::writer& to) { return to.u64(1); },
             [](json::writer& to) { return to.f64(1); }, [](json::writer& to) { return to.big(text("1", encoding::ascii)); },
             [](json::writer& to) { return to.str(text("1", encoding::ascii)); }, [](json::writer& to) { return to.bin({}); },
             [](json::writer& to) { return to.time({}); }, [](json::writer& to) { return to.array(count{}); },
             [](json::writer& to) { return to.map(count{}); }}) {
        CHECK(misuse([&](json::writer& to) {
            KUMIHIMO_TRY(to.map(count{}));
            return verb(to);
        }));
        CHECK(misuse([&](json::writer& to) {
            KUMIHIMO_TRY(to.null());
            return verb(to);
        }));
    }
    CHECK(misuse([&](json::writer& to) {
        KUMIHIMO_TRY(to.map(count{}));
        KUMIHIMO_TRY(to.key(a));
        return to.key(a);
    }));
    CHECK(misuse([&](json::writer& to) {
        KUMIHIMO_TRY(to.map(count{}));
        KUMIHIMO_TRY(to.key(a));
        return to.end();
    }));
    CHECK(misuse([&](json::writer& to) {
        KUMIHIMO_TRY(to.array(count{}));
        return to.key(a);
    }));
    CHECK(misuse([&](json::writer& to) {
        KUMIHIMO_TRY(to.map(count{}));
        KUMIHIMO_TRY(to.key(next_value{}));
        return to.end();
    }));
}

TEST_CASE("limits") {
    const auto nested = [](json::writer& to) {
        for (int i = 0; i < 5; ++i) KUMIHIMO_TRY(to.array(count{}));
        for (int i = 0; i < 5; ++i) KUMIHIMO_TRY(to.end());
        return errc::ok;
    };
    CHECK(made(nested, json::compact, 5) == "[[[[[]]]]]");
    CHECK(made(nested, json::compact, 4) == "error depth: nested deeper than the depth limit");
    for (const std::string& body : {std::string(7, 'x'), std::string(20000, 'x')}) {
        buffer out;
        context ctx;
        ctx.limits.size = body.size() + 2;
        json::writer to(out, ctx);
        bytes document;
        CHECK(to.str(text(body)) == errc::ok);
        CHECK(to.finish(document) == errc::ok);
        ctx.limits.size = body.size() + 1;
        json::writer again(out, ctx);
        errc e = again.str(text(body));
        if (e == errc::ok) e = again.finish(document);
        CHECK(e == errc::size);
    }
}

TEST_CASE("memory that runs out is an error, wherever it does") {
    struct scarce {
        buffer inner;
        int left;
        char* reserve(std::size_t n) { return left-- > 0 ? inner.reserve(n) : nullptr; }
        void commit(char* p) { inner.commit(p); }
        const char* data() const { return inner.data(); }
        std::size_t size() const { return inner.size(); }
    };
    const std::string document = R"({"a":[1,2.5,"x\ny",true,null,{},[]],"b":"caf)"
                                 "\xC3\xA9\"}";
    for (const dialect* d : {&json::compact, &json::pretty, &json::ascii_only}) {
        int calls = 0;
        for (;; ++calls) {
            REQUIRE(calls < 1000);
            scarce out{{}, calls};
            context ctx;
            json::reader from(as_bytes(document), ctx);
            json::basic_writer<scarce> to(out, ctx, *d);
            bytes done;
            const errc e = pipe(from, to, done);
            if (e == errc::ok) break;
            CHECK(e == errc::memory);
        }
        CHECK(calls > 10);
    }
}

TEST_CASE("nothing outside the text is read beyond its page") {
    guarded room(std::size_t{1} << 12);
    std::memset(room.begin(), 'x', room.room());
    for (std::size_t n = 0; n < 100; ++n) {
        for (const encoding as : {encoding::ascii, encoding::utf8, encoding::latin1}) {
            CHECK(one({room.end() - n, n, as}) == '"' + std::string(n, 'x') + '"');
            CHECK(one({room.begin(), n, as}) == '"' + std::string(n, 'x') + '"');
        }
    }
    CHECK(one({nullptr, 0, encoding::utf8}) == "\"\"");
}
