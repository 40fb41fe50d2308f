// Natural numbers of up to limits::number_bytes bytes: between binary and decimal digits. Schoolbook, quadratic,
// therefore bounded; memory is the object itself.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/core/limits.hpp"

namespace kumihimo::inline v0::scalar {

class natural {
public:
    static constexpr std::size_t limbs = limits::number_bytes / 8;
    static_assert(limits::number_bytes % 8 == 0);
    /// Decimal digits that are always enough: 2.41 for each byte.
    static constexpr std::size_t digits_room = limits::number_bytes * 5 / 2;

    natural() = default;
    explicit natural(std::uint64_t n) noexcept {
        if (n != 0) limb_[size_++] = n;
    }

    // False: the number has more bytes than the limit; it is then unspecified.
    bool read_bytes(const unsigned char* b, std::size_t n) noexcept;  // big-endian
    bool read_digits(const char* b, const char* e) noexcept;          // decimal digits; a point is left out
    bool add(std::uint64_t n) noexcept;
    bool multiply(std::uint64_t n) noexcept;
    bool shift_left(std::size_t bits) noexcept;

    void subtract_one() noexcept;                 // not from 0
    std::size_t trailing_zeros() const noexcept;  // bits; of 0 none
    void shift_right(std::size_t bits) noexcept;
    std::size_t bits() const noexcept;
    bool zero() const noexcept { return size_ == 0; }
    /// The lowest 64 bits.
    std::uint64_t low() const noexcept;

    /// Big-endian without leading zeros; room for limits::number_bytes. How many it wrote.
    std::size_t write_bytes(unsigned char* to) const noexcept;
    /// Decimal digits without leading zeros; room for digits_room. The number is 0 afterwards.
    char* write_digits(char* to) noexcept;
    /// The digits of this number times 5^k, which are those of this number divided by 2^k: several times faster than
    /// write_digits(). The product is neither 0 nor has it more bytes than the limit. The number is unspecified
    /// afterwards.
    char* write_times_5(char* to, std::size_t k) noexcept;

private:
    /// Takes away the bits from k on: the lowest 128 of them.
    void split(std::size_t k, std::uint64_t& high, std::uint64_t& low) noexcept;
    void trim() noexcept {
        while (size_ != 0 && limb_[size_ - 1] == 0) --size_;
    }

    std::size_t size_ = 0;
    std::uint64_t limb_[limbs];  // the lowest first, no leading zeros
};

}  // namespace kumihimo::inline v0::scalar
