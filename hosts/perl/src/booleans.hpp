// What is a boolean to Perl's JSON modules: objects of their classes, and perl's own.
#pragma once
#include <string_view>

#include "guard.hpp"

namespace kumihimo::inline v0::perl {

/// The classes of booleans: JSON::PP's (Cpanel's and Mojo's too), Types::Serialiser's (JSON::XS's too),
/// Data::MessagePack's, and those of older modules.
inline bool is_boolean_class(HV* stash) {
    const char* const name = HvNAME_get(stash);
    if (name == nullptr) return false;
    const std::string_view s(name, static_cast<std::size_t>(HvNAMELEN_get(stash)));
    return s == "JSON::PP::Boolean" || s == "Types::Serialiser::Boolean" || s == "JSON::XS::Boolean" ||
           s == "Cpanel::JSON::XS::Boolean" || s == "Mojo::JSON::_Bool" || s == "Data::MessagePack::Boolean";
}

/// Whether a referent may be the scalar 0 or 1 that stands for a boolean, its value being fetched.
inline bool may_be_boolean(SV* target) { return SvTYPE(target) < SVt_PVAV && SvTYPE(target) != SVt_PVGV && SvOK(target); }
/// Which one, by its text; -1: neither.
inline int boolean_of_text(std::string_view text) { return text == "1" ? 1 : text == "0" ? 0 : -1; }

/// What a comparison gives, and its copies where perl tells them from 1 and "" (5.36).
[[gnu::always_inline]] inline bool is_core_boolean(pTHX_ SV* sv) {
#ifdef SvIsBOOL
    return SvIsBOOL(sv);
#else
    return sv == &PL_sv_yes || sv == &PL_sv_no;
#endif
}

}  // namespace kumihimo::inline v0::perl
