#include "callback.hpp"

namespace kumihimo::inline v0::perl {

void answer_by(pTHX_ SV* code, I32 ax, I32 items) {
    const I32 context = GIMME_V;
    SV* const* const arguments = PL_stack_base + ax;
    PL_stack_sp = PL_stack_base + ax - 1 + items;
    begin_callback(aTHX);
    {
        dSP;
        PUSHMARK(SP);
        EXTEND(SP, items);
        for (I32 i = 0; i < items; ++i) PUSHs(arguments[i]);
        PUTBACK;
    }
    const I32 n = call_sv(code, context);
    SV* const* const answers = PL_stack_sp + 1 - n;
    end_callback(aTHX);
    dSP;
    SP = PL_stack_base + ax - 1;
    EXTEND(SP, n);
    for (I32 i = 0; i < n; ++i) PUSHs(answers[i]);
    PUTBACK;
}

}  // namespace kumihimo::inline v0::perl
