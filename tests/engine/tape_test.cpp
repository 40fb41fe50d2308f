// The tape records any document, plays it again, and answers for single values; the C ABI is in abi_test.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"
#include "engine/tape/cursor.hpp"
#include "engine/tape/lookup.hpp"
#include "engine/tape/tape.hpp"
#include "hosts/plain/build.hpp"
#include "hosts/plain/walk.hpp"
#include "tests/engine/helpers.hpp"
#include "tests/engine/random_value.hpp"

using namespace kumihimo;
using namespace helpers;
using tape::cursor;
using tape::kind;

namespace {

/// A recorded document and what it points into.
template <class Reader>
struct recorded {
    explicit recorded(std::string document, bool places = false)
        : input(std::move(document)), record(ctx, as_bytes(input), places) {
        Reader from(as_bytes(input), ctx);
        REQUIRE(from.feed(record) == errc::ok);
        REQUIRE(record.finish(view) == errc::ok);
    }
    cursor root() const { return cursor(view); }

    std::string input;
    context ctx;
    tape::recorder record;
    tape::view view;
};

template <class T>
T get(cursor c) {
    T out{};
    REQUIRE(c.get(out) == errc::ok);
    return out;
}

std::string str(cursor c) { return std::string(get<text>(c).view()); }

}  // namespace

TEST_CASE("a document's nodes are the verbs, in order") {
    const recorded<json::reader> d("{\"id\": 7, \"tags\": [\"a\", null]}");
    const kind kinds[] = {kind::map, kind::str, kind::i64, kind::str, kind::array, kind::str, kind::null, kind::end, kind::end};
    REQUIRE(d.view.size == 9);
    for (std::size_t i = 0; i < 9; ++i) CHECK(d.view.nodes[i].is() == kinds[i]);
    CHECK(d.view.nodes[0].length() == 2);
    CHECK(d.view.nodes[0].payload == 8);
    CHECK(d.view.nodes[8].payload == 0);
    CHECK(d.view.nodes[1].flags() == (tape::is_key | tape::is_ascii));
}

TEST_CASE("strings point into the input where they lie there, else into the arena") {
    const recorded<json::reader> d("[\"plain\",\"caf\xc3\xa9\",\"esc\\u0061ped\",\"\"]");
    const char* const begin = d.input.data();
    const auto data = [&](std::size_t i) { return static_cast<const char*>(get<text>(d.root()[i]).data); };
    CHECK(data(0) == begin + 2);
    CHECK(data(1) == begin + 10);
    CHECK(str(d.root()[0]) == "plain");
    CHECK(str(d.root()[1]) == "caf\xc3\xa9");
    CHECK(str(d.root()[2]) == "escaped");
    CHECK(str(d.root()[3]) == "");
    CHECK(d.view.arena.size() == 7);
    CHECK((d.view.nodes[3].flags() & tape::in_arena) != 0);
}

TEST_CASE("access by name, by index, in order") {
    const recorded<json::reader> d(
        "{\"a\":{\"b\":[10,[20],{\"c\":30}]},\"x\":1,\"x\":2,\"\":3,\"l\":[1,2,3,4,5,6,7,8],\"e\":{},\"f\":[]}");
    CHECK(get<std::int64_t>(d.root()["a"]["b"][0]) == 10);
    CHECK(get<std::int64_t>(d.root()["a"]["b"][1][0]) == 20);
    CHECK(get<std::int64_t>(d.root()["a"]["b"][2]["c"]) == 30);
    CHECK(get<std::int64_t>(d.root()["x"]) == 2);  // of duplicates the last
    CHECK(get<std::int64_t>(d.root()[""]) == 3);
    CHECK(get<std::int64_t>(d.root()["l"][7]) == 8);
    CHECK(!d.root()["l"][8]);
    CHECK(!d.root()["nope"]);
    CHECK(!d.root()["nope"]["deeper"][3]);
    CHECK(!d.root()["x"]["y"]);
    CHECK(!d.root()["x"][0]);
    CHECK(!d.root()["e"].first());
    CHECK(!d.root()["f"].first());
    CHECK(!d.root().next());
    CHECK(d.root().size() == 7);
    CHECK(d.root()["l"].size() == 8);
    CHECK(d.root()["x"].size() == 0);

    std::string keys;
    for (cursor k = d.root().first(); k; k = k.next().next()) keys += str(k) + ",";
    CHECK(keys == "a,x,x,,l,e,f,");
    std::int64_t sum = 0;
    for (cursor v = d.root()["l"].first(); v; v = v.next()) sum += get<std::int64_t>(v);
    CHECK(sum == 36);
}

TEST_CASE("numbers are given exactly or not at all") {
    const recorded<json::reader> d(
        "[1,-1,9007199254740992,9007199254740993,9223372036854775807,9223372036854775808,18446744073709551615,1.5,1e400,\"s\","
        "true]");
    std::int64_t i;
    std::uint64_t u;
    double x;
    bool b;
    CHECK(d.root()[0].get(i) == errc::ok);
    CHECK(d.root()[0].get(u) == errc::ok);
    CHECK(d.root()[0].get(x) == errc::ok);
    CHECK(d.root()[1].get(u) == errc::range);
    CHECK(d.root()[2].get(x) == errc::ok);
    CHECK(d.root()[3].get(x) == errc::range);
    CHECK(d.root()[4].get(x) == errc::range);
    CHECK(d.root()[5].get(i) == errc::range);
    CHECK(d.root()[5].get(u) == errc::ok);
    CHECK(d.root()[5].get(x) == errc::ok);
    CHECK(d.root()[6].get(x) == errc::range);
    CHECK(d.root()[7].get(i) == errc::type);
    CHECK(str(d.root()[8]) == "1e400");
    CHECK(d.root()[9].get(i) == errc::type);
    CHECK(d.root()[10].get(b) == errc::ok);
    CHECK(d.root()[0].get(b) == errc::type);
    CHECK(cursor().get(i) == errc::type);
}

TEST_CASE("all kinds, and keys of all kinds") {
    const std::string document = unhex("86 01 c0 c40100 c3 d4fb0a d6ff585f1100 80 90 cb3ff8000000000000 a161 a0 9101");
    const recorded<msgpack::reader> d(document);
    CHECK(get<instant>(d.root().first().next().next().next().next().next()) == instant{1482625280, 0, 0, instant::kind::utc});
    const cursor ext = d.root().first().next().next().next().next();
    CHECK(ext.ext_type() == -5);
    CHECK(get<bytes>(ext).size() == 1);
    context ctx;
    tape::player from(d.view);
    CHECK(trace(from, ctx) == read<msgpack::reader>(document));
}

TEST_CASE("any value is a document of its own") {
    const recorded<json::reader> d("{\"a\":[1,{\"b\":\"\\n\"}],\"c\":2}");
    const auto json = [&](cursor c) {
        context ctx;
        buffer out;
        tape::player from = c.play();
        json::writer to(out, ctx);
        bytes b;
        REQUIRE(pipe(from, to, b) == errc::ok);
        return as_string(b);
    };
    CHECK(json(d.root()) == "{\"a\":[1,{\"b\":\"\\n\"}],\"c\":2}");
    CHECK(json(d.root()["a"]) == "[1,{\"b\":\"\\n\"}]");
    CHECK(json(d.root()["a"][1]["b"]) == "\"\\n\"");
    CHECK(json(d.root()["c"]) == "2");
    CHECK(json(d.root().first()) == "\"a\"");
}

TEST_CASE("a value's own bytes") {
    const std::string document = unhex("83 a161 93 01 cd0100 9102 a162 a178 07 cb3ff8000000000000");
    const recorded<msgpack::reader> d(document, true);
    const auto raw = [&](cursor c) { return hex(as_string(c.raw())); };
    CHECK(raw(d.root()) == hex(document));
    CHECK(raw(d.root()["a"]) == "9301cd01009102");
    CHECK(raw(d.root()["a"][1]) == "cd0100");
    CHECK(raw(d.root()["a"][2]) == "9102");
    CHECK(raw(d.root()["b"]) == "a178");
    CHECK(raw(d.root().first()) == "a161");
    const recorded<msgpack::reader> without(document);
    CHECK(without.root()["a"].raw().empty());
    CHECK(cursor().raw().empty());
}

TEST_CASE("a value's own bytes in JSON") {
    const std::string text =
        R"({ "a" : [ 1 , 2.50e1, [ ] , -7], "b\u0063":"x\ny" ,"c":{"d" : true ,"e":null}, "big":123456789012345678901})";
    for (const std::string& document : {text, "[" + std::string(500, ' ') + text + "]"}) {
        const recorded<json::reader> d(document, true);
        const cursor root = document[0] == '{' ? d.root() : d.root()[0];
        const auto raw = [&](cursor c) { return as_string(c.raw()); };
        CHECK(raw(root) == text);
        CHECK(raw(root["a"]) == "[ 1 , 2.50e1, [ ] , -7]");
        CHECK(raw(root["a"][1]) == "2.50e1");
        CHECK(raw(root["a"][2]) == "[ ]");
        CHECK(raw(root["a"][3]) == "-7");
        CHECK(raw(root.first()) == "\"a\"");
        CHECK(raw(root["bc"]) == "\"x\\ny\"");
        CHECK(raw(root["c"]) == "{\"d\" : true ,\"e\":null}");
        CHECK(raw(root["c"]["d"]) == "true");
        CHECK(raw(root["c"]["e"]) == "null");
        CHECK(raw(root["big"]) == "123456789012345678901");
    }
}

// Walked from the beginning, these would take minutes.
TEST_CASE("elements of large arrays, in any order") {
    constexpr std::size_t many = 300'000;
    std::string text = "[[";
    for (std::size_t i = 0; i < many; ++i) text += (i == 0 ? "[" : ",[") + std::to_string(i) + "]";
    text += "],[";
    for (std::size_t i = 0; i < 1000; ++i) text += (i == 0 ? "" : ",") + std::to_string(i);
    text += "],[1,[],2],{}]";
    const recorded<json::reader> d(std::move(text));
    tape::element_marks marks;
    const cursor long_one = marks.find(d.view, d.root(), 0);
    const auto holds = [&](std::size_t i) {
        const cursor c = marks.find(d.view, long_one, i);
        return c.is(kind::array) && get<std::int64_t>(c.first()) == static_cast<std::int64_t>(i);
    };
    bool all = true;
    for (const std::size_t i : {0, 15, 16, 17, 70'000}) all = all && holds(i);
    for (std::size_t i = many; i-- > 0;) all = all && holds(i);
    std::mt19937 random(1);
    for (std::size_t n = 0; n < many; ++n) all = all && holds(random() % many);
    CHECK(all);
    CHECK(!marks.find(d.view, long_one, many));
    CHECK(!marks.find(d.view, long_one, static_cast<std::size_t>(-1)));
    CHECK(get<std::int64_t>(marks.find(d.view, d.root()[1], 999)) == 999);
    CHECK(!marks.find(d.view, d.root()[1], 1000));
    CHECK(get<std::int64_t>(marks.find(d.view, d.root()[2], 2)) == 2);
    CHECK(!marks.find(d.view, d.root()[3], 0));
    CHECK(!marks.find(d.view, cursor(), 0));
    CHECK(!marks.find(d.view, d.root(), 4));
}

TEST_CASE("the bytes of values, kept without the tape that had them") {
    const recorded<json::reader> d(" {\"a\": [ 1 , 2.50e1, [ ] ], \"b\":\"x\"} ", true);
    tape::kept_spans spans;
    CHECK(!spans.known());
    REQUIRE(spans.keep(d.view));
    CHECK(spans.known());
    for (std::size_t i = 0; i < d.view.size; ++i) {
        CHECK(spans.span_of(i).begin == d.view.spans[i].begin);
        CHECK(spans.span_of(i).end == d.view.spans[i].end);
    }
}

TEST_CASE("text from a host is kept as UTF-8") {
    context ctx;
    tape::recorder record(ctx);
    CHECK(record.array({}) == errc::ok);
    CHECK(record.str({"caf\xe9", encoding::latin1}) == errc::ok);
    CHECK(record.str({u"\U0001f600", 2, encoding::utf16}) == errc::ok);
    CHECK(record.str({"x", encoding::ascii}) == errc::ok);
    CHECK(record.end() == errc::ok);
    tape::view v;
    CHECK(record.finish(v) == errc::ok);
    CHECK(str(cursor(v)[0]) == "caf\xc3\xa9");
    CHECK(str(cursor(v)[1]) == "\xf0\x9f\x98\x80");
    CHECK(str(cursor(v)[2]) == "x");
    record.clear();
    CHECK(record.finish(v) == errc::misuse);
    const char16_t half = 0xdc00;
    CHECK(record.str({&half, 1, encoding::utf16}) == errc::encoding);
}

TEST_CASE("verbs in a wrong order and values out of range are refused") {
    context ctx;
    tape::recorder record(ctx);
    CHECK(record.end() == errc::misuse);
    CHECK(record.ext(128, {}) == errc::range);
    record.clear();
    CHECK(record.time({0, 1'000'000'000, 0, instant::kind::utc}) == errc::range);
    record.clear();
    CHECK(record.time({0, 0, 86400, instant::kind::offset}) == errc::range);
}

TEST_CASE("random documents play back as they were, and pass the check") {
    std::mt19937_64 random(9);
    for (int i = 0; i < 3000; ++i) {
        const plain::value v = random_value(random, {});
        context ctx;
        plain::walker from(v, ctx);
        tape::recorder record(ctx);
        REQUIRE(from.feed(record) == errc::ok);
        tape::view view;
        REQUIRE(record.finish(view) == errc::ok);
        REQUIRE(tape::check(view, ctx) == errc::ok);
        tape::player again(view);
        plain::builder to(ctx);
        REQUIRE(again.feed(to) == errc::ok);
        REQUIRE(to.take() == v);
    }
}

TEST_CASE("a tape from elsewhere: whatever passes the check can be played") {
    std::mt19937_64 random(10);
    std::size_t passed = 0, refused = 0;
    for (int i = 0; i < 2000; ++i) {
        const plain::value v = random_value(random, {});
        context ctx;
        plain::walker from(v, ctx);
        tape::recorder record(ctx);
        REQUIRE(from.feed(record) == errc::ok);
        tape::view view;
        REQUIRE(record.finish(view) == errc::ok);
        for (int round = 0; round < 20; ++round) {
            std::vector<tape::node> nodes(view.nodes, view.nodes + view.size);
            tape::node& n = nodes[random() % nodes.size()];
            switch (random() % 4) {
                case 0: n.head ^= std::uint64_t{1} << random() % 64; break;
                case 1: n.payload ^= std::uint64_t{1} << random() % 64; break;
                case 2: n.payload = random() % (nodes.size() + 2); break;
                default: nodes.resize(random() % (nodes.size() + 1));
            }
            tape::view broken = view;
            broken.nodes = nodes.data();
            broken.size = nodes.size();
            context why;
            if (tape::check(broken, why) != errc::ok) {
                ++refused;
                REQUIRE(why.failure.code != errc::ok);
                continue;
            }
            ++passed;
            buffer out;
            trace_sink lines(out, why);
            tape::player play(broken);
            REQUIRE(play.feed(lines) == errc::ok);
        }
    }
    CHECK(passed > 100);
    CHECK(refused > 1000);
}
