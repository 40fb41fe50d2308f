// How much packed data may expand, and what is said of more.
#pragma once
#include <cstdint>

namespace kumihimo::inline v0::extract {

/// What compressed data may expand to before it counts as a bomb.
struct expansion {
    std::uint64_t ratio = 1000;                     // output bytes per input byte; deflate itself ends at 1032
    std::uint64_t floor = std::uint64_t{16} << 20;  // up to here any ratio will do
    std::uint64_t size = std::uint64_t{1} << 30;    // of one entry or one whole-buffer file

    bool excessive(std::uint64_t packed, std::uint64_t expanded) const noexcept {
        return expanded > floor && (packed == 0 || expanded / packed >= ratio);
    }
};

inline constexpr const char* bomb =
    "the data expands beyond the allowed ratio, as a decompression bomb does; raise --max-ratio (ratio) if you trust it";
inline constexpr const char* too_large =
    "the data expands beyond the size limit; raise --max-size (document_size) if you trust it";

}  // namespace kumihimo::inline v0::extract
