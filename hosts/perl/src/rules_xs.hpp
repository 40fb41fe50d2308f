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
        if (o_.core_booleans && is_core_boolean(aTHX_ sv)) return to_.boolean(this->fetched_truth(sv));
        if (SvPOKp(sv)) return this->string(sv);
        if (SvNOKp(sv)) return this->real(SvNVX(sv));
        if (SvIOKp(sv)) return this->integer(sv);
        if (SvROK(sv)) return this->target(sv);
        this->other(sv);
    }
};

}  // namespace kumihimo::inline v0::perl
