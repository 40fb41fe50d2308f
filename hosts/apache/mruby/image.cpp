#include "image.hpp"

#include <algorithm>
#include <iterator>

namespace kumihimo::inline v0::mruby {
namespace {

constexpr std::size_t heap_room = 900;  // objects, of the 1024 that a page of mruby's heap has

// A free object says behind its head which one is next (mruby's gc.c).
RBasic*& next_of(RBasic* o) {
    struct free_object {
        RBasic head;
        RBasic* next;
    };
    return reinterpret_cast<free_object*>(o)->next;
}

// How many objects the heap's next page has room for.
std::size_t room_of(const mrb_heap_page* heap) {
    std::size_t n = 0;
    for (RBasic* o = heap == nullptr ? nullptr : heap->freelist; o != nullptr; o = next_of(o)) ++n;
    return n;
}

// mruby gives a page's last object first. Here the first ones come first: beside those in use, and on a new page beside its
// head.
void in_order(mrb_heap_page* heap) {
    RBasic* free[1024];
    std::size_t n = 0;
    for (RBasic* o = heap->freelist; o != nullptr; o = next_of(o)) {
        if (n == std::size(free)) return;
        free[n++] = o;
    }
    std::sort(free, free + n);
    RBasic* list = nullptr;
    while (n != 0) {
        next_of(free[--n]) = list;
        list = free[n];
    }
    heap->freelist = list;
}

}  // namespace

// The pages before it are filled with objects that nobody refers to.
void settle(mrb_state* mrb) {
    mrb->gc.disabled = FALSE;
    mrb_full_gc(mrb);
    mrb->gc.disabled = TRUE;
    const int mark = mrb_gc_arena_save(mrb);
    for (std::size_t room = room_of(mrb->gc.free_heaps); room < heap_room;) {
        mrb_obj_alloc(mrb, MRB_TT_OBJECT, mrb->object_class);
        mrb_gc_arena_restore(mrb, mark);
        room = room > 1 ? room - 1 : room_of(mrb->gc.free_heaps);
    }
    in_order(mrb->gc.free_heaps);
}

bool restore_and_remember(mrb_state* mrb, arena& memory) {
    struct {
        RClass* of;
        mrb_sym name;
    } called[sizeof mrb->cache / sizeof *mrb->cache];
    std::size_t n = 0;
    for (const auto& entry : mrb->cache) {
        if (entry.c != nullptr && memory.in_image(entry.c)) called[n++] = {entry.c, entry.mid};
    }
    memory.restore();
    memory.extend_image();
    for (std::size_t i = 0; i < n; ++i) {
        RClass* found_in = called[i].of;
        // A class of the run's own may have lain in a free slot of the image: it is one again.
        if (found_in->tt != MRB_TT_CLASS && found_in->tt != MRB_TT_SCLASS && found_in->tt != MRB_TT_MODULE &&
            found_in->tt != MRB_TT_ICLASS)
            continue;
        mrb_method_search_vm(mrb, &found_in, called[i].name);
    }
    return memory.commit();
}

}  // namespace kumihimo::inline v0::mruby
