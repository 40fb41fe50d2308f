// Perl values -> MessagePack, by Data::MessagePack's answers: a scalar that has text is a string, then a double, then
// an integer. A string goes out as the bytes that perl holds, as bin or, with `utf8`, as str.
#pragma once
#include "engine/msgpack/emit.hpp"

#include "message_pack.hpp"
#include "output.hpp"
#include "rules_values.hpp"

namespace kumihimo::inline v0::perl {

[[noreturn]] inline void croak_pack(errc code, const char* what) {
    dTHX;
    Perl_croak(aTHX_ "%s", code == errc::size ? "a value is longer than what MessagePack counts in 32 bits" : what);
    abort();
}

template <class To>
class pack_walk : public values_walk<pack_walk<To>, To, pack_options> {
    using base = values_walk<pack_walk<To>, To, pack_options>;
    friend base;
    using base::my_perl;
    using base::o_;
    using base::to_;

public:
    static constexpr bool tells_flags = true;
    static constexpr bool scalars_have_depth = true;
    static constexpr IV lowest_type = -128, highest_type = 127;
    static constexpr bool moments_have_kinds = false;
    static constexpr const char* no_scalar = "cannot pack %s: MessagePack has no form for a glob or a format";
    static const char* no_reference(SV* target) noexcept {
        return SvTYPE(target) > SVt_PVAV ? "encountered %s, but msgpack can only represent references to arrays or hashes"
                                         : "cannot encode reference to scalar '%s' unless the scalar is 0 or 1";
    }
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
        base::string(sv);
    }
    [[gnu::noinline]] void mixed(SV* sv) { this->by_flags(sv); }

    [[gnu::always_inline]] void entry_key(HE* he) {
        // Perl keeps a key in Latin-1 where it can, and notes that it came flagged: as a scalar it would be flagged
        // again.
        const HEK* const key = HeKEY_hek(he);
        if ((HEK_FLAGS(key) & HVhek_WASUTF8) != 0 && !o_.text) [[unlikely]] {
            const widened w(aTHX_ HEK_KEY(key), static_cast<std::size_t>(HEK_LEN(key)));
            return string_text(w.data(), w.size(), true);
        }
        base::entry_key(he);
    }
    [[gnu::always_inline]] void string_text(const char* p, std::size_t n, bool utf8) {
        if (o_.prefer_integer && integer_text(p, n)) return;
        if (o_.text)
            this->characters(text_role::value, p, n, utf8);
        else if (o_.utf8)
            to_.str(p, n);
        else
            to_.bin(p, n);
    }
    /// Keys are values of MessagePack, as any are.
    [[gnu::always_inline]] void key_text(const char* p, std::size_t n, bool utf8) { string_text(p, n, utf8); }
    template <text_role>
    void not_utf8(const char* p, std::size_t n) {
        to_.bin(p, n);
    }

    void other_object(SV* rv, SV*) {
        this->refuse("encountered object '%s', which MessagePack has no form for: pack its data instead", rv);
    }

private:
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
};

}  // namespace kumihimo::inline v0::perl
