// What the walks of MessagePack's own calls and of the calls for any format have in common: text as UTF-8, keys,
// references to 0 and 1, booleans, and the objects of Kumihimo::Values.
//
//      Self also says   mixed(sv)                      a scalar of more than one kind; by_flags(sv) is the rest of it
//                       string_text(p, n, utf8)        what a string, and key_text() what a key, becomes
//                       not_utf8<is>(p, n)             a text that is flagged UTF-8 and is none
//                       other_object(rv, target)       an object of no class that is known here
//                       lowest_type, highest_type      of an extension
//                       moments_have_kinds             a Timestamp's kind and offset are looked at
//                       no_scalar, no_reference(target)  the sentences for what has no form
#pragma once
#include "engine/scalar/utf8.hpp"

#include "booleans.hpp"
#include "build_any.hpp"
#include "text.hpp"
#include "walk.hpp"

namespace kumihimo::inline v0::perl {

/// Which verb a text is for.
enum class text_role : std::uint8_t { value, key };

template <class Self, class To, class Options>
class values_walk : public walker<Self, To, Options> {
protected:
    using base = walker<Self, To, Options>;
    friend base;
    using base::my_perl;
    using base::o_;
    using base::to_;
    using typename base::pair;

public:
    static constexpr bool keeps_elements = true;  // formats that write a length write it before the elements
    using base::base;

    [[gnu::always_inline]] void string(SV* sv) { this->self().string_text(SvPVX_const(sv), SvCUR(sv), SvUTF8(sv) != 0); }
    [[gnu::always_inline]] void real(NV x) { to_.f64(x); }
    void unsigned_integer(UV n) { to_.u64(n); }
    [[gnu::cold, gnu::noinline]] void other(SV* sv) { refuse(Self::no_scalar, sv); }

    [[gnu::always_inline]] void entry_key(HE* he) {
        const HEK* const key = HeKEY_hek(he);
        this->self().key_text(HEK_KEY(key), static_cast<std::size_t>(HEK_LEN(key)), HEK_UTF8(key) != 0);
    }
    void scalar_key(SV* sv) {
        const asked_text t = this->text_of(sv);
        this->self().key_text(t.data, t.size, t.utf8);
    }
    void order_pairs(HV*, pair* pairs, std::size_t n) {
        if (o_.canonical)
            std::sort(pairs, pairs + n, [&](const pair& a, const pair& b) { return compare_texts(aTHX_ a.key, b.key) < 0; });
    }

    /// A reference to something that is neither blessed nor a container.
    [[gnu::noinline]] void reference(SV* rv, SV* target) {
        const char* const sentence = Self::no_reference(target);
        if (SvTYPE(target) < SVt_PVAV) {
            this->fetch(target);
            const int b = may_be_boolean(target) ? boolean_of_text(this->fetched_text(target).view()) : -1;
            if (b >= 0) return to_.boolean(b != 0);
        }
        refuse(sentence, rv);
    }
    [[gnu::noinline]] void object(SV* rv, SV* target) {
        HV* const stash = SvSTASH(target);
        if (stash != booleans_) {
            const char* const name = HvNAME_get(stash);
            const std::string_view s =
                name == nullptr ? std::string_view() : std::string_view(name, static_cast<std::size_t>(HvNAMELEN_get(stash)));
            if (SvTYPE(target) == SVt_PVHV && s.starts_with("Kumihimo::MessagePack::") && !SvMAGICAL(target)) {
                HV* const hv = reinterpret_cast<HV*>(target);
                if (s.ends_with("::Extension")) return extension(hv);
                if (s.ends_with("::Timestamp")) return timestamp(hv);
            }
            if (s == "Kumihimo::MessagePack::Binary" && SvTYPE(target) < SVt_PVAV) {
                const asked_text t = this->bytes_of(target);
                return to_.bin(t.data, t.size);
            }
            if (!is_boolean_class(stash)) return this->self().other_object(rv, target);
            booleans_ = stash;
        }
        to_.boolean(this->integer_of(target) != 0);
    }

protected:
    /// A scalar by what it has: text first, then a double, then an integer.
    void by_flags(SV* sv) {
        if (SvPOKp(sv)) return this->self().string(sv);
        if (SvNOKp(sv)) return real(SvNVX(sv));
        if (SvIOKp(sv)) return this->integer(sv);
        if (SvROK(sv)) return this->target(sv);
        other(sv);
    }

    [[gnu::always_inline]] void characters(text_role is, const char* p, std::size_t n, bool utf8) {
        if (!is_ascii(p, n)) [[unlikely]]
            return is == text_role::key ? beyond_ascii<text_role::key>(p, n, utf8) : beyond_ascii<text_role::value>(p, n, utf8);
        is == text_role::key ? to_.key(p, n) : to_.str(p, n);
    }
    template <text_role Is>
    [[gnu::noinline]] void beyond_ascii(const char* p, std::size_t n, bool utf8) {
        const auto write = [&](const char* text, std::size_t size) {
            Is == text_role::key ? to_.key(text, size) : to_.str(text, size);
        };
        if (!utf8) {
            const widened w(aTHX_ p, n);
            write(w.data(), w.size());
        } else if (scalar::utf8_valid_prefix(p, n) == n) {
            write(p, n);
        } else {
            this->self().template not_utf8<Is>(p, n);
        }
    }

    [[noreturn]] void refuse(const char* sentence, SV* sv) {
        Perl_croak(aTHX_ sentence, this->words(sv));
        abort();
    }
    std::uint32_t nanoseconds(IV n) {
        if (n < 0 || n > 999999999) Perl_croak(aTHX_ "a timestamp's nanoseconds are 0 to 999999999, not %" IVdf, n);
        return static_cast<std::uint32_t>(n);
    }
    std::int32_t offset(IV n) {
        if (n <= -86400 || n >= 86400) Perl_croak(aTHX_ "an offset from UTC is less than a day, not %" IVdf " seconds", n);
        return static_cast<std::int32_t>(n);
    }

private:
    SV* member(HV* hv, const char* name, const char* package) {
        SV** const found = hv_fetch(hv, name, static_cast<I32>(std::strlen(name)), 0);
        if (found == nullptr) Perl_croak(aTHX_ "a Kumihimo::MessagePack::%s without its %s cannot be written", package, name);
        return *found;
    }
    // Members are fetched when their turn comes, and what asking the first one runs may let go of the object.
    void hold(HV* hv, bool quiet) {
        if (!quiet) this->held(reinterpret_cast<SV*>(hv));
    }
    IV integer_member(HV* hv, const char* name, const char* package) {
        SV* const sv = member(hv, name, package);
        hold(hv, has_quiet_number(sv));
        return this->integer_of(sv);
    }
    void extension(HV* hv) {
        const IV type = integer_member(hv, "type", "Extension");
        if (type < Self::lowest_type || type > Self::highest_type)
            Perl_croak(aTHX_ "an extension's type is %" IVdf " to %" IVdf ", not %" IVdf, Self::lowest_type, Self::highest_type,
                       type);
        SV* const data = member(hv, "data", "Extension");
        hold(hv, has_quiet_text(data) && SvUTF8(data) == 0);
        const asked_text t = this->bytes_of(data);
        to_.ext(static_cast<int>(type), t.data, t.size);
    }
    void timestamp(HV* hv) {
        instant t;
        t.seconds = integer_member(hv, "seconds", "Timestamp");
        t.nanoseconds = nanoseconds(integer_member(hv, "nanoseconds", "Timestamp"));
        if constexpr (Self::moments_have_kinds) {
            if (SV** const said = hv_fetchs(hv, "kind", 0); said != nullptr) {
                hold(hv, has_quiet_text(*said));
                t.clock = kind(this->text_of(*said));
            }
            if (hv_exists(hv, "offset", 6)) t.offset = offset(integer_member(hv, "offset", "Timestamp"));
        }
        to_.time(t);
    }
    instant::kind kind(const asked_text& said) {
        for (std::size_t i = 0; i != std::size(instant_kinds); ++i)
            if (said.view() == instant_kinds[i]) return static_cast<instant::kind>(i);
        Perl_croak(aTHX_ "a timestamp's kind is utc, offset, local, date or naive, not %.*s",
                   static_cast<int>(std::min<std::size_t>(said.size, 100)), said.data);
        abort();
    }

    HV* booleans_ = nullptr;  // the class that was found last to be one of booleans
};

}  // namespace kumihimo::inline v0::perl
