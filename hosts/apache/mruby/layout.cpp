#include "layout.hpp"

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

}  // namespace

void check_layout(mrb_state* mrb) {
    if (!layout_known_here) return;
    const int arena = mrb_gc_arena_save(mrb);
    layout_seen = hash_as_known(mrb, 5) && hash_as_known(mrb, 40);
    mrb_gc_arena_restore(mrb, arena);
}

}  // namespace kumihimo::inline v0::mruby
