// What JSON's rule sets have in common: text, whose bytes are looked at as a whole when the document is finished
// (finish.hpp), and numbers by their digits.
#pragma once
#include <cmath>

#include "engine/scalar/integer.hpp"

#include "options.hpp"
#include "text.hpp"
#include "walk.hpp"

namespace kumihimo::inline v0::perl {

template <class Self, class To>
class json_walker : public walker<Self, To, json_options> {
protected:
    using base = walker<Self, To, json_options>;
    using base::my_perl;
    using base::o_;
    using base::to_;

public:
    using base::base;

    /// Whether a scalar flagged UTF-8 went out: the document may then hold what Unicode does not have.
    bool wide() const noexcept { return wide_; }

    [[gnu::always_inline]] void string(SV* sv) {
        const char* const p = SvPVX_const(sv);
        const std::size_t n = SvCUR(sv);
        if (SvUTF8(sv) != 0)
            wide_ = true;
        else if (!is_ascii(p, n)) [[unlikely]]
            return latin1(p, n);
        to_.str(p, n);
    }
    /// Text of which the flag is known.
    void text(const char* p, std::size_t n, bool utf8) {
        if (utf8)
            wide_ = true;
        else if (!is_ascii(p, n))
            return latin1(p, n);
        to_.str(p, n);
    }
    void unsigned_integer(UV n) {
        char digits[scalar::integer_room];
        to_.raw(digits, static_cast<std::size_t>(scalar::write_u64(digits, n) - digits));
    }
    [[gnu::always_inline]] void real(NV x) {
        if (std::isfinite(x)) [[likely]]
            return to_.finite_f64(x);
        this->self().not_finite(x);
    }

    void key_text(const char* p, std::size_t n, bool utf8) {
        if (utf8) {
            wide_ = true;
        } else if (!is_ascii(p, n) && !o_.binary) [[unlikely]] {
            const widened w(aTHX_ p, n);
            return to_.key(w.data(), w.size());
        }
        to_.key(p, n);
    }
    [[gnu::always_inline]] void entry_key(HE* he) {
        const HEK* const key = HeKEY_hek(he);
        const char* const p = HEK_KEY(key);
        const auto n = static_cast<std::size_t>(HEK_LEN(key));
        if constexpr (Self::tells_flags) {
            if (HEK_WASUTF8(key)) wide_ = true;
        }
        if (HEK_UTF8(key) || !is_ascii(p, n)) [[unlikely]]
            return key_text(p, n, HEK_UTF8(key) != 0);
        to_.key(p, n);
    }
    /// A key of a pair. Code that orders keys has had it in its hands, so that it may be anything by now.
    void scalar_key(SV* sv) {
        const asked_text t = this->text_of(sv);
        key_text(t.data, t.size, t.utf8);
    }

protected:
    bool wide_ = false;

private:
    [[gnu::cold, gnu::noinline]] void latin1(const char* p, std::size_t n) {
        if (o_.binary) return to_.str(p, n);  // bytes are bytes
        const widened w(aTHX_ p, n);
        to_.str(w.data(), w.size());
    }
};

}  // namespace kumihimo::inline v0::perl
