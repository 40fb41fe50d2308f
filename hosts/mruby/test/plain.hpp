// A plain mruby program with this library in it, for the tests of what needs no VM: mrb_open, kumihimo_mruby_define,
// Ruby text.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../kumihimo.h"
#include "../src/guard.hpp"

namespace kumihimo::inline v0::mruby::test {

/// A name as a String in Ruby.
inline std::string in_quotes(std::string_view s) { return "'" + std::string(s) + "'"; }

class plain {
public:
    plain() : mrb_(mrb_open_allocf(allocate, this)) { kumihimo_mruby_define(mrb_); }
    ~plain() { mrb_close(mrb_); }
    plain(const plain&) = delete;
    plain& operator=(const plain&) = delete;

    /// The text's last value: a String's bytes, other values inspected; of an exception "Class: message".
    std::string run(std::string_view text) {
        const int arena = mrb_gc_arena_save(mrb_);
        mrbc_context* const compiling = mrbc_context_new(mrb_);
        compiling->lineno = 1;
        const mrb_value v = mrb_load_nstring_cxt(mrb_, text.data(), text.size(), compiling);
        std::string out = mrb_->exc != nullptr ? failure() : shown(v);
        mrbc_context_free(mrb_, compiling);
        mrb_gc_arena_restore(mrb_, arena);
        return out;
    }
    /// One function of one object: JSON.parse(text) without text going through Ruby's source.
    mrb_value call(const char* module, const char* name, mrb_value argument, mrb_value more = mrb_undef_value()) {
        const mrb_value receiver = mrb_obj_value(mrb_module_get(mrb_, module));
        const mrb_value arguments[] = {argument, more};
        return mrb_funcall_argv(mrb_, receiver, mrb_intern_cstr(mrb_, name), mrb_undef_p(more) ? 1 : 2, arguments);
    }
    mrb_value string(std::string_view s) { return mrb_str_new(mrb_, s.data(), s.size()); }
    std::string shown(mrb_value v) {
        const mrb_value s = mrb_string_p(v) ? v : mrb_inspect(mrb_, v);
        if (mrb_->exc != nullptr) return failure();
        return {RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s))};
    }
    std::string failure() {
        const mrb_value error = mrb_obj_value(mrb_->exc);
        mrb_->exc = nullptr;
        const mrb_value message = mrb_funcall_id(mrb_, error, mrb_intern_lit(mrb_, "message"), 0);
        std::string out = mrb_obj_classname(mrb_, error);
        return out + ": " + std::string(RSTRING_PTR(message), static_cast<std::size_t>(RSTRING_LEN(message)));
    }
    mrb_state* state() noexcept { return mrb_; }

    /// Collect garbage at every step that an allocation may take.
    void collect_always() noexcept {
        mrb_->gc.threshold = 0;
        mrb_->gc.interval_ratio = 1;
    }
    /// The allocation after `n` more fails, and all behind it; -1: none does.
    long fail_after = -1;

private:
    static void* allocate(mrb_state* mrb, void* p, std::size_t n, void* argument) {
        auto& self = *static_cast<plain*>(argument);
        // mruby 3.1 takes its GC arena for grown when there was no memory to grow it, and writes behind it.
        if (mrb != nullptr && p != nullptr && p == mrb->gc.arena && n != 0) return std::realloc(p, n);
        if (n == 0) {
            std::free(p);
            return nullptr;
        }
        if (self.fail_after == 0) return nullptr;
        if (self.fail_after > 0) --self.fail_after;
        return std::realloc(p, n);
    }
    mrb_state* mrb_;
};

}  // namespace kumihimo::inline v0::mruby::test
