#include "extract/zone.hpp"

#include <doctest/doctest.h>

using namespace kumihimo;
using extract::zone;

namespace {

std::shared_ptr<const zone> make(std::int32_t first, std::vector<zone::transition> t, std::string_view rule) {
    std::shared_ptr<const zone> z;
    std::string why;
    const errc e = zone::make("test", first, t, rule, z, why);
    INFO(why);
    REQUIRE(e == errc::ok);
    return z;
}

std::int32_t offset(const zone& z, std::int64_t utc) {
    zone::stretch fresh;
    return z.offset_at(utc, fresh);
}
std::int64_t moment(const zone& z, std::int64_t local) {
    zone::stretch fresh;
    return z.to_utc(local, fresh);
}

constexpr std::int64_t hour = 3600, day = 86400, cycle = 146097 * day;
// 2026-03-08T07:00:00Z and 2026-11-01T06:00:00Z: New York's clocks change.
constexpr std::int64_t spring = 1772953200, autumn = 1793512800;

}  // namespace

TEST_CASE("a fixed offset") {
    for (const auto& [name, seconds] :
         {std::pair{"UTC", 0}, {"Z", 0}, {"+09:00", 9 * 3600}, {"-0330", -12600}, {"+05:45", 20700}}) {
        const auto z = zone::fixed(std::string_view(name));
        REQUIRE(z != nullptr);
        CHECK(offset(*z, 0) == seconds);
        CHECK(moment(*z, 1000000) == 1000000 - seconds);
    }
    CHECK(zone::fixed(0)->name() == "UTC");
    CHECK(zone::fixed(9 * 3600)->name() == "+09:00");
    CHECK(zone::fixed(-12600)->name() == "-03:30");
    for (const char* name : {"Asia/Tokyo", "", "+", "+9", "+24:00", "+09:60", "+09:0x", "09:00", "+09:00:00"})
        CHECK_MESSAGE(zone::fixed(std::string_view(name)) == nullptr, name);
}

TEST_CASE("gap and fold are read as fold=0") {
    const auto z = make(-5 * hour, {{spring, -4 * hour}, {autumn, -5 * hour}}, "");
    CHECK(offset(*z, spring - 1) == -5 * hour);
    CHECK(offset(*z, spring) == -4 * hour);
    CHECK(offset(*z, autumn - 1) == -4 * hour);
    CHECK(offset(*z, autumn) == -5 * hour);
    // 01:59:59 is before, 02:00:00 to 02:59:59 do not exist and are read with the offset from before, 03:00:00 is
    // after.
    const std::int64_t two = spring - 5 * hour;
    CHECK(moment(*z, two - 1) == spring - 1);
    CHECK(moment(*z, two) == spring);
    CHECK(moment(*z, two + hour - 1) == spring + hour - 1);
    CHECK(moment(*z, two + hour) == spring);
    // 01:00:00 to 01:59:59 come twice and mean the first time.
    const std::int64_t one = autumn - 5 * hour;
    CHECK(moment(*z, one - 1) == autumn - hour - 1);
    CHECK(moment(*z, one) == autumn - hour);
    CHECK(moment(*z, one + hour - 1) == autumn - 1);
    CHECK(moment(*z, one + hour) == autumn + hour);
}

TEST_CASE("the rule continues the table, for ever") {
    const auto z = make(-5 * hour, {{spring, -4 * hour}}, "EST5EDT,M3.2.0,M11.1.0");
    CHECK(offset(*z, autumn - 1) == -4 * hour);
    CHECK(offset(*z, autumn) == -5 * hour);
    const std::int64_t spring_2027 = 1805007600;  // 2027-03-14T07:00:00Z
    CHECK(offset(*z, spring_2027 - 1) == -5 * hour);
    CHECK(offset(*z, spring_2027) == -4 * hour);
    for (const std::int64_t k : {1, 2, 19, 100000}) {  // the calendar repeats after 400 years
        CHECK(offset(*z, spring_2027 + k * cycle - 1) == -5 * hour);
        CHECK(offset(*z, spring_2027 + k * cycle) == -4 * hour);
        CHECK(moment(*z, spring_2027 + k * cycle - 5 * hour - 1) == spring_2027 + k * cycle - 1);
        CHECK(moment(*z, spring_2027 + k * cycle - 4 * hour) == spring_2027 + k * cycle);
    }
}

TEST_CASE("rules of other forms") {
    SUBCASE("half an hour, southern summer") {  // Lord Howe
        const auto z = make(0, {}, "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0");
        CHECK(offset(*z, 1767225600) == 11 * hour);         // 2026-01-01
        CHECK(offset(*z, 1782864000) == 10 * hour + 1800);  // 2026-07-01
        CHECK(offset(*z, 1775314800 - 1) == 11 * hour);     // 2026-04-04T15:00:00Z
        CHECK(offset(*z, 1775314800) == 10 * hour + 1800);
    }
    SUBCASE("winter is the exception") {  // Dublin: standard time in summer
        const auto z = make(0, {}, "IST-1GMT0,M10.5.0,M3.5.0/1");
        CHECK(offset(*z, 1767225600) == 0);
        CHECK(offset(*z, 1782864000) == hour);
        CHECK(offset(*z, 1774746000 - 1) == 0);  // 2026-03-29T01:00:00Z
        CHECK(offset(*z, 1774746000) == hour);
    }
    SUBCASE("days of the year") {
        const auto z = make(0, {}, "XXX0YYY,J60/0,J300/0");  // 1 March, also in a leap year
        CHECK(offset(*z, 1709251200 - 1) == 0);              // 2024-03-01T00:00:00Z
        CHECK(offset(*z, 1709251200) == hour);
        const auto n = make(0, {}, "XXX0YYY,59/0,300/0");  // the 60th day: 29 February in a leap year
        CHECK(offset(*n, 1709164800 - 1) == 0);
        CHECK(offset(*n, 1709164800) == hour);
    }
    SUBCASE("a time beyond the day") {  // Godthab in 2024: Saturday 22:00 said as Sunday -2
        const auto z = make(0, {}, "<-02>2<-01>,M3.5.0/-1,M10.5.0/0");
        CHECK(offset(*z, 1774746000 - 1) == -2 * hour);
        CHECK(offset(*z, 1774746000) == -hour);
    }
    SUBCASE("no change") {
        const auto z = make(33539, {{-2587712400, 9 * hour}}, "JST-9");
        CHECK(offset(*z, -2587712401) == 33539);
        CHECK(offset(*z, 1482598389) == 9 * hour);
        CHECK(offset(*make(0, {}, "JST-9"), 0) == 9 * hour);
    }
}

TEST_CASE("the stretch that is handed in again never changes an answer") {
    const auto z = make(-5 * hour, {{spring, -4 * hour}, {autumn, -5 * hour}}, "EST5EDT,M3.2.0,M11.1.0");
    zone::stretch there, back;
    std::uint64_t seed = 7;
    for (int i = 0; i < 20000; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const std::int64_t t =
            spring - 100 * day + static_cast<std::int64_t>((seed >> 20) % (20000 * day)) + (i % 7 == 0 ? cycle : 0);
        CHECK(z->offset_at(t, there) == offset(*z, t));
        CHECK(z->to_utc(t, back) == moment(*z, t));
        // A wall clock's reading leads back to the moment, but in the second hour of a fold.
        const std::int64_t local = t + offset(*z, t), again = moment(*z, local);
        CHECK((again == t || again == t - hour));
    }
}

TEST_CASE("what is not a zone is refused") {
    std::shared_ptr<const zone> z;
    std::string why;
    for (const char* rule :
         {"EST", "5", "ES5", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0",
          "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,J0,J5", "EST5EDT,J366,J5", "EST5EDT,366,5", "EST5EDT,M3.2.0,M11.1.0,",
          "EST5EDT,M3.2.0/,M11.1.0", "<EST5", "EST999", "EST5:60", "EST5EDT,M3.2.0/168,M11.1.0"}) {
        CHECK_MESSAGE(zone::make("x", 0, {}, rule, z, why) == errc::misuse, rule);
        CHECK(why.find("time zone x") == 0);
    }
    const zone::transition backwards[] = {{10, 0}, {9, 3600}};
    CHECK(zone::make("x", 0, backwards, "", z, why) == errc::misuse);
    const zone::transition wild[] = {{10, 10 * 86400}};
    CHECK(zone::make("x", 0, wild, "", z, why) == errc::misuse);
    CHECK(z == nullptr);
}
