// Integers to decimal text and back. Every width exact; overflow is reported, never wrapped.
//
// Writing goes by magnitude: up to 8 digits are made in one word, its leading zeros shifted out; up to 16 as a word
// and a remainder of 8 digits; the rest as a head of at most 4 digits and sixteen.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "engine/scalar/digits.hpp"

namespace kumihimo::inline v0::scalar {

/// Room that write_u64 and write_i64 ask for; they may scribble over all of it.
inline constexpr std::size_t integer_room = 24;

namespace made {

inline constexpr std::uint32_t tens[] = {0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// The text of 0 to 99 as two digits, the first one in the low byte.
inline constexpr auto pairs = [] {
    std::array<std::uint16_t, 100> t{};
    for (unsigned i = 0; i < 100; ++i) t[i] = static_cast<std::uint16_t>(('0' + i / 10) | ('0' + i % 10) << 8);
    return t;
}();

/// Eight digits as text, the first one in the lowest byte; n < 10^8. Four looks into a table that stays in the cache:
/// half the latency of splitting the lanes of a word three times (eight_digits), which is what counts where numbers
/// come one at a time.
inline std::uint64_t eight_texts(std::uint32_t n) noexcept {
    const std::uint32_t high = n / 10000, low = n - high * 10000;
    const std::uint32_t a = high / 100, c = low / 100;
    return pairs[a] | static_cast<std::uint64_t>(pairs[high - a * 100]) << 16 | static_cast<std::uint64_t>(pairs[c]) << 32 |
           static_cast<std::uint64_t>(pairs[low - c * 100]) << 48;
}

/// How many decimal digits n has, 1 to 8; n < 10^8. log10(2) is 1233 / 4096 closely enough.
inline unsigned short_length(std::uint32_t n) noexcept {
    const auto at_most = static_cast<unsigned>(std::bit_width(n | 1) * 1233 >> 12);
    return at_most + (n >= tens[at_most]);
}

/// Up to 8 digits; n < 10^8. The length comes from n itself and not from the digits, so that what is written behind
/// this number needs not wait for them (8.4 ns a number in a row of them, against 4).
inline char* write_short(char* to, std::uint32_t n) noexcept {
    const unsigned leading = 8 - short_length(n);
    put_word(to, eight_texts(n) >> leading * 8);
    return to + (8 - leading);
}

}  // namespace made

/// Writes n in decimal and returns the end. `to` has integer_room bytes.
inline char* write_u64(char* to, std::uint64_t n) noexcept {
    constexpr std::uint64_t ten_to_8 = 100'000'000;
    if (n < 10) {
        *to = static_cast<char>('0' + n);
        return to + 1;
    }
    if (n < ten_to_8) return made::write_short(to, static_cast<std::uint32_t>(n));
    if (n < ten_to_8 * ten_to_8) {
        const auto head = static_cast<std::uint32_t>(n / ten_to_8);
        // Nine digits are what identifiers and amounts often have.
        if (head < 10) {
            *to++ = static_cast<char>('0' + head);
        } else {
            to = made::write_short(to, head);
        }
        put_word(to, made::eight_texts(static_cast<std::uint32_t>(n - head * ten_to_8)));
        return to + 8;
    }
    const std::uint64_t head = n / (ten_to_8 * ten_to_8);
    to = made::write_short(to, static_cast<std::uint32_t>(head));
    sixteen(n - head * (ten_to_8 * ten_to_8)).store(to);
    return to + 16;
}

/// Writes n in decimal, with a minus where it is negative, and returns the end. `to` has integer_room bytes.
inline char* write_i64(char* to, std::int64_t n) noexcept {
    const auto sign = static_cast<std::uint64_t>(n >> 63);
    *to = '-';
    return write_u64(to + (sign & 1), (static_cast<std::uint64_t>(n) ^ sign) - sign);
}

/// Reads the whole of [b, e) as decimal digits, leading zeros allowed. False: empty, another character, or above
/// 2^64-1.
inline bool read_u64(const char* b, const char* e, std::uint64_t& out) noexcept {
    if (b == e) return false;
    while (e - b > 20 && *b == '0') ++b;
    if (e - b > 20) return false;
    std::uint64_t n = 0;
    const char* const safe = e - b > 19 ? b + 19 : e;  // 19 digits cannot overflow
    for (; b != safe; ++b) {
        const unsigned d = static_cast<unsigned char>(*b) - unsigned{'0'};
        if (d > 9) return false;
        n = n * 10 + d;
    }
    if (b != e) {
        const unsigned d = static_cast<unsigned char>(*b) - unsigned{'0'};
        if (d > 9 || n > (~std::uint64_t{0} - d) / 10) return false;
        n = n * 10 + d;
    }
    out = n;
    return true;
}

/// The same with an optional minus. False also below -2^63 or above 2^63-1.
inline bool read_i64(const char* b, const char* e, std::int64_t& out) noexcept {
    const bool negative = b != e && *b == '-';
    std::uint64_t n = 0;
    if (!read_u64(b + negative, e, n) || n > (std::uint64_t{1} << 63) - !negative) return false;
    out = static_cast<std::int64_t>(negative ? 0 - n : n);
    return true;
}

}  // namespace kumihimo::inline v0::scalar
