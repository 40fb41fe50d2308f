#include "any_row.hpp"

#include "format_options.hpp"

namespace kumihimo::inline v0::perl {
namespace {

template <class Boundary>
constexpr boundary_verbs verbs_of() {
    static_assert(sizeof(Boundary) <= sizeof(boundary_state));
    return {[](boundary_state& s) noexcept { new (s.memory) Boundary; },
            [](boundary_state& s) noexcept { std::launder(reinterpret_cast<Boundary*>(s.memory))->~Boundary(); },
            [](boundary_state& s, const char* p, std::size_t n) {
                return std::launder(reinterpret_cast<Boundary*>(s.memory))->next(p, n);
            },
            [](const boundary_state& s) noexcept -> bool {
                return std::launder(reinterpret_cast<const Boundary*>(s.memory))->complete;
            },
            [](const boundary_state& s) noexcept -> bool {
                return std::launder(reinterpret_cast<const Boundary*>(s.memory))->started();
            }};
}

template <class F>
struct here;

// A frame of its own: what has a destructor is gone when it returns, and the caller may croak.
template <format F>
[[gnu::noinline]] outcome read_any(pTHX_ const char* p, std::size_t n, const typename F::reader::dialect& granted,
                                   const value_options& o, const stream_place& place) {
    prepare_values(aTHX);
    context ctx;
    ctx.limits.depth = o.build.max_depth;
    any_builder_of<here<F>> to(aTHX_ ctx, o);
    if (lets_any_text(granted)) to.doubt();
    typename F::reader from(bytes(reinterpret_cast<const unsigned char*>(p), n), ctx, granted);
    return to.result(from.feed(to), place);
}

template <format F>
constexpr format_row made_row() {
    using dialect = typename F::reader::dialect;
    return {F::name,
            F::is_text,
            format_options<F>::bignums,
            format_options<F>::document,
            format_options<F>::own,
            []() noexcept -> const void* { return &format_options<F>::read(); },
            verbs_of<typename F::boundary>(),
            [](pTHX_ std::string_view name) -> const void* { return &read_dialect_of<F>(aTHX_ name); },
            [](const void* granted) noexcept { return lets_any_text(*static_cast<const dialect*>(granted)); },
            [](pTHX_ const char* p, std::size_t n, const void* granted, const value_options& o, const stream_place& place) {
                return read_any<F>(aTHX_ p, n, *static_cast<const dialect*>(granted), o, place);
            },
            [](bytes document, context& ctx, const void* granted, tape::recorder& to) {
                typename F::reader from(document, ctx, *static_cast<const dialect*>(granted));
                return from.feed(to);
            },
            [](const json::projection& wanted, json::level level, const void* granted,
               bool raw) -> std::unique_ptr<partial_search> {
                return std::make_unique<tape::partial_of<F, partial_builder>>(wanted, level,
                                                                              *static_cast<const dialect*>(granted), raw);
            }};
}
template <format F>
constexpr format_row row = made_row<F>();

std::string_view named_option(pTHX_ HV* options, const char* name) {
    SV** const found = hv_fetch(options, name, static_cast<I32>(std::strlen(name)), 0);
    if (found == nullptr || !SvOK(*found)) return {};
    STRLEN n;
    const char* const p = SvPVutf8(sv_2mortal(newSVsv(*found)), n);
    return {p, n};
}

}  // namespace

const format_row& row_of(pTHX_ std::string_view name) {
    const format_row* found = nullptr;
    for_format(aTHX_ name, [&](auto f) { found = &row<decltype(f)>; });
    return *found;
}

const void* dialect_option(pTHX_ HV* options, const format_row& format) {
    const std::string_view name = named_option(aTHX_ options, "dialect");
    return name.empty() ? format.usual() : format.dialect(aTHX_ name);
}

const format_row& format_option(pTHX_ HV* options) {
    const std::string_view name = named_option(aTHX_ options, "format");
    return row_of(aTHX_ name.empty() ? usual_format : name);
}

void read_value_options(pTHX_ HV* options, value_options& o) {
    read_value_options(aTHX_ options, o.build);
    if (SV** const keep = hv_fetchs(options, "keep_binary", 0); keep != nullptr) o.keep_binary = SvTRUE(*keep);
}

}  // namespace kumihimo::inline v0::perl
