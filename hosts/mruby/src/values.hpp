// New mruby values, made where the collector is off (vm/shelter.hpp): nothing is put into the GC arena.
//
// mruby's own mrb_obj_alloc asks the class twice, looks at the collector's thresholds, enters the arena and zeroes
// what is filled at once afterwards. Here an object is the first of the list of free ones (vm/layout.hpp) and its
// fields are stored once: half of the time that a document's objects take. Where the layout is not known, or the
// page's last object is due, mruby does it.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#include "../vm/deadline.hpp"
#include "../vm/layout.hpp"
#include "floats.hpp"

namespace kumihimo::inline v0::mruby {

/// What mruby puts into the GC arena is taken out again: a document's objects would make it as large as the document,
/// and it never shrinks. (mruby 3.1 also takes it for grown when there was no memory to grow it.)
class outside_arena {
public:
    explicit outside_arena(mrb_state* mrb) noexcept : mrb_(mrb), place_(mrb_gc_arena_save(mrb)) {}
    void restore() const noexcept { mrb_gc_arena_restore(mrb_, place_); }

private:
    mrb_state* mrb_;
    int place_;
};

mrb_value boxed_integer(mrb_state* mrb, std::int64_t n);
[[gnu::always_inline]] inline mrb_value integer_value(mrb_state* mrb, std::int64_t n) {
    if (n >= MRB_FIXNUM_MIN && n <= MRB_FIXNUM_MAX) [[likely]]
        return mrb_fixnum_value(n);
    return boxed_integer(mrb, n);
}

/// More digits than this are read as a Float: mruby takes the square of their number as time, and cannot be
/// interrupted then.
inline constexpr std::size_t most_digits = 4096;
/// Of decimal digits. Where there are no big Integers: within 64 bits.
mrb_value integer_of(mrb_state* mrb, const char* digits, std::size_t n);

[[gnu::always_inline]] inline RBasic* take_free(mrb_state* mrb, mrb_vtype kind, RClass* c, std::uint32_t flags) noexcept {
    if (!layout_known()) [[unlikely]]
        return nullptr;
    return take_known(mrb, kind, c, flags);
}

/// Copies n bytes, up to 27, by two overlapping moves: a call of memcpy costs more than most strings.
[[gnu::always_inline]] inline void copy_short(char* to, const char* from, std::size_t n) noexcept {
    const auto ends = [&]<class Word>(Word) {
        Word a, b;
        std::memcpy(&a, from, sizeof a);
        std::memcpy(&b, from + n - sizeof b, sizeof b);
        std::memcpy(to, &a, sizeof a);
        std::memcpy(to + n - sizeof b, &b, sizeof b);
    };
    struct sixteen {
        std::uint64_t words[2];
    };
    if (n >= 16) return ends(sixteen{});
    if (n >= 8) return ends(std::uint64_t{});
    if (n >= 4) return ends(std::uint32_t{});
    if (n == 0) return;
    const char a = from[0], b = from[n / 2], c = from[n - 1];
    to[0] = a;
    to[n / 2] = b;
    to[n - 1] = c;
}

/// Any String: of more than 27 bytes, or where mruby must make it.
mrb_value string_of(mrb_state* mrb, const char* p, std::size_t n, std::uint32_t flags);

[[gnu::always_inline]] inline mrb_value new_string(mrb_state* mrb, const char* p, std::size_t n, std::uint32_t flags = 0) {
    if (n <= static_cast<std::size_t>(RSTRING_EMBED_LEN_MAX)) [[likely]] {
        const auto embedded = MRB_STR_EMBED | static_cast<std::uint32_t>(n) << MRB_STR_EMBED_LEN_SHIFT;
        RBasic* const s = take_free(mrb, MRB_TT_STRING, mrb->string_class, embedded | flags);
        if (s != nullptr) [[likely]] {
            char* const to = RSTR_EMBED_PTR(reinterpret_cast<RString*>(s));
            copy_short(to, p, n);
            to[n] = '\0';
            return object_value(s);
        }
    }
    return string_of(mrb, p, n, flags);
}

mrb_value long_array(mrb_state* mrb, const mrb_value* from, mrb_int n);
/// An Array of n values.
[[gnu::always_inline]] inline mrb_value new_array(mrb_state* mrb, const mrb_value* from, mrb_int n) {
    if (n <= MRB_ARY_EMBED_LEN_MAX) {
        RBasic* const p = take_free(mrb, MRB_TT_ARRAY, mrb->array_class, static_cast<std::uint32_t>(n) + 1);
        if (p != nullptr) [[likely]] {
            for (mrb_int i = 0; i < n; ++i) reinterpret_cast<RArray*>(p)->as.ary[i] = from[i];
            return object_value(p);
        }
    }
    return long_array(mrb, from, n);
}

/// A Hash of n pairs, up to 16, whose keys differ. Null where mruby must make it.
[[gnu::always_inline]] inline RHash* new_small_hash(mrb_state* mrb, const mrb_value* pairs, std::uint32_t n) {
    auto* const h = reinterpret_cast<RHash*>(take_free(mrb, MRB_TT_HASH, mrb->hash_class, 0));
    if (h == nullptr) [[unlikely]]
        return nullptr;
    return filled(mrb, h, pairs, n);
}
inline constexpr std::uint32_t small_hash = 16;

/// A Hash of n pairs, the last of equal keys.
mrb_value any_hash(mrb_state* mrb, const mrb_value* pairs, mrb_int n);

/// Leaves a document that is being built when the run's time is over: keys can be chosen so that each costs as much as
/// all before it. The host_section's end then leaves the script.
[[gnu::cold]] void stop_building(mrb_state* mrb);
inline void give_way(mrb_state* mrb) {
    if (deadline::here().late()) [[unlikely]]
        stop_building(mrb);
}

}  // namespace kumihimo::inline v0::mruby
