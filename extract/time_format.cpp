#include "extract/time_format.hpp"

#include <cstring>

#include "engine/scalar/time_text.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr const char* months[] = {"january", "february", "march",     "april",   "may",      "june",
                                  "july",    "august",   "september", "october", "november", "december"};
constexpr const char* weekdays[] = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};

bool space(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }
char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

/// What one directive reads: a name's index, or npos. The whole name where it stands there, else its first three
/// letters.
template <std::size_t N>
std::size_t named(const char* const (&names)[N], const char*& p, const char* e) noexcept {
    for (std::size_t i = 0; i < N; ++i) {
        const std::size_t whole = std::strlen(names[i]);
        std::size_t n = 0;
        while (n < whole && p + n != e && lower(p[n]) == names[i][n]) ++n;
        if (n < 3) continue;
        p += n == whole ? whole : 3;
        return i;
    }
    return N;
}

bool digits(const char*& p, const char* e, int least, int most, std::int64_t& out) noexcept {
    const char* const from = p;
    std::int64_t v = 0;
    for (; p != e && p - from < most && *p >= '0' && *p <= '9'; ++p) v = v * 10 + (*p - '0');
    out = v;
    return p - from >= least;
}

/// One or two digits; the first may be a blank in its place, as %e, %k and %l print it.
bool padded(const char*& p, const char* e, std::int64_t& out) noexcept {
    const bool blank = p != e && *p == ' ';
    if (blank) ++p;
    return digits(p, e, 1, blank ? 1 : 2, out);
}

/// The two directives that fill the same field have the same letter here.
char field_of(char c) noexcept {
    switch (c) {
        case 'e': return 'd';
        case 'B':
        case 'h':
        case 'm': return 'b';
        case 'k':
        case 'I':
        case 'l': return 'H';
        case 'y': return 'Y';
        case 'A': return 'a';
        case 'Z': return 'z';
        default: return c;
    }
}

const char* wants(char c) noexcept {
    switch (c) {
        case 'Y': return "%Y, a year of four digits";
        case 'y': return "%y, a year of two digits";
        case 'm': return "%m, a month's number";
        case 'b': return "%b, a month's name";
        case 'd': return "%d, a day's number";
        case 'j': return "%j, the number of a day in the year";
        case 'a': return "%a, a weekday's name";
        case 'H': return "%H, an hour from 0 to 23";
        case 'I': return "%I, an hour from 1 to 12";
        case 'p': return "%p, AM or PM";
        case 'M': return "%M, minutes";
        case 'S': return "%S, seconds";
        case 'f': return "%f, 1 to 9 digits of a second";
        case 'z': return "%z, an offset such as +0900, +09:00 or Z";
        case 'Z': return "%Z, UTC or GMT";
        case 's': return "%s, seconds since 1970";
        case ' ': return "white space";
        default: return "another character of the format";
    }
}

}  // namespace

errc time_format::compile(std::string_view text, time_format& out, std::string& why) {
    time_format f;
    f.text_ = text;
    std::string all;  // with the short forms written out
    std::vector<std::size_t> places;
    const auto refuse = [&](std::size_t at, const std::string& what) {
        why = "the time format \"" + std::string(text) + "\": " + what + ", at character " + std::to_string(at + 1);
        return errc::misuse;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string_view piece = text.substr(i, 1);
        const std::size_t at = i;
        if (text[i] == '%' && i + 1 < text.size()) {
            piece = text.substr(i++, 2);
            switch (text[i]) {
                case 'D': piece = "%m/%d/%y"; break;
                case 'F': piece = "%Y-%m-%d"; break;
                case 'T': piece = "%H:%M:%S"; break;
                case 'R': piece = "%H:%M"; break;
                case 'n':
                case 't': piece = " "; break;
            }
        }
        all += piece;
        places.resize(all.size(), at);
    }
    std::string seen;
    std::string_view form = all;
    for (std::size_t i = 0; i < form.size(); ++i) {
        const std::size_t at = places[i];
        if (space(form[i])) {
            if (f.steps_.empty() || f.steps_.back().directive != ' ') f.steps_.push_back({' ', 0});
            continue;
        }
        if (form[i] != '%') {
            f.steps_.push_back({0, form[i]});
            continue;
        }
        if (++i == form.size()) return refuse(at, "it ends in a %; %% is the sign itself");
        char c = form[i];
        if (c == '%') {
            f.steps_.push_back({0, '%'});
            continue;
        }
        if (std::strchr("YymbBhdejaAHkIlpMSfzZs", c) == nullptr)
            return refuse(at, std::string("%") + c +
                                  " is no directive; there are %Y %y %m %b %B %h %d %e %j %a %A %H %k %I %l %p %M %S %f %z %Z "
                                  "%s %D %F %T %R %n %t %%");
        const char field = field_of(c);
        if (seen.find(field) != std::string::npos)
            return refuse(at, std::string("%") + c + " says again what stands before it");
        seen += field;
        if (c == 'I' || c == 'l') seen += '1';
        c = c == 'e' ? 'd' : c == 'B' || c == 'h' ? 'b' : c == 'k' ? 'H' : c == 'l' ? 'I' : c == 'A' ? 'a' : c;
        f.steps_.push_back({c, 0});
    }
    const auto has = [&](char c) { return seen.find(c) != std::string::npos; };
    const std::size_t end = text.empty() ? 0 : text.size() - 1;
    if (has('s')) {
        for (const char c : {'Y', 'b', 'd', 'j', 'H', 'M', 'S', 'p', 'z'})
            if (has(c)) return refuse(end, "%s is a whole moment, so nothing else of one may stand beside it");
    } else {
        if (!has('Y')) return refuse(end, "it names no year (%Y), so it names no moment");
        if (has('j') ? has('b') || has('d') : !has('b') || !has('d')) return refuse(end, "a day is %m (or %b) and %d, or %j");
        if (has('1') != has('p')) return refuse(end, "%I (1 to 12) and %p (AM, PM) belong together");
        if ((has('M') && !has('H')) || (has('S') && !has('M')) || (has('f') && !has('S')))
            return refuse(end, "a clock is %H, then %M, %S, %f: none of them without those before it");
    }
    f.zoned_ = has('z') || has('s');
    out = std::move(f);
    return errc::ok;
}

errc time_format::read(std::string_view text, instant& out, mismatch& where) const noexcept {
    const char* p = text.data();
    const char* const e = p + text.size();
    scalar::civil day{1970, 1, 1};
    std::int64_t hour = 0, minute = 0, second = 0, of_year = 0, epoch = 0, v = 0, offset = 0;
    std::uint32_t nanoseconds = 0;
    bool afternoon = false, twelve = false, good = true, in_range = true, whole = false, minus = false;
    bool zone = false, utc = false;
    for (const step& s : steps_) {
        const char* const from = p;
        switch (s.directive) {
            case 0: good = p != e && *p == s.literal && ++p != nullptr; break;
            case ' ':
                while (p != e && space(*p)) ++p;
                good = p != from;
                break;
            case 'Y':
                good = digits(p, e, 4, 4, v);
                day.year = static_cast<std::int32_t>(v);
                break;
            case 'y':
                good = digits(p, e, 2, 2, v);
                day.year = static_cast<std::int32_t>(v < 69 ? 2000 + v : 1900 + v);
                break;
            case 'm':
                good = digits(p, e, 1, 2, v);
                day.month = static_cast<std::uint32_t>(v);
                in_range = in_range && v >= 1 && v <= 12;
                break;
            case 'b': {
                const std::size_t i = named(months, p, e);
                good = i < 12;
                day.month = static_cast<std::uint32_t>(i + 1);
                break;
            }
            case 'd':
                good = padded(p, e, v);
                day.day = static_cast<std::uint32_t>(v);
                break;
            case 'j': good = digits(p, e, 1, 3, of_year); break;
            case 'a': good = named(weekdays, p, e) < 7; break;
            case 'H':
            case 'I':
                good = padded(p, e, hour);
                twelve = s.directive == 'I';
                in_range = in_range && (twelve ? hour >= 1 && hour <= 12 : hour <= 23);
                break;
            case 'p':
                good = e - p >= 2 && (lower(*p) == 'a' || lower(*p) == 'p') && lower(p[1]) == 'm';
                afternoon = good && lower(*p) == 'p';
                if (good) p += 2;
                break;
            case 'M':
                good = digits(p, e, 1, 2, minute);
                in_range = in_range && minute <= 59;
                break;
            case 'S':
                good = digits(p, e, 1, 2, second);
                in_range = in_range && second <= 59;
                break;
            case 'f':
                good = digits(p, e, 1, 9, v);
                for (auto n = p - from; good && n < 9; ++n) v *= 10;
                nanoseconds = static_cast<std::uint32_t>(v);
                break;
            case 's':
                minus = p != e && *p == '-';
                p += minus;
                good = digits(p, e, 1, 18, epoch);
                if (minus) epoch = -epoch;
                whole = true;
                break;
            case 'Z':
                zone = utc = true;
                good = false;
                for (const std::string_view name : {"utc", "gmt", "z"}) {
                    std::size_t n = 0;
                    while (n < name.size() && p + n != e && lower(p[n]) == name[n]) ++n;
                    if (n != name.size()) continue;
                    p += n;
                    good = true;
                    break;
                }
                break;
            case 'z': {
                zone = true;
                if (p != e && (*p == 'Z' || *p == 'z')) {
                    ++p;
                    utc = true;
                    break;
                }
                good = p != e && (*p == '+' || *p == '-');
                if (!good) break;
                const bool west = *p++ == '-';
                std::int64_t h = 0, m = 0, sec = 0;
                good = digits(p, e, 2, 2, h);
                const bool colon = good && p != e && *p == ':';
                if (colon) ++p;
                if (good && (colon || (p != e && *p >= '0' && *p <= '9'))) good = digits(p, e, 2, 2, m);
                if (good && colon && p != e && *p == ':') {
                    ++p;
                    good = digits(p, e, 2, 2, sec);
                }
                in_range = in_range && h <= 23 && m <= 59 && sec <= 59;
                offset = h * 3600 + m * 60 + sec;
                if (west) offset = -offset;
                break;
            }
        }
        if (!good) {
            where = {static_cast<std::size_t>(from - text.data()), wants(s.directive)};
            return errc::type;
        }
    }
    if (p != e) {
        where = {static_cast<std::size_t>(p - text.data()), "the end of the text"};
        return errc::type;
    }
    instant t;
    t.nanoseconds = nanoseconds;
    if (whole) {
        t.seconds = epoch;
        t.clock = instant::kind::utc;
        if (minus && nanoseconds != 0) {  // -1.5 is half a second before -1
            --t.seconds;
            t.nanoseconds = 1'000'000'000 - nanoseconds;
        }
        out = t;
        return errc::ok;
    }
    if (of_year != 0) in_range = in_range && of_year <= 365 + scalar::leap_year(day.year);
    for (const step& s : steps_) in_range = in_range && (s.directive != 'j' || of_year != 0);
    if (!in_range || day.month < 1 || day.month > 12 || day.day < 1 || day.day > scalar::days_in_month(day.year, day.month)) {
        where = {0, "a day, an hour, a minute, a second or an offset that exists"};
        return errc::range;
    }
    if (twelve) hour = hour % 12 + (afternoon ? 12 : 0);
    const std::int64_t days = scalar::days_from_civil(day) + (of_year != 0 ? of_year - 1 : 0);
    t.seconds = days * 86400 + hour * 3600 + minute * 60 + second - offset;
    t.clock = !zone ? instant::kind::naive : utc ? instant::kind::utc : instant::kind::offset;
    t.offset = static_cast<std::int32_t>(offset);
    out = t;
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
