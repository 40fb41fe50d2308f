// Asking Perl values while they are walked.
//
// A scalar that is asked for its text, its number or its truth may run Perl code: a tie or another magic, an
// overloaded object, a handler of the warning that it is not numeric or not defined. So may every call. That code may
// free what is being walked, so each way of asking is here, once, and does what must come before: keep_open() of the
// walk, and a count of the scalar.
//
//      Self says   keep_open()     counts and takes down what is open (walk.hpp). A walk without it does not compile once it
//                                  asks.
//
// Below, perl's own ways of asking are taken out of the language for all that includes a walk: the compiler refuses
// them.
#pragma once
#include <initializer_list>

#include "bignum.hpp"
#include "callback.hpp"

namespace kumihimo::inline v0::perl {

/// Whether a scalar gives its text without running Perl code.
[[gnu::always_inline]] inline bool has_quiet_text(const SV* sv) { return (SvFLAGS(sv) & (SVs_GMG | SVf_ROK)) == 0 && SvOK(sv); }
/// The same for its number. Of a text perl may warn that it is none.
[[gnu::always_inline]] inline bool has_quiet_number(const SV* sv) {
    return (SvFLAGS(sv) & (SVs_GMG | SVf_ROK)) == 0 && (SvFLAGS(sv) & (SVp_IOK | SVp_NOK)) != 0;
}
[[gnu::always_inline]] inline bool has_quiet_truth(const SV* sv) { return (SvFLAGS(sv) & (SVs_GMG | SVf_ROK)) == 0; }

/// The text of a scalar: its own buffer, for as long as it is not touched, or a mortal's.
struct asked_text {
    const char* data;
    std::size_t size;
    bool utf8;
    std::string_view view() const noexcept { return {data, size}; }
};

/// Of a scalar that is quiet.
inline asked_text quiet_text(pTHX_ SV* sv) {
    STRLEN n;
    const char* const p = SvPV_nomg_const(sv, n);
    return {p, n, SvUTF8(sv) != 0};
}
/// The order of scalars that are plain text, as keys are.
inline I32 compare_texts(pTHX_ SV* a, SV* b) { return sv_cmp_flags(a, b, 0); }

template <class Self>
class asking {
protected:
#ifdef MULTIPLICITY
    PerlInterpreter* my_perl;
#else
    static constexpr char my_perl = 0;  // for those who name it; aTHX is nothing in such a perl
#endif

    /// What comes before Perl code that is about a scalar.
    SV* held(SV* sv) {
        self().keep_open();
        return sv_2mortal(SvREFCNT_inc_simple_NN(sv));
    }

    /// Fetches what a magical scalar stands for. The ones below whose names begin with `fetched` do not fetch again.
    void fetch(SV* sv) {
        if (!SvGMAGICAL(sv)) return;
        held(sv);
        mg_get(sv);
    }
    bool fetched_truth(SV* sv) { return SvTRUE_nomg_NN(has_quiet_truth(sv) ? sv : own(sv)) != 0; }
    bool truth(SV* sv) {
        fetch(sv);
        return fetched_truth(sv);
    }
    IV fetched_integer(SV* sv) { return SvIV_nomg(has_quiet_number(sv) ? sv : own(sv)); }
    IV integer_of(SV* sv) {
        fetch(sv);
        return fetched_integer(sv);
    }
    UV fetched_unsigned(SV* sv) { return SvUV_nomg(has_quiet_number(sv) ? sv : own(sv)); }
    NV fetched_real(SV* sv) { return SvNV_nomg(has_quiet_number(sv) ? sv : own(sv)); }
    asked_text fetched_text(SV* sv) {
        if (has_quiet_text(sv)) [[likely]]
            return quiet_text(aTHX_ sv);
        SV* const from = own(sv);
        // Copied: an overload's answer goes with the next call.
        SV* const text = sv_2mortal(newSVpvs(""));
        STRLEN n;
        const char* const p = SvPV_nomg_const(from, n);
        sv_setpvn(text, p, n);
        return {SvPVX_const(text), n, SvUTF8(from) != 0};
    }
    asked_text text_of(SV* sv) {
        fetch(sv);
        return fetched_text(sv);
    }
    /// Text for an error's sentence.
    const char* words(SV* sv) { return text_of(sv).data; }
    const char* words_of_reference(SV* target) { return words(sv_2mortal(newRV_inc(target))); }
    /// The bytes of a scalar. Croaks where it has characters beyond U+00FF.
    asked_text bytes_of(SV* sv) {
        const asked_text t = text_of(sv);
        if (!t.utf8) return t;
        SV* const text = newSVpvn_flags(t.data, t.size, SVs_TEMP | SVf_UTF8);
        sv_utf8_downgrade(text, FALSE);
        return {SvPVX_const(text), SvCUR(text), false};
    }
    /// A copy, counted.
    SV* fetched_copy(SV* sv) { return newSVsv_nomg(sv); }
    SV* copy(SV* sv) {
        fetch(sv);
        return fetched_copy(sv);
    }
    /// What an overload of "" answers, or null; not counted.
    SV* overloaded_text(SV* rv) {
        held(rv);
        return AMG_CALLunary(rv, string_amg);
    }
    // ---- containers, tied ones included

    /// The next entry, after hv_iterinit; the text of its key, counted; and its value. A tie's key may be any scalar.
    HE* next_entry(HV* hv) {
        self().keep_open();
        return hv_iternext(hv);
    }
    SV* key_of_entry(HE* he, bool with_flag = false) {
        if (HeKLEN(he) == HEf_SVKEY) {
            const asked_text t = text_of(HeSVKEY(he));
            return newSVpvn_flags(t.data, t.size, t.utf8 ? SVf_UTF8 : 0);
        }
        // perl keeps short characters as bytes, and knows that they came flagged.
        if (with_flag && HEK_WASUTF8(HeKEY_hek(he))) return newSVhek(HeKEY_hek(he));
        return newSVpvn_flags(HeKEY(he), static_cast<STRLEN>(HeKLEN(he)), HeKUTF8(he) ? SVf_UTF8 : 0);
    }
    SV* value_of_entry(HV* hv, HE* he) {
        self().keep_open();
        return hv_iterval(hv, he);
    }
    SSize_t length_of(AV* av) {
        if (SvRMAGICAL(av)) held(reinterpret_cast<SV*>(av));
        return av_len(av) + 1;
    }
    /// Null: a place that was never filled.
    SV* element_of(AV* av, SSize_t i) {
        if (SvRMAGICAL(av)) held(reinterpret_cast<SV*>(av));
        SV** const found = av_fetch(av, i, 0);
        return found != nullptr ? *found : nullptr;
    }

    // ---- calls. They take over one count of each argument

    /// Calls a sub, or a sub by its name, in scalar context. The answer is counted.
    SV* call(SV* code, std::initializer_list<SV*> arguments) {
        self().keep_open();
        begin_callback(aTHX);
        dSP;
        ENTER;
        SAVETMPS;
        begin_call(code, arguments);
        call_sv(code, G_SCALAR);
        SPAGAIN;
        SV* const answer = SvREFCNT_inc(POPs);
        PUTBACK;
        FREETMPS;
        LEAVE;
        end_callback(aTHX);
        return answer;
    }
    /// The same in list context: all answers, in an array that is counted.
    AV* call_for_list(SV* code, std::initializer_list<SV*> arguments, bool method_name = false) {
        self().keep_open();
        AV* const answers = newAV();
        ENTER;
        SAVEFREESV(reinterpret_cast<SV*>(answers));
        begin_callback(aTHX);
        dSP;
        ENTER;
        SAVETMPS;
        begin_call(code, arguments);
        const I32 n = method_name ? call_method(SvPV_nolen(code), G_ARRAY) : call_sv(code, G_ARRAY);
        SPAGAIN;
        for (I32 i = n - 1; i >= 0; --i) av_push(answers, SvREFCNT_inc(SP[-i]));
        SP -= n;
        PUTBACK;
        FREETMPS;
        LEAVE;
        end_callback(aTHX);
        SvREFCNT_inc_simple_void_NN(answers);
        LEAVE;
        return answers;
    }
    /// The number that a sub answers without arguments.
    IV call_for_integer(SV* code) {
        self().keep_open();
        begin_callback(aTHX);
        dSP;
        ENTER;
        SAVETMPS;
        PUSHMARK(SP);
        PUTBACK;
        call_sv(code, G_SCALAR);
        SPAGAIN;
        const IV answer = POPi;
        PUTBACK;
        FREETMPS;
        LEAVE;
        end_callback(aTHX);
        return answer;
    }

    /// A Math::BigInt (`whole`) or Math::BigFloat of digits, and one without its fraction; mortal.
    SV* bignum_of(std::string_view digits, bool whole) {
        self().keep_open();
        return sv_2mortal(new_bignum(aTHX_ digits.data(), digits.size(), whole));
    }
    SV* truncated(SV* number) {
        held(number);
        return truncated_bignum(aTHX_ number);
    }

private:
    Self& self() noexcept { return static_cast<Self&>(*this); }

    /// What is asked in a scalar's place: of a reference a copy, which nobody changes in the meantime; else the scalar
    /// itself, counted.
    [[gnu::cold, gnu::noinline]] SV* own(SV* sv) {
        held(sv);
        return SvROK(sv) ? sv_2mortal(newRV_inc(SvRV(sv))) : sv;
    }
    void begin_call(SV* code, std::initializer_list<SV*> arguments) {
        sv_2mortal(SvREFCNT_inc_simple_NN(code));
        dSP;
        PUSHMARK(SP);
        EXTEND(SP, static_cast<SSize_t>(arguments.size()));
        for (SV* const argument : arguments) mPUSHs(argument);
        PUTBACK;
    }
};

}  // namespace kumihimo::inline v0::perl

#include "poison.hpp"
