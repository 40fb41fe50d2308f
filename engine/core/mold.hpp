// Elements of one form, one behind the other: where an array's element has its headers the next ones mostly have the same, and
// then one comparison of all its bytes says what a walk from header to header would find.
//
//      92 cb .. .. .. .. .. .. .. .. cb .. .. .. .. .. .. .. ..       compared: the three bytes that are written here
//
// Whoever walks over the first element says which of its bytes are headers; their equality is enough, because they alone decide
// where the next header lies and where the element ends.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kumihimo::inline v0 {

class mold {
public:
    /// An element begins at p.
    void begin(const unsigned char* p) noexcept {
        begin_ = p;
        fits_ = true;
        std::memset(mask_, 0, sizeof mask_);
    }
    /// The n bytes at p must be the same in each element.
    void header(const unsigned char* p, std::size_t n) noexcept { set(p, n, 0xff); }
    /// The n bytes at p are text, which is known to be valid where it is ASCII.
    void text(const unsigned char* p, std::size_t n) noexcept { set(p, n, 0x80); }
    /// This element says nothing about the next ones.
    void spoil() noexcept { fits_ = false; }

    /// The element ended at p. How many of the next n, one behind the other from there, are of its form.
    std::uint64_t alike(const unsigned char* p, const unsigned char* e, std::uint64_t n) noexcept {
        const auto size = static_cast<std::size_t>(p - begin_);
        if (!fits_ || size > room) return 0;
        const std::size_t words = (size + 7) / 8;
        std::uint64_t mask[room / 8], wanted[room / 8];
        std::memcpy(mask, mask_, sizeof mask);
        // Of the bytes behind the element none is compared; they may lie behind the input.
        std::memset(wanted, 0, words * 8);
        std::memcpy(wanted, begin_, size);
        for (std::size_t i = 0; i < words; ++i) wanted[i] &= spread(mask[i]);
        std::uint64_t found = 0;
        for (; found < n && static_cast<std::size_t>(e - p) >= words * 8; ++found, p += size) {
            std::uint64_t differ = 0;
            for (std::size_t i = 0; i < words; ++i) {
                std::uint64_t here;
                std::memcpy(&here, p + 8 * i, 8);
                differ |= (here & mask[i]) ^ wanted[i];
            }
            if (differ != 0) break;
        }
        return found;
    }
    std::size_t size(const unsigned char* end) const noexcept { return static_cast<std::size_t>(end - begin_); }

private:
    static constexpr std::size_t room = 256;

    // All bits of the bytes that have bit 0 set: headers, not text.
    static std::uint64_t spread(std::uint64_t mask) noexcept { return (mask & 0x0101010101010101u) * 255; }
    void set(const unsigned char* p, std::size_t n, int to) noexcept {
        const auto at = static_cast<std::size_t>(p - begin_);
        if (at >= room || n > room - at) {
            fits_ = false;
            return;
        }
        std::memset(mask_ + at, to, n);
    }

    const unsigned char* begin_ = nullptr;
    bool fits_ = false;
    unsigned char mask_[room];
};

}  // namespace kumihimo::inline v0
