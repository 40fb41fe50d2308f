// JSON text -> mruby values.
#include "engine/json/reader.hpp"

#include "../vm/shelter.hpp"
#include "../vm/stack.hpp"
#include "build.hpp"
#include "dialect.hpp"
#include "json.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

struct outcome {
    mrb_value made = mrb_undef_value();
    mrb_value error = mrb_nil_value();  // an exception of mruby's
    read_failure why;
    bool out_of_memory(mrb_state* mrb) const noexcept {
        return !mrb_immediate_p(error) && mrb_basic_ptr(error) == reinterpret_cast<RBasic*>(mrb->nomem_err);
    }
};

// Its objects with destructors are gone when it returns.
[[gnu::noinline]] void read(mrb_state* mrb, bytes document, const parse_options& o, outcome& out) {
    const host_section at_work;
    key_cache* const keys = key_cache::here();
    context ctx;
    ctx.limits.depth = depth_of(o.max_nesting);
    if (keys == nullptr) {
        out.why.take(ctx, errc::memory, document, 0);
        return;
    }
    const collector_off no_collection(mrb);
    const build_options build{o.symbolize_names, o.freeze, o.unique_keys};
    builder to(mrb, ctx, build, *keys);
    json::reader from(document, ctx, granted_by(o));
    errc e = errc::ok;
    auto whole = [&] {
        e = from.attempt(to);
        if (e == errc::ok) out.made = to.take();
    };
    const bool through = sheltered(mrb, whole, out.error);
    to.release();
    if (!through || e == errc::ok) return;
    e = from.explain(e);
    out.why.take(ctx, e, document, ctx.limits.depth);
}

}  // namespace

json::read_dialect granted_by(const parse_options& o) noexcept {
    json::read_dialect granted = parse_dialect;
    granted.non_finite = o.allow_nan;
    granted.comments = o.comments;
    granted.trailing_commas = o.trailing_commas;
    return granted;
}

mrb_value parse(mrb_state* mrb, mrb_value text, const parse_options& o) {
    machine_stack::check(mrb);
    const string_view_of s(text);
    outcome out;
    const bytes document(reinterpret_cast<const unsigned char*>(s.data), s.size);
    read(mrb, document, o, out);
    if (out.out_of_memory(mrb)) [[unlikely]] {
        // The collector was off; it may have something to give back.
        mrb_full_gc(mrb);
        out = outcome();
        read(mrb, document, o, out);
    }
    if (!mrb_undef_p(out.made)) [[likely]] {
        mrb_gc_protect(mrb, out.made);
        return out.made;
    }
    if (!mrb_nil_p(out.error)) mrb_exc_raise(mrb, out.error);
    raise_read(mrb, "JSON", out.why);
}

}  // namespace kumihimo::inline v0::mruby
