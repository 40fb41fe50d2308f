// What Perl calls: Kumihimo::frames, pack and unpack. lib/Kumihimo.pm has the contract.
#include "frames.hpp"

#include <array>

#include "engine/core/buffer.hpp"

#include "arguments.hpp"
#include "module.hpp"
#include "output.hpp"

namespace kumihimo::inline v0::perl {
namespace {

bytes bytes_of(SV* octets) noexcept { return {reinterpret_cast<const unsigned char*>(SvPVX_const(octets)), SvCUR(octets)}; }

SV* names(pTHX) {
    SV* const all = sv_2mortal(newSVpvs(""));
    for (const frame::codec* const f : frame::all())
        Perl_sv_catpvf(aTHX_ all, "%s%.*s", SvCUR(all) == 0 ? "" : ", ", static_cast<int>(f->name.size()), f->name.data());
    return all;
}

const frame::codec& frame_named(pTHX_ std::string_view name) {
    const frame::codec* const found = frame::by_name(name);
    if (found != nullptr) return *found;
    Perl_croak(aTHX_ "no frame is named \"%" SVf "\": there are %" SVf,
               SVfARG(newSVpvn_flags(name.data(), name.size(), SVs_TEMP | SVf_UTF8)), SVfARG(names(aTHX)));
    abort();
}

/// A copy, which nothing changes that runs meanwhile; mortal.
SV* taken(pTHX_ SV* argument) { return sv_2mortal(newSVsv(argument)); }

/// undef: the usual one. `codec` null: no frame is named.
int level_of(pTHX_ const frame::codec* codec, SV* level) {
    if (!SvOK(level)) return frame::usual_level;
    if (!looks_like_number(level) && !SvAMAGIC(level)) Perl_croak(aTHX_ "a level is a number, not \"%" SVf "\"", SVfARG(level));
    int chosen = frame::usual_level;
    const char* what = "";
    const errc e = frame::choose_level(codec, static_cast<double>(SvNV(level)), chosen, what);
    if (e == errc::range) Perl_croak(aTHX_ "%s, not %" SVf, what, SVfARG(level));
    if (e != errc::ok) Perl_croak(aTHX_ "%s", what);
    return chosen;
}

/// What one call works with has memory of its own: Perl lets go of it however the call is left.
struct work {
    static void release(pTHX_ void* data) {
        PERL_UNUSED_CONTEXT;
        delete static_cast<work*>(data);
    }
    context ctx;
    buffer out;
};

/// What step(out, ctx) writes, mortal; null, and the sentence of why not, the caller's to count.
template <class Step>
SV* written(pTHX_ std::size_t size, SV*& error, Step step) {
    work* const w = new (std::nothrow) work;
    if (w == nullptr) scalar_output::out_of_memory();
    ENTER;
    SAVEDESTRUCTOR_X(work::release, w);
    w->ctx.limits.size = size;
    SV* text = nullptr;
    if (step(w->out, w->ctx) != errc::ok)
        error = sentence_of(aTHX_ w->ctx);
    else
        text = w->out.size() == 0 ? newSVpvs("") : newSVpvn(w->out.data(), w->out.size());
    LEAVE;
    return text == nullptr ? nullptr : sv_2mortal(text);
}

SV* unpacked(pTHX_ const frame::codec& codec, SV* octets, std::size_t size, SV*& error) {
    return written(aTHX_ size, error,
                   [&](buffer& out, context& ctx) { return frame::unpack(codec, bytes_of(octets), out, ctx); });
}

[[noreturn]] void croak_sentence(pTHX_ SV* error) {
    Perl_croak(aTHX_ "%" SVf, SVfARG(sv_2mortal(error)));
    abort();
}

/// Mortal. Croaks.
SV* packed(pTHX_ const frame::codec& codec, SV* octets, int level) {
    SV* error = nullptr;
    SV* const made = written(aTHX_ limits{}.size, error,
                             [&](buffer& out, context& ctx) { return frame::pack(codec, bytes_of(octets), out, level, ctx); });
    if (made == nullptr) croak_sentence(aTHX_ error);
    return made;
}

// pack($data, $frame, %options)
XSPROTO(pack_data) {
    dXSARGS;
    // Data and a frame, and options in pairs: an odd number has the class in front.
    const I32 first = items % 2 != 0 && items > 2 && is_class(aTHX_ ST(0)) ? 1 : 0;
    if (items - first < 2 || (items - first) % 2 != 0) usage(aTHX_ "pack($data, $frame, %options)");
    const frame::codec& codec = frame_named(aTHX_ word(aTHX_ ST(first + 1)));
    int level = frame::usual_level;
    for (I32 i = first + 2; i < items; i += 2) {
        const std::string_view name = word(aTHX_ ST(i));
        if (name != "level") refuse_option(aTHX_ name, "pack", "level");
        level = level_of(aTHX_ & codec, taken(aTHX_ ST(i + 1)));
    }
    SV* const made = packed(aTHX_ codec, octets(aTHX_ ST(first), "data"), level);
    ST(0) = made;
    XSRETURN(1);
}

// unpack($data [, $frame, %options])
XSPROTO(unpack_data) {
    dXSARGS;
    const I32 first = items > 1 && is_class(aTHX_ ST(0)) ? 1 : 0;
    const I32 n = items - first;
    if (n < 1 || (n > 2 && n % 2 != 0)) usage(aTHX_ "unpack($data [, $frame, %options])");
    const frame::codec* codec = nullptr;
    if (n > 1) {
        SV* const name = taken(aTHX_ ST(first + 1));
        if (SvOK(name)) codec = &frame_named(aTHX_ word(aTHX_ name));
    }
    std::size_t size = limits{}.size;
    for (I32 i = first + 2; i < items; i += 2) {
        const std::string_view name = word(aTHX_ ST(i));
        if (name != "size") refuse_option(aTHX_ name, "unpack", "size");
        SV* const given = taken(aTHX_ ST(i + 1));
        if (!SvOK(given)) continue;
        const NV most = looks_like_number(given) || SvAMAGIC(given) ? SvNV(given) : -1;
        if (!(most >= 0)) Perl_croak(aTHX_ "size is a number of bytes, not %" SVf, SVfARG(given));
        size = most < static_cast<NV>(size) ? static_cast<std::size_t>(most) : size;
    }
    SV* const data = octets(aTHX_ ST(first), "data");
    if (codec == nullptr) codec = frame::recognise(bytes_of(data));
    if (codec == nullptr) Perl_croak(aTHX_ "the bytes begin as no frame does: they are none of %" SVf, SVfARG(names(aTHX)));
    SV* error = nullptr;
    SV* const made = unpacked(aTHX_ * codec, data, size, error);
    if (made == nullptr) croak_sentence(aTHX_ error);
    ST(0) = made;
    XSRETURN(1);
}

// _framed($bytes): whether they begin as a frame does.
XSPROTO(is_framed) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "bytes");
    SV* const data = octets(aTHX_ ST(0), "data");
    ST(0) = boolSV(frame::recognise(bytes_of(data)) != nullptr);
    XSRETURN(1);
}

XSPROTO(list_frames) {
    dXSARGS;
    if (items > 1 || (items == 1 && !is_class(aTHX_ ST(0)))) usage(aTHX_ "frames()");
    SP -= items;
    for (const frame::codec* const f : frame::all()) {
        HV* const hv = newHV();
        XPUSHs(sv_2mortal(newRV_noinc(reinterpret_cast<SV*>(hv))));
        AV* const levels = newAV();
        (void)hv_stores(hv, "levels", newRV_noinc(reinterpret_cast<SV*>(levels)));
        av_push(levels, newSViv(f->lowest));
        av_push(levels, newSViv(f->highest));
        (void)hv_stores(hv, "usual_level", newSViv(f->usual));
        (void)hv_stores(hv, "name", newSVpvn(f->name.data(), f->name.size()));
        (void)hv_stores(hv, "ending", newSVpvn(f->ending.data(), f->ending.size()));
        (void)hv_stores(hv, "media_type", newSVpvn(f->media.data(), f->media.size()));
        (void)hv_stores(hv, "available", newSVsv(boolSV(frame::available(*f))));
    }
    PUTBACK;
}

}  // namespace

bool frame_options::take(pTHX_ std::string_view option, SV* value) {
    if (option == "frame")
        name_ = taken(aTHX_ value);
    else if (option == "frame_level")
        level_ = taken(aTHX_ value);
    else
        return false;
    return true;
}

void frame_options::check(pTHX) {
    if (name_ != nullptr && SvOK(name_)) codec_ = &frame_named(aTHX_ word(aTHX_ name_));
    if (level_ != nullptr) chosen_level_ = level_of(aTHX_ codec_, level_);
}

SV* frame_options::framed(pTHX_ SV* document) const {
    return codec_ == nullptr ? document : packed(aTHX_ * codec_, document, chosen_level_);
}

SV* unframed(pTHX_ SV* octets, SV*& error) {
    // Most documents are told from all frames by their first byte.
    static const std::array<bool, 256> begins = [] {
        std::array<bool, 256> made{};
        for (unsigned i = 0; i != made.size(); ++i) {
            const auto byte = static_cast<unsigned char>(i);
            for (const frame::codec* const f : frame::all())
                made[i] = made[i] || f->begins({&byte, 1}) != frame::codec::match::no;
        }
        return made;
    }();
    const bytes document = bytes_of(octets);
    if (document.empty() || !begins[document[0]]) return octets;
    const frame::codec* const codec = frame::recognise(document);
    return codec == nullptr ? octets : unpacked(aTHX_ * codec, octets, limits{}.size, error);
}

SV* unframed(pTHX_ SV* octets) {
    SV* error = nullptr;
    SV* const plain = unframed(aTHX_ octets, error);
    if (plain == nullptr) croak_sentence(aTHX_ error);
    return plain;
}

void init_frames(pTHX) {
    newXS("Kumihimo::frames", list_frames, __FILE__);
    newXS("Kumihimo::pack", pack_data, __FILE__);
    newXS("Kumihimo::unpack", unpack_data, __FILE__);
    newXS("Kumihimo::_framed", is_framed, __FILE__);
}

}  // namespace kumihimo::inline v0::perl
