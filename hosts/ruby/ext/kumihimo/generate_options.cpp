// The options of JSON.generate, and what the installed json makes of them.
//
// The json gem changed its mind over the years; what an installed one does is asked of it once, when this is loaded
// (`stock`).
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "generate.hpp"

namespace kumihimo::inline v0::ruby {

installed_json stock;

namespace {
VALUE symbol(const char* name) { return rb_id2sym(rb_intern(name)); }
}  // namespace

void generate_options::mark() const {
    for (const VALUE v : {given, as_json, sort_keys, key_text, object_nl, array_nl, indent}) rb_gc_mark(v);
}

namespace {

struct reading {
    generate_options* o;
    VALUE space, space_before;
};

VALUE text_option(VALUE v) {
    if (v == Qnil) return Qnil;
    Check_Type(v, T_STRING);
    return RSTRING_LEN(v) == 0 ? Qnil : rb_str_new_frozen(v);
}
// rb_convert_type to T_DATA would let any object of C's pass: a Method, a Time.
VALUE proc_option(VALUE v) {
    const VALUE proc = RTEST(rb_obj_is_proc(v)) ? v : rb_check_funcall(v, rb_intern("to_proc"), 0, nullptr);
    if (proc == Qundef || !RTEST(rb_obj_is_proc(proc)))
        rb_raise(rb_eTypeError, "wrong argument type %" PRIsVALUE " (expected Proc)", rb_obj_class(v));
    return proc;
}
std::string_view view(VALUE s) {
    return s == Qnil ? std::string_view() : std::string_view(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
}

int read_option(VALUE key, VALUE v, VALUE argument) {
    reading& r = *reinterpret_cast<reading*>(argument);
    generate_options& o = *r.o;
    if (!RB_SYMBOL_P(key)) return ST_CONTINUE;
    const VALUE name_text = rb_sym2str(key);
    const std::string_view name = view(name_text);
    if (name == "indent") {
        o.indent = text_option(v);
    } else if (name == "space") {
        r.space = text_option(v);
    } else if (name == "space_before") {
        r.space_before = text_option(v);
    } else if (name == "object_nl") {
        o.object_nl = text_option(v);
    } else if (name == "array_nl") {
        o.array_nl = text_option(v);
    } else if (name == "max_nesting") {
        o.max_nesting = RTEST(v) ? NUM2LONG(v) : 0;
    } else if (name == "depth") {
        o.depth = RTEST(v) ? NUM2LONG(v) : 0;
        if (o.depth < 0) rb_raise(rb_eArgError, "depth: must be >= 0 (got %ld)", o.depth);
    } else if (name == "allow_nan") {
        o.allow_nan = RTEST(v);
    } else if (name == "ascii_only") {
        o.ascii_only = RTEST(v);
    } else if (name == "script_safe") {
        o.script_safe = RTEST(v);
    } else if (name == "escape_slash") {
        (stock.separators ? o.script_safe : o.slash_only) = RTEST(v);
    } else if (name == "strict") {
        o.strict = RTEST(v);
    } else if (name == "allow_duplicate_key") {
        o.refuse_duplicates = !RTEST(v);
    } else if (name == "as_json") {
        o.as_json = RTEST(v) ? proc_option(v) : Qnil;
        o.as_json_one = RTEST(v) && rb_proc_arity(o.as_json) == 1;
    } else if (name == "sort_keys") {
        o.sort_keys = !RTEST(v) ? Qnil : v == Qtrue ? Qtrue : proc_option(v);
    }
    return ST_CONTINUE;
}

}  // namespace

void generate_options::read(VALUE options) {
    dialect.floats = stock.floats;
    if (options != Qnil) {
        if (!RB_TYPE_P(options, T_HASH)) {
            if (RTEST(rb_obj_is_kind_of(options, stock.state_class))) options = rb_funcall(options, rb_intern("to_h"), 0);
            if (stock.must_convert) Check_Type(options, T_HASH);  // newer json gems take nothing else
            if (rb_respond_to(options, rb_intern("to_hash")))
                options = rb_funcall(options, rb_intern("to_hash"), 0);
            else if (rb_respond_to(options, rb_intern("to_h")))
                options = rb_funcall(options, rb_intern("to_h"), 0);
            if (!RB_TYPE_P(options, T_HASH))
                rb_raise(rb_eTypeError, "can't convert %" PRIsVALUE " into Hash", rb_obj_class(options));
        }
        given = options;
        reading r{this, Qnil, Qnil};
        rb_hash_foreach(options, &read_option, reinterpret_cast<VALUE>(&r));
        if (r.space != Qnil || r.space_before != Qnil) {
            key_text = rb_utf8_str_new(nullptr, 0);
            if (r.space_before != Qnil) rb_str_buf_append(key_text, r.space_before);
            rb_str_buf_cat(key_text, ":", 1);
            if (r.space != Qnil) rb_str_buf_append(key_text, r.space);
            rb_obj_freeze(key_text);
            dialect.layout.key = view(key_text);
        }
        dialect.layout.newline = view(object_nl);
        dialect.layout.array_newline = view(array_nl);
        dialect.layout.arrays_differ = true;
        dialect.layout.indent = view(indent);
        dialect.layout.level = static_cast<std::size_t>(depth);
        if (dialect.layout.level > std::size_t{INT_MAX} / std::max<std::size_t>(dialect.layout.indent.size(), 1))
            rb_raise(rb_eArgError, "depth is too large (got %ld)", depth);
    }
    dialect.non_finite = json::non_finite::literal;  // what may not be is refused by the walk
    dialect.escapes = ascii_only    ? (script_safe || slash_only ? &ascii_script_escapes : &json::ascii_escapes)
                      : script_safe ? &json::script_safe_escapes
                      : slash_only  ? &json::slash_escapes
                                    : &json::rfc8259_escapes;
}

namespace {

bool probe(VALUE json, VALUE v, VALUE options, const char* wanted) {
    const VALUE text = rb_funcall(json, rb_intern("generate"), 2, v, options);
    return std::strcmp(StringValueCStr(const_cast<VALUE&>(text)), wanted) == 0;
}
VALUE one_option(const char* name, VALUE v) {
    const VALUE h = rb_hash_new();
    rb_hash_aset(h, symbol(name), v);
    return h;
}

}  // namespace

void init_generate_options(VALUE json) {
    stock.state_class = lasting(rb_const_get(json, rb_intern("State")));
    int version[2] = {0, 0};
    const VALUE text = rb_const_get(json, rb_intern("VERSION"));
    std::sscanf(StringValueCStr(const_cast<VALUE&>(text)), "%d.%d", &version[0], &version[1]);
    const int v = version[0] * 1000 + version[1];
    stock.floats = v >= 2015   ? scalar::float_layout::json_2_15
                   : v >= 2012 ? scalar::float_layout::json_2_12
                   : v >= 2011 ? scalar::float_layout::json_2_11
                               : scalar::float_layout::ruby;
    stock.must_convert = stock.circular_hint = v >= 2010;
    stock.opened_when_empty = probe(json, rb_ary_new(), one_option("array_nl", rb_utf8_str_new_cstr("\n")), "[\n\n]");
    stock.separators = probe(json, rb_utf8_str_new_cstr("\xE2\x80\xA8/"), one_option("escape_slash", Qtrue), "\"\\u2028\\/\"");
    stock.symbol_to_json = method_watch(rb_cSymbol, "to_json");
    stock.symbol_to_json.keep();
}

}  // namespace kumihimo::inline v0::ruby
