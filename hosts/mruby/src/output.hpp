// The mruby String as the writer's buffer, so that the finished document is not copied.
//
//      here_ (on the machine stack)  --  full -->  a hidden String's memory, grown in place  --  take()  -->  the String
//
// A small document never leaves `here_` before its String is made in one go. Nothing here has a destructor: when mruby
// jumps, the collector finds the String in its arena. Hidden means without a class, as mruby's own half-made objects
// are: ObjectSpace passes over it, and its length stays 0 until it is whole.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "engine/core/buffer.hpp"
#include "engine/core/large.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

class string_output {
public:
    /// `here` has n bytes and outlives this object. Takes one place in the GC arena, which must stay as long as this
    /// does.
    string_output(mrb_state* mrb, char* here, std::size_t n)
        : mrb_(mrb),
          string_(reinterpret_cast<RString*>(mrb_obj_alloc(mrb, MRB_TT_STRING, mrb->string_class))),
          begin_(here),
          at_(here),
          limit_(here + n),
          here_(here) {
        string_->c = nullptr;
        RSTR_SET_TYPE_FLAG(string_, EMBED);
    }
    string_output(const string_output&) = delete;
    string_output& operator=(const string_output&) = delete;

    /// Raises NoMemoryError when memory is out; never null.
    char* reserve(std::size_t n) {
        if (static_cast<std::size_t>(limit_ - at_) < n) [[unlikely]]
            grow(n);
        return at_;
    }
    [[noreturn]] static void out_of_memory() { __builtin_unreachable(); }  // reserve() raises by itself
    void commit(char* p) noexcept { at_ = p; }
    const char* data() const noexcept { return begin_; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
    void rewind(std::size_t size) noexcept { at_ = begin_ + size; }
    void clear() noexcept { at_ = begin_; }

    /// Lets a writer into this output nest as deep as it likes. Takes one place more in the GC arena. Without it a
    /// writer has what lies in itself: enough for a value that a burst leaves to it.
    void keep_levels() {
        levels_ = mrb_ary_ptr(mrb_ary_new(mrb_));
        levels_->c = nullptr;
    }
    /// Where such a writer's levels lie (core/stack.hpp): in a hidden String each, held by a hidden Array.
    class memory {
    public:
        explicit memory(const string_output& out) noexcept : mrb_(out.mrb_), levels_(out.levels_) {}
        /// Raises NoMemoryError; nullptr without keep_levels().
        void* resize(std::size_t n) {
            if (levels_ == nullptr) return nullptr;
            const mrb_value all = mrb_obj_value(levels_);
            const int arena = mrb_gc_arena_save(mrb_);
            const mrb_value made = mrb_str_new(mrb_, nullptr, n);
            mrb_basic_ptr(made)->c = nullptr;
            if (place_ < 0) {
                place_ = ARY_LEN(levels_);
            } else {
                const mrb_value old = ARY_PTR(levels_)[place_];
                std::memcpy(RSTRING_PTR(made), RSTRING_PTR(old),
                            std::min<std::size_t>(n, static_cast<std::size_t>(RSTRING_LEN(old))));
            }
            mrb_ary_set(mrb_, all, place_, made);
            mrb_gc_arena_restore(mrb_, arena);
            return RSTRING_PTR(made);
        }

    private:
        mrb_state* mrb_;
        RArray* levels_;
        mrb_int place_ = -1;
    };

    /// The String. What follows must not write any more.
    mrb_value take() {
        const std::size_t n = size();
        if (begin_ == here_) {
            if (n <= static_cast<std::size_t>(RSTRING_EMBED_LEN_MAX)) {
                std::memcpy(RSTR_EMBED_PTR(string_), here_, n);
                RSTR_EMBED_PTR(string_)[n] = '\0';
                RSTR_SET_EMBED_LEN(string_, n);
            } else {
                hold(static_cast<char*>(mrb_malloc(mrb_, n + 1)), n);
                std::memcpy(string_->as.heap.ptr, here_, n);
                end_at(n);
            }
        } else {
            // A String keeps what it has reserved for as long as it lives; a quarter too much is given back.
            if (static_cast<std::size_t>(limit_ - at_) > n / 4 + 64) {
                hold(static_cast<char*>(mrb_realloc(mrb_, begin_, n + 1)), n);
                // mruby's usual allocator is malloc; an arena's blocks hardly ever look like its mappings.
                was_shrunk(begin_, static_cast<std::size_t>(limit_ - begin_) + 1, n + 1);
            }
            end_at(n);
        }
        string_->c = mrb_->string_class;
        return mrb_obj_value(string_);
    }

private:
    void hold(char* memory, std::size_t capacity) noexcept {
        RSTR_UNSET_TYPE_FLAG(string_);
        string_->as.heap.ptr = memory;
        string_->as.heap.len = 0;
        string_->as.heap.aux.capa = static_cast<mrb_ssize>(capacity);
    }
    void end_at(std::size_t n) noexcept {
        string_->as.heap.ptr[n] = '\0';
        string_->as.heap.len = static_cast<mrb_ssize>(n);
    }
    [[gnu::cold, gnu::noinline]] void grow(std::size_t n) {
        const std::size_t used = size();
        const auto capacity = static_cast<std::size_t>(limit_ - begin_);
        std::size_t want = capacity * (capacity < 65536 ? 8 : 2);
        if (n > want / 2) want += n;
        if (want < n || want > static_cast<std::size_t>(MRB_SSIZE_MAX) / 2)
            mrb_raise(mrb_, mrb_exc_get(mrb_, "NoMemoryError"), "the document is larger than a String can be");
        if (begin_ == here_) {
            hold(static_cast<char*>(mrb_malloc(mrb_, want + 1)), want);
            std::memcpy(string_->as.heap.ptr, here_, used);
        } else {
            hold(static_cast<char*>(mrb_realloc(mrb_, begin_, want + 1)), want);
        }
        begin_ = string_->as.heap.ptr;
        at_ = begin_ + used;
        limit_ = begin_ + want;
    }

    mrb_state* mrb_;
    RString* string_;
    char* begin_;
    char* at_;
    char* limit_;
    const char* here_;
    RArray* levels_ = nullptr;
};
static_assert(output<string_output> && std::is_trivially_destructible_v<string_output>);

}  // namespace kumihimo::inline v0::mruby
