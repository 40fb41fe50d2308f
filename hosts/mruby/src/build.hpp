// Verbs -> mruby values.
//
// Everything that has arrived and is not yet inside a container lies on one stack. When a container ends, its values
// are the top of that stack and their number is known: the array or hash is made in its final size. Where a container
// began lies on the same stack, as a number that also says where the one around it began.
//
//      {"a": [1, 2], "b"       {- "a" [0 1 2            ->  end()  ->       {- "a" [1, 2] "b" ...
//
// Works inside sheltered() with the collector off (vm/shelter.hpp): nothing that was made needs to be reachable before
// take(). release() gives the stack's memory back, whatever happened.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "keys.hpp"
#include "values.hpp"

namespace kumihimo::inline v0::mruby {

/// The depth that a reader keeps to where a script grants `max_nesting` levels, 0 for as many as there are. More than
/// this it has in no case: to say where a document is broken takes 32 bytes and a part of a path for each level, which
/// no run's limit of memory counts, and which the C library keeps for the thread afterwards.
inline std::size_t depth_of(mrb_int max_nesting) noexcept {
    constexpr mrb_int deepest = 100'000;
    return static_cast<std::size_t>(max_nesting == 0 || max_nesting > deepest ? deepest : max_nesting);
}

struct build_options {
    bool symbolize = false;
    bool freeze = false;
    bool unique_keys = false;
    std::uint32_t new_symbols = 0;  // key_cache::begin
};

class builder {
public:
    using value = mrb_value;

    builder(mrb_state* mrb, context& ctx, const build_options& o, key_cache& keys) noexcept
        : mrb_(mrb),
          ctx_(ctx),
          o_(o),
          keys_(keys),
          frozen_(o.freeze ? MRB_FL_OBJ_IS_FROZEN : 0),
          begin_(first_),
          at_(first_),
          limit_(first_ + room) {
        keys.begin(o.symbolize, o.new_symbols);
    }
    builder(const builder&) = delete;
    builder& operator=(const builder&) = delete;

    /// The finished value; undef before one whole value has arrived.
    mrb_value take() noexcept {
        if (at_ - begin_ != 1 || open_ >= 0) return mrb_undef_value();
        return *--at_;
    }
    /// Drops what has arrived; ready for another document.
    void clear() noexcept {
        at_ = begin_;
        open_ = -1;
        key_next_ = false;
    }
    void release() noexcept {
        if (begin_ != first_) mrb_free(mrb_, begin_);
        begin_ = first_;
        limit_ = first_ + room;
        clear();
    }

    errc null() { return push(mrb_nil_value()); }
    errc boolean(bool b) { return push(mrb_bool_value(b)); }
    [[gnu::always_inline]] errc i64(std::int64_t n) { return push(integer_value(mrb_, n)); }
    errc u64(std::uint64_t n);
    [[gnu::always_inline]] errc f64(double x) { return push(float_value(mrb_, x)); }
    [[gnu::always_inline]] errc str(const text& t) {
        return push(new_string(mrb_, static_cast<const char*>(t.data), t.size, frozen_));
    }
    [[gnu::always_inline]] errc key(const text& t) { return put(keys_.get(mrb_, static_cast<const char*>(t.data), t.size)); }
    errc key(next_value) {
        key_next_ = true;
        return errc::ok;
    }
    errc bin(bytes b) { return push(new_string(mrb_, reinterpret_cast<const char*>(b.data()), b.size())); }
    errc big(text digits);
    errc time(const instant& t);
    errc ext(int type, bytes data);

    errc array(count) { return open(false); }
    errc map(count) { return open(true); }
    errc end();

    /// A ready value; also as a key.
    errc object(mrb_value v) { return put(v); }

protected:
    [[gnu::always_inline]] errc push(mrb_value v) {
        if (key_next_) [[unlikely]]
            return value_as_key(v);
        return put(v);
    }
    mrb_state* const mrb_;
    context& ctx_;

private:
    [[gnu::always_inline]] errc put(mrb_value v) {
        if (at_ == limit_) [[unlikely]]
            grow();
        *at_++ = v;
        return errc::ok;
    }
    errc open(bool map) {
        if (key_next_) [[unlikely]]
            return refuse_key();
        put({static_cast<std::uintptr_t>((open_ + 1) * 2 + map)});
        open_ = at_ - begin_ - 1;
        return errc::ok;
    }
    [[gnu::cold, gnu::noinline]] void grow();
    bool all_differ(const mrb_value* pairs, std::uint32_t n) const noexcept;
    mrb_value hash_of(const mrb_value* pairs, mrb_int n);
    [[gnu::cold, gnu::noinline]] errc value_as_key(mrb_value v);
    [[gnu::cold, gnu::noinline]] errc refuse_key();

    static constexpr std::size_t room = 512;
    const build_options& o_;
    key_cache& keys_;
    std::uint32_t frozen_;
    bool key_next_ = false;
    std::ptrdiff_t open_ = -1;  // index of the innermost container's beginning, or -1
    mrb_value* begin_;
    mrb_value* at_;
    mrb_value* limit_;
    mrb_value first_[room];
};
static_assert(kumihimo::builder<builder>);
static_assert(std::is_trivially_destructible_v<builder>);

}  // namespace kumihimo::inline v0::mruby
