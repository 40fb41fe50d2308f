// Partial: a few values of a document, without making the rest (engine/json/project.hpp).
//
//      price, at = JSON.partial(text, "last_price.price", "timestamp")
//      JSON.partial(text, price: "last_price.price")                        # => {price: 1.5}
//      ticker = JSON::Partial.new(price: "last_price.price");  ticker.call(text);  ticker.many(texts)
//
// What a document makes of compiled paths (path_cache.hpp) is bounded by the run's limit of memory.
#include <memory>
#include <new>

#include "engine/json/diagnose.hpp"
#include "engine/json/project.hpp"
#include "engine/json/reader.hpp"

#include "../vm/shelter.hpp"
#include "../vm/stack.hpp"
#include "../vm/vm.hpp"
#include "any_format.hpp"
#include "blocks.hpp"
#include "build.hpp"
#include "dialect.hpp"
#include "json.hpp"
#include "partial.hpp"
#include "path_cache.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// ---- one document

struct outcome {
    mrb_value made = mrb_undef_value();
    mrb_value error = mrb_nil_value();
    bool bad_path = false;  // `why` has the sentence
    read_failure why;
};

using search = json::projector;

// Null: ctx says why.
path_cache<search>::compiled* compile(const partial_request& r, context& ctx) {
    return path_cache<search>::here().find(
        {}, r, ctx, [&](const json::projection& wanted) { return std::make_unique<search>(wanted, r.options.level); });
}

// False: `out` or ctx says why.
bool results(mrb_state* mrb, const partial_request& r, const path_cache<search>::compiled& c, bytes document, builder& to,
             context& ctx, errc& e, outcome& out) {
    const json::read_dialect granted = granted_by(r.options.parse);
    const auto here = [&](auto&& f) { return sheltered(mrb, f, out.error); };
    return partial_results(
        mrb, r, c.wanted, to, e, out, [&](std::size_t i) { return c.search->values(i).size(); },
        [&](std::size_t i, std::size_t k, auto&& absent) {
            const json::slice s = c.search->values(i)[k];
            if (s.length == 0) return here(absent);
            const bytes value = document.subspan(s.offset, s.length);
            if (r.options.raw) return here([&] { e = to.bin(value); });
            json::reader from(value, ctx, granted);
            const bool through = here([&] { e = from.attempt(to); });
            if (!through || e == errc::ok) return through;
            from.explain(e);
            e = json::relocate(document, ctx, granted, s.offset);
            return true;
        });
}

// Its objects with destructors are gone when it returns.
[[gnu::noinline]] void read(mrb_state* mrb, bytes document, const partial_request& r, outcome& out) {
    const host_section at_work;
    const vm* const in = vm::of(mrb);
    const std::size_t most = in == nullptr ? static_cast<std::size_t>(-1) : in->limits().memory;
    context ctx;
    ctx.limits.depth = depth_of(r.options.parse.max_nesting);
    errc e = errc::memory;
    try {
        key_cache* const keys = key_cache::here();
        auto* const c = keys == nullptr ? nullptr : compile(r, ctx);
        const paths_in_use<search> until_the_end{c};
        if (c != nullptr) c->search->limit_memory(most);
        if (c == nullptr) {
            out.bad_path = ctx.failure.code != errc::ok;
        } else if (e = c->search->run(document, ctx); e == errc::ok) {
            const collector_off no_collection(mrb);
            const build_options build{r.options.parse.symbolize_names, r.options.parse.freeze, false};
            builder to(mrb, ctx, build, *keys);
            results(mrb, r, *c, document, to, ctx, e, out);
            to.release();
            if (!mrb_nil_p(out.error) || e == errc::ok) return;
        }
    } catch (const std::bad_alloc&) {
        e = errc::memory;
    }
    out.why.take(ctx, out.bad_path ? ctx.failure.code : e, out.bad_path ? bytes() : document, ctx.limits.depth);
}

mrb_value read_partial(mrb_state* mrb, mrb_value source, const partial_request& r) {
    machine_stack::check(mrb);
    const mrb_value text = document_of(mrb, source);
    const string_view_of s(text);
    outcome out;
    read(mrb, {reinterpret_cast<const unsigned char*>(s.data), s.size}, r, out);
    if (!mrb_undef_p(out.made)) [[likely]] {
        mrb_gc_protect(mrb, out.made);
        return out.made;
    }
    if (!mrb_nil_p(out.error)) mrb_exc_raise(mrb, out.error);
    if (out.bad_path) {
        // For a path, what failure::path holds is the path itself.
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "the path is not valid: %s", out.why.message);
    }
    raise_read(mrb, "JSON", out.why);
}

// ---- arguments

[[noreturn]] void refuse_path(mrb_state* mrb, mrb_value v) {
    mrb_raisef(mrb, E_TYPE_ERROR, "a path is a String such as \"last_price.price\" or \"/last_price/price\", not %v", v);
    __builtin_unreachable();
}
void add_path(mrb_state* mrb, partial_request& r, mrb_value path) {
    if (!mrb_string_p(path)) refuse_path(mrb, path);
    mrb_ary_push(mrb, r.paths, path);
}
mrb_value hidden(mrb_value array) {
    mrb_basic_ptr(array)->c = nullptr;
    return array;
}

bool take_option(mrb_state* mrb, partial_request& r, mrb_value key, mrb_value v, bool any) {
    if (!mrb_symbol_p(key)) return false;
    const mrb_sym name = mrb_symbol(key);
    if (name == mrb_intern_lit(mrb, "missing")) {
        r.options.missing = v;
    } else if (any && name == mrb_intern_lit(mrb, "format")) {
        r.options.format = v;
    } else if (any && name == mrb_intern_lit(mrb, "dialect")) {
        r.options.dialect = v;
    } else if (any && name == mrb_intern_lit(mrb, "timestamp")) {
        r.options.timestamps = mrb_test(v);
    } else if (name == mrb_intern_lit(mrb, "raw")) {
        r.options.raw = mrb_test(v);
    } else if (name == mrb_intern_lit(mrb, "symbolize_names")) {
        r.options.parse.symbolize_names = mrb_test(v);
    } else if (name == mrb_intern_lit(mrb, "freeze")) {
        r.options.parse.freeze = mrb_test(v);
    } else if (name == mrb_intern_lit(mrb, "max_nesting")) {
        r.options.parse.max_nesting = mrb_test(v) ? mrb_as_int(mrb, v) : 0;
        if (r.options.parse.max_nesting < 0) mrb_raise(mrb, E_ARGUMENT_ERROR, "max_nesting must be >= 0");
    } else if (name == mrb_intern_lit(mrb, "level")) {
        const mrb_sym level = mrb_symbol_p(v) ? mrb_symbol(v) : 0;
        if (level == mrb_intern_lit(mrb, "strict"))
            r.options.level = json::level::strict;
        else if (level == mrb_intern_lit(mrb, "structural"))
            r.options.level = json::level::structural;
        else if (level == mrb_intern_lit(mrb, "trusted"))
            r.options.level = json::level::trusted;
        else
            mrb_raisef(mrb, E_ARGUMENT_ERROR, "level is one of :strict, :structural, :trusted, not %v", v);
    } else {
        return false;
    }
    return true;
}

// A result's key: of those that mruby compares by itself, since nothing could interrupt a script's eql? where results
// are made.
void check_name(mrb_state* mrb, mrb_value v) {
    if (mrb_immediate_p(v) || mrb_string_p(v) || mrb_integer_p(v)) return;
    mrb_raisef(mrb, E_TYPE_ERROR, "a name is a String, a Symbol or a number, not %C", mrb_obj_class(mrb, v));
}

// Paths one by one, an Array of them, or a Hash of names and paths; options among the last Hash's keys. An option may
// be asked for its number, and so run anything: what is held meanwhile is a copy of the arguments.
}  // namespace

partial_request read_partial_request(mrb_state* mrb, const mrb_value* given, mrb_int n, bool any) {
    partial_request r;
    if (any) r.options.parse.max_nesting = any_nesting;
    r.paths = hidden(mrb_ary_new(mrb));
    r.names = mrb_nil_value();
    const mrb_value all = hidden(mrb_ary_new_from_values(mrb, n, given));
    for (mrb_int i = 0; i < n; ++i) {
        const mrb_value v = RARRAY_PTR(all)[i];
        if (mrb_array_p(v)) {
            for (mrb_int k = 0; k < RARRAY_LEN(v); ++k) add_path(mrb, r, RARRAY_PTR(v)[k]);
            continue;
        }
        if (!mrb_hash_p(v)) {
            add_path(mrb, r, v);
            continue;
        }
        const mrb_value keys = hidden(mrb_hash_keys(mrb, v));
        for (mrb_int k = 0; k < RARRAY_LEN(keys); ++k) {
            const mrb_value key = RARRAY_PTR(keys)[k];
            check_name(mrb, key);
            const mrb_value value = mrb_hash_get(mrb, v, key);
            if (take_option(mrb, r, key, value, any)) continue;
            if (mrb_nil_p(r.names)) {
                if (RARRAY_LEN(r.paths) != 0) mrb_raise(mrb, E_ARGUMENT_ERROR, "paths are given twice: in order and by name");
                r.names = hidden(mrb_ary_new(mrb));
            }
            add_path(mrb, r, value);
            mrb_ary_push(mrb, r.names, key);
        }
    }
    if (RARRAY_LEN(r.paths) == 0) mrb_raise(mrb, E_ARGUMENT_ERROR, "at least one path is needed");
    return r;
}

namespace {

// JSON.partial(text, *paths, **options)
mrb_value json_partial(mrb_state* mrb, mrb_value) {
    const mrb_value* rest;
    mrb_int n;
    mrb_value text;
    mrb_get_args(mrb, "o*", &text, &rest, &n);
    const partial_request r = read_partial_request(mrb, rest, n, false);
    return read_partial(mrb, text, r);
}

// ---- JSON::Partial: the arguments, kept

mrb_value initialize(mrb_state* mrb, mrb_value self) {
    const mrb_value* rest;
    mrb_int n;
    mrb_get_args(mrb, "*", &rest, &n);
    const mrb_value kept = mrb_ary_new_from_values(mrb, n, rest);
    mrb_iv_set(mrb, self, mrb_intern_lit(mrb, "@arguments"), kept);
    const partial_request r = read_partial_request(mrb, rest, n, false);
    const auto seen = [&](mrb_value array) {
        return mrb_nil_p(array) ? array : mrb_ary_new_from_values(mrb, RARRAY_LEN(array), RARRAY_PTR(array));
    };
    mrb_iv_set(mrb, self, mrb_intern_lit(mrb, "@paths"), seen(r.paths));
    mrb_iv_set(mrb, self, mrb_intern_lit(mrb, "@names"), seen(r.names));
    return self;
}
partial_request kept_request(mrb_state* mrb, mrb_value self) {
    const mrb_value kept = mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "@arguments"));
    if (!mrb_array_p(kept)) mrb_raise(mrb, E_ARGUMENT_ERROR, "this JSON::Partial was never initialized");
    return read_partial_request(mrb, RARRAY_PTR(kept), RARRAY_LEN(kept), false);
}
mrb_value call(mrb_state* mrb, mrb_value self) {
    mrb_value text;
    mrb_get_args(mrb, "o", &text);
    return read_partial(mrb, text, kept_request(mrb, self));
}
struct many_steps : steps {
    partial_request wanted;
    mrb_value texts, self;
    mrb_int at = 0;
};
bool many_next(mrb_state* mrb, steps& state, mrb_value& item) {
    auto& all = static_cast<many_steps&>(state);
    if (all.at >= RARRAY_LEN(all.texts)) return false;
    item = read_partial(mrb, RARRAY_PTR(all.texts)[all.at++], all.wanted);
    return true;
}
mrb_value many_end(mrb_state*, steps& state) { return static_cast<many_steps&>(state).self; }

// many(texts): an Array of results; with a block each is yielded.
mrb_value many(mrb_state* mrb, mrb_value self) {
    mrb_value texts, block = mrb_nil_value();
    mrb_get_args(mrb, "A&", &texts, &block);
    const partial_request r = kept_request(mrb, self);
    if (!mrb_nil_p(block)) {
        return go_through(mrb, loop::each, many_steps{{many_next, nullptr, many_end, {}}, r, texts, self},
                          {texts, self, r.paths, r.names, r.options.missing}, block);
    }
    const mrb_value results = mrb_ary_new(mrb);
    for (mrb_int i = 0; i < RARRAY_LEN(texts); ++i) {
        const int arena = mrb_gc_arena_save(mrb);
        mrb_ary_push(mrb, results, read_partial(mrb, RARRAY_PTR(texts)[i], r));
        mrb_gc_arena_restore(mrb, arena);
    }
    return results;
}
mrb_value paths(mrb_state* mrb, mrb_value self) { return mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "@paths")); }
mrb_value names(mrb_state* mrb, mrb_value self) { return mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "@names")); }

}  // namespace

void define_partial(mrb_state* mrb, RClass* json) {
    mrb_define_module_function(mrb, json, "partial", json_partial, MRB_ARGS_ANY());
    RClass* const partial = mrb_define_class_under(mrb, json, "Partial", mrb->object_class);
    mrb_define_method(mrb, partial, "initialize", initialize, MRB_ARGS_ANY());
    mrb_define_method(mrb, partial, "call", call, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, partial, "[]", call, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, partial, "many", many, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, partial, "paths", paths, MRB_ARGS_NONE());
    mrb_define_method(mrb, partial, "names", names, MRB_ARGS_NONE());
}

}  // namespace kumihimo::inline v0::mruby
