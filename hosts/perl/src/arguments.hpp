// The arguments of the calls that take a format or a frame by its name: words, options in pairs, and how a call is
// refused.
#pragma once
#include <cstdint>
#include <string_view>

#include "guard.hpp"

namespace kumihimo::inline v0::perl {

/// The text of an argument, in UTF-8; empty for undef. It is a mortal's, so that nothing takes it away.
inline std::string_view word(pTHX_ SV* sv) {
    if (!SvOK(sv) && !SvGMAGICAL(sv)) return "";
    SV* const copy = sv_2mortal(newSVsv(sv));
    if (!SvOK(copy)) return "";
    STRLEN n;
    const char* const p = SvPVutf8(copy, n);
    return {p, n};
}

/// Whether the call is Kumihimo->name(...): then the class is no argument.
inline bool is_class(pTHX_ SV* sv) {
    PERL_UNUSED_CONTEXT;
    return SvPOK(sv) && std::string_view(SvPVX_const(sv), SvCUR(sv)) == "Kumihimo";
}

[[noreturn]] inline void refuse_option(pTHX_ std::string_view name, const char* call, const char* all) {
    Perl_croak(aTHX_ "%" SVf " is no option of Kumihimo::%s: %s",
               SVfARG(newSVpvn_flags(name.data(), name.size(), SVs_TEMP | SVf_UTF8)), call, all);
    abort();
}
[[noreturn]] inline void usage(pTHX_ const char* call) {
    Perl_croak(aTHX_ "Usage: Kumihimo::%s", call);
    abort();
}

/// What max_depth says.
inline std::uint32_t depth_of(pTHX_ SV* sv) {
    const IV n = SvIV(sv);
    if (n < 0) Perl_croak(aTHX_ "max_depth is not negative: %" IVdf, n);
    return n > IV{UINT32_MAX} ? UINT32_MAX : static_cast<std::uint32_t>(n);
}

}  // namespace kumihimo::inline v0::perl
