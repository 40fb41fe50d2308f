// Natives that take a block. A block called from C++ cannot leave the method it is written in: `return` would end the
// block alone. So the loop that yields is written in Ruby (blocks.cpp), over an object that holds what the native has
// begun, and takes the native's place in its frame.
//
//      "a1b2".scan(/\d/) { |d| return d }      scan, a native, makes the object and becomes its each_item, which yields
#pragma once
#include <initializer_list>
#include <type_traits>

#include "../vm/layout.hpp"

namespace kumihimo::inline v0::mruby {

/// What a loop goes through: the base of what a native needs between two calls of its block. It lives in the script's
/// memory, so it is trivial. ObjectSpace can give the object to a script, which may call these in any order.
struct steps {
    /// The next item, to be yielded. False: there is none.
    bool (*next)(mrb_state*, steps&, mrb_value& item);
    /// What the block made of it, for loop::replace.
    void (*take)(mrb_state*, steps&, mrb_value made);
    /// What the native gives.
    mrb_value (*end)(mrb_state*, steps&);
    mrb_value kept;  // an Array: the item, and what else is to stay alive
};

enum class loop : std::uint8_t {
    each,     // yields every item, gives `end`
    replace,  // the same, and takes what the block gives
    once,     // yields one item, gives what the block gives
};

/// A native's last words: return go_through(...).
mrb_value go_through(mrb_state*, loop, const steps&, std::size_t size, std::initializer_list<mrb_value> keep, mrb_value block);
template <class T>
mrb_value go_through(mrb_state* mrb, loop which, const T& s, std::initializer_list<mrb_value> keep, mrb_value block) {
    static_assert(std::is_base_of_v<steps, T> && std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    return go_through(mrb, which, s, sizeof(T), keep, block);
}
/// The same for a native that yields one item and gives what the block makes of it.
inline mrb_value yield_last(mrb_state* mrb, mrb_value block, mrb_value item) {
    const steps s{[](mrb_state*, steps& s, mrb_value& item) {
                      item = mrb_ary_entry(s.kept, 1);
                      return true;
                  },
                  nullptr,
                  nullptr,
                  {}};
    return go_through(mrb, loop::once, s, {item}, block);
}

/// The same for one that yields the items of an Array, and gives `result`.
inline mrb_value yield_all(mrb_state* mrb, mrb_value list, mrb_value result, mrb_value block) {
    struct items : steps {
        mrb_value list, result;
        mrb_int at;
    };
    const items all{{[](mrb_state*, steps& s, mrb_value& item) {
                         auto& i = static_cast<items&>(s);
                         if (i.at >= RARRAY_LEN(i.list)) return false;
                         item = RARRAY_PTR(i.list)[i.at++];
                         return true;
                     },
                     nullptr,
                     [](mrb_state*, steps& s) { return static_cast<items&>(s).result; },
                     {}},
                    list,
                    result,
                    0};
    return go_through(mrb, loop::each, all, {list, result}, block);
}

/// Defines what they need. Before the first of them is called.
void define_blocks(mrb_state*);

}  // namespace kumihimo::inline v0::mruby
