// Which of two JSON numbers is larger, exactly: by their digits, whatever a double or 64 bits would make of them.
//
//      9007199254740993 > 9007199254740992.0        1e400 > 1.7e308        0.1 == 0.10        -0 == 0
#pragma once
#include <cstdint>
#include <string_view>

#include "engine/scalar/float_read.hpp"

namespace kumihimo::inline v0::extract {

class exact_number;
/// Negative, 0 or positive. Both are comparable().
int compare(const exact_number& a, const exact_number& b) noexcept;

/// A number's text, which it does not own, taken apart.
class exact_number {
public:
    exact_number() = default;
    /// `text` is a JSON number.
    explicit exact_number(std::string_view text) noexcept
        : text_(text), parts_(scalar::scan_number(text.data(), text.data() + text.size())) {
        short_ = !parts_.more && parts_.exponent10 > -far && parts_.exponent10 < far;
    }

    /// False where the exponent has more than 18 digits: then its order is not known.
    bool comparable() const noexcept { return short_ || exponent_fits(); }

    friend int compare(const exact_number& a, const exact_number& b) noexcept;

private:
    static constexpr int far = 99'999;  // scan_number() goes no further

    bool exponent_fits() const noexcept;
    static int compare_short(const scalar::number& a, const scalar::number& b) noexcept;
    static int compare_text(std::string_view a, std::string_view b) noexcept;

    std::string_view text_;
    scalar::number parts_;
    bool short_ = true;  // mantissa * 10^exponent10 is all of it
};

inline int compare(const exact_number& a, const exact_number& b) noexcept {
    if (a.short_ && b.short_) [[likely]]
        return exact_number::compare_short(a.parts_, b.parts_);
    return exact_number::compare_text(a.text_, b.text_);
}

}  // namespace kumihimo::inline v0::extract
