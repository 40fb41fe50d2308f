// The keys seen lately and what a host made of them, for builders: a thousand records with the same eight keys ask the host's
// own table eight times.
//
// Direct-mapped; a collision replaces. A slot has the key's bytes beside what was made, so that a hit touches one cache line
// and not the host's string. It also knows which key came next the last time: in records of one shape that is the next key
// again, found without a hash.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kumihimo::inline v0 {

/// 2^Bits slots for keys of 1 to Longest bytes.
template <class Made, unsigned Bits, std::size_t Longest>
class key_table {
public:
    static constexpr std::size_t longest = Longest;
    static constexpr std::size_t count = std::size_t{1} << Bits;

    struct alignas(64) slot {
        Made made{};
        std::uint16_t next = 0;
        unsigned char size = 0;
        char bytes[Longest];

        [[gnu::always_inline]] bool is(const char* p, std::size_t n) const noexcept { return size == n && same(bytes, p, n); }
        void take(const char* p, std::size_t n) noexcept {
            size = static_cast<unsigned char>(n);
            std::memcpy(bytes, p, n);
        }
    };
    static_assert(sizeof(slot) == 64);
    static_assert(Bits <= 16 && Longest < 256);

    /// The key, if it comes behind the last one as it did before; else null: place(), and came().
    [[gnu::always_inline]] slot* guess(const char* p, std::size_t n) noexcept {
        slot& s = slots[last_->next];
        if (n == 0 || !s.is(p, n)) [[unlikely]]
            return nullptr;
        last_ = &s;
        return &s;
    }
    /// Where the key belongs; another one may be there. n is 1 to Longest.
    slot* place(const char* p, std::size_t n) noexcept { return &slots[place_of(p, n)]; }
    /// Remembers that this one came after the last one.
    void came(slot* s) noexcept {
        last_->next = static_cast<std::uint16_t>(s - slots);
        last_ = s;
    }

    slot slots[count];

private:
    static std::uint64_t load8(const char* p) noexcept {
        std::uint64_t v;
        std::memcpy(&v, p, 8);
        return v;
    }
    static std::uint32_t load4(const char* p) noexcept {
        std::uint32_t v;
        std::memcpy(&v, p, 4);
        return v;
    }
    static std::size_t place_of(const char* p, std::size_t n) noexcept {
        std::uint64_t a, b;
        if (n >= 8) {
            a = load8(p);
            b = load8(p + n - 8);
            if (n > 16) a ^= load8(p + n / 2 - 4) * 0x9E3779B97F4A7C15u;
        } else if (n >= 4) {
            a = load4(p);
            b = load4(p + n - 4);
        } else {
            a = static_cast<unsigned char>(p[0]) | static_cast<std::uint64_t>(static_cast<unsigned char>(p[n - 1])) << 8;
            b = static_cast<unsigned char>(p[n / 2]);
        }
        const std::uint64_t h = (a ^ (b << 23 | b >> 41) ^ n) * 0xD6E8FEB86659FD93u;
        return static_cast<std::size_t>((h ^ h >> 29) * 0xBF58476D1CE4E5B9u >> (64 - Bits));
    }
    [[gnu::always_inline]] static bool same(const char* a, const char* b, std::size_t n) noexcept {
        if (n >= 8) {
            if (load8(a + n - 8) != load8(b + n - 8)) return false;
            for (std::size_t i = 0; i + 8 < n; i += 8)
                if (load8(a + i) != load8(b + i)) return false;
            return true;
        }
        if (n >= 4) return load4(a) == load4(b) && load4(a + n - 4) == load4(b + n - 4);
        return n == 0 || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
    }

    slot* last_ = slots;
};

}  // namespace kumihimo::inline v0
