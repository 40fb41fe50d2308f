// Perl values -> MessagePack, by Data::MessagePack's answers: a scalar that has text is a string, then a double, then an
// integer. A string goes out as the bytes that perl holds, as bin or, with `utf8`, as str.
#pragma once
#include "engine/msgpack/emit.hpp"
#include "engine/scalar/utf8.hpp"

#include "booleans.hpp"
#include "message_pack.hpp"
#include "output.hpp"
#include "text.hpp"
#include "walk.hpp"

namespace kumihimo::inline v0::perl {

[[noreturn]] inline void croak_pack(errc code, const char* what) {
    dTHX;
    Perl_croak(aTHX_ "%s", code == errc::size ? "a value is longer than what MessagePack counts in 32 bits" : what);
    abort();
}

template <class To>
class pack_walk : public walker<pack_walk<To>, To, pack_options> {
    using base = walker<pack_walk<To>, To, pack_options>;
    friend base;
    using base::my_perl;
    using base::o_;
    using base::to_;
    using typename base::pair;

public:
    static constexpr bool tells_flags = true;
    static constexpr bool keeps_elements = true;  // the length is written before the elements
    static constexpr bool scalars_have_depth = true;
    using base::base;

    void document(SV* sv) {
        if (o_.max_depth == 0) [[unlikely]]
            too_deep();
        this->value(sv);
    }

    [[noreturn]] void too_deep() {
        Perl_croak(aTHX_ "perl structure exceeds maximum nesting level (max_depth set too low?)");
        abort();
    }
    [[gnu::always_inline]] void string(SV* sv) {
        if (o_.core_booleans) [[unlikely]] {
#ifdef SvIsBOOL
            if (SvIsBOOL(sv)) return to_.boolean(SvCUR(sv) != 0);
#endif
        }
        text(SvPVX_const(sv), SvCUR(sv), SvUTF8(sv) != 0);
    }
    [[gnu::always_inline]] void real(NV x) { to_.f64(x); }
    void unsigned_integer(UV n) { to_.u64(n); }
    [[gnu::noinline]] void mixed(SV* sv) {
        if (SvPOKp(sv)) return string(sv);
        if (SvNOKp(sv)) return real(SvNVX(sv));
        if (SvIOKp(sv)) return this->integer(sv);
        if (SvROK(sv)) return this->target(sv);
        other(sv);
    }
    [[gnu::cold, gnu::noinline]] void other(SV* sv) {
        refuse("cannot pack %s: MessagePack has no form for a glob or a format", sv);
    }

    [[gnu::always_inline]] void entry_key(HE* he) {
        const HEK* const k = HeKEY_hek(he);
        const char* const p = HEK_KEY(k);
        const auto n = static_cast<std::size_t>(HEK_LEN(k));
        // Perl keeps a key in Latin-1 where it can, and notes that it came flagged: as a scalar it would be flagged again.
        if ((HEK_FLAGS(k) & HVhek_WASUTF8) != 0 && !o_.text) [[unlikely]] {
            const widened w(aTHX_ p, n);
            return text(w.data(), w.size(), true);
        }
        text(p, n, HEK_UTF8(k) != 0);
    }
    void scalar_key(SV* sv) {
        const asked_text t = this->text_of(sv);
        text(t.data, t.size, t.utf8);
    }
    void order_pairs(HV*, pair* pairs, std::size_t n) {
        if (o_.canonical)
            std::sort(pairs, pairs + n, [&](const pair& a, const pair& b) { return compare_texts(aTHX_ a.key, b.key) < 0; });
    }

    /// A reference to something that is neither blessed nor a container.
    [[gnu::noinline]] void reference(SV* rv, SV* sv) {
        if (SvTYPE(sv) > SVt_PVAV) refuse("encountered %s, but msgpack can only represent references to arrays or hashes", rv);
        this->fetch(sv);
        const int b = may_be_boolean(sv) ? boolean_of_text(this->fetched_text(sv).view()) : -1;
        if (b < 0) refuse("cannot encode reference to scalar '%s' unless the scalar is 0 or 1", rv);
        to_.boolean(b != 0);
    }
    [[gnu::noinline]] void object(SV* rv, SV* sv) {
        HV* const stash = SvSTASH(sv);
        if (stash != booleans_) {
            const char* const name = HvNAME_get(stash);
            const std::string_view s =
                name == nullptr ? std::string_view() : std::string_view(name, static_cast<std::size_t>(HvNAMELEN_get(stash)));
            if (SvTYPE(sv) == SVt_PVHV && s.starts_with("Kumihimo::MessagePack::") && !SvMAGICAL(sv)) {
                HV* const hv = reinterpret_cast<HV*>(sv);
                if (s.ends_with("::Extension")) return extension(hv);
                if (s.ends_with("::Timestamp")) return timestamp(hv);
            }
            if (s == "Kumihimo::MessagePack::Binary" && SvTYPE(sv) < SVt_PVAV) {
                const asked_text t = this->bytes_of(sv);
                return to_.bin(t.data, t.size);
            }
            if (!is_boolean_class(stash))
                refuse("encountered object '%s', which MessagePack has no form for: pack its data instead", rv);
            booleans_ = stash;
        }
        to_.boolean(this->integer_of(sv) != 0);
    }

private:
    [[gnu::always_inline]] void text(const char* p, std::size_t n, bool utf8) {
        if (o_.prefer_integer && integer_text(p, n)) return;
        if (o_.text)
            characters(p, n, utf8);
        else if (o_.utf8)
            to_.str(p, n);
        else
            to_.bin(p, n);
    }
    [[gnu::always_inline]] void characters(const char* p, std::size_t n, bool utf8) {
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
            to_.bin(p, n);
        }
    }
    // What prefer_integer takes for one: digits, not more than 32 bits' worth, with a minus or without.
    bool integer_text(const char* p, std::size_t n) {
        const bool negative = n != 0 && *p == '-';
        if (n < 1u + negative || n > 10u + negative) return false;
        std::int64_t value = 0;
        for (std::size_t i = negative; i < n; ++i) {
            const unsigned digit = static_cast<unsigned char>(p[i]) - unsigned{'0'};
            if (digit > 9) return false;
            value = value * 10 + digit;
        }
        if (value > (negative ? std::int64_t{1} << 31 : std::int64_t{UINT32_MAX})) return false;
        to_.i64(negative ? -value : value);
        return true;
    }
    [[noreturn]] void refuse(const char* sentence, SV* sv) {
        Perl_croak(aTHX_ sentence, this->words(sv));
        abort();
    }

    SV* member(HV* hv, const char* name, const char* of) {
        SV** const at = hv_fetch(hv, name, static_cast<I32>(std::strlen(name)), 0);
        if (at == nullptr) Perl_croak(aTHX_ "a Kumihimo::MessagePack::%s without its %s cannot be packed", of, name);
        return *at;
    }
    // Its members are asked one after the other: what the first one runs may let go of the object.
    void hold(HV* hv) { this->held(reinterpret_cast<SV*>(hv)); }
    void extension(HV* hv) {
        SV* const data = member(hv, "data", "Extension");
        if (!has_quiet_number(member(hv, "type", "Extension")) || !has_quiet_text(data) || SvUTF8(data) != 0) hold(hv);
        const IV type = this->integer_of(member(hv, "type", "Extension"));
        if (type < -128 || type > 127) Perl_croak(aTHX_ "an extension's type is -128 to 127, not %" IVdf, type);
        const asked_text t = this->bytes_of(member(hv, "data", "Extension"));
        to_.ext(static_cast<int>(type), t.data, t.size);
    }
    void timestamp(HV* hv) {
        for (const char* const name : {"seconds", "nanoseconds"})
            if (!has_quiet_number(member(hv, name, "Timestamp"))) hold(hv);
        const IV seconds = this->integer_of(member(hv, "seconds", "Timestamp"));
        const IV nanoseconds = this->integer_of(member(hv, "nanoseconds", "Timestamp"));
        if (nanoseconds < 0 || nanoseconds > 999999999)
            Perl_croak(aTHX_ "a timestamp's nanoseconds are 0 to 999999999, not %" IVdf, nanoseconds);
        to_.time({.seconds = seconds, .nanoseconds = static_cast<std::uint32_t>(nanoseconds)});
    }

    HV* booleans_ = nullptr;  // the class that was found last to be one of booleans
};

}  // namespace kumihimo::inline v0::perl
