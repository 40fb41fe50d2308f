// The compiled part's entry: what XSLoader calls.

#define PERL_NO_GET_CONTEXT
extern "C" {
#include <EXTERN.h>
#include <perl.h>
#include <XSUB.h>
}

// Everything else is hidden: two extensions with two engine versions live in one process.
extern "C" __attribute__((visibility("default"))) void boot_Kumihimo(pTHX_ CV* cv);
void boot_Kumihimo(pTHX_ CV* cv) {
#ifdef dXSBOOTARGSXSAPIVERCHK
    dXSBOOTARGSXSAPIVERCHK;
    PERL_UNUSED_VAR(items);
    Perl_xs_boot_epilog(aTHX_ ax);
#else
    dXSARGS;
    PERL_UNUSED_VAR(items);
    PERL_UNUSED_VAR(cv);
    XS_APIVERSION_BOOTCHECK;
    XS_VERSION_BOOTCHECK;
    XSRETURN_YES;
#endif
}
