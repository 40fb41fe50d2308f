#include "text.hpp"

#include <bit>

#ifdef HAVE_RB_EXT_RACTOR_SAFE
#include <ruby/ractor.h>
#endif

#include "module.hpp"

namespace kumihimo::inline v0::ruby {

namespace {

// Set once by init_text.
rb_encoding* utf8;
#ifdef HAVE_RB_EXT_RACTOR_SAFE
rb_ractor_local_key_t local_keys;

void mark_keys(void* keys) { static_cast<key_cache*>(keys)->mark(); }
const rb_ractor_local_storage_type keys_type = {mark_keys, ruby_xfree};
#else
// Before Ractors there is one lock for all Ruby code, and one cache.
key_cache* only_keys;

void mark_keys(void*) { only_keys->mark(); }
const rb_data_type_t keys_type = {"Kumihimo::Keys", {mark_keys, nullptr, nullptr, nullptr, {}}, nullptr, nullptr, 0};
#endif

key_cache* made_keys() {
    void* const memory = ruby_xmalloc(sizeof(key_cache));
    std::memset(memory, 0, sizeof(key_cache));
    return static_cast<key_cache*>(memory);
}

}  // namespace

void init_text() {
    utf8_index = rb_utf8_encindex();
    ascii_index = rb_usascii_encindex();
    binary_index = rb_ascii8bit_encindex();
    utf8 = rb_utf8_encoding();
#ifdef HAVE_RB_EXT_RACTOR_SAFE
    local_keys = rb_ractor_local_storage_ptr_newkey(&keys_type);
#else
    only_keys = made_keys();
    lasting(rb_data_typed_object_wrap(0, only_keys, &keys_type));
#endif
}

key_cache& key_cache::here() {
#ifdef HAVE_RB_EXT_RACTOR_SAFE
    void* keys = rb_ractor_local_storage_ptr(local_keys);
    if (keys == nullptr) [[unlikely]] {
        keys = made_keys();
        rb_ractor_local_storage_ptr_set(local_keys, keys);
    }
    return *static_cast<key_cache*>(keys);
#else
    return *only_keys;
#endif
}

void key_cache::mark() const {
    for (const slot& s : strings_)
        if (s.made != 0) rb_gc_mark(s.made);
    for (const slot& s : symbols_)
        if (s.made != 0) rb_gc_mark(s.made);
}

void key_cache::fill(slot& s, VALUE made, const char* p, std::size_t n) noexcept {
    s.made = made;
    s.size = static_cast<unsigned char>(n);
    std::memcpy(s.bytes, p, n);
}

VALUE key_cache::make_string(slot* s, const char* p, std::size_t n) {
    const VALUE made = interned_string(p, n);
    if (s != nullptr) fill(*s, made, p, n);
    return made;
}

VALUE key_cache::make_symbol(slot* s, const char* p, std::size_t n) {
    const VALUE made = rb_str_intern(utf8_string(p, n, RUBY_ENC_CODERANGE_UNKNOWN));
    if (s != nullptr) fill(*s, made, p, n);
    return made;
}

VALUE interned_string(const char* p, std::size_t n) {
#ifdef HAVE_RB_ENC_INTERNED_STR
    return rb_enc_interned_str(p, static_cast<long>(n), utf8);
#else
    return rb_funcall(rb_str_freeze(utf8_string(p, n, RUBY_ENC_CODERANGE_UNKNOWN)), rb_intern("-@"), 0);
#endif
}

VALUE converted_string(const text& t) {
    const bool wide = t.as == encoding::utf16;
    constexpr bool little = std::endian::native == std::endian::little;
    const VALUE from = rb_enc_from_encoding(rb_enc_find(!wide ? "ISO-8859-1" : little ? "UTF-16LE" : "UTF-16BE"));
    const VALUE raw = rb_str_new(static_cast<const char*>(t.data), static_cast<long>(wide ? t.size * 2 : t.size));
    return rb_str_encode(rb_enc_associate(raw, rb_to_encoding(from)), rb_enc_from_encoding(utf8), 0, Qnil);
}

VALUE key_of(const text& t) {
    if (t.as == encoding::ascii || t.as == encoding::utf8)
        return key_cache::here().string(static_cast<const char*>(t.data), t.size);
    VALUE s = converted_string(t);
    const VALUE made = interned_string(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
    RB_GC_GUARD(s);
    return made;
}

}  // namespace kumihimo::inline v0::ruby
