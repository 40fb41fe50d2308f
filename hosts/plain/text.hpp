// The engine's text as a plain::string: UTF-8. What arrives in another encoding is converted, once.
#pragma once
#include <string>

#include "engine/core/sink.hpp"
#include "engine/scalar/utf8.hpp"
#include "hosts/plain/string.hpp"

namespace kumihimo::inline v0::plain {

/// errc::encoding where the text is not valid in its own encoding. Throws std::bad_alloc.
inline errc to_string(text t, string& out) {
    const char* const s = static_cast<const char*>(t.data);
    if (t.charset == encoding::ascii) {
        out = string({s, t.size}, string::content::ascii);
        return errc::ok;
    }
    if (t.charset == encoding::utf8) {
        out = string({s, t.size});
        return out.valid() ? errc::ok : errc::encoding;
    }
    std::string utf8;
    if (t.charset == encoding::utf16) {
        utf8.resize(scalar::utf8_bound_of_utf16(t.size));
        std::size_t n = 0;
        KUMIHIMO_TRY(scalar::utf16_to_utf8(static_cast<const char16_t*>(t.data), t.size, utf8.data(), n));
        utf8.resize(n);
    } else {
        utf8.resize(scalar::utf8_size_of_latin1(s, t.size));
        scalar::latin1_to_utf8(s, t.size, utf8.data());
    }
    out = string(utf8);
    return errc::ok;
}

}  // namespace kumihimo::inline v0::plain
