// Integers to decimal text and back. Every width exact; overflow is reported, never wrapped.
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace kumihimo::inline v0::scalar {

/// Room that write_u64 and write_i64 ask for; they may scribble over all of it.
inline constexpr std::size_t integer_room = 24;

/// Writes n in decimal and returns the end. `to` has integer_room bytes.
inline char* write_u64(char* to, std::uint64_t n) noexcept { return std::to_chars(to, to + 24, n).ptr; }

/// Writes n in decimal, with a minus where it is negative, and returns the end. `to` has integer_room bytes.
inline char* write_i64(char* to, std::int64_t n) noexcept { return std::to_chars(to, to + 24, n).ptr; }

/// Reads the whole of [b, e) as decimal digits, leading zeros allowed. False: empty, another character, or above 2^64-1.
inline bool read_u64(const char* b, const char* e, std::uint64_t& out) noexcept {
    const auto r = std::from_chars(b, e, out);
    return r.ec == std::errc{} && r.ptr == e;
}

/// The same with an optional minus. False also below -2^63 or above 2^63-1.
inline bool read_i64(const char* b, const char* e, std::int64_t& out) noexcept {
    const auto r = std::from_chars(b, e, out);
    return r.ec == std::errc{} && r.ptr == e;
}

}  // namespace kumihimo::inline v0::scalar
