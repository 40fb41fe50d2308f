// JSON::PP's encode: what its object says becomes options of ours. And what of decode is not for us.
//
//      $json->{PROPS}[P_ASCII], ...   its switches, by numbers that Kumihimo::Instead::PP compares when it takes over
//      $json->{max_depth}, {indent_length}, {sort_by}
//
// An object may be a hash that somebody has blessed, and a subclass may have methods of its own that encode calls:
// what is not plain goes to JSON::PP's own function.
#include "callback.hpp"
#include "decode.hpp"
#include "encode.hpp"
#include "module.hpp"

namespace kumihimo::inline v0::perl {
namespace {

// JSON::PP's numbers of its switches.
enum property : SSize_t {
    p_ascii,
    p_latin1,
    p_utf8,
    p_indent,
    p_canonical,
    p_space_before,
    p_space_after,
    p_allow_nonref,
    p_shrink,
    p_allow_blessed,
    p_convert_blessed,
    p_relaxed,
    p_loose,
    p_allow_bignum,
    p_allow_barekey,
    p_allow_singlequote,
    p_escape_slash,
    p_as_nonblessed,
    p_allow_unknown,
    p_allow_tags,
};

// What _follow() has found out about the JSON::PP that is installed.
enum feature : I32 {
    flags_characters = 1,  // a text of characters is always flagged, and `shrink` takes the flag away
    core_booleans = 2,     // perl's own booleans are true and false
};

constexpr IV most_indent = 1000;

/// Whether all that encode would call in JSON::PP is JSON::PP's. @WATCHED: [glob, code, name of a method or undef]...
bool is_unchanged(pTHX_ HV* stash) {
    AV* const watched = get_av("Kumihimo::Instead::PP::WATCHED", 0);
    if (watched == nullptr || AvFILLp(watched) < 0) return false;  // undone
    const char* const name = HvNAME_get(stash);
    const bool subclass = name == nullptr || std::strcmp(name, "JSON::PP") != 0;
    SV** const list = AvARRAY(watched);
    for (SSize_t i = 0; i + 2 <= AvFILLp(watched); i += 3) {
        if (!SvROK(list[i]) || !isGV(SvRV(list[i])) || !SvROK(list[i + 1])) return false;
        const CV* const code = reinterpret_cast<const CV*>(SvRV(list[i + 1]));
        if (GvCV(reinterpret_cast<GV*>(SvRV(list[i]))) != code) return false;
        if (!subclass || !SvPOK(list[i + 2])) continue;
        GV* const gv = gv_fetchmethod_autoload(stash, SvPVX_const(list[i + 2]), FALSE);
        if (gv == nullptr || !isGV(gv) || GvCV(gv) != code) return false;
    }
    return true;
}

bool flag(pTHX_ AV* props, property p) {
    SV** const found = av_fetch(props, p, 0);
    return found != nullptr && SvTRUE(*found);
}
SV* member(pTHX_ HV* self, const char* name, I32 size) {
    SV** const found = hv_fetch(self, name, size, 0);
    return found != nullptr ? *found : nullptr;
}

/// False: an object that JSON::PP itself must answer for.
bool options_of(pTHX_ SV* self, I32 features, json_options& o) {
    if (!SvROK(self) || SvTYPE(SvRV(self)) != SVt_PVHV || !SvOBJECT(SvRV(self)) || SvRMAGICAL(SvRV(self))) return false;
    HV* const hv = reinterpret_cast<HV*>(SvRV(self));
    if (!is_unchanged(aTHX_ SvSTASH(SvRV(self)))) return false;
    SV* const rv = member(aTHX_ hv, "PROPS", 5);
    if (rv == nullptr || !SvROK(rv) || SvTYPE(SvRV(rv)) != SVt_PVAV || SvOBJECT(SvRV(rv)) || SvRMAGICAL(SvRV(rv))) return false;
    AV* const props = reinterpret_cast<AV*>(SvRV(rv));
    if (flag(aTHX_ props, p_allow_tags) || flag(aTHX_ props, p_as_nonblessed)) return false;

    o.follows = rules::pp;
    o.ascii = flag(aTHX_ props, p_ascii);
    o.latin1 = flag(aTHX_ props, p_latin1);
    o.utf8 = flag(aTHX_ props, p_utf8);
    o.indent = flag(aTHX_ props, p_indent);
    o.canonical = flag(aTHX_ props, p_canonical);
    o.space_before = flag(aTHX_ props, p_space_before);
    o.space_after = flag(aTHX_ props, p_space_after);
    o.allow_nonref = flag(aTHX_ props, p_allow_nonref);
    o.shrink = flag(aTHX_ props, p_shrink);
    o.allow_blessed = flag(aTHX_ props, p_allow_blessed);
    o.convert_blessed = flag(aTHX_ props, p_convert_blessed);
    o.allow_bignum = flag(aTHX_ props, p_allow_bignum);
    o.escape_slash = flag(aTHX_ props, p_escape_slash);
    o.allow_unknown = flag(aTHX_ props, p_allow_unknown);
    o.core_booleans = (features & core_booleans) != 0;
    o.flags_characters = (features & flags_characters) != 0;

    SV* const depth = member(aTHX_ hv, "max_depth", 9);
    const NV levels = depth != nullptr && SvOK(depth) ? SvNV(depth) : 0;
    o.max_depth = !(levels > 0) ? 0 : levels >= unlimited_depth ? unlimited_depth : static_cast<std::uint32_t>(levels);
    SV* const indent = member(aTHX_ hv, "indent_length", 13);
    const IV width = indent != nullptr && SvOK(indent) ? SvIV(indent) : 0;
    if (width > most_indent) return false;
    o.indent_length = width > 0 ? static_cast<std::uint32_t>(width) : 0;

    if (SV* const by = member(aTHX_ hv, "sort_by", 7); by != nullptr && SvTRUE(by)) {
        // A number asks for the usual order, anything else is a sub or a sub's name.
        STRLEN n;
        const char* const p = SvPV(by, n);
        const bool is_code = SvROK(by) && std::strcmp(sv_reftype(SvRV(by), TRUE), "CODE") == 0;
        if (!is_code && std::all_of(p, p + n, [](char c) { return c >= '0' && c <= '9'; }))
            o.canonical = true;
        else
            o.sort_by = sv_mortalcopy(by);
    }
    return true;
}

[[noreturn]] void refuse_scalar(pTHX) {
    begin_callback(aTHX);
    dSP;
    PUSHMARK(SP);
    mXPUSHs(newSVpvs("hash- or arrayref expected (not a simple scalar, use allow_nonref to allow this)"));
    PUTBACK;
    call_pv("JSON::PP::encode_error", G_DISCARD);
    end_callback(aTHX);
    Perl_croak(aTHX_ "hash- or arrayref expected");
    abort();
}

/// A number at the top is its own text, which JSON::PP hands out as the number that it is: the value, or what a
/// TO_JSON of it has given.
bool is_number_itself(SV* value, SV* text, const json_options& o) {
    if (value == nullptr || SvROK(value) || !SvNIOK(value) || o.indent ||
        (o.flags_characters && !o.utf8 && !o.ascii && !o.latin1))
        return false;
    const char first = *SvPVX_const(text);
    return first == '-' || first == 'I' || first == 'N' || (first >= '0' && first <= '9');
}

/// JSON::PP::PP_encode_json($self, $value)
XSPROTO(pp_encode) {
    dXSARGS;
    json_options o;
    if (items == 2) {
        sv_2mortal(SvREFCNT_inc_simple_NN(ST(0)));
        // Reading the options may run Perl code, and that may let go of the arguments.
        SV* const value = SvROK(ST(1)) || SvGMAGICAL(ST(1)) ? sv_mortalcopy(ST(1)) : sv_2mortal(SvREFCNT_inc_simple_NN(ST(1)));
        if (options_of(aTHX_ ST(0), CvXSUBANY(cv).any_i32, o)) {
            if (!o.allow_nonref && (!SvROK(value) || std::strcmp(sv_reftype(SvRV(value), 1), "0") == 0)) refuse_scalar(aTHX);
            o.allow_nonref = true;
            SV* top = value;
            o.top = &top;
            SV* const text = encode(aTHX_ value, o);
            ST(0) = is_number_itself(top, text, o) ? sv_mortalcopy(top) : text;
            XSRETURN(1);
        }
    }
    SV* const stock = get_sv("Kumihimo::Instead::PP::stock_encode", 0);
    if (stock == nullptr || !SvROK(stock)) Perl_croak(aTHX_ "Kumihimo: JSON::PP's own function is gone");
    answer_by(aTHX_ stock, ax, items);
}

/// _has_number_of_its_own($text): whether a number is in it that JSON::PP makes something of its own of: one with an
/// exponent, which is an integer where it can be one; 18 digits, which it may take for text; a fraction among more
/// than 15 digits, whose last bits are perl's. (Up to 15 digits divided by a power of ten up to 10^15 are a double
/// exactly rounded, here and there.) May find one in a string too.
XSPROTO(has_number_of_its_own) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "text");
    STRLEN n;
    const char* p = SvPV(ST(0), n);
    const char* const end = p + n;
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    bool found = false;
    char before = ' ';
    while (p != end) {
        // Inside of a word is no number.
        if (!is_digit(*p) || !(before == '-' || before == '[' || before == ':' || before == ',' || before == ' ' ||
                               before == '\n' || before == '\t' || before == '\r')) {
            before = *p++;
            continue;
        }
        std::ptrdiff_t digits = 0;
        bool fraction = false;
        for (; p != end && (is_digit(*p) || *p == '.'); ++p) {
            if (*p == '.')
                fraction = true;
            else
                ++digits;
        }
        if (digits >= 18 || (fraction && digits > 15) || (p != end && (*p == 'e' || *p == 'E'))) {
            found = true;
            break;
        }
        before = '0';
    }
    ST(0) = boolSV(found);
    XSRETURN(1);
}

/// _try_decode($text, $utf8, $allow_nonref, $max_depth, $max_size, $false, $true): the value, or nothing where it is
/// not for us. Without an exception, because a signal's handler may die meanwhile, and its exception is not ours to
/// catch.
XSPROTO(try_decode_for_pp) {
    dXSARGS;
    if (items != 7) croak_xs_usage(cv, "text, utf8, allow_nonref, max_depth, max_size, false, true");
    json_options o;
    o.utf8 = SvTRUE(ST(1));
    o.allow_nonref = SvTRUE(ST(2));
    o.max_depth = SvOK(ST(3)) ? static_cast<std::uint32_t>(SvUV(ST(3))) : 0;
    const UV size = SvOK(ST(4)) ? SvUV(ST(4)) : 0;
    o.max_size = size > 1 ? size : 0;
    if (SvOK(ST(5))) {
        o.v_false = sv_mortalcopy(ST(5));
        o.v_true = sv_mortalcopy(ST(6));
    }
    SV* const made = try_decode(aTHX_ ST(0), o);
    if (made == nullptr) XSRETURN_EMPTY;
    ST(0) = made;
    XSRETURN(1);
}

/// _follow($features)
XSPROTO(follow) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "features");
    CvXSUBANY(get_cv("Kumihimo::Instead::PP::_encode", 0)).any_i32 = static_cast<I32>(SvIV(ST(0)));
    XSRETURN_EMPTY;
}

}  // namespace

void init_instead_pp(pTHX) {
    newXS("Kumihimo::Instead::PP::_encode", pp_encode, __FILE__);
    newXS("Kumihimo::Instead::PP::_try_decode", try_decode_for_pp, __FILE__);
    newXS("Kumihimo::Instead::PP::_follow", follow, __FILE__);
    newXS("Kumihimo::Instead::PP::_has_number_of_its_own", has_number_of_its_own, __FILE__);
}

}  // namespace kumihimo::inline v0::perl
