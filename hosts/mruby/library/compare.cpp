// The order of integers. mruby compares them as doubles: beyond 2^53, as identifiers are, neighbours are "equal" for
// <=>, and sort, max, min, clamp and ranges leave them where they stand. Its instructions for < and > of two integers
// are exact as long as these are no objects (below 2^62, and everywhere in 3.3); they ask nobody.
//
//      a <=> b, a.send(:<, b)              Integer's methods, which are these
//      libmruby.a(range.o)    mrb_cmp      ->   __wrap_mrb_cmp        (ld's --wrap: ../CMakeLists.txt)
#include <iterator>

#include "../vm/layout.hpp"
#include "../vm/stock_method.hpp"
#include "library.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// Less than, the same as, more than: -1, 0, 1. What is big is beyond all others.
bool order(mrb_value a, mrb_value b, mrb_int& is) noexcept {
    if (!mrb_integer_p(a) || !mrb_integer_p(b)) return false;
    is = (mrb_integer(a) > mrb_integer(b)) - (mrb_integer(a) < mrb_integer(b));
    return true;
}

struct comparison {
    const char* name;
    mrb_value (*from)(mrb_int order) noexcept;
};
constexpr comparison comparisons[] = {
    {"<=>", [](mrb_int is) noexcept { return mrb_fixnum_value(is); }},
    {"<", [](mrb_int is) noexcept { return mrb_bool_value(is < 0); }},
    {"<=", [](mrb_int is) noexcept { return mrb_bool_value(is <= 0); }},
    {">", [](mrb_int is) noexcept { return mrb_bool_value(is > 0); }},
    {">=", [](mrb_int is) noexcept { return mrb_bool_value(is >= 0); }},
};
stock_method stock[std::size(comparisons)];

template <std::size_t I>
mrb_value compare(mrb_state* mrb, mrb_value self) {
    const mrb_value other = mrb_get_arg1(mrb);
    mrb_int is;
    if (order(self, other, is)) return comparisons[I].from(is);
    // 3.3 knows how a big one stands to another, and not the other way round.
    if (mrb_integer_p(self) && is_big(other)) {
        const mrb_value turned = stock[0].call(mrb, other, {self});
        if (mrb_integer_p(turned)) return comparisons[I].from(-mrb_integer(turned));
    }
    return stock[I](mrb, self);
}

template <std::size_t... I>
void put_before(mrb_state* mrb, std::index_sequence<I...>) {
    (stock[I].put_before(mrb, mrb->integer_class, comparisons[I].name, compare<I>, MRB_ARGS_REQ(1)), ...);
}

}  // namespace

void define_comparisons(mrb_state* mrb) { put_before(mrb, std::make_index_sequence<std::size(comparisons)>()); }

}  // namespace kumihimo::inline v0::mruby

extern "C" {
[[gnu::weak]] mrb_int __real_mrb_cmp(mrb_state*, mrb_value a, mrb_value b);  // without --wrap there is none, nor a call
mrb_int __wrap_mrb_cmp(mrb_state* mrb, mrb_value a, mrb_value b) {
    mrb_int is;
    return kumihimo::mruby::order(a, b, is) ? is : __real_mrb_cmp(mrb, a, b);
}
}
