// The keys seen lately and what a host made of them, for builders: a thousand records with the same eight keys ask the
// host's own table eight times.
//
// Direct-mapped; a collision replaces. A slot has the key's bytes beside what was made, so that a hit touches one
// cache line and not the host's string. It also knows which key came next the last time: in records of one shape that
// is the next key again, found without a hash.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/core/key_hash.hpp"

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

        [[gnu::always_inline]] bool is(const char* p, std::size_t n) const noexcept {
            return size == n && n != 0 && same_key(bytes, p, n);
        }
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
        if (!s.is(p, n)) [[unlikely]]
            return nullptr;
        last_ = &s;
        return &s;
    }
    /// Where the key belongs; another one may be there. n is 1 to Longest.
    slot* place(const char* p, std::size_t n) noexcept { return &slots[key_place<Bits>(p, n)]; }
    /// Remembers that this one came after the last one.
    void came(slot* s) noexcept {
        last_->next = static_cast<std::uint16_t>(s - slots);
        last_ = s;
    }

    slot slots[count];

private:
    slot* last_ = slots;
};

}  // namespace kumihimo::inline v0
