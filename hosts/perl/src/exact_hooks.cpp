#include "exact_hooks.hpp"

#include "booleans.hpp"
#include "callback.hpp"

namespace kumihimo::inline v0::perl {

namespace {

/// Calls `code` with one argument in list context; a copy of what it returns, or null where it returns nothing.
/// JSON::XS forbids more than one value; Cpanel::JSON::XS takes that for nothing.
SV* asked(pTHX_ SV* code, SV* argument, const json_options& o, const char* too_many) {
    begin_callback(aTHX);
    dSP;
    ENTER;
    SAVETMPS;
    sv_2mortal(SvREFCNT_inc_simple_NN(code));  // it may take itself out of the options
    PUSHMARK(SP);
    XPUSHs(argument);
    PUTBACK;
    const I32 count = call_sv(code, G_ARRAY);
    SPAGAIN;
    if (count > 1 && o.follows != rules::cpanel) Perl_croak(aTHX_ "%s", too_many);
    SV* const answer = count == 1 ? newSVsv(TOPs) : nullptr;
    SP -= count;
    PUTBACK;
    FREETMPS;
    LEAVE;
    end_callback(aTHX);
    return answer;
}

/// The entry of a hash that has exactly one, or null.
HE* only_entry(pTHX_ HV* hv) {
    if (!SvRMAGICAL(hv) && HvUSEDKEYS(hv) != 1) return nullptr;
    hv_iterinit(hv);
    HE* const entry = hv_iternext(hv);
    const bool more = entry != nullptr && SvRMAGICAL(hv) && hv_iternext(hv) != nullptr;
    hv_iterinit(hv);
    return more ? nullptr : entry;
}

}  // namespace

SV* filtered(pTHX_ SV* object, const json_options& o) {
    sv_2mortal(object);
    HV* const hv = reinterpret_cast<HV*>(SvRV(object));
    if (o.filter_single != nullptr) {
        if (HE* const entry = only_entry(aTHX_ hv); entry != nullptr) {
            SV* const value = hv_iterval(hv, entry);
            if (HE* const code = hv_fetch_ent(o.filter_single, hv_iterkeysv(entry), 0, 0); code != nullptr) {
                SV* const answer = asked(aTHX_ HeVAL(code), value, o,
                                         "filter_json_single_key_object callbacks must not return more than one scalar");
                if (answer != nullptr) return answer;
            }
        }
    }
    if (o.filter_object != nullptr) {
        SV* const answer =
            asked(aTHX_ o.filter_object, object, o, "filter_json_object callbacks must not return more than one scalar");
        if (answer != nullptr) return answer;
    }
    return SvREFCNT_inc_simple_NN(object);
}

SV* thawed(pTHX_ SV* tag, SV* values, const char*& what) {
    if (!SvROK(values) || SvTYPE(SvRV(values)) != SVt_PVAV) {
        what = "malformed JSON string, tag value must be an array";
        return nullptr;
    }
    HV* const stash = gv_stashsv(tag, 0);
    if (stash == nullptr) {
        what = "cannot decode perl-object (package does not exist)";
        return nullptr;
    }
    GV* const method = gv_fetchmethod_autoload(stash, "THAW", 0);
    if (method == nullptr) {
        what = "cannot decode perl-object (package does not have a THAW method)";
        return nullptr;
    }
    AV* const av = reinterpret_cast<AV*>(SvRV(values));
    const SSize_t n = av_len(av) + 1;
    begin_callback(aTHX);
    dSP;
    ENTER;
    SAVETMPS;
    PUSHMARK(SP);
    EXTEND(SP, n + 2);
    PUSHs(tag);
    mPUSHs(newSVpvs("JSON"));
    for (SSize_t i = 0; i < n; ++i) PUSHs(*av_fetch(av, static_cast<decltype(av_len(av))>(i), 1));
    PUTBACK;
    call_sv(reinterpret_cast<SV*>(GvCV(method)), G_SCALAR);
    SPAGAIN;
    SV* const made = newSVsv(POPs);
    PUTBACK;
    FREETMPS;
    LEAVE;
    end_callback(aTHX);
    return made;
}

bool is_nonref(pTHX_ SV* value) {
    if (!SvROK(value)) return true;
    SV* const target = SvRV(value);
    if (SvOBJECT(target)) return is_boolean_class(SvSTASH(target));
    if (SvTYPE(target) >= SVt_PVAV || !SvOK(target) || SvROK(target)) return false;
    STRLEN n;
    const char* const p = SvPV(target, n);
    return n == 1 && (*p == '0' || *p == '1');
}

bool is_no_container(pTHX_ SV* value, const json_options& o) {
    // A tie may let go of the scalar that is to be encoded.
    if (SvGMAGICAL(value) || SvROK(value)) sv_2mortal(SvREFCNT_inc_simple_NN(value));
    SvGETMAGIC(value);
    if (SvROK(value) && o.follows == rules::xs && SvTYPE(SvRV(value)) < SVt_PVMG) return false;
    return is_nonref(aTHX_ value);
}

I32 key_length(const text& key) noexcept {
    const auto n = static_cast<I32>(key.size);
    return key.charset == encoding::utf8 ? -n : n;
}

bool key_came(pTHX_ HV* keys, const text& key, AV** values) {
    const char* const p = static_cast<const char*>(key.data);
    const I32 n = key_length(key);
    SV** const had = hv_fetch(keys, p, n, 0);
    if (had != nullptr) {
        if (values != nullptr) *values = reinterpret_cast<AV*>(*had);
        return true;
    }
    SV* mark = &PL_sv_yes;
    if (values != nullptr) {
        *values = newAV();
        mark = reinterpret_cast<SV*>(*values);
    }
    (void)hv_store(keys, p, n, mark, 0);
    return false;
}

void gather_repeated(pTHX_ HV* keys, SV* object) {
    HV* const into = reinterpret_cast<HV*>(SvRV(object));
    hv_iterinit(keys);
    for (HE* entry; (entry = hv_iternext(keys)) != nullptr;) {
        AV* const values = reinterpret_cast<AV*>(HeVAL(entry));
        if (av_len(values) < 1) continue;
        SV* const list = newRV_inc(reinterpret_cast<SV*>(values));
        HE* const stored = hv_store_ent(into, hv_iterkeysv(entry), list, 0);
        SvSETMAGIC(list);
        if (stored == nullptr) SvREFCNT_dec(list);
    }
}

}  // namespace kumihimo::inline v0::perl
