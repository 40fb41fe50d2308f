// Ruby String <-> text, and the cache of keys.
//
// A String carries its encoding and, once somebody asked, its code range: 7bit (ASCII only), valid or broken. A 7bit or valid
// UTF-8 string needs no second look; UTF-16, Shift_JIS and the rest are converted by Ruby's own transcoder, as stock does.
#pragma once
#include <cstdint>
#include <cstring>

#include "engine/core/sink.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::ruby {

// ---- String -> text

// Set once by init_text.
inline int utf8_index, ascii_index, binary_index;
void init_text();

/// Whether the string's bytes are UTF-8 that is known to be right (or ASCII): then they may be written as they are. Looks at
/// the code range, which Ruby works out once per string and remembers.
[[gnu::always_inline]] inline bool is_valid_utf8(VALUE string) noexcept {
    const int index = RB_ENCODING_GET_INLINED(string);
    if (index != utf8_index && index != ascii_index) [[unlikely]]
        return false;
    int range = RB_ENC_CODERANGE(string);
    if (range == RUBY_ENC_CODERANGE_UNKNOWN) range = rb_enc_str_coderange(string);
    return range == RUBY_ENC_CODERANGE_7BIT || range == RUBY_ENC_CODERANGE_VALID;
}

// ---- text -> String

/// A new String in UTF-8, its code range set. `t` is valid.
VALUE string_of(const text& t);

/// A frozen, interned String for a key, out of a cache that belongs to the running Ractor: a thousand records with the same
/// eight keys make eight strings.
VALUE key_of(const text& t);

}  // namespace kumihimo::inline v0::ruby
