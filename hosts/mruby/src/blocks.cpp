#include "blocks.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr char loops[] = R"ruby(
def each
  while more?
    yield item
  end
  result
end

def replace
  while more?
    take(yield(item))
  end
  result
end

def once
  more?
  yield item
end
)ruby";

const mrb_data_type steps_type = {"Steps", mrb_free};

steps& steps_of(mrb_state* mrb, mrb_value self) {
    auto* const s = static_cast<steps*>(mrb_data_check_get_ptr(mrb, self, &steps_type));
    if (s == nullptr) mrb_raise(mrb, E_TYPE_ERROR, "no steps");
    return *s;
}
mrb_value more(mrb_state* mrb, mrb_value self) {
    steps& s = steps_of(mrb, self);
    mrb_value item = mrb_nil_value();
    if (!s.next(mrb, s, item)) return mrb_false_value();
    mrb_ary_set(mrb, s.kept, 0, item);
    return mrb_true_value();
}
mrb_value item(mrb_state* mrb, mrb_value self) { return RARRAY_PTR(steps_of(mrb, self).kept)[0]; }
mrb_value take(mrb_state* mrb, mrb_value self) {
    steps& s = steps_of(mrb, self);
    if (s.take != nullptr) s.take(mrb, s, mrb_get_arg1(mrb));
    return mrb_nil_value();
}
mrb_value result(mrb_state* mrb, mrb_value self) {
    steps& s = steps_of(mrb, self);
    return s.end == nullptr ? mrb_nil_value() : s.end(mrb, s);
}

// Where scripts do not look: a class's variable without @.
mrb_sym place_symbol(mrb_state* mrb) { return mrb_intern_lit(mrb, "steps"); }

RClass* steps_class(mrb_state* mrb) {
    return mrb_class_ptr(mrb_iv_get(mrb, mrb_obj_value(mrb->object_class), place_symbol(mrb)));
}

// The frame of a native that mruby's interpreter has called becomes that of a method without arguments. Where C has
// called the native, as mrb_funcall does, no block can leave it anyhow.
mrb_value become(mrb_state* mrb, mrb_value self, mrb_sym method, mrb_value block) {
    mrb_callinfo* const frame = mrb->c->ci;
    RClass* c = mrb_class(mrb, self);
    const mrb_method_t m = mrb_method_search_vm(mrb, &c, method);
    if (frame->cci == 0 && !MRB_METHOD_UNDEF_P(m) && MRB_METHOD_PROC_P(m) && !MRB_METHOD_CFUNC_P(m)) {
        frame->n = 0;
        frame->nk = 0;
        frame->stack[1] = block;
        return mrb_exec_irep(mrb, self, const_cast<RProc*>(MRB_METHOD_PROC(m)));
    }
    return mrb_funcall_with_block(mrb, self, method, 0, nullptr, block);
}

}  // namespace

// The class has no name, and its methods no file: they do not show in a backtrace.
void define_blocks(mrb_state* mrb) {
    if (!mrb_nil_p(mrb_iv_get(mrb, mrb_obj_value(mrb->object_class), place_symbol(mrb)))) return;
    RClass* const c = mrb_class_new(mrb, mrb->object_class);
    MRB_SET_INSTANCE_TT(c, MRB_TT_DATA);
    mrb_iv_set(mrb, mrb_obj_value(mrb->object_class), place_symbol(mrb), mrb_obj_value(c));
    mrb_define_method(mrb, c, "more?", more, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "item", item, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "take", take, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "result", result, MRB_ARGS_NONE());
    mrbc_context* const context = mrbc_context_new(mrb);
    context->target_class = c;
    mrb_load_nstring_cxt(mrb, loops, sizeof loops - 1, context);
    mrbc_context_free(mrb, context);
}

mrb_value go_through(mrb_state* mrb, loop which, const steps& s, std::size_t size, std::initializer_list<mrb_value> keep,
                     mrb_value block) {
    const mrb_value kept = mrb_ary_new_capa(mrb, static_cast<mrb_int>(1 + keep.size()));
    mrb_basic_ptr(kept)->c = nullptr;  // hidden from ObjectSpace
    mrb_ary_push(mrb, kept, mrb_nil_value());
    for (const mrb_value v : keep) mrb_ary_push(mrb, kept, v);
    RData* const data = mrb_data_object_alloc(mrb, steps_class(mrb), nullptr, &steps_type);
    const mrb_value self = mrb_obj_value(data);
    mrb_iv_set(mrb, self, mrb_intern_lit(mrb, "kept"), kept);
    auto* const copy = static_cast<steps*>(mrb_malloc(mrb, size));
    std::memcpy(static_cast<void*>(copy), &s, size);
    copy->kept = kept;
    data->data = copy;
    constexpr const char* names[] = {"each", "replace", "once"};
    return become(mrb, self, mrb_intern_cstr(mrb, names[static_cast<std::size_t>(which)]), block);
}

}  // namespace kumihimo::inline v0::mruby
