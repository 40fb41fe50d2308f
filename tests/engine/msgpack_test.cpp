// MessagePack beyond the vectors: what is large, random, hostile, or asked of the API.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"
#include "hosts/plain/build.hpp"
#include "hosts/plain/walk.hpp"
#include "tests/engine/helpers.hpp"
#include "tests/engine/random_value.hpp"

using namespace kumihimo;
using namespace helpers;
namespace mp = kumihimo::msgpack;

namespace {

/// A document by direct calls.
template <class F>
std::string by(F send, const mp::dialect& as = mp::standard) {
    context ctx;
    buffer out;
    mp::writer w(out, ctx, as);
    bytes b;
    errc code = send(w);
    if (code == errc::ok) code = w.finish(b);
    if (code != errc::ok) return std::string("error ") + name(code) + ": " + ctx.failure.what;
    return as_string(b);
}

template <class F>
bool refused(F send, errc code, const mp::dialect& as = mp::standard) {
    return by(send, as).starts_with(std::string("error ") + name(code) + ":");
}

/// Fills containers with n nulls (n pairs) and gives the first bytes.
std::string container(bool map, std::int64_t n, bool known) {
    const std::string all = by([&](mp::writer& w) {
        const count c{known ? n : count::unknown};
        KUMIHIMO_TRY(map ? w.map(c) : w.array(c));
        for (std::int64_t i = 0; i < n; ++i) {
            if (map) KUMIHIMO_TRY(w.key(text("")));
            KUMIHIMO_TRY(w.null());
        }
        return w.end();
    });
    const std::string values = map ? std::string("\xa0\xc0") : std::string("\xc0");
    std::size_t header = all.size() - static_cast<std::size_t>(n) * values.size();
    for (std::size_t i = header; i < all.size(); i += values.size()) REQUIRE(all.substr(i, values.size()) == values);
    return hex(all.substr(0, header));
}

}  // namespace

TEST_CASE("headers at their edges, counted before or after") {
    for (const bool known : {false, true}) {
        CHECK(container(false, 0, known) == "90");
        CHECK(container(false, 15, known) == "9f");
        CHECK(container(false, 16, known) == "dc0010");
        CHECK(container(false, 65535, known) == "dcffff");
        CHECK(container(false, 65536, known) == "dd00010000");
        CHECK(container(true, 15, known) == "8f");
        CHECK(container(true, 16, known) == "de0010");
        CHECK(container(true, 65535, known) == "deffff");
        CHECK(container(true, 65536, known) == "df00010000");
    }
    for (const auto& [n, header] : {std::pair{65535, "daffff"}, std::pair{65536, "db00010000"}}) {
        const std::string s(static_cast<std::size_t>(n), 'x');
        CHECK(hex(by([&](auto& w) { return w.str({s, encoding::ascii}); })) == header + hex(s));
    }
    for (const auto& [n, header] : {std::pair{65535, "c5ffff"}, std::pair{65536, "c600010000"}}) {
        const std::string s(static_cast<std::size_t>(n), 'x');
        CHECK(hex(by([&](auto& w) { return w.bin(as_bytes(s)); })) == header + hex(s));
    }
    for (const auto& [n, header] : {std::pair{65535, "c8ffff07"}, std::pair{65536, "c90001000007"}}) {
        const std::string s(static_cast<std::size_t>(n), 'x');
        CHECK(hex(by([&](auto& w) { return w.ext(7, as_bytes(s)); })) == header + hex(s));
    }
}

TEST_CASE("text in any encoding becomes UTF-8") {
    const auto str = [](text t) { return by([&](auto& w) { return w.str(t); }); };
    CHECK(str({"caf\xe9", encoding::latin1}) ==
          "\xa5"
          "caf\xc3\xa9");
    CHECK(str({u"caf\u00e9\U0001f600", 6, encoding::utf16}) ==
          "\xa9"
          "caf\xc3\xa9\xf0\x9f\x98\x80");
    const std::string long_latin(40, '\xe9');  // 40 units, 80 bytes: the header is of the bytes
    CHECK(str({long_latin, encoding::latin1}).substr(0, 2) == "\xd9\x50");
    const char16_t half[] = {u'a', 0xdc00};
    CHECK(refused([&](auto& w) { return w.str({half, 2, encoding::utf16}); }, errc::encoding));
    // WTF-8: what stands beside the half is itself.
    const auto kept = [&](const mp::dialect& as) { return by([&](auto& w) { return w.str({half, 2, encoding::utf16}); }, as); };
    CHECK(kept(mp::lenient) ==
          "\xc4\x04"
          "a\xed\xb0\x80");
    CHECK(kept(mp::ruby) ==
          "\xa4"
          "a\xed\xb0\x80");
    std::string wtf8;
    for (int i = 0; i < 100; ++i) wtf8 += "\xed\xa0\x80";
    const std::u16string halves = u"\U0001f600" + std::u16string(100, u'\xd800');
    CHECK(by(
              [&](auto& w) {
                  return w.str({halves.data(), halves.size(), encoding::utf16});
              },
              mp::ruby) == "\xda\x01\x30\xf0\x9f\x98\x80" + wtf8);
    std::string late(1000, 'a');
    late += '\xff';
    CHECK(refused([&](auto& w) { return w.str(text(late)); }, errc::encoding));
}

TEST_CASE("what the format cannot say is lowered or refused, as the dialect says") {
    const instant there{1482625280, 0, 32400, instant::kind::offset};
    CHECK(refused([&](auto& w) { return w.time(there); }, errc::unsupported, mp::exact));
    CHECK(refused([&](auto& w) { return w.time({0, 1'000'000'000, 0, instant::kind::utc}); }, errc::range));
    CHECK(refused([&](auto& w) { return w.time({INT64_MAX, 0, 0, instant::kind::naive}); }, errc::range));
    CHECK(refused([&](auto& w) { return w.ext(-129, {}); }, errc::range));
    CHECK(refused([&](auto& w) { return w.big({"1e400", encoding::ascii}); }, errc::unsupported, mp::exact));
    CHECK(refused([&](auto& w) { return w.array({std::int64_t{1} << 32}); }, errc::size));
}

TEST_CASE("verbs in a wrong order are misuse, never a wrong document") {
    CHECK(refused([](auto&) { return errc::ok; }, errc::misuse));
    CHECK(refused([](auto& w) { return w.array({}); }, errc::misuse));
    CHECK(refused([](auto& w) { return w.end(); }, errc::misuse));
    CHECK(refused([](auto& w) { return w.null(), w.null(); }, errc::misuse));
    CHECK(refused([](auto& w) { return w.map({}), w.null(); }, errc::misuse));
    CHECK(refused([](auto& w) { return w.map({}), w.key(text("a")), w.end(); }, errc::misuse));
    CHECK(refused([](auto& w) { return w.array({2}), w.null(), w.end(); }, errc::misuse));
    CHECK(refused([](auto& w) { return w.array({1}), w.null(), w.null(); }, errc::misuse));
}

TEST_CASE("limits hold in both directions") {
    context ctx;
    ctx.limits.size = 100;
    buffer out;
    mp::writer w(out, ctx);
    const std::string s(101, 'x');
    CHECK(w.str(text(s)) == errc::size);

    context deep;
    deep.limits.depth = 2;
    mp::writer w2(out, deep);
    CHECK(w2.array({}) == errc::ok);
    CHECK(w2.array({}) == errc::ok);
    CHECK(w2.map({}) == errc::depth);

    context small;
    small.limits.size = 3;
    null_sink nothing;
    const std::string document = "\x93\x01\x02\x03";
    mp::reader r(as_bytes(document), small);
    CHECK(r.feed(nothing) == errc::size);

    context shallow;
    shallow.limits.depth = 1;
    const std::string nested = "\x91\x90";
    mp::reader r2(as_bytes(nested), shallow);
    CHECK(r2.feed(nothing) == errc::depth);
    CHECK(shallow.failure.offset == 1);
    CHECK(shallow.failure.path == "$[0]");
}

TEST_CASE("deep nesting costs no stack") {
    std::string document(1'000'000, '\x91');
    document.back() = '\x90';
    context ctx;
    ctx.limits.depth = 1'000'000;
    mp::reader from(as_bytes(document), ctx);
    buffer out;
    mp::writer to(out, ctx);
    bytes b;
    CHECK(pipe(from, to, b) == errc::ok);
    CHECK(as_string(b) == document);

    // The same depth with every count unknown: settled once, in linear time.
    buffer out2;
    mp::writer late(out2, ctx);
    for (int i = 0; i < 1'000'000; ++i) REQUIRE(late.array({}) == errc::ok);
    for (int i = 0; i < 1'000'000; ++i) REQUIRE(late.end() == errc::ok);
    CHECK(late.finish(b) == errc::ok);
    CHECK(as_string(b) == document);
}

TEST_CASE("hostile counts make nobody allocate") {
    for (const char* h :
         {"ddffffffff010203", "dfffffffff010203", "dbffffffff616263", "c6ffffffff616263", "c9ffffffff05616263"}) {
        context ctx;
        const std::string document = unhex(h);
        mp::reader from(as_bytes(document), ctx);
        plain::builder built(ctx);
        CHECK(from.feed(built) == errc::truncated);
        CHECK(ctx.failure.offset == 0);
    }
}

TEST_CASE("a stream of documents") {
    const std::string stream = unhex("01 a161 92c0c3 80");
    context ctx;
    mp::reader from(as_bytes(stream), ctx);
    std::string all;
    std::vector<std::size_t> places;
    while (from.more()) {
        places.push_back(from.position());
        buffer out;
        trace_sink to(out, ctx, {.counts = false});
        REQUIRE(from.next(to) == errc::ok);
        all += to.view();
    }
    CHECK(all == "i64 1\nstr \"a\"\narray\nnull\nboolean true\nend\nmap\nend\n");
    CHECK(places == std::vector<std::size_t>{0, 1, 3, 6});
    CHECK(from.position() == 7);

    const std::string broken = unhex("01 9201c1");
    context ctx2;
    mp::reader from2(as_bytes(broken), ctx2);
    null_sink nothing;
    CHECK(from2.next(nothing) == errc::ok);
    CHECK(from2.next(nothing) == errc::syntax);
    CHECK(ctx2.failure.offset == 3);
    CHECK(ctx2.failure.path == "$[1]");
}

TEST_CASE("several documents in one buffer") {
    context ctx;
    buffer out;
    mp::writer w(out, ctx);
    bytes first, second;
    CHECK(w.array({}) == errc::ok);
    CHECK(w.end() == errc::ok);
    CHECK(w.finish(first) == errc::ok);
    CHECK(as_string(first) == "\x90");
    CHECK(w.map({}) == errc::ok);
    CHECK(w.key(text("a")) == errc::ok);
    CHECK(w.array({}) == errc::ok);
    CHECK(w.end() == errc::ok);
    CHECK(w.end() == errc::ok);
    CHECK(w.finish(second) == errc::ok);
    CHECK(as_string(second) ==
          "\x81\xa1"
          "a\x90");
    CHECK(std::string(out.data(), out.size()) ==
          "\x90\x81\xa1"
          "a\x90");
}

TEST_CASE("a str that is not text, by dialect") {
    const std::string document = unhex("81 a1ff a2c080");
    context ctx;
    mp::reader from(as_bytes(document), ctx, mp::raw_read);
    CHECK(trace(from, ctx) == "map 1\nkey\nbin 0xff\nbin 0xc080\nend\n");
    CHECK(read<mp::reader>(document).starts_with("error encoding 2 $"));
    mp::reader keeping(as_bytes(document), ctx, mp::ruby_read);
    CHECK(trace(keeping, ctx) == "map 1\nkey \"\\xff\"\nstr \"\\xc0\\x80\"\nend\n");
    CHECK(by(
              [&](auto& w) {
                  return w.str({"a\xff", encoding::utf8});
              },
              mp::ruby) ==
          "\xa2"
          "a\xff");
}

TEST_CASE("a sink's refusal is told with its place") {
    struct no_big : null_sink {
        errc u64(std::uint64_t) { return errc::range; }
    };
    const std::string document = unhex("81 a161 92 01 cfffffffffffffffff");
    context ctx;
    mp::reader from(as_bytes(document), ctx);
    no_big to;
    CHECK(from.feed(to) == errc::range);
    CHECK(ctx.failure.code == errc::range);
    CHECK(ctx.failure.offset == 5);
    CHECK(ctx.failure.path == "$.a[1]");
}

TEST_CASE("every first byte, followed by anything") {
    std::mt19937 random(7);
    for (int c = 0; c < 256; ++c) {
        for (int round = 0; round < 200; ++round) {
            std::string document(1, static_cast<char>(c));
            const std::size_t n = random() % 24;
            for (std::size_t i = 0; i < n; ++i) document += static_cast<char>(random() % 4 ? random() % 256 : random() % 4);
            context ctx;
            mp::reader from(as_bytes(document), ctx);
            plain::builder built(ctx);
            const errc code = from.next(built);
            const mp::header h = mp::read_header(as_bytes(document).data(), as_bytes(document).data() + document.size());
            if (h.is == mp::header::kind::reserved) CHECK(code == errc::syntax);
            if (h.is == mp::header::kind::cut) CHECK(code == errc::truncated);
            if (code != errc::ok) {
                CHECK(ctx.failure.code == code);
                CHECK(ctx.failure.offset <= document.size());
                CHECK(ctx.failure.path.starts_with("$"));
            } else if (h.values == 0) {
                CHECK(from.position() == h.size + h.payload);
            }
        }
    }
}

TEST_CASE("random values survive the round trip") {
    std::mt19937_64 random(11);
    for (int i = 0; i < 3000; ++i) {
        const plain::value v = random_value(random, {.utc_only = true, .small_ext = true, .no_big = true});
        context ctx;
        buffer out;
        plain::walker walk(v, ctx);
        mp::writer to(out, ctx);
        bytes document;
        REQUIRE(pipe(walk, to, document) == errc::ok);
        mp::reader from(document, ctx);
        plain::builder built(ctx);
        REQUIRE(from.feed(built) == errc::ok);
        REQUIRE(built.take() == v);

        // Counts that come late give the same bytes.
        plain::walker again(v, ctx);
        buffer lines, out2;
        trace_sink traced(lines, ctx, {.counts = false});
        REQUIRE(again.feed(traced) == errc::ok);
        trace_source from_trace(traced.view(), ctx);
        mp::writer late(out2, ctx);
        bytes document2;
        REQUIRE(pipe(from_trace, late, document2) == errc::ok);
        REQUIRE(as_string(document) == as_string(document2));
    }
}
