// BigDecimal as the text that its to_s("F") gives: digits without an exponent, "123.45", "-0.0", "0.001".
//
// BigDecimal exports no function and its own to_s costs half a microsecond, so its memory is read, by heart:
//
//      [VALUE obj]   size_t room, size_t words, ssize_t exponent, short sign, short flag, uint32_t word[]
//       bigdecimal       value = 0.word[0]word[1]... * 10^(9 * exponent), nine digits a word
//       before 3.3
//
// What is known by heart is proven before it is used: learn_decimals() compares numbers of every shape with
// BigDecimal's own texts, and says false where one differs. Then BigDecimal is asked as ever.
#pragma once
#include <cstddef>

#include "guard.hpp"

namespace kumihimo::inline v0::ruby {

/// Room for the longest text that is written here.
inline constexpr std::size_t decimal_room = 256;

/// Whether BigDecimal, which is `klass`, can be read: once, for the process, its own to_s must have given these texts.
/// Whether that to_s is still the one that is called is for the caller to watch. Calls Ruby.
bool learn_decimals(VALUE klass);

/// The text of v, an instance of the class that was learnt, or of one that inherits from it. Its size; 0: not finite,
/// or longer than the room, or no such object. Calls nothing.
std::size_t write_decimal(VALUE v, char* to) noexcept;

}  // namespace kumihimo::inline v0::ruby
