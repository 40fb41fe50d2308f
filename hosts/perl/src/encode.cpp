#include "engine/json/emit.hpp"

#include "dialect.hpp"
#include "encode.hpp"
#include "exact_hooks.hpp"
#include "finish.hpp"
#include "interpreter.hpp"
#include "rules_cpanel.hpp"
#include "rules_mojo.hpp"
#include "rules_pp.hpp"
#include "rules_typed.hpp"
#include "rules_xs.hpp"

namespace kumihimo::inline v0::perl {
namespace {

using scalar::float_layout;

constexpr json::dialect by_15 = perl_dialect(json::rfc8259_escapes, float_layout::perl15);
constexpr json::dialect by_15_with_point = perl_dialect(json::rfc8259_escapes, float_layout::cpanel15);
constexpr json::dialect by_shortest = perl_dialect(json::rfc8259_escapes, float_layout::perl_shortest);
constexpr json::dialect by_shortest_with_point = perl_dialect(json::rfc8259_escapes, float_layout::python);

const json::dialect& dialect_of(const json_options& o) {
    if (o.follows == rules::cpanel) return o.shortest_floats ? by_shortest_with_point : by_15_with_point;
    return o.shortest_floats ? by_shortest : by_15;
}

template <class Walk>
void feed(Walk& walk, SV* value, SV* type) {
    if constexpr (requires { walk.typed(value, type); })
        walk.typed(value, type);
    else
        walk.value(value);
}

[[noreturn]] void croak_write(errc code, const char* what) {
    dTHX;
    Perl_croak(aTHX_ "%s", code == errc::memory ? "out of memory" : what);
    abort();
}

template <template <class> class Walk, const json::escape_set& Escapes>
SV* compact(pTHX_ SV* value, const json_options& o, SV* type = nullptr) {
    using emit = json::emit_burst<scalar_output, Escapes, croak_write>;
    char here[4096];
    scalar_output out(aTHX_ here, sizeof here);
    emit to(out, dialect_of(o));
    static_assert(emitting_walker<Walk<emit>, emit, SV*>);
    Walk<emit> walk(aTHX_ to, o, interpreter::here(aTHX).order);
    feed(walk, value, type);
    to.finish();
    return finished(aTHX_ out, o, walk.wide());
}

using layout_writer = json::basic_writer<scalar_output>;
using layout_emit = json::emit_writer<scalar_output, croak_write>;

// The writer keeps its levels on the heap: Perl lets go of them however the frame is left.
struct laid_out {
    laid_out(pTHX_ const json::dialect& dialect) : out(aTHX_ here, sizeof here), writer(out, ctx, dialect) {
        ctx.limits.depth = static_cast<std::size_t>(-1);  // the walk counts
    }
    static void release(pTHX_ void* data) {
        PERL_UNUSED_CONTEXT;
        delete static_cast<laid_out*>(data);
    }
    context ctx;
    char here[1024];
    scalar_output out;
    layout_writer writer;
};

template <template <class> class Walk>
SV* with_layout(pTHX_ SV* value, const json_options& o, const json::escape_set& escapes, SV* type) {
    json::dialect dialect = dialect_of(o);
    dialect.escapes = &escapes;
    SV* const indent = o.indent ? sv_2mortal(newSV(o.indent_length + 1)) : nullptr;
    if (indent != nullptr) {
        std::memset(SvPVX(indent), ' ', o.indent_length);
        dialect.layout.newline = "\n";
        dialect.layout.indent = std::string_view(SvPVX(indent), o.indent_length);
    } else if (o.space_after && o.follows != rules::pp) {
        dialect.layout.item = ", ";
    }
    dialect.layout.key = o.space_before ? (o.space_after ? " : " : " :") : o.space_after ? ": " : ":";
    laid_out* const l = new (std::nothrow) laid_out(aTHX_ dialect);
    if (l == nullptr) scalar_output::out_of_memory();
    ENTER;
    SAVEDESTRUCTOR_X(laid_out::release, l);
    layout_emit to(l->writer, l->ctx);
    static_assert(emitting_walker<Walk<layout_emit>, layout_emit, SV*>);
    Walk<layout_emit> walk(aTHX_ to, o, interpreter::here(aTHX).order);
    feed(walk, value, type);
    to.finish();
    if (o.indent) {
        *l->out.reserve(1) = '\n';
        l->out.commit(const_cast<char*>(l->out.data()) + l->out.size() + 1);
    }
    SV* const sv = finished(aTHX_ l->out, o, walk.wide());
    LEAVE;
    return sv;
}

template <template <class> class Walk>
SV* by_rules(pTHX_ SV* value, const json_options& o, SV* type = nullptr) {
    if (o.pretty())
        return with_layout<Walk>(aTHX_ value, o, o.escape_slash ? json::slash_escapes : json::rfc8259_escapes, type);
    if (o.escape_slash) return compact<Walk, json::slash_escapes>(aTHX_ value, o, type);
    return compact<Walk, json::rfc8259_escapes>(aTHX_ value, o, type);
}

// Types are Cpanel::JSON::XS's, and so is what they are written as.
[[gnu::noinline]] SV* by_type(pTHX_ SV* value, const json_options& given, SV* type) {
    json_options o = given;
    o.follows = rules::cpanel;
    return by_rules<typed_walk>(aTHX_ value, o, type);
}

}  // namespace

SV* encode(pTHX_ SV* value, const json_options& o, SV* type) {
    if (!o.allow_nonref && is_no_container(aTHX_ value, o))
        Perl_croak(aTHX_ "hash- or arrayref expected (not a simple scalar, use allow_nonref to allow this)");
    if (type != nullptr || o.require_types || o.type_all_string) [[unlikely]]
        return by_type(aTHX_ value, o, type);
    switch (o.follows) {
        case rules::cpanel: return by_rules<cpanel_walk>(aTHX_ value, o);
        case rules::pp: return by_rules<pp_walk>(aTHX_ value, o);
        case rules::mojo: return compact<mojo_walk, mojo_escapes>(aTHX_ value, o);
        default: return by_rules<xs_walk>(aTHX_ value, o);
    }
}

}  // namespace kumihimo::inline v0::perl
