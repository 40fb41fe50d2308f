// Strict projection on every kernel that this machine has: the verdicts and slices of the exact walk, on documents
// with escaped, repeated and misleading keys, edited at random, and at the edge of readable memory.
#include <doctest/doctest.h>

#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/frames.hpp"
#include "engine/json/kernels.hpp"
#include "engine/json/project.hpp"
#include "engine/simd/dispatch.hpp"
#include "tests/guarded.hpp"

using namespace kumihimo;

namespace {

const std::vector<std::string_view> all_paths = {"last_price.price",
                                                 "timestamp",
                                                 "k1",
                                                 "k2.k3",
                                                 "k3[0]",
                                                 "k4[*].k1",
                                                 "a\xc3\xa9",
                                                 "/k5~1x",
                                                 "\"\"",
                                                 "a wanted key that is longer than a block of sixty-four bytes, by some more"};

json::projection compiled(const std::vector<std::string_view>& paths) {
    json::projection p;
    context ctx;
    REQUIRE(json::projection::compile(paths, p, ctx) == errc::ok);
    return p;
}

/// Every kernel agrees with the exact walk. Returns its verdict.
bool agree(const json::projection& what, const char* data, std::size_t size) {
    json::harvest expected;
    const bool valid = json::project_exactly(what.plan(), data, size, expected);
    for (const json::kernels* k : json::available_kernels()) {
        json::harvest got;
        bool same = k->project_strict(what.plan(), data, size, got) == valid;
        for (std::size_t i = 0; same && valid && i < what.size(); ++i) {
            const auto a = expected.slices(i), b = got.slices(i);
            same = a.size() == b.size();
            for (std::size_t j = 0; same && j < a.size(); ++j) same = a[j] == b[j];
        }
        if (!same) {
            CAPTURE(k->name);
            CAPTURE(std::string(data, size < 400 ? size : 400));
            CHECK(same);
        }
    }
    return valid;
}

std::string any_value(std::mt19937_64& random, int depth) {
    static const char* const scalars[] = {"1",
                                          "-1.5",
                                          "0",
                                          "true",
                                          "null",
                                          "\"a\"",
                                          "\"k1\"",
                                          "\"\\u00e9\\ud83d\\ude00\"",
                                          "\"\xe3\x81\x82\"",
                                          "\"\\\\\"",
                                          "\"a\\\"b\"",
                                          "1.25e+10",
                                          "\"timestamp\"",
                                          "{\"price\":5}"};
    static const char* const blanks[] = {"", "", "", "", " ", "\n", "\t ", "  \r\n     "};
    static const char* const keys[] = {"k1",
                                       "k2",
                                       "k3",
                                       "k4",
                                       "k1",
                                       "k\\u0031",
                                       "\\u006b2",
                                       "timestamp",
                                       "last_price",
                                       "price",
                                       "a\xc3\xa9",
                                       "a\\u00e9",
                                       "k5/x",
                                       "k5\\/x",
                                       "",
                                       "x",
                                       "a long key that is not wanted by anybody at all, longer than a block of bytes",
                                       "a wanted key that is longer than a block of sixty-four bytes, by some more",
                                       "a wanted key that is longer than a block of sixty-four bytes, by some less"};
    const auto blank = [&] { return std::string(blanks[random() % std::size(blanks)]); };
    const auto kind = depth == 0 ? 9 : random() % (depth > 5 ? 6 : 10);
    if (kind < 6) return scalars[random() % std::size(scalars)];
    const bool object = kind > 7;
    std::string s = object ? "{" : "[";
    // Now and then more repeats of wanted keys than the watch remembers, or more than a chunk of text.
    for (auto n = depth == 0 && random() % 20 == 0 ? random() % 400 : random() % 7, i = n; i != 0; --i) {
        if (i != n) s += ",";
        s += blank();
        if (object) s += "\"" + std::string(keys[random() % std::size(keys)]) + "\"" + blank() + ":" + blank();
        s += any_value(random, depth + 1) + blank();
    }
    return s + (object ? "}" : "]");
}

}  // namespace

TEST_CASE("exchange frames") {
    const json::projection two = compiled({"last_price.price", "timestamp"});
    bench::frame_maker maker(3, bench::frame_maker::order::any);
    for (int i = 0; i < 300; ++i) {
        const bench::frame f = maker.next();
        for (const json::kernels* k : json::available_kernels()) {
            json::harvest got;
            REQUIRE(k->project_strict(two.plan(), f.text.data(), f.text.size(), got));
            CHECK(f.text.substr(got.slices(0)[0].offset, got.slices(0)[0].length) == f.price);
            CHECK(f.text.substr(got.slices(1)[0].offset, got.slices(1)[0].length) == f.timestamp);
        }
    }
}

TEST_CASE("one broken byte in a frame") {
    const json::projection two = compiled({"last_price.price", "timestamp"});
    std::mt19937_64 random(2);
    const std::string text = bench::frame_maker(4).next().text;
    int refused = 0;
    for (int i = 0; i < 10'000; ++i) {
        std::string s = text;
        s[random() % s.size()] = static_cast<char>(random());
        refused += agree(two, s.data(), s.size()) ? 0 : 1;
    }
    CHECK(refused > 2'000);
}

TEST_CASE("keys around the reach of their marks, at every place in a block") {
    for (std::size_t length = 0; length < 70; ++length) {
        const std::string key(length, 'k'), other = length == 0 ? "x" : key.substr(1) + "l";
        const std::string path = "/" + key;
        const json::projection what = compiled({path});
        for (std::size_t before = 0; before < 66; ++before) {
            const std::string blank(before, ' ');
            const std::string s = "{" + blank + "\"" + other + "\":1,\"" + key + "\":2,\"" + key + "k\":3" + blank + "}";
            REQUIRE(agree(what, s.data(), s.size()));
            json::harvest got;
            REQUIRE(json::project_exactly(what.plan(), s.data(), s.size(), got));
            CHECK(s.substr(got.slices(0)[0].offset, got.slices(0)[0].length) == "2");
        }
    }
}

TEST_CASE("random documents, edited at random") {
    static constexpr char alphabet[] = "{}[]:,\"\\ \n\t0123456789.-+eEtfnrulasud\x01\x0c\x80/bk";
    std::mt19937_64 random(1);
    int accepted = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string s = any_value(random, 0);
        if (random() % 3 == 0) s.insert(0, random() % 70, ' ');
        if (random() % 30 == 0) s.insert(0, 8192 - 200 + random() % 400, ' ');
        for (auto edits = random() % 3; edits != 0 && !s.empty(); --edits) {
            const std::size_t at = random() % s.size();
            const char c = alphabet[random() % (sizeof alphabet - 1)];
            switch (random() % 3) {
                case 0: s[at] = c; break;
                case 1: s.insert(at, 1, c); break;
                default: s.erase(at, 1);
            }
        }
        std::vector<std::string_view> paths;
        for (const std::string_view p : all_paths)
            if (random() % 2 == 0) paths.push_back(p);
        if (paths.empty()) paths.push_back("k1");
        accepted += agree(compiled(paths), s.data(), s.size()) ? 1 : 0;
    }
    CHECK(accepted > 5'000);
    CHECK(accepted < 19'000);
}

TEST_CASE("nothing outside the document is read") {
    guarded room(std::size_t{1} << 14);
    const json::projection all = compiled(all_paths);
    std::mt19937_64 random(8);
    for (int i = 0; i < 3'000; ++i) {
        std::string s = any_value(random, 0);
        if (s.size() > room.room()) continue;
        s.resize(random() % 3 == 0 ? random() % s.size() : s.size());
        agree(all, room.at_end(s), s.size());
        agree(all, room.at_start(s), s.size());
    }
}
