// What Perl calls: Kumihimo::dump, load, convert and formats. lib/Kumihimo.pm has the contract.
#include "engine/core/pipe.hpp"

#include "any_row.hpp"
#include "arguments.hpp"
#include "frames.hpp"
#include "module.hpp"

namespace kumihimo::inline v0::perl {

void refuse_format(pTHX_ std::string_view name) {
    SV* const names = sv_2mortal(newSVpvs(""));
    each_format([&](auto f) {
        constexpr std::string_view one = decltype(f)::name;
        Perl_sv_catpvf(aTHX_ names, "%s%.*s", SvCUR(names) == 0 ? "" : ", ", static_cast<int>(one.size()), one.data());
    });
    Perl_croak(aTHX_ "no format is named \"%" SVf "\": there are %" SVf,
               SVfARG(newSVpvn_flags(name.data(), name.size(), SVs_TEMP | SVf_UTF8)), SVfARG(names));
    abort();
}

void refuse_dialect(pTHX_ std::string_view format, const char* way, std::string_view name, SV* names) {
    Perl_croak(aTHX_ "%.*s has no %s dialect \"%" SVf "\": it has %" SVf, static_cast<int>(format.size()), format.data(), way,
               SVfARG(newSVpvn_flags(name.data(), name.size(), SVs_TEMP | SVf_UTF8)), SVfARG(names));
    abort();
}

std::string_view told_format(pTHX_ const char* p, std::size_t n) {
    const std::string_view name = format_of(bytes(reinterpret_cast<const unsigned char*>(p), n));
    if (name.empty()) Perl_croak(aTHX_ "the bytes do not tell their format: name it");
    return name;
}

outcome load(pTHX_ const char* p, std::size_t n, std::string_view name, std::string_view dialect, const value_options& o,
             const stream_place& place) {
    if (name.empty()) name = told_format(aTHX_ p, n);
    const format_row& row = row_of(aTHX_ name);
    return row.read(aTHX_ p, n, row.dialect(aTHX_ dialect), o, place);
}

namespace {

// ---- dump

XSPROTO(dump_value) {
    dXSARGS;
    // A value and a format, and options in pairs: an odd number has the class in front.
    const I32 first = items % 2 != 0 && items > 2 && is_class(aTHX_ ST(0)) ? 1 : 0;
    if (items - first < 2 || (items - first) % 2 != 0) usage(aTHX_ "dump($value, $format, %options)");
    const std::string_view format = word(aTHX_ ST(first + 1));
    std::string_view dialect;
    dump_options o;
    frame_options in;
    for (I32 i = first + 2; i < items; i += 2) {
        const std::string_view name = word(aTHX_ ST(i));
        if (name == "dialect")
            dialect = word(aTHX_ ST(i + 1));
        else if (name == "canonical")
            o.canonical = SvTRUE(ST(i + 1));
        else if (name == "max_depth")
            o.max_depth = depth_of(aTHX_ ST(i + 1));
        else if (!in.take(aTHX_ name, ST(i + 1)))
            refuse_option(aTHX_ name, "dump", "canonical, dialect, frame, frame_level, max_depth");
    }
    in.check(aTHX);
    SV* const made = in.framed(aTHX_ dump(aTHX_ ST(first), format, dialect, o));
    ST(0) = made;
    XSRETURN(1);
}

// The conformance vectors are compared with it.
XSPROTO(trace_value) {
    dXSARGS;
    if (items < 1 || items > 2) usage(aTHX_ "_trace($value [, $max_depth])");
    dump_options o;
    if (items == 2) o.max_depth = depth_of(aTHX_ ST(1));
    SV* const made = trace(aTHX_ ST(0), o);
    ST(0) = made;
    XSRETURN(1);
}

// _told($what, $data): the format and the frame that bytes, a file's name or a media type tell, or undef for either.
// The conformance vectors are compared with it.
XSPROTO(told_names) {
    dXSARGS;
    if (items != 2) usage(aTHX_ "_told($what, $data)");
    const std::string_view what = word(aTHX_ ST(0));
    SV* const data = octets(aTHX_ ST(1), "data");
    const std::string_view given(SvPVX_const(data), SvCUR(data));
    const bytes document(reinterpret_cast<const unsigned char*>(given.data()), given.size());
    const frame::codec* codec = nullptr;
    std::string_view format;
    if (what == "bytes") {
        format = format_of(document);
        codec = frame::recognise(document);
    } else if (what == "name") {
        format = format_of_path(given);
        codec = frame::by_ending(given);
    } else {
        format = format_of_media_type(given);
    }
    ST(0) = format.empty() ? &PL_sv_undef : newSVpvn_flags(format.data(), format.size(), SVs_TEMP);
    ST(1) = codec == nullptr ? &PL_sv_undef : newSVpvn_flags(codec->name.data(), codec->name.size(), SVs_TEMP);
    XSRETURN(2);
}

// ---- load

XSPROTO(load_document) {
    dXSARGS;
    const I32 first = items > 1 && is_class(aTHX_ ST(0)) ? 1 : 0;
    const I32 n = items - first;
    if (n < 1 || (n > 2 && n % 2 != 0)) usage(aTHX_ "load($bytes [, $format, %options])");
    const std::string_view format = n > 1 ? word(aTHX_ ST(first + 1)) : std::string_view();
    std::string_view dialect;
    value_options o;
    o.bignums = true;
    for (I32 i = first + 2; i < items; i += 2) {
        const std::string_view name = word(aTHX_ ST(i));
        if (name == "dialect")
            dialect = word(aTHX_ ST(i + 1));
        else if (name == "keep_order")
            o.build.keep_order = SvTRUE(ST(i + 1));
        else if (name == "keep_binary")
            o.keep_binary = SvTRUE(ST(i + 1));
        else if (name == "max_depth")
            o.build.max_depth = depth_of(aTHX_ ST(i + 1));
        else
            refuse_option(aTHX_ name, "load", "dialect, keep_binary, keep_order, max_depth");
    }
    SV* const source = unframed(aTHX_ octets(aTHX_ ST(first), "document"));
    const outcome out = load(aTHX_ SvPVX_const(source), SvCUR(source), format, dialect, o);
    if (out.error != nullptr) Perl_croak(aTHX_ "%" SVf, SVfARG(sv_2mortal(out.error)));
    SV* const made = settled(aTHX_ out);
    ST(0) = made;
    XSRETURN(1);
}

// ---- convert

// A frame of its own, with everything that has a destructor.
template <format From, format To>
[[gnu::noinline]] outcome converted(pTHX_ bytes document, const typename From::reader::dialect& read,
                                    const typename To::template writer<buffer>::dialect& write, std::size_t depth) {
    outcome out;
    context ctx;
    ctx.limits.depth = depth;
    buffer room;
    typename From::reader from(document, ctx, read);
    typename To::template writer<buffer> to(room, ctx, write);
    bytes whole;
    const errc e = pipe(from, to, whole);
    if (e == errc::ok) {
        out.made = newSVpvn(reinterpret_cast<const char*>(whole.data()), whole.size());
    } else {
        ctx.fail(e, failure::nowhere, name(e));
        out.error = sentence_of(aTHX_ ctx);
    }
    return out;
}

XSPROTO(convert_document) {
    dXSARGS;
    const I32 first = items > 3 && items % 2 == 0 && is_class(aTHX_ ST(0)) ? 1 : 0;
    if (items - first < 3 || (items - first) % 2 == 0) usage(aTHX_ "convert($bytes, $from, $to, %options)");
    std::string_view from = word(aTHX_ ST(first + 1)), read, write;
    const std::string_view to = word(aTHX_ ST(first + 2));
    std::uint32_t depth = 512;
    frame_options in;
    for (I32 i = first + 3; i < items; i += 2) {
        const std::string_view name = word(aTHX_ ST(i));
        if (name == "source_dialect")
            read = word(aTHX_ ST(i + 1));
        else if (name == "target_dialect")
            write = word(aTHX_ ST(i + 1));
        else if (name == "max_depth")
            depth = depth_of(aTHX_ ST(i + 1));
        else if (!in.take(aTHX_ name, ST(i + 1)))
            refuse_option(aTHX_ name, "convert", "frame, frame_level, max_depth, source_dialect, target_dialect");
    }
    in.check(aTHX);
    SV* const source = unframed(aTHX_ octets(aTHX_ ST(first), "document"));
    const bytes document(reinterpret_cast<const unsigned char*>(SvPVX_const(source)), SvCUR(source));
    if (from.empty()) from = told_format(aTHX_ SvPVX_const(source), SvCUR(source));
    outcome out;
    for_format(aTHX_ from, [&](auto f) {
        using F = decltype(f);
        const auto& reading = read_dialect_of<F>(aTHX_ read);
        for_format(aTHX_ to, [&](auto t) {
            using T = decltype(t);
            out = converted<F, T>(aTHX_ document, reading, write_dialect_of<T>(aTHX_ write), depth);
        });
    });
    if (out.error != nullptr) Perl_croak(aTHX_ "%" SVf, SVfARG(sv_2mortal(out.error)));
    SV* const made = in.framed(aTHX_ sv_2mortal(out.made));
    ST(0) = made;
    XSRETURN(1);
}

// ---- formats

SV* text_of(pTHX_ std::string_view s) { return newSVpvn(s.data(), s.size()); }
template <std::size_t N>
SV* list_of(pTHX_ const std::string_view (&all)[N]) {
    AV* const av = newAV();
    for (const std::string_view one : all) av_push(av, text_of(aTHX_ one));
    return newRV_noinc(reinterpret_cast<SV*>(av));
}
template <class D, std::size_t N>
SV* list_of(pTHX_ const named<D> (&all)[N]) {
    AV* const av = newAV();
    for (const named<D>& one : all) av_push(av, text_of(aTHX_ one.name));
    return newRV_noinc(reinterpret_cast<SV*>(av));
}

XSPROTO(list_formats) {
    dXSARGS;
    if (items > 1 || (items == 1 && !is_class(aTHX_ ST(0)))) usage(aTHX_ "formats()");
    SP -= items;
    each_format([&](auto f) {
        using F = decltype(f);
        HV* const hv = newHV();
        (void)hv_stores(hv, "name", text_of(aTHX_ F::name));
        (void)hv_stores(hv, "text", newSVsv(boolSV(F::is_text)));
        (void)hv_stores(hv, "media_types", list_of(aTHX_ F::media_types));
        (void)hv_stores(hv, "endings", list_of(aTHX_ F::endings));
        (void)hv_stores(hv, "read_dialects", list_of(aTHX_ F::read_dialects));
        (void)hv_stores(hv, "write_dialects", list_of(aTHX_ F::write_dialects));
        XPUSHs(sv_2mortal(newRV_noinc(reinterpret_cast<SV*>(hv))));
    });
    PUTBACK;
}

}  // namespace

void init_any_format(pTHX) {
    newXS("Kumihimo::dump", dump_value, __FILE__);
    newXS("Kumihimo::_trace", trace_value, __FILE__);
    newXS("Kumihimo::_told", told_names, __FILE__);
    newXS("Kumihimo::load", load_document, __FILE__);
    newXS("Kumihimo::convert", convert_document, __FILE__);
    newXS("Kumihimo::formats", list_formats, __FILE__);
}

}  // namespace kumihimo::inline v0::perl
