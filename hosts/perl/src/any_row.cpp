#include "any_row.hpp"

#include "engine/json/format.hpp"

namespace kumihimo::inline v0::perl {
namespace {

template <class Boundary>
constexpr boundary_verbs verbs_of() {
    static_assert(sizeof(Boundary) <= sizeof(boundary_state));
    return {[](boundary_state& s) noexcept { new (s.of) Boundary; },
            [](boundary_state& s) noexcept { std::launder(reinterpret_cast<Boundary*>(s.of))->~Boundary(); },
            [](boundary_state& s, const char* p, std::size_t n) {
                return std::launder(reinterpret_cast<Boundary*>(s.of))->next(p, n);
            },
            [](const boundary_state& s) noexcept -> bool {
                return std::launder(reinterpret_cast<const Boundary*>(s.of))->complete;
            },
            [](const boundary_state& s) noexcept -> bool {
                return std::launder(reinterpret_cast<const Boundary*>(s.of))->started();
            }};
}

template <class F>
struct here;

// A frame of its own: what has a destructor is gone when it returns, and the caller may croak.
template <format F>
[[gnu::noinline]] outcome read_any(pTHX_ const char* p, std::size_t n, const typename F::reader::dialect& as,
                                   const value_options& o, const stream_place& at) {
    prepare_values(aTHX);
    context ctx;
    ctx.limits.depth = o.build.max_depth;
    any_builder_of<here<F>> to(aTHX_ ctx, o);
    if (lets_any_text(as)) to.doubt();
    typename F::reader from(bytes(reinterpret_cast<const unsigned char*>(p), n), ctx, as);
    return to.result(from.feed(to), at);
}

template <format F>
constexpr format_row made_row() {
    using dialect = typename F::reader::dialect;
    return {F::name,
            F::is_text,
            verbs_of<typename F::boundary>(),
            [](pTHX_ std::string_view name) -> const void* { return &read_dialect_of<F>(aTHX_ name); },
            [](const void* as) noexcept { return lets_any_text(*static_cast<const dialect*>(as)); },
            [](pTHX_ const char* p, std::size_t n, const void* as, const value_options& o, const stream_place& at) {
                return read_any<F>(aTHX_ p, n, *static_cast<const dialect*>(as), o, at);
            },
            [](bytes document, context& ctx, const void* as, tape::recorder& to) {
                typename F::reader from(document, ctx, *static_cast<const dialect*>(as));
                return from.feed(to);
            }};
}
template <format F>
constexpr format_row row = made_row<F>();

std::string_view named_option(pTHX_ HV* options, const char* name) {
    SV** const at = hv_fetch(options, name, static_cast<I32>(std::strlen(name)), 0);
    if (at == nullptr || !SvOK(*at)) return {};
    STRLEN n;
    const char* const p = SvPVutf8(sv_2mortal(newSVsv(*at)), n);
    return {p, n};
}

}  // namespace

const format_row& row_of(pTHX_ std::string_view name) {
    const format_row* found = nullptr;
    for_format(aTHX_ name, [&](auto f) { found = &row<decltype(f)>; });
    return *found;
}

const void* dialect_option(pTHX_ HV* options, const format_row& as) {
    const std::string_view name = named_option(aTHX_ options, "dialect");
    // What Perl's JSON modules make of -0.
    if (name.empty() && as.name == json::format::name) return &strict_read;
    return as.dialect(aTHX_ name);
}

const format_row& format_option(pTHX_ HV* options) {
    const std::string_view name = named_option(aTHX_ options, "format");
    return row_of(aTHX_ name.empty() ? json::format::name : name);
}

void read_value_options(pTHX_ HV* options, value_options& o) {
    read_value_options(aTHX_ options, o.build);
    if (SV** const keep = hv_fetchs(options, "keep_binary", 0); keep != nullptr) o.keep_binary = SvTRUE(*keep);
}

}  // namespace kumihimo::inline v0::perl
