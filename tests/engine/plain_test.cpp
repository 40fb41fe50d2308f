// The plain host: what other hosts are held to.
#include <doctest/doctest.h>

#include <random>

#include "engine/core/pipe.hpp"
#include "engine/json/writer.hpp"
#include "hosts/plain/build.hpp"
#include "hosts/plain/walk.hpp"
#include "tests/engine/helpers.hpp"
#include "tests/engine/random_value.hpp"

using namespace kumihimo;
using namespace helpers;
using plain::value;

namespace {

value built(std::string_view trace) {
    context ctx;
    trace_source from(trace, ctx);
    plain::builder to(ctx);
    REQUIRE(from.feed(to) == errc::ok);
    return to.take();
}

std::string walked(const value& v) {
    context ctx;
    plain::walker from(v, ctx);
    return trace(from, ctx, {.counts = false});
}

}  // namespace

TEST_CASE("every kind of value") {
    CHECK(built("null\n").as<plain::null>());
    CHECK(*built("boolean true\n").as<bool>());
    CHECK(*built("i64 -7\n").as<std::int64_t>() == -7);
    CHECK(*built("u64 9223372036854775808\n").as<std::uint64_t>() == 9223372036854775808u);
    CHECK(built("f64 0x3ff8000000000000 1.5\n").as<plain::real>()->x == 1.5);
    CHECK(built("big 1e400\n").as<plain::big>()->digits == "1e400");
    CHECK(*built("str \"caf\\u{e9}\"\n").as<plain::string>() == "caf\xc3\xa9");
    CHECK(*built("bin 0x00ff\n").as<plain::bin>() == plain::bin{0, 255});
    CHECK(*built("ext 5 0x61\n").as<plain::ext>() == plain::ext{5, {'a'}});
    CHECK(*built("time date 86400 0 0\n").as<instant>() == instant{86400, 0, 0, instant::kind::date});
    CHECK(built("array\nnull\nend\n").as<plain::array>()->size() == 1);
    const value m = built("map\nkey \"a\"\ni64 1\nkey \"a\"\ni64 2\nkey\ni64 3\ni64 4\nend\n");
    CHECK(m.as<plain::map>()->size() == 3);
    CHECK(*m.find("a")->as<std::int64_t>() == 2);
    CHECK(m.find("b") == nullptr);
    CHECK(built("null\n").find("a") == nullptr);
}

TEST_CASE("values compare by their bits") {
    CHECK(value{plain::real{std::nan("")}} == value{plain::real{std::nan("")}});
    CHECK(value{plain::real{0.0}} != value{plain::real{-0.0}});
    CHECK(value{std::int64_t{1}} != value{plain::real{1.0}});
}

TEST_CASE("text of any encoding is UTF-8 in a std::string") {
    context ctx;
    const auto str = [&ctx](text t) {
        plain::builder to(ctx);
        const errc code = to.str(t);
        const value v = to.take();
        return code == errc::ok ? std::string(v.as<plain::string>()->view()) : std::string("error ") + name(code);
    };
    CHECK(str({"caf\xe9", encoding::latin1}) == "caf\xc3\xa9");
    CHECK(str({u"\U0001f600", 2, encoding::utf16}) == "\xf0\x9f\x98\x80");
    CHECK(str(text("\xff")) == "error encoding");
    const char16_t half = 0xd800;
    CHECK(str({&half, 1, encoding::utf16}) == "error encoding");
}

TEST_CASE("what does not make a document is refused, and take() gives null") {
    context ctx;
    plain::builder to(ctx);
    CHECK(to.array({}) == errc::ok);
    CHECK(to.take() == value{});
    CHECK(to.key(text("a")) == errc::misuse);
    CHECK(to.end() == errc::ok);
    CHECK(to.null() == errc::misuse);
    CHECK(to.take() == value{plain::array{}});
}

TEST_CASE("a count is a hint, not a promise to allocate") {
    context ctx;
    plain::builder to(ctx);
    CHECK(to.array({INT64_MAX / 4}) == errc::ok);
}

TEST_CASE("nesting is limited in both directions") {
    context ctx;
    ctx.limits.depth = 2;
    plain::builder to(ctx);
    CHECK(to.array({}) == errc::ok);
    CHECK(to.array({}) == errc::ok);
    CHECK(to.array({}) == errc::depth);

    const value deep{plain::array{value{plain::array{value{plain::array{}}}}}};
    context ctx2;
    ctx2.limits.depth = 2;
    plain::walker from(deep, ctx2);
    null_sink nothing;
    CHECK(from.feed(nothing) == errc::depth);
}

TEST_CASE("random values survive walk, trace, and build") {
    std::mt19937_64 random(3);
    for (int i = 0; i < 3000; ++i) {
        const value v = random_value(random, {});
        REQUIRE(built(walked(v)) == v);

        context ctx;  // a copy: walker into builder
        plain::walker from(v, ctx);
        plain::builder to(ctx);
        REQUIRE(from.feed(to) == errc::ok);
        REQUIRE(to.take() == v);
    }
}

namespace {

/// A writer's fourteen verbs and nothing more: takes no burst.
struct verbs_only {
    json::writer& to;
    errc null() { return to.null(); }
    errc boolean(bool b) { return to.boolean(b); }
    errc i64(std::int64_t n) { return to.i64(n); }
    errc u64(std::uint64_t n) { return to.u64(n); }
    errc f64(double x) { return to.f64(x); }
    errc big(text t) { return to.big(t); }
    errc str(text t) { return to.str(t); }
    errc bin(bytes b) { return to.bin(b); }
    errc time(const instant& at) { return to.time(at); }
    errc ext(int type, bytes b) { return to.ext(type, b); }
    errc array(count n) { return to.array(n); }
    errc map(count n) { return to.map(n); }
    errc key(text t) { return to.key(t); }
    errc key(next_value v) { return to.key(v); }
    errc end() { return to.end(); }
};

template <bool Burst>
std::string written(const value& v, const json::dialect& as, limits bounds = {}) {
    context ctx;
    ctx.limits = bounds;
    buffer out;
    out.append("before", 6);
    json::writer to(out, ctx, as);
    CHECK(to.bursts() == as.layout.compact());
    plain::walker from(v, ctx);
    errc code;
    if constexpr (Burst) {
        code = from.feed(to);
    } else {
        verbs_only verbs{to};
        code = from.feed(verbs);
    }
    bytes document;
    if (code == errc::ok) code = to.finish(document);
    if (code != errc::ok) return std::string("error ") + name(code) + ": " + ctx.failure.what;
    return std::string(reinterpret_cast<const char*>(document.data()), document.size());
}

}  // namespace

TEST_CASE("a burst writes what the verbs write") {
    json::dialect lowering = json::compact;  // everything has a spelling
    lowering.keys = json::other_keys::text;
    lowering.non_finite = json::non_finite::null;
    lowering.binary = json::binary::base64;
    lowering.extension = json::extension::object;
    lowering.time = json::moment::epoch;
    std::mt19937_64 random(5);
    int whole = 0;
    for (int i = 0; i < 4000; ++i) {
        const value v = random_value(random, {.json_only = i % 4 == 0});
        for (const json::dialect* const as : {&json::compact, static_cast<const json::dialect*>(&lowering)}) {
            const std::string text = written<true>(v, *as);
            REQUIRE(text == written<false>(v, *as));
            whole += !text.starts_with("error ");
        }
    }
    CHECK(whole > 2000);

    const value broken{plain::string("a\xff")};
    CHECK(written<true>(broken, json::compact).starts_with("error encoding"));
    CHECK(written<true>(value{plain::map{{broken, value{}}}}, json::compact).starts_with("error encoding"));
    CHECK(written<true>(value{plain::map{{value{plain::array{}}, value{}}}}, lowering).starts_with("error unsupported"));
    CHECK(written<true>(value{std::uint64_t{1} << 63}, json::compact) == "9223372036854775808");
    CHECK(written<true>(value{}, json::compact) == "null");

    // A document in a document: an array is open, and a burst writes one of its values.
    context ctx;
    buffer out;
    json::writer to(out, ctx);
    CHECK(to.array({}) == errc::ok);
    const value inner{plain::map{{value{plain::string("k")}, value{true}}}};
    for (int i = 0; i < 2; ++i) {
        plain::walker one(inner, ctx);
        CHECK(one.feed(to) == errc::ok);
    }
    CHECK(to.end() == errc::ok);
    plain::walker late(inner, ctx);
    CHECK(late.feed(to) == errc::misuse);
    bytes document;
    CHECK(to.finish(document) == errc::ok);
    CHECK(std::string(document.begin(), document.end()) == "[{\"k\":true},{\"k\":true}]");
}

TEST_CASE("limits hold in a burst") {
    const value deep{plain::array{value{plain::array{value{plain::map{}}}}}};
    for (std::size_t depth = 0; depth < 5; ++depth) {
        limits bounds;
        bounds.depth = depth;
        const std::string text = written<true>(deep, json::compact, bounds);
        CHECK(text == written<false>(deep, json::compact, bounds));
        CHECK(text.starts_with("error") == (depth < 3));
    }
    for (std::size_t size = 0; size < 12; ++size) {
        limits bounds;
        bounds.size = size;
        const std::string text = written<true>(deep, json::compact, bounds);
        CHECK(text == written<false>(deep, json::compact, bounds));
        CHECK(text.starts_with("error size") == (size < 6));
    }
    // Longer than what a burst asks for at once, the limit passed at every kind of place.
    std::vector<value> many;
    for (int i = 0; i < 60; ++i) {
        many.push_back(value{plain::map{{value{plain::string("key")}, value{plain::array{value{true}}}}}});
        many.push_back(value{plain::string(std::string(static_cast<std::size_t>(i), 'x'))});
    }
    const value long_one{plain::array(std::move(many))};
    const std::size_t whole = written<true>(long_one, json::compact).size();
    for (std::size_t size = 0; size < whole + 3; ++size) {
        limits bounds;
        bounds.size = size;
        const std::string text = written<true>(long_one, json::compact, bounds);
        REQUIRE(text == written<false>(long_one, json::compact, bounds));
        REQUIRE(text.starts_with("error size") == (size < whole));
    }
}

TEST_CASE("strings of every length, inside and outside of the value") {
    std::string s;
    for (int n = 0; n < 70; ++n, s += n % 3 == 0 ? "\xc3\xa9" : "x") {
        const plain::string a(s);
        CHECK(a.view() == s);
        CHECK(a.valid());
        CHECK((a.as_text().charset == encoding::ascii) == (n < 3));
        plain::string b = a;
        CHECK(b == a);
        const plain::string c = std::move(b);
        CHECK(c == a);
        CHECK(b.size() == 0);
        b = c;
        CHECK(b == s);
        const value v{b};
        value w = v;
        CHECK(w == v);
        w = value{std::int64_t{1}};
        CHECK(w != v);
    }
}
