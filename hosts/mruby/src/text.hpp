// mruby String <-> text. A String is bytes; as text it must be valid UTF-8.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/scalar/utf8.hpp"
#include "engine/simd/dispatch.hpp"
#include "engine/simd/lanes.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

/// Whether all bytes are ASCII.
[[gnu::always_inline]] inline bool is_ascii(const char* s, std::size_t n) noexcept {
    using simd::lanes;
    if (n < lanes::width) return n == 0 || (simd::load_part(s, n).high().bits() & lanes::under(n)) == 0;
    lanes all = lanes::load(s + n - lanes::width).high();
    for (std::size_t i = 0; i + lanes::width < n; i += lanes::width) all = all | lanes::load(s + i).high();
    return all.bits() == 0;
}

/// Whether text that is not ASCII is UTF-8. Short text is not worth a call through the table of kernels.
[[gnu::noinline]] inline bool is_utf8_beyond_ascii(const char* s, std::size_t n) noexcept {
    if (n <= 64) return scalar::utf8_valid_prefix(s, n) == n;
    return simd::active().utf8(s, n);
}

[[gnu::always_inline]] inline bool is_utf8(const char* s, std::size_t n) noexcept {
    return is_ascii(s, n) || is_utf8_beyond_ascii(s, n);
}

/// The bytes of a String, wherever they lie.
struct string_view_of {
    const char* data;
    std::size_t size;
    explicit string_view_of(const RString* s) noexcept : data(RSTR_PTR(s)), size(static_cast<std::size_t>(RSTR_LEN(s))) {}
    explicit string_view_of(mrb_value v) noexcept : string_view_of(mrb_str_ptr(v)) {}
    std::string_view all() const noexcept { return {data, size}; }
};

}  // namespace kumihimo::inline v0::mruby
