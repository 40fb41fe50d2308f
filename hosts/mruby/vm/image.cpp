#include "image.hpp"

#include <algorithm>
#include <cstring>

namespace kumihimo::inline v0::mruby {

namespace {

constexpr std::size_t heap_room = 900;  // of heap_objects, free when an image is closed

// How many objects the heap's next page has room for.
std::size_t room_of(const heap_page* heap) {
    std::size_t n = 0;
    for (RBasic* o = heap == nullptr ? nullptr : heap->freelist; o != nullptr; o = next_of(o)) ++n;
    return n;
}

// mruby gives a page's last object first. Here the first ones come first: beside those in use, and on a new page
// beside its head. All are as on a new page.
void in_order(heap_page* heap) {
    RBasic* free[heap_objects];
    std::size_t n = 0;
    for (RBasic* o = heap->freelist; o != nullptr; o = next_of(o)) {
        if (n == heap_objects) return;
        free[n++] = o;
    }
    std::sort(free, free + n);
    RBasic* list = nullptr;
    while (n != 0) {
        RBasic* const o = free[--n];
        std::memset(static_cast<void*>(o), 0, object_size);
        o->tt = MRB_TT_FREE;
        next_of(o) = list;
        list = o;
    }
    heap->freelist = list;
}

}  // namespace

// The pages before it are filled with objects that nobody refers to.
void prepare_image(mrb_state* mrb) {
    mrb->gc.disabled = FALSE;
    mrb_full_gc(mrb);
    mrb->gc.disabled = TRUE;
    const int mark = mrb_gc_arena_save(mrb);
    for (std::size_t room = room_of(free_page(mrb)); room < heap_room;) {
        mrb_obj_alloc(mrb, MRB_TT_OBJECT, mrb->object_class);
        mrb_gc_arena_restore(mrb, mark);
        room = room > 1 ? room - 1 : room_of(free_page(mrb));
    }
    in_order(free_page(mrb));
}

// The objects in use lie anywhere on the page: those that were there before others, which are gone, and at its end
// those that were the first on it.
void unwritten::look(const mrb_state* mrb) noexcept {
    const mrb_gc& gc = mrb->gc;
    heap_ = free_page(mrb);
    free_ = {};
    held_ = {reinterpret_cast<const char*>(gc.arena + gc.arena_idx), reinterpret_cast<const char*>(gc.arena + gc.arena_capa)};
    arena::range found{};
    for (const RBasic* o = heap_ == nullptr ? nullptr : heap_->freelist; o != nullptr; o = next_of(o)) {
        const auto* const at = reinterpret_cast<const char*>(o);
        if (at != found.end) found.begin = at;
        found.end = at + object_size;
        if (found.end - found.begin > free_.end - free_.begin) free_ = found;
    }
}

// Objects are given in the order of their addresses, so none that was free behind the first free one has been in use:
// unless that one has been, and garbage was collected. It has a colour then.
std::size_t unwritten::ranges(arena::range (&to)[2]) const noexcept {
    std::size_t n = 0;
    to[n++] = held_;
    if (heap_ == nullptr) return n;
    const RBasic* const first = heap_->freelist;
    const char* const at = std::max(reinterpret_cast<const char*>(first), free_.begin);
    if (first == nullptr || at >= free_.end) return n;
    if (first->tt != MRB_TT_FREE || first->color != 0 || first->c != nullptr) return n;
    to[n++] = {at, free_.end};
    return n;
}

bool restore_and_remember(mrb_state* mrb, arena& memory) {
    struct {
        RClass* klass;
        mrb_sym name;
    } called[sizeof mrb->cache / sizeof *mrb->cache];
    std::size_t n = 0;
    for (const auto& entry : mrb->cache) {
        if (entry.c != nullptr && memory.in_image(entry.c)) called[n++] = {entry.c, entry.mid};
    }
    if (!memory.restore()) return false;
    memory.extend_image();
    for (std::size_t i = 0; i < n; ++i) {
        RClass* found_in = called[i].klass;
        // A class of the run's own may have lain in a free slot of the image: it is one again.
        if (found_in->tt != MRB_TT_CLASS && found_in->tt != MRB_TT_SCLASS && found_in->tt != MRB_TT_MODULE &&
            found_in->tt != MRB_TT_ICLASS)
            continue;
        mrb_method_search_vm(mrb, &found_in, called[i].name);
    }
    return memory.commit();
}

}  // namespace kumihimo::inline v0::mruby
