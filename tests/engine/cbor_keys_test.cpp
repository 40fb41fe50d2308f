// Keys that are equal as values, whatever they are: against their deterministic encodings one by one; and how much is
// looked at.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/cbor/duplicates.hpp"
#include "engine/cbor/reader.hpp"
#include "engine/cbor/tagged.hpp"
#include "engine/cbor/writer.hpp"
#include "engine/core/null.hpp"
#include "engine/core/pipe.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;
using namespace helpers;

namespace {

/// The item's deterministic encoding with a 1 before it, or a 0 and its own bytes where it has none.
std::string value_of(const std::string& item) {
    context ctx;
    ctx.limits.depth = 1'000'000;
    cbor::reader from(as_bytes(item), ctx, {.invalid = cbor::invalid_text::keep, .undefined = cbor::undefined_value::ext});
    buffer out;
    cbor::basic_writer<buffer> to(out, ctx, {.keys = cbor::key_order::bytewise, .invalid = cbor::invalid_text::keep});
    bytes b;
    return pipe(from, to, b) == errc::ok ? '1' + as_string(b) : '0' + item;
}

std::string without_self_described(std::string item) {
    while (item.starts_with("\xd9\xd9\xf7")) item.erase(0, 3);
    return item;
}

bool equal(const std::string& a, const std::string& b) {
    const std::string x = value_of(without_self_described(a)), y = value_of(without_self_described(b));
    return x[0] == '1' || y[0] == '1' ? x == y : a == b;
}

std::string pair(const std::string& a, const std::string& b) { return '\xa2' + a + '\x02' + b + '\x03'; }

/// Whether the first key of a map of two comes again.
bool found_equal(const std::string& a, const std::string& b) {
    const std::string document = pair(a, b);
    const bytes d = as_bytes(document);
    cbor::duplicates found;
    REQUIRE(cbor::find_duplicates(d.data(), d.data() + d.size(), 0, found) == errc::ok);
    const std::size_t* const all = found.overridden.data();
    return std::find(all, all + found.overridden.size(), std::size_t{1}) != all + found.overridden.size();
}

/// Small items of every kind, so that two of them are often equal, and often nearly so.
class items {
public:
    explicit items(unsigned seed) : random_(seed) {}
    std::string one(int depth = 0) {
        switch (below(depth < 3 ? 16 : 8)) {
            case 0: return "\x01";
            case 1: return unhex("1801");
            case 2:
                return "\x61"
                       "a";
            case 3: return unhex("7f6161ff");
            case 4:
                return below(2) ? "\x41"
                                  "a"
                                : unhex("5f4161ff");
            case 5: return below(2) ? unhex("f93c00") : unhex("fb3ff0000000000000");
            case 6: return below(2) ? unhex("f7") : unhex("e0");
            case 7: return below(2) ? unhex("c24101") : unhex("c001");
            case 8: return '\x81' + one(depth + 1);
            case 9: return '\x9f' + one(depth + 1) + '\xff';
            case 10: return '\xa1' + one(depth + 1) + one(depth + 1);
            case 11: return '\xa2' + one(depth + 1) + '\x01' + one(depth + 1) + '\x02';
            case 12: return unhex(below(2) ? "c6" : "d820") + one(depth + 1);
            case 13: return unhex(below(2) ? "c4" : "d903e9") + (below(2) ? unhex("820101") : one(depth + 1));
            case 14: return unhex(below(2) ? "d9d9f7" : "d818") + one(depth + 1);
            default: return as_ext(one(depth + 1));
        }
    }
    /// An extension of the type for items, with these bytes.
    static std::string as_ext(const std::string& item) {
        char head[2 * cbor::longest_header];
        char* end = cbor::head(head, cbor::major::tag, cbor::tags::typed | cbor::ext_item);
        end = cbor::head(end, cbor::major::bytes, item.size());
        return std::string(head, end) + item;
    }

private:
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    std::mt19937 random_;
};

std::string unique(const std::string& document, std::size_t depth = 1024) {
    context ctx;
    ctx.limits.depth = depth;
    null_sink nothing;
    cbor::reader from(as_bytes(document), ctx, cbor::unique_keys);
    return name(from.feed(nothing));
}

std::string times(std::size_t n, const std::string& s) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i) all += s;
    return all;
}

/// Keeps the last place.
struct last_place : null_sink {
    bool wants_places() const { return true; }
    void at(std::size_t begin, std::size_t end) { from = begin, to = end; }
    std::size_t from = 0, to = 0;
};

}  // namespace

TEST_CASE("keys are equal where their deterministic encodings are") {
    items from(7);
    std::size_t same = 0;
    for (int i = 0; i < 60'000; ++i) {
        const std::string a = from.one(), b = i % 3 == 0 ? items::as_ext(a) : i % 3 == 1 ? '\x81' + from.one() : from.one();
        const std::string c = i % 3 == 1 ? '\x81' + from.one() : a;
        CAPTURE(hex(c));
        CAPTURE(hex(b));
        const bool are = equal(c, b);
        same += are;
        REQUIRE(found_equal(c, b) == are);
    }
    CHECK(same > 1000);
}

TEST_CASE("containers behind tags are their own bytes, as keys and within keys") {
    for (const char* key : {"c68101", "d8208101", "c6c68101", "c6a201020102", "c6d9d9f78101"}) {
        CAPTURE(key);
        CHECK(found_equal(unhex(key), unhex(key)));
        CHECK(found_equal(unhex(key), items::as_ext(unhex(key))));
        CHECK(found_equal('\x81' + unhex(key), '\x81' + items::as_ext(unhex(key))));
    }
    for (const char* key : {"c482810101", "81c68101", "a1c6810101", "8181818181c68101"}) {
        CAPTURE(key);
        CHECK(found_equal(unhex(key), unhex(key)));
        CHECK(!found_equal(unhex(key), items::as_ext(unhex(key))));
    }
    for (const auto& [a, b] : {std::pair{"c68101", "c6811801"},
                               {"c68101", "c69f01ff"},
                               {"c68101", "c78101"},
                               {"c68101", "8101"},
                               {"81c68101", "81c6811801"},
                               {"c6c68101", "c68101"}})
        CHECK(!found_equal(unhex(a), unhex(b)));
    CHECK(found_equal(unhex("d9d9f7c68101"), unhex("c68101")));
    CHECK(!found_equal(unhex("c6d9d9f78101"), unhex("c68101")));
    CHECK(found_equal(unhex("c4820101"), unhex("c482180101")));
}

TEST_CASE("tags around keys within keys are looked at once") {
    // {6([{6([...]): 0}]): 0}: copied for each key around them, such keys take the square of the levels, or worse: hours here.
    constexpr std::size_t levels = 100'000;
    for (const auto& [open, close] : {std::pair{"a2c6", "000100"},    // a map behind a tag is a key
                                      {"a2c0", "000100"},             // behind a tag that cannot be around it
                                      {"a281c6", "000100"},           // in an array of one
                                      {"a2c6c6", "000100"},           // tags behind tags
                                      {"a2d9d9f7c6", "000100"},       // and tags that say nothing
                                      {"a282a18000c6", "000100"}}) {  // beside a key that is a container
        CAPTURE(open);
        const std::string key = times(levels, unhex(open)) + '\x80' + times(levels, unhex(close));
        CHECK(unique(key, 4 * levels) == (std::string_view(open) == "a2c0" ? "syntax" : "ok"));
        CHECK(unique(pair(key, key), 4 * levels) == "duplicate");
    }
    const std::string chain = times(1'000'000, "\xc6"), end = unhex("8101");
    CHECK(unique(pair(chain + end, chain + end)) == "duplicate");
    CHECK(unique(pair(chain + end, chain + unhex("8102"))) == "ok");
    CHECK(unique(pair(chain + '\x01', chain + '\x02')) == "ok");
    const std::string inside = '\x81' + chain + end;
    CHECK(unique(pair(inside, inside)) == "duplicate");
}

TEST_CASE("the place of what tags are around is found once") {
    constexpr std::size_t many = 1'000'000;
    for (const auto& [tag, granted] : {std::pair{"d9d9f7", cbor::standard_read},
                                       {"c6", cbor::plain_read},
                                       {"c681", cbor::plain_read},
                                       {"d9d9f781", cbor::standard_read}}) {
        CAPTURE(tag);
        const std::string before = times(many, unhex(tag)), document = before + '\x01';
        context ctx;
        ctx.limits.depth = many;
        last_place places;
        cbor::reader from(as_bytes(document), ctx, granted);
        REQUIRE(from.feed(places) == errc::ok);
        CHECK(places.to == document.size());
    }
    // A value with its tag, a key too; an extension.
    for (const auto& [document, begin] :
         {std::pair{"81c1191000", 1u}, {"82c249010000000000000000c68101", 12u}, {"81d9d9f701", 4u}, {"81c74101", 1u}}) {
        CAPTURE(document);
        struct scalars : last_place {
            errc i64(std::int64_t) { return keep(); }
            errc time(const instant&) { return keep(); }
            errc ext(int, bytes) { return keep(); }
            errc keep() { return kept = from, errc::ok; }
            std::size_t kept = 0;
        } places;
        const std::string d = unhex(document);
        context ctx;
        cbor::reader from(as_bytes(d), ctx);
        REQUIRE(from.feed(places) == errc::ok);
        CHECK(places.kept == begin);
    }
}
