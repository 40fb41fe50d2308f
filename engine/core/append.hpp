// Copying a string behind what is written.
#pragma once
#include <cstddef>
#include <cstring>

namespace kumihimo::inline v0 {

template <std::size_t width>
[[gnu::always_inline]] inline void append_ends(char* to, const char* from, std::size_t n) noexcept {
    char first[width], last[width];
    std::memcpy(first, from, width);
    std::memcpy(last, from + n - width, width);
    std::memcpy(to, first, width);
    std::memcpy(to + n - width, last, width);
}

/// Copies n bytes and returns their end. Most strings are short, and for those a call of memcpy costs more than the
/// copy: two overlapping loads instead, which never read outside the string.
[[gnu::always_inline]] inline char* append(char* to, const void* data, std::size_t n) noexcept {
    const char* const from = static_cast<const char*>(data);
    if (n > 32) {
        std::memcpy(to, from, n);
    } else if (n >= 16) {
        append_ends<16>(to, from, n);
    } else if (n >= 8) {
        append_ends<8>(to, from, n);
    } else if (n >= 4) {
        append_ends<4>(to, from, n);
    } else if (n != 0) {
        const char first = from[0], middle = from[n / 2], last = from[n - 1];
        to[0] = first;
        to[n / 2] = middle;
        to[n - 1] = last;
    }
    return to + n;
}

}  // namespace kumihimo::inline v0
