// Where mruby 3.1 keeps what its headers do not show: the entries of a hash, the list of free objects, a page's objects.
//
//      RHash, up to 16 pairs      hsh.ea  --> key val | key val | ...          in order; a deleted key is undef
//      RHash, more                hsh.ht  --> ea, then the index
//      mrb_heap_page              objects --> heap_objects slots of object_size bytes; a free one says which one is free next
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

/// Of a page of mruby's heap, as Debian builds it.
inline constexpr std::size_t heap_objects = 1024;
inline constexpr std::size_t object_size = 6 * sizeof(void*);
static_assert(!layout_known_here ||
                  (sizeof(RClass) <= object_size && sizeof(RString) <= object_size && sizeof(RData) <= object_size &&
                   sizeof(RHash) <= object_size && sizeof(RProc) <= object_size),
              "an mruby object is larger than layout.hpp says: this mruby's heap is not the one it knows");

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

/// The object at a place of a page: a free one has the type MRB_TT_FREE.
inline RBasic* object_at(mrb_heap_page* page, std::size_t i) noexcept {
    return reinterpret_cast<RBasic*>(reinterpret_cast<char*>(page->objects) + i * object_size);
}

/// Looks whether hashes and objects lie in memory as this file says. Called when the library is defined.
void check_layout(mrb_state*);

}  // namespace kumihimo::inline v0::mruby
