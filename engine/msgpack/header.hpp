// The first bytes of a MessagePack value, taken apart: what it is, how long its header is, how many bytes or values
// follow.
//
//      c4 05 | 61 62 63 64 65         header 2, payload 5            93 | 01 02 03      header 1, payload 0, 3 values
//
// The reader has its own, faster switch over the same bytes; this one serves whoever skips or locates, and tests hold
// the two to each other.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/core/big_endian.hpp"

namespace kumihimo::inline v0::msgpack {

struct header {
    enum class kind : std::uint8_t { scalar, str, bin, ext, array, map, reserved, cut };
    kind is = kind::cut;        // cut: the bytes end inside the header
    std::uint8_t size = 0;      // bytes of the header; an ext's type is its last
    std::uint64_t payload = 0;  // bytes behind it; a number's own bytes too
    std::uint64_t values = 0;   // values behind it: of a map keys and values
};

inline header read_header(const unsigned char* p, const unsigned char* e) noexcept {
    using kind = header::kind;
    if (p == e) return {};
    const unsigned c = *p;
    if (c < 0x80 || c >= 0xe0) return {kind::scalar, 1, 0, 0};
    if (c < 0x90) return {kind::map, 1, 0, 2 * (c & 15u)};
    if (c < 0xa0) return {kind::array, 1, 0, c & 15u};
    if (c < 0xc0) return {kind::str, 1, c & 31u, 0};
    if (c == 0xc1) return {kind::reserved, 1, 0, 0};
    if (c < 0xc4) return {kind::scalar, 1, 0, 0};
    if (c >= 0xca && c <= 0xd3) {
        constexpr std::uint8_t bytes[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
        return {kind::scalar, 1, bytes[c - 0xca], 0};
    }
    if (c >= 0xd4 && c <= 0xd8) {
        if (e - p < 2) return {};
        return {kind::ext, 2, std::uint64_t{1} << (c - 0xd4), 0};
    }
    // c4-c6 bin, c7-c9 ext, d9-db str: a length of 1, 2, 4 bytes. dc-dd array, de-df map: a count of 2, 4 bytes.
    const bool container = c >= 0xdc;
    const unsigned width = container ? 2u << ((c - 0xdc) & 1) : 1u << (c >= 0xd9 ? c - 0xd9 : (c - 0xc4) % 3);
    const unsigned size = 1 + width + (c >= 0xc7 && c <= 0xc9);
    if (static_cast<std::size_t>(e - p) < size) return {};
    const std::uint64_t n = width == 1   ? p[1]
                            : width == 2 ? big_endian::load<std::uint16_t>(p + 1)
                                         : big_endian::load<std::uint32_t>(p + 1);
    const auto small = static_cast<std::uint8_t>(size);
    if (c >= 0xde) return {kind::map, small, 0, 2 * n};
    if (c >= 0xdc) return {kind::array, small, 0, n};
    return {c >= 0xd9 ? kind::str : c >= 0xc7 ? kind::ext : kind::bin, small, n, 0};
}

}  // namespace kumihimo::inline v0::msgpack
