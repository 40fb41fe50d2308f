// Text of Latin-1 or UTF-16 as UTF-8, behind the header of a binary format, which tells how long it is.
#pragma once
#include <cstddef>

#include "engine/core/sink.hpp"
#include "engine/scalar/utf8.hpp"

namespace kumihimo::inline v0::scalar {

/// The bytes of `t`, which is Latin-1 or UTF-16, in UTF-8; of half a surrogate pair as WTF-8 has it.
[[gnu::always_inline]] inline std::size_t utf8_size_of(text t) noexcept {
    return t.charset == encoding::latin1 ? utf8_size_of_latin1(static_cast<const char*>(t.data), t.size)
                                         : utf8_size_of_utf16(static_cast<const char16_t*>(t.data), t.size);
}

/// Writes the text to `behind`, where its header ends; done(end) follows. Half a surrogate pair is in no UTF-8: then
/// other() gives the end of another header, WTF-8's, or nullptr, where it has refused the text.
template <class Done, class Other>
[[gnu::always_inline]] inline void put_converted(text t, char* behind, const Done& done, const Other& other) noexcept {
    if (t.charset == encoding::latin1) return done(latin1_to_utf8(static_cast<const char*>(t.data), t.size, behind));
    const auto* const wide = static_cast<const char16_t*>(t.data);
    std::size_t written = 0;
    if (utf16_to_utf8(wide, t.size, behind, written) == errc::ok) return done(behind + written);
    if (char* const instead = other()) done(utf16_to_wtf8(wide, t.size, instead));
}

}  // namespace kumihimo::inline v0::scalar
