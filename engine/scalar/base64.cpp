#include "engine/scalar/base64.hpp"

#include <array>
#include <cstring>

namespace kumihimo::inline v0::scalar {

namespace {

constexpr char letters[2][65] = {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"};

// Two characters for every 12 bits: half the lookups of a table of single characters.
using pair_table = std::array<char, 4096 * 2>;
constexpr pair_table make_pairs(const char* l) {
    pair_table t{};
    for (unsigned i = 0; i < 4096; ++i) {
        t[2 * i] = l[i >> 6];
        t[2 * i + 1] = l[i & 63];
    }
    return t;
}
constexpr pair_table pairs[2] = {make_pairs(letters[0]), make_pairs(letters[1])};

constexpr std::uint8_t none = 0xFF;
using value_table = std::array<std::uint8_t, 256>;
constexpr value_table make_values(const char* l) {
    value_table t{};
    for (auto& v : t) v = none;
    for (unsigned i = 0; i < 64; ++i) t[static_cast<unsigned char>(l[i])] = static_cast<std::uint8_t>(i);
    return t;
}
constexpr value_table values[2] = {make_values(letters[0]), make_values(letters[1])};

}  // namespace

char* base64_encode(const unsigned char* from, std::size_t n, char* to, base64_alphabet a) noexcept {
    const auto which = static_cast<std::size_t>(a);
    const char* const pair = pairs[which].data();
    const char* const letter = letters[which];
    for (; n >= 3; n -= 3, from += 3, to += 4) {
        const std::uint32_t w = std::uint32_t{from[0]} << 16 | std::uint32_t{from[1]} << 8 | from[2];
        std::memcpy(to, pair + 2 * (w >> 12), 2);
        std::memcpy(to + 2, pair + 2 * (w & 0xFFF), 2);
    }
    if (n == 0) return to;
    const std::uint32_t w = std::uint32_t{from[0]} << 16 | (n == 2 ? std::uint32_t{from[1]} << 8 : 0);
    *to++ = letter[w >> 18];
    *to++ = letter[w >> 12 & 63];
    if (n == 2) *to++ = letter[w >> 6 & 63];
    if (a == base64_alphabet::standard)
        for (; n < 3; ++n) *to++ = '=';
    return to;
}

errc base64_decode(const char* from, std::size_t n, unsigned char* to, std::size_t& written, base64_alphabet a) noexcept {
    const auto& value = values[static_cast<std::size_t>(a)];
    const auto at = [&](std::size_t i) -> std::uint32_t { return value[static_cast<unsigned char>(from[i])]; };
    unsigned char* out = to;
    const auto stop = [&](errc e) {
        written = static_cast<std::size_t>(out - to);
        return e;
    };
    if (n % 4 == 0 && n != 0 && from[n - 1] == '=') n -= from[n - 2] == '=' ? 2 : 1;
    for (; n >= 4; n -= 4, from += 4, out += 3) {
        const std::uint32_t p = at(0), q = at(1), r = at(2), s = at(3);
        if (((p | q | r | s) & 0xC0) != 0) return stop(errc::encoding);
        const std::uint32_t w = p << 18 | q << 12 | r << 6 | s;
        out[0] = static_cast<unsigned char>(w >> 16);
        out[1] = static_cast<unsigned char>(w >> 8);
        out[2] = static_cast<unsigned char>(w);
    }
    if (n == 0) return stop(errc::ok);
    if (n == 1) return stop(errc::encoding);
    const std::uint32_t p = at(0), q = at(1), r = n == 3 ? at(2) : 0;
    if (((p | q | r) & 0xC0) != 0 || (n == 2 ? q & 15 : r & 3) != 0) return stop(errc::encoding);
    *out++ = static_cast<unsigned char>(p << 2 | q >> 4);
    if (n == 3) *out++ = static_cast<unsigned char>(q << 4 | r >> 2);
    return stop(errc::ok);
}

}  // namespace kumihimo::inline v0::scalar
