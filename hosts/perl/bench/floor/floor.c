/* clang-format off */
/* The least that any encoder and any decoder of perl's values must do, in plain C: what is left above these numbers is
 * headroom.
 *
 *      Bench::Floor::iterate($v)    looks at every value, hashes by hv_iternext, and writes nothing
 *      Bench::Floor::buckets($v)    the same, hashes by the array that holds their chains
 *      Bench::Floor::rebuild($v)    makes the same hashes, arrays and scalars again, and frees them: no key is looked up twice, nothing is shared
 */
#define PERL_NO_GET_CONTEXT
#include <EXTERN.h>
#include <perl.h>
#include <XSUB.h>

typedef UV (*walker)(pTHX_ SV *);

static UV scalar(pTHX_ SV *sv) {
    if (SvPOKp(sv)) return SvCUR(sv);
    if (SvNOKp(sv)) return SvNVX(sv) != 0;
    if (SvIOKp(sv)) return (UV)SvIVX(sv) & 1;
    return 4;
}

static UV array(pTHX_ AV *av, walker walk) {
    SV **const at = AvARRAY(av);
    const SSize_t n = AvFILLp(av) + 1;
    UV sum = 0;
    SSize_t i;
    for (i = 0; i < n; ++i) sum += at[i] ? walk(aTHX_ at[i]) : 4;
    return sum;
}

static UV iterate(pTHX_ SV *sv) {
    SV *to;
    if (!SvROK(sv)) return scalar(aTHX_ sv);
    to = SvRV(sv);
    if (SvTYPE(to) == SVt_PVAV) return array(aTHX_(AV *) to, iterate);
    if (SvTYPE(to) == SVt_PVHV && !SvOBJECT(to)) {
        HV *const hv = (HV *)to;
        HE *he;
        UV sum = 0;
        hv_iterinit(hv);
        while ((he = hv_iternext(hv)) != NULL) sum += (UV)HeKLEN(he) + iterate(aTHX_ HeVAL(he));
        return sum;
    }
    return 4;
}

static UV buckets(pTHX_ SV *sv) {
    SV *to;
    if (!SvROK(sv)) return scalar(aTHX_ sv);
    to = SvRV(sv);
    if (SvTYPE(to) == SVt_PVAV) return array(aTHX_(AV *) to, buckets);
    if (SvTYPE(to) == SVt_PVHV && !SvOBJECT(to)) {
        HV *const hv = (HV *)to;
        HE **const chains = HvARRAY(hv);
        UV sum = 0;
        STRLEN i;
        if (chains)
            for (i = 0; i <= HvMAX(hv); ++i) {
                HE *he;
                for (he = chains[i]; he; he = HeNEXT(he)) sum += (UV)HeKLEN(he) + buckets(aTHX_ HeVAL(he));
            }
        return sum;
    }
    return 4;
}

static SV *copy(pTHX_ SV *sv) {
    SV *to;
    if (!SvROK(sv)) {
        if (SvPOKp(sv)) return newSVpvn_flags(SvPVX(sv), SvCUR(sv), SvUTF8(sv));
        if (SvNOKp(sv)) return newSVnv(SvNVX(sv));
        if (SvIOKp(sv)) return newSViv(SvIVX(sv));
        return newSV(0);
    }
    to = SvRV(sv);
    if (SvTYPE(to) == SVt_PVAV) {
        AV *const from = (AV *)to, *const made = newAV();
        const SSize_t n = AvFILLp(from) + 1;
        SSize_t i;
        if (n) av_extend(made, n - 1);
        for (i = 0; i < n; ++i) av_push(made, copy(aTHX_ AvARRAY(from)[i]));
        return newRV_noinc((SV *)made);
    }
    if (SvTYPE(to) == SVt_PVHV && !SvOBJECT(to)) {
        HV *const from = (HV *)to, *const made = newHV();
        HE *he;
        hv_iterinit(from);
        while ((he = hv_iternext(from)) != NULL) {
            const I32 length = (I32)HeKLEN(he);
            (void)hv_store(made, HeKEY(he), HeKUTF8(he) ? -length : length, copy(aTHX_ HeVAL(he)), 0);
        }
        return newRV_noinc((SV *)made);
    }
    return newSVsv(sv);
}

static void floor_iterate(pTHX_ CV *cv) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "value");
    ST(0) = sv_2mortal(newSVuv(iterate(aTHX_ ST(0))));
    XSRETURN(1);
}

static void floor_buckets(pTHX_ CV *cv) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "value");
    ST(0) = sv_2mortal(newSVuv(buckets(aTHX_ ST(0))));
    XSRETURN(1);
}

static void floor_rebuild(pTHX_ CV *cv) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "value");
    SvREFCNT_dec(copy(aTHX_ ST(0)));
    ST(0) = &PL_sv_yes;
    XSRETURN(1);
}

XS_EXTERNAL(boot_Bench__Floor);
XS_EXTERNAL(boot_Bench__Floor) {
    dXSARGS;
    PERL_UNUSED_VAR(items);
    PERL_UNUSED_VAR(cv);
    newXS("Bench::Floor::iterate", floor_iterate, __FILE__);
    newXS("Bench::Floor::buckets", floor_buckets, __FILE__);
    newXS("Bench::Floor::rebuild", floor_rebuild, __FILE__);
    XSRETURN_YES;
}
