// What JSON::XS and Cpanel::JSON::XS have in common: TO_JSON and FREEZE, references to 0 and 1, texts of objects, big
// numbers, orders that the caller gives, and the sentences for what they refuse.
//
//      Self also says   mixed(sv)      a scalar of more than one kind
#pragma once
#include "bignum.hpp"
#include "booleans.hpp"
#include "interpreter.hpp"
#include "walk_json.hpp"

namespace kumihimo::inline v0::perl {

template <class Self, class To>
class module_walk : public json_walker<Self, To> {
protected:
    using base = json_walker<Self, To>;
    using base::my_perl;
    using base::o_;
    using base::to_;
    using typename base::pair;

public:
    using base::base;

    [[noreturn]] void too_deep() {
        Perl_croak(aTHX_ "json text or perl structure exceeds maximum nesting level (max_depth set too low?)");
        abort();
    }
    void not_finite(NV x) { not_finite_text(x, infnan_text(x)); }
    void other(SV* sv) {
        if (o_.allow_unknown) return to_.null();
        Perl_croak(aTHX_ "encountered perl type (%s,0x%x) that JSON cannot handle, check your input data", this->words(sv),
                   static_cast<unsigned>(SvFLAGS(sv)));
    }

    // Pairs of a tied hash, or of one that the caller orders.
    void order_pairs(HV*, pair* pairs, std::size_t n) {
        if (o_.sort_by != nullptr) return sort_by_caller(pairs, n);
        if (o_.canonical && o_.follows == rules::cpanel)
            std::sort(pairs, pairs + n, [this](const pair& a, const pair& b) { return before(a, b); });
    }

    /// A reference to something that is neither blessed nor a container.
    void reference(SV* rv, SV* target) {
        // A glob is a scalar to JSON::XS.
        if (SvTYPE(target) < SVt_PVAV && (SvTYPE(target) != SVt_PVGV || o_.follows == rules::xs)) {
            if (const int b = boolean_of(target); b >= 0) return to_.boolean(b != 0);
            if (o_.allow_stringify) return stringify_target(target);
            if (o_.allow_unknown) return to_.null();
            refuse_scalar_reference(target);
        }
        PERL_UNUSED_VAR(rv);
        if (o_.allow_unknown) return to_.null();
        Perl_croak(aTHX_ "encountered %s, but JSON can only represent references to arrays or hashes",
                   this->words_of_reference(target));
    }
    void object(SV* rv, SV* target) {
        HV* const stash = SvSTASH(target);
        if (is_boolean_class(stash)) return to_.boolean(truth_of_boolean(target));
        if (o_.allow_tags && this->freeze(target)) return;
        if (o_.convert_blessed && this->to_json(target)) return;
        if (o_.allow_bignum && is_bignum(aTHX_ target)) return big_number(rv);
        if (o_.convert_blessed && o_.follows == rules::cpanel) return this->stringify_object(target);
        if (o_.allow_stringify && o_.follows != rules::cpanel && HvAMAGIC(stash)) return this->stringify_object(target);
        if (o_.allow_blessed) return to_.null();
        refuse_object(target);
    }

protected:
    bool before(const pair& a, const pair& b) { return compare_texts(aTHX_ a.key, b.key) < 0; }

    // ---- numbers that are none

    std::string_view infnan_text(NV x) const {
        if (std::isnan(x)) return std::signbit(x) && o_.non_finite != infnan::unified ? "-nan" : "nan";
        return x < 0 ? "-inf" : "inf";
    }
    void not_finite_text(NV x, std::string_view text) {
        PERL_UNUSED_VAR(x);
        switch (o_.non_finite) {
            case infnan::null: return to_.null();
            case infnan::number: return to_.raw(text.data(), text.size());
            default: return to_.str(text.data(), text.size());
        }
    }

    // ---- references to scalars

    int boolean_of(SV* target) {
        this->fetch(target);
        if (!may_be_boolean(target)) return -1;
        return boolean_of_text(this->fetched_text(target).view());
    }
    bool truth_of_boolean(SV* target) { return this->integer_of(target) != 0; }

    // ---- objects

    /// Calls FREEZE, where the class has it, and writes ("Class")[what it answers].
    bool freeze(SV* target) {
        HV* const stash = SvSTASH(target);
        GV* const gv = this->method(stash, "FREEZE");
        if (gv == nullptr) return false;
        this->deeper();
        AV* const answers = this->call_for_list(reinterpret_cast<SV*>(GvCV(gv)), {newRV_inc(target), newSVpvs("JSON")});
        ENTER;
        SAVEFREESV(reinterpret_cast<SV*>(answers));
        const SSize_t n = AvFILLp(answers) + 1;
        if (n != 0) {
            SV* const last = AvARRAY(answers)[n - 1];
            if (SvROK(last) && SvRV(last) == target)
                Perl_croak(aTHX_ "%s::FREEZE method returned same object as was passed instead of a new one",
                           HvNAME_get(SvSTASH(target)));
        }
        open_tag(stash, static_cast<std::size_t>(n));
        for (SSize_t i = 0; i < n; ++i) {
            if (i != 0) to_.next_tagged();
            this->self().any(AvARRAY(answers)[i]);
        }
        to_.close_tagged();
        LEAVE;
        return true;
    }
    /// The text of an object with overloaded quotes, as Cpanel::JSON::XS has it: what may be overloaded is asked,
    /// scalars by their general conversion.
    void stringify_object(SV* target) {
        HV* const stash = SvSTASH(target);
        if (!HvAMAGIC(stash) && !o_.allow_stringify) {
            if (!o_.allow_blessed)
                Perl_croak(aTHX_ "encountered object '%s', but allow_blessed, allow_stringify or TO_JSON/FREEZE method missing",
                           this->words_of_reference(target));
            return to_.null();
        }
        SV* const rv = sv_2mortal(newRV_inc(target));
        const svtype type = SvTYPE(target);
        if (type == SVt_PVAV || type == SVt_PVHV || type == SVt_PVFM) {
            SV* const text = HvAMAGIC(stash) ? this->overloaded_text(rv) : nullptr;
            if (text == nullptr || !SvPOK(text)) return to_.null();
            return this->text(SvPVX_const(text), SvCUR(text), SvUTF8(text) != 0);
        }
        text_or_null(o_.allow_stringify ? target : rv,
                     o_.follows != rules::cpanel || !interpreter::here(aTHX).cpanel_since(cpanel_empty_text));
    }
    /// allow_stringify, of a reference to a scalar: the scalar's text.
    void stringify_target(SV* target) { text_or_null(target, true); }
    /// A Math::BigInt or Math::BigFloat: its digits.
    void big_number(SV* rv) {
        const big_text digits(aTHX_ this->text_of(rv).view());
        if (const NV x = digits.not_finite(); x != 0) return not_finite(x);
        to_.raw(digits.data(), digits.size());
    }

    [[noreturn]] void refuse_object(SV* target) {
        Perl_croak(
            aTHX_
            "encountered object '%s', but neither allow_blessed, convert_blessed nor allow_tags settings are enabled (or "
            "TO_JSON/FREEZE method missing)",
            this->words_of_reference(target));
        abort();
    }
    [[noreturn]] void refuse_scalar_reference(SV* target) {
        Perl_croak(aTHX_ "cannot encode reference to scalar '%s' unless the scalar is 0 or 1",
                   this->words_of_reference(target));
        abort();
    }

private:
    void text_or_null(SV* sv, bool null_of_empty) {
        const asked_text t = this->text_of(sv);
        if (t.size == 0 && null_of_empty) return to_.null();
        this->text(t.data, t.size, t.utf8);
    }
    /// ("Class"), and the beginning of the array of an object's n values.
    void open_tag(HV* stash, std::size_t values) {
        SV* const text = sv_2mortal(newSVpvs("(\""));
        const char* const name = HvNAME_get(stash);
        const auto n = static_cast<std::size_t>(HvNAMELEN_get(stash));
        for (std::size_t i = 0; i < n; ++i) {
            const char c = name[i];
            if (static_cast<unsigned char>(c) < 0x20)
                Perl_sv_catpvf(aTHX_ text, "\\u%04x", static_cast<unsigned>(c));
            else if (c == '"' || c == '\\' || (c == '/' && o_.escape_slash))
                Perl_sv_catpvf(aTHX_ text, "\\%c", c);
            else
                sv_catpvn(text, &name[i], 1);
        }
        sv_catpvs(text, "\")");
        if (HvNAMEUTF8(stash)) this->wide_ = true;
        to_.open_tagged(SvPVX_const(text), SvCUR(text), values);
    }

    // ---- the caller's order

    /// Sorts by the caller's sub, which sees the keys in $a and $b. It may answer anything, so a sort that trusts it
    /// to be an order will not do: this one merges, and looks nowhere else.
    void sort_by_caller(pair* pairs, std::size_t n) {
        if (n < 2) return;
        this->keep_open();
        ENTER;
        SAVETMPS;
        const compared_keys keys(aTHX_ o_.sort_by);
        const auto compare = [&](SV* a, SV* b) {
            keys.show(aTHX_ a, b);
            return this->call_for_integer(o_.sort_by);
        };
        pair* from = pairs;
        pair* to = reinterpret_cast<pair*>(SvPVX(sv_2mortal(newSV(n * sizeof(pair)))));
        pair* const scratch = to;
        for (std::size_t width = 1; width < n; width *= 2) {
            for (std::size_t begin = 0; begin < n; begin += 2 * width) {
                std::size_t i = begin, j = std::min(begin + width, n);
                const std::size_t middle = j, end = std::min(begin + 2 * width, n);
                for (std::size_t k = begin; k != end; ++k)
                    to[k] = i < middle && (j == end || compare(from[i].key, from[j].key) <= 0) ? from[i++] : from[j++];
            }
            std::swap(from, to);
        }
        if (from == scratch) std::memcpy(pairs, scratch, n * sizeof *pairs);
        FREETMPS;
        LEAVE;
    }
    /// $a and $b of the packages that a sub may have been written in: its own, and those of these modules.
    class compared_keys {
    public:
        compared_keys(pTHX_ SV* code) {
            HV* own = nullptr;
            if (SvROK(code) && SvTYPE(SvRV(code)) == SVt_PVCV) own = CvSTASH(reinterpret_cast<CV*>(SvRV(code)));
            take(aTHX_ 0, own);
            take(aTHX_ 1, gv_stashpvs("Kumihimo::JSON", 0));
            take(aTHX_ 2, gv_stashpvs("Kumihimo::JSON::Cpanel", 0));
            take(aTHX_ 3, gv_stashpvs("Cpanel::JSON::XS", 0));  // that Kumihimo::Instead stands in for
        }
        /// The variables count what they show, as any does: the sub may put another scalar there, and lets go of this
        /// one.
        void show(pTHX_ SV* a, SV* b) const {
            for (std::size_t i = 0; i < count; ++i) {
                if (a_[i] == nullptr) continue;
                put(aTHX_ a_[i], a);
                put(aTHX_ b_[i], b);
            }
        }

    private:
        static constexpr std::size_t count = 4;
        void take(pTHX_ std::size_t i, HV* stash) {
            a_[i] = b_[i] = nullptr;
            if (stash == nullptr) return;
            a_[i] = gv_of(aTHX_ stash, "a");
            b_[i] = gv_of(aTHX_ stash, "b");
            save(aTHX_ a_[i]);
            save(aTHX_ b_[i]);
        }
        /// What the glob has is put back at the end, whatever the sub does to the glob.
        static void save(pTHX_ GV* gv) {
            save_gp(gv, 0);
            GvINTRO_off(gv);
            SAVEGENERICSV(GvSV(gv));
            SvREFCNT_inc_simple_void(GvSV(gv));
        }
        static void put(pTHX_ GV* gv, SV* sv) {
            SV* const old = GvSV(gv);
            GvSV(gv) = SvREFCNT_inc_simple_NN(sv);
            SvREFCNT_dec(old);
        }
        static GV* gv_of(pTHX_ HV* stash, const char* name) {
            GV* const gv = *reinterpret_cast<GV**>(hv_fetch(stash, name, 1, 1));
            if (SvTYPE(gv) != SVt_PVGV) gv_init(gv, stash, name, 1, GV_ADDMULTI);
            return gv;
        }
        GV* a_[count];
        GV* b_[count];
    };
};

}  // namespace kumihimo::inline v0::perl
