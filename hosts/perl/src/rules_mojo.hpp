// What Mojo::JSON in pure Perl makes of values that are not plain. Its sentences, and where each is here:
//
//      ref $value eq 'HASH', 'ARRAY', 'SCALAR', 'JSON::PP::Boolean'      object(), reference()   a package may have such a name
//      $value->can('TO_JSON'), then the first value of the list          to_json()
//      overload::Method($value, '""')                                    object()                releases that ask for it
//      builtin::is_bool($value)                                          mixed()                 releases that ask for it
//      !utf8::is_utf8($value) && length('' & $value)                     mixed()                 has a number, no UTF-8 flag
//          && 0 + $value eq $value && $value * 0 == 0                      real(), ask()           and both texts are the same
#pragma once
#include "walk_json.hpp"

namespace kumihimo::inline v0::perl {

template <class To>
class mojo_walk : public json_walker<mojo_walk<To>, To> {
    using base = json_walker<mojo_walk<To>, To>;
    friend base;
    using base::depth_, base::o_, base::to_;
    using base::my_perl;
    using typename base::pair;

public:
    static constexpr bool tells_flags = true;
    using base::base;

    // A whole number loses its fraction, and a zero its sign, as in Perl's own text of it: '' & $value has made it an
    // integer, as far as a double has every integer. Beyond, 0 + $value is an integer of more digits than the text
    // has, or is not.
    [[gnu::always_inline]] void real(NV x) {
        if (x == std::trunc(x)) [[unlikely]]
            return whole(x);
        if (std::isfinite(x)) [[likely]]
            return to_.finite_f64(x);
        not_finite(x);
    }
    [[gnu::cold]] void not_finite(NV x) {
        if (std::isnan(x)) return to_.str("NaN", 3);
        if (x < 0) return to_.str("-Inf", 4);
        to_.str("Inf", 3);
    }

    /// A scalar that has a number and a string, or was fetched: whatever is more than one plain kind.
    [[gnu::noinline]] void mixed(SV* sv) {
        if (SvROK(sv)) return base::target(sv);
#ifdef SvIsBOOL
        if (o_.core_booleans && SvIsBOOL(sv)) return to_.boolean(this->fetched_truth(sv));
#endif
        if (SvNIOKp(sv) && SvUTF8(sv) == 0) return number_or_text(sv);
        other(sv);
    }
    /// Neither string nor number: a glob, a compiled pattern.
    [[gnu::noinline]] void other(SV* sv) { written(this->fetched_text(sv)); }

    /// What is not blessed, and no array or hash.
    [[gnu::noinline]] void reference(SV*, SV* to) {
        if (std::strcmp(sv_reftype(to, 0), "SCALAR") == 0) return truth_of(to);
        to_.null();
    }
    [[gnu::noinline]] void object(SV* rv, SV* to) {
        if (const char* const name = HvNAME_get(SvSTASH(to)); name != nullptr) {
            if (std::strcmp(name, "JSON::PP::Boolean") == 0) return boolean_object(rv, to);
            if (std::strcmp(name, "HASH") == 0 && SvTYPE(to) == SVt_PVHV) return base::hash(reinterpret_cast<HV*>(to));
            if (std::strcmp(name, "ARRAY") == 0 && SvTYPE(to) == SVt_PVAV) return base::array(reinterpret_cast<AV*>(to));
            if (std::strcmp(name, "SCALAR") == 0 && SvTYPE(to) < SVt_PVAV) return truth_of(to);
            // The name is false, so `ref` says that this is no reference.
            if (name[0] == '0' && name[1] == '\0') return stringified(rv);
        }
        // Whatever runs now may let go of the object.
        this->keep_open();
        SV* const own = sv_2mortal(newRV_inc(to));
        if (SV* const method = can_to_json(own); method != nullptr) return to_json(own, method);
        if (o_.null_objects && !has_string_overload(SvSTASH(to))) return to_.null();
        stringified(own);
    }

    /// Tied hashes, in the order of their keys.
    void order_pairs(HV*, pair* pairs, std::size_t n) {
        std::sort(pairs, pairs + n, [&](const pair& a, const pair& b) { return compare_texts(aTHX_ a.key, b.key) < 0; });
    }
    // max_depth is no limit of this rule set.
    [[noreturn]] void too_deep() {
        Perl_croak(aTHX_ "the structure is nested too deeply (%lu levels)", static_cast<unsigned long>(depth_));
        std::abort();
    }

private:
    [[gnu::noinline]] void whole(NV x) {
        if (std::fabs(x) < 0x1p53) return to_.i64(static_cast<std::int64_t>(x));
        if (!std::isfinite(x)) return not_finite(x);
        ask(sv_2mortal(newSVnv(x)));
    }
    void written(const asked_text& t) { base::text(t.data, t.size, t.utf8); }
    /// $$value ? true : false
    void truth_of(SV* to) { to_.boolean(this->truth(to)); }
    /// $value ? true : false, which JSON::PP's overload makes of what the reference refers to.
    void boolean_object(SV* rv, SV* to) {
        if (SvTYPE(to) < SVt_PVAV && has_quiet_truth(to)) return to_.boolean(this->fetched_truth(to));
        to_.boolean(this->truth(rv));
    }
    void stringified(SV* rv) { written(this->fetched_text(rv)); }
    /// Number or text: the same conversions that Perl makes in Mojo::JSON's condition.
    [[gnu::noinline]] void number_or_text(SV* sv) {
        // A copy, as in Mojo::JSON: to ask a scalar for its number changes it.
        SV* const copy = sv_2mortal(this->fetched_copy(sv));
        if (SvNOKp(copy) && !(std::fabs(SvNVX(copy)) < 0x1p53)) return ask(copy);
        const IV number = this->fetched_integer(copy);
        SV* const sum = sv_newmortal();
        if (!SvIOK(copy))
            sv_setnv(sum, this->fetched_real(copy));
        else if (SvIsUV(copy))
            sv_setuv(sum, SvUVX(copy));
        else
            sv_setiv(sum, number);
        const asked_text text = this->fetched_text(copy);
        if (text.view() == this->fetched_text(sum).view()) return to_.raw(text.data, text.size);
        written(text);
    }
    /// The condition itself, in Perl: which integers beyond 2^53 its addition takes as such is perl's own affair.
    [[gnu::cold, gnu::noinline]] void ask(SV* copy) {
        SV* const code = sv_2mortal(newSVpvs("Kumihimo::Mojo::_is_number"));
        const bool number = this->truth(sv_2mortal(this->call(code, {SvREFCNT_inc_simple_NN(copy)})));
        const asked_text text = this->fetched_text(copy);
        if (number) return to_.raw(text.data, text.size);
        written(text);
    }

    /// `can` is a method, which a class may have as its own.
    SV* can_to_json(SV* rv) {
        HV* const stash = SvSTASH(SvRV(rv));
        GV* const can = gv_fetchmethod_autoload(stash, "can", FALSE);
        if (can != nullptr && isGV(can) && GvCV(can) == get_cv("UNIVERSAL::can", 0)) [[likely]] {
            GV* const method = gv_fetchmethod_autoload(stash, "TO_JSON", FALSE);
            return method != nullptr && isGV(method) ? reinterpret_cast<SV*>(GvCV(method)) : nullptr;
        }
        if (can == nullptr) return nullptr;
        SV* const answer =
            sv_2mortal(this->call(reinterpret_cast<SV*>(GvCV(can)), {SvREFCNT_inc_simple_NN(rv), newSVpvs("TO_JSON")}));
        return this->truth(answer) ? answer : nullptr;
    }
    void to_json(SV* rv, SV* method) {
        // An object that answers with itself ends in an error, not in a crash.
        this->enter();
        const bool is_code = SvROK(method) || SvTYPE(method) == SVt_PVCV;
        AV* const answers = this->call_for_list(method, {SvREFCNT_inc_simple_NN(rv)}, !is_code);
        ENTER;
        SAVEFREESV(reinterpret_cast<SV*>(answers));
        this->self().any(AvFILLp(answers) >= 0 ? AvARRAY(answers)[0] : &PL_sv_undef);
        LEAVE;
        --depth_;
    }
    static bool has_string_overload_in(pTHX_ HV* stash) {
        return HvAMAGIC(stash) && gv_fetchmeth_pvn(stash, "(\"\"", 3, -1, 0) != nullptr;
    }
    bool has_string_overload(HV* stash) { return has_string_overload_in(aTHX_ stash); }
};

}  // namespace kumihimo::inline v0::perl
