// Time's texts: ISO 8601, HTTP and mail dates, strftime, and those read back. Everything by hand: libc's would take
// its locale, and its lock.
#include "time.hpp"

#include <time.h>

#include <algorithm>

#include "../src/characters.hpp"
#include "../src/moment.hpp"
#include "engine/scalar/time_text.hpp"
#include "library.hpp"
#include "native.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// A moment as its own clock shows it.
struct clock {
    std::int64_t seconds = 0, nanoseconds = 0;
    std::int64_t year = 1970;
    int month = 1, day = 1, hour = 0, minute = 0, second = 0, week_day = 0, year_day = 1;
    std::int64_t offset = 0;
    bool utc = true;
    std::string_view zone = "UTC";

    clock(std::int64_t s, std::int64_t ns, std::int64_t offset_) noexcept : seconds(s), nanoseconds(ns), offset(offset_) {
        const std::int64_t local = s + offset;
        const std::int64_t days = local / 86400 - (local % 86400 < 0);
        const auto of_day = static_cast<int>(local - days * 86400);
        const scalar::civil date = scalar::civil_from_days(days);
        year = date.year;
        month = static_cast<int>(date.month);
        day = static_cast<int>(date.day);
        hour = of_day / 3600;
        minute = of_day / 60 % 60;
        second = of_day % 60;
        week_day = static_cast<int>(((days % 7) + 11) % 7);  // 1970 began on a Thursday
        year_day = static_cast<int>(days - scalar::days_from_civil({date.year, 1, 1})) + 1;
    }
};

// civil_from_days' years; beyond them there is no calendar here.
constexpr std::int64_t farthest = std::int64_t{4'900'000} * 365 * 86400;

clock clock_of(mrb_state* mrb, mrb_value self) {
    if (!is_time(self)) raise(mrb, "TypeError", "not a Time");
    const auto& t = *static_cast<const time_data*>(DATA_PTR(self));
    if (t.sec > farthest || t.sec < -farthest) raise(mrb, "ArgumentError", "the year is out of range");
    const bool utc = t.timezone == time_zone::utc;
    clock c(t.sec, t.microseconds * 1000, utc ? 0 : t.datetime.tm_gmtoff);
    c.utc = utc;
    if (!utc) c.zone = t.datetime.tm_zone == nullptr ? "" : t.datetime.tm_zone;
    return c;
}

// Digits, filled up from the left.
void put_number(growing_string& out, std::int64_t n, std::size_t width, char fill) {
    char text[24];
    char* const end = text + sizeof text;
    char* at = end;
    const bool negative = n < 0;
    auto u = negative ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
    do {
        *--at = static_cast<char>('0' + u % 10);
        u /= 10;
    } while (u != 0);
    const auto size = static_cast<std::size_t>(end - at) + negative;
    if (negative && fill != ' ') out.put('-');
    if (fill != '\0') {
        for (std::size_t i = size; i < width; ++i) out.put(fill);
    }
    if (negative && fill == ' ') out.put('-');
    out.put({at, static_cast<std::size_t>(end - at)});
}

struct flags {
    char fill = '\0';  // '0' and ' ' ask for it
    bool left = false, upper = false, swap = false;
    int colons = 0;
    std::size_t width = 0;
};

constexpr std::size_t widest = 1024;

void put_text(growing_string& out, std::string_view s, const flags& f) {
    for (std::size_t i = s.size(); i < f.width && !f.left; ++i) out.put(f.fill == '0' ? '0' : ' ');
    // # is for the other case: of a name in capitals the small one.
    const bool capitals = std::none_of(s.begin(), s.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    for (char c : s) {
        if (f.upper || (f.swap && !capitals)) c = upper(c);
        if (f.swap && capitals) c = lower(c);
        out.put(c);
    }
}

void put_field(growing_string& out, std::int64_t n, std::size_t usual, char usual_fill, const flags& f) {
    if (f.left) return put_number(out, n, 0, '\0');
    put_number(out, n, f.width != 0 ? f.width : usual, f.fill != '\0' ? f.fill : usual_fill);
}

// +hhmm, +hh:mm, +hh:mm:ss; with three colons only as far as there is something to say. The width is the hours', which take
// what the rest leaves. "-" is RFC 3339's sign of UTC, which is nobody's local time.
void put_zone(growing_string& out, const clock& c, const flags& f) {
    const bool negative = c.offset < 0 || (c.utc && f.left);
    const std::int64_t s = c.offset < 0 ? -c.offset : c.offset, hours = s / 3600;
    const bool minutes = f.colons < 3 || s % 3600 != 0, seconds = f.colons == 2 || (f.colons == 3 && s % 60 != 0);
    const std::size_t behind = (minutes ? f.colons == 0 ? 2 : 3 : 0) + (seconds ? 3 : 0), digits = hours < 10 ? 1 : 2;
    const std::size_t width = f.width > behind + 3 ? f.width - behind - 1 : 2;
    const auto two = [&](std::int64_t n) { put_number(out, n, 2, '0'); };
    if (f.fill == ' ') {
        for (std::size_t i = digits; i < width; ++i) out.put(' ');
    }
    out.put(negative ? '-' : '+');
    put_number(out, hours, width, f.fill == ' ' ? '\0' : '0');
    if (minutes) {
        if (f.colons != 0) out.put(':');
        two(s / 60 % 60);
    }
    if (seconds) {
        out.put(':');
        two(s % 60);
    }
}

// Weeks from the year's first Sunday (or Monday).
int week_of_year(const clock& c, bool monday) noexcept {
    const int day = monday ? (c.week_day + 6) % 7 : c.week_day;
    return (c.year_day + 6 - day) / 7;
}

// ISO 8601's: the week of a Thursday, and the year it is counted in.
int iso_week(const clock& c, std::int64_t& year) noexcept {
    const int day = (c.week_day + 6) % 7;
    int week = (c.year_day - 1 - day + 10) / 7;
    year = c.year;
    const auto weeks_in = [](std::int64_t y) {
        const std::int64_t first = scalar::days_from_civil({static_cast<std::int32_t>(y), 1, 1});
        const auto week_day = static_cast<int>(((first % 7) + 10) % 7);  // Monday is 0
        return week_day == 3 || (week_day == 2 && scalar::leap_year(static_cast<std::int32_t>(y))) ? 53 : 52;
    };
    if (week < 1) {
        --year;
        week = weeks_in(year);
    } else if (week > weeks_in(year)) {
        ++year;
        week = 1;
    }
    return week;
}

// False: the format ends where a letter should be.
bool put_time(growing_string& out, const clock& c, std::string_view format);

void put_composed(growing_string& out, const clock& c, std::string_view format, const flags& f) {
    const std::size_t begin = out.size();
    put_time(out, c, format);
    const std::size_t size = out.size() - begin;
    if (f.width > size) {
        const std::size_t more = f.width - size;
        char* const at = out.reserve(more) - size;
        std::memmove(at + more, at, size);
        std::memset(at, f.fill == '0' ? '0' : ' ', more);
        out.took(more);
    }
    if (f.upper) {
        char* const at = out.reserve(0) - (out.size() - begin);
        for (char* p = at; p != at + (out.size() - begin); ++p) *p = upper(*p);
    }
}

// False: no directive.
bool put_directive(growing_string& out, const clock& c, char d, const flags& f) {
    const int twelve = c.hour % 12 == 0 ? 12 : c.hour % 12;
    std::int64_t year = 0;
    if (f.colons != 0 && d != 'z') return false;
    const auto floor_div = [](std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); };
    switch (d) {
        case 'Y': return put_field(out, c.year, c.year < 0 ? 5 : 4, '0', f), true;
        case 'C': return put_field(out, floor_div(c.year, 100), 2, '0', f), true;
        case 'y': return put_field(out, c.year - floor_div(c.year, 100) * 100, 2, '0', f), true;
        case 'm': return put_field(out, c.month, 2, '0', f), true;
        case 'B': return put_text(out, month_names[c.month - 1], f), true;
        case 'b':
        case 'h': return put_text(out, short_name(month_names[c.month - 1]), f), true;
        case 'd': return put_field(out, c.day, 2, '0', f), true;
        case 'e': return put_field(out, c.day, 2, ' ', f), true;
        case 'j': return put_field(out, c.year_day, 3, '0', f), true;
        case 'H': return put_field(out, c.hour, 2, '0', f), true;
        case 'k': return put_field(out, c.hour, 2, ' ', f), true;
        case 'I': return put_field(out, twelve, 2, '0', f), true;
        case 'l': return put_field(out, twelve, 2, ' ', f), true;
        case 'M': return put_field(out, c.minute, 2, '0', f), true;
        case 'S': return put_field(out, c.second, 2, '0', f), true;
        case 'P': return put_text(out, c.hour < 12 ? "am" : "pm", f), true;
        case 'p': return put_text(out, c.hour < 12 ? "AM" : "PM", f), true;
        case 'A': return put_text(out, day_names[c.week_day], f), true;
        case 'a': return put_text(out, short_name(day_names[c.week_day]), f), true;
        case 'u': return put_field(out, c.week_day == 0 ? 7 : c.week_day, 1, '0', f), true;
        case 'w': return put_field(out, c.week_day, 1, '0', f), true;
        case 'U': return put_field(out, week_of_year(c, false), 2, '0', f), true;
        case 'W': return put_field(out, week_of_year(c, true), 2, '0', f), true;
        case 'V': return put_field(out, iso_week(c, year), 2, '0', f), true;
        case 'G': iso_week(c, year); return put_field(out, year, year < 0 ? 5 : 4, '0', f), true;
        case 'g': iso_week(c, year); return put_field(out, year - floor_div(year, 100) * 100, 2, '0', f), true;
        case 's': return put_field(out, c.seconds, 1, '0', f), true;
        case 'z': return put_zone(out, c, f), true;
        case 'Z': return put_text(out, c.zone, f), true;
        case 'L':
        case 'N': {
            // Digits of the fraction, cut or filled up on the right.
            const std::size_t digits = f.width != 0 ? f.width : d == 'L' ? 3 : 9;
            std::int64_t n = c.nanoseconds, unit = 100'000'000;
            for (std::size_t i = 0; i < digits; ++i, unit /= 10) {
                out.put(unit == 0 ? '0' : static_cast<char>('0' + n / unit));
                if (unit != 0) n %= unit;
            }
            return true;
        }
        case 'n': return put_text(out, "\n", f), true;
        case 't': return put_text(out, "\t", f), true;
        case '%': return put_text(out, "%", f), true;
        case 'c': return put_composed(out, c, "%a %b %e %H:%M:%S %Y", f), true;
        case 'D':
        case 'x': return put_composed(out, c, "%m/%d/%y", f), true;
        case 'F': return put_composed(out, c, "%Y-%m-%d", f), true;
        case 'T':
        case 'X': return put_composed(out, c, "%H:%M:%S", f), true;
        case 'R': return put_composed(out, c, "%H:%M", f), true;
        case 'r': return put_composed(out, c, "%I:%M:%S %p", f), true;
        case 'v': return put_composed(out, c, "%e-%^b-%Y", f), true;
        default: return false;
    }
}

// What stands between the % and its letter, which `at` is then at. No flag but the colons comes behind a width.
bool read_flags(std::string_view format, std::size_t& at, flags& f) noexcept {
    for (; at < format.size(); ++at) {
        const char next = at + 1 < format.size() ? format[at + 1] : '\0';
        switch (const char c = format[at]) {
            case '_':
            case '-':
            case '^':
            case '#':
                if (f.width != 0) return false;
                if (c == '_') f.fill = ' ';
                if (c == '-') f.left = true, f.fill = '\0';
                if (c == '^') f.upper = true;
                if (c == '#') f.swap = true;
                break;
            case 'E':
            case 'O':
                if (next == '\0' ||
                    std::string_view(c == 'E' ? "cCxXyY" : "deHkIlmMSuUVwWy").find(next) == std::string_view::npos)
                    return false;
                break;
            case ':':
                f.colons = static_cast<int>(std::min<std::size_t>(format.find_first_not_of(':', at) - at, 4));
                if (f.colons > 3 || at + static_cast<std::size_t>(f.colons) >= format.size() ||
                    format[at + static_cast<std::size_t>(f.colons)] != 'z')
                    return false;
                at += static_cast<std::size_t>(f.colons) - 1;
                break;
            default:
                if (!is_digit(c)) return true;
                if (c == '0') f.fill = '0';
                for (f.width = 0;; ++at) {
                    f.width = std::min(f.width * 10 + static_cast<std::size_t>(format[at] - '0'), widest);
                    if (at + 1 >= format.size() || !is_digit(format[at + 1])) break;
                }
        }
    }
    return false;
}

bool put_time(growing_string& out, const clock& c, std::string_view format) {
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            out.put(format[i]);
            continue;
        }
        flags f;
        std::size_t end = i + 1;
        // What is none stays as it is written.
        const bool whole = read_flags(format, end, f);
        if (end == format.size()) return false;
        if (!whole || !put_directive(out, c, format[end], f)) out.put(format.substr(i, end + 1 - i));
        i = end;
    }
    return true;
}

// --- methods ----------------------------------------------------------------------------------------------------------------

mrb_value written(mrb_state* mrb, const clock& c, std::string_view format) {
    growing_string out(mrb, 40);
    put_time(out, c, format);
    return out.take();
}

mrb_value time_strftime(mrb_state* mrb, mrb_value self) {
    mrb_value format;
    mrb_get_args(mrb, "S", &format);
    growing_string out(mrb, 40);
    if (!put_time(out, clock_of(mrb, self), bytes_of(format)))
        raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "ArgumentError"), mrb_format(mrb, "invalid format: %v", format)));
    return out.take();
}

mrb_value time_iso8601(mrb_state* mrb, mrb_value self) {
    mrb_int digits = 0;
    mrb_get_args(mrb, "|i", &digits);
    const clock c = clock_of(mrb, self);
    growing_string out(mrb, 40);
    put_time(out, c, "%Y-%m-%dT%H:%M:%S");
    if (digits > 0) {
        flags f;
        f.width = static_cast<std::size_t>(std::min<mrb_int>(digits, 100));
        out.put('.');
        put_directive(out, c, 'N', f);
    }
    put_time(out, c, c.utc ? "Z" : "%:z");
    return out.take();
}

mrb_value time_httpdate(mrb_state* mrb, mrb_value self) {
    const clock c = clock_of(mrb, self);
    return written(mrb, clock(c.seconds, c.nanoseconds, 0), "%a, %d %b %Y %H:%M:%S GMT");
}

mrb_value time_rfc2822(mrb_state* mrb, mrb_value self) {
    const clock c = clock_of(mrb, self);
    return written(mrb, c, c.utc ? "%a, %d %b %Y %H:%M:%S -0000" : "%a, %d %b %Y %H:%M:%S %z");
}

mrb_value time_offset(mrb_state* mrb, mrb_value self) { return mrb_int_value(mrb, clock_of(mrb, self).offset); }
mrb_value time_nsec(mrb_state* mrb, mrb_value self) { return mrb_int_value(mrb, clock_of(mrb, self).nanoseconds); }

// --- reading ----------------------------------------------------------------------------------------------------------------

// mruby has two zones: what is not in UTC becomes local time, the same moment; what names no zone is the local one's
// reading.
mrb_value made(mrb_state* mrb, mrb_value time, const instant& t) {
    if (t.clock != instant::kind::date && t.clock != instant::kind::naive)
        return time_at(mrb, time, t.seconds, t.nanoseconds, t.clock == instant::kind::utc);
    const clock c(t.seconds, t.nanoseconds, 0);
    const mrb_value args[] = {mrb_fixnum_value(c.year),
                              mrb_fixnum_value(c.month),
                              mrb_fixnum_value(c.day),
                              mrb_fixnum_value(c.hour),
                              mrb_fixnum_value(c.minute),
                              mrb_fixnum_value(c.second),
                              mrb_fixnum_value(t.nanoseconds / 1000)};
    return mrb_funcall_argv(mrb, time, mrb_intern_lit(mrb, "local"), 7, args);
}

[[noreturn]] void refuse(mrb_state* mrb, const char* why, mrb_value text) {
    raise(mrb,
          mrb_exc_new_str(mrb, mrb_class_get(mrb, "ArgumentError"), mrb_format(mrb, "%s %v", why, mrb_inspect(mrb, text))));
}

mrb_value time_parse(mrb_state* mrb, mrb_value self) {
    mrb_value text;
    mrb_get_args(mrb, "S", &text);
    std::string_view s = bytes_of(text);
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
    instant t;
    bool utc;
    if (scalar::read_time(s.data(), s.data() + s.size(), t) == errc::ok) return made(mrb, self, t);
    if (read_mail_date(s, t.seconds, utc)) return time_at(mrb, self, t.seconds, 0, utc);
    refuse(mrb, "no time information in", text);
}

// Of one form, and nothing else.
template <date_read (*form)(std::string_view, instant&) noexcept>
mrb_value time_read(mrb_state* mrb, mrb_value self) {
    mrb_value text;
    mrb_get_args(mrb, "S", &text);
    instant t;
    switch (form(bytes_of(text), t)) {
        case date_read::yes: return made(mrb, self, t);
        case date_read::out_of_range: raise(mrb, "ArgumentError", "argument out of range");
        default:
            refuse(mrb,
                   form == read_http   ? "not RFC 2616 compliant date:"
                   : form == read_mail ? "not RFC 2822 compliant date:"
                                       : "invalid xmlschema format:",
                   text);
    }
}

}  // namespace

char* write_http_date(char* to, std::int64_t seconds) noexcept {
    constexpr std::int64_t first = -62167219200, behind = 253402300800;  // years 0 to 9999
    if (seconds < first || seconds >= behind) return nullptr;
    const clock c(seconds, 0, 0);
    const auto put = [&to](std::string_view s) {
        std::memcpy(to, s.data(), s.size());
        to += s.size();
    };
    const auto two = [&to](int n) {
        *to++ = static_cast<char>('0' + n / 10 % 10);
        *to++ = static_cast<char>('0' + n % 10);
    };
    put(short_name(day_names[c.week_day]));
    put(", ");
    two(c.day);
    *to++ = ' ';
    put(short_name(month_names[c.month - 1]));
    *to++ = ' ';
    two(static_cast<int>(c.year / 100));
    two(static_cast<int>(c.year % 100));
    *to++ = ' ';
    two(c.hour);
    *to++ = ':';
    two(c.minute);
    *to++ = ':';
    two(c.second);
    put(" GMT");
    return to;
}

void define_time(mrb_state* mrb) {
    RClass* const c = mrb_class_get(mrb, "Time");
    find_time_methods(mrb);
    const auto on = [&](const char* name, mrb_func_t f, mrb_aspec args) { mrb_define_method(mrb, c, name, f, args); };
    on("strftime", time_strftime, MRB_ARGS_REQ(1));
    on("iso8601", time_iso8601, MRB_ARGS_OPT(1));
    on("xmlschema", time_iso8601, MRB_ARGS_OPT(1));
    on("httpdate", time_httpdate, MRB_ARGS_NONE());
    on("rfc2822", time_rfc2822, MRB_ARGS_NONE());
    on("rfc822", time_rfc2822, MRB_ARGS_NONE());
    on("utc_offset", time_offset, MRB_ARGS_NONE());
    on("gmt_offset", time_offset, MRB_ARGS_NONE());
    on("gmtoff", time_offset, MRB_ARGS_NONE());
    on("nsec", time_nsec, MRB_ARGS_NONE());
    const auto on_class = [&](const char* name, mrb_func_t f) { mrb_define_class_method(mrb, c, name, f, MRB_ARGS_REQ(1)); };
    on_class("parse", time_parse);
    on_class("iso8601", time_read<read_xml>);
    on_class("xmlschema", time_read<read_xml>);
    on_class("httpdate", time_read<read_http>);
    on_class("rfc2822", time_read<read_mail>);
    on_class("rfc822", time_read<read_mail>);
}

}  // namespace kumihimo::inline v0::mruby
