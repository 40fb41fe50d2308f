// `a == b` of large integers. mruby keeps integers of 63 bits and more in objects, and its instruction for == compares
// such operands as the words they are: two integers that are equal are two objects. It asks mrb_obj_eq first, and
// nobody else in libmruby does from outside its own file, so the answer is given here:
//
//      libmruby.a(vm.o)    OP_EQ -> mrb_obj_eq   ->   __wrap_mrb_obj_eq        (ld's --wrap: ../CMakeLists.txt)
//
// All that mruby itself wrote in Ruby is right by that, too (Array#==, Hash#==, uniq, max). The methods <=>, eql?,
// equal? and hash, and keys of a Hash, go by the number anyway.
#include "../src/guard.hpp"

namespace {

bool is_large(mrb_value v) noexcept { return !mrb_immediate_p(v) && mrb_integer_p(v); }

}  // namespace

extern "C" mrb_bool __wrap_mrb_obj_eq(mrb_state*, mrb_value a, mrb_value b) {
    if (a.w == b.w) return TRUE;
    if (!is_large(a) && !is_large(b)) [[likely]]
        return FALSE;
    if (mrb_integer_p(a) && mrb_integer_p(b)) return mrb_integer(a) == mrb_integer(b);
    // As == has it, which the instruction stands for: the integer as the nearest Float.
    if (mrb_integer_p(a) && mrb_float_p(b)) return static_cast<mrb_float>(mrb_integer(a)) == mrb_float(b);
    if (mrb_float_p(a) && mrb_integer_p(b)) return mrb_float(a) == static_cast<mrb_float>(mrb_integer(b));
    return FALSE;
}
