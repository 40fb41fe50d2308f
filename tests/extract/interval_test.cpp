// Lengths of intervals and where they begin: against a walk over all seconds, across every kind of change of clocks.
#include "extract/interval.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "engine/scalar/time_text.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

constexpr std::int64_t day = 86400, million = 1'000'000;

interval every(std::string_view text) {
    interval out;
    std::string why;
    INFO(text << ": " << why);
    REQUIRE(parse_interval(text, out, why) == errc::ok);
    return out;
}

std::string refusal(std::string_view text) {
    interval out;
    std::string why;
    CHECK(parse_interval(text, out, why) == errc::misuse);
    return why;
}

std::shared_ptr<const zone> changing(std::int32_t before, std::vector<zone::transition> at) {
    std::shared_ptr<const zone> z;
    std::string why;
    REQUIRE(zone::make("Test/Zone", before, at, "", z, why) == errc::ok);
    return z;
}

std::int64_t date(std::int32_t y, std::uint32_t m, std::uint32_t d) { return scalar::days_from_civil({y, m, d}) * day; }

}  // namespace

TEST_CASE("lengths are read in the usual words") {
    CHECK(every("5min").count == 300 * million);
    CHECK(every("5 minutes").count == 300 * million);
    CHECK(every("250ms").count == 250'000);
    CHECK(every("1us").count == 1);
    CHECK(every("90S").count == 90 * million);
    CHECK(every("h").count == 3600 * million);
    CHECK((every("1D").of == interval::unit::days && every("3 days").count == 3));
    CHECK((every("2w").of == interval::unit::weeks && every("2w").count == 2));
    CHECK((every("1q").of == interval::unit::months && every("1q").count == 3 && every("2y").count == 24));
    CHECK(refusal("5m").find("m is no unit: write min for minutes, mo for months") != std::string::npos);
    CHECK(refusal("").find("write a number and a unit") != std::string::npos);
    CHECK(refusal("5").find("write a number and a unit") != std::string::npos);
    CHECK(refusal("-5min").find("write a number and a unit") != std::string::npos);
    CHECK(refusal("0s").find("longer than nothing") != std::string::npos);
    CHECK(refusal("24h").find("a day and more is written in days: 1day") != std::string::npos);
    CHECK(refusal("99999999999999999999s").find("too large") != std::string::npos);
    CHECK(refusal("9999999 days").find("longer than all times") != std::string::npos);
    CHECK(every("23h").count == 23 * 3600 * million);
}

TEST_CASE("intervals follow on one another and hold their moments") {
    // Forward and back at two in the morning, at midnight, and back over midnight by an hour; a day that never was.
    const std::int64_t at = date(2016, 3, 10);
    const std::shared_ptr<const zone> zones[] = {
        nullptr,
        zone::fixed(9 * 3600),
        zone::fixed(-12600),
        changing(3600, {{at + 3600, 7200}}),          // 02:00 becomes 03:00
        changing(7200, {{at + 3600, 3600}}),          // 03:00 becomes 02:00
        changing(0, {{at, 3600}}),                    // no midnight
        changing(3600, {{at - 3600 + 1800, 0}}),      // 00:30 becomes 23:30 of the day before
        changing(3600, {{at, 0}}),                    // two midnights
        changing(-36000, {{at + 36000, 14 * 3600}}),  // a whole day is skipped
    };
    for (const auto& z : zones) {
        for (const char* const text : {"1day", "2days", "1week", "1month", "7min", "1h", "4h", "23h"}) {
            for (const std::int64_t per_second : {million, 1000 * million}) {
                calendar c(every(text), z, per_second);
                calendar::span last{};
                bool any = false;
                for (std::int64_t t = at - 3 * day; t < at + 4 * day; t += 599) {
                    calendar::span s{};
                    REQUIRE(c.at(t * per_second + 17, s));
                    CHECK((s.from <= t * per_second + 17 && t * per_second + 17 < s.until));
                    calendar::span same{};
                    REQUIRE(calendar(every(text), z, per_second).at(s.from, same));
                    CHECK((same.from == s.from && same.until == s.until));
                    if (any && s.from != last.from) CHECK(s.from >= last.until);
                    if (any && s.from != last.from && std::string(text) != "7min") CHECK(s.from == last.until);
                    last = s;
                    any = true;
                }
            }
        }
    }
}

TEST_CASE("days are as long as the clock says") {
    const std::int64_t at = date(2016, 3, 10);
    const auto length = [&](const std::shared_ptr<const zone>& z) {
        calendar c(every("1day"), z, million);
        calendar::span s{};
        REQUIRE(c.at((at + 43200) * million, s));
        return (s.until - s.from) / million;
    };
    CHECK(length(nullptr) == day);
    CHECK(length(changing(3600, {{at + 3600, 7200}})) == 23 * 3600);
    CHECK(length(changing(7200, {{at + 3600, 3600}})) == 25 * 3600);
    // What is left of a day is its last interval.
    calendar four(every("4h"), changing(7200, {{at + 3600, 3600}}), million);
    calendar::span s{};
    REQUIRE(four.at((at + 22 * 3600 + 1800) * million, s));
    CHECK((s.until - s.from) / million == 3600);
}

TEST_CASE("weeks begin on Monday and months on the first") {
    calendar::span s{};
    REQUIRE(calendar(every("1week"), nullptr, million).at(date(2016, 12, 25) * million, s));
    CHECK(s.from == date(2016, 12, 19) * million);
    REQUIRE(calendar(every("1month"), nullptr, million).at(date(2016, 2, 29) * million, s));
    CHECK((s.from == date(2016, 2, 1) * million && s.until == date(2016, 3, 1) * million));
    REQUIRE(calendar(every("1quarter"), nullptr, million).at(date(1969, 12, 31) * million, s));
    CHECK((s.from == date(1969, 10, 1) * million && s.until == date(1970, 1, 1) * million));
    REQUIRE(calendar(every("1year"), nullptr, million).at(date(1, 6, 1) * million, s));
    CHECK(s.from == date(1, 1, 1) * million);
    // Nanoseconds do not reach so far.
    CHECK(!calendar(every("1year"), nullptr, 1000 * million).at(std::numeric_limits<std::int64_t>::min() + 1, s));
}
