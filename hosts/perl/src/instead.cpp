// Kumihimo::Instead's compiled part: the functions of other modules become ours, and theirs again.
//
// JSON::XS and Cpanel::JSON::XS are XSUBs all through: a CV's body is a pointer and a number, which are exchanged and
// put back. The CV stays the same one, so that imports, references and compiled calls follow. Their objects are
// structs that their methods reach into without asking much, and ours live beside theirs (older ones, newer ones after
// an uninstall). So a method looks at its object first:
//
//      *JSON::XS::encode  ->  CV, body: by_object  --- an object of ours?  ---> Kumihimo::JSON::encode
//                                 magic: ours, stock    \-- any other       ---> a CV with the body that was there
#include "booleans.hpp"
#include "decode.hpp"
#include "encode.hpp"
#include "json.hpp"
#include "module.hpp"

namespace kumihimo::inline v0::perl {
namespace {

// Who a method goes to, by these tables' magic on its CV: perl counts the functions and copies them for a new thread.
constexpr MGVTBL ours_table{};
constexpr MGVTBL stock_table{};

CV* held(CV* by, const MGVTBL& table) {
    const MAGIC* const mg = mg_findext(reinterpret_cast<SV*>(by), PERL_MAGIC_ext, &table);
    return mg == nullptr ? nullptr : reinterpret_cast<CV*>(mg->mg_obj);
}

/// The body of a method that both kinds of objects come to. The arguments stay where they are, and whoever answers
/// takes them.
void by_object(pTHX_ CV* cv) {
    SV** const first = PL_stack_base + TOPMARK + 1;
    CV* to;
    if (first <= PL_stack_sp && json_object::find(*first) != nullptr) {
        to = held(cv, ours_table);
        if (to == nullptr) {
            dXSARGS;
            PERL_UNUSED_VAR(items);
            // Ours let go of what they hold by their magic.
            if (strEQ(GvNAME(CvGV(cv)), "DESTROY")) XSRETURN_EMPTY;
            Perl_croak(aTHX_ "%s: Kumihimo stands in for this object's class and has no such method: see Kumihimo::Instead",
                       GvNAME(CvGV(cv)));
        }
    } else {
        to = held(cv, stock_table);
        if (to == nullptr) Perl_croak(aTHX_ "Kumihimo: a function without the one it had been");
    }
    CvXSUB(to)(aTHX_ to);
}

CV* xsub_of(pTHX_ SV* v) {
    if (!SvROK(v) || SvTYPE(SvRV(v)) != SVt_PVCV || !CvISXSUB(reinterpret_cast<CV*>(SvRV(v))))
        croak("Kumihimo: not a reference to a compiled function");
    return reinterpret_cast<CV*>(SvRV(v));
}
void take_body(CV* code, const CV* from) {
    CvXSUB(code) = CvXSUB(from);
    CvXSUBANY(code) = CvXSUBANY(from);
}

/// _is_xsub($code, $class): compiled, no constant, and the class's own. One that it has imported is everybody's.
/// $class undef: of any class.
XSPROTO(is_xsub) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "code, class");
    CV* const code = SvROK(ST(0)) && SvTYPE(SvRV(ST(0))) == SVt_PVCV ? reinterpret_cast<CV*>(SvRV(ST(0))) : nullptr;
    bool is = code != nullptr && CvISXSUB(code) && !CvCONST(code);
    if (is && SvOK(ST(1))) {
        const GV* const gv = CvGV(code);
        is = gv != nullptr && isGV(gv) && GvSTASH(gv) == gv_stashsv(ST(1), 0);
    }
    ST(0) = boolSV(is);
    XSRETURN(1);
}
/// _copy($code): another function with the same body, whose errors name the same function.
XSPROTO(copy) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "code");
    CV* const code = xsub_of(aTHX_ ST(0));
    CV* const made = newXS(nullptr, CvXSUB(code), __FILE__);
    take_body(made, code);
    if (CvLVALUE(code)) CvLVALUE_on(made);
    ST(0) = sv_2mortal(newRV_noinc(reinterpret_cast<SV*>(made)));
    XSRETURN(1);
}
/// _set_body($code, $from): the one has the other's body from now on.
XSPROTO(set_body) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "code, from");
    take_body(xsub_of(aTHX_ ST(0)), xsub_of(aTHX_ ST(1)));
    XSRETURN_EMPTY;
}
/// _dispatch_by_object($code, $ours, $stock): the method goes by its object from now on; without $ours, ours have no
/// such method.
XSPROTO(dispatch_by_object) {
    dXSARGS;
    if (items != 3) croak_xs_usage(cv, "code, ours, stock");
    CV* const code = xsub_of(aTHX_ ST(0));
    if (CvXSUB(code) == by_object) croak("Kumihimo: a method that goes by its object already");
    SV* const self = reinterpret_cast<SV*>(code);
    if (SvOK(ST(1))) sv_magicext(self, reinterpret_cast<SV*>(xsub_of(aTHX_ ST(1))), PERL_MAGIC_ext, &ours_table, nullptr, 0);
    sv_magicext(self, reinterpret_cast<SV*>(xsub_of(aTHX_ ST(2))), PERL_MAGIC_ext, &stock_table, nullptr, 0);
    CvXSUB(code) = by_object;
    XSRETURN_EMPTY;
}
/// _is_ours($object)
XSPROTO(is_ours) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "object");
    ST(0) = boolSV(json_object::find(ST(0)) != nullptr);
    XSRETURN(1);
}

// ---- JSON::XS: what Kumihimo::JSON does better is as JSON::XS has it, because a program was not asked whether it wants it

json_options xs_defaults(bool utf8) {
    json_options o = json_defaults(rules::xs);
    o.core_booleans = false;
    o.non_finite = infnan::number;
    o.utf8 = utf8;
    return o;
}
const json_options xs_object = xs_defaults(false);
const json_options xs_function = xs_defaults(true);

XSPROTO(xs_new) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "klass");
    HV* const stash = gv_stashpv(SvPV_nolen(ST(0)), GV_ADD | (SvUTF8(ST(0)) ? SVf_UTF8 : 0));
    ST(0) = json_object::make(aTHX_ stash, xs_object);
    XSRETURN(1);
}
XSPROTO(xs_encode_json) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "scalar");
    SV* const text = encode(aTHX_ ST(0), xs_function);
    ST(0) = text;
    XSRETURN(1);
}
XSPROTO(xs_decode_json) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "jsonstr");
    SV* const value = decode(aTHX_ ST(0), xs_function);
    ST(0) = value;
    XSRETURN(1);
}

}  // namespace

void init_instead(pTHX) {
    newXS("Kumihimo::Instead::_is_xsub", is_xsub, __FILE__);
    newXS("Kumihimo::Instead::_copy", copy, __FILE__);
    newXS("Kumihimo::Instead::_set_body", set_body, __FILE__);
    newXS("Kumihimo::Instead::_dispatch_by_object", dispatch_by_object, __FILE__);
    newXS("Kumihimo::Instead::_is_ours", is_ours, __FILE__);
    newXS("Kumihimo::Instead::XS::new", xs_new, __FILE__);
    newXS("Kumihimo::Instead::XS::encode_json", xs_encode_json, __FILE__);
    newXS("Kumihimo::Instead::XS::decode_json", xs_decode_json, __FILE__);
}

}  // namespace kumihimo::inline v0::perl
