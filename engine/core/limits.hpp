// Every limit the engine keeps, with its safe default. A limit that is passed gives errc::depth or errc::size, never a
// crash.
#pragma once
#include <cstddef>

namespace kumihimo::inline v0 {

struct limits {
    /// Containers open at once. The engine does not recurse, so a larger value costs memory, not stack; hosts whose
    /// own objects recurse (destructors, comparisons) should keep it small.
    std::size_t depth = 1024;
    /// Bytes of one document, in or out.
    std::size_t size = std::size_t{1} << 40;
    /// Of a compressed frame: bytes out for one byte in, before it counts as a decompression bomb. Up to `ratio_floor`
    /// bytes any ratio will do. deflate ends at 1032 by itself; zstd and lz4 do not.
    std::size_t ratio = 1000;
    std::size_t ratio_floor = std::size_t{16} << 20;
    /// Bytes of memory that a frame may ask for to look back; what zstd -d grants without --long.
    std::size_t window = std::size_t{1} << 27;
    /// Bytes of an integer that is converted between binary and decimal digits, which costs time by the square: 4932
    /// digits.
    static constexpr std::size_t number_bytes = 2048;
};

}  // namespace kumihimo::inline v0
