// Dates: what is written for a moment is what libc's calendar says and is read again as that moment, in each of HTTP's
// three forms; a text that is read at all is a moment that is written and read again as itself.
#include <time.h>

#include <cstring>

#include "../library/time.hpp"
#include "ruby.hpp"

using namespace fuzz;

namespace {

constexpr std::int64_t first = -62167219200, last = 253402300799;  // years 0 to 9999

std::string http_date(std::int64_t seconds) {
    char text[mruby::http_date_room];
    const char* const end = mruby::write_http_date(text, seconds);
    expect((end != nullptr) == (seconds >= first && seconds <= last), "the years that are written");
    return end == nullptr ? std::string() : std::string(text, static_cast<std::size_t>(end - text));
}

void expect_read(std::string_view text, std::int64_t is) {
    std::int64_t seconds = 0;
    bool utc = false;
    expect(mruby::read_mail_date(text, seconds, utc) && utc && seconds == is, text.data());
}

void moment(std::int64_t seconds) {
    const std::string made = http_date(seconds);
    if (made.empty()) return;
    const time_t t = seconds;
    tm civil{};
    expect(gmtime_r(&t, &civil) != nullptr, "libc has no such moment");
    const char* const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
    const char* const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const char* const day = days[civil.tm_wday];
    const char* const month = months[civil.tm_mon];
    const int year = civil.tm_year + 1900;
    char text[80], clock[32];
    std::snprintf(clock, sizeof clock, "%02d:%02d:%02d", civil.tm_hour, civil.tm_min, civil.tm_sec);
    std::snprintf(text, sizeof text, "%.3s, %02d %s %04d %s GMT", day, civil.tm_mday, month, year, clock);
    expect_equal(made, text, "another date than libc's");
    expect_read(made, seconds);
    std::snprintf(text, sizeof text, "%.3s %s %2d %s %04d", day, month, civil.tm_mday, clock, year);
    expect_read(text, seconds);
    if (year >= 1950 && year < 2050) {
        std::snprintf(text, sizeof text, "%s, %02d-%s-%02d %s GMT", day, civil.tm_mday, month, year % 100, clock);
        expect_read(text, seconds);
    }
    std::snprintf(text, sizeof text, "%d %s %04d %s -0000", civil.tm_mday, month, year, clock);
    expect_read(text, seconds);
    // An offset is what the clock is ahead.
    std::snprintf(text, sizeof text, "%d %s %04d %s +0130", civil.tm_mday, month, year, clock);
    std::int64_t ahead = 0;
    bool utc = true;
    expect(mruby::read_mail_date(text, ahead, utc) && !utc && ahead == seconds - 5400, "an offset");
}

void date_text(std::string_view s) {
    std::int64_t seconds = 0;
    bool utc = false;
    const bool read = mruby::read_mail_date(s, seconds, utc);
    // A day on either side of the calendar: the offset is taken off.
    if (read) expect(seconds >= first - 86400 && seconds <= last + 86400 + 1, "a year that is none");
    if (read && seconds >= first && seconds <= last) expect_read(http_date(seconds), seconds);

    ruby in(s.size() % 3 == 0);
    mrb_value v;
    instant moment;
    const auto strictly = [&](const char* name, mruby::date_read read) {
        const bool is_one = read == mruby::date_read::yes;
        expect(in.call(v, "ArgumentError", "Time", name, in.string(s)) == is_one, name);
        if (is_one) expect(mrb_integer(in.ask(v, "to_i")) == moment.seconds, name);
    };
    strictly("httpdate", mruby::read_http(s, moment));
    strictly("rfc2822", mruby::read_mail(s, moment));
    if (!in.call(v, "ArgumentError", "Time", "parse", in.string(s))) return;
    const std::int64_t at = mrb_integer(in.ask(v, "to_i"));
    if (at < first || at > last) return;
    const mrb_value there = in.ask(in.ask(v, "utc"), "iso8601"), back = in.must("Time", "iso8601", there);
    expect(mrb_integer(in.ask(back, "to_i")) == at, "written by ISO 8601 and read, it is another moment");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::int64_t seconds = 0;
    std::memcpy(&seconds, data, size < sizeof seconds ? size : sizeof seconds);
    moment(seconds);
    moment(seconds % (last + 1));  // most are far beyond
    date_text({reinterpret_cast<const char*>(data), size});
    return 0;
}
