// What stock does with the answer of an as_json: jsonify, or JSON::Coder, by the profile's family. A part of
// rails_walk.hpp.
#pragma once
#include "rails_walk.hpp"

namespace kumihimo::inline v0::ruby {

template <const json::escape_set& Escapes>
inline void rails_walk<Escapes>::after(VALUE v) {
    switch (profile_.family) {
        case family::as_json: return jsonify_all(v);
        case family::jsonify: return jsonify(v);
        case family::coder: break;
    }
    // The Coder counts the depth as it goes, wherever the value comes from.
    const bool before = in_first_pass_;
    in_first_pass_ = false;
    coder(v, false);
    in_first_pass_ = before;
}

template <const json::escape_set& Escapes>
inline void rails_walk<Escapes>::jsonify_all(VALUE v) {
    for (int round = 0;; ++round) {
        if (round == 10000) stack_overflow();
        if (RB_TYPE_P(v, T_STRING)) return string(v);
        if (RB_TYPE_P(v, T_HASH)) return each_pair(own_each(RBASIC_CLASS(v)) ? v : by_own_each(v), false);
        if (RB_TYPE_P(v, T_ARRAY)) return mapped(v);
        const way chosen = way_of(class_of(v), v);
        switch (chosen) {
            case way::null: return to_.null();
            case way::truth: return to_.boolean(v == Qtrue);
            case way::integer: return integer(v);
            case way::real: return real(v);
            case way::symbol: return string(rb_sym2str(v));
            case way::decimal:
                if (decimal(v)) return;
                break;
            default: break;
        }
        const bool number = RB_NIL_P(v) || v == Qtrue || v == Qfalse || rb_obj_is_kind_of(v, rb_cNumeric);
        if (!number && (chosen >= way::members || chosen == way::listed)) return first_pass_of(v);
        const VALUE next = without_options([&] { return call_as_json(v); });
        if (number) return generated(next);
        v = next;
    }
}

template <const json::escape_set& Escapes>
inline void rails_walk<Escapes>::jsonify(VALUE v) {
    for (int round = 0;; ++round) {
        if (round == 10000) stack_overflow();
        if (RB_INTEGER_TYPE_P(v)) return integer(v);
        if (v == Qnil) return to_.null();
        if (v == Qtrue || v == Qfalse) return to_.boolean(v == Qtrue);
        if (RB_TYPE_P(v, T_STRING)) {
            const bool plain = class_of(v) == rb_cString || (is_valid_utf8(v) && writes_as_string(class_of(v)));
            return plain ? string(v) : generated(v);
        }
        if (RB_SYMBOL_P(v)) return symbols_are_stock() ? string(rb_sym2str(v)) : generated(v);
        if (RB_TYPE_P(v, T_HASH)) return each_pair(own_each(RBASIC_CLASS(v)) ? v : by_own_each(v), false);
        if (RB_TYPE_P(v, T_ARRAY)) return mapped(v);
        if (is_fragment(v)) return splice(RSTRUCT_GET(v, 0));
        const way chosen = way_of(class_of(v), v);
        if (chosen == way::real) return real(v);
        if (chosen == way::decimal && decimal(v)) return;
        const bool number = rb_obj_is_kind_of(v, rb_cNumeric);
        if (!number && chosen != way::call) return first_pass_of(v);
        const VALUE next = without_options([&] { return call_as_json(v); });
        if (number) return generated(next);
        v = next;
    }
}

template <const json::escape_set& Escapes>
inline void rails_walk<Escapes>::coder(VALUE v, bool asked) {
    if (RB_FIXNUM_P(v)) return to_.i64(RB_FIX2LONG(v));
    if (v == Qnil) return to_.null();
    if (v == Qtrue || v == Qfalse) return to_.boolean(v == Qtrue);
    const VALUE klass = class_of(v);
    if (klass == rb_cString) return coder_string(v, asked);
    if (klass == rb_cHash) return coder_hash(v);
    if (klass == rb_cArray) return coder_array(v);
    if (RB_SYMBOL_P(v)) return coder_string(rb_sym2str(v), asked);
    if (klass == rb_cFloat) {
        const double x = RFLOAT_VALUE(v);
        if (std::isfinite(x)) [[likely]]
            return to_.finite_f64(x);
        return block_answer(v, false);
    }
    if (klass == rb_cInteger) return integer(v);
    if (klass == profile_.fragment) return splice(RSTRUCT_GET(v, 0));
    if (asked) {
        not_allowed(v, "%" PRIsVALUE " not allowed in JSON");
        return to_.null();
    }
    switch (const way chosen = way_of(klass, v)) {
        case way::call: break;
        case way::decimal:
            if (decimal(v)) return;
            break;
        case way::seconds:
            if (RB_INTEGER_TYPE_P(seconds_of(v))) return integer(seconds_of(v));
            break;
        case way::text:
        case way::c_text: return block_answered(v, text_of(v, chosen), true);
        default:
            if (chosen >= way::members || chosen == way::listed) return first_pass_of(v);
            break;
    }
    block_answer(v, true);
}

template <const json::escape_set& Escapes>
inline void rails_walk<Escapes>::block_answer(VALUE v, bool last) {
    const VALUE a = rb_funcallv_public(v, id_as_json, 0, nullptr);
    ran_ruby();
    // What most of them answer, which the block passes on as it is.
    if (!RB_SPECIAL_CONST_P(a) && a != v) [[likely]] {
        const VALUE klass = RBASIC_CLASS(a);
        if (klass == rb_cString && is_valid_utf8(a)) {
            to_.str(RSTRING_PTR(a), static_cast<std::size_t>(RSTRING_LEN(a)));
            RB_GC_GUARD(const_cast<VALUE&>(a));
            return;
        }
        if (klass == rb_cHash) return coder_hash(a);
        if (klass == rb_cArray) return coder_array(a);
    }
    block_answered(v, a, last);
}

template <const json::escape_set& Escapes>
void rails_walk<Escapes>::block_answered(VALUE v, VALUE answered, bool last) {
    answer is;
    VALUE a = coder_answer(v, answered, false, is);
    if (is == answer::json) return splice(a);
    if (is == answer::value) return coder(a, last);
    to_.str(RSTRING_PTR(a), static_cast<std::size_t>(RSTRING_LEN(a)));
    RB_GC_GUARD(a);
}

template <const json::escape_set& Escapes>
inline void rails_walk<Escapes>::coder_array(VALUE v) {
    enter();
    to_.open(false, static_cast<std::size_t>(RARRAY_LEN(v)));
    for (long i = 0; i < RARRAY_LEN(v); ++i) {
        coder(RARRAY_AREF(v, i), false);
        turn();
    }
    to_.close(false);
    leave();
}

template <const json::escape_set& Escapes>
inline void rails_walk<Escapes>::coder_hash(VALUE v) {
    enter();
    const std::size_t n = RHASH_SIZE(v);
    to_.open(true, n);
    if (n != 0) rb_hash_foreach(v, reinterpret_cast<int (*)(VALUE, VALUE, VALUE)>(&coder_pair), reinterpret_cast<VALUE>(this));
    to_.close(true);
    leave();
}

template <const json::escape_set& Escapes>
inline int rails_walk<Escapes>::coder_pair(VALUE key, VALUE value, VALUE argument) {
    rails_walk& self = *reinterpret_cast<rails_walk*>(argument);
    self.coder_key(key);
    self.coder(value, false);
    self.turn();
    return ST_CONTINUE;
}

template <const json::escape_set& Escapes>
inline void rails_walk<Escapes>::coder_key(VALUE k) {
    bool asked = false;
    VALUE s = class_of(k) == rb_cString ? k : RB_SYMBOL_P(k) ? rb_sym2str(k) : coder_key_text(k, asked);
    if (!is_valid_utf8(s)) [[unlikely]] {
        if (!asked) return coder_odd_key(s);
        s = converted(s);
    }
    to_.key(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
    RB_GC_GUARD(s);
}

template <const json::escape_set& Escapes>
VALUE rails_walk<Escapes>::coder_key_text(VALUE k, bool& asked) {
    VALUE s = k;
    if (!RB_TYPE_P(k, T_STRING)) {
        asked = true;
        answer is;
        s = coder_block(k, true, is);
        if (is == answer::value && RB_SYMBOL_P(s)) return rb_sym2str(s);
        if (is != answer::value || !RB_TYPE_P(s, T_STRING)) {
            key_not_allowed(s, is);
            return rb_utf8_str_new("", 0);
        }
    }
    if (class_of(s) != rb_cString) {
        s = call(s, id_to_s);
        if (!RB_TYPE_P(s, T_STRING)) rb_raise(rb_eTypeError, "can't convert %" PRIsVALUE " to String", rb_obj_class(k));
    }
    return s;
}

template <const json::escape_set& Escapes>
void rails_walk<Escapes>::coder_odd_key(VALUE s) {
    answer is;
    s = coder_block(s, false, is);
    if (is != answer::value || !RB_TYPE_P(s, T_STRING)) {
        key_not_allowed(s, is);
        s = rb_utf8_str_new("", 0);
    } else if (!is_valid_utf8(s)) {
        not_allowed(s, "source sequence is illegal/malformed utf-8", false);
        s = rb_utf8_str_new("", 0);
    }
    to_.key(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
    RB_GC_GUARD(s);
}

template <const json::escape_set& Escapes>
inline void rails_walk<Escapes>::coder_string(VALUE s, bool asked) {
    if (is_valid_utf8(s)) [[likely]] {
        to_.str(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
        RB_GC_GUARD(s);
        return;
    }
    if (!asked) return block_answer(s, true);
    not_allowed(s, "source sequence is illegal/malformed utf-8", false);
    to_.null();
}

template <const json::escape_set& Escapes>
inline void rails_walk<Escapes>::mapped(VALUE v) {
    if (own_map(RBASIC_CLASS(v))) [[likely]]
        return each_item(v);
    const VALUE answer = by_own_map(v);
    RB_TYPE_P(answer, T_ARRAY) ? each_item(answer) : generated(answer);
}

template <const json::escape_set& Escapes>
inline void rails_walk<Escapes>::each_item(VALUE v) {
    enter();
    to_.open(false, static_cast<std::size_t>(RARRAY_LEN(v)));
    for (long i = 0; i < RARRAY_LEN(v); ++i) {
        after(RARRAY_AREF(v, i));
        turn();
    }
    to_.close(false);
    leave();
}

template <const json::escape_set& Escapes>
inline void rails_walk<Escapes>::generated(VALUE v) {
    if (v == Qnil) return to_.null();
    if (v == Qtrue || v == Qfalse) return to_.boolean(v == Qtrue);
    if (RB_INTEGER_TYPE_P(v)) return integer(v);
    if (RB_FLOAT_TYPE_P(v) && std::isfinite(RFLOAT_VALUE(v)) && floats_are_stock()) return real(v);
    if (profile_.family == family::jsonify && class_of(v) == rb_cString && is_valid_utf8(v)) return string(v);
    // What the generator does with other numbers, without a generator of its own for each.
    if ((RB_TYPE_P(v, T_RATIONAL) || RB_TYPE_P(v, T_COMPLEX)) && rb_method_boundp(class_of(v), id_to_json, 1)) {
        VALUE json = call(v, id_to_json, 1, &profile_.state);
        if (RB_TYPE_P(json, T_STRING)) return splice_foreign(json);
    }
    splice_foreign(stock_text(v));
}

template <const json::escape_set& Escapes>
inline bool rails_walk<Escapes>::is_fragment(VALUE v) const noexcept {
    return RB_TYPE_P(v, T_STRUCT) && class_of(v) == profile_.fragment;
}

template <const json::escape_set& Escapes>
inline void rails_walk<Escapes>::first_pass_of(VALUE v) {
    const bool before = in_first_pass_;
    in_first_pass_ = true;
    without_options([&] {
        as_json(v);
        return Qnil;
    });
    in_first_pass_ = before;
}

template <const json::escape_set& Escapes>
template <class F>
inline VALUE rails_walk<Escapes>::without_options(F body) {
    const VALUE options = options_;
    const bool filtered = filtered_;
    options_ = Qnil;
    filtered_ = false;
    const VALUE answer = body();
    options_ = options;
    filtered_ = filtered;
    return answer;
}

template <const json::escape_set& Escapes>
void rails_walk<Escapes>::not_allowed(VALUE v, const char* format, bool with_class) {
    if (rewrite_without_this()) return;
    raise_stock_generator_error(v, with_class ? rb_sprintf(format, class_of(v)) : rb_str_new_cstr(format));
}

template <const json::escape_set& Escapes>
void rails_walk<Escapes>::key_not_allowed(VALUE s, answer is) {
    if (is != answer::value) return not_allowed(s, "JSON::Fragment not allowed as object key in JSON", false);
    not_allowed(s, "%" PRIsVALUE " not allowed as object key in JSON");
}

}  // namespace kumihimo::inline v0::ruby
