#include "ordered.hpp"

namespace kumihimo::inline v0::perl {
namespace {

constexpr char class_name[] = "Kumihimo::JSON::Ordered";

bool is_plain_hash(SV* reference) {
    return SvROK(reference) && SvTYPE(SvRV(reference)) == SVt_PVHV && !SvMAGICAL(SvRV(reference));
}

// A gap is none, and neither is what else a program may have put there.
bool is_key(SV* sv) { return sv != nullptr && SvPOKp(sv) && !SvROK(sv) && !SvMAGICAL(sv) && !SvOBJECT(sv); }

// Later, for a program may have put an object there, whose destructor could change the array while it is being changed
// here.
void drop_later(pTHX_ SV* sv) {
    if (sv != nullptr) sv_2mortal(sv);
}

}  // namespace

bool is_ordered_object(SV* object) {
    if (SvTYPE(object) != SVt_PVAV || SvMAGICAL(object)) return false;
    AV* const av = reinterpret_cast<AV*>(object);
    if (AvFILLp(av) < 2) return false;
    SV** const parts = AvARRAY(av);
    return parts[0] != nullptr && is_plain_hash(parts[0]) && (parts[1] == nullptr || SvIOK(parts[1])) &&
           (parts[2] == nullptr || !SvOK(parts[2]) || is_plain_hash(parts[2]));
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

HV* ordered_hash::places() const {
    SV* const later = AvARRAY(object_)[2];
    return later != nullptr && SvROK(later) ? reinterpret_cast<HV*>(SvRV(later)) : nullptr;
}

void ordered_hash::forget_places(pTHX) {
    SV*& later = AvARRAY(object_)[2];
    drop_later(aTHX_ later);
    later = nullptr;
}

// Where a key is, or -1.
SSize_t ordered_hash::find(pTHX_ SV* key) {
    const SSize_t n = count();
    HV* index = places();
    if (index == nullptr && n <= 2 * few) {
        for (SSize_t i = 0; i < n; ++i)
            if (is_key(slot(i)) && sv_eq(slot(i), key)) return i;
        return -1;
    }
    if (index == nullptr) {
        index = newHV();
        hv_ksplit(index, static_cast<IV>(HvUSEDKEYS(data_)));
        SV*& later = AvARRAY(object_)[2];
        drop_later(aTHX_ later);
        later = newRV_noinc(reinterpret_cast<SV*>(index));
        for (SSize_t i = 0; i < n; ++i)
            if (is_key(slot(i))) (void)hv_store_ent(index, slot(i), newSViv(i), 0);
    }
    HE* const he = hv_fetch_ent(index, key, 0, 0);
    if (he == nullptr || !SvIOK(HeVAL(he))) return -1;
    const IV i = SvIVX(HeVAL(he));
    return i >= 0 && i < n && is_key(slot(i)) ? i : -1;
}

// The first key at i or behind it, or count(). Whoever comes to the gap at i again passes it in one step.
SSize_t ordered_hash::key_from(pTHX_ SSize_t i) {
    const SSize_t n = count();
    SSize_t at = i;
    std::size_t steps = 0;
    while (at < n && !is_key(slot(at))) {
        SV* const gap = slot(at);
        const SSize_t to = gap != nullptr && SvROK(gap) && SvIOK(SvRV(gap)) && !SvROK(SvRV(gap)) ? SvIVX(SvRV(gap)) : 0;
        at = to > at && to <= n ? to : at + 1;
        ++steps;
    }
    if (steps > 1) {
        drop_later(aTHX_ slot(i));
        slot(i) = newRV_noinc(newSViv(at));
    }
    return at;
}

void ordered_hash::close_gaps(pTHX) {
    const SSize_t n = count();
    const SSize_t was = place();
    SSize_t to = 0, before = 0;
    for (SSize_t i = 0; i < n; ++i) {
        if (!is_key(slot(i))) {
            drop_later(aTHX_ slot(i));
            continue;
        }
        if (i < was) ++before;
        slot(to++) = slot(i);
    }
    if (to == n) return;
    for (SSize_t i = to; i < n; ++i) slot(i) = nullptr;
    AvFILLp(object_) = first + to - 1;
    set_place(aTHX_ before);
    forget_places(aTHX);
}

void ordered_hash::store(pTHX_ SV* key, SV* value) {
    const bool known = hv_exists_ent(data_, key, 0);
    HE* const he = hv_store_ent(data_, key, value, 0);
    if (he == nullptr) {
        SvREFCNT_dec_NN(value);
    } else if (!known) {
        if (HV* const index = places(); index != nullptr) (void)hv_store_ent(index, key, newSViv(count()), 0);
        av_push(object_, newSVhek(HeKEY_hek(he)));
    }
}

SV* ordered_hash::remove(pTHX_ SV* key) {
    SV* const was = hv_delete_ent(data_, key, 0, 0);
    if (was == nullptr) return nullptr;
    const SSize_t at = find(aTHX_ key);
    if (at >= 0) {
        SvREFCNT_dec_NN(slot(at));
        slot(at) = nullptr;
        if (HV* const index = places(); index != nullptr) (void)hv_delete_ent(index, key, G_DISCARD, 0);
        const auto gaps = count() - static_cast<SSize_t>(HvUSEDKEYS(data_));
        if (gaps > few && gaps > count() / 2) close_gaps(aTHX);
    }
    return was;
}

void ordered_hash::clear(pTHX) {
    hv_clear(data_);
    av_fill(object_, first - 1);
    set_place(aTHX_ 0);
    forget_places(aTHX);
}

SV* ordered_hash::next(pTHX_ bool again) {
    const SSize_t from = again ? 0 : place();
    if (from < 0 || from > count()) return nullptr;
    const SSize_t at = key_from(aTHX_ from);
    if (at == count()) {
        set_place(aTHX_ at);
        return nullptr;
    }
    set_place(aTHX_ at + 1);
    return key(static_cast<std::size_t>(at));
}

namespace {

ordered_hash self_of(pTHX_ SV* self) {
    if (!SvROK(self) || !SvOBJECT(SvRV(self)) || !is_ordered_object(SvRV(self)))
        Perl_croak(aTHX_ "%" SVf " is not what %s ties a hash to", SVfARG(self), class_name);
    return ordered_hash(reinterpret_cast<AV*>(SvRV(self)));
}

// What runs Perl code (a key's own way to be text, a destructor) may drop the hash, and what is tied to it.
void hold(pTHX_ SV* self) {
    sv_2mortal(SvREFCNT_inc_simple_NN(self));
    if (SvROK(self)) sv_2mortal(SvREFCNT_inc_simple_NN(SvRV(self)));
}

// The key as plain text. Comes before self_of, as Perl code may run. That of a magical value runs later, and may
// change the key or free it.
SV* key_of(pTHX_ SV* self, SV* key, SV* value = nullptr) {
    if (!SvROK(key) && !SvGMAGICAL(key) && SvOK(key) && (value == nullptr || !SvGMAGICAL(value))) [[likely]]
        return key;
    hold(aTHX_ self);
    STRLEN n;
    const char* const p = SvPV_const(key, n);
    return newSVpvn_flags(p, n, SVs_TEMP | SvUTF8(key));
}

XSPROTO(tie_hash) {
    dXSARGS;
    if (items < 1 || items % 2 == 0) croak_xs_usage(cv, "class, key => value...");
    AV* const object = ordered_hash::make_object(aTHX_ newHV(), gv_stashsv(ST(0), GV_ADD));
    SV* const rv = sv_2mortal(newRV_noinc(reinterpret_cast<SV*>(object)));
    ordered_hash self(object);
    for (I32 i = 1; i < items; i += 2) {
        SV* const key = key_of(aTHX_ rv, ST(i), ST(i + 1));
        self.store(aTHX_ key, newSVsv(ST(i + 1)));
    }
    ST(0) = rv;
    XSRETURN(1);
}
XSPROTO(fetch) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "self, key");
    SV* const key = key_of(aTHX_ ST(0), ST(1));
    SV* const value = self_of(aTHX_ ST(0)).value(aTHX_ key);
    ST(0) = value != nullptr ? value : &PL_sv_undef;
    XSRETURN(1);
}
XSPROTO(store) {
    dXSARGS;
    if (items != 3) croak_xs_usage(cv, "self, key, value");
    hold(aTHX_ ST(0));
    SV* const key = key_of(aTHX_ ST(0), ST(1), ST(2));
    (void)self_of(aTHX_ ST(0));
    // A scalar of its own, put in the place of what was there: that may be held elsewhere.
    SV* const value = sv_mortalcopy(ST(2));
    ordered_hash self = self_of(aTHX_ ST(0));
    self.store(aTHX_ key, SvREFCNT_inc_simple(value));
    XSRETURN_EMPTY;
}
XSPROTO(remove) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "self, key");
    SV* const key = key_of(aTHX_ ST(0), ST(1));
    SV* const was = self_of(aTHX_ ST(0)).remove(aTHX_ key);
    ST(0) = was != nullptr ? was : &PL_sv_undef;
    XSRETURN(1);
}
XSPROTO(exists) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "self, key");
    SV* const key = key_of(aTHX_ ST(0), ST(1));
    ST(0) = boolSV(hv_exists_ent(self_of(aTHX_ ST(0)).data(), key, 0));
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
    hold(aTHX_ ST(0));
    ordered_hash self = self_of(aTHX_ ST(0));
    sv_2mortal(SvREFCNT_inc_simple_NN(reinterpret_cast<SV*>(self.data())));
    self.clear(aTHX);
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
