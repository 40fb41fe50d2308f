#include "engine/core/null.hpp"
#include "engine/json/reader.hpp"

#include "build.hpp"
#include "decode.hpp"
#include "exact_read.hpp"

namespace kumihimo::inline v0::perl {
namespace {

// What the quick reader grants: JSON itself. -0 is an integer to Perl's modules.
constexpr json::read_dialect quick_dialect{.integer_zero = true};

// Whether what the quick reader accepts has the same value under these options.
bool quick(const json_options& o) { return !o.calls() && !o.binary && !o.dupkeys_as_arrayref; }

// The first bytes of UTF-8's, UTF-16's and UTF-32's marks.
bool may_begin_with_mark(const char* p, std::size_t n) {
    return n != 0 && (static_cast<unsigned char>(*p) >= 0xEF || *p == '\0');
}

// The quick reader's value, or null: then the exact one must look. Nothing here runs Perl code.
[[gnu::always_inline]] inline SV* quickly(pTHX_ SV* text, const json_options& o, bool keep_bytes = false) {
    context ctx;
    ctx.limits.depth = o.max_depth;
    builder to(aTHX_ ctx, o, keep_bytes);
    if (keep_bytes) to.downgrade();
    // 1e3 is an integer to Mojo::JSON, 1.0 is none.
    if (o.follows == rules::mojo) to.refuse_whole();
    if (o.follows == rules::cpanel && !o.relaxed) to.refuse_noncharacters(SvPVX_const(text), SvCUR(text));
    SV* made = nullptr;
    {
        json::reader from(bytes(reinterpret_cast<const unsigned char*>(SvPVX_const(text)), SvCUR(text)), ctx, quick_dialect);
        if (from.attempt(to) == errc::ok) [[likely]]
            made = to.take();
    }
    builder::release(aTHX_ & to);
    if (made == nullptr) return nullptr;
    if (!o.allow_nonref && is_nonref(aTHX_ made)) [[unlikely]] {
        SvREFCNT_dec(made);  // to be said in the exact reader's words
        return nullptr;
    }
    return sv_2mortal(made);
}

struct exact_build {
    exact_build(pTHX_ const json_options& o, bool keep_bytes) : to(aTHX_ ctx, o, keep_bytes) {
        ctx.limits.depth = static_cast<std::size_t>(-1);  // exact_read counts
    }
    static void release(pTHX_ void* data) {
        auto* const self = static_cast<exact_build*>(data);
        builder::release(aTHX_ & self->to);
        self->~exact_build();
    }
    context ctx;
    builder to;
};

SV* exactly(pTHX_ SV* text, const json_options& o, std::size_t* length, SV* types, SV** document, bool keep_bytes = false) {
    // Perl code that runs in between (filters, THAW, a handler of warnings) may change the caller's text.
    text = sv_2mortal(newSVsv(text));
    // Filters, THAW and warnings run Perl code, which may leave by a jump: Perl ends the life of these two.
    alignas(exact_build) unsigned char memory[sizeof(exact_build)];
    builder& to = (new (memory) exact_build(aTHX_ o, keep_bytes))->to;
    ENTER;
    SAVEDESTRUCTOR_X(exact_build::release, memory);
    const char* const begin = SvPVX_const(text);
    const exact_result r = exact_read(aTHX_ begin, begin + SvCUR(text), o, length != nullptr, to, types, keep_bytes);
    SV* const made = r.code == errc::ok ? to.take() : nullptr;
    LEAVE;
    if (made == nullptr) croak_read(aTHX_ r, text, o);
    if (length != nullptr) *length = r.end;
    if (document != nullptr) *document = text;
    return sv_2mortal(made);
}

/// The end of the first value of a text, or null where there is none that is right and can be found without Perl code.
const char* end_of_value(pTHX_ SV* text, const json_options& o) {
    const char* const begin = SvPVX_const(text);
    COP silent = *PL_curcop;  // what a value warns of is said when it is made
    silent.cop_warnings = pWARN_NONE;
    null_sink nowhere;
    ENTER;
    SAVETMPS;
    SAVEVPTR(PL_curcop);
    PL_curcop = &silent;
    const exact_result r = exact_read(aTHX_ begin, begin + SvCUR(text), o, true, nowhere);
    FREETMPS;
    LEAVE;
    return r.code == errc::ok ? begin + r.end : nullptr;
}

/// The beginning of a large text, as prepared() would have it: its first value and what an error would show behind
/// that. Null: all of it is needed. decode_prefix is called for value after value of a text; a look at all that is
/// left, for each of them, would not be linear. Copies that are too short cost less than the value, or an eighth of
/// the text.
SV* beginning(pTHX_ SV* text, const json_options& o) {
    constexpr STRLEN shown = 20 * UTF8_MAXBYTES;
    if (SvGMAGICAL(text) || !SvPOK(text) || (o.utf8 && SvUTF8(text))) return nullptr;
    for (STRLEN n = 1024; n <= SvCUR(text) / 8; n *= 4) {
        SV* const part = newSVpvn_flags(SvPVX_const(text), n, SVs_TEMP | SvUTF8(text));
        if (!o.utf8 && !SvUTF8(part) && scalar::ascii_prefix(SvPVX_const(part), n) != n) sv_utf8_upgrade(part);
        const char* const end = end_of_value(aTHX_ part, o);
        if (end != nullptr && SvEND(part) - end >= static_cast<std::ptrdiff_t>(shown)) return part;
    }
    return nullptr;
}

}  // namespace

SV* prepared(pTHX_ SV* text, const json_options& o) {
    if (SvGMAGICAL(text) || !SvPOK(text)) {
        text = sv_2mortal(newSVsv(text));
        // Where Cpanel::JSON::XS wants octets, what is no string is an empty one.
        if (!SvOK(text) || (o.follows == rules::cpanel && o.utf8 && !SvPOKp(text)))
            sv_setpvs(text, "");
        else if (!SvPOK(text))
            (void)SvPV_force_nolen(text);
    }
    check_size(aTHX_ SvCUR(text), o);
    if (o.utf8) {
        if (SvUTF8(text)) {
            text = sv_2mortal(newSVsv(text));
            if (!sv_utf8_downgrade(text, o.follows == rules::mojo)) {
                exact_result r;
                r.code = errc::encoding;
                r.what = "Input is not UTF-8 encoded";
                r.placed = false;
                croak_read(aTHX_ r, text, o);
            }
        }
    } else if (!SvUTF8(text) && scalar::ascii_prefix(SvPVX_const(text), SvCUR(text)) != SvCUR(text)) {
        text = sv_2mortal(newSVsv(text));
        sv_utf8_upgrade(text);
    }
    return text;
}

namespace {

// from_json of unflagged text: its strings are bytes, but for those with a \u, which are characters. The quick reader
// does not tell which had one. Tweets with a \u in each text take four times as long so, and are read 17 times as fast
// as by Mojo::JSON.
SV* decode_unflagged(pTHX_ SV* given, const json_options& o) {
    SV* const text = prepared(aTHX_ given, o);
    const std::string_view all(SvPVX_const(text), SvCUR(text));
    if (all.find("\\u") == all.npos) {
        if (SV* const made = quickly(aTHX_ text, o, true); made != nullptr) return made;
    }
    return exactly(aTHX_ text, o, nullptr, nullptr, nullptr, true);
}

}  // namespace

SV* decode(pTHX_ SV* given, const json_options& o, std::size_t* length, SV* types, SV** document) {
    // Its flags and its bytes are those of the last time.
    if (SvGMAGICAL(given)) given = sv_2mortal(newSVsv(given));
    if (o.follows == rules::mojo && !o.utf8 && !SvUTF8(given)) return decode_unflagged(aTHX_ given, o);
    if (o.follows == rules::cpanel && SvPOK(given) && may_begin_with_mark(SvPVX_const(given), SvCUR(given))) [[unlikely]] {
        check_size(aTHX_ SvCUR(given), o);
        if (SV* const octets = without_mark(aTHX_ given, o); octets != nullptr) {
            json_options octet_options = o;
            octet_options.utf8 = true;
            return exactly(aTHX_ octets, octet_options, length, types, document);
        }
    }
    if (document != nullptr && SvPOK(given)) {
        check_size(aTHX_ SvCUR(given), o);
        if (SV* const part = beginning(aTHX_ given, o); part != nullptr) return exactly(aTHX_ part, o, length, types, document);
    }
    SV* const text = prepared(aTHX_ given, o);
    if (length == nullptr && types == nullptr && quick(o)) [[likely]] {
        if (SV* const made = quickly(aTHX_ text, o); made != nullptr) [[likely]]
            return made;
    }
    return exactly(aTHX_ text, o, length, types, document);
}

SV* try_decode(pTHX_ SV* given, const json_options& o) {
    SV* const text = sv_2mortal(newSVsv(given));
    if (!SvOK(text) || SvROK(text) || !quick(o)) return nullptr;
    if (!SvPOK(text)) (void)SvPV_force_nolen(text);
    if (o.max_size != 0 && SvCUR(text) > o.max_size) return nullptr;
    if (o.utf8) {
        if (SvUTF8(text) && !sv_utf8_downgrade(text, TRUE)) return nullptr;
    } else if (!SvUTF8(text) && scalar::ascii_prefix(SvPVX_const(text), SvCUR(text)) != SvCUR(text)) {
        sv_utf8_upgrade(text);
    }
    return quickly(aTHX_ text, o);
}

SV* decode_quietly(pTHX_ SV* given, const json_options& o) {
    if (!SvPOK(given) || SvMAGICAL(given) || SvUTF8(given) || !o.utf8 || o.max_size != 0 || !quick(o)) return nullptr;
    if (may_begin_with_mark(SvPVX_const(given), SvCUR(given))) return nullptr;
    return quickly(aTHX_ given, o);
}

}  // namespace kumihimo::inline v0::perl
