// Where mruby 3.1 keeps what its headers do not show: the entries of a hash, the list of free objects.
//
//      RHash, up to 16 pairs      hsh.ea  --> key val | key val | ...          in order; a deleted key is undef
//      RHash, more                hsh.ht  --> ea, then the index
//
// Known by heart for 3.1.0 with word boxing on 64 bits, as Debian builds it; looked at once when the library is defined
// (check_layout). Any other mruby is asked by its own functions.
#pragma once
#include <atomic>

#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

#if MRUBY_RELEASE_NO == 30100 && defined(MRB_WORD_BOXING) && defined(MRB_64BIT) && defined(MRB_INT64) && !defined(MRB_NO_BOXING)
inline constexpr bool layout_known_here = true;
#else
inline constexpr bool layout_known_here = false;
#endif

/// Whether check_layout() found what it expected: false before it was called.
inline std::atomic<bool> layout_seen{false};
[[gnu::always_inline]] inline bool layout_known() noexcept {
    return layout_known_here && layout_seen.load(std::memory_order_relaxed);
}

struct free_object {
    RBasic basic;
    RBasic* next;
};

struct hash_entry {
    mrb_value key;
    mrb_value value;
};

/// The pairs of a hash, with deleted ones between them whose key is undef; n of them. Until the hash changes.
[[gnu::always_inline]] inline hash_entry* entries_of(const RHash* h) noexcept {
    if ((h->flags & MRB_HASH_HT) == 0) [[likely]]
        return reinterpret_cast<hash_entry*>(h->hsh.ea);
    return *reinterpret_cast<hash_entry* const*>(h->hsh.ht);
}
[[gnu::always_inline]] inline std::uint32_t entries_used(const RHash* h) noexcept { return h->ea_n_used; }

/// Looks whether hashes lie in memory as this file says. Called when the library is defined.
void check_layout(mrb_state*);

}  // namespace kumihimo::inline v0::mruby
