#include "layout.hpp"

#include "shelter.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// A hash of `n` pairs with one taken out, looked at both ways.
bool hash_as_known(mrb_state* mrb, mrb_int n) {
    const mrb_value hash = mrb_hash_new(mrb);
    for (mrb_int i = 0; i < n; ++i) mrb_hash_set(mrb, hash, mrb_fixnum_value(i), mrb_fixnum_value(i * 3));
    mrb_hash_delete_key(mrb, hash, mrb_fixnum_value(1));
    const RHash* const h = mrb_hash_ptr(hash);
    if (h->size != static_cast<std::uint32_t>(n - 1) || entries_used(h) != static_cast<std::uint32_t>(n)) return false;
    for (mrb_int i = 0; i < n; ++i) {
        const hash_entry& e = entries_of(h)[i];
        if (i == 1 ? !mrb_undef_p(e.key) : !mrb_fixnum_p(e.key) || mrb_fixnum(e.key) != i || mrb_fixnum(e.value) != i * 3)
            return false;
    }
    return true;
}

// The list of free objects, and objects made from it.
bool objects_as_known(mrb_state* mrb) {
    const mrb_value text = mrb_str_new_lit(mrb, "as it is known");
    const collector_off no_collection(mrb);  // nothing below raises but for memory, which there is: the VM is new
    const heap_page* const page = free_page(mrb);
    if (page == nullptr || page->freelist->tt != MRB_TT_FREE) return false;
    const RBasic* const second = next_of(page->freelist);
    if (second == nullptr || second->tt != MRB_TT_FREE) return false;
    const std::size_t live = mrb->gc.live;
    auto* const again = reinterpret_cast<RString*>(take_known(mrb, MRB_TT_STRING, mrb->string_class, mrb_str_ptr(text)->flags));
    auto* const h = reinterpret_cast<RHash*>(take_known(mrb, MRB_TT_HASH, mrb->hash_class, 0));
    if (again == nullptr || h == nullptr || !RSTR_EMBED_P(again)) return false;
    std::memcpy(RSTR_EMBED_PTR(again), RSTRING_PTR(text), static_cast<std::size_t>(RSTRING_LEN(text)) + 1);
    const mrb_value pair[] = {object_value(again), mrb_fixnum_value(7)};
    filled(mrb, h, pair, 1);
    return mrb->gc.live == live + 2 && mrb_str_equal(mrb, text, object_value(again)) &&
           mrb_fixnum(mrb_hash_get(mrb, object_value(h), text)) == 7;
}

// A page of which one object was taken has all others in its list, one beside the other.
bool pages_as_known(mrb_state* mrb) {
    const collector_off no_collection(mrb);
    const int arena = mrb_gc_arena_save(mrb);
    const heap_page* const newest = newest_page(mrb);
    for (std::size_t i = 0; newest_page(mrb) == newest; ++i) {
        if (i == 64 * heap_objects) return false;
        mrb_obj_alloc(mrb, MRB_TT_OBJECT, mrb->object_class);
        mrb_gc_arena_restore(mrb, arena);
    }
    heap_page* const page = newest_page(mrb);
    RBasic* o = page->freelist;
    for (std::size_t i = heap_objects - 1; i-- > 0;) {
        if (o != object_at(page, i) || o->tt != MRB_TT_FREE) return false;
        o = next_of(o);
    }
    return o == nullptr && object_at(page, heap_objects - 1)->tt == MRB_TT_OBJECT;
}

}  // namespace

void check_layout(mrb_state* mrb) {
    if (!layout_known_here || layout_seen) return;
    const int arena = mrb_gc_arena_save(mrb);
    const bool known = hash_as_known(mrb, 5) && hash_as_known(mrb, 40) && objects_as_known(mrb) && pages_as_known(mrb);
    if (known) layout_seen = true;  // never false again: other threads' VMs go by it
    mrb_gc_arena_restore(mrb, arena);
}

}  // namespace kumihimo::inline v0::mruby
