// The layout `study`: what sjson-new's author published in 2016. Every value stands behind a tag of four bytes; fields
// are sorted by it, and the names stand once, in a table at the end.
//
//      type h0 h1 h2 | payload              a field: the low 24 bits of its name's hash; a document that is no map: hash 0
//      tag = (i + 1) << 4 | type            element i of an array, little-endian, too
//
//      {"a":1,"b":2}
//      01 96 44 87  02     01 41 f9 e8  04     0a 00 00 00 0c     01 96 44 87 01 a   01 41 f9 e8 01 b
//      a int32      1      b int32      2      names  12 bytes    tag         "a"    tag         "b"
//
// Types: 0 null (a varint 0), 1 int32 and 3 int64 (zigzag varints), 2 uint32 (a varint), 4 a double, 5 int32 and 6
// int64 of fixed width, 7 text, 8 a map, 9 an array, a the names, b a number as digits. 7 to b have their length in
// bytes before them, as a varint; but the outermost map has none, it ends with the names. Tags are sorted as signed
// numbers of 32 bits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/tagged/header.hpp"

namespace kumihimo::inline v0::tagged::published {

enum type : std::uint8_t {
    null = 0,
    int32 = 1,
    uint32 = 2,
    int64 = 3,
    real = 4,
    fixed32 = 5,
    fixed64 = 6,
    string = 7,
    message = 8,
    array = 9,
    table = 10,
    digits = 11,
};

/// The hash of a name's UTF-8: MurmurHash2 of 32 bits with seed -1, but for the last 1 to 3 bytes, which are taken
/// highest first and with their sign, as the published encoder did.
inline std::uint32_t hash(std::string_view name) noexcept {
    constexpr std::uint32_t m = 0x5bd1e995;
    const auto* const p = reinterpret_cast<const unsigned char*>(name.data());
    const std::size_t n = name.size();
    std::uint32_t h = 0xffffffff ^ static_cast<std::uint32_t>(n);
    for (std::size_t i = 0; i + 4 <= n; i += 4) {
        std::uint32_t k = load<std::uint32_t>(p + i) * m;
        k ^= k >> 24;
        h = h * m ^ k * m;
    }
    if (const std::size_t left = n & 3; left != 0) {
        const auto tail = [&](std::size_t back) {
            return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<signed char>(p[n - back])));
        };
        if (left >= 3) h ^= tail(3) << 16;
        if (left >= 2) h ^= tail(2) << 8;
        h ^= tail(1);
        h *= m;
    }
    h ^= h >> 13;
    h *= m;
    return h ^ h >> 15;
}

/// The tag of a field, 24 bits of hash and a type; of an array's element i.
inline std::uint32_t field_tag(std::uint32_t hash24, unsigned type) noexcept { return hash24 << 8 | type; }
inline std::uint32_t element_tag(std::uint64_t i, unsigned type) noexcept {
    return static_cast<std::uint32_t>((i + 1) << 4 | type);
}
/// Elements that tags can number.
inline constexpr std::uint64_t most_elements = (std::uint64_t{1} << 27) - 1;
inline constexpr std::uint32_t table_tag = table;

/// A tag and what stands behind it.
struct header {
    enum class kind : std::uint8_t { value, reserved, cut };
    kind is = kind::cut;
    std::uint8_t size = 0;  // bytes of the tag, and of a varint number or length
    std::uint32_t tag = 0;
    std::uint64_t payload = 0;  // bytes behind it
    std::uint64_t number = 0;   // the varint, of a type that is one
    unsigned type() const noexcept { return tag & 15; }
};
inline constexpr std::size_t longest_header = 4 + longest_varint;

inline header read_header(const unsigned char* p, const unsigned char* e) noexcept {
    using kind = header::kind;
    if (e - p < 4) return {};
    const std::uint32_t tag = load<std::uint32_t>(p);
    const unsigned type = tag & 15;
    if (type > digits) return {kind::reserved, 4, tag, 0, 0};
    if (type == real || type == fixed64) return {kind::value, 4, tag, 8, 0};
    if (type == fixed32) return {kind::value, 4, tag, 4, 0};
    bool broken = false;
    std::uint64_t n = 0;
    const unsigned char* const at = load_varint(p + 4, e, n, broken);
    if (at == nullptr) return broken ? header{kind::reserved, longest_header, tag, 0, 0} : header{};
    return {kind::value, static_cast<std::uint8_t>(at - p), tag, type < real ? 0 : n, n};
}

}  // namespace kumihimo::inline v0::tagged::published
