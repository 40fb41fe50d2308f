#include "engine/scalar/exact.hpp"

#include <algorithm>
#include <bit>

#include "engine/scalar/powers.hpp"

namespace kumihimo::inline v0::scalar {

namespace {

// Digits beyond this many cannot move a number across a border (the midpoints of doubles have at most 767), except by
// not being zero: they are folded into one last digit 1.
constexpr int kept_digits = 780;

// A natural number below 2^4096. The largest that is needed: 781 digits, or 2^54 * 5^1122, are below 2^2700.
class natural {
public:
    explicit natural(std::uint64_t n) noexcept {
        if (n != 0) limb_[size_++] = n;
    }

    void multiply_add(std::uint64_t factor, std::uint64_t carry) noexcept {
        for (int i = 0; i < size_; ++i) {
            const uint128 p = static_cast<uint128>(limb_[i]) * factor + carry;
            limb_[i] = static_cast<std::uint64_t>(p);
            carry = static_cast<std::uint64_t>(p >> 64);
        }
        if (carry != 0 && size_ < capacity) limb_[size_++] = carry;
    }

    void multiply_by_power_of_5(int n) noexcept {
        constexpr std::uint64_t five_to_27 = 7450580596923828125;
        for (; n >= 27; n -= 27) multiply_add(five_to_27, 0);
        std::uint64_t rest = 1;
        for (; n > 0; --n) rest *= 5;
        multiply_add(rest, 0);
    }

    void shift_left(int n) noexcept {
        if (size_ == 0 || n == 0) return;
        const int limbs = std::min(n / 64, capacity - size_);
        const int bits = n % 64;
        if (limbs != 0) {
            for (int i = size_ - 1; i >= 0; --i) limb_[i + limbs] = limb_[i];
            for (int i = 0; i < limbs; ++i) limb_[i] = 0;
            size_ += limbs;
        }
        if (bits != 0) multiply_add(std::uint64_t{1} << bits, 0);
    }

    friend int compare(const natural& a, const natural& b) noexcept {
        if (a.size_ != b.size_) return a.size_ < b.size_ ? -1 : 1;
        for (int i = a.size_ - 1; i >= 0; --i)
            if (a.limb_[i] != b.limb_[i]) return a.limb_[i] < b.limb_[i] ? -1 : 1;
        return 0;
    }

private:
    static constexpr int capacity = 64;
    int size_ = 0;
    std::uint64_t limb_[capacity];
};

natural digits_of(const exact_decimal& d, int& exponent) noexcept {
    natural n(d.value);
    exponent = d.exponent;
    if (d.b == d.e) return n;
    std::uint64_t chunk = 0, unit = 1;
    int kept = 0;
    const char* at = d.b;
    for (; at != d.e && kept < kept_digits; ++at) {
        if (*at == '.') continue;
        chunk = chunk * 10 + static_cast<std::uint64_t>(*at - '0');
        unit *= 10;
        ++kept;
        if (unit == 10'000'000'000'000'000'000u) {
            n.multiply_add(unit, chunk);
            chunk = 0;
            unit = 1;
        }
    }
    if (unit != 1) n.multiply_add(unit, chunk);
    int dropped = 0;
    bool rest = false;
    for (; at != d.e; ++at) {
        if (*at == '.') continue;
        ++dropped;
        rest = rest || *at != '0';
    }
    exponent += dropped;
    if (rest) {
        n.multiply_add(10, 1);
        --exponent;
    }
    return n;
}

}  // namespace

int compare(const exact_decimal& d, std::uint64_t c, int q) noexcept {
    int exponent = 0;
    natural left = digits_of(d, exponent);
    natural right(c);
    if (exponent >= 0)
        left.multiply_by_power_of_5(exponent);
    else
        right.multiply_by_power_of_5(-exponent);
    if (exponent > q)
        left.shift_left(exponent - q);
    else
        right.shift_left(q - exponent);
    return compare(left, right);
}

}  // namespace kumihimo::inline v0::scalar
