// A few values out of a document of any format, by path: the document is read onto a tape, and what is asked for becomes
// values. JSON.partial looks for them in the text instead, and is as quick as that.
#include <new>
#include <vector>

#include "engine/formats.hpp"
#include "engine/json/path.hpp"
#include "engine/tape/cursor.hpp"

#include "../vm/shelter.hpp"
#include "../vm/stack.hpp"
#include "any_build.hpp"
#include "any_format.hpp"
#include "frames.hpp"
#include "partial.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// What a byte of a document can become on the tape: memory that no script's limit counts.
constexpr std::size_t tape_per_byte = sizeof(tape::node);

struct partial_outcome : any_outcome {
    bool bad_path = false;  // `why` has the sentence
};

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
// Where a path's last [*] is, or nowhere.
std::size_t last_each(const json::path& p) noexcept {
    for (std::size_t i = p.size(); i-- > 0;)
        if (p[i].as == json::step::kind::each) return i;
    return nowhere;
}

// The values that a path leads to, in the document's order. As json::projector gives them: one for each element of the arrays
// that its last [*] walks, empty where that one lacks the rest.
std::vector<tape::cursor> found_by(const json::path& p, tape::cursor root) {
    std::vector<tape::cursor> now{root};
    const std::size_t last = last_each(p);
    for (std::size_t i = 0; i < p.size(); ++i) {
        const json::step& s = p[i];
        std::vector<tape::cursor> next;
        for (const tape::cursor c : now) {
            if (s.as == json::step::kind::each) {
                if (c.is(tape::kind::array))
                    for (tape::cursor v = c.first(); v; v = v.next()) next.push_back(v);
                continue;
            }
            const bool by_key = s.as == json::step::kind::key || (s.as == json::step::kind::either && c.is(tape::kind::map));
            const tape::cursor v = by_key ? c[std::string_view(s.key)] : c[s.index];
            if (v || (last != nowhere && i > last)) next.push_back(v);
        }
        now = std::move(next);
    }
    return now;
}

// The values of what was found, as one Array or Hash. Inside sheltered(): what has destructors is the caller's.
errc results(const partial_request& r, const std::vector<std::vector<tape::cursor>>& found, const std::vector<bool>& wild,
             any_builder& to) {
    const bool named = !mrb_nil_p(r.names);
    KUMIHIMO_TRY(named ? to.map(count{}) : to.array(count{}));
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (named) KUMIHIMO_TRY(to.object(RARRAY_PTR(r.names)[i]));
        if (wild[i]) KUMIHIMO_TRY(to.array(count{}));
        if (!wild[i] && found[i].empty()) KUMIHIMO_TRY(to.object(r.options.missing));
        for (const tape::cursor& c : found[i]) {
            if (!c) {
                KUMIHIMO_TRY(to.object(r.options.missing));
                continue;
            }
            tape::player from = c.play();
            KUMIHIMO_TRY(from.feed(to));
        }
        if (wild[i]) KUMIHIMO_TRY(to.end());
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
        if (document.size() > most_bytes(mrb) / tape_per_byte && !out.bad_path) {
            e = ctx.fail(errc::size, failure::nowhere, "the document is larger than a tape may be");
        } else if (keys != nullptr && !out.bad_path) {
            tape::recorder record(ctx, document);
            typename F::reader from(document, ctx, *dialect_of(F::read_dialects, o.dialect));
            tape::view tape;
            e = from.feed(record);
            if (e == errc::ok) e = record.finish(tape);
            if (e == errc::ok) {
                std::vector<std::vector<tape::cursor>> found;
                std::vector<bool> wild;
                for (const json::path& p : paths) {
                    found.push_back(found_by(p, tape::cursor(tape)));
                    wild.push_back(last_each(p) != nowhere);
                }
                const collector_off no_collection(mrb);
                any_builder to(mrb, ctx, o, *keys);
                auto all = [&] {
                    e = results(r, found, wild, to);
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
