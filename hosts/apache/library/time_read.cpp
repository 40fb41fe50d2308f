// Dates of HTTP and mail, read back.
#include <algorithm>

#include "engine/scalar/time_text.hpp"
#include "time.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";

// Words of a date of HTTP or mail: "Sun, 06 Nov 1994 08:49:37 GMT", the obsolete "Sunday, 06-Nov-94 08:49:37 GMT" and
// "Sun Nov  6 08:49:37 1994", and offsets.
class words {
public:
    explicit words(std::string_view s) noexcept : rest_(s) {}
    void skip() noexcept {
        while (!rest_.empty() &&
               (rest_.front() == ' ' || rest_.front() == ',' || rest_.front() == '-' || rest_.front() == '\t'))
            rest_.remove_prefix(1);
    }
    bool number(int& n, std::size_t least = 1, std::size_t most = 2) noexcept {
        std::size_t i = 0;
        n = 0;
        while (i < rest_.size() && i < most && rest_[i] >= '0' && rest_[i] <= '9') n = n * 10 + (rest_[i++] - '0');
        rest_.remove_prefix(i);
        digits_ = i;
        return i >= least && (rest_.empty() || rest_[0] < '0' || rest_[0] > '9');
    }
    std::size_t digits() const noexcept { return digits_; }
    std::string_view word() noexcept {
        std::size_t i = 0;
        while (i < rest_.size() && ((rest_[i] | 0x20) >= 'a' && (rest_[i] | 0x20) <= 'z')) ++i;
        const std::string_view w = rest_.substr(0, i);
        rest_.remove_prefix(i);
        return w;
    }
    bool take(char c) noexcept {
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    char front() const noexcept { return rest_.empty() ? '\0' : rest_.front(); }
    bool empty() const noexcept { return rest_.empty(); }

private:
    std::string_view rest_;
    std::size_t digits_ = 0;
};

int month_of(std::string_view name) noexcept {
    for (int i = 0; i < 12; ++i) {
        const std::string_view known(&months[3 * static_cast<std::size_t>(i)], 3);
        if (name.size() >= 3 &&
            std::equal(known.begin(), known.end(), name.begin(), [](char a, char b) { return (a | 0x20) == (b | 0x20); }))
            return i + 1;
    }
    return 0;
}

bool read_clock(words& w, int& hour, int& minute, int& second) noexcept {
    second = 0;
    if (!w.number(hour) || !w.take(':') || !w.number(minute)) return false;
    if (w.take(':') && !w.number(second)) return false;
    return hour < 24 && minute < 60 && second <= 60;
}

}  // namespace

bool read_mail_date(std::string_view text, std::int64_t& seconds, bool& utc) noexcept {
    words w(text);
    int day, month, year = 0, hour, minute, second;
    w.skip();
    std::string_view name = w.word();
    w.skip();
    if (!name.empty() && (w.front() < '0' || w.front() > '9')) {  // asctime's: the month is next
        month = month_of(w.word());
        w.skip();
        if (month == 0 || !w.number(day)) return false;
        w.skip();
        if (!read_clock(w, hour, minute, second)) return false;
        w.skip();
        if (!w.number(year, 4, 4) || !w.empty()) return false;
        utc = true;
        if (day < 1 || static_cast<unsigned>(day) > scalar::days_in_month(year, static_cast<unsigned>(month))) return false;
        seconds = scalar::days_from_civil({year, static_cast<unsigned>(month), static_cast<unsigned>(day)}) * 86400 +
                  hour * 3600 + minute * 60 + second;
        return true;
    }
    if (!w.number(day)) return false;
    w.skip();
    month = month_of(w.word());
    w.skip();
    if (month == 0 || !w.number(year, 2, 4)) return false;
    if (w.digits() == 2) year += year < 50 ? 2000 : 1900;  // RFC 2822
    if (w.digits() == 3) year += 1900;
    w.skip();
    if (!read_clock(w, hour, minute, second)) return false;
    while (w.take(' ')) {
    }
    std::int64_t offset = 0;
    utc = true;
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
    }
    while (w.take(' ')) {
    }
    if (!w.empty() || day < 1 || static_cast<unsigned>(day) > scalar::days_in_month(year, static_cast<unsigned>(month)))
        return false;
    seconds = scalar::days_from_civil({year, static_cast<unsigned>(month), static_cast<unsigned>(day)}) * 86400 + hour * 3600 +
              minute * 60 + second - offset;
    return true;
}

}  // namespace kumihimo::inline v0::mruby
