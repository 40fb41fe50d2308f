// What elements of one form have in common: their values one after the other, and the text around them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kumihimo::inline v0::extract {

/// What lies before a value, and after the one before it.
struct element_gap {
    static constexpr std::size_t most = 64;
    std::size_t length = 0;
    std::uint64_t last = 0;  // the bits of the last word that count
    std::uint64_t text[most / 8] = {};

    bool set(const char* p, std::size_t n) noexcept {
        if (n > most) return false;
        length = n;
        std::memcpy(text, p, n);
        last = n % 8 == 0 ? ~std::uint64_t{0} : 0;
        if (n % 8 != 0) std::memset(&last, 0xff, n % 8);
        return true;
    }
    [[gnu::always_inline]] bool at(const char* p, const char* end) const noexcept {
        if (static_cast<std::size_t>(end - p) < length + 8) [[unlikely]]
            return static_cast<std::size_t>(end - p) >= length && std::memcmp(p, text, length) == 0;
        std::uint64_t here;
        std::size_t i = 0;
        for (; 8 * i + 8 < length; ++i) {
            std::memcpy(&here, p + 8 * i, 8);
            if (here != text[i]) return false;
        }
        if (length == 0) return true;
        std::memcpy(&here, p + 8 * i, 8);
        return ((here ^ text[i]) & last) == 0;
    }
};

/// A value, and the text before it.
struct element_step {
    element_gap before;
    std::uint32_t state;  // of the plan, or nowhere
    bool deep;            // a path goes on in it, so that nothing but null is a leaf
};

}  // namespace kumihimo::inline v0::extract
