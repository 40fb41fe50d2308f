#include "any_walk.hpp"

#include <string_view>

namespace kumihimo::inline v0::ruby::any {

namespace {

[[noreturn, gnu::cold]] void refuse(VALUE v, const char* why) {
    raise_generate(v, "%" PRIsVALUE " cannot be written: %s", rb_obj_class(v), why);
}

// Qnil while nobody has loaded it.
VALUE class_named(const char* name) {
    const ID id = rb_intern(name);
    return rb_const_defined(rb_cObject, id) && !RTEST(rb_autoload_p(rb_cObject, id)) ? rb_const_get(rb_cObject, id) : Qnil;
}
bool is_a(VALUE v, VALUE klass) { return !NIL_P(klass) && RTEST(rb_obj_is_kind_of(v, klass)); }

// By its path: the class itself says that its name is Time.
bool is_time_with_zone(VALUE v) {
    const VALUE path = rb_mod_name(rb_obj_class(v));
    return RB_TYPE_P(path, T_STRING) &&
           std::string_view(RSTRING_PTR(path), static_cast<std::size_t>(RSTRING_LEN(path))) == "ActiveSupport::TimeWithZone";
}

// A day is a day in whichever calendar: it goes out in ISO 8601's, which has no reform.
bool read_day(VALUE date, instant& out) {
    constexpr long day = 86400, unix_jd = 2440588, most_days = long{1} << 40;
    const VALUE jd = rb_funcallv(date, rb_intern("jd"), 0, nullptr);
    if (!RB_FIXNUM_P(jd)) return false;
    const long days = RB_FIX2LONG(jd) - unix_jd;
    if (days < -most_days || days > most_days) return false;
    out = {.seconds = days * day, .clock = instant::kind::date};
    return true;
}

}  // namespace

bool read_moment(VALUE v, instant& out, moment_cache& cache) {
    bool held;
    if (RTEST(rb_obj_is_kind_of(v, rb_cTime))) {
        held = instant_of_time(v, out, cache);
    } else if (RB_TYPE_P(v, T_DATA)) {
        if (!is_a(v, class_named("Date"))) return false;
        held = is_a(v, class_named("DateTime")) ? instant_of_datetime(v, out) : read_day(v, out);
    } else {
        if (!is_time_with_zone(v)) return false;
        held = instant_of_twz(v, out, cache);
        if (!held) {
            const VALUE time = rb_funcallv(v, rb_intern("to_time"), 0, nullptr);
            held = RTEST(rb_obj_is_kind_of(time, rb_cTime)) && instant_of_time(time, out, cache);
        }
    }
    if (!held) refuse(v, "it is no moment of a whole nanosecond and a whole second's offset, or too far away");
    return true;
}

bool read_decimal(VALUE v, VALUE& digits) {
    if (!RB_TYPE_P(v, T_DATA) || !is_a(v, class_named("BigDecimal"))) return false;
    if (!RTEST(rb_funcallv(v, rb_intern("finite?"), 0, nullptr))) return true;
    const long exponent = NUM2LONG(rb_funcallv(v, rb_intern("exponent"), 0, nullptr));
    if (exponent >= -20 && exponent <= 60) {
        digits = rb_funcall(v, rb_intern("to_s"), 1, rb_str_new_cstr("F"));
        return true;
    }
    // split: sign, digits as 0.DIGITS, base, exponent.
    VALUE parts = rb_funcallv(v, rb_intern("split"), 0, nullptr);
    const VALUE all = RARRAY_AREF(parts, 1);
    const auto n = RSTRING_LEN(all);
    digits = rb_str_new_cstr(NUM2INT(RARRAY_AREF(parts, 0)) < 0 ? "-" : "");
    rb_str_cat(digits, RSTRING_PTR(all), 1);
    if (n > 1) {
        rb_str_cat_cstr(digits, ".");
        rb_str_cat(digits, RSTRING_PTR(all) + 1, n - 1);
    }
    rb_str_catf(digits, "e%ld", exponent - 1);
    RB_GC_GUARD(parts);
    return true;
}

VALUE instead_of(VALUE v) {
    if (!rb_block_given_p()) refuse(v, "give a block that says what to write instead");
    const VALUE instead = rb_yield(v);
    if (instead == v) refuse(v, "the block gave it back as it was");
    return instead;
}

}  // namespace kumihimo::inline v0::ruby::any
