// Numbers with their highest byte first, as MessagePack and CBOR have them.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

namespace kumihimo::inline v0::big_endian {

template <class N>
[[gnu::always_inline]] inline N swapped(N n) noexcept {
    if constexpr (std::endian::native == std::endian::big || sizeof n == 1)
        return n;
    else if constexpr (sizeof n == 2)
        return __builtin_bswap16(n);
    else if constexpr (sizeof n == 4)
        return __builtin_bswap32(n);
    else
        return __builtin_bswap64(n);
}

/// The number at p; N is unsigned.
template <class N>
[[gnu::always_inline]] inline N load(const unsigned char* p) noexcept {
    N n;
    std::memcpy(&n, p, sizeof n);
    return swapped(n);
}

/// Writes n, which is unsigned, and returns the end.
template <class N>
[[gnu::always_inline]] inline char* store(char* to, N n) noexcept {
    n = swapped(n);
    std::memcpy(to, &n, sizeof n);
    return to + sizeof n;
}

}  // namespace kumihimo::inline v0::big_endian
