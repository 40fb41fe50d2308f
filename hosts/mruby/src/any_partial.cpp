// A few values out of a document of any format, by path: what finds them is the format's (engine/tape/partial.hpp).
#include <memory>
#include <new>
#include <string>

#include "engine/formats.hpp"
#include "engine/tape/partial.hpp"

#include "../vm/shelter.hpp"
#include "../vm/stack.hpp"
#include "any_build.hpp"
#include "any_format.hpp"
#include "any_tape.hpp"
#include "frames.hpp"
#include "partial.hpp"
#include "path_cache.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

struct partial_outcome : any_outcome {
    bool bad_path = false;  // `why` has the sentence
};

struct sheltered_call {
    mrb_state* mrb;
    mrb_value& error;
    template <class F>
    bool operator()(F&& f) {
        return sheltered(mrb, f, error);
    }
};
using search = tape::any_partial<any_builder, sheltered_call>;

// Null: ctx says why.
path_cache<search>::compiled* compile(const partial_request& r, const load_options& o, context& ctx) {
    const auto make = [&](const json::projection& wanted) {
        std::unique_ptr<search> made;
        visit_format(o.format, [&](auto row) {
            using F = decltype(row);
            made = std::make_unique<tape::partial_of<F, any_builder, sheltered_call>>(
                wanted, r.options.level, *dialect_of(F::read_dialects, o.dialect), r.options.raw);
        });
        return made;
    };
    return path_cache<search>::here().find(std::string(o.format) + '/' + std::string(o.dialect), r, ctx, make);
}

// No document is kept with the paths.
struct let_go {
    search& of;
    ~let_go() { of.forget(); }
};

errc look(mrb_state* mrb, search& by, bytes document, bool raw, context& ctx) {
    by.limit_memory(most_bytes(mrb));
    if (!by.projects()) KUMIHIMO_TRY(may_have_tape(mrb, document, ctx, raw));
    return by.run(document, ctx);
}

// False: `out` or ctx says why.
bool results(mrb_state* mrb, const partial_request& r, const path_cache<search>::compiled& c, any_builder& to, context& ctx,
             errc& e, partial_outcome& out) {
    sheltered_call here{mrb, out.error};
    return partial_results(
        mrb, r, c.wanted, to, e, out, [&](std::size_t i) { return c.search->count(i); },
        [&](std::size_t i, std::size_t k, auto&& absent) {
            if (c.search->absent(i, k)) return here(absent);
            if (r.options.raw) return here([&] { e = to.bin(c.search->raw(i, k)); });
            e = c.search->give(i, k, to, ctx, here);
            return mrb_nil_p(out.error);
        });
}

// Its objects with destructors are gone when it returns.
[[gnu::noinline]] void pick(mrb_state* mrb, bytes document, const partial_request& r, const load_options& o,
                            partial_outcome& out) {
    const host_section at_work;
    context ctx;
    ctx.limits.depth = depth_of(o.max_nesting);
    errc e = errc::memory;
    try {
        key_cache* const keys = key_cache::here();
        auto* const c = keys == nullptr ? nullptr : compile(r, o, ctx);
        const paths_in_use<search> until_the_end{c};
        if (c == nullptr) {
            out.bad_path = ctx.failure.code != errc::ok;
        } else {
            const let_go at_the_end{*c->search};
            e = look(mrb, *c->search, document, r.options.raw, ctx);
            if (e == errc::ok) {
                const collector_off no_collection(mrb);
                any_builder to(mrb, ctx, o, *keys);
                results(mrb, r, *c, to, ctx, e, out);
                to.release();
                if (!mrb_nil_p(out.error) || e == errc::ok) return;
            }
        }
    } catch (const std::bad_alloc&) {
        e = errc::memory;
    }
    out.why.take(ctx, out.bad_path ? ctx.failure.code : e, out.bad_path ? bytes() : document, ctx.limits.depth);
}

// partial(source, *paths, format: nil, dialect: nil, level: :strict, missing: nil, raw: false, symbolize_names: false,
// freeze: false, timestamp: false, max_nesting: 1024)
mrb_value partial(mrb_state* mrb, mrb_value) {
    const mrb_value* rest;
    mrb_int n;
    mrb_value source;
    mrb_get_args(mrb, "o*", &source, &rest, &n);
    const partial_request r = read_partial_request(mrb, rest, n, true);
    source = unframed(mrb, any_source(mrb, source));
    load_options o;
    o.build = {r.options.parse.symbolize_names, r.options.parse.freeze, false};
    o.max_nesting = r.options.parse.max_nesting;
    o.format = format_named_or_told(mrb, r.options.format, bytes_in(source));
    o.dialect = dialect_named(mrb, o.format, direction::read, r.options.dialect);
    o.find_classes(mrb, r.options.timestamps);
    machine_stack::check(mrb);
    partial_outcome out;
    pick(mrb, bytes_in(source), r, o, out);
    // Of a path, what failure::path holds is the path itself.
    if (out.bad_path) mrb_raisef(mrb, E_ARGUMENT_ERROR, "the path is not valid: %s", out.why.message);
    return value_of(mrb, out);
}

}  // namespace

void define_any_partial(mrb_state* mrb, RClass* module) {
    mrb_define_module_function(mrb, module, "partial", partial, MRB_ARGS_ANY());
}

}  // namespace kumihimo::inline v0::mruby
