#include "text.hpp"

#include <ruby/ractor.h>

#include <bit>
#include <new>

#include "module.hpp"

namespace kumihimo::inline v0::ruby {

namespace {

// Set once by init_text.
rb_encoding* utf8;
rb_ractor_local_key_t local_keys;

// The cache wants whole cache lines; ruby_xmalloc gives memory for less.
constexpr std::size_t line = 64;
key_cache* aligned(void* memory) noexcept {
    return reinterpret_cast<key_cache*>((reinterpret_cast<std::uintptr_t>(memory) + line - 1) & ~(line - 1));
}

void mark_keys(void* memory) { aligned(memory)->mark(); }
const rb_ractor_local_storage_type keys_type = {mark_keys, ruby_xfree};

}  // namespace

void init_text() {
    utf8_index = rb_utf8_encindex();
    ascii_index = rb_usascii_encindex();
    binary_index = rb_ascii8bit_encindex();
    utf8 = rb_utf8_encoding();
    local_keys = rb_ractor_local_storage_ptr_newkey(&keys_type);
}

key_cache& key_cache::here() {
    void* keys = rb_ractor_local_storage_ptr(local_keys);
    if (keys == nullptr) [[unlikely]] {
        keys = ruby_xmalloc(sizeof(key_cache) + line);
        new (aligned(keys)) key_cache;
        rb_ractor_local_storage_ptr_set(local_keys, keys);
    }
    return *aligned(keys);
}

void key_cache::mark() const {
    strings_.mark();
    symbols_.mark();
}

void key_cache::table::mark() const {
    if (!used) return;
    for (const slot& s : slots)
        if (s.made != 0) rb_gc_mark(s.made);
}

VALUE key_cache::look_up(table& in, const char* p, std::size_t n, make maker) {
    if (n > table::longest || n == 0) return maker(p, n);
    auto* const s = in.place(p, n);
    if (!s->is(p, n)) {
        s->made = maker(p, n);
        s->take(p, n);
        in.used = true;
    }
    in.came(s);
    return s->made;
}

VALUE key_cache::make_string(const char* p, std::size_t n) { return interned_string(p, n); }

VALUE key_cache::make_symbol(const char* p, std::size_t n) {
    return rb_str_intern(utf8_string(p, n, RUBY_ENC_CODERANGE_UNKNOWN));
}

VALUE interned_string(const char* p, std::size_t n) { return rb_enc_interned_str(p, static_cast<long>(n), utf8); }

VALUE converted_string(const text& t) {
    const bool wide = t.charset == encoding::utf16;
    constexpr bool little = std::endian::native == std::endian::little;
    const VALUE from = rb_enc_from_encoding(rb_enc_find(!wide ? "ISO-8859-1" : little ? "UTF-16LE" : "UTF-16BE"));
    const VALUE raw = rb_str_new(static_cast<const char*>(t.data), static_cast<long>(wide ? t.size * 2 : t.size));
    return rb_str_encode(rb_enc_associate(raw, rb_to_encoding(from)), rb_enc_from_encoding(utf8), 0, Qnil);
}

VALUE key_of(const text& t) {
    if (t.charset == encoding::ascii || t.charset == encoding::utf8)
        return key_cache::here().string(static_cast<const char*>(t.data), t.size);
    VALUE s = converted_string(t);
    const VALUE made = interned_string(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
    RB_GC_GUARD(s);
    return made;
}

}  // namespace kumihimo::inline v0::ruby
