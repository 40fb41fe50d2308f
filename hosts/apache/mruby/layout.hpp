// What the headers of mruby 3.1 do not show, known by heart: the entries of a hash, the list of free objects, a page's objects,
// how large the first stack is, what a file, a time and a Random are, and how a native's place is taken by another method.
//
//      RHash, up to 16 pairs      hsh.ea  --> key val | key val | ...          in order; a deleted key is undef
//      RHash, more                hsh.ht  --> ea, then the index
//      mrb_heap_page              objects --> heap_objects slots of object_size bytes; a free one says which one is free next
//
// Hashes and objects are known with word boxing on 64 bits, as Debian builds it, and looked at once when the library is defined
// (check_layout): any other mruby is asked by its own functions. A VM, which puts a heap back as it was, is for 3.1 only.
#pragma once
#include <time.h>

#include <atomic>

#include "guard.hpp"

// As the gems mruby-io and mruby-time declare them: Debian ships no headers of theirs.
extern "C" {
struct mrb_io {
    int fd, fd2, pid;
    unsigned int readable : 1, writable : 1, sync : 1, is_socket : 1;
};
extern mrb_data_type mrb_io_type;
enum mrb_timezone { MRB_TIMEZONE_NONE, MRB_TIMEZONE_UTC, MRB_TIMEZONE_LOCAL };
struct mrb_time {
    time_t sec, usec;
    mrb_timezone timezone;
    tm datetime;
};
mrb_value mrb_time_at(mrb_state*, time_t seconds, time_t microseconds, mrb_timezone);
// What mruby's own send and instance_eval end with: the frame of the native that returns its result becomes the method's. Of a
// native that the interpreter has called (callinfo's cci is 0), with the frame's arguments.
mrb_value mrb_exec_irep(mrb_state*, mrb_value self, RProc*);
}

namespace kumihimo::inline v0::mruby {

inline constexpr bool release_known = MRUBY_RELEASE_NO == 30100;
#if defined(MRB_WORD_BOXING) && defined(MRB_64BIT) && defined(MRB_INT64) && !defined(MRB_NO_BOXING)
inline constexpr bool layout_known_here = release_known;
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
static_assert(!release_known || (sizeof(RClass) <= object_size && sizeof(RString) <= object_size &&
                                 sizeof(RData) <= object_size && sizeof(RHash) <= object_size && sizeof(RProc) <= object_size),
              "an mruby object is larger than layout.hpp says: this mruby's heap is not the one it knows");

struct free_object {
    RBasic basic;
    RBasic* next;
};
inline RBasic*& next_of(RBasic* o) noexcept { return reinterpret_cast<free_object*>(o)->next; }
inline const RBasic* next_of(const RBasic* o) noexcept { return reinterpret_cast<const free_object*>(o)->next; }

/// What a Random holds, the one that Random::DEFAULT names too: xoshiro128++, for which any four words but all zero will do.
struct random_state {
    std::uint32_t word[4];
};
static_assert(sizeof(random_state) <= ISTRUCT_DATA_SIZE);
inline random_state& random_state_of(mrb_value random) noexcept { return *static_cast<random_state*>(mrb_istruct_ptr(random)); }

/// What a VM begins with: places of the stack, and calls within calls.
inline constexpr std::size_t first_stack = 128, first_calls = 32;

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

/// The object at a place of a page: a free one has the type MRB_TT_FREE. The page may be destroyed (permissions.cpp).
[[gnu::no_sanitize("undefined")]] inline RBasic* object_at(mrb_heap_page* page, std::size_t i) noexcept {
    return reinterpret_cast<RBasic*>(reinterpret_cast<char*>(page->objects) + i * object_size);
}

/// Looks whether hashes and objects lie in memory as this file says. Called when the library is defined.
void check_layout(mrb_state*);

}  // namespace kumihimo::inline v0::mruby
