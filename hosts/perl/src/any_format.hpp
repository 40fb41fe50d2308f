// Documents of any format, by its name: what the engine's table of formats (engine/formats.hpp) is to Perl. No format
// is named here or in the files that include this: a new row of the table is all that a new format needs.
#pragma once
#include <string_view>

#include "engine/formats.hpp"

#include "build_any.hpp"

namespace kumihimo::inline v0::perl {

struct dump_options {
    bool canonical = false;  // maps in the order of their keys
    std::uint32_t max_depth = 512;
};

/// The document, mortal. Croaks.
SV* dump(pTHX_ SV* value, std::string_view format, std::string_view dialect, const dump_options& o);

/// What the walk of dump says, in the reference notation without counts; mortal. Croaks.
SV* trace(pTHX_ SV* value, const dump_options& o);

/// A document's value. An empty format: the one that the bytes tell. Croaks where a name is none; what is wrong with
/// the document is in the outcome.
outcome load(pTHX_ const char* p, std::size_t n, std::string_view format, std::string_view dialect, const value_options& o,
             const stream_place& place = {});

/// The name of the format that the bytes tell. Croaks where they tell none.
std::string_view told_format(pTHX_ const char* p, std::size_t n);

[[noreturn]] void refuse_format(pTHX_ std::string_view name);
/// `names`: those there are, mortal.
[[noreturn]] void refuse_dialect(pTHX_ std::string_view format, const char* way, std::string_view name, SV* names);

/// visit(row) for the format of that name. Croaks where there is none.
template <class Visit>
void for_format(pTHX_ std::string_view name, Visit visit) {
    if (!visit_format(name, visit)) refuse_format(aTHX_ name);
}

/// The dialect of that name, the first for an empty one. Croaks where there is none.
template <class D, std::size_t N>
const D& want_dialect(pTHX_ const named<D> (&all)[N], std::string_view format, const char* way, std::string_view name) {
    if (const D* const found = dialect_of(all, name); found != nullptr) return *found;
    SV* const names = sv_2mortal(newSVpvs(""));
    for (const named<D>& d : all)
        Perl_sv_catpvf(aTHX_ names, "%s%.*s", SvCUR(names) == 0 ? "" : ", ", static_cast<int>(d.name.size()), d.name.data());
    refuse_dialect(aTHX_ format, way, name, names);
}
template <class F>
const auto& read_dialect_of(pTHX_ std::string_view name) {
    return want_dialect(aTHX_ F::read_dialects, F::name, "read", name);
}
template <class F>
const auto& write_dialect_of(pTHX_ std::string_view name) {
    return want_dialect(aTHX_ F::write_dialects, F::name, "write", name);
}

}  // namespace kumihimo::inline v0::perl
