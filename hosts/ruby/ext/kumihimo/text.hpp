// Ruby String <-> text, and the cache of keys.
//
// A String carries its encoding and, once somebody asked, its code range: 7bit (ASCII only), valid or broken. A 7bit or valid
// UTF-8 string needs no second look; UTF-16, Shift_JIS and the rest are converted by Ruby's own transcoder, as stock does.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/core/sink.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::ruby {

// ---- String -> text

// Set once by init_text.
inline int utf8_index, ascii_index, binary_index;
void init_text();

/// Whether the string's bytes are UTF-8 that is known to be right: valid UTF-8, or ASCII in whatever encoding. Then they may be
/// written as they are. Looks at the code range, which Ruby works out once per string and remembers.
[[gnu::always_inline]] inline bool is_valid_utf8(VALUE string) noexcept {
    int range = RB_ENC_CODERANGE(string);
    if (range == RUBY_ENC_CODERANGE_UNKNOWN) range = rb_enc_str_coderange(string);
    if (range == RUBY_ENC_CODERANGE_7BIT) return true;
    return range == RUBY_ENC_CODERANGE_VALID && RB_ENCODING_GET_INLINED(string) == utf8_index;
}

// ---- text -> String

/// A new String of n bytes that are UTF-8, with the code range that the caller knows. One store sets both; Ruby's own way there
/// (rb_utf8_str_new) looks the encoding up and checks what cannot be.
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
    if (t.as == encoding::ascii) [[likely]]
        return utf8_string(static_cast<const char*>(t.data), t.size, RUBY_ENC_CODERANGE_7BIT);
    if (t.as == encoding::utf8) return utf8_string(static_cast<const char*>(t.data), t.size, RUBY_ENC_CODERANGE_VALID);
    return converted_string(t);
}

/// A frozen, interned String in UTF-8: one object per content in the whole process. The bytes may be anything.
VALUE interned_string(const char* p, std::size_t n);

/// The keys seen lately, so that a thousand records with the same eight keys look eight strings up in Ruby's table of interned
/// strings. Direct-mapped; a collision replaces. One per Ractor, which marks it: the strings stay where they are.
///
/// A slot has the key's bytes beside the object, so that a hit touches one cache line and not the string. It also knows which
/// key came next the last time: in records of one shape that is the next key again, found without a hash.
class key_cache {
public:
    /// The running Ractor's.
    static key_cache& here();

    [[gnu::always_inline]] VALUE string(const char* p, std::size_t n) { return strings_.get(p, n, make_string); }
    [[gnu::always_inline]] VALUE symbol(const char* p, std::size_t n) { return symbols_.get(p, n, make_symbol); }

    void mark() const;

private:
    static constexpr std::size_t longest = 53;
    static constexpr unsigned bits = 10;
    struct alignas(64) slot {
        VALUE made = 0;
        std::uint16_t next = 0;
        unsigned char size = 0;
        char bytes[longest];
    };
    static_assert(sizeof(slot) == 64);

    struct table {
        template <class Make>
        [[gnu::always_inline]] VALUE get(const char* p, std::size_t n, Make make) {
            slot& guess = slots[last->next];
            if (guess.size == n && n != 0 && same(guess.bytes, p, n)) [[likely]] {
                last = &guess;
                return guess.made;
            }
            return look_up(*this, p, n, make);
        }
        void mark() const;

        slot slots[std::size_t{1} << bits];
        slot* last = slots;
        bool used = false;
    };

    [[gnu::noinline]] static VALUE look_up(table& in, const char* p, std::size_t n, VALUE (*make)(const char*, std::size_t));
    static VALUE make_string(const char* p, std::size_t n);
    static VALUE make_symbol(const char* p, std::size_t n);

    static std::uint64_t load8(const char* p) noexcept {
        std::uint64_t v;
        std::memcpy(&v, p, 8);
        return v;
    }
    static std::uint32_t load4(const char* p) noexcept {
        std::uint32_t v;
        std::memcpy(&v, p, 4);
        return v;
    }
    static std::size_t place_of(const char* p, std::size_t n) noexcept {
        std::uint64_t a, b;
        if (n >= 8) {
            a = load8(p);
            b = load8(p + n - 8);
            if (n > 16) a ^= load8(p + n / 2 - 4) * 0x9E3779B97F4A7C15u;
        } else if (n >= 4) {
            a = load4(p);
            b = load4(p + n - 4);
        } else {
            a = static_cast<unsigned char>(p[0]) | static_cast<std::uint64_t>(static_cast<unsigned char>(p[n - 1])) << 8;
            b = static_cast<unsigned char>(p[n / 2]);
        }
        const std::uint64_t h = (a ^ (b << 23 | b >> 41) ^ n) * 0xD6E8FEB86659FD93u;
        return static_cast<std::size_t>((h ^ h >> 29) * 0xBF58476D1CE4E5B9u >> (64 - bits));
    }
    [[gnu::always_inline]] static bool same(const char* a, const char* b, std::size_t n) noexcept {
        if (n >= 8) {
            if (load8(a + n - 8) != load8(b + n - 8)) return false;
            for (std::size_t i = 0; i + 8 < n; i += 8)
                if (load8(a + i) != load8(b + i)) return false;
            return true;
        }
        if (n >= 4) return load4(a) == load4(b) && load4(a + n - 4) == load4(b + n - 4);
        return a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1];
    }

    table strings_;
    table symbols_;
};

/// A frozen, interned String for a key, out of the running Ractor's cache. Looking the cache up costs 20 ns: who makes many
/// keys keeps key_cache::here() for the time of one call.
VALUE key_of(const text& t);

}  // namespace kumihimo::inline v0::ruby
