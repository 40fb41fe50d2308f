#include "extract/interval.hpp"

#include <algorithm>
#include <limits>

#include "engine/scalar/time_text.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::int64_t day = 86400, million = 1'000'000;
constexpr std::int64_t most_days = 3'660'000, most_months = 120'000;  // ten thousand years
constexpr std::int64_t monday = -3;                                   // 1969-12-29
constexpr std::int64_t month = 2'629'746;                             // seconds, on the average of 400 years

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept { return a / b - (a % b < 0); }

struct word {
    std::string_view text;
    interval::unit of;
    std::int64_t count;
};
constexpr word words[] = {
    {"us", interval::unit::microseconds, 1},
    {"ms", interval::unit::microseconds, 1000},
    {"s", interval::unit::microseconds, million},
    {"sec", interval::unit::microseconds, million},
    {"second", interval::unit::microseconds, million},
    {"seconds", interval::unit::microseconds, million},
    {"min", interval::unit::microseconds, 60 * million},
    {"minute", interval::unit::microseconds, 60 * million},
    {"minutes", interval::unit::microseconds, 60 * million},
    {"h", interval::unit::microseconds, 3600 * million},
    {"hour", interval::unit::microseconds, 3600 * million},
    {"hours", interval::unit::microseconds, 3600 * million},
    {"d", interval::unit::days, 1},
    {"day", interval::unit::days, 1},
    {"days", interval::unit::days, 1},
    {"w", interval::unit::weeks, 1},
    {"week", interval::unit::weeks, 1},
    {"weeks", interval::unit::weeks, 1},
    {"mo", interval::unit::months, 1},
    {"month", interval::unit::months, 1},
    {"months", interval::unit::months, 1},
    {"q", interval::unit::months, 3},
    {"quarter", interval::unit::months, 3},
    {"quarters", interval::unit::months, 3},
    {"y", interval::unit::months, 12},
    {"year", interval::unit::months, 12},
    {"years", interval::unit::months, 12},
};

}  // namespace

errc parse_interval(std::string_view text, interval& out, std::string& why) {
    const auto refuse = [&](const std::string& what) {
        why = "every \"" + std::string(text) + "\": " + what;
        return errc::misuse;
    };
    std::size_t i = 0;
    std::int64_t n = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
        if (n > std::numeric_limits<std::int64_t>::max() / 10 - 1) return refuse("the number is too large");
        n = n * 10 + (text[i] - '0');
    }
    const bool counted = i != 0;
    while (i < text.size() && text[i] == ' ') ++i;
    std::string unit(text.substr(i));
    if (unit == "m" || unit == "M") return refuse("m is no unit: write min for minutes, mo for months");
    for (char& c : unit)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const word* found = nullptr;
    for (const word& w : words)
        if (w.text == unit) found = &w;
    if (found == nullptr)
        return refuse("write a number and a unit, such as 5min; units: us, ms, s, min, h, day, week, month, quarter, year");
    if (!counted) n = 1;
    if (n == 0) return refuse("an interval is longer than nothing");
    const std::int64_t most = found->of == interval::unit::microseconds ? day * million - 1
                              : found->of == interval::unit::months     ? most_months
                              : found->of == interval::unit::weeks      ? most_days / 7
                                                                        : most_days;
    if (n > most / found->count)
        return refuse(found->of == interval::unit::microseconds ? "a day and more is written in days: 1day"
                                                                : "it is longer than all times");
    out = {found->of, n * found->count};
    return errc::ok;
}

calendar::calendar(interval every, std::shared_ptr<const zone> in, std::int64_t per_second) noexcept
    : every_(every), zone_(std::move(in)), per_second_(per_second) {
    if (every.of == interval::unit::microseconds) {
        length_ = every.count * (per_second / million);
        return;
    }
    if (every.of != interval::unit::months) days_ = every.of == interval::unit::weeks ? every.count * 7 : every.count;
    if (every.of == interval::unit::weeks) first_ = monday;
    const std::int64_t seconds = every.of == interval::unit::months ? every.count * month : days_ * day;
    // Some are longer than all that a column of nanoseconds counts.
    if (__builtin_mul_overflow(seconds, per_second, &length_)) length_ = std::numeric_limits<std::int64_t>::max();
}

// The second at which an interval of days or months begins.
std::int64_t calendar::begin_of(std::int64_t number) noexcept {
    std::int64_t date = number * days_ + first_;
    if (every_.of == interval::unit::months) {
        const std::int64_t months = number * every_.count, year = floor_div(months, 12);
        date =
            scalar::days_from_civil({static_cast<std::int32_t>(year), static_cast<std::uint32_t>(months - year * 12) + 1, 1});
    }
    return zone_ ? zone_->to_utc(date * day, wall_) : date * day;
}

bool calendar::cells(std::int64_t from, std::int64_t until, span& out) const noexcept {
    return !__builtin_mul_overflow(from, per_second_, &out.from) && !__builtin_mul_overflow(until, per_second_, &out.until) &&
           out.from != std::numeric_limits<std::int64_t>::min();
}

bool calendar::whole_days(std::int64_t seconds, span& out) noexcept {
    const std::int64_t date = floor_div(seconds + (zone_ ? zone_->offset_at(seconds, utc_) : 0), day);
    std::int64_t number = floor_div(date - first_, days_);
    if (every_.of == interval::unit::months) {
        const scalar::civil c = scalar::civil_from_days(date);
        number = floor_div(std::int64_t{c.year} * 12 + c.month - 1, every_.count);
    }
    // Where clocks go back over midnight, a date comes twice: its second hour is the next day's.
    std::int64_t from = begin_of(number), until = begin_of(number + 1);
    while (from > seconds) until = from, from = begin_of(--number);
    while (until <= seconds) from = until, until = begin_of(++number + 1);
    return cells(from, until, out);
}

bool calendar::at(std::int64_t cell, span& out) noexcept {
    const std::int64_t seconds = floor_div(cell, per_second_);
    if (every_.of != interval::unit::microseconds) return whole_days(seconds, out);
    if (cell < day_.from || cell >= day_.until) {
        day_ = {};
        if (!whole_days(seconds, out)) return false;
        day_ = out;
    }
    const std::int64_t within = cell - day_.from;
    out.from = cell - within % length_;
    // The day's last one ends with it.
    out.until = out.from + std::min(length_, day_.until - out.from);
    return true;
}

}  // namespace kumihimo::inline v0::extract
