// All that reads back as x lies between the points halfway to its neighbours. The three are multiplied by a power of
// ten that brings them to fixed point with 4 to 30 bits in front of the point, each rounded to 64 bits:
//
//           low         x          high              high = whole . rest          in units of 2^-point
//      ------|----------|-----------|------
//            |<------- room ------->|
//                       |<- above ->|
//
// Each product may be off by one unit, so the borders are moved in by one. Digits are then taken off `high` from the
// front until what is left fits into the room: a number that ends there is inside. At last it is stepped down towards
// x, a unit of the last digit at a time, as long as that comes nearer and stays inside. The off-by-ones are what makes
// it imperfect: a shorter number in the margin is not seen, and `nearer` is judged by rounded values.
#include "engine/scalar/grisu.hpp"

#include <bit>

#include "engine/scalar/powers.hpp"

namespace kumihimo::inline v0::scalar {

namespace {

constexpr std::uint64_t hidden_bit = std::uint64_t{1} << 52;

// The powers in use are 10^(8n + 4): the least of them that leaves 60 bits or fewer behind the point.
constexpr int power_step = 8;
constexpr int power_phase = 4;
constexpr int bits_behind_point = 60;

constexpr int power_for(int e) noexcept {
    const int least = -log10_of_power_of_2(e + bits_behind_point + 1);  // 10^least * 2^e * 2^63 is at least 2^(63 - 60)
    return least + ((power_phase - least) & (power_step - 1));
}

// The significand to 64 bits, rounded to nearest.
constexpr std::uint64_t significand(int power) noexcept {
    const wide& g = power_of_ten(power);
    return g.high + (g.low >> 63);
}

constexpr std::uint64_t rounded_product(std::uint64_t a, std::uint64_t b) noexcept {
    const wide p = multiply(a, b);
    return p.high + (p.low >> 63);
}

// Towards x from above. `unit` is one of the last digit, `left` what the digits leave of `high`.
constexpr std::uint64_t stepped_down(std::uint64_t digits, std::uint64_t left, std::uint64_t unit, std::uint64_t room,
                                     std::uint64_t above) noexcept {
    while (left < above && room - left >= unit && (left + unit < above || above - left > left + unit - above)) {
        --digits;
        left += unit;
    }
    return digits;
}

constexpr std::uint32_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

constexpr int decimal_digits(std::uint32_t n) noexcept {          // n > 0
    const int about = ((32 - std::countl_zero(n)) * 1233) >> 12;  // floor(log10(2^bits))
    return about + (n >= tens[about]);
}

}  // namespace

grisu_decimal grisu2(std::uint64_t c, int q) noexcept {
    // In units of 2^e, normalised so that the upper border fills 64 bits. The border below a power of two is half as
    // far; so it is taken for 2^-1022 too, whose neighbours are equally far.
    const std::uint64_t upper = c * 2 + 1;
    const int shift = std::countl_zero(upper);
    const int e = q - 1 - shift;
    const std::uint64_t lower = c == hidden_bit ? (c * 4 - 1) << (shift - 1) : (c * 2 - 1) << shift;
    const int power = power_for(e);
    const std::uint64_t ten = significand(power);
    const std::uint64_t high = rounded_product(upper << shift, ten) - 1;
    const std::uint64_t low = rounded_product(lower, ten) + 1;
    const std::uint64_t above = high - rounded_product(c << (shift + 1), ten);
    std::uint64_t room = high - low;
    const int point = -(e + binary_exponent(power) + 1);  // 34 to 60
    const std::uint64_t one = std::uint64_t{1} << point;
    const auto whole = static_cast<std::uint32_t>(high >> point);
    std::uint64_t rest = high & (one - 1);

    if (rest <= room) [[unlikely]] {
        // The point is not reached: the most digits that can be dropped in front of it.
        for (int dropped = 9;; --dropped) {
            const std::uint64_t unit = tens[dropped];
            const std::uint64_t left = (whole % unit << point) + rest;
            if (left > room) continue;
            const auto digits = static_cast<std::uint32_t>(whole / unit);
            return {stepped_down(digits, left, unit << point, room, above), decimal_digits(digits), dropped - power};
        }
    }
    std::uint64_t digits = whole;
    std::uint64_t scale = 1;
    int behind = 0;
    do {
        rest *= 10;
        room *= 10;
        scale *= 10;
        digits = digits * 10 + (rest >> point);
        rest &= one - 1;
        ++behind;
    } while (rest >= room);
    return {stepped_down(digits, rest, one, room, above * scale), decimal_digits(whole) + behind, -behind - power};
}

}  // namespace kumihimo::inline v0::scalar
