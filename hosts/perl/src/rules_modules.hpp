// What JSON::XS and Cpanel::JSON::XS have in common: booleans, TO_JSON, references to 0 and 1, their texts.
#pragma once
#include "booleans.hpp"
#include "values.hpp"
#include "walk.hpp"

namespace kumihimo::inline v0::perl {

/// -1: not the reference to a scalar 0 or 1 that stands for a boolean.
inline int boolean_of_reference(pTHX_ SV* target) {
    if (SvTYPE(target) >= SVt_PVAV || SvTYPE(target) == SVt_PVGV) return -1;
    if (!SvOK(target)) return -1;
    STRLEN n;
    const char* const p = SvPV_const(target, n);
    return n == 1 && *p == '1' ? 1 : n == 1 && *p == '0' ? 0 : -1;
}

template <class Self, class To>
class module_walk : public walker<Self, To> {
protected:
    using base = walker<Self, To>;
    using base::my_perl;
    using base::o_;
    using base::to_;

public:
    using base::base;

    [[noreturn]] void too_deep() {
        Perl_croak(aTHX_ "json text or perl structure exceeds maximum nesting level (max_depth set too low?)");
        abort();
    }
    void not_finite(NV x) {
        const std::string_view text = std::isnan(x) ? (std::signbit(x) && o_.non_finite != infnan::unified ? "-nan" : "nan")
                                      : x < 0       ? "-inf"
                                                    : "inf";
        switch (o_.non_finite) {
            case infnan::null: return to_.null();
            case infnan::number: return to_.raw(text.data(), text.size());
            default: return to_.str(text.data(), text.size());
        }
    }
    void other(SV* sv) {
        if (o_.allow_unknown) return to_.null();
        Perl_croak(aTHX_ "encountered perl type (%s,0x%x) that JSON cannot handle, check your input data", SvPV_nolen(sv),
                   static_cast<unsigned>(SvFLAGS(sv)));
    }

    // Pairs of a tied hash, or of one that the caller orders.
    void order_pairs(HV*, typename base::pair* pairs, std::size_t n) {
        if (!o_.canonical) return;
        std::sort(pairs, pairs + n, [&](const auto& a, const auto& b) { return sv_cmp_flags(a.key, b.key, 0) < 0; });
    }

protected:
    /// Calls TO_JSON, where the class has it, and writes the answer.
    bool to_json(SV* rv, SV* target) {
        GV* const method = gv_fetchmethod_autoload(SvSTASH(target), "TO_JSON", FALSE);
        if (method == nullptr) return false;
        PERL_UNUSED_VAR(rv);
        SV* const answer = this->call(reinterpret_cast<SV*>(GvCV(method)), sv_2mortal(newRV_inc(target)));
        if (SvROK(answer) && SvRV(answer) == target) {
            sv_2mortal(answer);
            Perl_croak(aTHX_ "%s::TO_JSON method returned same object as was passed instead of a new one",
                       HvNAME_get(SvSTASH(target)));
        }
        this->owned(answer);
        return true;
    }
    [[noreturn]] void refuse_object(SV* target) {
        Perl_croak(
            aTHX_
            "encountered object '%s', but neither allow_blessed, convert_blessed nor allow_tags settings are enabled (or "
            "TO_JSON/FREEZE method missing)",
            SvPV_nolen(sv_2mortal(newRV_inc(target))));
        abort();
    }
    [[noreturn]] void refuse_scalar_reference(SV* target) {
        Perl_croak(aTHX_ "cannot encode reference to scalar '%s' unless the scalar is 0 or 1",
                   SvPV_nolen(sv_2mortal(newRV_inc(target))));
        abort();
    }
    [[noreturn]] void refuse_reference(SV* target) {
        Perl_croak(aTHX_ "encountered %s, but JSON can only represent references to arrays or hashes",
                   SvPV_nolen(sv_2mortal(newRV_inc(target))));
        abort();
    }
};

}  // namespace kumihimo::inline v0::perl
