// Doubles to decimal text, in the layout of each language that Kumihimo speaks for.
//
//      layout       digits                                   point and exponent
//      ecmascript   shortest that reads back the same        Number.prototype.toString: 1  100  1e+21  0.000001  1e-7; -0 is 0
//      python       shortest                                 repr: 1.0  1e+16  0.0001  1e-05  -0.0
//      ruby         shortest                                 Float#to_s: 1.0  1.0e+15  0.0001  1.0e-05  -0.0
//      perl15       15, correctly rounded, zeros stripped    printf %.15g: 1  1e+15  0.0001  1e-05  -0
//      g17          17, correctly rounded, zeros stripped    printf %.17g
//      cpanel15     as perl15                                whole numbers show it: 1.0  1e+15  0.0001  1e-05  -0.0
//      perl_shortest  shortest                               where printf %.17g puts them: 1  1e+17  0.0001  1e-05  -0
//      json_2_11    Grisu2: nearly shortest (grisu.hpp)      Ruby's json 2.11: 1.0  1e+8  0.0001  1.23456e-4  -0.0
//      json_2_12    Grisu2                                   json 2.12 to 2.14: 1.0  1e+8  0.000123456  1e-10
//      json_2_15    Grisu2                                   json 2.15 and later: 1.0  100000000.0  1e+15  1e-10
//      mruby        up to 15 where they read back, see below; else shortest    as ruby
//      orjson       shortest                                 Python's orjson 3.13: 1.0  1e+16  0.00001  1e-6  -0.0
//
// Among equally short texts the one nearest to the value is written. (Ruby's json before 2.11 writes Float#to_s:
// ruby.)
//
// mruby's word boxing drops the two lowest bits of a double, so that 0.1 is kept as 0.09999999999999998. Such a value
// stands for all decimals that are read and cut back to it; no two of them have 15 digits, so what was written with 15
// or fewer is found again: 0.1. Where there is none, the text is that of the double which is kept. (The shortest text
// that comes back would also change what is kept as it was written: 0.30000000000000004 to 0.3000000000000001.)
//
// cpanel15 is what Perl's Cpanel::JSON::XS makes of a number: it asks the value, not the text. 3 is 3.0, but
// 2.9999999999999996, whose 15 digits are 3 as well, is 3.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kumihimo::inline v0::scalar {

enum class float_layout : std::uint8_t {
    ecmascript,
    python,
    ruby,
    perl15,
    g17,
    cpanel15,
    perl_shortest,
    json_2_11,
    json_2_12,
    json_2_15,
    mruby,
    orjson
};

/// Room that write_f64 asks for; it may scribble over all of it.
inline constexpr std::size_t float_room = 32;

namespace made {

template <float_layout L>
char* write_shortest(char* to, double x) noexcept;
template <float_layout L>
char* write_rounded(char* to, double x) noexcept;
template <float_layout L>
char* write_grisu(char* to, double x) noexcept;
template <float_layout L>
char* write_boxed(char* to, double x) noexcept;

extern template char* write_shortest<float_layout::ecmascript>(char*, double) noexcept;
extern template char* write_shortest<float_layout::python>(char*, double) noexcept;
extern template char* write_shortest<float_layout::ruby>(char*, double) noexcept;
extern template char* write_rounded<float_layout::perl15>(char*, double) noexcept;
extern template char* write_rounded<float_layout::g17>(char*, double) noexcept;
extern template char* write_rounded<float_layout::cpanel15>(char*, double) noexcept;
extern template char* write_shortest<float_layout::perl_shortest>(char*, double) noexcept;
extern template char* write_grisu<float_layout::json_2_11>(char*, double) noexcept;
extern template char* write_grisu<float_layout::json_2_12>(char*, double) noexcept;
extern template char* write_grisu<float_layout::json_2_15>(char*, double) noexcept;
extern template char* write_boxed<float_layout::mruby>(char*, double) noexcept;
extern template char* write_shortest<float_layout::orjson>(char*, double) noexcept;

}  // namespace made

/// Writes a finite double and returns the end. `to` has float_room bytes. NaN and infinities are the caller's.
inline char* write_f64(char* to, double finite, float_layout layout) noexcept {
    switch (layout) {
        case float_layout::ecmascript: return made::write_shortest<float_layout::ecmascript>(to, finite);
        case float_layout::python: return made::write_shortest<float_layout::python>(to, finite);
        case float_layout::ruby: return made::write_shortest<float_layout::ruby>(to, finite);
        case float_layout::perl15: return made::write_rounded<float_layout::perl15>(to, finite);
        case float_layout::g17: return made::write_rounded<float_layout::g17>(to, finite);
        case float_layout::cpanel15: return made::write_rounded<float_layout::cpanel15>(to, finite);
        case float_layout::perl_shortest: return made::write_shortest<float_layout::perl_shortest>(to, finite);
        case float_layout::json_2_11: return made::write_grisu<float_layout::json_2_11>(to, finite);
        case float_layout::json_2_12: return made::write_grisu<float_layout::json_2_12>(to, finite);
        case float_layout::json_2_15: return made::write_grisu<float_layout::json_2_15>(to, finite);
        case float_layout::mruby: return made::write_boxed<float_layout::mruby>(to, finite);
        case float_layout::orjson: return made::write_shortest<float_layout::orjson>(to, finite);
    }
    return to;
}

/// What the layout mruby finds, as a double: the one whose two lowest bits were dropped to make x, where its decimal
/// has up to 15 digits; else x.
double uncut(double x) noexcept;

}  // namespace kumihimo::inline v0::scalar
