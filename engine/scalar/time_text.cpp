#include "engine/scalar/time_text.hpp"

#include <cstring>

namespace kumihimo::inline v0::scalar {

namespace {

constexpr std::int64_t day_seconds = 86400;
constexpr std::int64_t first_day = days_from_civil({0, 1, 1});
constexpr std::int64_t last_day = days_from_civil({9999, 12, 31});

struct pairs {
    char digits[200];
    constexpr pairs() : digits() {
        for (int i = 0; i < 100; ++i) {
            digits[2 * i] = static_cast<char>('0' + i / 10);
            digits[2 * i + 1] = static_cast<char>('0' + i % 10);
        }
    }
};
constexpr pairs table;

char* two(char* to, std::uint32_t n) noexcept {
    std::memcpy(to, table.digits + 2 * n, 2);
    return to + 2;
}

char* date(char* to, const civil& d, char separator) noexcept {
    const auto year = static_cast<std::uint32_t>(d.year);
    to = two(to, year / 100);
    to = two(to, year % 100);
    *to++ = separator;
    to = two(to, d.month);
    *to++ = separator;
    return two(to, d.day);
}

// All nine digits are written, into room that time_room has, and as many of them kept as are wanted.
char* fraction(char* to, std::uint32_t nanoseconds, int precision) noexcept {
    if (precision == 0 || (precision < 0 && nanoseconds == 0)) return to;
    int count = precision;
    if (precision == time_layout::micro_or_none) {
        if (nanoseconds < 1000) return to;
        count = 6;
    } else if (precision == time_layout::milli_micro_nano) {
        count = nanoseconds % 1000000 == 0 ? 3 : nanoseconds % 1000 == 0 ? 6 : 9;
    }
    *to++ = '.';
    two(to, nanoseconds / 10'000'000);
    two(to + 2, nanoseconds / 100'000 % 100);
    two(to + 4, nanoseconds / 1000 % 100);
    two(to + 6, nanoseconds / 10 % 100);
    to[8] = static_cast<char>('0' + nanoseconds % 10);
    if (precision == time_layout::shortest) {
        for (count = 9; to[count - 1] == '0';) --count;
    }
    return to + count;
}

char* zone(char* to, const instant& t, std::int32_t offset, const time_layout& layout) noexcept {
    using zone = time_layout::zone;
    if (layout.zone_form == zone::none) return to;
    if ((layout.zone_form == zone::z_for_utc && t.clock == instant::kind::utc) ||
        (layout.zone_form == zone::z_for_zero && offset == 0)) {
        *to++ = 'Z';
        return to;
    }
    if (layout.zone_form == zone::space_plain) *to++ = ' ';
    const bool colon = layout.zone_form != zone::plain && layout.zone_form != zone::space_plain;
    const auto a = static_cast<std::uint32_t>(offset < 0 ? -offset : offset);
    *to++ = offset < 0 ? '-' : '+';
    to = two(to, a / 3600);
    if (colon) *to++ = ':';
    to = two(to, a / 60 % 60);
    if (layout.offset_seconds && a % 60 != 0) {
        if (colon) *to++ = ':';
        to = two(to, a % 60);
    }
    return to;
}

}  // namespace

char* write_date(char* to, std::int64_t days, char separator) noexcept {
    if (days < first_day || days > last_day) return nullptr;
    return date(to, civil_from_days(days), separator);
}

char* write_time(char* to, const instant& t, const time_layout& layout) noexcept {
    using kind = instant::kind;
    const bool zoned = t.clock == kind::offset || t.clock == kind::local;
    if (t.nanoseconds > 999'999'999 || (zoned && (t.offset <= -day_seconds || t.offset >= day_seconds))) return nullptr;
    std::int32_t offset = zoned ? t.offset : 0;
    // Halves away from zero; 23:59:30 and more have no minute to be rounded up to.
    if (offset % 60 != 0 && !layout.offset_seconds && !layout.offset_cut && layout.zone_form != time_layout::zone::none) {
        const std::int32_t up = (offset < 0 ? offset - 30 : offset + 30) / 60 * 60;
        offset = up > -day_seconds && up < day_seconds ? up : offset / 60 * 60;
    }
    // Compared before the addition: seconds may be anything an int64 holds.
    if (t.seconds < (first_day - 1) * day_seconds || t.seconds > (last_day + 2) * day_seconds) return nullptr;
    // Counted from two days before the first, so that the division is one of 32 bits: 86400 is 128 * 675.
    const auto clock = static_cast<std::uint64_t>(t.seconds + offset - (first_day - 2) * day_seconds);
    const std::uint32_t day = static_cast<std::uint32_t>(clock >> 7) / 675;
    const auto s = static_cast<std::uint32_t>(clock - std::uint64_t{day} * day_seconds);
    to = write_date(to, std::int64_t{day} + first_day - 2, layout.date_separator);
    if (to == nullptr || t.clock == kind::date) return to;
    *to++ = layout.separator;
    to = two(to, s / 3600);
    *to++ = ':';
    to = two(to, s / 60 % 60);
    *to++ = ':';
    to = two(to, s % 60);
    to = fraction(to, t.nanoseconds, layout.precision);
    return t.clock == kind::naive ? to : zone(to, t, offset, layout);
}

namespace {

// A cursor that takes fixed pieces; the first thing that does not fit makes everything after it fail too.
struct reading {
    const char* at;
    const char* end;
    bool good = true;

    bool more() const noexcept { return at != end; }
    bool next_is(char c) const noexcept { return at != end && *at == c; }
    bool skip(char c) noexcept {
        if (!next_is(c)) return false;
        ++at;
        return true;
    }
    std::uint32_t digits(int n) noexcept {
        std::uint32_t v = 0;
        for (; n > 0; --n) {
            const unsigned d = at != end ? static_cast<unsigned char>(*at) - unsigned{'0'} : 10;
            if (d > 9) {
                good = false;
                return 0;
            }
            v = v * 10 + d;
            ++at;
        }
        return v;
    }
    void want(char c) noexcept { good = good && skip(c); }
};

}  // namespace

errc read_time(const char* b, const char* e, instant& out) noexcept {
    reading r{b, e};
    instant t;
    civil d;
    d.year = static_cast<std::int32_t>(r.digits(4));
    const char separator = r.next_is('/') ? '/' : '-';
    r.want(separator);
    d.month = r.digits(2);
    r.want(separator);
    d.day = r.digits(2);
    if (!r.good) return errc::syntax;
    bool in_range = d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= days_in_month(d.year, d.month);
    if (!r.more()) {
        if (!in_range) return errc::range;
        t.clock = instant::kind::date;
        t.seconds = days_from_civil(d) * day_seconds;
        out = t;
        return errc::ok;
    }
    if (!r.skip('T') && !r.skip('t') && !r.skip(' ')) return errc::syntax;
    const std::uint32_t hour = r.digits(2);
    r.want(':');
    const std::uint32_t minute = r.digits(2);
    r.want(':');
    const std::uint32_t second = r.digits(2);
    if (!r.good) return errc::syntax;
    in_range = in_range && hour <= 23 && minute <= 59 && second <= 60;
    if (r.skip('.')) {
        std::uint32_t unit = 100'000'000;
        const char* const first = r.at;
        for (; r.more() && *r.at >= '0' && *r.at <= '9'; ++r.at, unit /= 10)
            t.nanoseconds += static_cast<std::uint32_t>(*r.at - '0') * unit;
        if (r.at == first) return errc::syntax;
    }
    if (!r.more()) {
        t.clock = instant::kind::naive;
    } else if (r.skip('Z') || r.skip('z')) {
        t.clock = instant::kind::utc;
    } else {
        r.skip(' ');
        const bool west = r.next_is('-');
        if (!west && !r.next_is('+')) return errc::syntax;
        ++r.at;
        const std::uint32_t h = r.digits(2);
        const bool colon = r.skip(':');
        const std::uint32_t m = r.digits(2);
        std::uint32_t s = 0;
        if (r.more()) {
            if (colon) r.want(':');
            s = r.digits(2);
        }
        if (!r.good) return errc::syntax;
        in_range = in_range && h <= 23 && m <= 59 && s <= 59;
        t.clock = instant::kind::offset;
        t.offset = static_cast<std::int32_t>(h * 3600 + m * 60 + s);
        if (west) t.offset = -t.offset;
    }
    if (r.more()) return errc::syntax;
    if (!in_range) return errc::range;
    t.seconds = days_from_civil(d) * day_seconds + std::int64_t{hour} * 3600 + minute * 60 + second - t.offset;
    if (second == 60) {
        // Counted as the second after it, so the leap second itself is a midnight now; a fraction of it would lie in
        // the next day.
        if (t.seconds % day_seconds != 0) return errc::range;
    }
    out = t;
    return errc::ok;
}

}  // namespace kumihimo::inline v0::scalar
