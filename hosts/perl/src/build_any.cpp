#include "build_any.hpp"

#include "bignum.hpp"

namespace kumihimo::inline v0::perl {

void prepare_values(pTHX) {
    interpreter& mine = interpreter::here(aTHX);
    mine.boolean(aTHX_ true);
    mine.boolean(aTHX_ false);
}

SV* settled(pTHX_ const outcome& out) {
    SV* const made = sv_2mortal(out.made);
    if (out.bigs == nullptr) [[likely]]
        return made;
    AV* const bigs = reinterpret_cast<AV*>(sv_2mortal(reinterpret_cast<SV*>(out.bigs)));
    for (SSize_t i = 0; i <= AvFILLp(bigs); ++i) {
        SV* const sv = AvARRAY(bigs)[i];
        const std::string_view digits(SvPVX_const(sv), SvCUR(sv));
        const bool whole = digits.find_first_of(".eE") == digits.npos;
        sv_setsv(sv, sv_2mortal(new_bignum(aTHX_ digits.data(), digits.size(), whole)));
    }
    return made;
}

}  // namespace kumihimo::inline v0::perl
