// Dates of HTTP, mail and XML, read back.
#include <algorithm>

#include "../src/characters.hpp"
#include "engine/scalar/time_text.hpp"
#include "time.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// A date's words, numbers and what is between them. What does not fit is left where it is.
class words {
public:
    explicit words(std::string_view s) noexcept : rest_(s) {}
    void skip() noexcept {
        while (!rest_.empty() &&
               (rest_.front() == ' ' || rest_.front() == ',' || rest_.front() == '-' || rest_.front() == '\t'))
            rest_.remove_prefix(1);
    }
    // At least so many white spaces, and all that follow.
    bool spaces(std::size_t least = 0) noexcept {
        std::size_t i = 0;
        while (i < rest_.size() && is_space(rest_[i])) ++i;
        rest_.remove_prefix(i);
        return i >= least;
    }
    // All the digits that follow, no fewer and no more.
    bool number(int& n, std::size_t least = 1, std::size_t most = 2) noexcept {
        std::size_t i = 0;
        n = 0;
        while (i < rest_.size() && i < most && is_digit(rest_[i])) n = n * 10 + (rest_[i++] - '0');
        rest_.remove_prefix(i);
        digits_ = i;
        return i >= least && (rest_.empty() || !is_digit(rest_[0]));
    }
    bool two(int& n) noexcept { return number(n, 2, 2); }
    std::size_t digits() const noexcept { return digits_; }
    std::string_view word() noexcept {
        std::size_t i = 0;
        while (i < rest_.size() && is_letter(rest_[i])) ++i;
        const std::string_view w = rest_.substr(0, i);
        rest_.remove_prefix(i);
        return w;
    }
    // In either case.
    bool take(std::string_view text) noexcept {
        if (!same_but_for_case(rest_.substr(0, text.size()), text)) return false;
        rest_.remove_prefix(text.size());
        return true;
    }
    bool take(char c) noexcept { return take(std::string_view(&c, 1)); }
    char front() const noexcept { return rest_.empty() ? '\0' : rest_.front(); }
    bool empty() const noexcept { return rest_.empty(); }

private:
    std::string_view rest_;
    std::size_t digits_ = 0;
};

// The number of a name that the text begins with, from 1 on; 0: none of them.
template <std::size_t n>
int index_of(const std::string_view (&names)[n], std::string_view text) noexcept {
    for (std::size_t i = 0; i < n; ++i) {
        if (same_but_for_case(text.substr(0, 3), short_name(names[i]))) return static_cast<int>(i) + 1;
    }
    return 0;
}

int month_of(std::string_view name) noexcept { return index_of(month_names, name); }

bool take_month(words& w, int& month) noexcept {
    for (month = 1; month <= 12; ++month) {
        if (w.take(short_name(month_names[month - 1]))) return true;
    }
    return false;
}

bool take_day(words& w, bool whole) noexcept {
    return std::any_of(std::begin(day_names), std::end(day_names),
                       [&](std::string_view name) { return w.take(whole ? name : short_name(name)); });
}

// A zone's name, as Ruby knows them: how many hours it is ahead of UTC. A single letter is a military zone. Names may
// go on.
bool take_zone(words& w, int& hours, bool& utc) noexcept {
    constexpr struct {
        std::string_view name;
        int hours;
    } named[] = {{"UT", 0},   {"GMT", 0},  {"EST", -5}, {"EDT", -4}, {"CST", -6},
                 {"CDT", -5}, {"MST", -7}, {"MDT", -6}, {"PST", -8}, {"PDT", -7}};
    for (const auto& zone : named) {
        if (!w.take(zone.name)) continue;
        hours = zone.hours;
        utc = hours == 0;
        return true;
    }
    constexpr std::string_view military = "YXWVUTSRQPONZABCDEFGHIKLM";  // from -12 to 12
    const std::size_t at = military.find(upper(w.front()));
    if (w.empty() || at == std::string_view::npos) return false;
    w.take(w.front());
    hours = static_cast<int>(at) - 12;
    utc = hours == 0;
    return true;
}

struct date {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;

    // 24:00:00 is the day's end, and a second may be a leap second: each is the moment after it.
    bool valid() const noexcept {
        return month >= 1 && month <= 12 && day >= 1 &&
               static_cast<unsigned>(day) <= scalar::days_in_month(year, static_cast<unsigned>(month)) &&
               (hour < 24 || (hour == 24 && minute == 0 && second == 0)) && minute < 60 && second <= 60;
    }
    std::int64_t seconds() const noexcept {
        return scalar::days_from_civil({year, static_cast<unsigned>(month), static_cast<unsigned>(day)}) * 86400 + hour * 3600 +
               minute * 60 + second;
    }
};

date_read told(const date& d, std::int64_t offset, instant::kind clock, instant& out, int nanoseconds = 0) noexcept {
    if (!d.valid() || offset <= -86400 || offset >= 86400) return date_read::out_of_range;
    out = {};
    out.seconds = d.seconds() - offset;
    out.nanoseconds = static_cast<std::uint32_t>(nanoseconds);
    out.clock = clock;
    return date_read::yes;
}

int full_year(int of_two_digits) noexcept { return of_two_digits + (of_two_digits < 50 ? 2000 : 1900); }

bool take_clock(words& w, date& d) noexcept {
    return w.two(d.hour) && w.take(':') && w.two(d.minute) && w.take(':') && w.two(d.second);
}

bool read_clock(words& w, date& d) noexcept {
    if (!w.number(d.hour) || !w.take(':') || !w.number(d.minute)) return false;
    if (w.take(':') && !w.number(d.second)) return false;
    return d.hour < 24;
}

// HTTP's forms behind the spaces that all may begin and end with.
bool read_today(words w, date& d) noexcept {
    return take_day(w, false) && w.take(", ") && w.two(d.day) && w.take(' ') && take_month(w, d.month) && w.take(' ') &&
           w.number(d.year, 4, 4) && w.take(' ') && take_clock(w, d) && w.take(" GMT") && w.spaces() && w.empty();
}

bool read_rfc850(words w, date& d) noexcept {
    const bool read = take_day(w, true) && w.take(", ") && w.two(d.day) && w.take('-') && take_month(w, d.month) &&
                      w.take('-') && w.two(d.year) && w.take(' ') && take_clock(w, d) && w.take(" GMT") && w.spaces() &&
                      w.empty();
    d.year = full_year(d.year);
    return read;
}

bool read_asctime(words w, date& d) noexcept {
    return take_day(w, false) && w.take(' ') && take_month(w, d.month) && w.take(' ') &&
           (w.take(' ') ? w.number(d.day, 1, 1) : w.two(d.day)) && w.take(' ') && take_clock(w, d) && w.take(' ') &&
           w.number(d.year, 4, 4) && w.spaces() && w.empty();
}

}  // namespace

date_read read_http(std::string_view text, instant& out) noexcept {
    words w(text);
    w.spaces();
    date d;
    if (!read_today(w, d) && !read_rfc850(w, d = {}) && !read_asctime(w, d = {})) return date_read::no;
    return told(d, 0, instant::kind::utc, out);
}

date_read read_mail(std::string_view text, instant& out) noexcept {
    words w(text);
    date d;
    w.spaces();
    if (take_day(w, false) && !(w.spaces() && w.take(',') && w.spaces())) return date_read::no;
    if (!w.number(d.day) || !w.spaces(1) || !take_month(w, d.month) || !w.spaces(1) || !w.number(d.year, 2, 6))
        return date_read::no;
    if (w.digits() == 2) d.year = full_year(d.year);
    if (w.digits() == 3) d.year += 1900;
    if (!w.spaces(1) || !w.two(d.hour) || !w.spaces() || !w.take(':') || !w.spaces() || !w.two(d.minute)) return date_read::no;
    bool apart = w.spaces(1);
    if (w.take(':')) {
        if (!w.spaces() || !w.two(d.second)) return date_read::no;
        apart = w.spaces(1);
    }
    if (!apart) return date_read::no;
    const bool negative = w.front() == '-';
    if (w.take('+') || w.take('-')) {
        // Whatever follows the four digits, further ones too.
        int hours, minutes;
        char digits[4];
        for (char& c : digits) {
            c = w.front();
            if (!is_digit(c)) return date_read::no;
            w.take(c);
        }
        hours = (digits[0] - '0') * 10 + digits[1] - '0';
        minutes = (digits[2] - '0') * 10 + digits[3] - '0';
        const int offset = (hours * 60 + minutes) * 60;
        return told(d, negative ? -offset : offset, negative && offset == 0 ? instant::kind::utc : instant::kind::offset, out);
    }
    int hours;
    bool utc;
    if (!take_zone(w, hours, utc)) return date_read::no;
    return told(d, hours * 3600, utc ? instant::kind::utc : instant::kind::offset, out);
}

date_read read_xml(std::string_view text, instant& out) noexcept {
    words w(text);
    date d;
    w.spaces();
    const bool before_zero = w.take('-');
    if (!w.number(d.year, 1, 6) || !w.take('-') || !w.two(d.month) || !w.take('-') || !w.two(d.day) || !w.take('T') ||
        !take_clock(w, d))
        return date_read::no;
    if (before_zero) d.year = -d.year;
    int nanoseconds = 0;
    if (w.take('.')) {
        int unit = 100'000'000;
        if (!is_digit(w.front())) return date_read::no;
        for (; is_digit(w.front()); unit /= 10) {
            nanoseconds += (w.front() - '0') * unit;
            w.take(w.front());
        }
    }
    auto clock = instant::kind::naive;
    int offset = 0;
    if (w.take('Z')) {
        clock = instant::kind::utc;
    } else if (const char sign = w.front(); w.take('+') || w.take('-')) {
        int hours, minutes = 0;
        const bool four = w.number(hours, 2, 4) && w.digits() == 4;
        if (w.digits() != 2 && !four) return date_read::no;
        if (four) {
            minutes = hours % 100;
            hours /= 100;
        } else if (w.take(':') && !w.two(minutes)) {
            return date_read::no;
        }
        offset = (hours * 60 + minutes) * 60 * (sign == '-' ? -1 : 1);
        clock = sign == '-' && offset == 0 ? instant::kind::utc : instant::kind::offset;
    }
    if (!w.spaces() || !w.empty()) return date_read::no;
    return told(d, offset, clock, out, nanoseconds);
}

bool read_mail_date(std::string_view text, std::int64_t& seconds, bool& utc) noexcept {
    words w(text);
    date d;
    w.skip();
    const std::string_view name = w.word();
    w.skip();
    if (!name.empty() && !is_digit(w.front())) {  // asctime's: the month is next
        d.month = month_of(w.word());
        w.skip();
        if (d.month == 0 || !w.number(d.day)) return false;
        w.skip();
        if (!read_clock(w, d)) return false;
        w.skip();
        if (!w.number(d.year, 4, 4) || !w.empty() || !d.valid()) return false;
        utc = true;
        seconds = d.seconds();
        return true;
    }
    if (!w.number(d.day)) return false;
    w.skip();
    d.month = month_of(w.word());
    w.skip();
    if (d.month == 0 || !w.number(d.year, 2, 4)) return false;
    if (w.digits() == 2) d.year = full_year(d.year);
    if (w.digits() == 3) d.year += 1900;
    w.skip();
    if (!read_clock(w, d)) return false;
    while (w.take(' ')) {
    }
    std::int64_t offset = 0;
    if (w.front() == '+' || w.front() == '-') {
        const bool negative = w.take('-');
        if (!negative) w.take('+');
        int hhmm;
        if (!w.number(hhmm, 4, 4) || hhmm / 100 > 23 || hhmm % 100 > 59) return false;
        offset = (hhmm / 100 * 60 + hhmm % 100) * 60;
        utc = negative && offset == 0;
        if (negative) offset = -offset;
    } else {
        const std::string_view zone = w.word();
        if (zone != "GMT" && zone != "UTC" && zone != "UT" && zone != "Z") return false;
        utc = true;
    }
    while (w.take(' ')) {
    }
    if (!w.empty() || !d.valid()) return false;
    seconds = d.seconds() - offset;
    return true;
}

}  // namespace kumihimo::inline v0::mruby
