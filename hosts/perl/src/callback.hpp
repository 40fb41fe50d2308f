// Calls of Perl code out of C++ that is to go on afterwards.
//
// `last`, `next`, `redo` and `goto` look for their loop or label in perl's current stack of blocks, and go on from
// there. A loop outside of our call lies on that stack too: its code would run inside call_sv, over C++ frames that
// nobody ends. So Perl code runs on a stack of its own, as it does where perl itself calls it for a tie, an overload
// or a sort. It then finds no loop but its own, and perl croaks: Can't "last" outside a loop block. die and exit take
// such a stack down themselves.
#pragma once
#include "guard.hpp"

namespace kumihimo::inline v0::perl {

/// Before the arguments are pushed: they and the answers lie on the new stack. Nests with ENTER and LEAVE as brackets
/// do.
inline void begin_callback(pTHX) {
    dSP;
    PUSHSTACKi(PERLSI_OVERLOAD);
}
/// When the answers have been taken.
inline void end_callback(pTHX) { POPSTACK; }

/// Calls `code` with an XSUB's own arguments in its context, and leaves the answers where it is to leave its own.
void answer_by(pTHX_ SV* code, I32 ax, I32 items);

}  // namespace kumihimo::inline v0::perl
