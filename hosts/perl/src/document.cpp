#include "engine/json/reader.hpp"

#include "document.hpp"

namespace kumihimo::inline v0::perl {

SV* octets(pTHX_ SV* sv, const char* format) {
    if (SvPOK(sv) && !SvUTF8(sv) && !SvGMAGICAL(sv)) return sv;
    SV* const copy = sv_2mortal(newSVsv(sv));
    SV* text = copy;
    if (!SvPOK(copy) || SvROK(copy)) {
        STRLEN n = 0;
        const char* const p = SvOK(copy) ? SvPV_const(copy, n) : "";
        text = sv_2mortal(newSVpvn_flags(p, n, SvOK(copy) ? SvUTF8(copy) : 0));
    }
    if (SvUTF8(text) && !sv_utf8_downgrade(text, TRUE))
        Perl_croak(aTHX_ "wide character in the %s: it is to be bytes, as read from a file or a socket, not characters",
                   format);
    return text;
}

SV* sentence_of(pTHX_ const context& ctx, const stream_place& place) {
    const failure& f = ctx.failure;
    SV* const text = newSVpv(f.what, 0);
    if (f.offset != failure::nowhere) {
        if (f.line != 0) {
            sv_catpvf(text, ", at line %lu, column %lu", static_cast<unsigned long>(f.line + place.lines),
                      static_cast<unsigned long>(f.column + (f.line == 1 ? place.columns : 0)));
        }
        sv_catpvf(text, "%s byte %lu", f.line != 0 ? "," : ", at", static_cast<unsigned long>(f.offset + place.offset));
    }
    if (!f.path.empty() && f.path != "$") {
        sv_catpvf(text, " (%s)", f.path.c_str());
        sv_utf8_decode(text);
    }
    return text;
}

// A frame of its own: what has a destructor is gone when it returns, and the caller may croak.
outcome read_document(pTHX_ const char* p, std::size_t n, const json_options& o, const stream_place& place) {
    outcome out;
    context ctx;
    ctx.limits.depth = o.max_depth;
    builder to(aTHX_ ctx, o);
    json::reader from(bytes(reinterpret_cast<const unsigned char*>(p), n), ctx, strict_read);
    const errc e = from.feed(to);
    if (e == errc::ok) out.made = to.take();
    if (out.made == nullptr) {
        ctx.fail(errc::misuse, failure::nowhere, "the document is not whole");
        out.error = sentence_of(aTHX_ ctx, place);
    }
    builder::release(aTHX_ & to);
    return out;
}

void read_value_options(pTHX_ HV* hv, json_options& o) {
    if (SV** const depth = hv_fetchs(hv, "max_depth", 0); depth != nullptr && SvOK(*depth)) {
        const IV n = SvIV(*depth);
        if (n < 0) Perl_croak(aTHX_ "max_depth is not negative: %" IVdf, n);
        o.max_depth = n > IV{UINT32_MAX} ? UINT32_MAX : static_cast<std::uint32_t>(n);
    }
    if (SV** const order = hv_fetchs(hv, "keep_order", 0); order != nullptr) o.keep_order = SvTRUE(*order);
}

}  // namespace kumihimo::inline v0::perl
