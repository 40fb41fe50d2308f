// The first bytes of a CBOR item, taken apart and put together.
//
//      45 | 64 49 45 54 46      byte string, argument 5        initial byte: 3 bits major type, 5 bits
//      1a 000f4240              integer 1000000                0-23   the argument itself
//      83 | 01 02 03            array of 3                     24-27  it follows in 1, 2, 4, 8 bytes
//      c1 | 1a 514b67b0         tag 1, one item follows        31     no length: ended by a break (ff)
//
// The reader has its own, faster switch over the same bytes; read_header() serves whoever skips or locates, and tests
// hold the two to each other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/core/big_endian.hpp"

namespace kumihimo::inline v0::cbor {

enum class major : std::uint8_t { natural, negative, bytes, text, array, map, tag, simple };

/// Tags that have a meaning here (https://www.iana.org/assignments/cbor-tags).
namespace tags {
inline constexpr std::uint64_t date_time = 0;         // RFC 3339 text
inline constexpr std::uint64_t epoch = 1;             // seconds, a number
inline constexpr std::uint64_t natural = 2;           // a bignum n
inline constexpr std::uint64_t negative = 3;          // -1 - n
inline constexpr std::uint64_t decimal = 4;           // [exponent, mantissa], to the base 10
inline constexpr std::uint64_t bigfloat = 5;          // to the base 2
inline constexpr std::uint64_t embedded = 24;         // an encoded item in a byte string
inline constexpr std::uint64_t days = 100;            // since 1970-01-01, RFC 8943
inline constexpr std::uint64_t extended_time = 1001;  // a map, RFC 9581
inline constexpr std::uint64_t date = 1004;           // YYYY-MM-DD, RFC 8943
inline constexpr std::uint64_t self_described = 55799;
/// Ours: ext of the types -128 to 127, the lowest byte being the type, the content a byte string. "km" and zero bytes.
inline constexpr std::uint64_t typed = 0x6b6d0000;
}  // namespace tags

/// The type of an ext that carries one encoded item which has no verb: a tag or simple value without a meaning.
inline constexpr int ext_item = 24;

/// The 1, 2, 4 or 8 bytes at p, big-endian; nothing behind e is read. Away from the end without a branch on the width,
/// which in real data cannot be foretold.
inline std::uint64_t load(const unsigned char* p, unsigned width, const unsigned char* e) noexcept {
    if (e - p >= 8) [[likely]]
        return big_endian::load<std::uint64_t>(p) >> (64 - 8 * width);
    std::uint64_t n = 0;
    for (unsigned i = 0; i < width; ++i) n = n << 8 | p[i];
    return n;
}

inline constexpr std::size_t longest_header = 9;

/// How many bytes follow the initial byte of this argument's shortest form.
constexpr unsigned width_of(std::uint64_t n) noexcept {
    return n < 24 ? 0 : n <= UINT8_MAX ? 1 : n <= UINT16_MAX ? 2 : n <= UINT32_MAX ? 4 : 8;
}

/// Writes a head in its shortest form and returns its end. `to` has longest_header bytes, and all of them may be
/// written.
[[gnu::always_inline]] inline char* head(char* to, major m, std::uint64_t n) noexcept {
    const auto first = static_cast<unsigned>(m) << 5;
    if (n < 24) [[likely]] {
        *to = static_cast<char>(first | n);
        return to + 1;
    }
    const unsigned power = n <= UINT8_MAX ? 0 : n <= UINT16_MAX ? 1 : n <= UINT32_MAX ? 2 : 3;
    *to = static_cast<char>(first | (24 + power));
    big_endian::store(to + 1, n << (64 - (8u << power)));
    return to + 1 + (std::size_t{1} << power);
}

/// The same for byte strings, which are long as often as short: up to 255 bytes without a branch. (Text and keys are
/// mostly short: for them the branch is the faster way.)
[[gnu::always_inline]] inline char* bytes_head(char* to, std::size_t n) noexcept {
    if (n > UINT8_MAX) [[unlikely]]
        return head(to, major::bytes, n);
    // The sign of n - 24 as a number and as a mask: from `?:` g++ makes a branch again.
    const std::size_t above = n - 24, here = above >> 63;
    to[0] = static_cast<char>((static_cast<unsigned>(major::bytes) << 5 | 24) + (above & (0 - here)));
    to[1] = static_cast<char>(n);
    return to + 2 - here;
}

struct header {
    enum class kind : std::uint8_t {
        integer,
        bytes,
        text,
        array,
        map,
        tag,
        simple,
        floating,
        stop,      // a break
        reserved,  // begins nothing
        cut,       // the input ends inside the header
    };
    kind is = kind::cut;
    bool indefinite = false;
    std::uint8_t size = 0;       // bytes of the header; numbers and simple values are nothing else
    std::uint64_t argument = 0;  // of indefinite lengths 0

    bool string() const noexcept { return is == kind::bytes || is == kind::text; }
    bool container() const noexcept { return is == kind::array || is == kind::map; }
};

inline header read_header(const unsigned char* p, const unsigned char* e) noexcept {
    using kind = header::kind;
    if (p == e) return {};
    constexpr kind kinds[] = {kind::integer, kind::integer, kind::bytes, kind::text,
                              kind::array,   kind::map,     kind::tag,   kind::simple};
    const unsigned c = *p, info = c & 31u;
    const kind is = kinds[c >> 5];
    if (info < 24) return {is, false, 1, info};
    if (info < 28) {
        const unsigned width = 1u << (info - 24);
        if (static_cast<std::size_t>(e - p) <= width) return {};
        const std::uint64_t n = load(p + 1, width, e);
        const auto size = static_cast<std::uint8_t>(1 + width);
        if (is != kind::simple) return {is, false, size, n};
        if (width > 1) return {kind::floating, false, size, n};
        return {n < 32 ? kind::reserved : kind::simple, false, size, n};  // f8 00 to f8 1f: one spelling is enough
    }
    if (info < 31 || is == kind::integer || is == kind::tag) return {kind::reserved, false, 1, 0};
    if (is == kind::simple) return {kind::stop, false, 1, 0};
    return {is, true, 1, 0};
}

}  // namespace kumihimo::inline v0::cbor
