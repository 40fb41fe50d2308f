// A few values out of a document of any format, by path: the document is read onto a tape, and what is asked for becomes
// values. JSON.partial looks for them in the text instead, and is as quick as that.
#include <algorithm>
#include <new>
#include <vector>

#include "engine/formats.hpp"
#include "engine/json/path.hpp"
#include "engine/tape/pick.hpp"

#include "../vm/shelter.hpp"
#include "../vm/stack.hpp"
#include "any_build.hpp"
#include "any_format.hpp"
#include "any_tape.hpp"
#include "frames.hpp"
#include "partial.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

struct partial_outcome : any_outcome {
    bool bad_path = false;  // `why` has the sentence
};

bool walks_arrays(const json::path& p) noexcept {
    return std::ranges::any_of(p, [](const json::step& s) { return s.type == json::step::kind::each; });
}

// The places of each path.
using places = std::vector<stack<tape::cursor>>;

// The values of what was found, as one Array or Hash. Inside sheltered(): what has destructors is the caller's.
errc results(const partial_request& r, const std::vector<json::path>& paths, const places& found, any_builder& to) {
    const bool named = !mrb_nil_p(r.names);
    KUMIHIMO_TRY(named ? to.map(count{}) : to.array(count{}));
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (named) KUMIHIMO_TRY(to.object(RARRAY_PTR(r.names)[i]));
        const bool list = walks_arrays(paths[i]);
        if (list) KUMIHIMO_TRY(to.array(count{}));
        for (std::size_t k = 0; k != found[i].size(); ++k) {
            const tape::cursor& c = found[i][k];
            if (!c) {
                KUMIHIMO_TRY(to.object(r.options.missing));
                continue;
            }
            tape::player from = c.play();
            KUMIHIMO_TRY(from.feed(to));
        }
        if (list) KUMIHIMO_TRY(to.end());
    }
    return to.end();
}

// Its objects with destructors are gone when it returns.
template <format F>
[[gnu::noinline]] void pick_from(mrb_state* mrb, bytes document, const partial_request& r, const load_options& o,
                                 partial_outcome& out) {
    const host_section at_work;
    context ctx;
    ctx.limits.depth = depth_of(o.max_nesting);
    errc e = errc::memory;
    try {
        key_cache* const keys = key_cache::here();
        std::vector<json::path> paths(static_cast<std::size_t>(RARRAY_LEN(r.paths)));
        for (std::size_t i = 0; i < paths.size() && !out.bad_path; ++i)
            out.bad_path = json::parse(string_view_of(RARRAY_PTR(r.paths)[i]).all(), paths[i], ctx) != errc::ok;
        const errc fits = may_have_tape(mrb, document, ctx);
        if (fits != errc::ok && !out.bad_path) {
            e = fits;
        } else if (keys != nullptr && !out.bad_path) {
            tape::recorder record(ctx, document);
            typename F::reader from(document, ctx, *dialect_of(F::read_dialects, o.dialect));
            tape::view tape;
            e = from.feed(record);
            if (e == errc::ok) e = record.finish(tape);
            places found(paths.size());
            tape::picker by_paths;
            for (std::size_t i = 0; i != paths.size() && e == errc::ok; ++i)
                e = by_paths.run(tape::cursor(tape), paths[i], found[i], ctx);
            if (e == errc::ok) {
                const collector_off no_collection(mrb);
                any_builder to(mrb, ctx, o, *keys);
                auto all = [&] {
                    e = results(r, paths, found, to);
                    if (e == errc::ok) out.made = to.take();
                };
                const bool through = sheltered(mrb, all, out.error);
                to.release();
                if (!through || e == errc::ok) return;
            }
        }
    } catch (const std::bad_alloc&) {
        e = errc::memory;
    }
    out.why.take(ctx, out.bad_path ? ctx.failure.code : e, out.bad_path ? bytes() : document, ctx.limits.depth);
}

// partial(source, *paths, format: nil, dialect: nil, missing: nil, symbolize_names: false, freeze: false, timestamp: false,
// max_nesting: 1024)
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
    visit_format(o.format, [&](auto row) { pick_from<decltype(row)>(mrb, bytes_in(source), r, o, out); });
    // Of a path, what failure::path holds is the path itself.
    if (out.bad_path) mrb_raisef(mrb, E_ARGUMENT_ERROR, "the path is not valid: %s", out.why.message);
    return value_of(mrb, out);
}

}  // namespace

void define_any_partial(mrb_state* mrb, RClass* module) {
    mrb_define_module_function(mrb, module, "partial", partial, MRB_ARGS_ANY());
}

}  // namespace kumihimo::inline v0::mruby
