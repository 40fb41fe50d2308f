// What the library's natives are written with: strings in and out, and text that grows in mruby's memory. All of it
// may be jumped across (rule 1 of src/guard.hpp).
#pragma once
#include <string_view>

#include "../src/guard.hpp"

namespace kumihimo::inline v0::mruby {

inline std::string_view bytes_of(mrb_value s) noexcept { return {RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s))}; }

inline mrb_value new_string(mrb_state* mrb, std::string_view s) {
    return mrb_str_new(mrb, s.data(), static_cast<mrb_int>(s.size()));
}

/// A symbol as text, without a string of mruby's.
inline std::string_view bytes_of(mrb_state* mrb, mrb_sym s) {
    mrb_int n = 0;
    const char* const p = mrb_sym_name_len(mrb, s, &n);
    return {p == nullptr ? "" : p, static_cast<std::size_t>(n)};
}

/// The text of a value that stands for one: a string, a symbol, or what to_s gives.
inline mrb_value text_of(mrb_state* mrb, mrb_value v) { return mrb_string_p(v) ? v : mrb_obj_as_string(mrb, v); }

/// Keeps a value until the native returns, or restores mruby's GC arena, whatever a script's code takes it out of
/// meanwhile.
inline mrb_value kept(mrb_state* mrb, mrb_value v) {
    mrb_gc_protect(mrb, v);
    return v;
}

/// What a Hash of options says, kept; nil where it says nothing, or there is none. Runs no code of a script's: its
/// default is not asked.
inline mrb_value option(mrb_state* mrb, mrb_value options, const char* name) {
    if (!mrb_hash_p(options)) return mrb_nil_value();
    return kept(mrb, mrb_hash_fetch(mrb, options, mrb_symbol_value(mrb_intern_cstr(mrb, name)), mrb_nil_value()));
}

/// All of a native's arguments, and its block. They stay as they are, whatever a script's code does meanwhile: a call
/// with many gives them in an Array, which ObjectSpace finds.
struct arguments {
    const mrb_value* v = nullptr;
    mrb_int n = 0;
    mrb_value block = mrb_nil_value();

    explicit arguments(mrb_state* mrb) {
        mrb_get_args(mrb, "*&", &v, &n, &block);
        if (n == 0 || v != mrb_get_argv(mrb)) return;
        const mrb_value copy = mrb_ary_new_from_values(mrb, n, v);
        mrb_basic_ptr(copy)->c = nullptr;
        v = RARRAY_PTR(copy);
    }
};

inline void need(mrb_state* mrb, mrb_int n, mrb_int least, mrb_int most) {
    if (n < least || n > most) mrb_argnum_error(mrb, n, static_cast<int>(least), static_cast<int>(most));
}

// mruby's headers say that these do not return only to compilers with GNU's dialects.
[[noreturn]] inline void raise(mrb_state* mrb, mrb_value exception) {
    mrb_exc_raise(mrb, exception);
    __builtin_unreachable();
}
[[noreturn]] inline void raise(mrb_state* mrb, RClass* klass, std::string_view message) {
    raise(mrb, mrb_exc_new(mrb, klass, message.data(), static_cast<mrb_int>(message.size())));
}
[[noreturn]] inline void raise(mrb_state* mrb, const char* class_name, std::string_view message) {
    raise(mrb, mrb_class_get(mrb, class_name), message);
}

/// Text that grows in a string of mruby's. Until it is taken the string has no class: a script whose code runs
/// meanwhile would find it in ObjectSpace, and could put other memory into it.
class growing_string {
public:
    growing_string(mrb_state* mrb, std::size_t room)
        : mrb_(mrb), string_(mrb_str_new(mrb, nullptr, static_cast<mrb_int>(room < 32 ? 32 : room))) {
        begin_ = RSTRING_PTR(string_);
        room_ = static_cast<std::size_t>(RSTRING_LEN(string_));
        mrb_basic_ptr(string_)->c = nullptr;
    }
    /// Room for n more bytes; written there, they count after took().
    char* reserve(std::size_t n) {
        if (room_ - size_ < n) grow(n);
        return begin_ + size_;
    }
    void took(std::size_t n) noexcept { size_ += n; }
    void put(char c) {
        *reserve(1) = c;
        ++size_;
    }
    void put(std::string_view s) {
        if (s.empty()) return;
        std::memcpy(reserve(s.size()), s.data(), s.size());
        size_ += s.size();
    }
    std::size_t size() const noexcept { return size_; }
    std::string_view view() const noexcept { return {begin_, size_}; }
    mrb_value string() const noexcept { return string_; }
    void cut(std::size_t size) noexcept { size_ = size; }
    mrb_value take() {
        mrb_str_resize(mrb_, string_, static_cast<mrb_int>(size_));
        mrb_basic_ptr(string_)->c = mrb_->string_class;
        return string_;
    }

private:
    [[gnu::noinline]] void grow(std::size_t n) {
        // A request beyond what a string can be fails in mruby, as its own do.
        const std::size_t wanted = size_ + n > room_ * 2 ? size_ + n : room_ * 2;
        mrb_str_resize(mrb_, string_, static_cast<mrb_int>(wanted));
        begin_ = RSTRING_PTR(string_);
        room_ = wanted;
    }

    mrb_state* mrb_;
    mrb_value string_;
    char* begin_;
    std::size_t size_ = 0, room_;
};

}  // namespace kumihimo::inline v0::mruby
