// Math::BigInt and Math::BigFloat: numbers that keep all their digits, both ways.
#pragma once
#include <string_view>

#include "guard.hpp"

namespace kumihimo::inline v0::perl {

/// Whether an object is of one of these classes themselves; a subclass may mean something else by its text.
inline bool is_bignum(pTHX_ SV* target) {
    PERL_UNUSED_CONTEXT;
    const char* const name = HvNAME_get(SvSTASH(target));
    if (name == nullptr) return false;
    const std::string_view s(name, static_cast<std::size_t>(HvNAMELEN_get(SvSTASH(target))));
    return s == "Math::BigInt" || s == "Math::BigFloat";
}

/// The digits of such an object.
class big_text {
public:
    /// `text` is what its overload of "" answers, and stays.
    big_text(pTHX_ std::string_view text) {
        data_ = text.data();
        size_ = text.size();
        if (size_ != 0 && *data_ == '+') ++data_, --size_;
        // Whoever reaches into the object can make it say anything.
        if (not_finite() == 0 && !is_number())
            Perl_croak(aTHX_ "encountered a big number whose text \"%.*s\" is no number",
                       static_cast<int>(std::min<std::size_t>(text.size(), 1000)), text.data());
    }
    const char* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    std::string_view view() const noexcept { return {data_, size_}; }
    /// What it is where it is no number; else 0.
    NV not_finite() const noexcept {
        if (size_ == 0 || view() == "NaN" || view() == "nan") return static_cast<NV>(NAN);
        if (view() == "inf" || view() == "Inf") return static_cast<NV>(HUGE_VAL);
        if (view() == "-inf" || view() == "-Inf") return -static_cast<NV>(HUGE_VAL);
        return 0;
    }

private:
    /// By the grammar of JSON.
    bool is_number() const noexcept {
        const char* p = data_;
        const char* const end = data_ + size_;
        const auto digits = [&] {
            const char* const b = p;
            while (p != end && *p >= '0' && *p <= '9') ++p;
            return p - b;
        };
        if (p != end && *p == '-') ++p;
        const bool zero = p != end && *p == '0';
        const auto whole = digits();
        if (whole == 0 || (zero && whole != 1)) return false;
        if (p != end && *p == '.') {
            ++p;
            if (digits() == 0) return false;
        }
        if (p != end && (*p == 'e' || *p == 'E')) {
            ++p;
            if (p != end && (*p == '-' || *p == '+')) ++p;
            if (digits() == 0) return false;
        }
        return p == end;
    }
    const char* data_;
    std::size_t size_;
};

/// The object of a number's digits, counted. Loads the class. `whole`: Math::BigInt, else Math::BigFloat.
SV* new_bignum(pTHX_ const char* digits, std::size_t n, bool whole);
/// A mortal object without the fraction of `number`, whose value it is not to change.
SV* truncated_bignum(pTHX_ SV* number);

}  // namespace kumihimo::inline v0::perl
