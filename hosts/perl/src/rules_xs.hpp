// JSON::XS's answers: a scalar that has text is a string, whatever else it has.
#pragma once
#include "rules_modules.hpp"

namespace kumihimo::inline v0::perl {

template <class To>
class xs_walk : public module_walk<xs_walk<To>, To> {
    using base = module_walk<xs_walk<To>, To>;
    using base::my_perl;
    using base::o_;
    using base::to_;

public:
    using base::base;

    void mixed(SV* sv) {
        if (SvPOKp(sv)) return this->string(sv);
        if (SvNOKp(sv)) return this->real(SvNVX(sv));
        if (SvIOKp(sv)) return this->integer(sv);
        this->target(sv);
    }
    void object(SV* rv, SV* target) {
        if (is_boolean_class(SvSTASH(target))) return to_.boolean(SvIV(target) != 0);
        if (o_.convert_blessed && this->to_json(rv, target)) return;
        if (o_.allow_blessed) return to_.null();
        this->refuse_object(target);
    }
    void reference(SV*, SV* target) {
        if (SvTYPE(target) < SVt_PVAV) {
            if (const int b = boolean_of_reference(aTHX_ target); b >= 0) return to_.boolean(b != 0);
            if (o_.allow_unknown) return to_.null();
            this->refuse_scalar_reference(target);
        }
        if (o_.allow_unknown) return to_.null();
        this->refuse_reference(target);
    }
};

}  // namespace kumihimo::inline v0::perl
