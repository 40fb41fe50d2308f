// Rows that are the first with their values: the hash under them, and the bound of their memory.
#include <doctest/doctest.h>

#include <numeric>
#include <set>
#include <string>

#include "archives.hpp"
#include "extract/keyed_hash.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

TEST_CASE("the hash is SipHash-1-3") {
    // As Python 3.11 has it with PYTHONHASHSEED=0.
    CHECK(keyed_hash("a", {}) == 0x407448d2b89b1813);
    CHECK(keyed_hash("abcdefg", {}) == 0x6db12aae9070f506);
    CHECK(keyed_hash("abcdefgh", {}) == 0x3f7b849c0b8e35ea);
    CHECK(keyed_hash("abcdefghi", {}) == 0xf89b34a3d11eb6e5);
    std::string all(64, 0);
    std::iota(all.begin(), all.end(), 0);
    CHECK(keyed_hash(all, {}) == 0x75e05fd5bbc870c6);
}

TEST_CASE("another key gives another hash, and chosen texts share none") {
    CHECK(keyed_hash("a", {1, 0}) != keyed_hash("a", {0, 1}));
    CHECK(keyed_hash("a", {1, 0}) != keyed_hash("a", {}));
    // Texts whose words differ in their highest bits, which a multiplication does not mix.
    std::set<std::uint64_t> seen;
    for (unsigned chosen = 0; chosen < 256; ++chosen) {
        std::string text(128, 'x');
        for (unsigned pair = 0; pair < 8; ++pair) {
            if ((chosen >> pair & 1) == 0) continue;
            for (const std::size_t at : {7, 11, 15}) text[16 * pair + at] ^= static_cast<char>(0x80);
        }
        seen.insert(keyed_hash(text, hash_key::of_process()));
    }
    CHECK(seen.size() == 256);
}

TEST_CASE("what was seen, and the tables that it moves between, keep to their bound") {
    const auto fits = [](std::size_t rows, std::size_t most) {
        std::string lines;
        for (std::size_t i = 0; i < rows; ++i) lines += "{\"a\":" + std::to_string(i / 2) + "}\n";
        archives::folder f;
        options how{.jobs = 1, .out = form::csv};
        how.distinct = {"a"};
        how.distinct_size = most;
        const auto e = archives::extract({f.write("x.ndjson", lines)}, {"a:int64"}, how);
        if (!e.failure) CHECK(e.rows == (rows + 1) / 2);
        return !e.failure;
    };
    CHECK(fits(1400, 60'000));  // 700 keys: one table of 1024 places of 24 bytes
    // A table of 2048 takes 49,152, which would fit, but not while the first one is there.
    CHECK_FALSE(fits(2000, 65'000));
    CHECK(fits(2000, 100'000));
}
