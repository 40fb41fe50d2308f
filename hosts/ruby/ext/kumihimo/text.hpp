// Ruby String <-> text, and the cache of keys.
//
// A String carries its encoding and, once somebody asked, its code range: 7bit (ASCII only), valid or broken. A 7bit
// or valid UTF-8 string needs no second look; UTF-16, Shift_JIS and the rest are converted by Ruby's own transcoder,
// as stock does.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/core/key_table.hpp"
#include "engine/core/sink.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::ruby {

// ---- String -> text

// Set once by init_text.
inline int utf8_index, ascii_index, binary_index;
void init_text();

/// Whether the string's bytes are UTF-8 that is known to be right: valid UTF-8, or ASCII in whatever encoding. Then
/// they may be written as they are. Looks at the code range, which Ruby works out once per string and remembers.
[[gnu::always_inline]] inline bool is_valid_utf8(VALUE string) noexcept {
    int range = RB_ENC_CODERANGE(string);
    if (range == RUBY_ENC_CODERANGE_UNKNOWN) range = rb_enc_str_coderange(string);
    if (range == RUBY_ENC_CODERANGE_7BIT) return true;
    return range == RUBY_ENC_CODERANGE_VALID && RB_ENCODING_GET_INLINED(string) == utf8_index;
}

// ---- text -> String

/// A new String of n bytes that are UTF-8, with the code range that the caller knows. One store sets both; Ruby's own
/// way there (rb_utf8_str_new) looks the encoding up and checks what cannot be.
[[gnu::always_inline]] inline VALUE utf8_string(const char* p, std::size_t n, VALUE range) {
    const VALUE made = rb_str_new(p, static_cast<long>(n));
    constexpr VALUE mask = VALUE{RUBY_ENCODING_MASK} | VALUE{RUBY_ENC_CODERANGE_MASK};
    RBASIC(made)->flags = (RBASIC(made)->flags & ~mask) | static_cast<VALUE>(utf8_index) << RUBY_ENCODING_SHIFT | range;
    return made;
}

/// A new String of latin1 or utf16 text.
[[gnu::cold]] VALUE converted_string(const text& t);

/// A new String in UTF-8, its code range set. `t` is valid.
[[gnu::always_inline]] inline VALUE string_of(const text& t) {
    if (t.charset == encoding::ascii) [[likely]]
        return utf8_string(static_cast<const char*>(t.data), t.size, RUBY_ENC_CODERANGE_7BIT);
    if (t.charset == encoding::utf8) return utf8_string(static_cast<const char*>(t.data), t.size, RUBY_ENC_CODERANGE_VALID);
    return converted_string(t);
}

/// A frozen, interned String in UTF-8: one object per content in the whole process. The bytes may be anything.
VALUE interned_string(const char* p, std::size_t n);

/// The keys seen lately (engine/core/key_table.hpp). One per Ractor, which marks it: the strings stay where they are.
class key_cache {
public:
    /// The running Ractor's.
    static key_cache& here();

    [[gnu::always_inline]] VALUE string(const char* p, std::size_t n) { return get(strings_, p, n, make_string); }
    [[gnu::always_inline]] VALUE symbol(const char* p, std::size_t n) { return get(symbols_, p, n, make_symbol); }

    void mark() const;

private:
    struct table : key_table<VALUE, 10, 53> {
        bool used = false;
        void mark() const;
    };
    using make = VALUE (*)(const char*, std::size_t);

    [[gnu::always_inline]] static VALUE get(table& in, const char* p, std::size_t n, make maker) {
        if (const auto* const s = in.guess(p, n); s != nullptr) [[likely]]
            return s->made;
        return look_up(in, p, n, maker);
    }
    [[gnu::noinline]] static VALUE look_up(table& in, const char* p, std::size_t n, make maker);
    static VALUE make_string(const char* p, std::size_t n);
    static VALUE make_symbol(const char* p, std::size_t n);

    table strings_;
    table symbols_;
};

/// A frozen, interned String for a key, out of the running Ractor's cache. Looking the cache up costs 20 ns: who makes
/// many keys keeps key_cache::here() for the time of one call.
VALUE key_of(const text& t);

}  // namespace kumihimo::inline v0::ruby
