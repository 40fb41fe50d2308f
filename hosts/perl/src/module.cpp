// The compiled part's entry, what XSLoader calls: every part adds its own to Perl.
#include "module.hpp"

using namespace kumihimo;

// Everything else is hidden: two extensions with two engine versions live in one process.
extern "C" __attribute__((visibility("default"))) void boot_Kumihimo(pTHX_ CV* cv);

static void start(pTHX) {
    perl::init_interpreter(aTHX);
    perl::init_json(aTHX);
    perl::init_mojo(aTHX);
    perl::init_instead(aTHX);
    perl::init_instead_pp(aTHX);
    perl::init_message_pack(aTHX);
    perl::init_partial(aTHX);
    perl::init_lazy(aTHX);
    perl::init_stream(aTHX);
    perl::init_any_format(aTHX);
    perl::init_frames(aTHX);
}

void boot_Kumihimo(pTHX_ CV* cv) {
#ifdef dXSBOOTARGSXSAPIVERCHK
    dXSBOOTARGSXSAPIVERCHK;
    PERL_UNUSED_VAR(items);
    start(aTHX);
    Perl_xs_boot_epilog(aTHX_ ax);
#else
    dXSARGS;
    PERL_UNUSED_VAR(items);
    PERL_UNUSED_VAR(cv);
    XS_APIVERSION_BOOTCHECK;
    XS_VERSION_BOOTCHECK;
    start(aTHX);
    XSRETURN_YES;
#endif
}
