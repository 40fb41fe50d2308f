// Ruby objects -> values of any format: every kind of value by its own verb, and the dialect says what becomes of it.
//
//      String in UTF-8, Symbol       str    as it is; what is no UTF-8 after all is the dialect's affair
//      String in BINARY              bin
//      String of another encoding    str    converted
//      Integer beyond 64 bits        big    BigDecimal too; its NaN and infinities are those of Float
//      Time, DateTime, TimeWithZone  time   in UTC or at its offset; Date: a day
//      Extension, Timestamp          ext, time
//      a key that is no text         key(next_value), and the value
//      any other object              what the caller's block gives instead
#pragma once
#include "message_pack.hpp"
#include "moment.hpp"
#include "walk.hpp"

namespace kumihimo::inline v0::ruby {

/// Of a value that is of no core class: what any_walk asks, out of line and once for all formats.
namespace any {

/// Whether v is a moment of Ruby's, the standard library's or ActiveSupport's. Raises GeneratorError for one that an
/// instant cannot hold: before or behind what 64 bits of seconds can say, an offset with a fraction of a second.
bool read_moment(VALUE v, instant& out, moment_cache& cache);
/// Whether v is a BigDecimal, and its digits as a number of JSON's grammar; nil of NaN and the infinities.
bool read_decimal(VALUE v, VALUE& digits);
/// What stands for an object without a form: the block's answer. Raises GeneratorError.
VALUE instead_of(VALUE v);

}  // namespace any

template <class To>
class any_walk : public walker<any_walk<To>, To> {
    using base = walker<any_walk<To>, To>;
    using base::to_;

public:
    using base::base;

    static constexpr bool counted = true;

    // ASCII in BINARY is bin all the same, so the encoding counts and not only the bytes.
    [[gnu::always_inline]] static bool is_text(VALUE s) noexcept {
        const int index = RB_ENCODING_GET_INLINED(s);
        return (index == utf8_index || index == ascii_index) && is_valid_utf8(s);
    }
    void key(VALUE k) {
        if (!RB_SPECIAL_CONST_P(k) && RBASIC_CLASS(k) == rb_cString) [[likely]]
            return text_key(k);
        other_key(k);
    }
    void odd_string(VALUE s) {
        if (rb_enc_get_index(s) == binary_index) {
            to_.bin(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
        } else {
            s = unicode(s);
            to_.unchecked_str(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
        }
        RB_GC_GUARD(s);
    }
    void symbol(VALUE v) { this->string(rb_sym2str(v)); }
    void not_finite(VALUE v) { to_.f64(RFLOAT_VALUE(v)); }
    void big(VALUE v) {
        // The value without its sign, which is what comes back: 2 and -2 for more than 64 bits.
        std::uint64_t n = 0;
        const int sign = rb_integer_pack(v, &n, 1, sizeof n, 0, INTEGER_PACK_LSWORD_FIRST | INTEGER_PACK_NATIVE_BYTE_ORDER);
        if (sign == 1) return n <= INT64_MAX ? to_.i64(static_cast<std::int64_t>(n)) : to_.u64(n);
        if (sign == -1 && n <= std::uint64_t{1} << 63) return to_.i64(static_cast<std::int64_t>(0 - n));
        VALUE digits = rb_big2str(v, 10);
        to_.big(RSTRING_PTR(digits), static_cast<std::size_t>(RSTRING_LEN(digits)));
        RB_GC_GUARD(digits);
    }
    void other(VALUE v) {
        switch (rb_type(v)) {
            case T_STRING: return this->string(v);
            case T_HASH: return this->map(v);
            case T_ARRAY: return this->array(v);
            case T_STRUCT:
                if (RBASIC_CLASS(v) == extension_class) return write_extension(to_, v);
                if (RBASIC_CLASS(v) == timestamp_class) return to_.time(instant_of_timestamp(v));
                break;
            case T_DATA:
            case T_OBJECT: {
                instant t;
                if (any::read_moment(v, t, moments_)) return to_.time(t);
                VALUE digits = Qnil;
                if (!any::read_decimal(v, digits)) break;
                if (NIL_P(digits)) return to_.f64(rb_num2dbl(v));
                to_.big(RSTRING_PTR(digits), static_cast<std::size_t>(RSTRING_LEN(digits)));
                RB_GC_GUARD(digits);
                return;
            }
            default: break;
        }
        this->instead(any::instead_of(v));
    }
    [[noreturn]] void too_deep(long depth) { raise_nesting(depth); }
    [[noreturn, gnu::cold]] static void changed(const char* what) {
        rb_raise(rb_eRuntimeError, "the %s was changed while it was being written", what);
    }

private:
    static VALUE unicode(VALUE s) {
        const int index = rb_enc_get_index(s);
        if (index == utf8_index || index == ascii_index) return s;
        if (rb_enc_str_asciionly_p(s)) return s;
        return rb_str_encode(s, rb_enc_from_encoding(rb_utf8_encoding()), 0, Qnil);
    }
    [[gnu::always_inline]] void text_key(VALUE s) {
        if (!is_text(s)) [[unlikely]]
            return odd_key(s);
        to_.key(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
        RB_GC_GUARD(s);
    }
    [[gnu::noinline]] void odd_key(VALUE s) {
        if (rb_enc_get_index(s) == binary_index) return value_key(s);
        s = unicode(s);
        to_.unchecked_key(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
        RB_GC_GUARD(s);
    }
    [[gnu::noinline]] void other_key(VALUE k) {
        if (RB_SYMBOL_P(k)) return text_key(rb_sym2str(k));
        if (RB_TYPE_P(k, T_STRING)) return text_key(k);
        value_key(k);
    }
    [[gnu::noinline]] void value_key(VALUE k) {
        to_.key(next_value{});
        this->value(k);
    }

    moment_cache moments_;
};

}  // namespace kumihimo::inline v0::ruby
