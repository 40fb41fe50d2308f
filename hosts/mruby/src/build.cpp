#include "build.hpp"

#include "../vm/thread_specific.hpp"
#include "engine/scalar/integer.hpp"

namespace kumihimo::inline v0::mruby {

// ---- keys

key_cache* key_cache::here() noexcept {
    static constinit thread_local thread_specific_ptr<key_cache> one;
    return one.get();
}

mrb_value key_cache::make(mrb_state* mrb, const char* p, std::size_t n) {
    if (symbols_) return symbol(mrb, p, n);
    return new_string(mrb, p, n, MRB_FL_OBJ_IS_FROZEN);
}

mrb_value key_cache::symbol(mrb_state* mrb, const char* p, std::size_t n) {
    give_way(mrb);
    const mrb_sym before = mrb->symidx;
    const mrb_sym made = mrb_intern(mrb, p, n);
    if (mrb->symidx != before && ++new_symbols_ > most_symbols)
        mrb_raisef(mrb, mrb_class_get(mrb, "RangeError"), "more than %d new Symbols in one document",
                   static_cast<int>(most_symbols));
    return mrb_symbol_value(made);
}

mrb_value key_cache::look_up(mrb_state* mrb, const char* p, std::size_t n) {
    if (n > table::longest || n == 0) {
        exact_ = exact_ && symbols_;
        return make(mrb, p, n);
    }
    auto* const s = table_.place(p, n);
    if (s->made.document != document_ || !s->is(p, n)) {
        // What was there may come again, as another String.
        if (s->made.document == document_) exact_ = symbols_;
        s->made = {make(mrb, p, n), document_};
        s->take(p, n);
    }
    table_.came(s);
    return s->made.key;
}

// ---- values

void builder::grow() {
    const auto used = static_cast<std::size_t>(at_ - begin_);
    mrb_value* const kept = begin_ == first_ ? nullptr : begin_;
    auto* const made = static_cast<mrb_value*>(mrb_realloc(mrb_, kept, used * 2 * sizeof(mrb_value)));
    if (kept == nullptr) std::memcpy(made, first_, used * sizeof(mrb_value));
    begin_ = made;
    at_ = made + used;
    limit_ = made + used * 2;
}

// Only what mruby hashes by itself: for other objects it would call Ruby code, and nothing could interrupt that here.
errc builder::value_as_key(mrb_value v) {
    key_next_ = false;
    if (!mrb_immediate_p(v) && !mrb_string_p(v) && !mrb_integer_p(v) && !is_big(v)) return refuse_key();
    if (mrb_string_p(v)) {
        if (o_.symbolize)
            v = keys_.symbol(mrb_, RSTRING_PTR(v), static_cast<std::size_t>(RSTRING_LEN(v)));
        else
            MRB_SET_FROZEN_FLAG(mrb_str_ptr(v));
    }
    keys_.came_otherwise();
    return put(v);
}
errc builder::refuse_key() {
    return ctx_.fail(errc::unsupported, failure::nowhere, "a map's key is neither text, nor a number, nor nil, true or false");
}

// Beyond what mruby's Integers hold, or beyond a double: the nearest Float.
errc builder::u64(std::uint64_t n) {
    if constexpr (big_integers) {
        char digits[scalar::integer_room];
        return push(integer_of(mrb_, digits, static_cast<std::size_t>(scalar::write_u64(digits, n) - digits)));
    }
    return push(float_value(mrb_, static_cast<double>(n)));
}
errc builder::big(text digits) {
    const std::string_view all = digits.view();
    if (big_integers && all.size() <= most_digits && all.find_first_of(".eE") == all.npos)
        return push(integer_of(mrb_, all.data(), all.size()));
    const char* end = nullptr;
    return push(float_value(mrb_, read_decimal(digits.view(), end)));
}
errc builder::time(const instant&) { return ctx_.fail(errc::unsupported, failure::nowhere, "a moment in a format without"); }
errc builder::ext(int, bytes) { return ctx_.fail(errc::unsupported, failure::nowhere, "an extension in a format without"); }

bool builder::all_differ(const mrb_value* pairs, std::uint32_t n) const noexcept {
    if (!keys_.exact()) return false;
    bool same = false;
    for (std::uint32_t i = 1; i < n; ++i)
        for (std::uint32_t k = 0; k < i; ++k) same |= pairs[2 * i].w == pairs[2 * k].w;
    return !same;
}

mrb_value builder::hash_of(const mrb_value* pairs, mrb_int n) {
    if (n <= small_hash && all_differ(pairs, static_cast<std::uint32_t>(n))) [[likely]] {
        RHash* const h = new_small_hash(mrb_, pairs, static_cast<std::uint32_t>(n));
        if (h != nullptr) [[likely]]
            return object_value(h);
    }
    return any_hash(mrb_, pairs, n);
}

errc builder::end() {
    mrb_value* const from = begin_ + open_;
    const std::uintptr_t mark = from->w;
    const auto n = static_cast<mrb_int>(at_ - from - 1);
    mrb_value made;
    if ((mark & 1) == 0) {
        made = new_array(mrb_, from + 1, n);
    } else {
        made = hash_of(from + 1, n / 2);
        if (o_.unique_keys && mrb_hash_size(mrb_, made) != n / 2)
            return ctx_.fail(errc::duplicate, failure::nowhere, "a key that this object has already");
    }
    if (o_.freeze) [[unlikely]]
        MRB_SET_FROZEN_FLAG(mrb_basic_ptr(made));
    at_ = from;
    open_ = static_cast<std::ptrdiff_t>(mark >> 1) - 1;
    return push(made);
}

}  // namespace kumihimo::inline v0::mruby
