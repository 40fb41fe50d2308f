// Powers of ten to 128 bits, made by the compiler (about 0.05 s per translation unit): 5^e needs no more than long
// multiplication by 5, and floor(2^n / 5^e) no more than repeated division by 5, because floors of quotients nest.
//
//      10^e = significand(e) * 2^(binary_exponent(e) - 127),  2^127 <= significand < 2^128
//
//      0 <= e <= 55    exact
//      e > 55          cut: below the true value by less than one unit
//      e < 0           above the true value by at most one unit, so that an exact quotient never looks smaller than it is
#pragma once
#include <array>
#include <cstdint>

namespace kumihimo::inline v0::scalar {

struct wide {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
};

__extension__ using uint128 = unsigned __int128;

constexpr wide multiply(std::uint64_t a, std::uint64_t b) noexcept {
    const uint128 p = static_cast<uint128>(a) * b;
    return {static_cast<std::uint64_t>(p >> 64), static_cast<std::uint64_t>(p)};
}

/// floor(log10(2^q)) for |q| <= 1650.
constexpr int log10_of_power_of_2(int q) noexcept { return (q * 315653) >> 20; }

/// floor(log2(10^e)) for |e| <= 1233.
constexpr int binary_exponent(int e) noexcept { return (e * 1741647) >> 19; }

inline constexpr int least_power = -342;    // below: 2^64 * 10^e rounds to zero
inline constexpr int greatest_power = 340;  // the smallest subnormal to 17 digits
inline constexpr int greatest_exact_power = 55;

namespace made {

using power_table = std::array<wide, greatest_power - least_power + 1>;

constexpr power_table powers() {
    // The 128 bits below the highest one that is set.
    constexpr auto top = [](const std::uint64_t* limb, int n) {
        while (limb[n - 1] == 0) --n;
        const auto at = [&](int i) { return i >= 0 ? limb[i] : 0; };
        int s = 0;
        while ((limb[n - 1] << s >> 63) == 0) ++s;
        const auto joined = [&](int i) { return s == 0 ? at(i) : at(i) << s | at(i - 1) >> (64 - s); };
        return wide{joined(n - 1), joined(n - 2)};
    };
    power_table table{};
    constexpr int up = 13;  // 5^340 has 790 bits
    std::uint64_t product[up] = {1};
    for (int e = 0; e <= greatest_power; ++e) {
        table[static_cast<unsigned>(e - least_power)] = top(product, up);
        std::uint64_t carry = 0;
        for (auto& limb : product) {
            const uint128 p = static_cast<uint128>(limb) * 5 + carry;
            limb = static_cast<std::uint64_t>(p);
            carry = static_cast<std::uint64_t>(p >> 64);
        }
    }
    constexpr int down = 15;  // 2^959 / 5^342 still has 164 bits
    std::uint64_t quotient[down] = {};
    quotient[down - 1] = std::uint64_t{1} << 63;
    for (int e = -1; e >= least_power; --e) {
        std::uint64_t rest = 0;
        for (int i = down - 1; i >= 0; --i) {
            const uint128 p = static_cast<uint128>(rest) << 64 | quotient[i];
            quotient[i] = static_cast<std::uint64_t>(p / 5);
            rest = static_cast<std::uint64_t>(p % 5);
        }
        wide w = top(quotient, down);
        if (++w.low == 0) ++w.high;
        table[static_cast<unsigned>(e - least_power)] = w;
    }
    return table;
}

inline constexpr power_table power = powers();

}  // namespace made

/// The significand of 10^e, least_power <= e <= greatest_power.
constexpr const wide& power_of_ten(int e) noexcept { return made::power[static_cast<unsigned>(e - least_power)]; }

}  // namespace kumihimo::inline v0::scalar
