#include "extract/zone.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::int64_t day = 86400;
// The Gregorian calendar repeats after 400 years, weekdays included (146,097 days are 20,871 weeks), and so do rules.
constexpr std::int64_t cycle = 146097 * day;

std::int64_t midnight(int year, unsigned month, unsigned dom) noexcept {
    using namespace std::chrono;
    return sys_days(std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(dom)).time_since_epoch().count() *
           day;
}

int year_of(std::int64_t utc) noexcept {
    using namespace std::chrono;
    const std::int64_t days = utc >= 0 ? utc / day : -((-utc + day - 1) / day);
    return static_cast<int>(year_month_day(sys_days(std::chrono::days(days))).year());
}

/// When the clocks change in each year, by the clock on the wall.
struct change {
    enum class form { month_week_day, julian, ordinal } rule = form::ordinal;
    int month = 1, week = 1, weekday = 0, n = 0;
    std::int64_t time = 7200;

    std::int64_t in(int year) const noexcept {
        if (rule == form::month_week_day) {
            const std::int64_t first = midnight(year, static_cast<unsigned>(month), 1);
            const int starts_on = static_cast<int>(((first / day + 4) % 7 + 7) % 7);  // 1970-01-01 was a Thursday
            int dom = 1 + (weekday - starts_on + 7) % 7 + (week - 1) * 7;
            const auto last = std::chrono::year_month_day_last(
                std::chrono::year(year), std::chrono::month_day_last(std::chrono::month(static_cast<unsigned>(month))));
            if (dom > static_cast<int>(static_cast<unsigned>(last.day()))) dom -= 7;  // week 5 means the last
            return first + (dom - 1) * day + time;
        }
        const bool leap = std::chrono::year(year).is_leap();
        // Jn counts 1 to 365 and never counts 29 February; n counts 0 to 365 and does.
        const int ordinal = rule == form::julian ? n - 1 + (leap && n >= 60 ? 1 : 0) : n;
        return midnight(year, 1, 1) + ordinal * day + time;
    }
};

struct posix_rule {
    std::int32_t standard = 0, summer = 0;
    bool changes = false;
    change start, end;
};

/// Reads "EST5EDT,M3.2.0,M11.1.0" and its like.
class rule_text {
public:
    explicit rule_text(std::string_view text) noexcept : p_(text.data()), e_(text.data() + text.size()) {}

    bool read(posix_rule& out) noexcept {
        std::int64_t seconds = 0;
        if (!skip_name() || !clock(seconds, 167)) return false;
        out.standard = static_cast<std::int32_t>(-seconds);  // POSIX counts west of Greenwich
        if (p_ == e_) return true;
        out.changes = true;
        if (!skip_name()) return false;
        out.summer = out.standard + 3600;
        if (p_ != e_ && *p_ != ',') {
            if (!clock(seconds, 167)) return false;
            out.summer = static_cast<std::int32_t>(-seconds);
        }
        return date(out.start) && date(out.end) && p_ == e_;
    }

private:
    bool skip_name() noexcept {
        if (p_ != e_ && *p_ == '<') {
            while (p_ != e_ && *p_ != '>') ++p_;
            return p_ != e_ && *p_++ == '>';
        }
        const char* from = p_;
        while (p_ != e_ && ((*p_ >= 'A' && *p_ <= 'Z') || (*p_ >= 'a' && *p_ <= 'z'))) ++p_;
        return p_ - from >= 3;
    }
    bool number(int& out, int most) noexcept {
        if (p_ == e_ || *p_ < '0' || *p_ > '9') return false;
        out = 0;
        for (; p_ != e_ && *p_ >= '0' && *p_ <= '9'; ++p_) {
            out = out * 10 + (*p_ - '0');
            if (out > most) return false;
        }
        return true;
    }
    bool clock(std::int64_t& seconds, int most_hours) noexcept {
        const bool minus = p_ != e_ && *p_ == '-';
        if (p_ != e_ && (*p_ == '-' || *p_ == '+')) ++p_;
        int hours = 0, minutes = 0, rest = 0;
        if (!number(hours, most_hours)) return false;
        if (p_ != e_ && *p_ == ':') {
            ++p_;
            if (!number(minutes, 59)) return false;
            if (p_ != e_ && *p_ == ':') {
                ++p_;
                if (!number(rest, 59)) return false;
            }
        }
        seconds = hours * 3600 + minutes * 60 + rest;
        if (minus) seconds = -seconds;
        return true;
    }
    bool date(change& out) noexcept {
        if (p_ == e_ || *p_++ != ',' || p_ == e_) return false;
        if (*p_ == 'M') {
            ++p_;
            out.rule = change::form::month_week_day;
            if (!number(out.month, 12) || out.month < 1 || p_ == e_ || *p_++ != '.') return false;
            if (!number(out.week, 5) || out.week < 1 || p_ == e_ || *p_++ != '.') return false;
            if (!number(out.weekday, 6)) return false;
        } else if (*p_ == 'J') {
            ++p_;
            out.rule = change::form::julian;
            if (!number(out.n, 365) || out.n < 1) return false;
        } else {
            out.rule = change::form::ordinal;
            if (!number(out.n, 365)) return false;
        }
        if (p_ == e_ || *p_ != '/') return true;
        ++p_;
        return clock(out.time, 167);
    }

    const char* p_;
    const char* e_;
};

constexpr std::int32_t most_offset = 7 * day;  // what a rule's grammar can say; real ones stay below a day

}  // namespace

errc zone::make(std::string name, std::int32_t first_offset, std::span<const transition> transitions, std::string_view rule,
                std::shared_ptr<const zone>& out, std::string& why) {
    const auto refuse = [&](const char* what) {
        why = "time zone " + name + ": " + what;
        return errc::misuse;
    };
    std::shared_ptr<zone> z(new zone);
    z->first_ = first_offset;
    posix_rule tail;
    if (!rule.empty() && !rule_text(rule).read(tail))
        return refuse("its rule is not a POSIX TZ text such as EST5EDT,M3.2.0,M11.1.0");

    std::int64_t previous = std::numeric_limits<std::int64_t>::min();
    std::int32_t before = first_offset;
    if (before <= -most_offset || before >= most_offset) return refuse("an offset is a week or more");
    const auto add = [&](std::int64_t utc, std::int32_t offset) {
        z->utc_.push_back(utc);
        z->offset_.push_back(offset);
        // Both kinds of change end, by a wall clock read with fold=0, at the later of the two readings.
        std::int64_t wall = utc + std::max(before, offset);
        if (!z->wall_.empty()) wall = std::max(wall, z->wall_.back());
        z->wall_.push_back(wall);
        before = offset;
    };
    for (const transition& t : transitions) {
        if (t.utc < previous) return refuse("its transitions are not in ascending order");
        if (t.offset <= -most_offset || t.offset >= most_offset) return refuse("an offset is a week or more");
        // The first entry of some files stands for "the beginning of time".
        const std::int64_t utc = std::clamp(t.utc, -(std::int64_t{1} << 60), std::int64_t{1} << 60);
        add(utc, t.offset);
        previous = utc;
    }
    if (!rule.empty() && !tail.changes) {
        // The rule names the offset after the last transition, which has it already unless the table is empty.
        if (z->utc_.empty()) z->first_ = tail.standard;
    } else if (tail.changes) {
        const int from = z->utc_.empty()
                             ? 1900
                             : std::clamp(year_of(std::clamp(previous, midnight(1, 1, 1), midnight(9000, 1, 1))), 1, 9000);
        const std::int64_t last = z->utc_.empty() ? std::numeric_limits<std::int64_t>::min() : previous;
        std::vector<transition> later;
        for (int y = from; y <= from + 401; ++y) {
            later.push_back({tail.start.in(y)-tail.standard, tail.summer});
            later.push_back({tail.end.in(y)-tail.summer, tail.standard});
        }
        std::stable_sort(later.begin(), later.end(), [](const transition& a, const transition& b) { return a.utc < b.utc; });
        if (z->utc_.empty()) before = z->first_ = tail.standard;
        for (const transition& t : later)
            if (t.utc > last) add(t.utc, t.offset);
        z->horizon_ = midnight(from + 401, 1, 1);
    }
    z->name_ = std::move(name);
    out = std::move(z);
    return errc::ok;
}

std::shared_ptr<const zone> zone::fixed(std::int32_t offset) {
    std::shared_ptr<zone> z(new zone);
    z->first_ = offset;
    z->name_ = "UTC";
    if (offset != 0) {
        const unsigned minutes = static_cast<unsigned>(offset < 0 ? -offset : offset) / 60;
        char text[16];
        std::snprintf(text, sizeof text, "%c%02u:%02u", offset < 0 ? '-' : '+', minutes / 60 % 100, minutes % 60);
        z->name_ = text;
    }
    return z;
}

std::shared_ptr<const zone> zone::fixed(std::string_view name) {
    if (name == "UTC" || name == "utc" || name == "Z" || name == "z") return fixed(0);
    if (name.size() < 5 || (name[0] != '+' && name[0] != '-')) return nullptr;
    const auto digit = [&](std::size_t i) { return name[i] >= '0' && name[i] <= '9' ? name[i] - '0' : -1000; };
    const std::size_t m = name[3] == ':' ? 4 : 3;
    if (name.size() != m + 2) return nullptr;
    const int hours = digit(1) * 10 + digit(2), minutes = digit(m) * 10 + digit(m + 1);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return nullptr;
    const std::int32_t offset = hours * 3600 + minutes * 60;
    return fixed(name[0] == '-' ? -offset : offset);
}

std::int32_t zone::find(const std::vector<std::int64_t>& begins, std::int64_t at, stretch& last) const noexcept {
    if (at >= horizon_) [[unlikely]]
        at -= ((at - horizon_) / cycle + 1) * cycle;
    if (at >= last.from && at < last.until) return last.offset;
    const auto i = static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), at) - begins.begin());
    last.from = i == 0 ? std::numeric_limits<std::int64_t>::min() : begins[i - 1];
    last.until = i == begins.size() ? std::numeric_limits<std::int64_t>::max() : begins[i];
    last.offset = i == 0 ? first_ : offset_[i - 1];
    return last.offset;
}

std::int32_t zone::offset_at(std::int64_t utc, stretch& last) const noexcept { return find(utc_, utc, last); }

std::int64_t zone::to_utc(std::int64_t local, stretch& last) const noexcept { return local - find(wall_, local, last); }

}  // namespace kumihimo::inline v0::extract
