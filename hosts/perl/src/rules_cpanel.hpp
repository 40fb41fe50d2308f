// Cpanel::JSON::XS's answers: what a scalar was used as decides, a number's flag before its text.
#pragma once
#include "engine/scalar/float_write.hpp"
#include "rules_modules.hpp"

namespace kumihimo::inline v0::perl {

template <class To>
class cpanel_walk : public module_walk<cpanel_walk<To>, To> {
    using base = module_walk<cpanel_walk<To>, To>;
    using base::my_perl;
    using base::o_;
    using base::to_;

public:
    using base::base;

    // A number that also has text is that text, as a string, where the two differ.
    void mixed(SV* sv) {
        if (sv == &PL_sv_yes || sv == &PL_sv_no) return to_.boolean(sv == &PL_sv_yes);
        if (SvNOKp(sv)) return real_or_text(sv);
        if (SvIOKp(sv)) return integer_or_text(sv);
        if (SvPOKp(sv)) return this->string(sv);
        this->target(sv);
    }
    void object(SV* rv, SV* target) {
        if (is_boolean_class(SvSTASH(target))) return to_.boolean(SvIV(target) != 0);
        if (o_.convert_blessed && this->to_json(rv, target)) return;
        if (o_.allow_blessed) return to_.null();
        this->refuse_object(target);
    }
    void reference(SV*, SV* target) {
        if (SvTYPE(target) < SVt_PVAV && SvTYPE(target) != SVt_PVGV) {
            if (const int b = boolean_of_reference(aTHX_ target); b >= 0) return to_.boolean(b != 0);
            if (o_.allow_unknown) return to_.null();
            this->refuse_scalar_reference(target);
        }
        if (o_.allow_unknown) return to_.null();
        this->refuse_reference(target);
    }

private:
    void real_or_text(SV* sv) { this->real(SvNVX(sv)); }
    void integer_or_text(SV* sv) {
        if (SvPOKp(sv)) {
            char digits[scalar::integer_room];
            char* const end = SvIsUV(sv) ? scalar::write_u64(digits, SvUVX(sv)) : scalar::write_i64(digits, SvIVX(sv));
            const auto n = static_cast<std::size_t>(end - digits);
            if (n != SvCUR(sv) || std::memcmp(digits, SvPVX_const(sv), n) != 0) return this->string(sv);
        }
        this->integer(sv);
    }
};

}  // namespace kumihimo::inline v0::perl
