// What stands between the engine and Perl: perl.h without the macros that break C++ headers, and the rules of its
// longjmp.
//
// Perl leaves a function by longjmp (die, exit, out of memory), and that runs no destructor. The rules:
//
//      1  A frame that Perl may jump across holds trivially destructible objects only. Walkers, their output and bursts are
//         such: their memory is Perl's own (mortal SVs) or on the machine stack.
//      2  What owns memory that is not Perl's registers its release with SAVEDESTRUCTOR_X between ENTER and LEAVE: Perl runs
//         that while it unwinds, before it jumps, when the frame is still there.
//      3  No C++ exception crosses a frame of Perl's.
//      4  An SV that is held over a call into Perl is counted, or a mortal.
//      5  Perl code is called on a stack of its own (callback.hpp), so that no `last` or `goto` of it leaves our frames.
//
// Include order: the standard library and the engine first, this last. perl.h makes macros of everyday names.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#define PERL_NO_GET_CONTEXT
#define NO_XSLOCKS
// clang-format off
extern "C" {
#include <EXTERN.h>
#include <perl.h>
#include <XSUB.h>
}
// clang-format on
// Names that the engine and the standard library have too.
#undef seed
#undef do_open
#undef do_close
#undef bind
#undef send
#undef free
#undef malloc
#undef realloc
#undef calloc
#undef read
#undef write
#undef open
#undef close
#undef stat
#undef ref
#undef list
#undef times
#undef mode
#undef push
#undef pop
#undef any
#undef instr
#undef utf16_to_utf8

// Younger than the oldest perl this is for.
#ifndef SvREFCNT_dec_NN
#define SvREFCNT_dec_NN(sv) SvREFCNT_dec(sv)
#endif
#ifndef newSVsv_nomg
#define newSVsv_nomg(sv) ::kumihimo::perl::copy_nomg(aTHX_ sv)
namespace kumihimo::inline v0::perl {
inline SV* copy_nomg(pTHX_ SV* sv) {
    SV* const copy = newSV(0);
    sv_setsv_nomg(copy, sv);
    return copy;
}
}  // namespace kumihimo::inline v0::perl
#endif
#ifndef PERL_VERSION_GE
#define PERL_VERSION_GE(r, v, s) \
    (PERL_REVISION > (r) || (PERL_REVISION == (r) && (PERL_VERSION > (v) || (PERL_VERSION == (v) && PERL_SUBVERSION >= (s)))))
#endif

// Perls before 5.28 and 5.18.
#ifndef SvTRUE_nomg_NN
#define SvTRUE_nomg_NN(sv) SvTRUE_nomg(sv)
#endif
#ifndef HvAMAGIC
#define HvAMAGIC(stash) Gv_AMG(stash)
#endif

namespace kumihimo::inline v0::perl {

/// The kinds that decide how a scalar is written. A scalar that has one of them alone is plain.
inline constexpr U32 kind_mask = SVp_POK | SVp_IOK | SVp_NOK | SVf_ROK | SVs_GMG;

}  // namespace kumihimo::inline v0::perl
