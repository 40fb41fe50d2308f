// Cpanel::JSON::XS's types: a document beside the document says what becomes of each value.
//
//      value   {id => "7", tags => ["a", undef]}
//      type    {id => JSON_TYPE_INT, tags => json_type_arrayof(JSON_TYPE_STRING_OR_NULL)}          {"id":7,"tags":["a",null]}
//
// Where a type is undefined the value is written by Cpanel::JSON::XS's rules, or refused (require_types), or made a
// string (type_all_string).
#pragma once
#include "rules_cpanel.hpp"

namespace kumihimo::inline v0::perl {

// The numbers of JSON_TYPE_*.
enum : IV { type_bool = 1, type_int = 2, type_float = 3, type_string = 4, type_or_null = 0x100 };

template <class To>
class typed_walk : public cpanel_rules<typed_walk<To>, To> {
    using base = cpanel_rules<typed_walk<To>, To>;
    using base::my_perl;
    using base::o_;
    using base::to_;
    using typename base::frame;
    using typename base::pair;

public:
    using base::base;

    void any(SV* sv) { typed(sv, nullptr); }

    void typed(SV* sv, SV* type) {
        // Perl code that runs on the way may let go of the type.
        if (type != nullptr) {
            sv_2mortal(SvREFCNT_inc_simple_NN(type));
            if (SvROK(type)) sv_2mortal(SvREFCNT_inc_simple_NN(SvRV(type)));
        }
        // To fetch the one may free the other.
        if (type != nullptr && (SvGMAGICAL(type) || SvGMAGICAL(sv))) this->held(sv);
        this->fetch(sv);
        if (type != nullptr) {
            this->fetch(type);
            if (!SvOK(type)) type = nullptr;
        }
        if (type == nullptr && o_.require_types && !o_.type_all_string)
            Perl_croak(aTHX_ "type for '%s' was not specified", this->words(sv));
        if (SvROK(sv) && !SvOBJECT(SvRV(sv))) {
            SV* const target = SvRV(sv);
            if (SvTYPE(target) == SVt_PVHV) return typed_hash(reinterpret_cast<HV*>(target), type);
            if (SvTYPE(target) == SVt_PVAV) return typed_array(reinterpret_cast<AV*>(target), type);
        }
        IV code = 0;
        if (type != nullptr || o_.type_all_string) {
            refuse_unwanted(sv);
            code = type != nullptr ? scalar_type(sv, type) : type_string | type_or_null;
        }
        if (code == 0) return this->value(sv);
        if ((code & type_or_null) != 0 && !SvOK(sv)) return to_.null();
        switch (code & ~IV{type_or_null}) {
            case type_bool: return as_boolean(sv);
            case type_int: return as_integer(sv);
            case type_float: return as_float(sv);
            case type_string: return as_string(sv);
            default: return this->other(sv);
        }
    }

private:
    // ---- types

    static bool is_class(SV* target, const char* name) {
        const char* const class_name = SvOBJECT(target) ? HvNAME_get(SvSTASH(target)) : nullptr;
        if (class_name == nullptr) return false;
        for (const char* family : {"Kumihimo::JSON::Type::", "Cpanel::JSON::XS::Type::"}) {
            const std::size_t n = std::strlen(family);
            if (std::strncmp(class_name, family, n) == 0 && std::strcmp(class_name + n, name) == 0) return true;
        }
        return false;
    }
    [[noreturn]] void refuse_type(SV* type, SV* value) {
        Perl_croak(aTHX_ "encountered type (%s, 0x%x) was specified for '%s'", this->words(type),
                   static_cast<unsigned>(SvFLAGS(type)), this->words(value));
        abort();
    }
    // What anyof has for scalars (0), arrays (1) or hashes (2).
    SV* alternative(SV* type, SSize_t i, SV* value) {
        SV* const found = this->element_of(reinterpret_cast<AV*>(SvRV(type)), i);
        if (found == nullptr)
            Perl_croak(aTHX_ "incorrectly constructed anyof type (%s, 0x%x) was specified for '%s'", this->words(type),
                       static_cast<unsigned>(SvFLAGS(type)), this->words(value));
        sv_2mortal(SvREFCNT_inc_simple_NN(found));
        this->fetch(found);
        return found;
    }
    static bool is_anyof(SV* type) { return SvROK(type) && SvTYPE(SvRV(type)) == SVt_PVAV && is_class(SvRV(type), "AnyOf"); }
    // An object must be allowed, though its type says what it becomes.
    void refuse_unwanted(SV* sv) {
        if (SvROK(sv) && SvOBJECT(SvRV(sv)) && !o_.allow_tags && !o_.convert_blessed && !o_.allow_blessed &&
            !is_boolean_class(SvSTASH(SvRV(sv))) && !is_bignum(aTHX_ SvRV(sv)))
            this->refuse_object(SvRV(sv));
    }
    IV scalar_type(SV* sv, SV* type) {
        if (SvIOKp(type)) return SvIVX(type);
        if (!is_anyof(type)) refuse_type(type, sv);
        type = alternative(type, 0, sv);
        if (!SvIOKp(type)) Perl_croak(aTHX_ "no scalar alternative in anyof was specified for '%s'", this->words(sv));
        return SvIVX(type);
    }
    // The type of a container: `each` is the one of all values, or a container (`whole`) of types.
    struct container_type {
        SV* each = nullptr;
        SV* whole = nullptr;
        SV* type = nullptr;  // what anyof has for it
    };
    container_type type_of_container(SV* container, SV* type, svtype wanted, SSize_t index, const char* package,
                                     const char* name) {
        if (type == nullptr) return {};
        SV* const value = sv_2mortal(newRV_inc(container));
        if (is_anyof(type)) {
            type = alternative(type, index, value);
            if (!SvOK(type)) Perl_croak(aTHX_ "no %s alternative in anyof was specified for '%s'", name, this->words(value));
        }
        if (!SvROK(type)) refuse_type(type, value);
        SV* const target = SvRV(type);
        if (!SvOBJECT(target) && SvTYPE(target) == wanted) return {nullptr, target, type};
        if (SvTYPE(target) < SVt_PVAV && is_class(target, package)) return {target, nullptr, type};
        refuse_type(type, value);
    }

    // ---- containers

    void typed_hash(HV* hv, SV* type) {
        const container_type t = type_of_container(reinterpret_cast<SV*>(hv), type, SVt_PVHV, 2, "HashOf", "hash");
        this->keep_open();
        this->enter();
        std::size_t n = 0;
        pair* const pairs = this->pairs_of(hv, n);
        to_.open(true, n);
        frame f{reinterpret_cast<SV*>(hv), this->top_, nullptr, 0, n, pairs, true};
        this->top_ = &f;
        for (std::size_t i = 0; i < n; ++i) {
            SV* each = t.each;
            if (t.whole != nullptr) {
                HE* const found = hv_fetch_ent(reinterpret_cast<HV*>(t.whole), pairs[i].key, 0, 0);
                if (found == nullptr) Perl_croak(aTHX_ "no type was specified for hash key '%s'", this->words(pairs[i].key));
                each = HeVAL(found);
            }
            this->scalar_key(pairs[i].key);
            typed(pairs[i].value, each);
        }
        this->top_ = f.outer;
        to_.close(true);
        --this->depth_;
    }
    void typed_array(AV* av, SV* type) {
        const container_type t = type_of_container(reinterpret_cast<SV*>(av), type, SVt_PVAV, 1, "ArrayOf", "array");
        AV* const types = reinterpret_cast<AV*>(t.whole);
        const SSize_t n = this->length_of(av);
        if (types != nullptr && n != this->length_of(types))
            Perl_croak(aTHX_ "array '%s' has different number of elements as in specified type '%s'",
                       this->words_of_reference(reinterpret_cast<SV*>(av)), this->words(t.type));
        this->keep_open();
        this->enter();
        sv_2mortal(SvREFCNT_inc_simple_NN(reinterpret_cast<SV*>(av)));
        to_.open(false, static_cast<std::size_t>(n));
        frame f{reinterpret_cast<SV*>(av), this->top_, nullptr, 0, 0, nullptr, true};
        this->top_ = &f;
        SV* each = t.each;
        for (SSize_t i = 0; i < n; ++i) {
            if (types != nullptr) {
                if (SV* const type_of_item = this->element_of(types, i); type_of_item != nullptr) each = type_of_item;
            }
            if (SV* const item = this->element_of(av, i); item != nullptr)
                typed(item, each);
            else
                to_.null();
        }
        this->top_ = f.outer;
        to_.close(false);
        --this->depth_;
    }

    // ---- scalars, made what the type says

    void as_boolean(SV* sv) {
        if (!SvROK(sv)) return to_.boolean(SvOK(sv) && this->fetched_truth(sv));
        SV* const target = SvRV(sv);
        if (SvOBJECT(target)) {
            if (is_boolean_class(SvSTASH(target))) return to_.boolean(this->truth_of_boolean(target));
            if (o_.allow_blessed || o_.convert_blessed) return to_.boolean(SvOK(target) && this->fetched_truth(target));
            Perl_croak(aTHX_ "encountered object '%s', but convert_blessed is not enabled", this->words_of_reference(target));
        }
        if (SvTYPE(target) >= SVt_PVAV || SvTYPE(target) == SVt_PVGV)
            Perl_croak(aTHX_ "encountered %s, but does not represent boolean", this->words_of_reference(target));
        const int b = this->boolean_of(target);
        if (b < 0) this->refuse_scalar_reference(target);
        to_.boolean(b != 0);
    }

    bool is_big(SV* sv) { return o_.allow_bignum && SvROK(sv) && SvOBJECT(SvRV(sv)) && is_bignum(aTHX_ SvRV(sv)); }
    void digits(std::string_view text, bool point) {
        if (!point || text.find_first_of(".eE") != text.npos) return to_.raw(text.data(), text.size());
        SV* const with = sv_2mortal(newSVpvn(text.data(), text.size()));
        sv_catpvs(with, ".0");
        to_.raw(SvPVX_const(with), SvCUR(with));
    }
    // There is no infinity in JSON, and a type says that there is a number.
    void real_number(NV x) { to_.finite_f64(std::isnan(x) ? 0 : std::isinf(x) ? (x > 0 ? NV_MAX : -NV_MAX) : x); }

    void as_float(SV* sv) {
        if (is_big(sv)) {
            const big_text text(aTHX_ this->text_of(sv).view());
            if (const NV x = text.not_finite(); x != 0) return real_number(x);
            return digits(text.view(), true);
        }
        if (SvNOKp(sv)) return real_number(SvNVX(sv));
        if (o_.allow_bignum) {
            const asked_text number = this->fetched_text(sv);
            const int kind = grok_number(number.data, number.size, nullptr);
            if (kind != 0 && (kind & (IS_NUMBER_INFINITY | IS_NUMBER_NAN)) == 0) {
                const big_text text(aTHX_ this->text_of(this->bignum_of(number.view(), false)).view());
                return digits(text.view(), true);
            }
        }
        real_number(this->fetched_real(sv));
    }

    void whole_number(SV* sv) {
        const IV n = this->fetched_integer(sv);
        if (SvIsUV(sv)) return this->unsigned_integer(this->fetched_unsigned(sv));
        to_.i64(n);
    }
    void as_integer(SV* sv) {
        if (is_big(sv)) {
            const bool fraction = sv_isa(sv, "Math::BigFloat");
            const big_text text(aTHX_ this->text_of(fraction ? this->truncated(sv) : sv).view());
            const NV x = text.not_finite();
            if (x == 0) return digits(text.view(), false);
            return std::isnan(x) ? to_.i64(0) : x > 0 ? this->unsigned_integer(UV_MAX) : to_.i64(IV_MIN);
        }
        if (SvIOK(sv)) return this->integer(sv);
        // On its copy: to ask a scalar for its number changes it.
        if (!SvPOKp(sv)) return whole_number(SvROK(sv) ? sv : sv_2mortal(this->fetched_copy(sv)));
        UV n = 0;
        const int kind = grok_number(SvPVX_const(sv), SvCUR(sv), &n);
        const bool negative = (kind & IS_NUMBER_NEG) != 0;
        const bool beyond = (kind & IS_NUMBER_GREATER_THAN_UV_MAX) != 0 || (negative && n > static_cast<UV>(IV_MAX) + 1);
        if (o_.allow_bignum && (beyond || (kind & IS_NUMBER_NOT_INT) != 0) &&
            (kind & (IS_NUMBER_INFINITY | IS_NUMBER_NAN)) == 0) {
            const bool fraction = (kind & IS_NUMBER_NOT_INT) != 0;
            SV* const number = this->bignum_of({SvPVX_const(sv), SvCUR(sv)}, !fraction);
            const big_text text(aTHX_ this->text_of(fraction ? this->truncated(number) : number).view());
            return digits(text.view(), false);
        }
        if ((kind & IS_NUMBER_INFINITY) != 0) return negative ? to_.i64(IV_MIN) : this->unsigned_integer(UV_MAX);
        if ((kind & IS_NUMBER_NAN) != 0) return to_.i64(0);
        if ((kind & IS_NUMBER_IN_UV) == 0) return whole_number(sv_2mortal(this->fetched_copy(sv)));
        if (!negative) return this->unsigned_integer(n);
        to_.i64(n > static_cast<UV>(IV_MAX) ? IV_MIN : -static_cast<IV>(n));
    }
    void as_string(SV* sv) {
        if (o_.core_booleans ? is_core_boolean(aTHX_ sv) : sv == &PL_sv_yes || sv == &PL_sv_no)
            return truth_text(this->fetched_truth(sv));
        if (SvROK(sv)) {
            SV* const target = SvRV(sv);
            if (SvOBJECT(target) && is_boolean_class(SvSTASH(target))) return truth_text(this->truth_of_boolean(target));
        }
        if (SvPOKp(sv)) return this->string(sv);
        const asked_text t = this->fetched_text(sv);
        this->text(t.data, t.size, t.utf8);
    }
    void truth_text(bool b) {
        // As wide as the loads that read them: the compiler sees these, and would warn.
        static constexpr char yes[16] = "true", no[16] = "false";
        b ? to_.str(yes, 4) : to_.str(no, 5);
    }
};

}  // namespace kumihimo::inline v0::perl
