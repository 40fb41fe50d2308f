// Bursts (core/burst.hpp): the same bytes as the verbs, the limits kept, in both formats.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "engine/json/burst.hpp"
#include "engine/json/writer.hpp"
#include "engine/msgpack/burst.hpp"
#include "engine/msgpack/writer.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;
using namespace helpers;

namespace {

static_assert(burst<json::burst<buffer>, buffer, json::dialect>);
static_assert(burst<msgpack::burst<buffer>, buffer, msgpack::dialect>);
static_assert(bursting_writer<json::writer>);
static_assert(!bursting_writer<msgpack::writer>);
static_assert(!burst<json::writer, buffer, json::dialect>);

/// A writer with a burst's verbs, so that one walk below serves both.
template <class W>
struct verbs {
    W& to;
    bool null() { return to.null() == errc::ok; }
    bool boolean(bool b) { return to.boolean(b) == errc::ok; }
    bool i64(std::int64_t n) { return to.i64(n) == errc::ok; }
    bool f64(double x) { return to.f64(x) == errc::ok; }
    bool str(const char* s, std::size_t n) { return to.str({s, n, encoding::utf8}) == errc::ok; }
    bool key(const char* s, std::size_t n) { return to.key({s, n, encoding::utf8}) == errc::ok; }
    bool open(bool map, std::size_t n) {
        const count c{static_cast<std::int64_t>(n)};
        return (map ? to.map(c) : to.array(c)) == errc::ok;
    }
    bool close(bool) { return to.end() == errc::ok; }
};

std::string any_text(std::mt19937_64& random) {
    static const char* const pieces[] = {"a", "\"", "\\", "\n", "\x01", "é", "漢", "plain text of some length", "\x7f", "😀"};
    std::string out;
    for (std::size_t n = random() % 4 == 0 ? random() % 300 : random() % 6; n != 0; --n) out += pieces[random() % 10];
    return out;
}

/// One random value: the same for the same seed.
template <class B>
bool put(B& b, std::mt19937_64& random, int depth) {
    switch (random() % (depth == 0 ? 5 : 8)) {
        case 0: return b.null();
        case 1: return b.boolean(random() % 2 != 0);
        case 2: return b.i64(static_cast<std::int64_t>(random()) >> random() % 64);
        case 3:
            return b.f64(static_cast<double>(static_cast<std::int64_t>(random())) / (1 + static_cast<double>(random() % 1000)));
        case 4: {
            const std::string s = any_text(random);
            return b.str(s.data(), s.size());
        }
        default: {
            const bool map = random() % 2 != 0;
            const std::size_t n = random() % 20;
            if (!b.open(map, n)) return false;
            for (std::size_t i = 0; i < n; ++i) {
                const std::string s = map ? any_text(random) : "";
                if (map && !b.key(s.data(), s.size())) return false;
                if (!put(b, random, depth - 1)) return false;
            }
            return b.close(map);
        }
    }
}

}  // namespace

TEST_CASE("a burst leaves the bytes of the verbs") {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        context ctx;
        bytes expected;
        {
            buffer out, direct;
            json::writer to(out, ctx);
            verbs<json::writer> slow{to};
            std::mt19937_64 one(seed), two(seed);
            REQUIRE(put(slow, one, 4));
            REQUIRE(to.finish(expected) == errc::ok);
            json::burst<buffer> fast(direct, json::compact);
            REQUIRE(put(fast, two, 4));
            fast.stop();
            REQUIRE(std::string(direct.data(), direct.size()) == as_string(expected) + ",");
        }
        {
            buffer out, direct;
            msgpack::writer to(out, ctx);
            verbs<msgpack::writer> slow{to};
            std::mt19937_64 one(seed), two(seed);
            REQUIRE(put(slow, one, 4));
            REQUIRE(to.finish(expected) == errc::ok);
            msgpack::burst<buffer> fast(direct, msgpack::standard);
            REQUIRE(put(fast, two, 4));
            fast.stop();
            REQUIRE(std::string(direct.data(), direct.size()) == as_string(expected));
        }
    }
}

TEST_CASE("a burst stops near the size limit, however much is still to come") {
    const std::string s(100, 'x');
    for (const std::size_t limit : {0, 1, 255, 256, 1000, 100000}) {
        CAPTURE(limit);
        const auto fill = [&](auto& b) {
            long n = 0;
            while (n < 10'000'000 && b.open(false, 1) && b.i64(n) && b.str(s.data(), s.size()) && b.close(false)) ++n;
            b.stop();
            return n;
        };
        buffer out;
        json::burst<buffer> j(out, json::compact, limit);
        CHECK(fill(j) < 10'000'000);
        CHECK(out.size() > limit);
        CHECK(out.size() <= limit + 1024);
        buffer other;
        msgpack::burst<buffer> m(other, msgpack::standard, limit);
        CHECK(fill(m) < 10'000'000);
        CHECK(other.size() > limit);
        CHECK(other.size() <= limit + 1024);
    }
}

TEST_CASE("a writer's burst: values aside keep the limit, and the last comma does not count") {
    for (const std::size_t limit : {9, 10, 11}) {
        buffer out;
        context ctx;
        ctx.limits.size = limit;
        json::writer to(out, ctx);
        REQUIRE(to.bursts());
        auto b = to.start_burst();
        REQUIRE((b.open(false, 2) && b.i64(123456) && b.i64(1) && b.close(false)));  // 10 bytes
        b.stop();
        bytes document;
        errc e = to.end_burst();
        CHECK((e == errc::ok) == (limit >= 10));
        if (e == errc::ok) e = to.finish(document);
        CHECK(e == (limit >= 10 ? errc::ok : errc::size));
        if (e == errc::ok) CHECK(as_string(document) == "[123456,1]");
    }
    buffer out;
    context ctx;
    ctx.limits.size = 1000;
    json::writer to(out, ctx);
    auto b = to.start_burst();
    REQUIRE(b.open(false, 0));
    errc e = errc::ok;
    for (int i = 0; e == errc::ok && i < 100000; ++i) {
        b.stop();
        e = to.value_aside([](json::writer& one) { return one.big(std::string_view("12345678901234567890123")); });
        b.resume();
    }
    CHECK(e == errc::size);
    CHECK(out.size() < 1100);
}

TEST_CASE("a burst is for compact dialects with the escapes of RFC 8259") {
    CHECK(json::burst<buffer>::suits(json::compact));
    CHECK(json::burst<buffer>::suits(json::javascript));
    CHECK_FALSE(json::burst<buffer>::suits(json::pretty));
    CHECK_FALSE(json::burst<buffer>::suits(json::ascii_only));
    CHECK_FALSE(json::burst<buffer>::suits(json::html_safe));
    CHECK(msgpack::burst<buffer>::suits(msgpack::standard));
}
