// What the headers of mruby do not show, known by heart: the entries of a hash, the list of free objects, a page's
// objects, how large the first stack is, what a time and a Random are, and how a native's place is taken by another
// method.
//
//      RHash, up to 16 pairs      hsh.ea  --> key val | key val | ...          in order; a deleted key is undef
//      RHash, more                hsh.ht  --> ea, then the index
//      a page of the heap         its head, heap_objects slots of object_size bytes; a free one says which one is free next
//
// What differs between releases is in a file of each (releases/), and CMake chooses the one whose facts hold in the
// library that is there: it builds and runs probe.cpp with each. What can be looked at cheaply is looked at again when
// the library is defined (check_layout), as a program may be linked with another library: then mruby's own functions
// are asked. A VM puts back the heap that it was built for.
#pragma once
#include <time.h>

#include <atomic>

#include "mruby_headers.hpp"

extern "C" {
// What mruby's own send and instance_eval end with: the frame of the native that returns its result becomes the
// method's. Of a native that the interpreter has called (callinfo's cci is 0), with the frame's arguments.
mrb_value mrb_exec_irep(mrb_state*, mrb_value self, RProc*);
}

namespace kumihimo::inline v0::mruby {

/// As the gem mruby-time declares it.
enum class time_zone : int { none, utc, local };
struct time_data {
    time_t sec, microseconds;
    time_zone timezone;
    tm datetime;
};

#if defined(MRB_WORD_BOXING) && defined(MRB_64BIT) && defined(MRB_INT64) && !defined(MRB_NO_BOXING)
inline constexpr bool layout_known_here = true;
#else
inline constexpr bool layout_known_here = false;
#endif

/// Whether check_layout() found what it expected: false before it was called.
inline std::atomic<bool> layout_seen{false};
[[gnu::always_inline]] inline bool layout_known() noexcept {
    return layout_known_here && layout_seen.load(std::memory_order_relaxed);
}

using release::heap_page;
/// The newest page of the heap, and the one that objects are taken from.
inline heap_page* newest_page(const mrb_state* mrb) noexcept { return reinterpret_cast<heap_page*>(mrb->gc.heaps); }
inline heap_page* free_page(const mrb_state* mrb) noexcept { return reinterpret_cast<heap_page*>(mrb->gc.free_heaps); }

/// Of a page of the heap, as Debian builds mruby.
inline constexpr std::size_t heap_objects = 1024;
inline constexpr std::size_t object_size = 6 * sizeof(void*);

struct free_object {
    RBasic basic;
    RBasic* next;
};
inline RBasic*& next_of(RBasic* o) noexcept { return reinterpret_cast<free_object*>(o)->next; }
inline const RBasic* next_of(const RBasic* o) noexcept { return reinterpret_cast<const free_object*>(o)->next; }

/// What a Random holds, the class's own one too: any four words but all zero will do for its generator.
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

/// The object at a place of a page: a free one has the type MRB_TT_FREE.
inline RBasic* object_at(heap_page* page, std::size_t i) noexcept {
    return reinterpret_cast<RBasic*>(static_cast<char*>(release::first_object(page)) + i * object_size);
}

/// Whether it is an Integer beyond 64 bits, which not every mruby has.
#if defined(MRB_USE_BIGINT)
inline constexpr bool big_integers = true;
[[gnu::always_inline]] inline bool is_big(mrb_value v) noexcept {
    return !mrb_immediate_p(v) && mrb_basic_ptr(v)->tt == MRB_TT_BIGINT;
}
#else
inline constexpr bool big_integers = false;
[[gnu::always_inline]] inline bool is_big(mrb_value) noexcept { return false; }
#endif

[[gnu::always_inline]] inline mrb_value object_value(void* p) noexcept { return {reinterpret_cast<std::uintptr_t>(p)}; }

/// A new object with its head filled, of a class of mruby's own, where the layout is known; null where mruby must make
/// it.
[[gnu::always_inline]] inline RBasic* take_known(mrb_state* mrb, mrb_vtype kind, RClass* c, std::uint32_t flags) noexcept {
    heap_page* const page = free_page(mrb);
    if (page == nullptr) [[unlikely]]
        return nullptr;
    auto* const p = reinterpret_cast<free_object*>(page->freelist);
    if (p->next == nullptr) [[unlikely]]
        return nullptr;
    page->freelist = p->next;
    ++mrb->gc.live;
    p->basic.c = c;
    p->basic.gcnext = nullptr;
    p->basic.tt = kind;
    p->basic.color = static_cast<std::uint32_t>(mrb->gc.current_white_part);
    p->basic.flags = flags;
    return &p->basic;
}

/// A new hash, with the pairs as its entries. Jumps where there is no memory for them.
[[gnu::always_inline]] inline RHash* filled(mrb_state* mrb, RHash* h, const mrb_value* pairs, std::uint32_t n) {
    h->size = h->ea_capa = h->ea_n_used = 0;
    h->iv = nullptr;
    h->hsh.ea = nullptr;
    if (n == 0) return h;
    auto* const entries = static_cast<hash_entry*>(mrb_malloc(mrb, n * sizeof(hash_entry)));
    std::memcpy(static_cast<void*>(entries), pairs, n * sizeof(hash_entry));
    h->hsh.ea = reinterpret_cast<struct ::hash_entry*>(entries);
    h->size = h->ea_capa = h->ea_n_used = n;
    return h;
}
/// Looks whether hashes and objects lie in memory as this file says. Called when the library is defined.
void check_layout(mrb_state*);

}  // namespace kumihimo::inline v0::mruby
