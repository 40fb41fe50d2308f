#include "extract/thin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tests/extract/rows.hpp"

using namespace rows;
using x::thinner;

namespace {

std::uint64_t seed = 5;
std::uint64_t any() { return (seed = seed * 6364136223846793005u + 1442695040888963407u) >> 11; }

}  // namespace

TEST_CASE("short series come back whole") {
    thinner t(100);
    for (int i = 0; i < 150; ++i) t.push(1000 + i, i * i % 17);
    const auto p = t.points();
    REQUIRE(p.size() == 150);
    for (int i = 0; i < 150; ++i) {
        CHECK(p[static_cast<std::size_t>(i)].x == 1000 + i);
        CHECK(p[static_cast<std::size_t>(i)].y == i * i % 17);
    }
    CHECK(thinner(10).points().empty());
}

TEST_CASE("no extreme is lost, whatever the order and the range") {
    for (const int kind : {0, 1, 2, 3}) {
        for (const std::size_t width : {1u, 7u, 300u}) {
            thinner t(width);
            std::vector<thinner::point> all;
            std::int64_t now = kind == 3 ? std::numeric_limits<std::int64_t>::min() : 1482598389000000;
            for (int i = 0; i < 20000; ++i) {
                switch (kind) {
                    case 0: now += 1000000; break;                                         // a clock
                    case 1: now += static_cast<std::int64_t>(any() % 5000000); break;      // ticks
                    case 2: now = static_cast<std::int64_t>(any() % 100000000000); break;  // in no order
                    default: now = static_cast<std::int64_t>(any() << 11 ^ any()); break;  // all there is
                }
                const double y = i == 7777   ? 1e9
                                 : i == 8888 ? -1e9
                                             : std::sin(i * 0.01) * 100 + static_cast<double>(any() % 100);
                all.push_back({now, y});
                t.push(now, y);
            }
            CHECK(t.seen() == all.size());
            const auto p = t.points();
            CHECK(p.size() <= 8 * width);
            CHECK(std::is_sorted(p.begin(), p.end(), [](const auto& a, const auto& b) { return a.x < b.x; }));
            // Every point is one of the data.
            std::map<std::int64_t, std::vector<double>> data;
            for (const auto& a : all) data[a.x].push_back(a.y);
            for (const auto& q : p) {
                const auto at = data.find(q.x);
                REQUIRE(at != data.end());
                CHECK(std::count(at->second.begin(), at->second.end(), q.y) > 0);
            }
            CHECK(p.front().x == data.begin()->first);
            CHECK(p.back().x == data.rbegin()->first);
            // Per pixel of a chart that wide, or of one twice as wide when the grid happens to be that fine, the
            // extremes are exact: checked on the grid of powers of two that covers the range.
            const auto lo = static_cast<std::uint64_t>(p.front().x) ^ std::uint64_t{1} << 63;
            const auto hi = static_cast<std::uint64_t>(p.back().x) ^ std::uint64_t{1} << 63;
            unsigned shift = 0;
            while ((hi >> shift) - (lo >> shift) >= 2 * width) ++shift;
            std::map<std::uint64_t, std::pair<double, double>> exact, got;
            const auto put = [&](auto& grid, const thinner::point& q) {
                const std::uint64_t id = (static_cast<std::uint64_t>(q.x) ^ std::uint64_t{1} << 63) >> shift;
                const auto [at, fresh] = grid.try_emplace(id, q.y, q.y);
                if (!fresh) at->second = {std::min(at->second.first, q.y), std::max(at->second.second, q.y)};
            };
            for (const auto& a : all) put(exact, a);
            for (const auto& q : p) put(got, q);
            CHECK(exact == got);
            // And fine enough: at least `width` columns are told apart, if the data have them.
            if (kind < 2) CHECK(exact.size() >= width);
        }
    }
}

TEST_CASE("values that cannot be drawn are counted") {
    thinner t(10);
    t.push(1, std::nan(""));
    t.push(2, std::numeric_limits<double>::infinity());
    t.push(3, 1);
    CHECK(t.seen() == 1);
    CHECK(t.skipped() == 2);
    CHECK(t.points().size() == 1);
}

TEST_CASE("columns of batches") {
    const x::batch b =
        filled(schema({"at:timestamp", "f:float64", "i:int64", "d:decimal", "p:decimal(8,2)", "s:string", "b:bool"}),
               {R"({"at":"1970-01-01T00:00:01Z","f":1.5,"i":2,"d":3.25,"p":4.5,"s":"5.5","b":true})",
                R"({"at":null,"f":1,"i":1,"d":1,"p":1,"s":"1","b":false})",
                R"({"at":"1970-01-01T00:00:03Z","f":null,"i":null,"d":null,"p":null,"s":"n/a","b":null})"});
    const double expected[] = {1.5, 2, 3.25, 4.5, 5.5, 1};
    for (std::size_t y = 1; y < 7; ++y) {
        thinner t(10);
        REQUIRE(t.push(b, 0, y) == errc::ok);
        REQUIRE(t.points().size() == 1);
        CHECK(t.points()[0].x == 1000000);
        CHECK(t.points()[0].y == expected[y - 1]);
        CHECK(t.skipped() == 2);
    }
    thinner rows(10);
    REQUIRE(rows.push(b, x::batch::none, 1) == errc::ok);
    REQUIRE(rows.push(b, x::batch::none, 1) == errc::ok);  // the next batch goes on counting
    REQUIRE(rows.points().size() == 4);
    CHECK(rows.points()[1].x == 1);
    CHECK(rows.points()[2].x == 3);
    CHECK(rows.push(b, 5, 1) == errc::misuse);
    CHECK(rows.push(b, 0, 7) == errc::misuse);
    CHECK(rows.push(b, 7, 1) == errc::misuse);
}
