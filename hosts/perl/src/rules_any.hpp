// Perl values -> values of any format, for the calls that are told a format by its name.
//
//      undef                              null
//      perl's own booleans (5.36), and    boolean
//      those of the JSON modules, \0 \1
//      a number                           i64, u64 or f64; a text that was used as a number is a text
//      a text                             str: characters, whatever perl holds them in
//      Math::BigInt, Math::BigFloat       i64 or u64 where it fits, else big
//      Time::Piece, DateTime              time
//      Kumihimo::MessagePack::Binary      bin
//      Kumihimo::MessagePack::Extension   ext
//      Kumihimo::MessagePack::Timestamp   time
//      an object with TO_JSON             what that answers
#pragma once
#include <charconv>

#include "engine/scalar/utf8.hpp"

#include "any_format.hpp"
#include "bignum.hpp"
#include "booleans.hpp"
#include "build_any.hpp"
#include "text.hpp"
#include "walk.hpp"

namespace kumihimo::inline v0::perl {

template <class To>
class any_walk : public walker<any_walk<To>, To, dump_options> {
    using base = walker<any_walk<To>, To, dump_options>;
    friend base;
    using base::my_perl;
    using base::o_;
    using base::to_;
    using typename base::pair;

public:
    static constexpr bool keeps_elements = true;  // formats that write a length write it before the elements
    using base::base;

    [[noreturn]] void too_deep() {
        Perl_croak(aTHX_ "the value is nested deeper than max_depth: %lu levels", static_cast<unsigned long>(o_.max_depth));
        abort();
    }
    [[gnu::always_inline]] void string(SV* sv) { text(SvPVX_const(sv), SvCUR(sv), SvUTF8(sv) != 0); }
    [[gnu::always_inline]] void real(NV x) { to_.f64(x); }
    void unsigned_integer(UV n) { to_.u64(n); }
    /// Perl's own rule (builtin::created_as_number): what was made as a number is one, whatever it was used as. Before 5.36 a
    /// number that was used as a text cannot be told from a text.
    [[gnu::noinline]] void mixed(SV* sv) {
        if (SvROK(sv)) return this->target(sv);
        if (is_core_boolean(aTHX_ sv)) return to_.boolean(this->fetched_truth(sv));
        if (SvNIOK(sv) && !is_text(sv)) {
            const bool minus_zero = SvNOKp(sv) && SvNVX(sv) == 0 && std::signbit(SvNVX(sv));
            return SvIOK(sv) && !minus_zero ? this->integer(sv) : real(SvNVX(sv));
        }
        if (SvPOKp(sv)) return string(sv);
        if (SvNOKp(sv)) return real(SvNVX(sv));
        if (SvIOKp(sv)) return this->integer(sv);
        other(sv);
    }
    [[gnu::cold, gnu::noinline]] void other(SV* sv) {
        refuse("%s is neither text nor a number: no format has a form for it", sv);
    }

    [[gnu::always_inline]] void entry_key(HE* he) {
        const HEK* const key = HeKEY_hek(he);
        key_text(HEK_KEY(key), static_cast<std::size_t>(HEK_LEN(key)), HEK_UTF8(key) != 0);
    }
    void scalar_key(SV* sv) {
        const asked_text t = this->text_of(sv);
        key_text(t.data, t.size, t.utf8);
    }
    void order_pairs(HV*, pair* pairs, std::size_t n) {
        if (o_.canonical)
            std::sort(pairs, pairs + n, [&](const pair& a, const pair& b) { return compare_texts(aTHX_ a.key, b.key) < 0; });
    }

    /// A reference to something that is neither blessed nor a container.
    [[gnu::noinline]] void reference(SV* rv, SV* target) {
        if (SvTYPE(target) < SVt_PVAV) {
            this->fetch(target);
            const int b = may_be_boolean(target) ? boolean_of_text(this->fetched_text(target).view()) : -1;
            if (b >= 0) return to_.boolean(b != 0);
        }
        refuse("%s has no form: of references only those to arrays, to hashes and to 0 and 1 have one", rv);
    }
    [[gnu::noinline]] void object(SV* rv, SV* target) {
        HV* const stash = SvSTASH(target);
        if (stash == booleans_ || is_boolean_class(stash)) {
            booleans_ = stash;
            return to_.boolean(this->integer_of(target) != 0);
        }
        // Whatever runs now may let go of the object.
        this->held(target);
        const char* const name = HvNAME_get(stash);
        const std::string_view s =
            name == nullptr ? "" : std::string_view(name, static_cast<std::size_t>(HvNAMELEN_get(stash)));
        if (SvTYPE(target) == SVt_PVHV && !SvMAGICAL(target)) {
            if (s == "Kumihimo::MessagePack::Extension") return extension(reinterpret_cast<HV*>(target));
            if (s == "Kumihimo::MessagePack::Timestamp") return timestamp(reinterpret_cast<HV*>(target));
        }
        if (s == "Kumihimo::MessagePack::Binary" && SvTYPE(target) < SVt_PVAV) {
            const asked_text t = this->bytes_of(target);
            return to_.bin(t.data, t.size);
        }
        if (is_bignum(aTHX_ target)) return big_number(rv);
        if (sv_derived_from(rv, "DateTime")) return date_time(target);
        if (sv_derived_from(rv, "Time::Piece")) return time_piece(target);
        if (this->to_json(target)) return;
        refuse("%s is an object without TO_JSON: no format has a form for it", rv);
    }

private:
    static bool is_text(const SV* sv) {
#if PERL_VERSION_GE(5, 36, 0)
        return SvPOK(sv) != 0;
#else
        return SvPOKp(sv) != 0;
#endif
    }

    // ---- text

    [[gnu::always_inline]] void text(const char* p, std::size_t n, bool utf8) {
        if (!is_ascii(p, n)) [[unlikely]]
            return beyond_ascii(p, n, utf8);
        to_.str(p, n);
    }
    [[gnu::noinline]] void beyond_ascii(const char* p, std::size_t n, bool utf8) {
        if (!utf8) {
            const widened w(aTHX_ p, n);
            to_.str(w.data(), w.size());
        } else if (scalar::utf8_valid_prefix(p, n) == n) {
            to_.str(p, n);
        } else {
            to_.unchecked_str(p, n);
        }
    }
    [[gnu::always_inline]] void key_text(const char* p, std::size_t n, bool utf8) {
        if (!is_ascii(p, n)) [[unlikely]]
            return key_beyond_ascii(p, n, utf8);
        to_.key(p, n);
    }
    [[gnu::noinline]] void key_beyond_ascii(const char* p, std::size_t n, bool utf8) {
        if (!utf8) {
            const widened w(aTHX_ p, n);
            to_.key(w.data(), w.size());
        } else if (scalar::utf8_valid_prefix(p, n) == n) {
            to_.key(p, n);
        } else {
            to_.unchecked_key(p, n);
        }
    }

    // ---- objects

    [[noreturn]] void refuse(const char* sentence, SV* sv) {
        Perl_croak(aTHX_ sentence, this->words(sv));
        abort();
    }
    void big_number(SV* rv) {
        const big_text digits(aTHX_ this->text_of(rv).view());
        if (const NV x = digits.not_finite(); x != 0) return to_.f64(x);
        const char* const end = digits.data() + digits.size();
        std::int64_t n;
        if (const auto [stop, bad] = std::from_chars(digits.data(), end, n); bad == std::errc() && stop == end)
            return to_.i64(n);
        std::uint64_t u;
        if (const auto [stop, bad] = std::from_chars(digits.data(), end, u); bad == std::errc() && stop == end)
            return to_.u64(u);
        to_.big(digits.data(), digits.size());
    }
    SV* member(HV* hv, const char* name, const char* of) {
        SV** const at = hv_fetch(hv, name, static_cast<I32>(std::strlen(name)), 0);
        if (at == nullptr) Perl_croak(aTHX_ "a Kumihimo::MessagePack::%s without its %s cannot be written", of, name);
        return *at;
    }
    void extension(HV* hv) {
        const IV type = this->integer_of(member(hv, "type", "Extension"));
        if (type < INT32_MIN || type > INT32_MAX) Perl_croak(aTHX_ "an extension's type has 32 bits at most: %" IVdf, type);
        const asked_text t = this->bytes_of(member(hv, "data", "Extension"));
        to_.ext(static_cast<int>(type), t.data, t.size);
    }
    void timestamp(HV* hv) {
        instant at;
        at.seconds = this->integer_of(member(hv, "seconds", "Timestamp"));
        at.nanoseconds = nanoseconds(this->integer_of(member(hv, "nanoseconds", "Timestamp")));
        if (hv_exists(hv, "kind", 4)) {
            const asked_text kind = this->text_of(member(hv, "kind", "Timestamp"));
            std::size_t i = 0;
            while (i != std::size(instant_kinds) && kind.view() != instant_kinds[i]) ++i;
            if (i == std::size(instant_kinds))
                Perl_croak(aTHX_ "a timestamp's kind is utc, offset, local, date or naive, not %.*s",
                           static_cast<int>(std::min<std::size_t>(kind.size, 100)), kind.data);
            at.as = static_cast<instant::kind>(i);
        }
        if (hv_exists(hv, "offset", 6)) at.offset = offset(this->integer_of(member(hv, "offset", "Timestamp")));
        to_.time(at);
    }
    std::uint32_t nanoseconds(IV n) {
        if (n < 0 || n > 999999999) Perl_croak(aTHX_ "a timestamp's nanoseconds are 0 to 999999999, not %" IVdf, n);
        return static_cast<std::uint32_t>(n);
    }
    std::int32_t offset(IV n) {
        if (n <= -86400 || n >= 86400) Perl_croak(aTHX_ "an offset from UTC is less than a day, not %" IVdf " seconds", n);
        return static_cast<std::int32_t>(n);
    }
    /// target->name, in scalar context; mortal.
    SV* asked(SV* target, const char* name) {
        GV* const gv = this->method(SvSTASH(target), name);
        if (gv == nullptr) Perl_croak(aTHX_ "a moment's class has no method %s", name);
        return sv_2mortal(this->call(reinterpret_cast<SV*>(GvCV(gv)), {newRV_inc(target)}));
    }
    IV asked_integer(SV* target, const char* name) { return this->integer_of(asked(target, name)); }
    void date_time(SV* target) {
        instant at;
        at.seconds = asked_integer(target, "epoch");
        at.nanoseconds = nanoseconds(asked_integer(target, "nanosecond"));
        SV* const zone = asked(target, "time_zone");
        if (!SvROK(zone) || !SvOBJECT(SvRV(zone))) Perl_croak(aTHX_ "a DateTime's time zone is no object");
        if (this->truth(asked(SvRV(zone), "is_floating"))) {
            at.as = instant::kind::naive;
        } else if (!this->truth(asked(SvRV(zone), "is_utc"))) {
            at.as = instant::kind::offset;
            at.offset = offset(asked_integer(target, "offset"));
        }
        to_.time(at);
    }
    // One of localtime has the zone's offset at that moment; one of gmtime has none.
    void time_piece(SV* target) {
        instant at;
        at.seconds = asked_integer(target, "epoch");
        at.offset = offset(asked_integer(target, "tzoffset"));
        if (at.offset != 0) at.as = instant::kind::local;
        to_.time(at);
    }

    HV* booleans_ = nullptr;  // the class that was found last to be one of booleans
};

}  // namespace kumihimo::inline v0::perl
