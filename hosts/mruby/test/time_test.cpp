#include <cstdlib>
#include <ctime>

#include "../library/time.hpp"
#include "answers.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

TEST_CASE("texts") {
    const auto v = usual_vm();
    check(
        *v,
        {{"t = Time.at(784111777, 123456).utc; [t.iso8601, t.iso8601(3), t.xmlschema(9), t.httpdate, t.rfc2822, t.nsec]",
          R"(["1994-11-06T08:49:37Z", "1994-11-06T08:49:37.123Z", "1994-11-06T08:49:37.123456000Z", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 -0000", 123456000])"},
         {"Time.at(-62072000000).utc.iso8601", "\"0003-01-07T01:46:40Z\""},
         {"Time.allocate.iso8601", "TypeError: not a Time"}});
}

TEST_CASE("strftime") {
    const auto v = usual_vm();
    const auto of = [&](const char* format) {
        return answered(*v, "Time.at(784111777, 123456).utc.strftime('" + std::string(format) + "')");
    };
    CHECK(of("%Y-%m-%d %H:%M:%S %C %y %j %e %k %l %I %P %p") == "\"1994-11-06 08:49:37 19 94 310  6  8  8 08 am AM\"");
    CHECK(of("%A %a %^a %#p %B %b %h %^B %u %w %U %W %V %G %g") ==
          "\"Sunday Sun SUN am November Nov Nov NOVEMBER 7 0 45 44 44 1994 94\"");
    CHECK(of("%s %z %:z %::z %Z %L %N %3N %6N %12N %n%t%%") ==
          "\"784111777 +0000 +00:00 +00:00:00 UTC 123 123456000 123 123456 123456000000 \\n\\t%\"");
    CHECK(of("%c|%D|%x|%F|%T|%X|%R|%r|%v") ==
          "\"Sun Nov  6 08:49:37 1994|11/06/94|11/06/94|1994-11-06|08:49:37|08:49:37|08:49|08:49:37 AM| 6-NOV-1994\"");
    CHECK(of("%-d %_d %05d %5d %-m %_H %010Y %10A %-10A %^10b") ==
          "\"6  6 00006 00006 11  8 0000001994     Sunday Sunday        NOV\"");
    CHECK(of("%Q %:Y %+ %5-d %Ed %E %::::z %:") == "\"%Q %:Y %+ %5-d %Ed %E %::::z %:\"");
    for (const char* cut : {"%", "a%5", "%Y %-"}) CHECK(of(cut) == "ArgumentError: invalid format: " + std::string(cut));
    CHECK(of("%-05d %05-d %-010Y %_-5d %010z %_10z %-z %:::z %10::z") ==
          "\"6 %05-d 1994 6 +000000000       +000 -0000 +00 +000:00:00\"");
    CHECK(of("") == "\"\"");
    CHECK(answered(*v, "Time.at(0).utc.strftime('%99999999999d').size") == "1024");
    CHECK(answered(*v, "[1483142400, 1735603200, 1609459200].map { |s| Time.at(s).utc.strftime('%G-%V') }") ==
          R"(["2016-52", "2025-01", "2020-53"])");
}

TEST_CASE("local time") {
    ::setenv("TZ", "Asia/Tokyo", 1);
    ::tzset();
    const auto v = usual_vm();
    const std::string seen = answered(
        *v,
        "t = Time.at(0); [t.iso8601, t.utc_offset, t.strftime('%z %Z %:::z %010:z %_10z %-z %-_8::z'), t.httpdate, t.rfc2822]");
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    CHECK(
        seen ==
        R"(["1970-01-01T09:00:00+09:00", 32400, "+0900 JST +09 +000009:00       +900 +0900  +9:00:00", "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 01 Jan 1970 09:00:00 +0900"])");
}

TEST_CASE("read back") {
    const auto v = usual_vm();
    check(*v, {{"Time.parse('2020-01-02T03:04:05.25Z').then { |t| [t.to_i, t.usec, t.utc?] }", "[1577934245, 250000, true]"},
               {"Time.iso8601('2020-01-02T03:04:05+09:00').to_i", "1577901845"},
               {"['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'].map { |s| "
                "Time.httpdate(s).to_i }.uniq",
                "[784111777]"},
               {"Time.rfc2822('Sun, 06 Nov 1994 08:49:37 +0900').to_i", "784079377"},
               {"Time.parse('6 Nov 1994 08:49 GMT').to_i", "784111740"},
               {"Time.parse('soon')", "ArgumentError: no time information in \"soon\""},
               {"Time.httpdate('Sun, 31 Feb 1994 08:49:37 GMT')", "ArgumentError: argument out of range"},
               {"Time.iso8601('Sun, 06 Nov 1994 08:49:37 GMT')",
                "ArgumentError: invalid xmlschema format: \"Sun, 06 Nov 1994 08:49:37 GMT\""}});
}

TEST_CASE("each form is as strict as Ruby's") {
    const auto v = usual_vm();
    const auto read = [&](const char* how, const std::string& text) {
        return answered(*v, "t = Time." + std::string(how) + "('" + text + "'); [t.to_i, t.usec, t.utc?]");
    };
    for (const char* text :
         {"Xxx, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 +0900", "Sun, 06 Nov 1994 08:49:37 GMT x",
          "Sun,06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
          "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "06 Nov 1994 08:49:37 GMT", ""}) {
        CHECK(read("httpdate", text) == "ArgumentError: not RFC 2616 compliant date: \"" + std::string(text) + "\"");
    }
    for (const char* text : {"sun, 06 nov 1994 08:49:37 gmt  ", " sunday, 06-nov-94 08:49:37 GMT", "Sun Nov 06 08:49:37 1994"})
        CHECK(read("httpdate", text) == "[784111777, 0, true]");
    CHECK(read("httpdate", "Sunday, 06-Nov-49 08:49:37 GMT") == "[2519801377, 0, true]");
    CHECK(read("httpdate", "Sun, 06 Nov 1994 24:00:00 GMT") == "[784166400, 0, true]");
    for (const char* clock : {"24:00:01", "23:60:00", "08:49:61"})
        CHECK(read("httpdate", "Sun, 06 Nov 1994 " + std::string(clock) + " GMT") == "ArgumentError: argument out of range");

    for (const char* text : {"Sun 6 Nov 1994 08:49:37 +0900", "Sun, 6 Nov 1994 8:49:37 +0900", "Sun, 6 Nov 1994 08:49:37+0900",
                             "Sun, 6 Nov 1994 08:49:37 +090", "Sun, 6 Nov 1994 08:49:37 JST", "6 Nov 4 08:49:37 GMT"}) {
        CHECK(read("rfc2822", text) == "ArgumentError: not RFC 2822 compliant date: \"" + std::string(text) + "\"");
    }
    CHECK(read("rfc2822", "Sun, 06 Nov 1994 08:49:37 EST") == "[784129777, 0, false]");
    CHECK(read("rfc2822", "6 Nov 94 08:49 pdt (Pacific)") == "[784136940, 0, false]");
    CHECK(read("rfc2822", "Sun , 6 Nov 94 08 : 49 : 37 Z") == "[784111777, 0, true]");
    CHECK(read("rfc2822", "Sun, 6 Nov 1994 08:49:37 M") == "[784068577, 0, false]");
    CHECK(read("rfc2822", "Sun, 6 Nov 1994 08:49:37 Y") == "[784154977, 0, false]");

    for (const char* text :
         {"2026-11-20", "2026-11-20 01:02:03Z", "2026-11-20T01:02Z", "2026-11-20T01:02:03.Z", "2026-11-20T01:02:03+9",
          "2026-11-20T01:02:03+09:00:00", "2026-11-20T01:02:03 Z", "20261120T010203Z", "2026-11-20T01:02:03Zx"}) {
        CHECK(read("iso8601", text) == "ArgumentError: invalid xmlschema format: \"" + std::string(text) + "\"");
    }
    CHECK(read("iso8601", "2026-11-20T01:02:03.123456789-0330") == "[1795149123, 123456, false]");
    CHECK(read("iso8601", " 2026-11-20t01:02:03+09 ") == "[1795104123, 0, false]");
    CHECK(read("xmlschema", "-0001-11-20T01:02:03-00:00") == "[-62170844277, 0, true]");
    CHECK(read("iso8601", "2026-11-20T01:02:03+24:00") == "ArgumentError: argument out of range");
}

TEST_CASE("HTTP dates in C++") {
    char text[http_date_room];
    CHECK(std::string(text, write_http_date(text, 784111777)) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(write_http_date(text, 253402300800) == nullptr);
    CHECK(std::string(text, write_http_date(text, -62167219200)) == "Sat, 01 Jan 0000 00:00:00 GMT");
}
