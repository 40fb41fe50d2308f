#include "bignum.hpp"

#include "callback.hpp"

namespace kumihimo::inline v0::perl {
namespace {

/// invocant->name(argument), in scalar context; counted.
SV* call_named(pTHX_ SV* invocant, const char* name, SV* argument = nullptr) {
    begin_callback(aTHX);
    dSP;
    ENTER;
    SAVETMPS;
    PUSHMARK(SP);
    EXTEND(SP, 2);
    PUSHs(invocant);
    if (argument != nullptr) PUSHs(argument);
    PUTBACK;
    call_method(name, G_SCALAR);
    SPAGAIN;
    SV* const answer = newSVsv(POPs);
    PUTBACK;
    FREETMPS;
    LEAVE;
    end_callback(aTHX);
    return answer;
}

}  // namespace

SV* new_bignum(pTHX_ const char* digits, std::size_t n, bool whole) {
    const char* const name = whole ? "Math::BigInt" : "Math::BigFloat";
    SV* const class_name = sv_2mortal(newSVpv(name, 0));
    SV* const text = sv_2mortal(newSVpvn(digits, n));
    if (gv_fetchmethod_autoload(gv_stashsv(class_name, GV_ADD), "new", FALSE) == nullptr)
        load_module(PERL_LOADMOD_NOIMPORT, newSVsv(class_name), nullptr);
    return call_named(aTHX_ class_name, "new", text);
}

SV* truncated_bignum(pTHX_ SV* number) {
    SV* const copy = sv_2mortal(call_named(aTHX_ number, "copy"));
    SV* const negative = sv_2mortal(call_named(aTHX_ copy, "is_negative"));
    return sv_2mortal(call_named(aTHX_ copy, SvTRUE(negative) ? "bceil" : "bfloor"));
}

}  // namespace kumihimo::inline v0::perl
