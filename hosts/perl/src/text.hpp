// Perl scalar <-> text.
//
// A scalar's bytes are characters (U+0000 to U+00FF) or, when it is flagged UTF-8, Perl's utf8: UTF-8 that may also
// hold surrogates and values beyond U+10FFFF, and, when somebody set the flag by hand, anything. What is written out
// is looked at once, as a whole, when the document is finished (finish.hpp), so nothing here checks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/scalar/utf8.hpp"
#include "engine/simd/lanes.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::perl {

/// Whether all bytes are ASCII.
[[gnu::always_inline]] inline bool is_ascii(const char* s, std::size_t n) noexcept {
    using simd::lanes;
    if (n < lanes::width) return n == 0 || (simd::load_part(s, n).high().bits() & lanes::under(n)) == 0;
    lanes all = lanes::load(s + n - lanes::width).high();
    for (std::size_t i = 0; i + lanes::width < n; i += lanes::width) all = all | lanes::load(s + i).high();
    return all.bits() == 0;
}

/// Latin-1 as UTF-8, on the machine stack where it is short, else in a mortal.
class widened {
public:
    widened(pTHX_ const char* s, std::size_t n) : data_(here_) {
        if (n > sizeof here_ / 2) data_ = SvPVX(sv_2mortal(newSV(scalar::utf8_bound_of_latin1(n))));
        size_ = static_cast<std::size_t>(scalar::latin1_to_utf8(s, n, data_) - data_);
    }
    widened(const widened&) = delete;
    widened& operator=(const widened&) = delete;
    const char* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }

private:
    char* data_;
    std::size_t size_;
    char here_[512];
};

}  // namespace kumihimo::inline v0::perl
