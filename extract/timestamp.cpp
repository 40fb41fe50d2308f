#include "extract/timestamp.hpp"

#include "engine/scalar/float_read.hpp"
#include "engine/scalar/integer.hpp"
#include "engine/scalar/time_text.hpp"

namespace kumihimo::inline v0::extract {

//      2016-12-25 01:53:10.602955+09:00
//      0         1         2
bool shape_of(std::string_view text, const instant& t, time_shape& out) noexcept {
    if (text.size() < 19 || text[4] != '-' || (text[10] != 'T' && text[10] != ' ') || text[17] == '6') return false;
    time_shape s;
    s.separator = text[10];
    std::size_t i = 19;
    s.digits = 0;
    if (i < text.size() && text[i] == '.') {
        for (++i; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
            if (s.digits == 9) return false;
            ++s.digits;
        }
    }
    s.fine = s.digits > 6;
    const std::string_view rest = text.substr(i);
    if (rest.empty()) {
        s.zone = time_shape::zone_text::none;
    } else if (rest == "Z") {
        s.zone = time_shape::zone_text::z;
    } else if (rest.size() == 6 && rest[3] == ':' && !(rest[0] == '-' && t.offset == 0)) {
        s.zone = time_shape::zone_text::colon;
        s.offset = t.offset;
    } else {
        return false;
    }
    out = s;
    return true;
}

bool holds(const time_shape& shape, std::string_view text, const instant& t) noexcept {
    std::size_t digits = 0;
    switch (shape.digits) {
        case time_shape::six_or_none: digits = t.nanoseconds != 0 ? 6 : 0; break;
        case time_shape::as_needed:
            digits = t.nanoseconds == 0 ? 0 : t.nanoseconds % 1'000'000 == 0 ? 3 : t.nanoseconds % 1000 == 0 ? 6 : 9;
            break;
        case time_shape::shortest:
            digits = t.nanoseconds == 0 ? 0 : 9;
            for (std::uint32_t n = t.nanoseconds; digits != 0 && n % 10 == 0; n /= 10) --digits;
            break;
        default: digits = static_cast<std::size_t>(shape.digits);
    }
    if (!shape.fine && t.nanoseconds % 1000 != 0) return false;
    const std::size_t body = 19 + (digits != 0 ? digits + 1 : 0);
    // read_time has seen to all bytes but the ones with a choice; what follows the seconds must be digits as far as
    // `body`.
    if (text.size() < body || text[4] != '-' || text[10] != shape.separator || text[17] == '6') return false;
    if (digits != 0 && text[19] != '.') return false;
    const std::size_t rest = text.size() - body;
    switch (shape.zone) {
        case time_shape::zone_text::none: return rest == 0;
        case time_shape::zone_text::z: return rest == 1 && text[body] == 'Z';
        case time_shape::zone_text::colon:
            return rest == 6 && text[body + 3] == ':' && t.clock == instant::kind::offset && t.offset == shape.offset &&
                   !(text[body] == '-' && t.offset == 0);
    }
    return false;
}

bool combine(time_shape& into, const time_shape& other) noexcept {
    if (into.separator != other.separator || into.zone != other.zone || into.offset != other.offset) return false;
    into.fine |= other.fine;
    const auto prints = [](std::int8_t layout, std::int8_t n) {
        if (n == time_shape::six_or_none && layout == time_shape::as_needed) return true;
        switch (layout) {
            case time_shape::six_or_none: return n == 0 || n == 6;
            case time_shape::as_needed: return n == 0 || n == 3 || n == 6 || n == 9;
            case time_shape::shortest: return true;
            default: return n == layout;
        }
    };
    if (into.digits == other.digits || prints(into.digits, other.digits)) return true;
    // Only ever towards the wider layout, so that widening a column again and again ends.
    constexpr std::int8_t layouts[] = {time_shape::six_or_none, time_shape::as_needed, time_shape::shortest};
    bool further = into.digits >= 0;
    for (const std::int8_t wider : layouts) {
        const bool all = wider == other.digits || prints(wider, other.digits);
        if (further && all && (into.digits < 0 || prints(wider, into.digits))) {
            into.digits = wider;
            return true;
        }
        further = further || wider == into.digits;
    }
    return false;
}

errc read_moment(std::string_view text, instant& out) noexcept {
    char room[64];
    const auto digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
    const auto digits = [&](std::size_t from, std::size_t n) {
        for (std::size_t i = from; i < from + n; ++i)
            if (!digit(i)) return false;
        return true;
    };
    if (text.size() > 18 && text[16] == ':' && text[17] == '6' && text[18] == '0') return errc::range;
    const errc usual = scalar::read_time(text.data(), text.data() + text.size(), out);
    if (usual != errc::syntax || text.size() > 48) return usual;
    // Written out in the usual way.
    char* to = room;
    const auto copy = [&](std::size_t from, std::size_t n) {
        for (std::size_t i = from; i < from + n; ++i) *to++ = text[i];
    };
    std::size_t at = 0;
    const bool plain = digits(0, 8);
    if (plain) {
        copy(0, 4), *to++ = '-', copy(4, 2), *to++ = '-', copy(6, 2);
        at = 8;
    } else if (text.size() > 10) {
        copy(0, 10);
        at = 10;
    }
    if (at == 0 || at == text.size() || (text[at] != 'T' && text[at] != 't' && text[at] != ' ')) return errc::syntax;
    copy(at++, 1);
    // hh:mm[:ss], or hhmm[ss] after a plain date.
    const std::size_t gap = plain ? 0 : 1;
    if (!digits(at, 2) || !digits(at + 2 + gap, 2) || (!plain && text[at + 2] != ':')) return errc::syntax;
    copy(at, 2), *to++ = ':', copy(at + 2 + gap, 2), *to++ = ':';
    at += 4 + gap;
    const bool seconds = plain ? digit(at) : at < text.size() && text[at] == ':';
    if (seconds) {
        if (!digits(at + gap, 2)) return errc::syntax;
        if (text[at + gap] == '6' && text[at + gap + 1] == '0') return errc::range;
        copy(at + gap, 2);
        at += 2 + gap;
        if (at < text.size() && (text[at] == '.' || text[at] == ',')) {
            *to++ = '.';
            const std::size_t nine = ++at + 9;
            for (; digit(at); ++at) {
                if (at < nine)
                    *to++ = text[at];
                else if (text[at] != '0')
                    return errc::range;  // digits are not lost in silence
            }
        }
    } else {
        *to++ = '0', *to++ = '0';
    }
    const std::size_t rest = text.size() - at;
    const std::size_t sign = rest != 0 && text[at] == ' ' ? at + 1 : at;
    copy(at, rest);
    if (text.size() - sign == 3 && (text[sign] == '+' || text[sign] == '-')) *to++ = ':', *to++ = '0', *to++ = '0';
    return scalar::read_time(room, to, out);
}

bool cell_of(const instant& t, bool nanoseconds, std::int64_t& out) noexcept {
    const std::int64_t per_second = nanoseconds ? 1'000'000'000 : 1'000'000;
    const std::int64_t below = nanoseconds ? t.nanoseconds : t.nanoseconds / 1000;
    // In the first second of the range the whole seconds alone would be too many.
    const std::int64_t back = t.seconds < 0 ? 1 : 0;
    return !__builtin_mul_overflow(t.seconds + back, per_second, &out) &&
           !__builtin_add_overflow(out, below - back * per_second, &out) && out != INT64_MIN;
}

std::int64_t whole_seconds(std::int64_t cell, const column_spec& spec) noexcept {
    const std::int64_t per_second = spec.nanoseconds ? 1'000'000'000 : 1'000'000;
    return cell / per_second - (cell % per_second < 0);
}

errc unit_of(std::string_view number, time_unit unit, int& below) noexcept {
    switch (unit) {
        case time_unit::automatic: {
            double v = 0;
            if (scalar::read_f64(number.data(), number.data() + number.size(), v) != errc::ok) return errc::range;
            v = v < 0 ? -v : v;
            below = v < 1e11 ? 0 : v < 1e14 ? 3 : v < 1e17 ? 6 : 9;
            break;
        }
        case time_unit::seconds: below = 0; break;
        case time_unit::milliseconds: below = 3; break;
        case time_unit::microseconds: below = 6; break;
        case time_unit::nanoseconds: below = 9; break;
    }
    return errc::ok;
}

bool printable(std::int64_t seconds, const column_spec& spec) noexcept {
    constexpr std::int64_t day = 86400;
    constexpr std::int64_t first = scalar::days_from_civil({0, 1, 1}) * day,
                           behind = scalar::days_from_civil({10000, 1, 1}) * day;
    if (seconds >= first + day && seconds < behind - day) [[likely]]
        return true;
    if (seconds < first || seconds >= behind) return false;
    zone::stretch fresh;
    const std::int64_t clock = seconds + (spec.naive || spec.in_zone == nullptr ? 0 : spec.in_zone->offset_at(seconds, fresh));
    return clock >= first && clock < behind;
}

char* write_timestamp(char* to, std::int64_t cell, const column_spec& spec, zone::stretch& last) noexcept {
    const std::int64_t per_second = spec.nanoseconds ? 1'000'000'000 : 1'000'000;
    instant t;
    t.seconds = whole_seconds(cell, spec);
    const std::int64_t below = cell % per_second + (cell % per_second < 0 ? per_second : 0);
    t.nanoseconds = static_cast<std::uint32_t>(spec.nanoseconds ? below : below * 1000);
    scalar::time_layout layout;
    layout.separator = spec.shape.separator;
    layout.precision = spec.shape.digits;
    if (spec.naive) {
        t.clock = instant::kind::naive;
    } else if (spec.in_zone != nullptr) {
        t.clock = instant::kind::offset;
        t.offset = spec.in_zone->offset_at(t.seconds, last);
        layout.zone_form = spec.inferred ? scalar::time_layout::zone::colon : scalar::time_layout::zone::z_for_utc;
        // Old local mean times have seconds (Tokyo: +09:18:59), and without them the text would name another moment.
        layout.offset_seconds = true;
    } else {
        t.clock = instant::kind::utc;
    }
    if (char* end = scalar::write_time(to, t, layout)) return end;
    return scalar::write_i64(to, cell);
}

}  // namespace kumihimo::inline v0::extract
