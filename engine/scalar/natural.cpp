#include "engine/scalar/natural.hpp"

#include <bit>

namespace kumihimo::inline v0::scalar {

namespace {
constexpr std::uint32_t ten_to_9 = 1'000'000'000;
}

bool natural::read_bytes(const unsigned char* b, std::size_t n) noexcept {
    for (; n != 0 && *b == 0; --n) ++b;
    if (n > limits::number_bytes) return false;
    size_ = (n + 3) / 4;
    for (std::size_t i = 0; i < size_; ++i) limb_[i] = 0;
    for (std::size_t i = 0; i < n; ++i) limb_[i / 4] |= static_cast<std::uint32_t>(b[n - 1 - i]) << i % 4 * 8;
    return true;
}

bool natural::read_digits(const char* b, const char* e) noexcept {
    constexpr std::uint32_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, ten_to_9};
    size_ = 0;
    while (b != e) {
        std::uint32_t chunk = 0;
        unsigned taken = 0;
        for (; b != e && taken < 9; ++b) {
            if (*b == '.') continue;
            chunk = chunk * 10 + static_cast<std::uint32_t>(*b - '0');
            ++taken;
        }
        if (!multiply(tens[taken]) || !add(chunk)) return false;
    }
    return true;
}

bool natural::add(std::uint32_t n) noexcept {
    for (std::size_t i = 0; n != 0; ++i) {
        if (i == size_) {
            if (size_ == limbs) return false;
            limb_[size_++] = 0;
        }
        limb_[i] += n;
        n = limb_[i] < n;
    }
    return true;
}

bool natural::multiply(std::uint32_t n) noexcept {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < size_; ++i) {
        carry += std::uint64_t{limb_[i]} * n;
        limb_[i] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    if (carry != 0) {
        if (size_ == limbs) return false;
        limb_[size_++] = static_cast<std::uint32_t>(carry);
    }
    trim();
    return true;
}

bool natural::shift_left(std::size_t n) noexcept {
    if (size_ == 0 || n == 0) return true;
    const std::size_t wanted = bits() + n;
    if (n > limits::number_bytes * 8 || wanted > limits::number_bytes * 8) return false;
    const std::size_t whole = n / 32, part = n % 32, old = size_;
    size_ = (wanted + 31) / 32;
    for (std::size_t i = size_; i-- > 0;) {
        const auto at = [&](std::size_t k) -> std::uint64_t { return k < old ? limb_[k] : 0; };
        const std::uint64_t high = i >= whole ? at(i - whole) : 0, low = i > whole ? at(i - whole - 1) : 0;
        limb_[i] = static_cast<std::uint32_t>((high << 32 | low) >> (32 - part));
    }
    return true;
}

void natural::subtract_one() noexcept {
    for (std::size_t i = 0; limb_[i]-- == 0; ++i) {
    }
    trim();
}

std::size_t natural::trailing_zeros() const noexcept {
    for (std::size_t i = 0; i < size_; ++i)
        if (limb_[i] != 0) return i * 32 + static_cast<std::size_t>(std::countr_zero(limb_[i]));
    return 0;
}

void natural::shift_right(std::size_t n) noexcept {
    const std::size_t whole = n / 32, part = n % 32;
    for (std::size_t i = 0; i < size_; ++i) {
        const auto at = [&](std::size_t k) -> std::uint64_t { return k < size_ ? limb_[k] : 0; };
        limb_[i] = static_cast<std::uint32_t>((at(i + whole + 1) << 32 | at(i + whole)) >> part);
    }
    trim();
}

std::size_t natural::bits() const noexcept {
    return size_ == 0 ? 0 : size_ * 32 - static_cast<std::size_t>(std::countl_zero(limb_[size_ - 1]));
}

std::uint64_t natural::low() const noexcept {
    return (size_ > 0 ? limb_[0] : 0) | (size_ > 1 ? std::uint64_t{limb_[1]} << 32 : 0);
}

std::size_t natural::write_bytes(unsigned char* to) const noexcept {
    const std::size_t n = (bits() + 7) / 8;
    for (std::size_t i = 0; i < n; ++i) to[n - 1 - i] = static_cast<unsigned char>(limb_[i / 4] >> i % 4 * 8);
    return n;
}

char* natural::write_digits(char* to) noexcept {
    // Nine digits at a time, the last ones first, so they are turned round at the end.
    char* at = to;
    do {
        std::uint64_t rest = 0;
        for (std::size_t i = size_; i-- > 0;) {
            rest = rest << 32 | limb_[i];
            limb_[i] = static_cast<std::uint32_t>(rest / ten_to_9);
            rest %= ten_to_9;
        }
        trim();
        for (int i = 0; i < 9; ++i) {
            *at++ = static_cast<char>('0' + rest % 10);
            rest /= 10;
        }
    } while (size_ != 0);
    while (at - to > 1 && at[-1] == '0') --at;
    for (char *a = to, *b = at - 1; a < b; ++a, --b) {
        const char c = *a;
        *a = *b;
        *b = c;
    }
    return at;
}

}  // namespace kumihimo::inline v0::scalar
