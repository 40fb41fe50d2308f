#include "image.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr std::size_t heap_room = 900;  // objects, of the 1024 that a page of mruby's heap has

// How many objects the heap's next page has room for. A free object says behind its head which one is next (mruby's gc.c).
std::size_t room_of(const mrb_heap_page* heap) {
    struct free_object {
        RBasic head;
        const RBasic* next;
    };
    std::size_t n = 0;
    for (const RBasic* o = heap == nullptr ? nullptr : heap->freelist; o != nullptr;
         o = reinterpret_cast<const free_object*>(o)->next)
        ++n;
    return n;
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
}

}  // namespace kumihimo::inline v0::mruby
