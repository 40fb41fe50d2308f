#include "engine/scalar/natural.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/scalar/integer.hpp"
#include "engine/scalar/powers.hpp"

namespace kumihimo::inline v0::scalar {

namespace {

constexpr unsigned limb_bits = 64;
constexpr unsigned chunk_digits = 19;
constexpr std::uint64_t chunk_limit = 10'000'000'000'000'000'000u;  // ten to 19: it has all 64 bits, so a limb is hardly wasted
/// All bits of 128 divided by that, without its 65th bit.
constexpr auto reciprocal = static_cast<std::uint64_t>(~uint128{0} / chunk_limit);

/// rest * 2^64 + low divided by ten to 19; rest < ten to 19, and is then the remainder. Möller and Granlund, Improved
/// division by invariant integers: two multiplications instead of a division of 128 bits.
[[gnu::always_inline]] inline std::uint64_t divide(std::uint64_t& rest, std::uint64_t low) noexcept {
    const uint128 about = uint128{reciprocal} * rest + (uint128{rest} << limb_bits | low);
    std::uint64_t quotient = static_cast<std::uint64_t>(about >> limb_bits) + 1;
    std::uint64_t left = low - quotient * chunk_limit;
    const std::uint64_t over = left > static_cast<std::uint64_t>(about);
    quotient -= over;
    left += chunk_limit & (0 - over);
    if (left >= chunk_limit) [[unlikely]] {
        left -= chunk_limit;
        ++quotient;
    }
    rest = left;
    return quotient;
}

/// All 19 digits of n < ten to 19.
[[gnu::always_inline]] inline char* put_chunk(char* to, std::uint64_t n) noexcept {
    constexpr std::uint64_t ten_to_8 = 100'000'000;
    const std::uint64_t upper = n / ten_to_8;
    const auto first = static_cast<std::uint32_t>(upper / ten_to_8);
    *to++ = static_cast<char>('0' + first / 100);
    *to++ = static_cast<char>('0' + first / 10 % 10);
    *to++ = static_cast<char>('0' + first % 10);
    put_word(to, made::eight_texts(static_cast<std::uint32_t>(upper % ten_to_8)));
    put_word(to + 8, made::eight_texts(static_cast<std::uint32_t>(n % ten_to_8)));
    return to + 16;
}

}  // namespace

bool natural::read_bytes(const unsigned char* b, std::size_t n) noexcept {
    for (; n != 0 && *b == 0; --n) ++b;
    if (n > limits::number_bytes) return false;
    size_ = (n + 7) / 8;
    for (std::size_t i = 0; i < size_; ++i) limb_[i] = 0;
    for (std::size_t i = 0; i < n; ++i) limb_[i / 8] |= std::uint64_t{b[n - 1 - i]} << i % 8 * 8;
    return true;
}

bool natural::read_digits(const char* b, const char* e) noexcept {
    size_ = 0;
    while (b != e) {
        std::uint64_t chunk = 0, power = 1;
        for (unsigned taken = 0; b != e && taken < chunk_digits; ++b) {
            if (*b == '.') continue;
            chunk = chunk * 10 + static_cast<std::uint64_t>(*b - '0');
            power *= 10;
            ++taken;
        }
        if (!multiply(power) || !add(chunk)) return false;
    }
    return true;
}

bool natural::add(std::uint64_t n) noexcept {
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

bool natural::multiply(std::uint64_t n) noexcept {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < size_; ++i) {
        const uint128 product = uint128{limb_[i]} * n + carry;
        limb_[i] = static_cast<std::uint64_t>(product);
        carry = static_cast<std::uint64_t>(product >> limb_bits);
    }
    if (carry != 0) {
        if (size_ == limbs) return false;
        limb_[size_++] = carry;
    }
    trim();
    return true;
}

bool natural::shift_left(std::size_t n) noexcept {
    if (size_ == 0 || n == 0) return true;
    const std::size_t wanted = bits() + n;
    if (n > limits::number_bytes * 8 || wanted > limits::number_bytes * 8) return false;
    const std::size_t whole = n / limb_bits, part = n % limb_bits, old = size_;
    size_ = (wanted + limb_bits - 1) / limb_bits;
    for (std::size_t i = size_; i-- > 0;) {
        const auto at = [&](std::size_t k) -> std::uint64_t { return k < old ? limb_[k] : 0; };
        const std::uint64_t high = i >= whole ? at(i - whole) : 0, low = i > whole ? at(i - whole - 1) : 0;
        limb_[i] = part == 0 ? high : high << part | low >> (limb_bits - part);
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
        if (limb_[i] != 0) return i * limb_bits + static_cast<std::size_t>(std::countr_zero(limb_[i]));
    return 0;
}

void natural::shift_right(std::size_t n) noexcept {
    const std::size_t whole = n / limb_bits, part = n % limb_bits;
    if (n == 0) return;
    for (std::size_t i = 0; i < size_; ++i) {
        const auto at = [&](std::size_t k) -> std::uint64_t { return k < size_ ? limb_[k] : 0; };
        const std::uint64_t low = at(i + whole);
        limb_[i] = part == 0 ? low : low >> part | at(i + whole + 1) << (limb_bits - part);
    }
    trim();
}

std::size_t natural::bits() const noexcept {
    return size_ == 0 ? 0 : size_ * limb_bits - static_cast<std::size_t>(std::countl_zero(limb_[size_ - 1]));
}

std::uint64_t natural::low() const noexcept { return size_ > 0 ? limb_[0] : 0; }

std::size_t natural::write_bytes(unsigned char* to) const noexcept {
    const std::size_t n = (bits() + 7) / 8;
    for (std::size_t i = 0; i < n; ++i) to[n - 1 - i] = static_cast<unsigned char>(limb_[i / 8] >> i % 8 * 8);
    return n;
}

char* natural::write_digits(char* to) noexcept {
    // 19 digits at a time, the last ones first. A division waits for the one of the limb above, so four are under way:
    // each divides what the one before it leaves.
    constexpr std::size_t together = 4;
    std::uint64_t chunks[digits_room / chunk_digits + together];
    std::size_t n = 0;
    do {
        std::uint64_t rest[together] = {};
        for (std::size_t i = size_; i-- > 0;) {
            std::uint64_t limb = limb_[i];
            for (std::uint64_t& r : rest) limb = divide(r, limb);
            limb_[i] = limb;
        }
        trim();
        for (const std::uint64_t r : rest) chunks[n++] = r;
    } while (size_ != 0);
    while (n > 1 && chunks[n - 1] == 0) --n;
    to = write_u64(to, chunks[--n]);
    while (n > 0) to = put_chunk(to, chunks[--n]);
    return to;
}

void natural::split(std::size_t k, std::uint64_t& high, std::uint64_t& low) noexcept {
    const std::size_t whole = k / limb_bits, part = k % limb_bits;
    high = low = 0;
    if (whole >= size_) return;
    const auto at = [&](std::size_t i) -> std::uint64_t { return i < size_ ? limb_[i] : 0; };
    low = at(whole);
    high = at(whole + 1);
    if (part != 0) {
        low = low >> part | high << (limb_bits - part);
        high = high >> part | at(whole + 2) << (limb_bits - part);
    }
    size_ = whole + 1;
    limb_[whole] &= (std::uint64_t{1} << part) - 1;
    trim();
}

char* natural::write_times_5(char* to, std::size_t k) noexcept {
    constexpr std::size_t most = 27;
    char* const begin = to;
    if (bits() > k) {
        natural whole = *this;
        whole.shift_right(k);
        to = whole.write_digits(to);
        std::uint64_t ignored = 0;
        split(k, ignored, ignored);
    }
    // What is behind the point, 27 digits at a time: multiplied by 10^27, but for the twos, by which the point moves.
    // What comes before the point are the digits. The number never grows beyond the product.
    while (k > 0) {
        const std::size_t n = std::min(k, most);
        std::uint64_t power = 1, high = 0, low = 0;
        for (std::size_t i = 0; i < n; ++i) power *= 5;
        multiply(power);
        k -= n;
        split(k, high, low);
        if (to == begin && (high | low) == 0) continue;
        char digits[most];
        const std::uint64_t upper = divide(high, low);
        put_word(digits, made::eight_texts(static_cast<std::uint32_t>(upper)));
        put_chunk(digits + 8, high);
        const char* first = digits + most - n;
        if (to == begin)
            while (*first == '0') ++first;
        const auto size = static_cast<std::size_t>(digits + most - first);
        std::memcpy(to, first, size);
        to += size;
    }
    return to;
}

}  // namespace kumihimo::inline v0::scalar
