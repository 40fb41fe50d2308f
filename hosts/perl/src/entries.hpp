// The entries of a plain hash, read from its buckets.
#pragma once
#include "guard.hpp"

namespace kumihimo::inline v0::perl {

/// Puts the entries into list[0, n), n being HvUSEDKEYS, and says how many there were. In the order of `keys`, which
/// is that of hv_iternext, without touching the iterator; or, where the order does not matter, as the buckets come.
[[gnu::always_inline]] inline std::size_t entries_of(pTHX_ HV* hv, HE** list, std::size_t n, bool any_order) {
    HE** const buckets = HvARRAY(hv);
    const STRLEN last = HvMAX(hv);
    std::size_t i = 0;
    U32 turn = 0;
#ifdef PERL_HASH_RANDOMIZE_KEYS
    if (!any_order) {
        // The first look at a hash's order is what fixes it.
        if (!SvOOK(hv)) hv_iterinit(hv);
        turn = HvRAND_get(hv);
    }
#else
    PERL_UNUSED_VAR(any_order);
#endif
    for (STRLEN b = 0; b <= last; ++b)
        for (HE* he = buckets[(b ^ turn) & last]; he != nullptr; he = HeNEXT(he))
            if (HeVAL(he) != &PL_sv_placeholder && i != n) [[likely]] {
                // Keys and values lie anywhere in memory: all are on their way before the first is looked at.
                __builtin_prefetch(HeKEY_hek(he));
                __builtin_prefetch(HeVAL(he));
                list[i++] = he;
            }
    return i;
}

}  // namespace kumihimo::inline v0::perl
