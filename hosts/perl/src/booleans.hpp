// What is a boolean to Perl's JSON modules: objects of their classes, and perl's own.
#pragma once
#include <string_view>

#include "guard.hpp"

namespace kumihimo::inline v0::perl {

/// The classes of booleans: JSON::PP's (Cpanel's and Mojo's too), Types::Serialiser's (JSON::XS's too), Data::MessagePack's,
/// and those of older modules.
inline bool is_boolean_class(HV* stash) {
    const char* const name = HvNAME_get(stash);
    if (name == nullptr) return false;
    const std::string_view s(name, static_cast<std::size_t>(HvNAMELEN_get(stash)));
    return s == "JSON::PP::Boolean" || s == "Types::Serialiser::Boolean" || s == "JSON::XS::Boolean" ||
           s == "Cpanel::JSON::XS::Boolean" || s == "Mojo::JSON::_Bool" || s == "Data::MessagePack::Boolean";
}

/// -1: not the reference to a scalar 0 or 1 that stands for a boolean. Fetches nothing: that is the caller's.
inline int boolean_of_reference(pTHX_ SV* target) {
    if (SvTYPE(target) >= SVt_PVAV || SvTYPE(target) == SVt_PVGV) return -1;
    if (!SvOK(target)) return -1;
    STRLEN n;
    const char* const p = SvPV_nomg_const(target, n);
    return n != 1 ? -1 : *p == '1' ? 1 : *p == '0' ? 0 : -1;
}

/// What a comparison gives, and its copies where perl tells them from 1 and "" (5.36).
[[gnu::always_inline]] inline bool is_core_boolean(pTHX_ SV* sv) {
#ifdef SvIsBOOL
    return SvIsBOOL(sv);
#else
    return sv == &PL_sv_yes || sv == &PL_sv_no;
#endif
}

}  // namespace kumihimo::inline v0::perl
