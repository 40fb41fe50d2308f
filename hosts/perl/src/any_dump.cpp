// A Perl value -> a document of any format.
#include "engine/core/trace.hpp"

#include "any_format.hpp"
#include "output.hpp"
#include "rules_any.hpp"

namespace kumihimo::inline v0::perl {
namespace {

[[noreturn]] void croak_dump(errc code, const char* what) {
    dTHX;
    Perl_croak(aTHX_ "%s", code == errc::memory ? "out of memory" : what);
    abort();
}

template <class To>
void walk(pTHX_ To& to, SV* value, const dump_options& o) {
    static_assert(emitting_walker<any_walk<To>, To, SV*>);
    any_walk<To>(aTHX_ to, o, interpreter::here(aTHX).order).value(value);
    to.finish();
}

template <format F>
SV* by_burst(pTHX_ SV* value, const dump_options& o, const auto& dialect) {
    using writer = typename F::template writer<scalar_output>;
    char here[4096];
    scalar_output out(aTHX_ here, sizeof here);
    emit_burst<typename F::template burst<scalar_output>, writer, scalar_output, croak_dump> to(out, dialect);
    walk(aTHX_ to, value, o);
    return out.take();
}

// A writer has memory of its own: Perl lets go of it however the frame is left.
template <class Writer>
struct written {
    written(pTHX_ const typename Writer::dialect& dialect) : out(aTHX_ here, sizeof here), writer(out, ctx, dialect) {
        ctx.limits.depth = static_cast<std::size_t>(-1);  // the walk counts
    }
    static void release(pTHX_ void* data) {
        PERL_UNUSED_CONTEXT;
        delete static_cast<written*>(data);
    }
    context ctx;
    char here[1024];
    scalar_output out;
    Writer writer;
};

template <class Writer>
SV* by_writer(pTHX_ SV* value, const dump_options& o, const typename Writer::dialect& dialect) {
    auto* const w = new (std::nothrow) written<Writer>(aTHX_ dialect);
    if (w == nullptr) scalar_output::out_of_memory();
    ENTER;
    SAVEDESTRUCTOR_X(written<Writer>::release, w);
    emit_sink<Writer, croak_dump> to(w->writer, w->ctx);
    walk(aTHX_ to, value, o);
    SV* const made = w->out.take();
    LEAVE;
    return made;
}

template <format F>
SV* dump_as(pTHX_ SV* value, const dump_options& o, const auto& dialect) {
    if constexpr (bursting_format<F, scalar_output>) {
        if (F::template burst<scalar_output>::suits(dialect)) return by_burst<F>(aTHX_ value, o, dialect);
    }
    return by_writer<typename F::template writer<scalar_output>>(aTHX_ value, o, dialect);
}

}  // namespace

SV* dump(pTHX_ SV* value, std::string_view name, std::string_view dialect, const dump_options& o) {
    SV* made = nullptr;
    for_format(aTHX_ name, [&](auto f) {
        using F = decltype(f);
        made = dump_as<F>(aTHX_ value, o, write_dialect_of<F>(aTHX_ dialect));
    });
    return made;
}

SV* trace(pTHX_ SV* value, const dump_options& o) {
    static constexpr trace_dialect bare{.counts = false};
    return by_writer<basic_trace_sink<scalar_output>>(aTHX_ value, o, bare);
}

}  // namespace kumihimo::inline v0::perl
