// Bytes in bytes, in a time that a script cannot make long. What compares for seconds is this module's code: in libc's
// a script that is late is not left (vm/deadline.hpp).
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kumihimo::inline v0::mruby {

inline bool same_bytes(const char* a, const char* b, std::size_t n) noexcept {
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        std::uint64_t x, y;
        std::memcpy(&x, a + i, 8);
        std::memcpy(&y, b + i, 8);
        if (x != y) return false;
    }
    for (; i < n; ++i) {
        if (a[i] != b[i]) return false;
    }
    return true;
}

/// Where `what` begins in `text`, at `from` (which lies in it) or behind; npos: nowhere. Linear.
std::size_t find_bytes(std::string_view text, std::string_view what, std::size_t from) noexcept;

/// The last place at or before `from`; npos: nowhere.
inline std::size_t find_bytes_last(std::string_view text, std::string_view what, std::size_t from) noexcept {
    if (what.size() > text.size()) return std::string_view::npos;
    from = from < text.size() - what.size() ? from : text.size() - what.size();
    if (what.empty()) return from;
    for (std::size_t n = from + 1; n != 0;) {
        const auto* const at = static_cast<const char*>(memrchr(text.data(), what[0], n));
        if (at == nullptr) break;
        if (same_bytes(at, what.data(), what.size())) return static_cast<std::size_t>(at - text.data());
        n = static_cast<std::size_t>(at - text.data());
    }
    return std::string_view::npos;
}

}  // namespace kumihimo::inline v0::mruby
