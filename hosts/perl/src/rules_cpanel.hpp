// Cpanel::JSON::XS's answers: what a scalar was used as decides, a number's flag before its text.
#pragma once
#include "engine/scalar/float_write.hpp"
#include "rules_modules.hpp"

namespace kumihimo::inline v0::perl {

template <class Self, class To>
class cpanel_rules : public module_walk<Self, To> {
    using base = module_walk<Self, To>;

protected:
    using base::my_perl;
    using base::o_;
    using base::to_;

public:
    using base::base;

    // A number that also has text is that text, as a string, where the two differ.
    void mixed(SV* sv) {
        // Before perl knew booleans, only the two scalars themselves were told from their copies.
        if (o_.core_booleans ? is_core_boolean(aTHX_ sv) : sv == &PL_sv_yes || sv == &PL_sv_no)
            return to_.boolean(this->fetched_truth(sv));
        if (SvNOKp(sv)) return real_or_text(sv);
        if (SvIOKp(sv)) return integer_or_text(sv);
        if (SvPOKp(sv)) return this->string(sv);
        if (SvROK(sv)) return this->target(sv);
        this->other(sv);
    }

private:
    // Texts are compared as C's strings.
    static bool is_text_of(const SV* sv, std::string_view number) {
        const char* const p = SvPVX_const(sv);
        return number == std::string_view(p, strnlen(p, SvCUR(sv)));
    }
    void real_or_text(SV* sv) {
        const NV x = SvNVX(sv);
        if (!SvPOKp(sv) && !SvIOK(sv)) return this->real(x);
        if (!std::isfinite(x)) {
            if (!SvPOKp(sv)) return this->not_finite(x);
            const std::string_view text = o_.non_finite == infnan::null ? "null" : this->infnan_text(x);
            // A text in quotes cannot be taken for a number's.
            const bool quoted = o_.non_finite == infnan::string || o_.non_finite == infnan::unified;
            return quoted || !is_text_of(sv, text) ? this->string(sv) : this->not_finite(x);
        }
        char digits[scalar::float_room];
        char* const end = scalar::write_f64(digits, x, scalar::float_layout::perl15);
        if (SvPOKp(sv) && !is_text_of(sv, {digits, static_cast<std::size_t>(end - digits)})) return this->string(sv);
        // A double that was used as an integer has no point.
        if (SvIOK(sv) && x == std::trunc(x)) {
            char* const until = o_.shortest_floats ? scalar::write_f64(digits, x, scalar::float_layout::perl_shortest) : end;
            return to_.raw(digits, static_cast<std::size_t>(until - digits));
        }
        to_.finite_f64(x);
    }
    void integer_or_text(SV* sv) {
        if (SvPOKp(sv)) {
            char digits[scalar::integer_room];
            char* const end = SvIsUV(sv) ? scalar::write_u64(digits, SvUVX(sv)) : scalar::write_i64(digits, SvIVX(sv));
            if (SvPOKp(sv) && !is_text_of(sv, {digits, static_cast<std::size_t>(end - digits)})) return this->string(sv);
        }
        this->integer(sv);
    }
};

template <class To>
class cpanel_walk : public cpanel_rules<cpanel_walk<To>, To> {
public:
    using cpanel_rules<cpanel_walk<To>, To>::cpanel_rules;
};

}  // namespace kumihimo::inline v0::perl
