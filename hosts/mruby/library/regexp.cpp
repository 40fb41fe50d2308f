// Regexp: made, asked, matched. A literal /x/ is a call of Regexp.compile each time it is passed.
#include "regexp.hpp"

#include <algorithm>
#include <functional>

#include "../src/blocks.hpp"
#include "../src/characters.hpp"
#include "library.hpp"
#include "pattern_syntax.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

struct regexp {
    std::uint64_t id;
    std::uint32_t place;
    unsigned options;
};
const mrb_data_type regexp_type = {"Regexp", mrb_free};

mrb_sym source_symbol(mrb_state* mrb) { return mrb_intern_lit(mrb, "source"); }

regexp& state_of(mrb_state* mrb, mrb_value self) {
    auto* const r = static_cast<regexp*>(mrb_data_check_get_ptr(mrb, self, &regexp_type));
    if (r == nullptr) raise(mrb, "TypeError", "uninitialized Regexp");
    return *r;
}

mrb_value source_of(mrb_state* mrb, mrb_value self) { return mrb_iv_get(mrb, self, source_symbol(mrb)); }

[[noreturn]] void raise_regexp_error(mrb_state* mrb, std::string_view why, std::string_view source) {
    growing_string message(mrb, why.size() + source.size() + 8);
    message.put(why);
    message.put(": /");
    std::size_t shown = std::min<std::size_t>(source.size(), 200);
    while (shown < source.size() && shown != 0 && is_continuation(source[shown])) --shown;
    message.put(source.substr(0, shown));
    message.put(shown < source.size() ? ".../" : "/");
    raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "RegexpError"), message.take()));
}

unsigned options_of(mrb_state* mrb, mrb_value v) {
    if (mrb_nil_p(v) || mrb_false_p(v)) return 0;
    if (mrb_integer_p(v)) return static_cast<unsigned>(mrb_integer(v)) & 7u;
    if (!mrb_string_p(v)) return regexp_ignore_case;
    unsigned options = 0;
    for (const char c : bytes_of(v)) {
        switch (c) {
            case 'i': options |= regexp_ignore_case; break;
            case 'x': options |= regexp_extended; break;
            case 'm': options |= regexp_multi_line; break;
            case 'o':
            case 'u':
            case 'n':
            case 'e':
            case 's': break;  // once, and encodings
            default:
                raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "ArgumentError"),
                                           mrb_format(mrb, "unknown regexp option: %v", v)));
        }
    }
    return options;
}

mrb_value initialize(mrb_state* mrb, mrb_value self) {
    mrb_value from, given = mrb_nil_value(), encoding;
    mrb_get_args(mrb, "o|oo", &from, &given, &encoding);
    if (DATA_PTR(self) != nullptr) raise(mrb, "TypeError", "already initialized regexp");
    unsigned options;
    mrb_value source;
    if (is_regexp(from)) {
        options = state_of(mrb, from).options;
        source = source_of(mrb, from);
    } else {
        if (!mrb_string_p(from)) from = mrb_ensure_string_type(mrb, from);
        options = options_of(mrb, given);
        source = frozen_copy(mrb, from);
    }
    std::string_view error;
    std::uint64_t id = 0;
    std::uint32_t place = 0;
    {
        host_section section;
        if (pattern* const p = find_pattern(bytes_of(source), options, error); p != nullptr) {
            id = p->id();
            place = p->place();
        }
    }
    if (id == 0) raise_regexp_error(mrb, error, bytes_of(source));
    mrb_iv_set(mrb, self, source_symbol(mrb), source);
    auto* const r = static_cast<regexp*>(mrb_malloc(mrb, sizeof(regexp)));
    *r = {id, place, options};
    DATA_TYPE(self) = &regexp_type;
    DATA_PTR(self) = r;
    return self;
}

mrb_value initialize_copy(mrb_state* mrb, mrb_value self) {
    mrb_value from;
    mrb_get_args(mrb, "o", &from);
    if (mrb_obj_equal(mrb, self, from)) return self;
    if (mrb_frozen_p(mrb_basic_ptr(self))) mrb_frozen_error(mrb, mrb_basic_ptr(self));
    if (!is_regexp(from)) raise(mrb, "TypeError", "initialize_copy should take same class object");
    if (DATA_PTR(self) != nullptr) raise(mrb, "TypeError", "already initialized regexp");
    mrb_iv_set(mrb, self, source_symbol(mrb), source_of(mrb, from));
    auto* const r = static_cast<regexp*>(mrb_malloc(mrb, sizeof(regexp)));
    *r = state_of(mrb, from);
    DATA_TYPE(self) = &regexp_type;
    DATA_PTR(self) = r;
    return self;
}

mrb_value compile(mrb_state* mrb, mrb_value self) {
    const mrb_value* v;
    mrb_int n;
    mrb_get_args(mrb, "*", &v, &n);
    const mrb_value made = mrb_obj_new(mrb, mrb_class_ptr(self), n, v);
    MRB_SET_FROZEN_FLAG(mrb_basic_ptr(made));  // a literal is
    return made;
}

void put_quoted(growing_string& out, std::string_view s) {
    for (const char c : s) {
        switch (c) {
            case '\n': out.put("\\n"); continue;
            case '\t': out.put("\\t"); continue;
            case '\r': out.put("\\r"); continue;
            case '\f': out.put("\\f"); continue;
            case '\v': out.put("\\v"); continue;
            case ' ':
            case '#':
            case '$':
            case '(':
            case ')':
            case '*':
            case '+':
            case '-':
            case '.':
            case '?':
            case '[':
            case '\\':
            case ']':
            case '^':
            case '{':
            case '|':
            case '}': out.put('\\'); break;
            default: break;
        }
        out.put(c);
    }
}

mrb_value quote(mrb_state* mrb, mrb_value) {
    mrb_value v;
    mrb_get_args(mrb, "o", &v);
    if (!mrb_string_p(v) && !mrb_symbol_p(v)) raise(mrb, "TypeError", "Regexp.escape takes a String");
    v = text_of(mrb, v);
    growing_string out(mrb, bytes_of(v).size() + 16);
    put_quoted(out, bytes_of(v));
    return out.take();
}

void put_flags(growing_string& out, unsigned options) {
    if ((options & regexp_multi_line) != 0) out.put('m');
    if ((options & regexp_ignore_case) != 0) out.put('i');
    if ((options & regexp_extended) != 0) out.put('x');
}

void put_embedded(mrb_state* mrb, growing_string& out, mrb_value self) {
    const unsigned options = state_of(mrb, self).options;
    out.put("(?");
    put_flags(out, options);
    if (options != 7) {
        out.put('-');
        put_flags(out, ~options);
    }
    out.put(':');
    out.put(bytes_of(source_of(mrb, self)));
    out.put(')');
}

mrb_value union_of(mrb_state* mrb, mrb_value self) {
    const mrb_value* v;
    mrb_int n;
    mrb_get_args(mrb, "*", &v, &n);
    mrb_value list = mrb_nil_value();
    if (n == 1 && mrb_array_p(v[0])) {
        list = v[0];
        n = RARRAY_LEN(list);
    }
    if (n == 1) {
        const mrb_value one = mrb_array_p(list) ? RARRAY_PTR(list)[0] : v[0];
        if (is_regexp(one)) return one;
    }
    growing_string out(mrb, 64);
    if (n == 0) out.put("(?!)");
    for (mrb_int i = 0; i < n && (!mrb_array_p(list) || i < RARRAY_LEN(list)); ++i) {
        if (i != 0) out.put('|');
        mrb_value one = mrb_array_p(list) ? RARRAY_PTR(list)[i] : v[i];
        if (is_regexp(one)) {
            put_embedded(mrb, out, one);
            continue;
        }
        if (!mrb_string_p(one) && !mrb_symbol_p(one)) raise(mrb, "TypeError", "Regexp.union takes Strings and Regexps");
        one = text_of(mrb, one);
        put_quoted(out, bytes_of(one));
    }
    const mrb_value source = out.take();
    return mrb_obj_new(mrb, mrb_class_ptr(self), 1, &source);
}

mrb_value try_convert(mrb_state* mrb, mrb_value) {
    mrb_value v;
    mrb_get_args(mrb, "o", &v);
    const mrb_sym to_regexp = mrb_intern_lit(mrb, "to_regexp");
    if (is_regexp(v) || !mrb_respond_to(mrb, v, to_regexp)) return is_regexp(v) ? v : mrb_nil_value();
    const mrb_value made = mrb_funcall_argv(mrb, v, to_regexp, 0, nullptr);
    if (!mrb_nil_p(made) && !is_regexp(made)) {
        raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "TypeError"),
                                   mrb_format(mrb, "can't convert %Y to Regexp (%Y#to_regexp gives %Y)", v, v, made)));
    }
    return made;
}

mrb_value last_match(mrb_state* mrb, mrb_value) {
    mrb_value which = mrb_nil_value();
    mrb_get_args(mrb, "|o", &which);
    const mrb_value last = mrb_gv_get(mrb, mrb_intern_lit(mrb, "$~"));
    if (mrb_nil_p(which) || mrb_nil_p(last)) return last;
    return mrb_funcall_argv(mrb, last, mrb_intern_lit(mrb, "[]"), 1, &which);
}

// --- matching ---------------------------------------------------------------------------------------------------------------

// Nil, or what stands for the string to search.
mrb_value searched(mrb_state* mrb, mrb_value v) {
    if (mrb_nil_p(v) || mrb_string_p(v)) return v;
    if (mrb_symbol_p(v)) return mrb_sym_str(mrb, mrb_symbol(v));
    return mrb_ensure_string_type(mrb, v);
}

// Ruby's positions: from the end if negative. False: outside.
bool position(mrb_int given, mrb_value string, std::size_t& from) {
    if (given < 0) given += RSTRING_LEN(string);
    if (given < 0 || given > RSTRING_LEN(string)) return false;
    from = static_cast<std::size_t>(given);
    return true;
}

mrb_value search(mrb_state* mrb, mrb_value self, mrb_value v, mrb_int given) {
    v = searched(mrb, v);
    std::size_t from;
    if (mrb_nil_p(v) || !position(given, v, from)) return forget_match(mrb), mrb_nil_value();
    const mrb_value string = frozen_copy(mrb, v);
    pattern& p = pattern_of(mrb, self);
    if (!match(mrb, self, p, subject_of(mrb, string), from)) return forget_match(mrb), mrb_nil_value();
    return remember_match(mrb, self, p, string);
}

mrb_value regexp_match(mrb_state* mrb, mrb_value self) {
    mrb_value v, block;
    mrb_int from = 0;
    mrb_get_args(mrb, "o|i&", &v, &from, &block);
    const mrb_value found = search(mrb, self, v, from);
    return mrb_nil_p(found) || mrb_nil_p(block) ? found : yield_last(mrb, block, found);
}

mrb_value regexp_match_p(mrb_state* mrb, mrb_value self) {
    mrb_value v;
    mrb_int given = 0;
    mrb_get_args(mrb, "o|i", &v, &given);
    v = searched(mrb, v);
    std::size_t from;
    if (mrb_nil_p(v) || !position(given, v, from)) return mrb_false_value();
    // A short string needs no copy, as no Ruby runs meanwhile.
    if (static_cast<std::size_t>(RSTRING_LEN(v)) >= long_subject) v = frozen_copy(mrb, v);
    const subject in = subject_of(mrb, v);
    return mrb_bool_value(match(mrb, self, pattern_of(mrb, self), in, from));
}

mrb_value regexp_find(mrb_state* mrb, mrb_value self) {
    mrb_value v;
    mrb_get_args(mrb, "o", &v);
    if (mrb_nil_p(search(mrb, self, v, 0))) return mrb_nil_value();
    return mrb_int_value(mrb, static_cast<mrb_int>(pattern::offsets()[0]));
}

mrb_value regexp_case(mrb_state* mrb, mrb_value self) {
    mrb_value v;
    mrb_get_args(mrb, "o", &v);
    if (!mrb_string_p(v) && !mrb_symbol_p(v)) return forget_match(mrb), mrb_false_value();
    return mrb_bool_value(!mrb_nil_p(search(mrb, self, v, 0)));
}

// ~regexp: the last line read, which here is what a script has set.
mrb_value regexp_find_line(mrb_state* mrb, mrb_value self) {
    const mrb_value line = mrb_gv_get(mrb, mrb_intern_lit(mrb, "$_"));
    if (!mrb_string_p(line)) return forget_match(mrb), mrb_nil_value();
    if (mrb_nil_p(search(mrb, self, line, 0))) return mrb_nil_value();
    return mrb_int_value(mrb, static_cast<mrb_int>(pattern::offsets()[0]));
}

mrb_value nothing_found(mrb_state*, mrb_value) { return mrb_nil_value(); }

// --- asked ------------------------------------------------------------------------------------------------------------------

mrb_value get_source(mrb_state* mrb, mrb_value self) {
    state_of(mrb, self);
    return source_of(mrb, self);
}
mrb_value get_options(mrb_state* mrb, mrb_value self) { return mrb_fixnum_value(state_of(mrb, self).options); }
mrb_value ignores_case(mrb_state* mrb, mrb_value self) {
    return mrb_bool_value((state_of(mrb, self).options & regexp_ignore_case) != 0);
}

mrb_value to_s(mrb_state* mrb, mrb_value self) {
    growing_string out(mrb, 32);
    put_embedded(mrb, out, self);
    return out.take();
}

mrb_value inspect(mrb_state* mrb, mrb_value self) {
    const regexp& r = state_of(mrb, self);
    const std::string_view source = bytes_of(source_of(mrb, self));
    growing_string out(mrb, source.size() + 8);
    out.put('/');
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] == '\\' && i + 1 < source.size()) {
            out.put(source[i++]);
        } else if (source[i] == '/') {
            out.put('\\');
        }
        out.put(source[i]);
    }
    out.put('/');
    put_flags(out, r.options);
    return out.take();
}

mrb_value equal(mrb_state* mrb, mrb_value self) {
    mrb_value other;
    mrb_get_args(mrb, "o", &other);
    return mrb_bool_value(is_regexp(other) && state_of(mrb, self).options == state_of(mrb, other).options &&
                          bytes_of(source_of(mrb, self)) == bytes_of(source_of(mrb, other)));
}

mrb_value hash(mrb_state* mrb, mrb_value self) {
    const regexp& r = state_of(mrb, self);
    const std::size_t h = std::hash<std::string_view>{}(bytes_of(source_of(mrb, self))) ^ r.options;
    return mrb_int_value(mrb, static_cast<mrb_int>(h >> 3));
}

bool has(mrb_value list, std::string_view name) {
    for (mrb_int i = 0; i < RARRAY_LEN(list); ++i) {
        if (bytes_of(RARRAY_PTR(list)[i]) == name) return true;
    }
    return false;
}

}  // namespace

mrb_value names_of(mrb_state* mrb, mrb_value self) {
    const mrb_value list = mrb_ary_new(mrb);
    pattern& p = pattern_of(mrb, self);
    // In the order of their groups; PCRE2's table has the alphabet's.
    for (unsigned g = 1; g < p.groups(); ++g) {
        std::string_view name;
        unsigned group;
        for (unsigned i = 0; p.name(i, name, group); ++i) {
            if (group == g && !has(list, name)) mrb_ary_push(mrb, list, new_string(mrb, name));
        }
    }
    return list;
}

namespace {

mrb_value named_captures(mrb_state* mrb, mrb_value self) {
    const mrb_value all = names_of(mrb, self), result = mrb_hash_new(mrb);
    pattern& p = pattern_of(mrb, self);
    for (mrb_int i = 0; i < RARRAY_LEN(all); ++i) {
        const mrb_value key = RARRAY_PTR(all)[i], list = mrb_ary_new(mrb);
        std::string_view name;
        unsigned group;
        for (unsigned k = 0; p.name(k, name, group); ++k) {
            if (name == bytes_of(key)) mrb_ary_push(mrb, list, mrb_fixnum_value(group));
        }
        mrb_hash_set(mrb, result, key, list);
    }
    return result;
}

}  // namespace

bool is_empty_regexp(mrb_state* mrb, mrb_value self) { return bytes_of(get_source(mrb, self)).empty(); }

bool is_regexp(mrb_value v) noexcept { return mrb_type(v) == MRB_TT_DATA && DATA_TYPE(v) == &regexp_type; }

pattern& pattern_of(mrb_state* mrb, mrb_value self) {
    regexp& r = state_of(mrb, self);
    if (pattern* const p = pattern_at(r.place, r.id); p != nullptr) return *p;
    const std::string_view source = bytes_of(source_of(mrb, self));
    std::string_view error;
    pattern* p;
    {
        host_section section;
        p = find_pattern(source, r.options, error);
    }
    if (p == nullptr) raise_regexp_error(mrb, error, source);
    r.id = p->id();
    r.place = p->place();
    return *p;
}

bool match(mrb_state* mrb, mrb_value regexp, pattern& p, const subject& in, std::size_t from, bool here) {
    switch (p.match(in, from, here)) {
        case matched::yes: return true;
        case matched::no: return false;
        case matched::failed: raise_regexp_error(mrb, "cannot be matched here", bytes_of(source_of(mrb, regexp)));
        default: break;
    }
    RClass* const klass = mrb_class_get_under(mrb, mrb_class_get(mrb, "Regexp"), "TimeoutError");
    raise(mrb, mrb_exc_new_str(
                   mrb, klass,
                   mrb_format(mrb, "regexp match timeout: /%v/ tries too many ways on this text", source_of(mrb, regexp))));
}

void define_regexp(mrb_state* mrb) {
    if (mrb_class_defined(mrb, "Regexp")) return;
    RClass* const c = mrb_define_class(mrb, "Regexp", mrb->object_class);
    MRB_SET_INSTANCE_TT(c, MRB_TT_DATA);
    mrb_define_class_under(mrb, c, "TimeoutError", mrb_class_get(mrb, "RegexpError"));
    const auto constant = [&](const char* name, unsigned value) {
        mrb_const_set(mrb, mrb_obj_value(c), mrb_intern_cstr(mrb, name), mrb_fixnum_value(value));
    };
    constant("IGNORECASE", regexp_ignore_case);
    constant("EXTENDED", regexp_extended);
    constant("MULTILINE", regexp_multi_line);
    const auto on_class = [&](const char* name, mrb_func_t f, mrb_aspec args) {
        mrb_define_class_method(mrb, c, name, f, args);
    };
    on_class("compile", compile, MRB_ARGS_ARG(1, 2));
    on_class("escape", quote, MRB_ARGS_REQ(1));
    on_class("quote", quote, MRB_ARGS_REQ(1));
    on_class("union", union_of, MRB_ARGS_ANY());
    on_class("try_convert", try_convert, MRB_ARGS_REQ(1));
    on_class("last_match", last_match, MRB_ARGS_OPT(1));
    const auto on = [&](const char* name, mrb_func_t f, mrb_aspec args) { mrb_define_method(mrb, c, name, f, args); };
    on("initialize", initialize, MRB_ARGS_ARG(1, 2));
    on("match", regexp_match, MRB_ARGS_ARG(1, 1) | MRB_ARGS_BLOCK());
    on("match?", regexp_match_p, MRB_ARGS_ARG(1, 1));
    on("=~", regexp_find, MRB_ARGS_REQ(1));
    on("===", regexp_case, MRB_ARGS_REQ(1));
    on("source", get_source, MRB_ARGS_NONE());
    on("options", get_options, MRB_ARGS_NONE());
    on("casefold?", ignores_case, MRB_ARGS_NONE());
    on("to_s", to_s, MRB_ARGS_NONE());
    on("inspect", inspect, MRB_ARGS_NONE());
    on("==", equal, MRB_ARGS_REQ(1));
    on("eql?", equal, MRB_ARGS_REQ(1));
    on("hash", hash, MRB_ARGS_NONE());
    on("names", names_of, MRB_ARGS_NONE());
    on("named_captures", named_captures, MRB_ARGS_NONE());
    on("initialize_copy", initialize_copy, MRB_ARGS_REQ(1));
    on("~", regexp_find_line, MRB_ARGS_NONE());
    mrb_define_method(mrb, mrb->kernel_module, "=~", nothing_found, MRB_ARGS_REQ(1));
    define_blocks(mrb);
    define_match_data(mrb, c);
    define_string_searches(mrb);
}

}  // namespace kumihimo::inline v0::mruby
