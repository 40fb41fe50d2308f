#include "replace.hpp"

namespace kumihimo::inline v0::perl {

bool replace_body(pTHX_ const char* name, CV* code, XSUBADDR_t body) {
    // The glob, made for real: a function of a package may be in its stash as a mere reference.
    GV* const gv = gv_fetchpv(name, GV_ADD, SVt_PVCV);
    if (gv == nullptr || !isGV_with_GP(gv) || GvCV(gv) != code || GvCVGEN(gv) != 0) {
        croak("Kumihimo: %s is not the function it was a moment ago: not replaced", name);
    }
    if (runs(aTHX_ code)) {
        croak("Kumihimo: %s is running and cannot be replaced now: install before JSON is encoded or decoded", name);
    }
    // newXS takes over a function that has been declared and has no body yet, the CV included; that is how a forward
    // declaration meets its definition. So it is brought into that state. What an assignment to the glob has left
    // would count as a promise that somebody else defines it.
    GvASSUMECV_off(gv);
    cv_undef(code);
    CvANON_off(code);
    newXS(const_cast<char*>(name), body, __FILE__);
    return GvCV(gv) == code && CvISXSUB(code) && CvXSUB(code) == body;
}

}  // namespace kumihimo::inline v0::perl
