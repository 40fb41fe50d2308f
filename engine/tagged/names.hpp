// The names that a writer has given numbers to.
//
//      entries   | - | offset size hash | ...       number + 1; the bytes stay where they were written
//      slots     | . | hash, number + 1 | . | ...   a name is at its hash or beside it, 0 is empty
//
// A search looks at two slots and compares 16 bits of hash in each, so that a name that is not there costs no
// mispredicted branch. A name that finds both taken puts the second out, which is then written again when it comes
// again: the cost is bounded, whoever chose the names.
//
// New names are paid from a credit that known ones earn: where names do not come again, the writer stops searching for
// a while.
//
// Tried, and slower where rows leave fields out: to guess that the name comes which came behind the last one before.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/core/key_hash.hpp"
#include "engine/core/stack.hpp"
#include "engine/tagged/header.hpp"

namespace kumihimo::inline v0::tagged {

/// `Memory` is that of a stack (core/stack.hpp).
template <class Memory = heap>
class basic_names {
public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    /// Not to be asked before clear().
    explicit basic_names(Memory&& of_entries = Memory(), Memory&& of_slots = Memory()) noexcept
        : entries_(std::move(of_entries)), grown_(std::move(of_slots)) {}
    basic_names(const basic_names&) = delete;
    basic_names& operator=(const basic_names&) = delete;

    /// Forgets all names. Memory stays.
    void clear() noexcept {
        entries_.clear();
        entries_.add()->size = no_size;  // behind the empty slots: like no name. Within the object, so it cannot fail.
        credit_ = first_credit;
        bits_ = 0;
        none_[0] = none_[1] = 0;
        slots_ = none_;
    }

    /// The number of the name, or none. `text` is where offsets count from.
    [[gnu::always_inline]] std::size_t find(const char* text, const char* s, std::size_t n) noexcept {
        const std::uint32_t h = hash(s, n);
        hash_ = h;
        const std::size_t slot = static_cast<std::size_t>(std::uint64_t{h} >> (32 - bits_));
        const std::uint32_t first = slots_[slot], second = slots_[slot ^ 1];
        const std::uint32_t found = (first ^ h << 16) <= 0xffff ? first : second;
        if ((found ^ h << 16) > 0xffff) return none;
        const entry& e = entries_[found & 0xffff];
        if (e.size != n || (n != 0 && !same_key(text + e.offset, s, n))) return none;
        ++credit_;
        return (found & 0xffff) - 1;
    }

    /// Right after find() said none of a name of n bytes: whether it gets the next number, by add().
    bool takes(std::size_t n) noexcept {
        credit_ = std::min(credit_, most_credit);
        if (credit_ == 0) return false;
        --credit_;
        return entries_.size() <= most_names && n < no_size;
    }
    /// The name's bytes are at text + offset, or will be when find() is asked again. False when memory is out.
    bool add(std::size_t offset, std::size_t n) noexcept {
        if (!entries_.push({offset, static_cast<std::uint32_t>(n), hash_})) return false;
        if (entries_.size() * 2 > std::size_t{1} << bits_) [[unlikely]]
            return grow();
        place(entries_.size() - 1);
        return true;
    }
    /// Whether too many of the last names were new. Asked after takes(); the credit is then a little again.
    bool in_vain() noexcept {
        if (credit_ != 0) return false;
        credit_ = later_credit;
        return true;
    }

private:
    static constexpr unsigned small_bits = 6, most_bits = 14;
    static_assert(most_names * 2 < std::size_t{1} << most_bits && most_names < 0xffff);
    static constexpr std::uint32_t no_size = UINT32_MAX;
    static constexpr std::uint32_t first_credit = 256, most_credit = 4096, later_credit = 16;

    struct entry {
        std::uint64_t offset;
        std::uint32_t size;
        std::uint32_t hash;
    };

    /// Looks at 24 bytes at most.
    [[gnu::always_inline]] static std::uint32_t hash(const char* s, std::size_t n) noexcept {
        using detail::load4, detail::load8;
        std::uint64_t a = 0, b = 0;
        if (n >= 8) {
            a = load8(s);
            b = load8(s + n - 8);
            if (n > 16) a ^= load8(s + n / 2 - 4) * 0x9E3779B97F4A7C15u;
        } else if (n >= 4) {
            a = load4(s);
            b = load4(s + n - 4);
        } else if (n != 0) {
            a = static_cast<unsigned char>(s[0]) | static_cast<std::uint64_t>(static_cast<unsigned char>(s[n - 1])) << 8;
            b = static_cast<unsigned char>(s[n / 2]);
        }
        const std::uint64_t h = (a ^ (b << 23 | b >> 41) ^ n) * 0xD6E8FEB86659FD93u;
        return static_cast<std::uint32_t>(h >> 32);
    }
    void place(std::size_t entry) noexcept {
        const std::uint32_t h = entries_[entry].hash;
        const std::size_t slot = static_cast<std::size_t>(std::uint64_t{h} >> (32 - bits_));
        slots_[slot ^ (slots_[slot] != 0)] = h << 16 | static_cast<std::uint32_t>(entry);
    }
    /// Makes a quarter of the slots taken. False when memory is out.
    [[gnu::cold, gnu::noinline]] bool grow() noexcept {
        unsigned bits = bits_;
        while (bits < small_bits || (bits < most_bits && entries_.size() * 2 > std::size_t{1} << bits)) ++bits;
        if (bits == small_bits) {
            slots_ = small_;
        } else {
            bits += bits < most_bits;
            if (bits > grown_bits_) {
                void* const p = grown_.resize(sizeof(std::uint32_t) << bits);
                if (p == nullptr) return false;
                large_ = static_cast<std::uint32_t*>(p);
                grown_bits_ = bits;
            }
            slots_ = large_;
        }
        bits_ = bits;
        std::memset(slots_, 0, sizeof(std::uint32_t) << bits_);
        for (std::size_t i = 1; i != entries_.size(); ++i) place(i);
        return true;
    }

    stack<entry, 32, Memory> entries_;
    std::uint32_t credit_;
    std::uint32_t hash_;  // of the name that was searched last
    unsigned bits_;
    unsigned grown_bits_ = 0;
    std::uint32_t* slots_;
    std::uint32_t* large_;  // in grown_, of grown_bits_
    Memory grown_;
    std::uint32_t none_[2];  // before there are any
    std::uint32_t small_[std::size_t{1} << small_bits];
};
using names = basic_names<>;

}  // namespace kumihimo::inline v0::tagged
