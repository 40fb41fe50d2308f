// The layout `safe`: c1 fe 54, then one value. The first byte of each piece says what it is:
//
//      00-3f  the integer 0 to 63              c0  null     c2  false    c3  true     c1  reserved: begins a document
//      40-7f  the name of number 0 to 63       c4  an array begins       c5  a map begins       c6  the innermost one ends
//      80-9f  a str of 0 to 31 bytes           c7  a double, 8 bytes
//      a0-bf  a name of 0 to 31 bytes          c8-cb  an integer from 0, in 1, 2, 4, 8 bytes
//      e0-ef  the integer -16 to -1            cc-cf  an integer below 0, in 1, 2, 4, 8 bytes
//      f0-ff, n  the name of number            d0-d3  a str, its length in 1, 2, 4, 8 bytes         d4-d7  a bin, the same
//                64 + 256 * (c - f0) + n       d8  a number as digits, d9  an ext, da  a time
//      de, df  reserved                        db  a name that gets a number, dc  one that does not, dd  the next value
//                                                  is the key
//
//      {"id":7,"tags":["a",null],"up":{"id":8}}
//      c1 fe 54  c5  db 02 i d 07  a4 t a g s c4 81 a c0 c6  a2 u p c5 40 08 c6  c6
//
// db takes the next number, from 0, and from there on the number can stand for the name; a document has 4160 of them
// at most. Keys have codes of their own, and nothing is counted: whoever looks for a document's end adds up openings
// and ends. Numbers of fixed width are little-endian. A varint has 7 bits a byte, the lowest first, 0x80 on all but
// the last; signed ones are zigzag (0, -1, 1, -2 as 0, 1, 2, 3). Varints: the lengths of d8, db, dc; the type and the
// length of d9; of da, behind a byte for the kind, the seconds, the nanoseconds and, of the kinds 1 and 2, the offset.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kumihimo::inline v0::tagged {

inline constexpr unsigned char mark[] = {0xc1, 0xfe, 0x54};
inline constexpr std::size_t most_names = 64 + 16 * 256;

/// First bytes.
namespace code {
inline constexpr unsigned name = 0x40, str = 0x80, lone_name = 0xa0;
inline constexpr unsigned null = 0xc0, document = 0xc1, no = 0xc2, yes = 0xc3, array = 0xc4, map = 0xc5, end = 0xc6, f64 = 0xc7;
inline constexpr unsigned above = 0xc8, below = 0xcc, long_str = 0xd0, bin = 0xd4;
inline constexpr unsigned big = 0xd8, ext = 0xd9, time = 0xda, new_name = 0xdb, long_name = 0xdc, key = 0xdd;
inline constexpr unsigned minus = 0xe0, far_name = 0xf0;
}  // namespace code

/// Stores n in little-endian order and returns the end.
template <class N>
inline char* store(char* to, N n) noexcept {
    for (std::size_t i = 0; i < sizeof n; ++i) to[i] = static_cast<char>(n >> 8 * i);
    return to + sizeof n;
}
/// Loads a little-endian number.
template <class N>
inline N load(const unsigned char* p) noexcept {
    N n = 0;
    for (std::size_t i = 0; i < sizeof n; ++i) n = static_cast<N>(n | static_cast<N>(static_cast<N>(p[i]) << 8 * i));
    return n;
}
/// The little-endian number of 1 << width bytes, width 0 to 3.
inline std::uint64_t load_wide(const unsigned char* p, unsigned width) noexcept {
    switch (width) {
        case 0: return *p;
        case 1: return load<std::uint16_t>(p);
        case 2: return load<std::uint32_t>(p);
        default: return load<std::uint64_t>(p);
    }
}

inline constexpr std::size_t longest_varint = 10;

inline char* store_varint(char* to, std::uint64_t n) noexcept {
    for (; n >= 0x80; n >>= 7) *to++ = static_cast<char>(n | 0x80);
    *to++ = static_cast<char>(n);
    return to;
}
inline std::size_t varint_size(std::uint64_t n) noexcept {
    std::size_t size = 1;
    for (; n >= 0x80; n >>= 7) ++size;
    return size;
}
/// Loads a varint at p and returns its end: nullptr where [p, e) ends inside it, or, with `broken`, where it has more
/// than 64 bits.
inline const unsigned char* load_varint(const unsigned char* p, const unsigned char* e, std::uint64_t& n,
                                        bool& broken) noexcept {
    n = 0;
    for (unsigned shift = 0; p != e; shift += 7) {
        const unsigned c = *p++;
        if (shift == 63 && c > 1) {
            broken = true;
            return nullptr;
        }
        n |= std::uint64_t{c & 0x7f} << shift;
        if (c < 0x80) return p;
    }
    return nullptr;
}
inline std::uint64_t zigzag(std::int64_t n) noexcept {
    return static_cast<std::uint64_t>(n) << 1 ^ static_cast<std::uint64_t>(n >> 63);
}
inline std::int64_t unzigzag(std::uint64_t n) noexcept { return static_cast<std::int64_t>(n >> 1 ^ (0 - (n & 1))); }

/// One piece, taken apart. The reader has its own, faster switch over the same bytes; this one serves whoever skips or
/// locates, and tests hold the two to each other.
struct header {
    enum class kind : std::uint8_t {
        scalar,
        str,
        array,
        map,
        end,
        name,      // a known name; its number is in `number`
        new_name,  // takes the next number
        lone_name,
        key,       // the next value is the key
        reserved,  // a byte, or a varint of more than 64 bits, that no piece begins with
        cut,       // the bytes end inside the header
    };
    kind is = kind::cut;
    std::uint8_t size = 0;      // bytes of the header
    std::uint64_t payload = 0;  // bytes behind it
    std::uint64_t number = 0;
};
/// kind, and no header is longer: a time is all header.
inline constexpr std::size_t longest_header = 2 + 3 * longest_varint;

inline header read_header(const unsigned char* p, const unsigned char* e) noexcept {
    using kind = header::kind;
    if (p == e) return {};
    const unsigned c = *p;
    if (c < 0x40) return {kind::scalar, 1, 0, 0};
    if (c < 0x80) return {kind::name, 1, 0, c & 63u};
    if (c < 0xa0) return {kind::str, 1, c & 31u, 0};
    if (c < 0xc0) return {kind::lone_name, 1, c & 31u, 0};
    if (c >= code::far_name) {
        if (e - p < 2) return {};
        return {kind::name, 2, 0, 64 + 256u * (c & 15u) + p[1]};
    }
    if (c >= code::minus) return {kind::scalar, 1, 0, 0};
    if (c >= code::above && c < code::long_str) return {kind::scalar, 1, std::uint64_t{1} << (c & 3), 0};
    if (c >= code::long_str && c < code::big) {
        const unsigned width = c & 3;
        if (e - p < 1 + (1 << width)) return {};
        return {c < code::bin ? kind::str : kind::scalar, static_cast<std::uint8_t>(1 + (1 << width)), load_wide(p + 1, width),
                0};
    }
    switch (c) {
        case code::null:
        case code::no:
        case code::yes: return {kind::scalar, 1, 0, 0};
        case code::array: return {kind::array, 1, 0, 0};
        case code::map: return {kind::map, 1, 0, 0};
        case code::end: return {kind::end, 1, 0, 0};
        case code::f64: return {kind::scalar, 1, 8, 0};
        case code::key: return {kind::key, 1, 0, 0};
        case code::big:
        case code::ext:
        case code::time:
        case code::new_name:
        case code::long_name: break;
        default: return {kind::reserved, 1, 0, 0};
    }
    // Varints: of a name and a number its length; of an ext type and length; of a time, behind its kind, two or three
    // numbers.
    const unsigned char* at = p + 1;
    unsigned varints = c == code::ext ? 2 : 1;
    if (c == code::time) {
        if (at == e) return {};
        varints = *at == 1 || *at == 2 ? 3 : 2;
        ++at;
    }
    bool broken = false;
    std::uint64_t n = 0;
    for (; varints != 0; --varints) {
        const unsigned char* const from = at;
        at = load_varint(from, e, n, broken);
        if (at != nullptr) continue;
        // Up to the byte that breaks it, so that it is as long wherever a stream was cut.
        if (broken) return {kind::reserved, static_cast<std::uint8_t>(from + longest_varint - p), 0, 0};
        return {};
    }
    const auto size = static_cast<std::uint8_t>(at - p);
    if (c == code::time) return {kind::scalar, size, 0, 0};
    return {c == code::new_name ? kind::new_name : c == code::long_name ? kind::lone_name : kind::scalar, size, n, 0};
}

}  // namespace kumihimo::inline v0::tagged
