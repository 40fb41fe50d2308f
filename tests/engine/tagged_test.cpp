// Tagged beyond the vectors: what is large, random, hostile, or asked of the API.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/tagged/reader.hpp"
#include "engine/tagged/writer.hpp"
#include "hosts/plain/build.hpp"
#include "hosts/plain/walk.hpp"
#include "tests/engine/helpers.hpp"
#include "tests/engine/random_value.hpp"

using namespace kumihimo;
using namespace helpers;
namespace tg = kumihimo::tagged;

namespace {

const std::string mark = "\xc1\xfe\x54";

/// A document by direct calls.
template <class F>
std::string by(F send, const tg::dialect& as = tg::safe) {
    context ctx;
    buffer out;
    tg::writer w(out, ctx, as);
    bytes b;
    errc code = send(w);
    if (code == errc::ok) code = w.finish(b);
    if (code != errc::ok) return std::string("error ") + name(code) + ": " + ctx.failure.what;
    return as_string(b);
}
template <class F>
bool refused(F send, errc code, const tg::dialect& as = tg::safe) {
    return by(send, as).starts_with(std::string("error ") + name(code) + ":");
}

std::string written(std::string_view trace, const tg::dialect& as = tg::safe) { return write<tg::writer>(trace, as); }
std::string back(std::string_view document) { return read<tg::reader>(document, {.counts = false}); }

std::string rows(int n, const char* keys) {
    std::string lines = "array\n";
    for (int i = 0; i < n; ++i) {
        lines += "map\n";
        for (const char* k = keys; *k != 0; ++k) lines += std::string("key \"name_") + *k + "\"\ni64 1\n";
        lines += "end\n";
    }
    return lines + "end\n";
}

}  // namespace

TEST_CASE("headers at their edges") {
    for (const auto& [n, header] : {std::pair{255, "d0ff"}, {256, "d10001"}, {65535, "d1ffff"}, {65536, "d200000100"}}) {
        const std::string s(static_cast<std::size_t>(n), 'x');
        CHECK(hex(by([&](auto& w) { return w.str({s, encoding::ascii}); })) == hex(mark) + header + hex(s));
    }
    for (const auto& [n, header] : {std::pair{255, "d4ff"}, {256, "d50001"}, {65535, "d5ffff"}, {65536, "d600000100"}}) {
        const std::string s(static_cast<std::size_t>(n), 'x');
        CHECK(hex(by([&](auto& w) { return w.bin(as_bytes(s)); })) == hex(mark) + header + hex(s));
    }
    for (const auto& [n, header] : {std::pair{31, "bf"}, {32, "dc20"}, {127, "dc7f"}, {128, "dc8001"}, {16384, "dc808001"}}) {
        const std::string s(static_cast<std::size_t>(n), 'x');
        const std::string document = by([&](auto& w) { return w.map({1}), w.key({s, encoding::ascii}), w.null(), w.end(); });
        CHECK(hex(document) == hex(mark) + "c5" + header + hex(s) + "c0c6");
        CHECK(back(document) == "map\nkey \"" + s + "\"\nnull\nend\n");
    }
}

TEST_CASE("text in any encoding becomes UTF-8, as a value and as a name") {
    const auto both = [](text t, const tg::dialect& as) {
        return back(by([&](auto& w) { return w.map({}), w.key(t), w.str(t), w.end(); }, as));
    };
    for (const auto* as : {&tg::safe, &tg::study}) {
        CHECK(both({"caf\xe9", encoding::latin1}, *as) == "map\nkey \"caf\\u{e9}\"\nstr \"caf\\u{e9}\"\nend\n");
        CHECK(both({u"\u00e9\U0001f600", 3, encoding::utf16}, *as) ==
              "map\nkey \"\\u{e9}\\u{1f600}\"\nstr \"\\u{e9}\\u{1f600}\"\nend\n");
        const char16_t half[] = {u'a', 0xdc00};
        CHECK(refused([&](auto& w) { return w.str({half, 2, encoding::utf16}); }, errc::encoding, *as));
        CHECK(refused([&](auto& w) { return w.map({}), w.key({half, 2, encoding::utf16}); }, errc::encoding, *as));
        CHECK(refused([&](auto& w) { return w.str(text("a\xff")); }, errc::encoding, *as));
        CHECK(refused([&](auto& w) { return w.map({}), w.key(text("\xff")); }, errc::encoding, *as));
        CHECK(refused([&](auto& w) { return w.str(text(std::string(1000, 'a') + '\xff')); }, errc::encoding, *as));
    }
    // Among names with numbers: one name, however it comes.
    const std::string document = by([&](auto& w) {
        KUMIHIMO_TRY(w.array({}));
        for (int i = 0; i < 9; ++i) {
            KUMIHIMO_TRY(w.map({}));
            KUMIHIMO_TRY(i % 3 == 0   ? w.key({"\xe9", encoding::latin1})
                         : i % 3 == 1 ? w.key({u"\u00e9", 1, encoding::utf16})
                                      : w.key(text("\u00e9")));
            KUMIHIMO_TRY(w.null());
            KUMIHIMO_TRY(w.end());
        }
        return w.end();
    });
    CHECK(hex(document) == hex(mark) + "c4" + "c5a2c3a9c0c6c5a2c3a9c0c6c5a2c3a9c0c6" + "c5db02c3a9c0c6" +
                               "c540c0c6c540c0c6c540c0c6c540c0c6c540c0c6" + "c6");
    CHECK(refused(
        [&](auto& w) {
            for (int i = 0; i < 4; ++i) KUMIHIMO_TRY((i == 0 ? w.array({}) : w.map({}), i == 0 ? errc::ok : w.end()));
            return w.map({}), w.key(text("\xff"));
        },
        errc::encoding));
}

TEST_CASE("names have numbers from the fourth map on") {
    const std::string document = written(rows(6, "ab"));
    const std::string first =
        "c5"
        "a6" +
        hex("name_a") + "01a6" + hex("name_b") + "01c6";
    CHECK(hex(document) == hex(mark) + "c4" + first + first + first + "c5db06" + hex("name_a") + "01db06" + hex("name_b") +
                               "01c6" +
                               "c5400141"
                               "01c6c540014101c6" +
                               "c6");
    CHECK(back(document) == rows(6, "ab"));
}

TEST_CASE("more names than numbers, names that never come again, and names that come again after those") {
    std::mt19937 random(3);
    for (const int distinct : {63, 64, 65, 320, 4159, 4160, 4161, 9000}) {
        std::string lines = "array\n";
        for (int i = 0; i < 20000; ++i) {
            const auto n = i < distinct ? static_cast<unsigned>(i) : random() % static_cast<unsigned>(distinct);
            // Every name a second time at once, so that searching goes on.
            lines += "map\nkey \"n" + std::to_string(n) + "\"\nnull\nkey \"n" + std::to_string(n) + "\"\nnull\nend\n";
        }
        lines += "end\n";
        const std::string document = written(lines);
        REQUIRE(back(document) == lines);
    }
    std::string lines = "array\nmap\nend\nmap\nend\nmap\nend\nmap\n";
    for (int i = 0; i < 30000; ++i) lines += "key \"unique" + std::to_string(i) + "\"\nnull\n";
    lines += "end\n";
    const std::string table = rows(2000, "abcde");
    lines += table + "end\n";
    const std::string document = written(lines);
    CHECK(back(document) == lines);
    CHECK(document.size() < 30000 * 14 + 2000 * 13 + 20000);  // the rows have their numbers in spite of what came before
}

TEST_CASE("names chosen to collide cost no more than others") {
    // The hash looks at the ends and the middle of a long name: these differ elsewhere.
    std::string lines = "array\nmap\nend\nmap\nend\nmap\nend\n";
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 3000; ++i) {
            std::string n = std::to_string(10000 + i);
            lines += "map\nkey \"aaaaaaaaaa" + n + std::string(40, 'b') + "\"\nnull\nend\n";
        }
    }
    lines += "end\n";
    CHECK(back(written(lines)) == lines);
}

TEST_CASE("an output that moves while names point into it") {
    // Each document begins behind the last one in the same buffer, and the buffer grows all the time.
    context ctx;
    buffer out;
    tg::writer w(out, ctx);
    std::string stream;
    for (int i = 0; i < 50; ++i) {
        trace_source from(i % 2 == 0 ? rows(20, "abc") : rows(7, "cdefa"), ctx);
        bytes document;
        const std::string lines = i % 2 == 0 ? rows(20, "abc") : rows(7, "cdefa");
        trace_source again(lines, ctx);
        REQUIRE(again.feed(w) == errc::ok);
        REQUIRE(w.finish(document) == errc::ok);
        REQUIRE(back(as_string(document)) == lines);
        stream += as_string(document);
    }
    CHECK(std::string(out.data(), out.size()) == stream);
    tg::reader from(as_bytes(stream), ctx);
    null_sink nothing;
    int documents = 0;
    for (; from.more(); ++documents) REQUIRE(from.next(nothing) == errc::ok);
    CHECK(documents == 50);
}

TEST_CASE("begin forgets, begin_key writes a key") {
    for (const bool study : {false, true}) {
        const tg::dialect& as = study ? tg::study : tg::safe;
        context ctx;
        buffer out;
        tg::writer w(out, ctx, as);
        bytes b;
        REQUIRE(w.map({}) == errc::ok);
        REQUIRE(w.key(text("a")) == errc::ok);
        out.clear();
        w.begin();
        REQUIRE(w.i64(1) == errc::ok);
        REQUIRE(w.finish(b) == errc::ok);
        CHECK(hex(as_string(b)) == (study ? "0100000002" : "c1fe5401"));
        w.begin_key();
        CHECK(w.null() == errc::misuse);
        ctx.clear();
        w.begin_key();
        REQUIRE(w.key(text("abc")) == errc::ok);
        CHECK(w.key(text("abc")) == errc::misuse);
        ctx.clear();
        REQUIRE(w.finish(b) == errc::ok);
        CHECK(hex(as_string(b)) == (study ? "616263" : "a3616263"));
        w.begin_key();
        REQUIRE(w.key(next_value{}) == errc::ok);
        REQUIRE(w.str(text("ab")) == errc::ok);
        REQUIRE(w.finish(b) == errc::ok);
        CHECK(hex(as_string(b)) == (study ? "6162" : "dd826162"));
        REQUIRE(w.null() == errc::ok);
        REQUIRE(w.finish(b) == errc::ok);
        CHECK(hex(as_string(b)) == (study ? "0000000000" : "c1fe54c0"));
    }
    // No name of a lone key gets a number.
    const std::string key = by([](auto& w) {
        w.begin_key();
        KUMIHIMO_TRY(w.key(next_value{}));
        KUMIHIMO_TRY(w.array({}));
        for (int i = 0; i < 6; ++i) KUMIHIMO_TRY((w.map({}), w.key(text("a")), w.null(), w.end()));
        return w.end();
    });
    std::string maps;
    for (int i = 0; i < 6; ++i) maps += "c5a161c0c6";
    CHECK(hex(key) == "ddc4" + maps + "c6");
}

TEST_CASE("what the layout study cannot say is refused") {
    const auto no = [](std::string_view trace, const char* code) {
        CAPTURE(std::string(trace));
        CHECK(written(trace, tg::study).starts_with(std::string("error ") + code + ":"));
        CHECK(back(written(trace)) == trace);
    };
    no("map\nend\n", "unsupported");
    no("map\nkey \"f3234\"\ni64 1\nkey \"f13293\"\ni64 2\nend\n", "unsupported");
    no("map\nkey \"f3234\"\ni64 1\nkey \"f13293\"\nnull\nend\n", "unsupported");
    no("array\nmap\nkey \"f3234\"\ni64 1\nend\nmap\nkey \"f13293\"\ni64 2\nend\nend\n", "unsupported");
    no("map\nkey \"a\"\ni64 1\nkey \"a\"\ni64 2\nend\n", "duplicate");
    no("map\nkey \"a\"\ni64 1\nkey \"a\"\nnull\nend\n", "duplicate");
    no("map\nkey\ni64 1\nnull\nend\n", "unsupported");
    no("map\nkey\nnull\nnull\nend\n", "unsupported");
    no("map\nkey\nf64 0x3ff8000000000000 1.5\nnull\nend\n", "unsupported");
    no("map\nkey\narray\nend\nnull\nend\n", "unsupported");
    no("map\nkey\nbig 1e400\nnull\nend\n", "unsupported");
    no("bin 0x00\n", "unsupported");
    no("ext 5 0x00\n", "unsupported");
    no("time utc 0 0 0\n", "unsupported");
    // A name whose 24 bits are 0, found by search: as the outermost field its tag would be that of a bare value.
    std::string zero;
    for (int i = 0; zero.empty(); ++i)
        if ((tg::published::hash("z" + std::to_string(i)) & 0xffffff) == 0) zero = "z" + std::to_string(i);
    no("map\nkey \"" + zero + "\"\ni64 1\nend\n", "unsupported");
    const std::string inside = "map\nkey \"a\"\nmap\nkey \"" + zero + "\"\ni64 1\nend\nend\n";
    CHECK(back(written(inside, tg::study)) == inside);
    CHECK(back(written("map\nkey\nstr \"a\"\ni64 1\nend\n", tg::study)) == "map\nkey \"a\"\ni64 1\nend\n");
    CHECK(back(written("array\nboolean true\nboolean false\nf64 0x7ff8000000000000 nan\nend\n", tg::study)) ==
          "array\ni64 1\ni64 0\nnull\nend\n");
    // A document that was refused leaves nothing behind.
    context ctx;
    buffer out;
    tg::writer w(out, ctx, tg::study);
    bytes b;
    CHECK(w.map({}) == errc::ok);
    CHECK(w.end() == errc::ok);
    CHECK(w.finish(b) == errc::unsupported);
    CHECK(out.size() == 0);
    w.begin();
    CHECK(w.null() == errc::ok);
    CHECK(w.finish(b) == errc::ok);
    CHECK(as_string(b) == std::string(5, '\0'));
}

TEST_CASE("the hash of the layout study") {
    // The published examples, and what tells this hash from MurmurHash2: the order and the sign of the last bytes.
    const auto hash = [](const char* s) { return tg::published::hash(s); };
    CHECK(hash("a") == 0x2a874496);
    CHECK(hash("b") == 0x86e8f941);
    CHECK(hash("ab") == 0x94dbd4ea);
    CHECK(hash("abc") == 0xa8a4d9d3);
    CHECK(hash("organization") == 0x5a39cc67);
    CHECK(hash("\xc3\xa9") == 0xbcf0d56a);
    CHECK((hash("f3234") & 0xffffff) == (hash("f13293") & 0xffffff));
}

TEST_CASE("a layout can be asked for") {
    const std::string safe = mark + "\x01", study("\x01\0\0\0\x02", 5);
    const auto code = [](const std::string& document, const tg::read_dialect& granted) {
        context ctx;
        null_sink nothing;
        return tg::reader(as_bytes(document), ctx, granted).feed(nothing);
    };
    CHECK(code(safe, tg::standard_read) == errc::ok);
    CHECK(code(study, tg::standard_read) == errc::ok);
    CHECK(code(safe, tg::safe_read) == errc::ok);
    CHECK(code(study, tg::safe_read) == errc::syntax);
    CHECK(code(safe, tg::study_read) == errc::syntax);
    CHECK(code(study, tg::study_read) == errc::ok);
}

TEST_CASE("verbs in a wrong order are misuse, never a wrong document") {
    for (const auto* as : {&tg::safe, &tg::study}) {
        CHECK(refused([](auto&) { return errc::ok; }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.array({}); }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.end(); }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.null(), w.null(); }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.map({}), w.null(); }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.map({}), w.key(text("a")), w.end(); }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.array({2}), w.null(), w.end(); }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.array({1}), w.null(), w.null(); }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.big({"01", encoding::ascii}); }, errc::range, *as));
        CHECK(refused([](auto& w) { return w.big({"", encoding::ascii}); }, errc::range, *as));
        CHECK(refused([](auto& w) { return w.time({0, 1'000'000'000, 0, instant::kind::utc}); }, errc::range, *as));
    }
}

TEST_CASE("limits hold in both directions") {
    for (const auto* as : {&tg::safe, &tg::study}) {
        context ctx;
        ctx.limits.size = 100;
        buffer out;
        tg::writer w(out, ctx, *as);
        bytes b;
        const std::string s(101, 'x');
        errc code = w.str(text(s));
        if (code == errc::ok) code = w.finish(b);
        CHECK(code == errc::size);
        CHECK(ctx.failure.code == errc::size);

        context deep;
        deep.limits.depth = 2;
        tg::writer w2(out, deep, *as);
        CHECK(w2.array({}) == errc::ok);
        CHECK(w2.array({}) == errc::ok);
        CHECK(w2.map({}) == errc::depth);

        const std::string document = written("array\narray\nend\nend\n", *as);
        null_sink nothing;
        context small;
        for (small.limits.size = 0; small.limits.size < document.size(); ++small.limits.size) {
            small.clear();
            CHECK(tg::reader(as_bytes(document), small).feed(nothing) == errc::size);
        }
        small.clear();
        CHECK(tg::reader(as_bytes(document), small).feed(nothing) == errc::ok);
        context shallow;
        shallow.limits.depth = 1;
        CHECK(tg::reader(as_bytes(document), shallow).feed(nothing) == errc::depth);
        CHECK(shallow.failure.path == "$[0]");
        const std::string map = written("map\nkey \"a\"\nnull\nend\n", *as);
        context flat;
        flat.limits.depth = 0;
        CHECK(tg::reader(as_bytes(map), flat).feed(nothing) == errc::depth);
    }
}

TEST_CASE("deep nesting costs no stack") {
    const int depth = 100'000;
    for (const auto* as : {&tg::safe, &tg::study}) {
        context ctx;
        ctx.limits.depth = depth;
        buffer out;
        tg::writer w(out, ctx, *as);
        for (int i = 0; i < depth; ++i) REQUIRE(w.array({}) == errc::ok);
        for (int i = 0; i < depth; ++i) REQUIRE(w.end() == errc::ok);
        bytes b;
        REQUIRE(w.finish(b) == errc::ok);
        null_sink nothing;
        CHECK(tg::reader(b, ctx).feed(nothing) == errc::ok);
        ctx.limits.depth = depth - 1;
        CHECK(tg::reader(b, ctx).feed(nothing) == errc::depth);
    }
}

TEST_CASE("a sink's refusal is told with its place") {
    struct no_big : null_sink {
        errc u64(std::uint64_t) { return errc::range; }
    };
    for (const auto* as : {&tg::safe, &tg::study}) {
        const std::string document = written("map\nkey \"a\"\narray\ni64 1\nu64 18446744073709551615\nend\nend\n", *as);
        context ctx;
        no_big to;
        tg::reader from(as_bytes(document), ctx);
        CHECK(from.feed(to) == errc::range);
        CHECK(ctx.failure.path == "$.a[1]");
    }
}

namespace {

/// Keeps what every verb stands for.
struct places : null_sink {
    bool wants_places() const { return true; }
    void at(std::size_t begin, std::size_t end) { next = {begin, end}; }
    errc i64(std::int64_t) { return all.push_back(next), errc::ok; }
    errc str(text) { return all.push_back(next), errc::ok; }
    errc key(text) { return all.push_back(next), errc::ok; }
    errc key(next_value) { return errc::ok; }
    errc map(count) { return all.push_back(next), errc::ok; }
    errc end() { return all.push_back(next), errc::ok; }
    std::pair<std::size_t, std::size_t> next;
    std::vector<std::pair<std::size_t, std::size_t>> all;
};

}  // namespace

TEST_CASE("the place of every verb") {
    static_assert(located_sink<places>);
    const std::string lines = "map\nkey \"a\"\ni64 300\nkey \"b\"\nstr \"xyz\"\nend\n";
    using pairs = std::vector<std::pair<std::size_t, std::size_t>>;
    const auto found = [](const std::string& document) {
        context ctx;
        places to;
        tg::reader from(as_bytes(document), ctx);
        REQUIRE(from.feed(to) == errc::ok);
        return to.all;
    };
    CHECK(found(written(lines)) == pairs{{3, 4}, {4, 6}, {6, 9}, {9, 11}, {11, 15}, {15, 16}});
    // 01 96 44 87 d8 04   07 41 f9 e8 03 x y z   0a ...: the map's own bytes are none
    CHECK(found(written(lines, tg::study)) == pairs{{0, 0}, {0, 4}, {0, 6}, {6, 10}, {6, 14}, {14, 14}});
}

TEST_CASE("every first byte, followed by anything") {
    std::mt19937 random(7);
    for (int c = 0; c < 256; ++c) {
        for (int round = 0; round < 200; ++round) {
            std::string document = mark + static_cast<char>(c);
            const std::size_t n = random() % 40;
            for (std::size_t i = 0; i < n; ++i) document += static_cast<char>(random() % 4 ? random() % 256 : random() % 4);
            context ctx;
            tg::reader from(as_bytes(document), ctx);
            plain::builder built(ctx);
            const errc code = from.next(built);
            const unsigned char* const p = as_bytes(document).data();
            const tg::header h = tg::read_header(p + 3, p + document.size());
            using kind = tg::header::kind;
            if (h.is == kind::cut) CHECK(code == errc::truncated);
            if (h.is == kind::reserved) CHECK(code == errc::syntax);
            if (code != errc::ok) {
                CHECK(ctx.failure.code == code);
                CHECK(ctx.failure.offset <= document.size());
                CHECK(ctx.failure.path.starts_with("$"));
            } else if (h.is != kind::array && h.is != kind::map) {
                CHECK((h.is == kind::scalar || h.is == kind::str));
                CHECK(from.position() == 3 + h.size + h.payload);
            }
        }
    }
}

TEST_CASE("random values survive the round trip") {
    std::mt19937_64 random(11);
    for (int i = 0; i < 4000; ++i) {
        const plain::value v = random_value(random, {});
        context ctx;
        buffer out;
        plain::walker walk(v, ctx);
        tg::writer to(out, ctx);
        bytes document;
        REQUIRE(pipe(walk, to, document) == errc::ok);
        tg::reader from(document, ctx);
        plain::builder built(ctx);
        REQUIRE(from.feed(built) == errc::ok);
        REQUIRE(built.take() == v);

        // Counts that are not known give the same bytes.
        plain::walker again(v, ctx);
        buffer lines, out2;
        trace_sink traced(lines, ctx, {.counts = false});
        REQUIRE(again.feed(traced) == errc::ok);
        trace_source from_trace(traced.view(), ctx);
        tg::writer late(out2, ctx);
        bytes document2;
        REQUIRE(pipe(from_trace, late, document2) == errc::ok);
        REQUIRE(as_string(document) == as_string(document2));
    }
}

TEST_CASE("random values in the layout study, read and written again, are the same bytes") {
    std::mt19937_64 random(12);
    int documents = 0;
    for (int i = 0; i < 4000; ++i) {
        const plain::value v = random_value(random, {.json_only = true, .unique_keys = true});
        context ctx;
        buffer out, out2;
        plain::walker walk(v, ctx);
        tg::writer to(out, ctx, tg::study);
        bytes document, document2;
        if (pipe(walk, to, document) != errc::ok) {
            REQUIRE(ctx.failure.code == errc::unsupported);
            continue;
        }
        ++documents;
        tg::reader from(document, ctx);
        tg::writer again(out2, ctx, tg::study);
        REQUIRE(pipe(from, again, document2) == errc::ok);
        REQUIRE(as_string(document) == as_string(document2));
    }
    CHECK(documents > 3000);
}
