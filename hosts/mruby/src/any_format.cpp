// The module Kumihimo: what its calls share, and the list of the formats.
#include "any_format.hpp"

#include <iterator>

#include "engine/formats.hpp"

#include "../vm/layout.hpp"
#include "../vm/vm.hpp"
#include "blocks.hpp"
#include "frames.hpp"
#include "module.hpp"
#include "moment.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

mrb_value static_text(mrb_state* mrb, std::string_view s) { return mrb_str_new_static(mrb, s.data(), s.size()); }

// A name's text in memory of the caller's: that of a short Symbol lives only until the next one is asked for.
struct name_text {
    char text[64];
    std::size_t size = 0;
    name_text(mrb_state* mrb, mrb_value v) {
        std::string_view s;
        mrb_int n = 0;
        if (mrb_symbol_p(v)) {
            const char* const p = mrb_sym_name_len(mrb, mrb_symbol(v), &n);
            s = {p, static_cast<std::size_t>(n)};
        } else if (mrb_string_p(v)) {
            s = string_view_of(v).all();
        } else {
            mrb_raisef(mrb, E_TYPE_ERROR, "a name is a String or a Symbol, not %C", mrb_obj_class(mrb, v));
        }
        size = s.size() < sizeof text ? s.size() : 0;
        std::memcpy(text, s.data(), size);
    }
    std::string_view view() const noexcept { return {text, size}; }
};

// "unknown format \"x\"", what there is behind it.
[[noreturn, gnu::cold]] void refuse_name(mrb_state* mrb, mrb_value message, mrb_value names) {
    for (mrb_int i = 0; i < RARRAY_LEN(names); ++i) {
        if (i != 0) mrb_str_cat_lit(mrb, message, ", ");
        mrb_str_cat_str(mrb, message, RARRAY_PTR(names)[i]);
    }
    mrb_exc_raise(mrb, mrb_exc_new_str(mrb, mrb_exc_get(mrb, "ArgumentError"), message));
    __builtin_unreachable();
}

template <class Names>
mrb_value list_of(mrb_state* mrb, const Names& names) {
    const mrb_value list = mrb_ary_new(mrb);
    for (const auto& n : names) {
        if constexpr (requires { n.name; })
            mrb_ary_push(mrb, list, static_text(mrb, n.name));
        else
            mrb_ary_push(mrb, list, static_text(mrb, n));
    }
    return list;
}
mrb_value format_names(mrb_state* mrb) {
    const mrb_value list = mrb_ary_new(mrb);
    each_format([&](auto row) { mrb_ary_push(mrb, list, static_text(mrb, decltype(row)::name)); });
    return list;
}

// formats: an Array of Hashes.
mrb_value formats(mrb_state* mrb, mrb_value) {
    const mrb_value all = mrb_ary_new(mrb);
    each_format([&](auto row) {
        using rows = decltype(row);
        const int arena = mrb_gc_arena_save(mrb);
        const mrb_value one = mrb_hash_new(mrb);
        const auto set = [&](const char* name, mrb_value v) {
            mrb_hash_set(mrb, one, mrb_symbol_value(mrb_intern_cstr(mrb, name)), v);
        };
        set("name", static_text(mrb, rows::name));
        set("text", mrb_bool_value(rows::is_text));
        set("media_types", list_of(mrb, rows::media_types));
        set("endings", list_of(mrb, rows::endings));
        set("read_dialects", list_of(mrb, rows::read_dialects));
        set("write_dialects", list_of(mrb, rows::write_dialects));
        mrb_ary_push(mrb, all, one);
        mrb_gc_arena_restore(mrb, arena);
    });
    return all;
}

mrb_value invalid_object(mrb_state* mrb, mrb_value self) {
    return mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "@invalid_object"));
}

}  // namespace

std::string_view format_named(mrb_state* mrb, mrb_value name) {
    const name_text asked(mrb, name);
    std::string_view found;
    if (visit_format(asked.view(), [&](auto row) { found = decltype(row)::name; })) return found;
    refuse_name(mrb, mrb_format(mrb, "unknown format %v: there are ", mrb_inspect(mrb, name)), format_names(mrb));
}

std::string_view format_named_or_told(mrb_state* mrb, mrb_value name, bytes document) {
    if (!mrb_nil_p(name)) return format_named(mrb, name);
    const std::string_view told = format_of(document);
    if (told.empty()) mrb_raise(mrb, mrb_exc_get(mrb, "ArgumentError"), "the bytes do not tell their format: name it");
    return told;
}

std::string_view dialect_named(mrb_state* mrb, std::string_view format, direction way, mrb_value name) {
    if (mrb_nil_p(name)) return {};
    const name_text asked(mrb, name);
    std::string_view found;
    mrb_value names = mrb_nil_value();
    visit_format(format, [&](auto row) {
        const auto look = [&](const auto& all) {
            for (const auto& d : all) {
                if (d.name == asked.view()) found = d.name;
            }
            if (found.empty()) names = list_of(mrb, all);
        };
        way == direction::read ? look(decltype(row)::read_dialects) : look(decltype(row)::write_dialects);
    });
    if (!found.empty()) return found;
    refuse_name(mrb,
                mrb_format(mrb, "unknown dialect %v: to %s %v there are ", mrb_inspect(mrb, name),
                           way == direction::read ? "read" : "write", static_text(mrb, format)),
                names);
}

mrb_value any_source(mrb_state* mrb, mrb_value source) {
    if (mrb_string_p(source)) return source;
    mrb_value s = mrb_nil_value();
    if (mrb_respond_to(mrb, source, mrb_intern_lit(mrb, "read")))
        s = mrb_funcall_id(mrb, source, mrb_intern_lit(mrb, "read"), 0);
    else
        s = mrb_check_string_type(mrb, source);
    if (!mrb_string_p(s)) mrb_raisef(mrb, E_TYPE_ERROR, "no implicit conversion of %C into String", mrb_obj_class(mrb, source));
    mrb_gc_protect(mrb, s);
    return s;
}

std::size_t most_bytes(mrb_state* mrb) noexcept {
    const vm* const in = vm::of(mrb);
    return in == nullptr ? kumihimo::limits().size : in->limits().memory;
}

mrb_value value_of(mrb_state* mrb, const any_outcome& out) {
    if (!mrb_undef_p(out.made)) [[likely]] {
        mrb_gc_protect(mrb, out.made);
        return out.made;
    }
    if (!mrb_nil_p(out.error)) mrb_exc_raise(mrb, out.error);
    raise_read(mrb, "Kumihimo", out.why);
}

void define_any_format(mrb_state* mrb) {
    check_layout(mrb);
    define_blocks(mrb);
    find_time_methods(mrb);
    RClass* const module = mrb_define_module(mrb, "Kumihimo");
    RClass* const parser = mrb_define_class_under(mrb, module, "ParserError", mrb->eStandardError_class);
    mrb_define_class_under(mrb, module, "NestingError", parser);
    define_failure(mrb, parser);
    RClass* const generator = mrb_define_class_under(mrb, module, "GeneratorError", mrb->eStandardError_class);
    mrb_define_method(mrb, generator, "invalid_object", invalid_object, MRB_ARGS_NONE());
    mrb_define_module_function(mrb, module, "formats", formats, MRB_ARGS_NONE());
    define_any_dump(mrb, module);
    define_any_load(mrb, module);
    define_any_convert(mrb, module);
    define_any_partial(mrb, module);
    define_any_lazy(mrb, module);
    define_frames(mrb, module);
}

}  // namespace kumihimo::inline v0::mruby
