#include "descriptors.hpp"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "../mruby/stock_method.hpp"
#include "../mruby/vm.hpp"
#include "library.hpp"
#include "native.hpp"

namespace kumihimo::inline v0::mruby {

bool descriptors::note(int number) noexcept {
    if (count_ == most) return false;
    number_[count_++] = number;
    return true;
}
void descriptors::forget(int number) noexcept {
    count_ = static_cast<int>(std::remove(number_, number_ + count_, number) - number_);
}
void descriptors::close_all() noexcept {
    while (count_ != 0) ::close(number_[--count_]);
}

namespace {

// False: it is one too many, and closed.
bool noted(mrb_state* mrb, mrb_value v) {
    if (!mrb_fixnum_p(v) || mrb_fixnum(v) <= 2 || mrb_fixnum(v) > INT_MAX) return true;
    const int number = static_cast<int>(mrb_fixnum(v));
    if (vm::of(mrb)->open_numbers().note(number)) return true;
    ::close(number);
    return false;
}
void note(mrb_state* mrb, mrb_value opened) {
    bool all = noted(mrb, opened);
    for (mrb_int i = 0; mrb_array_p(opened) && i < RARRAY_LEN(opened); ++i) all = noted(mrb, RARRAY_PTR(opened)[i]) && all;
    if (!all) mrb_raise(mrb, mrb_class_get(mrb, "IOError"), "too many descriptors are open that no IO has");
}
// As mruby takes it: a Float too, and of a large number the low bits.
void forget(mrb_state* mrb, mrb_value given) { vm::of(mrb)->open_numbers().forget(static_cast<int>(mrb_as_int(mrb, given))); }

struct opener {
    const char* of;
    const char* name;
};
constexpr opener openers[] = {
    {"IO", "sysopen"}, {"Socket", "_socket"}, {"Socket", "_accept"}, {"Socket", "_accept2"}, {"Socket", "socketpair"},
};
stock_method stock_openers[std::size(openers)], stock_close, stock_initialize, stock_for_fd, stock_sysread;

template <std::size_t I>
mrb_value open_noted(mrb_state* mrb, mrb_value self) {
    const mrb_value opened = stock_openers[I](mrb, self);
    note(mrb, opened);
    return opened;
}

mrb_value close_noted(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    if (a.n == 1) forget(mrb, a.v[0]);
    return stock_close(mrb, self);
}

// mruby's IO.for_fd does not call initialize.
template <stock_method& Stock>
mrb_value made_noted(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    const mrb_value number = a.n == 0 ? mrb_nil_value() : a.v[0];
    const mrb_value made = Stock(mrb, self);
    if (!mrb_nil_p(number)) forget(mrb, number);
    return made;
}

// The system writes into the string, and would find its pages protected if they are the image's (mruby/arena.hpp).
mrb_value sysread(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    if (a.n == 2 && mrb_string_p(a.v[1]) && mrb_fixnum_p(a.v[0]) && mrb_fixnum(a.v[0]) > 0) {
        mrb_str_resize(mrb, a.v[1], mrb_fixnum(a.v[0]));
        RString* const s = mrb_str_ptr(a.v[1]);
        mrb_str_modify(mrb, s);
        volatile char* const p = RSTR_PTR(s);
        const mrb_int n = RSTR_LEN(s);
        for (mrb_int i = 0; i < n; i += 1024) p[i] = p[i];
        p[n] = p[n];
    }
    return stock_sysread(mrb, self);
}

RClass* class_named(mrb_state* mrb, const char* name) {
    return mrb_class_defined(mrb, name) ? mrb_class_get(mrb, name) : nullptr;
}
RClass* singleton_named(mrb_state* mrb, const char* name) {
    RClass* const c = class_named(mrb, name);
    return c == nullptr ? nullptr : mrb_class_ptr(mrb_singleton_class(mrb, mrb_obj_value(c)));
}

void put_before(mrb_state* mrb, RClass* c, const char* name, stock_method& stock, mrb_func_t ours) {
    if (c != nullptr) stock.put_before(mrb, c, name, ours);
}

template <std::size_t... I>
void put_before_openers(mrb_state* mrb, std::index_sequence<I...>) {
    (put_before(mrb, singleton_named(mrb, openers[I].of), openers[I].name, stock_openers[I], open_noted<I>), ...);
}

}  // namespace

void note_descriptors(mrb_state* mrb) {
    if (vm::of(mrb) == nullptr) return;
    put_before_openers(mrb, std::make_index_sequence<std::size(openers)>());
    put_before(mrb, singleton_named(mrb, "IO"), "_sysclose", stock_close, close_noted);
    put_before(mrb, class_named(mrb, "IO"), "initialize", stock_initialize, made_noted<stock_initialize>);
    put_before(mrb, singleton_named(mrb, "IO"), "for_fd", stock_for_fd, made_noted<stock_for_fd>);
    put_before(mrb, class_named(mrb, "IO"), "sysread", stock_sysread, sysread);
    // The process's, of all threads.
    if (RClass* const file = singleton_named(mrb, "File");
        file != nullptr && mrb_obj_respond_to(mrb, file, mrb_intern_lit(mrb, "umask")))
        mrb_undef_method(mrb, file, "umask");
}

}  // namespace kumihimo::inline v0::mruby
