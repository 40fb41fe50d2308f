// Times as a type names them: the ways of writing that columns take beyond RFC 3339, and formats.
#include "extract/time_format.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <utility>

#include "engine/scalar/time_text.hpp"
#include "rows.hpp"

using rows::cell;
namespace x = kumihimo::extract;
using kumihimo::errc;
using kumihimo::instant;

namespace {

std::string quoted(const std::string& s) { return '"' + s + '"'; }

std::string refusal(const std::string& format) {
    x::time_format f;
    std::string why;
    return x::time_format::compile(format, f, why) == errc::ok ? std::string() : why;
}

}  // namespace

TEST_CASE("ways of writing a time") {
    const std::pair<const char*, const char*> same[] = {
        {"2024-01-01 00:00:00+09", "2023-12-31T15:00:00Z"},
        {"2024-01-01T00:00:00-0330", "2024-01-01T03:30:00Z"},
        {"2024-01-01T00:00:00 +09", "2023-12-31T15:00:00Z"},
        {"20240101T000000Z", "2024-01-01T00:00:00Z"},
        {"20240101T000000.25Z", "2024-01-01T00:00:00.250Z"},
        {"20240101T000000+09", "2023-12-31T15:00:00Z"},
        {"20240101T000000+0900", "2023-12-31T15:00:00Z"},
        {"20240101 0102Z", "2024-01-01T01:02:00Z"},
        {"2024-01-01T00:00:00,5Z", "2024-01-01T00:00:00.500Z"},
        {"2024-01-01T00:00:00,123456+09:00", "2023-12-31T15:00:00.123456Z"},
        {"2024-01-01 01:02Z", "2024-01-01T01:02:00Z"},
        {"2024-01-01T01:02+09", "2023-12-31T16:02:00Z"},
        {"1482598389", "2016-12-24T16:53:09Z"},
        {"1482598389.5", "2016-12-24T16:53:09.500Z"},
        {"1482598389123", "2016-12-24T16:53:09.123Z"},
        {"-1", "1969-12-31T23:59:59Z"},
    };
    for (const auto& [text, is] : same) {
        CAPTURE(text);
        CHECK(cell("timestamp", quoted(text)) == is);
    }
    CHECK(cell("timestamp[ms]", "\"1482598389123\"") == "2016-12-24T16:53:09.123Z");
    CHECK(cell("timestamp[UTC]", "\"20240101T000000\"") == "2024-01-01T00:00:00+00:00");
    CHECK(cell("timestamp[naive]", "\"2024-01-01 00:00,5\"") == "!type");
    CHECK(cell("timestamp[naive]", "\"1482598389\"") == "!type");
    for (const char* text : {"20240101T0Z", "20240101T00000Z", "2024-01-01T00:00:00+9", "2024-01-01T00:00:00,Z",
                             "2024-01-01T000000Z", "20240101T00:00:00Z", "2024-1-1T00:00:00Z", "20240101T", "2024010T000000Z",
                             "2024-01-01T00:00:00.5.5Z", "+1", "1e", "0x10", ""})
        CHECK_MESSAGE(cell("timestamp", quoted(text)) == "!type", text);
    // A second 60 is no moment that a column holds, and the next midnight is another.
    for (const char* text : {"2016-12-31T23:59:60Z", "2016-12-31 23:59:60+00", "20161231T235960Z", "2016-12-31T18:59:60-05:00"})
        CHECK_MESSAGE(cell("timestamp", quoted(text)) == "!range", text);
    CHECK(cell("timestamp", "\"20241301T000000Z\"") == "!range");
}

TEST_CASE("blanks at a format's ends") {
    CHECK(cell("timestamp[%F %T ]", "\"2016-12-25 01:53:10 \"") == "2016-12-25T01:53:10");
    CHECK(cell("timestamp[ %F]", "\"  2016-12-25\"") == "2016-12-25T00:00:00");
    CHECK(cell("timestamp[%F ]", "\"2016-12-25\"") == "!type");
    // Beside a comma they only separate.
    CHECK(cell("timestamp[+09:00, %F %T]", "\"2016-12-25 01:53:10\"") ==
          cell("timestamp[+09:00,%F %T]", "\"2016-12-25 01:53:10\""));
    CHECK(cell("timestamp[%F %T , +09:00]", "\"2016-12-25 01:53:10\"") ==
          cell("timestamp[%F %T,+09:00]", "\"2016-12-25 01:53:10\""));
    CHECK(cell("timestamp[ns , %F %T]", "\"2016-12-25 01:53:10\"") == "2016-12-25T01:53:10");
    CHECK(cell("timestamp[%F%n%T]", "\"2016-12-25  01:53:10\"") == "2016-12-25T01:53:10");
}

TEST_CASE("formats") {
    struct {
        const char *type, *text, *is;
    } const cases[] = {
        {"timestamp[%d/%b/%Y:%H:%M:%S %z]", "25/Dec/2016:10:53:10 +0900", "2016-12-25T01:53:10Z"},
        {"timestamp[%d/%b/%Y:%H:%M:%S %z,Asia/Tokyo]", "", ""},
        {"timestamp[%d/%b/%Y:%H:%M:%S %z,+09:00]", "25/Dec/2016:01:53:10 +0000", "2016-12-25T10:53:10+09:00"},
        {"timestamp[%Y-%m-%d %H:%M:%S,%f]", "2016-12-25 01:53:10,602", "2016-12-25T01:53:10.602"},
        {"timestamp[%Y-%m-%d %H:%M:%S,%f,+09:00]", "2016-12-25 01:53:10,602", "2016-12-25T01:53:10.602+09:00"},
        {"timestamp[ns,%F %T.%f %Z]", "2016-12-25 01:53:10.602955123 GMT", "2016-12-25T01:53:10.602955123Z"},
        {"timestamp[%a, %d %b %Y %H:%M:%S %Z]", "Sun, 25 Dec 2016 01:53:10 GMT", "2016-12-25T01:53:10Z"},
        {"timestamp[%A %e %B %Y %I:%M %p]", "Sunday  5 december 2016 12:07 am", "2016-12-05T00:07:00"},
        {"timestamp[%m/%d/%y %I:%M:%S %p]", "1/2/69 12:00:00 PM", "1969-01-02T12:00:00"},
        {"timestamp[%D %R]", "12/25/68 7:05", "2068-12-25T07:05:00"},
        {"timestamp[%Y%j]", "2016366", "2016-12-31T00:00:00"},
        {"timestamp[%Y%m%d]", "20161225", "2016-12-25T00:00:00"},
        {"timestamp[%s]", "1482598389", "2016-12-24T16:53:09Z"},
        {"timestamp[%s.%f]", "-1.5", "1969-12-31T23:59:58.500Z"},
        {"timestamp[%Y%%%m%%%d]", "2016%12%25", "2016-12-25T00:00:00"},
        {"timestamp[[%d/%b/%Y]]", "[25/Dec/2016]", "2016-12-25T00:00:00"},
        {"timestamp[%Y-%m-%dT%H:%M:%S%z]", "2016-12-25T01:53:10Z", "2016-12-25T01:53:10Z"},
        {"timestamp[%Y-%m-%dT%H:%M:%S%z]", "2016-12-25T01:53:10-05:30", "2016-12-25T07:23:10Z"},
        {"timestamp[%Y-%m-%d]", "2016-13-25", "!range"},
        {"timestamp[%Y-%m-%d]", "2015-02-29", "!range"},
        {"timestamp[%Y %j]", "2015 366", "!range"},
        {"timestamp[%Y %j]", "2015 0", "!range"},
        {"timestamp[%F %T]", "2016-12-31 23:59:60", "!range"},
        {"timestamp[%F %I %p]", "2016-12-31 13 pm", "!range"},
        {"timestamp[%Y-%m-%d]", "2016-12-25x", "!type"},
        {"timestamp[%Y-%m-%d]", "2016-12-", "!type"},
        {"timestamp[%Y-%m-%d]", "", "!type"},
        {"timestamp[%b %d %Y %H:%M]", "Dec  5 2016  7:05", "2016-12-05T07:05:00"},
        {"timestamp[%Y/%m/%d]", "2016/12/ 5", "2016-12-05T00:00:00"},
        {"timestamp[%Y/%m/%d]", "2016/12/ 25", "!type"},
        {"timestamp[%Y/%m/%d_%k:%M]", "2016/12/25_ 7:05", "2016-12-25T07:05:00"},
        {"timestamp[%Y/%m/%d_%H:%M]", "2016/12/25_ 17:05", "!type"},
        {"timestamp[%d/%b/%Y]", "25/Dez/2016", "!type"},
        {"timestamp[%F %T.%f]", "2016-12-25 01:53:10.6029551", "!range"},  // finer than microseconds
    };
    for (const auto& c : cases) {
        if (*c.is == 0) continue;
        CAPTURE(c.type);
        CAPTURE(c.text);
        CHECK(cell(c.type, quoted(c.text)) == c.is);
    }
    CHECK(cell("timestamp[%Y%m%d]", "20161225") == "2016-12-25T00:00:00");  // a number's own digits
    CHECK(cell("timestamp[%Y%m%d]", "true") == "!type");
    CHECK(rows::field("at=t:timestamp[%d/%b/%Y:%H:%M:%S %z]").path == "t");
    CHECK(rows::field("/a/t:timestamp[%d/%b/%Y:%H:%M:%S %z]").path == "/a/t");
    for (const char* type : {"timestamp[%d/%b/%Y:%H:%M:%S %z]", "timestamp[ns,%F %T.%f,Europe/Berlin]", "timestamp[%F, %T]"})
        CHECK(rows::field(std::string("a:") + type).type_text() == type);
}

TEST_CASE("a format that makes no moment is refused, with the place") {
    const std::pair<const char*, const char*> cases[] = {
        {"%d/%Q/%Y", "%Q is no directive"},
        {"%d/%Q/%Y", "at character 4"},
        {"%Y-%m-%d %", "ends in a %"},
        {"%d %b %H:%M:%S", "names no year"},
        {"%Y-%m", "%m (or %b) and %d"},
        {"%Y-%m-%d %y", "says again"},
        {"%F %d", "says again"},
        {"%F %I:%M", "%p"},
        {"%F %S", "a clock is %H"},
        {"%F %H %p", "belong together"},
        {"%s %Y", "%s is a whole moment"},
        {"%Y-%m-%d %j", "or %j"},
        {"", "names no year"},
    };
    for (const auto& [format, part] : cases) {
        CAPTURE(format);
        CHECK(refusal(format).find(part) != std::string::npos);
    }
    x::column_spec c;
    std::string why;
    CHECK(x::parse_field("a:timestamp[naive,%F %T %z]", c, why) == errc::misuse);
    CHECK(why.find("naive") != std::string::npos);
    CHECK(x::parse_field("a:timestamp[%F %U]", c, why) == errc::misuse);
    CHECK(why.find("%U is no directive") != std::string::npos);
}

TEST_CASE("a text that departs from the format says where") {
    x::batch b(rows::schema({"at:timestamp[%d/%b/%Y]"}), kumihimo::json::level::strict);
    kumihimo::context ctx;
    CHECK(b.append(rows::as_bytes("{\"at\":\"25/Dez/2016\"}"), {}, ctx) == errc::type);
    CHECK(b.explanation().find("%d/%b/%Y") != std::string::npos);
    CHECK(b.explanation().find("at character 4 it lacks %b, a month's name") != std::string::npos);
}

TEST_CASE("formats against the system's own strptime and timegm") {
    std::mt19937 random(1);
    for (const char* const format : {"%d/%b/%Y:%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%a, %d %b %Y %T", "%A %e %B %Y %I:%M:%S %p",
                                     "%Y %j %R", "%m/%d/%Y %k:%M"}) {
        x::time_format f;
        std::string why;
        REQUIRE(x::time_format::compile(format, f, why) == errc::ok);
        for (int i = 0; i < 4000; ++i) {
            const std::time_t at = static_cast<std::time_t>(random()) * 20 % 250'000'000'000 - 30'000'000'000;
            std::tm broken{};
            gmtime_r(&at, &broken);
            char text[100];
            const std::size_t n = strftime(text, sizeof text, format, &broken);
            std::tm read{};
            instant t;
            x::time_format::mismatch where;
            INFO(format << ": " << text);
            REQUIRE(f.read({text, n}, t, where) == errc::ok);
            REQUIRE(strptime(text, format, &read) != nullptr);
            if (std::strstr(format, "%j") != nullptr) {
                read = broken;
                read.tm_sec = 0;
            }
            CHECK(t.seconds == timegm(&read));
            // No cut of it, and nothing behind it, is taken for a time; no byte outside of it is read.
            const std::string cut(text, n - 1 - random() % (n - 1));
            if (f.read(cut, t, where) == errc::ok) CHECK(n - cut.size() <= 4);
            CHECK(f.read(std::string(text, n) + "~", t, where) == errc::type);
        }
    }
}
