// The module JSON, by the names and meanings of Ruby's json gem.
#include "json.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../vm/layout.hpp"
#include "blocks.hpp"
#include "module.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr std::string_view no_text;

// ---- options

// A to_json may change the String while the walk still writes by it, or let go of it: what is written by is a copy,
// which lives in the collector's arena as long as the call does, and which ObjectSpace does not show.
std::string_view text_option(mrb_state* mrb, mrb_value v) {
    if (mrb_nil_p(v)) return no_text;
    if (!mrb_string_p(v)) mrb_raisef(mrb, E_TYPE_ERROR, "wrong argument type %C (expected String)", mrb_obj_class(mrb, v));
    const mrb_value copy = mrb_str_new(mrb, RSTRING_PTR(v), RSTRING_LEN(v));
    mrb_basic_ptr(copy)->c = nullptr;
    return {RSTRING_PTR(copy), static_cast<std::size_t>(RSTRING_LEN(copy))};
}
mrb_int count_option(mrb_state* mrb, mrb_value v) {
    if (!mrb_test(v)) return 0;
    const mrb_int n = mrb_as_int(mrb, v);
    if (n < 0) mrb_raisef(mrb, E_ARGUMENT_ERROR, "must be >= 0 (got %i)", n);
    return n;
}

// The value of an option that was given, or undef.
mrb_value option(mrb_state* mrb, mrb_value hash, const char* name) {
    return mrb_hash_fetch(mrb, hash, mrb_symbol_value(mrb_intern_cstr(mrb, name)), mrb_undef_value());
}
void flag(mrb_state* mrb, mrb_value hash, const char* name, bool& to) {
    const mrb_value v = option(mrb, hash, name);
    if (!mrb_undef_p(v)) to = mrb_test(v);
}

}  // namespace

void generate_options::read(mrb_state* mrb, mrb_value options) {
    if (mrb_nil_p(options)) return;
    if (!mrb_hash_p(options)) {
        const mrb_value h = mrb_iv_get(mrb, options, mrb_intern_lit(mrb, "@options"));
        const mrb_value d = mrb_iv_get(mrb, options, mrb_intern_lit(mrb, "@depth"));
        if (mrb_immediate_p(options) || !(mrb_hash_p(h) || mrb_nil_p(h)) || !mrb_integer_p(d))
            mrb_raisef(mrb, E_TYPE_ERROR, "can't convert %C into Hash", mrb_obj_class(mrb, options));
        read(mrb, h);
        depth = mrb_integer(d);
        return;
    }
    given = options;
    mrb_gc_protect(mrb, given);  // a to_json may take it from its State
    const auto text = [&](const char* name, std::string_view& to) {
        const mrb_value v = option(mrb, options, name);
        if (!mrb_undef_p(v)) to = text_option(mrb, v);
    };
    text("indent", layout.indent);
    text("space", layout.space);
    text("space_before", layout.space_before);
    text("object_nl", layout.object_nl);
    text("array_nl", layout.array_nl);
    mrb_value v = option(mrb, options, "max_nesting");
    if (!mrb_undef_p(v)) max_nesting = count_option(mrb, v);
    v = option(mrb, options, "depth");
    if (!mrb_undef_p(v)) depth = count_option(mrb, v);
    flag(mrb, options, "allow_nan", allow_nan);
    flag(mrb, options, "ascii_only", ascii_only);
    flag(mrb, options, "escape_slash", script_safe);
    flag(mrb, options, "script_safe", script_safe);
    flag(mrb, options, "strict", strict);
}

void parse_options::read(mrb_state* mrb, mrb_value options) {
    if (mrb_nil_p(options)) return;
    if (!mrb_hash_p(options)) mrb_raisef(mrb, E_TYPE_ERROR, "can't convert %C into Hash", mrb_obj_class(mrb, options));
    for (const char* const name : {"create_additions", "object_class", "array_class", "decimal_class"}) {
        if (const mrb_value given = option(mrb, options, name); !mrb_undef_p(given) && mrb_test(given))
            mrb_raisef(mrb, E_ARGUMENT_ERROR, "%s is not supported", name);
    }
    const mrb_value v = option(mrb, options, "max_nesting");
    if (!mrb_undef_p(v)) max_nesting = count_option(mrb, v);
    flag(mrb, options, "allow_nan", allow_nan);
    flag(mrb, options, "symbolize_names", symbolize_names);
    flag(mrb, options, "freeze", freeze);
    flag(mrb, options, "allow_comments", comments);
    flag(mrb, options, "allow_trailing_comma", trailing_commas);
    bool repeated = true;
    flag(mrb, options, "allow_duplicate_key", repeated);
    unique_keys = !repeated;
}

mrb_value document_of(mrb_state* mrb, mrb_value source) {
    if (mrb_string_p(source)) return source;
    const mrb_value s = mrb_check_string_type(mrb, source);
    if (!mrb_string_p(s)) mrb_raisef(mrb, E_TYPE_ERROR, "no implicit conversion of %C into String", mrb_obj_class(mrb, source));
    return s;
}

// ---- to_json

mrb_value core_to_json(mrb_state* mrb, mrb_value self) {
    mrb_value given = mrb_nil_value();
    mrb_get_args(mrb, "|o", &given);
    generate_options o;
    o.read(mrb, given);
    return generate(mrb, self, o, true);
}
// Another function, so that the walk can tell them apart.
mrb_value object_to_json(mrb_state* mrb, mrb_value self) {
    const mrb_value made = core_to_json(mrb, self);
    return made;
}

namespace {

// ---- the module's functions

mrb_value json_generate(mrb_state* mrb, mrb_value) {
    mrb_value v, given = mrb_nil_value();
    mrb_get_args(mrb, "o|o", &v, &given);
    generate_options o;
    o.read(mrb, given);
    return generate(mrb, v, o);
}

mrb_value json_pretty_generate(mrb_state* mrb, mrb_value) {
    mrb_value v, given = mrb_nil_value();
    mrb_get_args(mrb, "o|o", &v, &given);
    generate_options o;
    const mrb_value layout = mrb_hash_new(mrb);
    const auto text = [&](const char* name, const char* is) {
        mrb_hash_set(mrb, layout, mrb_symbol_value(mrb_intern_cstr(mrb, name)), mrb_str_new_static(mrb, is, std::strlen(is)));
    };
    text("indent", "  ");
    text("space", " ");
    text("object_nl", "\n");
    text("array_nl", "\n");
    if (!mrb_nil_p(given)) {
        o.read(mrb, given);  // says what is wrong with it
        if (mrb_hash_p(given)) mrb_hash_merge(mrb, layout, given);
    }
    o.read(mrb, layout);
    return generate(mrb, v, o);
}

mrb_value json_parse(mrb_state* mrb, mrb_value) {
    mrb_value source, given = mrb_nil_value();
    mrb_get_args(mrb, "o|o", &source, &given);
    parse_options o;
    o.read(mrb, given);
    return parse(mrb, document_of(mrb, source), o);
}

// Every value of a document, a container's behind it: a Hash's keys too. In the order that a recursion would have.
mrb_value values_inside_out(mrb_state* mrb, mrb_value root) {
    const mrb_value all = mrb_ary_new(mrb), waiting = mrb_ary_new(mrb);
    for (const mrb_value list : {all, waiting}) mrb_basic_ptr(list)->c = nullptr;  // hidden from ObjectSpace
    mrb_ary_push(mrb, waiting, root);
    const int arena = mrb_gc_arena_save(mrb);
    while (RARRAY_LEN(waiting) != 0) {
        const mrb_value v = mrb_ary_pop(mrb, waiting);
        mrb_ary_push(mrb, all, v);
        if (mrb_array_p(v)) {
            for (mrb_int i = 0; i < RARRAY_LEN(v); ++i) mrb_ary_push(mrb, waiting, RARRAY_PTR(v)[i]);
        } else if (mrb_hash_p(v)) {
            const mrb_value keys = mrb_hash_keys(mrb, v), values = mrb_hash_values(mrb, v);
            for (mrb_int i = 0; i < RARRAY_LEN(keys); ++i) {
                mrb_ary_push(mrb, waiting, RARRAY_PTR(keys)[i]);
                mrb_ary_push(mrb, waiting, RARRAY_PTR(values)[i]);
            }
        }
        mrb_gc_arena_restore(mrb, arena);
    }
    std::reverse(RARRAY_PTR(all), RARRAY_PTR(all) + RARRAY_LEN(all));
    return all;
}

// load(source, proc = nil, options): nil and "" are nil. NaN is taken, and nesting has no limit. The proc is called
// with every value.
mrb_value json_load(mrb_state* mrb, mrb_value) {
    mrb_value source, proc = mrb_nil_value(), given = mrb_nil_value();
    mrb_get_args(mrb, "o|oo", &source, &proc, &given);
    if (mrb_hash_p(proc) && mrb_nil_p(given)) std::swap(proc, given);
    if (mrb_respond_to(mrb, source, mrb_intern_lit(mrb, "read")))
        source = mrb_funcall_id(mrb, source, mrb_intern_lit(mrb, "read"), 0);
    const bool blank = mrb_nil_p(source) || (mrb_string_p(source) && RSTRING_LEN(source) == 0);
    if (!mrb_nil_p(proc) && !mrb_proc_p(proc)) {
        const mrb_value converted = mrb_respond_to(mrb, proc, mrb_intern_lit(mrb, "to_proc"))
                                        ? mrb_funcall_id(mrb, proc, mrb_intern_lit(mrb, "to_proc"), 0)
                                        : mrb_nil_value();
        if (!mrb_proc_p(converted))
            mrb_raisef(mrb, E_TYPE_ERROR, "wrong argument type %C (expected Proc)", mrb_obj_class(mrb, proc));
        proc = converted;
    }
    parse_options o;
    o.max_nesting = 0;
    o.allow_nan = true;
    o.read(mrb, given);
    const mrb_value made = blank ? mrb_nil_value() : parse(mrb, document_of(mrb, source), o);
    return mrb_nil_p(proc) ? made : yield_all(mrb, values_inside_out(mrb, made), made, proc);
}

// dump(object, io = nil, limit = nil, options): NaN is written, and nesting has no limit but `limit`.
mrb_value json_dump(mrb_state* mrb, mrb_value) {
    mrb_value v, io = mrb_nil_value(), limit = mrb_nil_value(), given = mrb_nil_value();
    mrb_get_args(mrb, "o|ooo", &v, &io, &limit, &given);
    for (mrb_value* const at : {&limit, &io})
        if (mrb_hash_p(*at) && mrb_nil_p(given)) std::swap(*at, given);
    if (mrb_integer_p(io) && mrb_nil_p(limit)) std::swap(io, limit);
    generate_options o;
    o.max_nesting = mrb_nil_p(limit) ? 0 : count_option(mrb, limit);
    o.dumps = true;
    o.allow_nan = true;
    o.read(mrb, given);
    const mrb_value made = generate(mrb, v, o);
    if (mrb_nil_p(io)) return made;
    mrb_funcall_id(mrb, io, mrb_intern_lit(mrb, "write"), 1, made);
    return io;
}

// JSON[text, options] parses, JSON[object, options] generates.
mrb_value json_aref(mrb_state* mrb, mrb_value self) {
    mrb_value v, given = mrb_nil_value();
    mrb_get_args(mrb, "o|o", &v, &given);
    return mrb_string_p(v) ? json_parse(mrb, self) : json_generate(mrb, self);
}

// ---- State: what a foreign to_json is called with

mrb_value state_initialize(mrb_state* mrb, mrb_value self) {
    mrb_value options = mrb_nil_value();
    mrb_int depth = 0;
    mrb_get_args(mrb, "|oi", &options, &depth);
    if (!mrb_nil_p(options) && !mrb_hash_p(options))
        mrb_raisef(mrb, E_TYPE_ERROR, "can't convert %C into Hash", mrb_obj_class(mrb, options));
    mrb_iv_set(mrb, self, mrb_intern_lit(mrb, "@options"), options);
    mrb_iv_set(mrb, self, mrb_intern_lit(mrb, "@depth"), mrb_int_value(mrb, depth));
    return self;
}
mrb_value state_depth(mrb_state* mrb, mrb_value self) { return mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "@depth")); }
mrb_value state_to_h(mrb_state* mrb, mrb_value self) {
    const mrb_value options = mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "@options"));
    return mrb_hash_p(options) ? mrb_hash_dup(mrb, options) : mrb_hash_new(mrb);
}
mrb_value state_aref(mrb_state* mrb, mrb_value self) {
    mrb_value name;
    mrb_get_args(mrb, "o", &name);
    const mrb_value options = mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "@options"));
    if (mrb_string_p(name)) name = mrb_symbol_value(mrb_intern_str(mrb, name));
    return mrb_hash_p(options) ? mrb_hash_get(mrb, options, name) : mrb_nil_value();
}
mrb_value state_generate(mrb_state* mrb, mrb_value self) {
    mrb_value v;
    mrb_get_args(mrb, "o", &v);
    generate_options o;
    o.read(mrb, self);
    return generate(mrb, v, o);
}

mrb_value invalid_object(mrb_state* mrb, mrb_value self) {
    return mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "@invalid_object"));
}

}  // namespace

void define_json(mrb_state* mrb) {
    check_layout(mrb);
    define_blocks(mrb);
    RClass* const json = mrb_define_module(mrb, "JSON");
    RClass* const error = mrb_define_class_under(mrb, json, "JSONError", mrb->eStandardError_class);
    RClass* const parser = mrb_define_class_under(mrb, json, "ParserError", error);
    mrb_define_class_under(mrb, json, "NestingError", parser);
    RClass* const generator = mrb_define_class_under(mrb, json, "GeneratorError", error);
    define_failure(mrb, parser);
    mrb_define_method(mrb, generator, "invalid_object", invalid_object, MRB_ARGS_NONE());
    RClass* const state = mrb_define_class_under(mrb, json, "State", mrb->object_class);
    mrb_define_method(mrb, state, "initialize", state_initialize, MRB_ARGS_OPT(2));
    mrb_define_method(mrb, state, "depth", state_depth, MRB_ARGS_NONE());
    mrb_define_method(mrb, state, "to_h", state_to_h, MRB_ARGS_NONE());
    mrb_define_method(mrb, state, "[]", state_aref, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, state, "generate", state_generate, MRB_ARGS_REQ(1));

    mrb_define_module_function(mrb, json, "generate", json_generate, MRB_ARGS_ARG(1, 1));
    // mruby-json's name for it, which scripts of the older mod_mruby have.
    mrb_define_module_function(mrb, json, "stringify", json_generate, MRB_ARGS_ARG(1, 1));
    mrb_define_module_function(mrb, json, "pretty_generate", json_pretty_generate, MRB_ARGS_ARG(1, 1));
    mrb_define_module_function(mrb, json, "parse", json_parse, MRB_ARGS_ARG(1, 1));
    mrb_define_module_function(mrb, json, "load", json_load, MRB_ARGS_ARG(1, 2));
    mrb_define_module_function(mrb, json, "dump", json_dump, MRB_ARGS_ARG(1, 3));
    mrb_define_class_method(mrb, json, "[]", json_aref, MRB_ARGS_ARG(1, 1));
    mrb_define_const(mrb, json, "NaN", mrb_float_value(mrb, std::nan("")));
    mrb_define_const(mrb, json, "Infinity", mrb_float_value(mrb, HUGE_VAL));
    mrb_define_const(mrb, json, "MinusInfinity", mrb_float_value(mrb, -HUGE_VAL));

    define_partial(mrb, json);

    mrb_define_method(mrb, mrb->object_class, "to_json", object_to_json, MRB_ARGS_OPT(1));
    for (RClass* const c : {mrb->hash_class, mrb->array_class, mrb->string_class, mrb->integer_class, mrb->float_class,
                            mrb->nil_class, mrb->true_class, mrb->false_class})
        mrb_define_method(mrb, c, "to_json", core_to_json, MRB_ARGS_OPT(1));
}

}  // namespace kumihimo::inline v0::mruby
