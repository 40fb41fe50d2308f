// The plain host: what other hosts are held to.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <random>

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
