// Moments and their texts: the calendar day by day, what each layout prints, what reading takes and refuses.
#include "engine/scalar/time_text.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>

using namespace kumihimo;
using kind = instant::kind;
using scalar::time_layout;
namespace layouts = scalar::time_layouts;

namespace {

instant at(std::int64_t seconds, std::uint32_t nanoseconds = 0, kind as = kind::utc, std::int32_t offset = 0) {
    return {seconds, nanoseconds, offset, as};
}

std::string written(const instant& t, const time_layout& layout = layouts::rfc3339) {
    char b[scalar::time_room + 8];
    std::memset(b, '#', sizeof b);
    char* const end = scalar::write_time(b, t, layout);
    CHECK(std::string(b + scalar::time_room, 8) == "########");
    return end == nullptr ? "none" : std::string(static_cast<char*>(b), end);
}

errc read(std::string_view s, instant& t) { return scalar::read_time(s.data(), s.data() + s.size(), t); }

instant parsed(std::string_view s) {
    instant t;
    CHECK_MESSAGE(read(s, t) == errc::ok, std::string(s));
    return t;
}

constexpr std::int64_t new_year_2017 = 1483228800;

}  // namespace

TEST_CASE("the calendar, day by day") {
    // Counted by the rules alone: months have their days, and every fourth year one more, but for centuries not
    // divisible by 400.
    long differ = 0;
    std::int64_t day = scalar::days_from_civil({-4, 1, 1});
    for (int y = -4; y <= 10003; ++y)
        for (std::uint32_t m = 1; m <= 12; ++m) {
            constexpr std::uint32_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
            const bool leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
            const std::uint32_t length = lengths[m - 1] + (m == 2 && leap);
            differ += length != scalar::days_in_month(y, m) || leap != scalar::leap_year(y);
            for (std::uint32_t d = 1; d <= length; ++d, ++day) {
                const scalar::civil c{y, m, d};
                differ += scalar::days_from_civil(c) != day || scalar::civil_from_days(day) != c;
            }
        }
    CHECK(differ == 0);
    CHECK(scalar::days_from_civil({1970, 1, 1}) == 0);
    CHECK(scalar::days_from_civil({2000, 3, 1}) == 11017);
    CHECK(scalar::days_from_civil({0, 1, 1}) == -719528);
    CHECK(scalar::days_from_civil({9999, 12, 31}) == 2932896);
}

TEST_CASE("RFC 3339") {
    CHECK(written(at(0)) == "1970-01-01T00:00:00Z");
    CHECK(written(at(new_year_2017)) == "2017-01-01T00:00:00Z");
    CHECK(written(at(new_year_2017, 0, kind::offset, 9 * 3600)) == "2017-01-01T09:00:00+09:00");
    CHECK(written(at(new_year_2017, 0, kind::local, -12600)) == "2016-12-31T20:30:00-03:30");
    CHECK(written(at(new_year_2017, 0, kind::offset, 0)) == "2017-01-01T00:00:00+00:00");
    CHECK(written(at(new_year_2017, 0, kind::naive)) == "2017-01-01T00:00:00");
    CHECK(written(at(new_year_2017, 0, kind::date)) == "2017-01-01");
    CHECK(written(at(-1, 500'000'000)) == "1969-12-31T23:59:59.5Z");
    CHECK(written(at(1, 1)) == "1970-01-01T00:00:01.000000001Z");
    CHECK(written(at(1, 123'456'780)) == "1970-01-01T00:00:01.12345678Z");
    // An offset beside a kind that has none is not applied.
    CHECK(written(at(0, 0, kind::utc, 3600)) == "1970-01-01T00:00:00Z");
    CHECK(written(at(0, 0, kind::naive, 3600)) == "1970-01-01T00:00:00");
}

TEST_CASE("precision is cut, not rounded") {
    const instant t = at(59, 999'999'999);
    const char* digits = "999999999";
    for (int p = 0; p <= 9; ++p) {
        time_layout l = layouts::rfc3339;
        l.precision = static_cast<std::int8_t>(p);
        CHECK(written(t, l) ==
              "1970-01-01T00:00:59" + (p == 0 ? "" : "." + std::string(digits, static_cast<std::size_t>(p))) + "Z");
        CHECK(written(at(59), l) ==
              "1970-01-01T00:00:59" + (p == 0 ? "" : "." + std::string(static_cast<std::size_t>(p), '0')) + "Z");
    }
    time_layout l = layouts::rfc3339;
    l.precision = time_layout::milli_micro_nano;
    CHECK(written(at(0), l) == "1970-01-01T00:00:00Z");
    CHECK(written(at(0, 120'000'000), l) == "1970-01-01T00:00:00.120Z");
    CHECK(written(at(0, 120'001'000), l) == "1970-01-01T00:00:00.120001Z");
    CHECK(written(at(0, 120'001'001), l) == "1970-01-01T00:00:00.120001001Z");
    CHECK(written(at(new_year_2017, 500'000'000, kind::offset, 32400), layouts::rfc3339_milli) ==
          "2017-01-01T09:00:00.500+09:00");
}

TEST_CASE("Python, Rails and others") {
    CHECK(written(at(new_year_2017), layouts::python) == "2017-01-01T00:00:00+00:00");
    CHECK(written(at(new_year_2017, 1000), layouts::python) == "2017-01-01T00:00:00.000001+00:00");
    CHECK(written(at(new_year_2017, 120'000'000, kind::naive), layouts::python) == "2017-01-01T00:00:00.120000");
    CHECK(written(at(new_year_2017, 999, kind::naive), layouts::python) == "2017-01-01T00:00:00");
    CHECK(written(at(new_year_2017, 0, kind::offset, 33539), layouts::python) == "2017-01-01T09:18:59+09:18:59");
    CHECK(written(at(new_year_2017, 0, kind::offset, -33539), layouts::python) == "2016-12-31T14:41:01-09:18:59");
    CHECK(written(at(new_year_2017, 0, kind::date), layouts::python) == "2017-01-01");
    CHECK(written(at(new_year_2017, 500'000'000, kind::offset, 32400), layouts::rails) == "2017/01/01 09:00:00 +0900");
    CHECK(written(at(new_year_2017), layouts::rails) == "2017/01/01 00:00:00 +0000");
    CHECK(written(at(new_year_2017, 0, kind::date), layouts::rails) == "2017/01/01");
    CHECK(written(at(new_year_2017, 0, kind::offset, 33539), layouts::rails) == "2017/01/01 09:18:59 +0918");
    CHECK(written(at(new_year_2017, 0, kind::offset, -59), layouts::rails) == "2016/12/31 23:59:01 -0000");
    CHECK(written(at(new_year_2017, 5'000'000), layouts::space) == "2017-01-01 00:00:00.005Z");
    time_layout l = layouts::rfc3339;
    l.zone_form = time_layout::zone::z_for_zero;
    CHECK(written(at(0, 0, kind::offset, 0), l) == "1970-01-01T00:00:00Z");
    CHECK(written(at(0, 0, kind::offset, 60), l) == "1970-01-01T00:01:00+00:01");
    CHECK(written(at(0, 0, kind::offset, -29), l) == "1970-01-01T00:00:00Z");
    l.zone_form = time_layout::zone::plain;
    CHECK(written(at(0, 0, kind::offset, -3600), l) == "1969-12-31T23:00:00-0100");
    l.offset_seconds = true;
    CHECK(written(at(0, 0, kind::offset, -3601), l) == "1969-12-31T22:59:59-010001");
    l.zone_form = time_layout::zone::none;
    CHECK(written(at(0, 0, kind::offset, -3600), l) == "1969-12-31T23:00:00");
}

TEST_CASE("years 0000 to 9999 on the printed clock, and nothing else") {
    constexpr std::int64_t first = -62167219200, last = 253402300799;
    CHECK(written(at(first)) == "0000-01-01T00:00:00Z");
    CHECK(written(at(last, 999'999'999)) == "9999-12-31T23:59:59.999999999Z");
    CHECK(written(at(first - 1)) == "none");
    CHECK(written(at(last + 1)) == "none");
    CHECK(written(at(first - 1, 0, kind::offset, 3600)) == "0000-01-01T00:59:59+01:00");
    CHECK(written(at(first, 0, kind::offset, -3600)) == "none");
    CHECK(written(at(last + 1, 0, kind::offset, -1), layouts::python) == "9999-12-31T23:59:59-00:00:01");
    CHECK(written(at(last + 1, 0, kind::offset, -60)) == "9999-12-31T23:59:00-00:01");
    CHECK(written(at(last, 0, kind::offset, 1), layouts::python) == "none");
    CHECK(written(at(last, 0, kind::offset, 60)) == "none");
    for (std::int64_t s :
         {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 40})
        for (auto k : {kind::utc, kind::offset, kind::date, kind::naive}) CHECK(written(at(s, 0, k)) == "none");
    CHECK(written(at(0, 1'000'000'000)) == "none");
    CHECK(written(at(0, 0, kind::offset, 86400)) == "none");
    CHECK(written(at(0, 0, kind::offset, -86400)) == "none");
    CHECK(written(at(0, 0, kind::offset, std::numeric_limits<std::int32_t>::min())) == "none");
    char b[scalar::time_room];
    CHECK(std::string(static_cast<char*>(b), scalar::write_date(b, 0)) == "1970-01-01");
    CHECK(std::string(static_cast<char*>(b), scalar::write_date(b, 11017, '/')) == "2000/03/01");
    CHECK(scalar::write_date(b, std::numeric_limits<std::int64_t>::max()) == nullptr);
}

TEST_CASE("reading") {
    CHECK(parsed("2016-12-25 01:53:10.602955") == at(1482630790, 602'955'000, kind::naive));
    CHECK(parsed("2016-12-25T01:53:10.602955Z") == at(1482630790, 602'955'000));
    CHECK(parsed("2016-12-25t01:53:10z") == at(1482630790));
    CHECK(parsed("2017-01-01T09:00:00+09:00") == at(new_year_2017, 0, kind::offset, 32400));
    CHECK(parsed("2017/01/01 09:00:00 +0900") == at(new_year_2017, 0, kind::offset, 32400));
    CHECK(parsed("2016-12-31T20:30:00-0330") == at(new_year_2017, 0, kind::offset, -12600));
    CHECK(parsed("2017-01-01T09:18:59+09:18:59") == at(new_year_2017, 0, kind::offset, 33539));
    CHECK(parsed("2017-01-01T00:00:00-00:00") == at(new_year_2017, 0, kind::offset, 0));
    CHECK(parsed("2017-01-01") == at(new_year_2017, 0, kind::date));
    CHECK(parsed("2017/01/01") == at(new_year_2017, 0, kind::date));
    CHECK(parsed("0000-01-01T00:00:00Z") == at(-62167219200));
    CHECK(parsed("9999-12-31T23:59:59.9999999999999Z") == at(253402300799, 999'999'999));
    CHECK(parsed("2000-02-29") == at(951782400, 0, kind::date));
    CHECK(parsed("1970-01-01T00:00:00.1234567891Z") == at(0, 123'456'789));
    CHECK(parsed("1970-01-01T00:00:00.5+23:59") == at(-86340, 500'000'000, kind::offset, 86340));
}

TEST_CASE("leap seconds become the second after them") {
    CHECK(parsed("2016-12-31T23:59:60Z") == at(new_year_2017));
    CHECK(parsed("2017-01-01T08:59:60+09:00") == at(new_year_2017, 0, kind::offset, 32400));
    CHECK(parsed("1990-12-31T15:59:60-08:00") == at(662688000, 0, kind::offset, -28800));
    instant t;
    for (const char* bad :
         {"2016-12-31T23:58:60Z", "2016-12-31T22:59:60Z", "2016-12-31T23:59:60+09:00", "2016-12-31T23:59:61Z"})
        CHECK_MESSAGE(read(bad, t) == errc::range, std::string(bad));
}

TEST_CASE("what is no time is refused") {
    instant t = at(42);
    for (const char* bad : {"",
                            "2",
                            "2017",
                            "2017-01",
                            "2017-1-01",
                            "2017-01-1",
                            "17-01-01",
                            "2017-01/01",
                            "2017/01-01",
                            "2017.01.01",
                            "20170101",
                            "2017-01-01T",
                            "2017-01-01 ",
                            "2017-01-01T00",
                            "2017-01-01T00:00",
                            "2017-01-01T00:00Z",
                            "2017-01-01T00:00:00.",
                            "2017-01-01T00:00:00.Z",
                            "2017-01-01T00:00:00,5Z",
                            "2017-01-01T00:00:00ZZ",
                            "2017-01-01T00:00:00Z ",
                            " 2017-01-01",
                            "2017-01-01T00:00:00+",
                            "2017-01-01T00:00:00+9",
                            "2017-01-01T00:00:00+09",
                            "2017-01-01T00:00:00+09:",
                            "2017-01-01T00:00:00+09:0",
                            "2017-01-01T00:00:00+09:000",
                            "2017-01-01T00:00:00+09:00:",
                            "2017-01-01T00:00:00 ",
                            "2017-01-01T00:00:00 Z",
                            "2017-01-01T00:00:00*09:00",
                            "-017-01-01",
                            "2017-01-01X00:00:00",
                            "2017-01-01T0a:00:00",
                            "+2017-01-01",
                            "12017-01-01"})
        CHECK_MESSAGE(read(bad, t) == errc::syntax, std::string(bad));
    for (const char* bad : {"2017-00-01", "2017-13-01", "2017-01-00", "2017-01-32", "2017-02-29", "1900-02-29", "2017-04-31",
                            "2017-01-01T24:00:00Z", "2017-01-01T00:60:00Z", "2017-01-01T00:00:99Z", "2017-01-01T00:00:00+24:00",
                            "2017-01-01T00:00:00+09:60", "2017-01-01T00:00:00+09:00:60"})
        CHECK_MESSAGE(read(bad, t) == errc::range, std::string(bad));
    CHECK(t == at(42));  // untouched
}

TEST_CASE("what is written reads back the same") {
    std::mt19937_64 random(9);
    constexpr kind kinds[] = {kind::utc, kind::offset, kind::naive, kind::date};
    for (int i = 0; i < 50000; ++i) {
        instant t;
        t.clock = kinds[random() % 4];
        t.seconds = static_cast<std::int64_t>(random() % 315000000000) - 62000000000;
        if (t.clock == kind::date)
            t.seconds -= (t.seconds % 86400 + 86400) % 86400;
        else
            t.nanoseconds = static_cast<std::uint32_t>(random() % 1000000000) / (random() % 2 != 0 ? 1 : 1000000);
        if (t.clock == kind::offset) t.offset = static_cast<std::int32_t>(random() % 1440) * 60 - 43200;
        const std::string text = written(t);
        if (text != "none") CHECK(parsed(text) == t);
    }
}

TEST_CASE("an offset's seconds that are not printed do not move the moment") {
    const time_layout l = layouts::rfc3339;
    CHECK(written(at(new_year_2017, 0, kind::offset, 33539), l) == "2017-01-01T09:19:00+09:19");
    CHECK(written(at(new_year_2017, 0, kind::offset, 33540), l) == "2017-01-01T09:19:00+09:19");
    CHECK(written(at(new_year_2017, 0, kind::offset, -33539), l) == "2016-12-31T14:41:00-09:19");
    CHECK(written(at(new_year_2017, 0, kind::offset, 29), l) == "2017-01-01T00:00:00+00:00");
    CHECK(written(at(new_year_2017, 0, kind::offset, -30), l) == "2016-12-31T23:59:00-00:01");
    // There is no +24:00.
    CHECK(written(at(new_year_2017, 0, kind::offset, 86399), l) == "2017-01-01T23:59:00+23:59");
    CHECK(written(at(new_year_2017, 0, kind::offset, -86399), l) == "2016-12-31T00:01:00-23:59");
    for (std::int32_t offset = -86399; offset < 86400; offset += 7) {
        const instant t = at(new_year_2017, 0, kind::offset, offset);
        REQUIRE(parsed(written(t, l)).seconds == t.seconds);
    }
}
