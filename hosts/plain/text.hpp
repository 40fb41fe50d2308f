// std::string and the engine's text. A std::string is UTF-8 here; what arrives in another encoding is converted, once.
#pragma once
#include <string>

#include "engine/core/sink.hpp"
#include "engine/scalar/utf8.hpp"

namespace kumihimo::inline v0::plain {

inline text as_text(const std::string& s) noexcept { return {s.data(), s.size(), encoding::utf8}; }

/// Text as UTF-8; errc::encoding where it is not valid in its own encoding. Throws std::bad_alloc.
inline errc to_string(text t, std::string& out) {
    const char* const s = static_cast<const char*>(t.data);
    if (t.as == encoding::utf16) {
        out.resize(scalar::utf8_bound_of_utf16(t.size));
        std::size_t n = 0;
        const errc code = scalar::utf16_to_utf8(static_cast<const char16_t*>(t.data), t.size, out.data(), n);
        out.resize(n);
        return code;
    }
    if (t.as == encoding::latin1) {
        out.resize(scalar::utf8_size_of_latin1(s, t.size));
        scalar::latin1_to_utf8(s, t.size, out.data());
        return errc::ok;
    }
    if (t.as == encoding::utf8 && scalar::utf8_valid_prefix(s, t.size) != t.size) return errc::encoding;
    out.assign(s, t.size);
    return errc::ok;
}

}  // namespace kumihimo::inline v0::plain
