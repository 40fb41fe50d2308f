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

#include "any_format.hpp"
#include "bignum.hpp"
#include "rules_values.hpp"

namespace kumihimo::inline v0::perl {

template <class To>
class any_walk : public values_walk<any_walk<To>, To, dump_options> {
    using base = values_walk<any_walk<To>, To, dump_options>;
    friend base;
    using base::my_perl;
    using base::o_;
    using base::to_;

public:
    static constexpr IV lowest_type = INT32_MIN, highest_type = INT32_MAX;
    static constexpr bool moments_have_kinds = true;
    static constexpr const char* no_scalar = "%s is neither text nor a number: no format has a form for it";
    static const char* no_reference(SV*) noexcept {
        return "%s has no form: of references only those to arrays, to hashes and to 0 and 1 have one";
    }
    using base::base;

    [[noreturn]] void too_deep() {
        Perl_croak(aTHX_ "the value is nested deeper than max_depth: %lu levels", static_cast<unsigned long>(o_.max_depth));
        abort();
    }
    /// Perl's own rule (builtin::created_as_number): what was made as a number is one, whatever it was used as. Before
    /// 5.36 a number that was used as a text cannot be told from a text.
    [[gnu::noinline]] void mixed(SV* sv) {
        if (SvROK(sv)) return this->target(sv);
        if (is_core_boolean(aTHX_ sv)) return to_.boolean(this->fetched_truth(sv));
        if (SvNIOK(sv) && !is_text(sv)) {
            const bool minus_zero = SvNOKp(sv) && SvNVX(sv) == 0 && std::signbit(SvNVX(sv));
            return SvIOK(sv) && !minus_zero ? this->integer(sv) : this->real(SvNVX(sv));
        }
        this->by_flags(sv);
    }

    [[gnu::always_inline]] void string_text(const char* p, std::size_t n, bool utf8) {
        this->characters(text_role::value, p, n, utf8);
    }
    [[gnu::always_inline]] void key_text(const char* p, std::size_t n, bool utf8) {
        this->characters(text_role::key, p, n, utf8);
    }
    template <text_role Is>
    void not_utf8(const char* p, std::size_t n) {
        Is == text_role::key ? to_.unchecked_key(p, n) : to_.unchecked_str(p, n);
    }

    void other_object(SV* rv, SV* target) {
        // Whatever runs now may let go of the object.
        this->held(target);
        if (is_bignum(aTHX_ target)) return big_number(rv);
        if (sv_derived_from(rv, "DateTime")) return date_time(target);
        if (sv_derived_from(rv, "Time::Piece")) return time_piece(target);
        if (this->to_json(target)) return;
        this->refuse("%s is an object without TO_JSON: no format has a form for it", rv);
    }

private:
    static bool is_text(const SV* sv) {
#if PERL_VERSION_GE(5, 36, 0)
        return SvPOK(sv) != 0;
#else
        return SvPOKp(sv) != 0;
#endif
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
    /// target->name, in scalar context; mortal.
    SV* asked(SV* target, const char* name) {
        GV* const gv = this->method(SvSTASH(target), name);
        if (gv == nullptr) Perl_croak(aTHX_ "a moment's class has no method %s", name);
        return sv_2mortal(this->call(reinterpret_cast<SV*>(GvCV(gv)), {newRV_inc(target)}));
    }
    IV asked_integer(SV* target, const char* name) { return this->integer_of(asked(target, name)); }
    void date_time(SV* target) {
        instant t;
        t.seconds = asked_integer(target, "epoch");
        t.nanoseconds = this->nanoseconds(asked_integer(target, "nanosecond"));
        SV* const zone = asked(target, "time_zone");
        if (!SvROK(zone) || !SvOBJECT(SvRV(zone))) Perl_croak(aTHX_ "a DateTime's time zone is no object");
        if (this->truth(asked(SvRV(zone), "is_floating"))) {
            t.clock = instant::kind::naive;
        } else if (!this->truth(asked(SvRV(zone), "is_utc"))) {
            t.clock = instant::kind::offset;
            t.offset = this->offset(asked_integer(target, "offset"));
        }
        to_.time(t);
    }
    // One of localtime has the zone's offset at that moment; one of gmtime has none.
    void time_piece(SV* target) {
        instant t;
        t.seconds = asked_integer(target, "epoch");
        t.offset = this->offset(asked_integer(target, "tzoffset"));
        if (t.offset != 0) t.clock = instant::kind::local;
        to_.time(t);
    }
};

}  // namespace kumihimo::inline v0::perl
