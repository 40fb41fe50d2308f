// JSON::PP's answers, whose sentences these are:
//
//      ref $value eq 'HASH', 'ARRAY', 'SCALAR', 'REF'           object(), reference()    a package may have such a name
//      $value->isa('JSON::PP::Boolean'), $$value == 1           boolean_object()
//      $value->can('TO_JSON'), $value->TO_JSON                  to_json()                both may be a class's own
//      length('' & $value) && 0 + $value eq $value              mixed()                  has a number, no UTF-8 flag, and
//                                                                                        both texts are the same
// What only perl's own operators can say is asked of them, by the subs that are in Kumihimo::Instead::PP.
#pragma once
#include "booleans.hpp"
#include "walk_json.hpp"

namespace kumihimo::inline v0::perl {

template <class To>
class pp_walk : public json_walker<pp_walk<To>, To> {
    using base = json_walker<pp_walk<To>, To>;
    friend base;
    using base::my_perl;
    using base::o_, base::to_;
    using typename base::pair;

public:
    static constexpr bool tells_flags = true;
    using base::base;

    [[noreturn]] void too_deep() {
        refuse(newSVpvs("json text or perl structure exceeds maximum nesting level (max_depth set too low?)"));
    }
    // 0 + $value is an integer as far as a double has every integer, with the same text afterwards, and a double
    // beyond 2^64. In between perl may take it for an integer of more digits than its text has: then it is a string.
    [[gnu::always_inline]] void real(NV x) {
        if (const NV size = std::fabs(x); size >= 0x1p53 && size <= 0x1p64) [[unlikely]]
            return large(x);
        // A zero has no sign in perl's text.
        base::real(x == 0 ? 0 : x);
    }
    // As perl prints them, which is no JSON.
    void not_finite(NV x) {
        if (std::isnan(x)) return to_.raw("NaN", 3);
        if (x < 0) return to_.raw("-Inf", 4);
        to_.raw("Inf", 3);
    }

    /// A scalar that has a number and a string, or was fetched: whatever is more than one plain kind.
    [[gnu::noinline]] void mixed(SV* sv) {
        if (SvROK(sv)) return base::target(sv);
        if (o_.core_booleans && is_core_boolean(aTHX_ sv)) return to_.boolean(this->fetched_truth(sv));
        if (!SvNIOKp(sv) || SvUTF8(sv)) return other(sv);
        // Copies, as in JSON::PP: to ask a scalar for its number changes it, and then its text too.
        SV* const copy = sv_2mortal(this->fetched_copy(sv));
        const asked_text text = this->fetched_text(sv_2mortal(this->fetched_copy(sv)));
        if (is_number(copy)) return to_.raw(text.data, text.size);
        written(text);
    }
    /// Neither string nor number: a glob, a compiled pattern.
    [[gnu::noinline]] void other(SV* sv) { written(this->fetched_text(sv)); }

    /// What is not blessed, and no array or hash.
    [[gnu::noinline]] void reference(SV* rv, SV* to) {
        const std::string_view type = sv_reftype(to, 0);
        if (type == "SCALAR") {
            this->fetch(to);
            if (SvOK(to)) {
                const int b = boolean_of_text(this->fetched_text(to).view());
                if (b >= 0) return to_.boolean(b != 0);
            }
        }
        if (o_.allow_unknown) return to_.null();
        if (type == "SCALAR" || type == "REF") refuse(newSVpvs("cannot encode reference to scalar"));
        refuse(
            sentence("encountered ", this->fetched_text(rv), ", but JSON can only represent references to arrays or hashes"));
    }
    [[gnu::noinline]] void object(SV* rv, SV* to) {
        HV* const stash = SvSTASH(to);
        if (stash == booleans_) [[likely]]
            return boolean_object(rv, to);
        if (const char* const name = HvNAME_get(stash); name != nullptr) {
            if (std::strcmp(name, "HASH") == 0) {
                if (SvTYPE(to) != SVt_PVHV) Perl_croak(aTHX_ "Not a HASH reference");
                return base::hash(reinterpret_cast<HV*>(to));
            }
            if (std::strcmp(name, "ARRAY") == 0) {
                if (SvTYPE(to) != SVt_PVAV) Perl_croak(aTHX_ "Not an ARRAY reference");
                return base::array(reinterpret_cast<AV*>(to));
            }
            // The name is false, so `ref` says that this is no reference.
            if (name[0] == '0' && name[1] == '\0') return written(this->fetched_text(rv));
        }
        const bool own_isa = has_isa_of_its_own(stash);
        if (!own_isa && sv_derived_from(rv, "JSON::PP::Boolean")) {
            booleans_ = stash;
            return boolean_object(rv, to);
        }
        // Whatever runs now may let go of the object.
        this->keep_open();
        SV* const own = sv_2mortal(newRV_inc(to));
        if (own_isa && is_a(own, "JSON::PP::Boolean")) return boolean_object(own, to);
        if (o_.convert_blessed && to_json(own)) return;
        if (o_.allow_bignum && (is_a(own, "Math::BigInt") || is_a(own, "Math::BigFloat"))) return bare(this->fetched_text(own));
        if (o_.allow_blessed) return to_.null();
        refuse(sentence("encountered object '", this->fetched_text(own),
                        "', but neither allow_blessed, convert_blessed nor allow_tags settings are enabled (or TO_JSON/FREEZE "
                        "method missing)"));
    }

    /// Pairs of a tied hash, or of one that the caller orders.
    void order_pairs(HV*, pair* pairs, std::size_t n) {
        if (o_.sort_by != nullptr) return sort_by_caller(pairs, n);
        if (o_.canonical)
            std::sort(pairs, pairs + n, [&](const pair& a, const pair& b) { return compare_texts(aTHX_ a.key, b.key) < 0; });
    }

private:
    [[gnu::cold, gnu::noinline]] void large(NV x) {
        SV* const number = sv_2mortal(newSVnv(x));
        if (asked_is_number(number)) return base::real(x);
        written(this->fetched_text(number));
    }
    void written(const asked_text& t) { base::text(t.data, t.size, t.utf8); }
    /// Text that stands there without quotes.
    void bare(const asked_text& t) {
        if (t.utf8) this->wide_ = true;
        if (t.utf8 || is_ascii(t.data, t.size)) return to_.raw(t.data, t.size);
        const widened w(aTHX_ t.data, t.size);
        to_.raw(w.data(), w.size());
    }

    // ---- errors

    static SV* sentence_of(pTHX_ const char* before, const asked_text& t, const char* after) {
        SV* const said = newSVpv(before, 0);
        sv_catpvn_flags(said, t.data, t.size, t.utf8 ? SV_CATUTF8 : SV_CATBYTES);
        sv_catpv(said, after);
        return said;
    }
    SV* sentence(const char* before, const asked_text& t, const char* after) { return sentence_of(aTHX_ before, t, after); }
    /// JSON::PP's own function dies, so that the place is Carp's. Takes the sentence over.
    [[noreturn]] void refuse(SV* said) {
        SV* const kept = sv_2mortal(SvREFCNT_inc_simple_NN(said));
        sv_2mortal(ask("JSON::PP::encode_error", {said}));
        Perl_croak(aTHX_ "%" SVf, SVfARG(kept));
        std::abort();
    }

    // ---- perl's operators

    /// A sub's answer, counted.
    SV* ask(const char* name, std::initializer_list<SV*> arguments) {
        return this->call(sv_2mortal(newSVpv(name, 0)), arguments);
    }
    bool asked_truth(const char* name, std::initializer_list<SV*> arguments) {
        return this->truth(sv_2mortal(ask(name, arguments)));
    }
    /// JSON::PP's own condition, of a scalar that nobody else has; it asks a copy.
    bool asked_is_number(SV* copy) { return asked_truth("JSON::PP::_looks_like_number", {SvREFCNT_inc_simple_NN(copy)}); }
    /// Of a copy that has a number: whether its text is the number's. A double has every integer up to 2^53; which
    /// ones beyond are added as integers is perl's own affair.
    bool is_number(SV* copy) {
        if (SvNOKp(copy) && !(std::fabs(SvNVX(copy)) < 0x1p53)) return asked_is_number(copy);
        const IV number = this->fetched_integer(copy);
        SV* const sum = sv_newmortal();
        if (!SvIOK(copy))
            sv_setnv(sum, this->fetched_real(copy));
        else if (SvIsUV(copy))
            sv_setuv(sum, SvUVX(copy));
        else
            sv_setiv(sum, number);
        return this->fetched_text(copy).view() == this->fetched_text(sum).view();
    }
    bool has_isa_of_its_own(HV* stash) {
        GV* const isa = gv_fetchmethod_autoload(stash, "isa", FALSE);
        return isa == nullptr || !isGV(isa) || GvCV(isa) != get_cv("UNIVERSAL::isa", 0);
    }
    /// $rv->isa($name)
    bool is_a(SV* rv, const char* name) {
        if (!has_isa_of_its_own(SvSTASH(SvRV(rv)))) [[likely]]
            return sv_derived_from(rv, name);
        return asked_truth("Kumihimo::Instead::PP::_is_a", {SvREFCNT_inc_simple_NN(rv), newSVpv(name, 0)});
    }
    /// $$rv == 1
    void boolean_object(SV* rv, SV* to) {
        if (SvTYPE(to) < SVt_PVAV && !isGV_with_GP(to) && has_quiet_number(to)) return to_.boolean(this->fetched_real(to) == 1);
        to_.boolean(asked_truth("Kumihimo::Instead::PP::_is_one", {SvREFCNT_inc_simple_NN(rv)}));
    }
    /// Calls TO_JSON, where the class can, and writes the answer.
    bool to_json(SV* rv) {
        HV* const stash = SvSTASH(SvRV(rv));
        GV* const can = gv_fetchmethod_autoload(stash, "can", FALSE);
        SV* answer;
        if (can != nullptr && isGV(can) && GvCV(can) == get_cv("UNIVERSAL::can", 0)) [[likely]] {
            GV* const method = gv_fetchmethod_autoload(stash, "TO_JSON", FALSE);
            if (method == nullptr || !isGV(method)) return false;
            // Without end, it is not told by max_depth.
            if (!machine_stack::has_room()) [[unlikely]]
                Perl_croak(aTHX_ "an object's TO_JSON gives objects without end: the machine's stack is used up");
            answer = this->call(reinterpret_cast<SV*>(GvCV(method)), {SvREFCNT_inc_simple_NN(rv)});
        } else {
            if (!asked_truth("Kumihimo::Instead::PP::_can_to_json", {SvREFCNT_inc_simple_NN(rv)})) return false;
            if (!machine_stack::has_room()) [[unlikely]]
                Perl_croak(aTHX_ "an object's TO_JSON gives objects without end: the machine's stack is used up");
            answer = ask("Kumihimo::Instead::PP::_to_json", {SvREFCNT_inc_simple_NN(rv)});
        }
        if (SvROK(answer) && SvRV(answer) == SvRV(rv)) {
            sv_2mortal(answer);
            refuse(newSVpvf("%s::TO_JSON method returned same object as was passed instead of a new one",
                            sv_reftype(SvRV(rv), 1)));
        }
        if (this->depth_ == 0 && o_.top != nullptr) *o_.top = sv_2mortal(SvREFCNT_inc_simple_NN(answer));
        this->owned(answer);
        return true;
    }

    /// By the sub, or the sub's name, that the caller gave: perl's own sort, which looks the name up in JSON::PP and
    /// has $a and $b there. It answers references to the keys that it got.
    void sort_by_caller(pair* pairs, std::size_t n) {
        if (n < 2) return;
        struct place {
            SV* key;
            std::size_t index;
        };
        auto* const places = reinterpret_cast<place*>(SvPVX(sv_2mortal(newSV(n * sizeof(place)))));
        auto* const before = reinterpret_cast<pair*>(SvPVX(sv_2mortal(newSV(n * sizeof(pair)))));
        AV* const keys = newAV();
        SV* const list = sv_2mortal(newRV_noinc(reinterpret_cast<SV*>(keys)));
        for (std::size_t i = 0; i < n; ++i) {
            before[i] = pairs[i];
            places[i] = {pairs[i].key, i};
            av_push(keys, SvREFCNT_inc_simple_NN(pairs[i].key));
        }
        const auto by_key = [](const place& a, const place& b) { return a.key < b.key; };
        std::sort(places, places + n, by_key);
        SV* const code = sv_2mortal(newSVpvs("Kumihimo::Instead::PP::_sorted"));
        AV* const order = this->call_for_list(code, {SvREFCNT_inc_simple_NN(o_.sort_by), SvREFCNT_inc_simple_NN(list)});
        sv_2mortal(reinterpret_cast<SV*>(order));
        const std::size_t got = std::min(n, static_cast<std::size_t>(AvFILLp(order) + 1));
        for (std::size_t i = 0; i < got; ++i) {
            SV* const rv = AvARRAY(order)[i];
            const place* const found =
                SvROK(rv) ? std::lower_bound(places, places + n, place{SvRV(rv), 0}, by_key) : places + n;
            if (found != places + n && found->key == SvRV(rv)) pairs[i] = before[found->index];
        }
    }

    HV* booleans_ = nullptr;  // a class that was found to be one, in this document
};

}  // namespace kumihimo::inline v0::perl
