#include "form.hpp"

#include <algorithm>

#include "library.hpp"
#include "token.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

[[noreturn]] void raise_in(mrb_state* mrb, const char* module, const char* error, std::string_view message) {
    raise(mrb, mrb_class_get_under(mrb, mrb_module_get(mrb, module), error), message);
}

mrb_value get(mrb_state* mrb, mrb_value hash, mrb_value key) { return mrb_hash_fetch(mrb, hash, key, mrb_undef_value()); }

// --- Rack's nesting ---------------------------------------------------------------------------------------------------------

[[noreturn]] void wrong_kind(mrb_state* mrb, const char* expected, mrb_value have, std::string_view key) {
    growing_string message(mrb, 96 + key.size());
    message.put("expected ");
    message.put(expected);
    message.put(" (got ");
    message.put(mrb_obj_classname(mrb, have));
    message.put(") for param `");
    message.put(key.substr(0, 100));
    message.put("'");
    RClass* const klass = mrb_class_get_under(mrb, mrb_module_get(mrb, "Query"), "ParameterTypeError");
    raise(mrb, mrb_exc_new_str(mrb, klass, message.take()));
}

mrb_value child(mrb_state* mrb, mrb_value hash, mrb_value key, bool array) {
    mrb_value v = get(mrb, hash, key);
    if (mrb_undef_p(v) || mrb_nil_p(v)) {
        v = array ? mrb_ary_new(mrb) : mrb_hash_new(mrb);
        mrb_hash_set(mrb, hash, key, v);
    }
    if (array ? !mrb_array_p(v) : !mrb_hash_p(v)) wrong_kind(mrb, array ? "Array" : "Hash", v, bytes_of(key));
    return v;
}

// The name without the brackets at both its ends, and what is behind it.
std::string_view first_key(std::string_view name, std::string_view& after) noexcept {
    const std::size_t begin = std::min(name.find_first_not_of("[]"), name.size());
    const std::size_t end = std::min(name.find_first_of("[]", begin), name.size());
    std::size_t behind = end;
    while (behind < name.size() && name[behind] == ']') ++behind;
    after = name.substr(behind);
    return name.substr(begin, end - begin);
}

// Whether the hash already has what a[][name] would set: a new element begins then.
bool has_path(mrb_state* mrb, mrb_value hash, std::string_view name) {
    if (name.find("[]") != std::string_view::npos) return false;
    while (!name.empty()) {
        const std::size_t begin = std::min(name.find_first_not_of("[]"), name.size());
        const std::size_t end = std::min(name.find_first_of("[]", begin), name.size());
        if (begin == end) return true;
        if (!mrb_hash_p(hash)) return false;
        hash = get(mrb, hash, new_string(mrb, name.substr(begin, end - begin)));
        if (mrb_undef_p(hash)) return false;
        name.remove_prefix(end);
    }
    return true;
}

void add_nested(mrb_state* mrb, mrb_value to, std::string_view name, mrb_value value, mrb_int depth) {
    for (;;) {
        if (depth-- <= 0) raise_in(mrb, "Query", "LimitError", "parameters are nested too deeply");
        std::string_view after;
        const std::string_view key_text = first_key(name, after);
        if (key_text.empty()) return;  // brackets only: no name
        const mrb_value key = new_string(mrb, key_text);
        if (after.empty()) return mrb_hash_set(mrb, to, key, value);
        if (after == "[") return mrb_hash_set(mrb, to, new_string(mrb, name), value);
        if (after == "[]") return mrb_ary_push(mrb, child(mrb, to, key, true), value);
        if (after.starts_with("[]")) {
            std::string_view inner = after.substr(2);
            if (inner.size() > 2 && inner.front() == '[' && inner.back() == ']' &&
                inner.substr(1, inner.size() - 2).find_first_of("[]") == std::string_view::npos) {
                inner = inner.substr(1, inner.size() - 2);
            }
            const mrb_value list = child(mrb, to, key, true);
            const mrb_int n = RARRAY_LEN(list);
            mrb_value last = n == 0 ? mrb_nil_value() : RARRAY_PTR(list)[n - 1];
            if (!mrb_hash_p(last) || has_path(mrb, last, inner)) {
                last = mrb_hash_new(mrb);
                mrb_ary_push(mrb, list, last);
            }
            to = last;
            name = inner;
            continue;
        }
        to = child(mrb, to, key, false);
        name = after;
    }
}

}  // namespace

mrb_value encoded(mrb_state* mrb, mrb_value v, percent style) {
    v = text_of(mrb, v);
    const mrb_value out = mrb_str_new(mrb, nullptr, static_cast<mrb_int>(percent_encoded_size(bytes_of(v), style)));
    percent_encode(bytes_of(v), style, RSTRING_PTR(out));
    return out;
}

mrb_value decoded(mrb_state* mrb, std::string_view s, bool plus_is_space) {
    const mrb_value out = mrb_str_new(mrb, nullptr, static_cast<mrb_int>(s.size()));
    const char* const end = percent_decode(s, plus_is_space, RSTRING_PTR(out));
    return mrb_str_resize(mrb, out, end - RSTRING_PTR(out));
}

bool query_reader::next(std::string_view& key, std::string_view& value) noexcept {
    while (!rest_.empty()) {
        const std::string_view pair = rest_.substr(0, rest_.find_first_of(separators_));
        rest_.remove_prefix(std::min(pair.size() + 1, rest_.size()));
        while (skip_spaces_ && rest_.starts_with(' ')) rest_.remove_prefix(1);
        if (pair.empty()) continue;
        const std::size_t equals = pair.find('=');
        key = pair.substr(0, equals);
        value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
        return true;
    }
    return false;
}

bool cookie_reader::next(std::string_view& name, std::string_view& value) noexcept {
    while (!rest_.empty()) {
        std::string_view pair = rest_.substr(0, rest_.find(';'));
        rest_.remove_prefix(std::min(pair.size() + 1, rest_.size()));
        pair = trimmed(pair);
        const std::size_t equals = pair.find('=');
        if (equals == 0 || equals == std::string_view::npos) continue;
        name = pair.substr(0, equals);
        value = pair.substr(equals + 1);
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
        return true;
    }
    return false;
}

void add_parameter(mrb_state* mrb, mrb_value to, mrb_value name, mrb_value value, repeated policy, const query_limits& limits,
                   mrb_int& count) {
    // A table of many names that collide takes long to fill: their number is what bounds it.
    if (count++ >= limits.parameters) raise_in(mrb, "Query", "LimitError", "there are too many parameters");
    if (policy == repeated::last) return mrb_hash_set(mrb, to, name, value);
    if (policy == repeated::all) return mrb_ary_push(mrb, child(mrb, to, name, true), value);
    add_nested(mrb, to, bytes_of(name), value, limits.depth);
}

mrb_value parse_query(mrb_state* mrb, query_reader pairs, repeated policy, const query_limits& limits) {
    const mrb_value result = mrb_hash_new(mrb);
    const int ai = mrb_gc_arena_save(mrb);
    std::string_view key, value;
    mrb_int count = 0;
    while (pairs.next(key, value)) {
        const mrb_value name = decoded(mrb, key, true);
        add_parameter(mrb, result, name, value.data() == nullptr ? mrb_nil_value() : decoded(mrb, value, true), policy, limits,
                      count);
        mrb_gc_arena_restore(mrb, ai);
    }
    return result;
}

mrb_value parse_cookies(mrb_state* mrb, std::string_view header) {
    const mrb_value result = mrb_hash_new(mrb);
    const int ai = mrb_gc_arena_save(mrb);
    cookie_reader pairs(header);
    std::string_view name, value;
    mrb_int count = 0;
    while (pairs.next(name, value) && count++ < 1000) {
        const mrb_value key = new_string(mrb, name);
        if (mrb_undef_p(get(mrb, result, key))) mrb_hash_set(mrb, result, key, decoded(mrb, value, false));
        mrb_gc_arena_restore(mrb, ai);
    }
    return result;
}

namespace {

mrb_value quoted_text(mrb_state* mrb, std::string_view s, bool is_filename) {
    const mrb_value out = mrb_str_new(mrb, nullptr, static_cast<mrb_int>(s.size()));
    const char* const end = multipart_text(s, is_filename, RSTRING_PTR(out));
    return mrb_str_resize(mrb, out, end - RSTRING_PTR(out));
}

mrb_value file_of(mrb_state* mrb, const multipart_part& part, mrb_value name, mrb_value body) {
    const mrb_value file = mrb_hash_new_capa(mrb, 5);
    const auto set = [&](const char* key, mrb_value v) {
        mrb_hash_set(mrb, file, mrb_symbol_value(mrb_intern_cstr(mrb, key)), v);
    };
    set("name", name);
    set("filename", part.filename.data() == nullptr ? mrb_nil_value() : quoted_text(mrb, part.filename, true));
    set("type", part.type.data() == nullptr ? mrb_nil_value() : new_string(mrb, part.type));
    set("head", new_string(mrb, part.head));
    set("body", body);
    return file;
}

// Calls `each` for every part, with its name and its body.
template <class Each>
void each_part(mrb_state* mrb, mrb_value body, std::string_view content_type, const multipart_limits& limits, Each each) {
    multipart_boundary boundary;
    if (const char* const why = find_boundary(content_type, boundary); why != nullptr) raise_in(mrb, "Multipart", "Error", why);
    multipart_reader parts(bytes_of(body), boundary, limits);
    multipart_part part;
    const int ai = mrb_gc_arena_save(mrb);
    while (parts.next(part)) {
        const mrb_value name = quoted_text(mrb, part.name, false);
        const mrb_value text =
            mrb_str_byte_subseq(mrb, body, part.body.data() - RSTRING_PTR(body), static_cast<mrb_int>(part.body.size()));
        each(part, name, text);
        mrb_gc_arena_restore(mrb, ai);
    }
    if (parts.error() != nullptr) raise_in(mrb, "Multipart", "Error", parts.error());
}

}  // namespace

mrb_value parse_multipart(mrb_state* mrb, mrb_value body, std::string_view content_type, repeated policy,
                          const multipart_limits& limits, const query_limits& of_names) {
    // Its parts share its memory, and it must not change meanwhile.
    body = mrb_str_dup(mrb, body);
    const mrb_value result = mrb_hash_new(mrb);
    mrb_int count = 0;
    each_part(mrb, body, content_type, limits, [&](const multipart_part& part, mrb_value name, mrb_value text) {
        const mrb_value value = part.filename.data() == nullptr ? text : file_of(mrb, part, name, text);
        add_parameter(mrb, result, name, value, policy, of_names, count);
    });
    return result;
}

// --- Ruby -------------------------------------------------------------------------------------------------------------------

namespace {

mrb_int number(mrb_state* mrb, mrb_value options, const char* name, mrb_int otherwise) {
    const mrb_value v = option(mrb, options, name);
    if (mrb_nil_p(v)) return otherwise;
    if (!mrb_integer_p(v) || mrb_integer(v) < 0)
        raise(mrb,
              mrb_exc_new_str(mrb, mrb_class_get(mrb, "ArgumentError"), mrb_format(mrb, "%s: takes a number from 0", name)));
    return mrb_integer(v);
}

query_limits limits_of(mrb_state* mrb, mrb_value options) {
    const query_limits usual;
    return {number(mrb, options, "parameters", usual.parameters), number(mrb, options, "depth", usual.depth)};
}

template <repeated policy>
mrb_value query_parse(mrb_state* mrb, mrb_value) {
    mrb_value text, options = mrb_nil_value();
    mrb_get_args(mrb, "o|H", &text, &options);
    if (mrb_nil_p(text)) return mrb_hash_new(mrb);
    const mrb_value s = mrb_str_dup(mrb, mrb_ensure_string_type(mrb, text));
    return parse_query(mrb, bytes_of(s), policy, limits_of(mrb, options));
}

mrb_value query_build(mrb_state* mrb, mrb_value) {
    mrb_value v;
    mrb_get_args(mrb, "o", &v);
    return mrb_funcall_argv(mrb, mrb_obj_value(mrb_module_get(mrb, "URI")), mrb_intern_lit(mrb, "encode_www_form"), 1, &v);
}

mrb_value cookies_parse(mrb_state* mrb, mrb_value) {
    mrb_value text;
    mrb_get_args(mrb, "o", &text);
    if (mrb_nil_p(text)) return mrb_hash_new(mrb);
    const mrb_value s = mrb_str_dup(mrb, mrb_ensure_string_type(mrb, text));
    return parse_cookies(mrb, bytes_of(s));
}

multipart_limits part_limits(mrb_state* mrb, mrb_value options) {
    multipart_limits l;
    l.parts = static_cast<std::size_t>(number(mrb, options, "parts", static_cast<mrb_int>(l.parts)));
    l.head = static_cast<std::size_t>(number(mrb, options, "head", static_cast<mrb_int>(l.head)));
    l.field = static_cast<std::size_t>(number(mrb, options, "field", static_cast<mrb_int>(l.field)));
    if (!mrb_nil_p(option(mrb, options, "file"))) l.file = static_cast<std::size_t>(number(mrb, options, "file", 0));
    return l;
}

template <repeated policy>
mrb_value multipart_parse(mrb_state* mrb, mrb_value) {
    mrb_value body, type, options = mrb_nil_value();
    mrb_get_args(mrb, "SS|H", &body, &type, &options);
    return parse_multipart(mrb, body, bytes_of(type), policy, part_limits(mrb, options), limits_of(mrb, options));
}

mrb_value multipart_parts(mrb_state* mrb, mrb_value) {
    mrb_value body, type, options = mrb_nil_value();
    mrb_get_args(mrb, "SS|H", &body, &type, &options);
    body = mrb_str_dup(mrb, body);
    const mrb_value list = mrb_ary_new(mrb);
    each_part(mrb, body, bytes_of(type), part_limits(mrb, options),
              [&](const multipart_part& part, mrb_value name, mrb_value text) {
                  mrb_ary_push(mrb, list, file_of(mrb, part, name, text));
              });
    return list;
}

}  // namespace

void define_cookie_text(mrb_state*, RClass* cookies);  // set_cookie.cpp

void define_form(mrb_state* mrb) {
    RClass* const query = mrb_define_module(mrb, "Query");
    mrb_define_class_under(mrb, query, "LimitError", mrb_class_get(mrb, "RangeError"));
    mrb_define_class_under(mrb, query, "ParameterTypeError", mrb_class_get(mrb, "TypeError"));
    mrb_define_module_function(mrb, query, "parse", query_parse<repeated::last>, MRB_ARGS_ARG(1, 1));
    mrb_define_module_function(mrb, query, "parse_all", query_parse<repeated::all>, MRB_ARGS_ARG(1, 1));
    mrb_define_module_function(mrb, query, "parse_nested", query_parse<repeated::nested>, MRB_ARGS_ARG(1, 1));
    mrb_define_module_function(mrb, query, "build", query_build, MRB_ARGS_REQ(1));

    RClass* const cookies = mrb_define_module(mrb, "Cookies");
    mrb_define_module_function(mrb, cookies, "parse", cookies_parse, MRB_ARGS_REQ(1));
    define_cookie_text(mrb, cookies);

    RClass* const multipart = mrb_define_module(mrb, "Multipart");
    mrb_define_class_under(mrb, multipart, "Error", mrb->eStandardError_class);
    mrb_define_module_function(mrb, multipart, "parse", multipart_parse<repeated::last>, MRB_ARGS_ARG(2, 1));
    mrb_define_module_function(mrb, multipart, "parse_all", multipart_parse<repeated::all>, MRB_ARGS_ARG(2, 1));
    mrb_define_module_function(mrb, multipart, "parse_nested", multipart_parse<repeated::nested>, MRB_ARGS_ARG(2, 1));
    mrb_define_module_function(mrb, multipart, "parts", multipart_parts, MRB_ARGS_ARG(2, 1));
}

}  // namespace kumihimo::inline v0::mruby
