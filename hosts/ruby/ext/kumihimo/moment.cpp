#include "moment.hpp"

#include <time.h>

#include <limits>
#include <string_view>

#include "module.hpp"

namespace kumihimo::inline v0::ruby {

namespace {

constexpr std::int64_t day_seconds = 86400;
constexpr std::int64_t unix_jd = 2440588;      // the Julian day number of 1970-01-01
constexpr std::int64_t most_days = 4'000'000;  // either side of 1970; more than an instant's text can say

ID id_utc_p, id_jd, id_julian_p, id_marshal_dump, id_period, id_observed_utc_offset, id_abbreviation, id_timestamp_value;
ID iv_time, iv_utc, iv_time_zone, iv_period, iv_offset, iv_start_transition, iv_end_transition;

// POSIX time counts no leap seconds, but a system that is set up with the "right" zones does, and Ruby follows it.
// There the first one, at the end of June 1972, is a second of its own.
bool counts_leap_seconds() noexcept {
    const time_t first = 78796800;
    struct tm utc;
    return gmtime_r(&first, &utc) != nullptr && utc.tm_sec == 60;
}

bool plain_clock(moment_cache& cache) noexcept {
    if (cache.leap_seconds < 0) [[unlikely]]
        cache.leap_seconds = counts_leap_seconds() ? 1 : 0;
    return cache.leap_seconds == 0;
}

// rb_time_timespec raises for times that seconds in 64 bits cannot count.
bool timespec_of(VALUE time, struct timespec& out) {
    const VALUE before = rb_errinfo();
    if (protect([&] { out = rb_time_timespec(time); }) == 0) [[likely]]
        return true;
    rb_set_errinfo(before);
    return false;
}

bool offset_of_time(VALUE time, std::int32_t& out) {
    const VALUE offset = rb_time_utc_offset(time);
    if (!RB_FIXNUM_P(offset)) return false;  // a part of a second
    const long n = RB_FIX2LONG(offset);
    if (n <= -day_seconds || n >= day_seconds) return false;
    out = static_cast<std::int32_t>(n);
    return true;
}

bool has_class(VALUE object, VALUE klass) noexcept { return !RB_SPECIAL_CONST_P(object) && RBASIC_CLASS(object) == klass; }

bool is_named(VALUE klass, std::string_view name) {
    const VALUE path = rb_mod_name(klass);
    return RB_TYPE_P(path, T_STRING) &&
           std::string_view(RSTRING_PTR(path), static_cast<std::size_t>(RSTRING_LEN(path))) == name;
}

bool is_text(VALUE string, std::string_view text) {
    return RB_TYPE_P(string, T_STRING) &&
           std::string_view(RSTRING_PTR(string), static_cast<std::size_t>(RSTRING_LEN(string))) == text;
}

// TZInfo makes a new period for every question, but shares the few offsets of a zone among them.
bool offset_of_period(VALUE period, moment_cache::offset& out, moment_cache& cache) {
    if (RB_SPECIAL_CONST_P(period)) return false;
    const VALUE klass = RBASIC_CLASS(period);
    if (klass != cache.period_class[0] && klass != cache.period_class[1]) [[unlikely]] {
        if (is_named(klass, "TZInfo::TransitionsTimezonePeriod"))
            cache.period_class[0] = klass;
        else if (is_named(klass, "TZInfo::OffsetTimezonePeriod"))
            cache.period_class[1] = klass;
        else
            return false;
    }
    const VALUE offset = rb_ivar_get(period, iv_offset);
    if (RB_SPECIAL_CONST_P(offset)) return false;
    for (unsigned i = 0; i < cache.offsets; ++i) {
        if (cache.offset_of[i].object == offset) {
            out = cache.offset_of[i];
            return true;
        }
    }
    const VALUE seconds = rb_funcallv(period, id_observed_utc_offset, 0, nullptr);
    const VALUE name = rb_funcallv(period, id_abbreviation, 0, nullptr);
    if (!RB_FIXNUM_P(seconds)) return false;
    const long n = RB_FIX2LONG(seconds);
    if (n <= -day_seconds || n >= day_seconds) return false;
    const bool utc = is_text(name, "UTC") || is_text(name, "UCT");
    if (utc && n != 0) return false;
    out = {offset, static_cast<std::int32_t>(n), utc};
    constexpr unsigned room = sizeof cache.offset_of / sizeof cache.offset_of[0];
    cache.offset_of[cache.offsets < room ? cache.offsets++ : room - 1] = out;
    return true;
}

bool seconds_of_transition(VALUE period, ID which, std::int64_t& out) {
    const VALUE transition = rb_ivar_get(period, which);
    if (NIL_P(transition)) return true;
    const VALUE seconds = rb_funcallv(transition, id_timestamp_value, 0, nullptr);
    if (!RB_FIXNUM_P(seconds)) return false;
    out = RB_FIX2LONG(seconds);
    return true;
}

// A moment that was never asked about its period (ActiveSupport before 8.1 asks late, so that is every record just
// loaded). TZInfo needs 1.5 us to find one; a zone's stretches are few and records lie close together.
bool offset_of_zone(VALUE twz, std::int64_t seconds, moment_cache::offset& out, moment_cache& cache) {
    const VALUE zone = rb_ivar_get(twz, iv_time_zone);
    if (RB_SPECIAL_CONST_P(zone)) return false;
    const auto has = [&](const moment_cache::stretch& s) { return s.zone == zone && s.from <= seconds && seconds < s.to; };
    // Mostly it is the stretch of the one before.
    if (cache.stretches != 0 && has(cache.stretch_of[cache.last_stretch])) {
        out = cache.stretch_of[cache.last_stretch].has;
        return true;
    }
    for (std::uint8_t i = 0; i < cache.stretches; ++i) {
        if (has(cache.stretch_of[i])) {
            out = cache.stretch_of[i].has;
            cache.last_stretch = i;
            return true;
        }
    }
    const VALUE period = rb_funcallv(twz, id_period, 0, nullptr);
    if (!offset_of_period(period, out, cache)) return false;
    if (RBASIC_CLASS(zone) != cache.zone_class) {
        if (!is_named(RBASIC_CLASS(zone), "ActiveSupport::TimeZone")) return true;
        cache.zone_class = RBASIC_CLASS(zone);
    }
    moment_cache::stretch s{zone, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), out};
    if (RBASIC_CLASS(period) == cache.period_class[0] && (!seconds_of_transition(period, iv_start_transition, s.from) ||
                                                          !seconds_of_transition(period, iv_end_transition, s.to))) {
        return true;
    }
    constexpr unsigned room = sizeof cache.stretch_of / sizeof cache.stretch_of[0];
    cache.stretch_of[cache.next_stretch] = s;
    cache.last_stretch = cache.next_stretch;
    cache.next_stretch = static_cast<std::uint8_t>((cache.next_stretch + 1) % room);
    if (cache.stretches < room) ++cache.stretches;
    return true;
}

}  // namespace

bool instant_of_time(VALUE time, instant& out, moment_cache& cache) {
    struct timespec since_epoch;
    if (!plain_clock(cache) || !timespec_of(time, since_epoch) || !offset_of_time(time, out.offset)) return false;
    out.seconds = since_epoch.tv_sec;
    out.nanoseconds = static_cast<std::uint32_t>(since_epoch.tv_nsec);
    out.clock = out.offset == 0 && RTEST(rb_funcallv(time, id_utc_p, 0, nullptr)) ? instant::kind::utc : instant::kind::offset;
    return true;
}

// A TimeWithZone holds the moment (@utc, a Time), the wall clock (@time, a Time whose zone means nothing) or both, and
// finds the other one when asked. Its text has the wall clock's digits wherever there is one.
bool instant_of_twz(VALUE twz, instant& out, moment_cache& cache) {
    if (!plain_clock(cache)) return false;
    const VALUE wall = rb_ivar_get(twz, iv_time);
    const bool walled = !NIL_P(wall);
    const VALUE told = walled ? wall : rb_ivar_get(twz, iv_utc);
    if (!has_class(told, rb_cTime)) return false;
    // The Time's own memory is elsewhere; it comes while the period is looked for.
    __builtin_prefetch(RTYPEDDATA_DATA(told));
    const VALUE period = rb_ivar_get(twz, iv_period);
    struct timespec since_epoch;
    std::int32_t shown;
    if (!timespec_of(told, since_epoch) || !offset_of_time(told, shown)) return false;
    if (!walled && shown != 0) return false;
    moment_cache::offset offset;
    if (NIL_P(period)) {
        struct timespec utc = since_epoch;
        if (walled) {
            const VALUE moment = rb_ivar_get(twz, iv_utc);
            if (!has_class(moment, rb_cTime) || !timespec_of(moment, utc)) return false;
        }
        if (!offset_of_zone(twz, utc.tv_sec, offset, cache)) return false;
    } else if (!offset_of_period(period, offset, cache)) {
        return false;
    }
    out.seconds = since_epoch.tv_sec;
    out.nanoseconds = static_cast<std::uint32_t>(since_epoch.tv_nsec);
    out.offset = offset.seconds;
    out.clock = offset.utc ? instant::kind::utc : instant::kind::offset;
    if (walled) {
        // Any Time's seconds fit, and so does a day less or more, unless somebody looks for the end of 64 bits.
        if (__builtin_add_overflow(out.seconds, std::int64_t{shown} - offset.seconds, &out.seconds)) return false;
        // In UTC ActiveSupport 8.1 prints @utc, before it printed @time. They are the same unless made by hand.
        if (offset.utc) {
            const VALUE utc = rb_ivar_get(twz, iv_utc);
            if (!NIL_P(utc) &&
                (!has_class(utc, rb_cTime) || !timespec_of(utc, since_epoch) || since_epoch.tv_sec != out.seconds ||
                 static_cast<std::uint32_t>(since_epoch.tv_nsec) != out.nanoseconds)) {
                return false;
            }
        }
    }
    return true;
}

// Date is an extension without a C API. Days before the calendar's reform (which each object has its own idea of) are
// Ruby's.
bool instant_of_date(VALUE date, instant& out) {
    const VALUE jd = rb_funcallv(date, id_jd, 0, nullptr);
    if (!RB_FIXNUM_P(jd) || RTEST(rb_funcallv(date, id_julian_p, 0, nullptr))) return false;
    const std::int64_t days = RB_FIX2LONG(jd) - unix_jd;
    if (days < -most_days || days > most_days) return false;
    out = {days * day_seconds, 0, 0, instant::kind::date};
    return true;
}

// marshal_dump has every field in one call, 78 ns: [period of 71149239 days, day in it (UTC), second of the day,
// nanosecond, offset, day of the reform]. Asked one by one they cost three times as much.
bool instant_of_datetime(VALUE datetime, instant& out) {
    const VALUE fields = rb_funcallv(datetime, id_marshal_dump, 0, nullptr);
    if (!RB_TYPE_P(fields, T_ARRAY) || RARRAY_LEN(fields) != 6) return false;
    long n[5];
    for (long i = 0; i < 5; ++i) {
        const VALUE field = RARRAY_AREF(fields, i);
        if (!RB_FIXNUM_P(field)) return false;  // a nanosecond's fraction, or a year of millions
        n[i] = RB_FIX2LONG(field);
    }
    const VALUE reform = RARRAY_AREF(fields, 5);
    if (!RB_FLOAT_TYPE_P(reform)) return false;
    const std::int64_t days = n[1] - unix_jd;
    if (n[0] != 0 || days < -most_days || days > most_days || n[3] < 0 || n[3] > 999'999'999 || n[4] <= -day_seconds ||
        n[4] >= day_seconds) {
        return false;
    }
    out = {days * day_seconds + n[2], static_cast<std::uint32_t>(n[3]), static_cast<std::int32_t>(n[4]), instant::kind::offset};
    const std::int64_t second = n[2] + n[4];
    const std::int64_t local_jd = n[1] + (second < 0 ? -1 : second >= day_seconds ? 1 : 0);
    return static_cast<double>(local_jd) >= RFLOAT_VALUE(reform);
}

namespace {

// The text of any of the four, or nil where Ruby must be asked. For tests: which of them a class is, is for the caller
// to know.
template <class Write>
VALUE text_of(VALUE object, Write&& write) {
    moment_cache cache;
    instant t;
    bool held = false;
    const VALUE klass = CLASS_OF(object);
    if (klass == rb_cTime)
        held = instant_of_time(object, t, cache);
    else if (is_named(klass, "Date"))
        held = instant_of_date(object, t);
    else if (is_named(klass, "DateTime"))
        held = instant_of_datetime(object, t);
    else if (RTEST(rb_ivar_defined(object, iv_time_zone)))
        held = instant_of_twz(object, t, cache);
    if (!held) return Qnil;
    char text[moment_room];
    const char* const end = write(static_cast<char*>(text), t);
    return end == nullptr ? Qnil : rb_usascii_str_new(text, end - text);
}

VALUE moment_xmlschema(VALUE, VALUE object, VALUE precision) {
    const int digits = NUM2INT(precision);
    return text_of(object, [digits](char* to, const instant& t) { return write_xmlschema(to, t, digits); });
}

VALUE moment_nonstandard(VALUE, VALUE object) { return text_of(object, write_nonstandard); }

}  // namespace

void init_moment(VALUE kumihimo) {
    id_utc_p = rb_intern("utc?");
    id_jd = rb_intern("jd");
    id_julian_p = rb_intern("julian?");
    id_marshal_dump = rb_intern("marshal_dump");
    id_period = rb_intern("period");
    id_observed_utc_offset = rb_intern("observed_utc_offset");
    id_abbreviation = rb_intern("abbreviation");
    id_timestamp_value = rb_intern("timestamp_value");
    iv_time = rb_intern("@time");
    iv_utc = rb_intern("@utc");
    iv_time_zone = rb_intern("@time_zone");
    iv_period = rb_intern("@period");
    iv_offset = rb_intern("@offset");
    iv_start_transition = rb_intern("@start_transition");
    iv_end_transition = rb_intern("@end_transition");
    const VALUE moment = rb_define_module_under(kumihimo, "Moment");
    rb_define_module_function(moment, "xmlschema", moment_xmlschema, 2);
    rb_define_module_function(moment, "nonstandard", moment_nonstandard, 1);
    rb_funcall(kumihimo, rb_intern("private_constant"), 1, ID2SYM(rb_intern("Moment")));
}

}  // namespace kumihimo::inline v0::ruby
