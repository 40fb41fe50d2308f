#include "engine/json/reader.hpp"

#include "build.hpp"
#include "decode.hpp"

namespace kumihimo::inline v0::perl {
namespace {

// What the quick reader grants: JSON itself. -0 is an integer to Perl's modules.
constexpr json::read_dialect quick_dialect{.integer_zero = true};

bool quick(const json_options& o) { return !o.calls() && !o.binary; }

}  // namespace

SV* prepared(pTHX_ SV* text, const json_options& o) {
    if (SvMAGICAL(text) || !SvPOK(text) || SvROK(text)) text = sv_2mortal(newSVsv(text));
    if (!SvPOK(text)) text = sv_2mortal(newSVpv(SvPV_nolen(text), 0));
    if (o.utf8 || o.binary) {
        if (SvUTF8(text)) {
            text = sv_2mortal(newSVsv(text));
            sv_utf8_downgrade(text, FALSE);
        }
    } else if (!SvUTF8(text) && scalar::ascii_prefix(SvPVX_const(text), SvCUR(text)) != SvCUR(text)) {
        text = sv_2mortal(newSVsv(text));
        sv_utf8_upgrade(text);
    }
    return text;
}

SV* decode(pTHX_ SV* text, const json_options& o, std::size_t* length, SV* type) {
    text = prepared(aTHX_ text, o);
    const char* const begin = SvPVX_const(text);
    const std::size_t n = SvCUR(text);
    if (o.max_size != 0 && n > o.max_size)
        Perl_croak(aTHX_ "attempted decode of JSON text of %lu bytes size, but max_size is set to %lu",
                   static_cast<unsigned long>(n), static_cast<unsigned long>(o.max_size));
    SV* made = nullptr;
    if (length == nullptr && type == nullptr && quick(o)) [[likely]] {
        context ctx;
        ctx.limits.depth = o.max_depth;
        builder to(aTHX_ ctx, o);
        {
            json::reader from(bytes(reinterpret_cast<const unsigned char*>(begin), n), ctx, quick_dialect);
            if (from.attempt(to) == errc::ok) made = to.take();
        }
        if (made == nullptr) builder::release(aTHX_ & to);
    }
    if (made == nullptr) Perl_croak(aTHX_ "not decoded");
    return sv_2mortal(made);
}

}  // namespace kumihimo::inline v0::perl
