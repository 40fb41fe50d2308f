// mruby's Floats: what its word boxing keeps of a double, and decimals read exactly.
#pragma once
#include <bit>
#include <cstdint>
#include <string_view>

#include "engine/scalar/float_write.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

#if defined(MRB_WORD_BOXING) && !defined(MRB_WORDBOX_NO_FLOAT_TRUNCATE) && !defined(MRB_USE_FLOAT32)
/// The two lowest bits of a double are the mark of a Float.
inline constexpr bool floats_are_cut = true;
inline constexpr auto float_layout = scalar::float_layout::mruby;
#else
inline constexpr bool floats_are_cut = false;
inline constexpr auto float_layout = scalar::float_layout::ruby;
#endif

[[gnu::always_inline]] inline mrb_value float_value(mrb_state* mrb, double x) {
    if constexpr (floats_are_cut) {
        mrb_value v;
        v.w = (std::bit_cast<std::uint64_t>(x) & ~std::uint64_t{WORDBOX_FLOAT_MASK}) | WORDBOX_FLOAT_FLAG;
        return v;
    } else {
        return mrb_float_value(mrb, x);
    }
}
[[gnu::always_inline]] inline double float_of(mrb_value v) noexcept {
    if constexpr (floats_are_cut)
        return std::bit_cast<double>(std::uint64_t{v.w} & ~std::uint64_t{WORDBOX_FLOAT_MASK});
    else
        return mrb_float(v);
}

/// The double that a Float was written as, as far as its decimal has up to 15 digits; else what the Float holds. For
/// binary formats: 0.1 goes out as others have it.
inline double uncut(double x) noexcept { return floats_are_cut ? scalar::uncut(x) : x; }

/// The double nearest to a decimal, or an infinity. `end` is where the number ends; the text's begin where it is none.
/// The grammar is that of Ruby's literals and of String#to_f, without their underscores: .5 is a number, 5. is none.
double read_decimal(std::string_view text, const char*& end) noexcept;

/// Float#to_s and inspect: the shortest text of what a Float keeps, as in a document. mruby's own rounds to 15 digits,
/// and makes "0.0,6.04*2000001e+99" of 1e100.
void define_float_text(mrb_state*);

}  // namespace kumihimo::inline v0::mruby
