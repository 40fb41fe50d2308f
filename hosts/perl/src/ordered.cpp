#include "ordered.hpp"

namespace kumihimo::inline v0::perl {
namespace {

constexpr char class_name[] = "Kumihimo::JSON::Ordered";

}  // namespace

bool is_ordered_object(SV* object) {
    if (SvTYPE(object) != SVt_PVAV || SvMAGICAL(object)) return false;
    AV* const av = reinterpret_cast<AV*>(object);
    if (AvFILLp(av) < 2) return false;
    SV** const at = AvARRAY(av);
    if (at[0] == nullptr || !SvROK(at[0]) || SvTYPE(SvRV(at[0])) != SVt_PVHV || SvMAGICAL(SvRV(at[0]))) return false;
    for (SSize_t i = 1; i <= 2; ++i)
        if (at[i] != nullptr && !SvIOK(at[i])) return false;
    for (SSize_t i = 3; i <= AvFILLp(av); ++i)
        if (at[i] == nullptr) return false;
    return true;
}

AV* ordered_hash::object_of(pTHX_ HV* hv) {
    const MAGIC* const mg = SvRMAGICAL(hv) ? mg_find(reinterpret_cast<SV*>(hv), PERL_MAGIC_tied) : nullptr;
    if (mg == nullptr || mg->mg_obj == nullptr || !SvROK(mg->mg_obj)) return nullptr;
    SV* const object = SvRV(mg->mg_obj);
    if (!SvOBJECT(object)) return nullptr;
    const char* const name = HvNAME_get(SvSTASH(object));
    if (name == nullptr || std::strcmp(name, class_name) != 0 || !is_ordered_object(object)) return nullptr;
    return reinterpret_cast<AV*>(object);
}

AV* ordered_hash::make_object(pTHX_ HV* data, HV* stash) {
    AV* const object = newAV();
    av_extend(object, first);
    AvARRAY(object)[0] = newRV_noinc(reinterpret_cast<SV*>(data));
    AvARRAY(object)[1] = nullptr;
    AvARRAY(object)[2] = nullptr;
    AvFILLp(object) = first - 1;
    SV* const rv = newRV_noinc(reinterpret_cast<SV*>(object));
    sv_bless(rv, stash);
    SvREFCNT_inc_simple_void_NN(object);
    SvREFCNT_dec_NN(rv);
    return object;
}

SV* ordered_hash::make(pTHX_ HV* data, SV** keys, std::size_t n) {
    AV* const object = make_object(aTHX_ data, gv_stashpvs("Kumihimo::JSON::Ordered", GV_ADD));
    av_extend(object, first + static_cast<SSize_t>(n));
    if (n != 0) std::memcpy(AvARRAY(object) + first, keys, n * sizeof *keys);
    AvFILLp(object) = first - 1 + static_cast<SSize_t>(n);
    HV* const hv = newHV();
    SV* const tie = newRV_noinc(reinterpret_cast<SV*>(object));
    hv_magic(hv, reinterpret_cast<GV*>(tie), PERL_MAGIC_tied);
    SvREFCNT_dec_NN(tie);
    return newRV_noinc(reinterpret_cast<SV*>(hv));
}

void ordered_hash::drop_deleted(pTHX) {
    if (number(2) == 0) return;
    set_number(aTHX_ 2, 0);
    SV** const at = AvARRAY(object_);
    const SSize_t n = AvFILLp(object_) + 1;
    IV place = number(1);
    SSize_t to = first;
    for (SSize_t i = first; i < n; ++i) {
        if (hv_exists_ent(data_, at[i], 0)) {
            at[to++] = at[i];
        } else {
            if (i - first < number(1)) --place;
            SvREFCNT_dec_NN(at[i]);
        }
    }
    for (SSize_t i = to; i < n; ++i) at[i] = nullptr;
    AvFILLp(object_) = to - 1;
    set_number(aTHX_ 1, place);
}

void ordered_hash::store(pTHX_ SV* key, SV* value) {
    const bool known = hv_exists_ent(data_, key, 0);
    if (!known) drop_deleted(aTHX);
    // Always a scalar of its own: what was there may be held elsewhere.
    SV* const held = newSVsv(value);
    HE* const he = hv_store_ent(data_, key, held, 0);
    if (he == nullptr)
        SvREFCNT_dec_NN(held);
    else if (!known)
        av_push(object_, newSVhek(HeKEY_hek(he)));
}

SV* ordered_hash::remove(pTHX_ SV* key) {
    SV* const was = hv_delete_ent(data_, key, 0, 0);
    if (was != nullptr) set_number(aTHX_ 2, 1);
    return was;
}

void ordered_hash::clear(pTHX) {
    hv_clear(data_);
    av_fill(object_, first - 1);
    set_number(aTHX_ 1, 0);
    set_number(aTHX_ 2, 0);
}

SV* ordered_hash::next(pTHX_ bool again) {
    if (again) set_number(aTHX_ 1, 0);
    drop_deleted(aTHX);
    const IV at = number(1);
    if (at < 0 || first + at > AvFILLp(object_)) return nullptr;
    set_number(aTHX_ 1, at + 1);
    return key(static_cast<std::size_t>(at));
}

namespace {

ordered_hash self_of(pTHX_ SV* self) {
    if (!SvROK(self) || !SvOBJECT(SvRV(self)) || !is_ordered_object(SvRV(self)))
        Perl_croak(aTHX_ "%" SVf " is not what %s ties a hash to", SVfARG(self), class_name);
    return ordered_hash(reinterpret_cast<AV*>(SvRV(self)));
}

XSPROTO(tie_hash) {
    dXSARGS;
    if (items < 1 || items % 2 == 0) croak_xs_usage(cv, "class, key => value...");
    AV* const object = ordered_hash::make_object(aTHX_ newHV(), gv_stashsv(ST(0), GV_ADD));
    SV* const rv = sv_2mortal(newRV_noinc(reinterpret_cast<SV*>(object)));
    ordered_hash self(object);
    for (I32 i = 1; i < items; i += 2) self.store(aTHX_ ST(i), ST(i + 1));
    ST(0) = rv;
    XSRETURN(1);
}
XSPROTO(fetch) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "self, key");
    SV* const value = self_of(aTHX_ ST(0)).value(aTHX_ ST(1));
    ST(0) = value != nullptr ? value : &PL_sv_undef;
    XSRETURN(1);
}
XSPROTO(store) {
    dXSARGS;
    if (items != 3) croak_xs_usage(cv, "self, key, value");
    self_of(aTHX_ ST(0)).store(aTHX_ ST(1), ST(2));
    XSRETURN_EMPTY;
}
XSPROTO(remove) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "self, key");
    SV* const was = self_of(aTHX_ ST(0)).remove(aTHX_ ST(1));
    ST(0) = was != nullptr ? was : &PL_sv_undef;
    XSRETURN(1);
}
XSPROTO(exists) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "self, key");
    ST(0) = boolSV(hv_exists_ent(self_of(aTHX_ ST(0)).data(), ST(1), 0));
    XSRETURN(1);
}
// XSANY: NEXTKEY.
XSPROTO(next_key) {
    dXSARGS;
    if (items < 1) croak_xs_usage(cv, "self");
    SV* const key = self_of(aTHX_ ST(0)).next(aTHX_ XSANY.any_i32 == 0);
    ST(0) = key != nullptr ? sv_mortalcopy(key) : &PL_sv_undef;
    XSRETURN(1);
}
XSPROTO(clear) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "self");
    self_of(aTHX_ ST(0)).clear(aTHX);
    XSRETURN_EMPTY;
}
XSPROTO(scalar) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "self");
    ST(0) = sv_2mortal(newSVuv(HvUSEDKEYS(self_of(aTHX_ ST(0)).data())));
    XSRETURN(1);
}

}  // namespace

void init_ordered(pTHX) {
    newXS("Kumihimo::JSON::Ordered::TIEHASH", tie_hash, __FILE__);
    newXS("Kumihimo::JSON::Ordered::FETCH", fetch, __FILE__);
    newXS("Kumihimo::JSON::Ordered::STORE", store, __FILE__);
    newXS("Kumihimo::JSON::Ordered::DELETE", remove, __FILE__);
    newXS("Kumihimo::JSON::Ordered::EXISTS", exists, __FILE__);
    newXS("Kumihimo::JSON::Ordered::CLEAR", clear, __FILE__);
    newXS("Kumihimo::JSON::Ordered::SCALAR", scalar, __FILE__);
    CvXSUBANY(newXS("Kumihimo::JSON::Ordered::FIRSTKEY", next_key, __FILE__)).any_i32 = 0;
    CvXSUBANY(newXS("Kumihimo::JSON::Ordered::NEXTKEY", next_key, __FILE__)).any_i32 = 1;
}

}  // namespace kumihimo::inline v0::perl
