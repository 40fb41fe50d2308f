// Base64 (RFC 4648), standard and URL alphabets.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/core/errc.hpp"

namespace kumihimo::inline v0::scalar {

enum class base64_alphabet : std::uint8_t {
    standard,  // + and /, padded with =
    url,       // - and _, written without padding
};

/// Characters that n bytes become.
constexpr std::size_t base64_size(std::size_t n, base64_alphabet a = base64_alphabet::standard) noexcept {
    return a == base64_alphabet::standard ? (n + 2) / 3 * 4 : n / 3 * 4 + (n % 3 != 0 ? n % 3 + 1 : 0);
}

/// Bytes that are always enough for n characters.
constexpr std::size_t base64_bound(std::size_t n) noexcept { return n / 4 * 3 + (n % 4) * 3 / 4; }

/// Writes base64_size(n, a) characters and returns the end.
char* base64_encode(const unsigned char* from, std::size_t n, char* to, base64_alphabet a = base64_alphabet::standard) noexcept;

/// Reads n characters of one alphabet; `to` has base64_bound(n) bytes. Padding: all of it, or none of it, in either
/// alphabet. errc::encoding: a character outside the alphabet (white space too), padding in the wrong place or of the
/// wrong length, a length that no bytes have, or left-over bits that are not zero. `written` is then the bytes that
/// were good.
errc base64_decode(const char* from, std::size_t n, unsigned char* to, std::size_t& written,
                   base64_alphabet a = base64_alphabet::standard) noexcept;

}  // namespace kumihimo::inline v0::scalar
