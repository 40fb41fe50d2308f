// The questions that MessagePack leaves open, as data: what a reader grants, and how a writer lowers what the format
// cannot say. The usual answers are named constants; a host whose own library takes options one by one fills the
// fields from them.
#pragma once
#include <cstdint>

namespace kumihimo::inline v0::msgpack {

/// A str that is not UTF-8, which older writers produced for bytes of any kind, or a host's broken text.
enum class invalid_text : std::uint8_t {
    refuse,  // errc::encoding
    bin,     // goes on as bin, nothing lost
    keep,    // stays a str; its receiver must take bytes that are no text (it says utf8, which is not checked)
};

// ---------------------------------------------------------------------------------------------------------------- reading

/// What a reader grants.
struct read_dialect {
    invalid_text invalid = invalid_text::refuse;

    bool operator==(const read_dialect&) const = default;
};

/// Whether text may arrive that is marked utf8 and is not valid UTF-8: who receives it must check it, or be able to
/// take it.
constexpr bool lets_any_text(const read_dialect& d) noexcept { return d.invalid == invalid_text::keep; }

inline constexpr read_dialect standard_read{};
/// What Ruby's msgpack gem takes: a str is whatever it is.
inline constexpr read_dialect ruby_read{.invalid = invalid_text::keep};
/// Documents by writers from before the bin type: a str that is not text arrives as bytes.
inline constexpr read_dialect raw_read{.invalid = invalid_text::bin};

// ---------------------------------------------------------------------------------------------------------------- writing

/// Numbers that arrive as their own digits, which no MessagePack type holds.
enum class big_number : std::uint8_t {
    refuse,  // errc::unsupported
    text,    // the digits as a str
};

/// Moments with an offset from UTC (kinds offset and local); MessagePack's timestamp knows UTC only.
enum class zoned_time : std::uint8_t {
    timestamp,  // the moment as a timestamp; the offset is lost
    text,       // RFC 3339 with the offset, as a str
    refuse,
};

/// Dates and wall-clock readings, which are no moments at all (kinds date and naive).
enum class unzoned_time : std::uint8_t {
    text,  // "2016-12-25", "2016-12-25T01:53:10.602955", as a str
    refuse,
};

/// How a writer spells MessagePack. Every value takes its smallest encoding, but a double stays a double.
struct dialect {
    big_number big = big_number::refuse;
    zoned_time zoned = zoned_time::timestamp;
    unzoned_time unzoned = unzoned_time::text;
    invalid_text invalid = invalid_text::refuse;
};

inline constexpr dialect standard{};
/// Whatever would change on the way is refused.
inline constexpr dialect exact{.zoned = zoned_time::refuse, .unzoned = unzoned_time::refuse};
/// Numbers that no type holds are kept, as text.
inline constexpr dialect big_text{.big = big_number::text};
/// Offsets are kept, as text.
inline constexpr dialect time_text{.zoned = zoned_time::text};
/// Never fails on text or on a number: text that is not Unicode goes out as bin, a number that no type holds as text.
inline constexpr dialect lenient{.big = big_number::text, .invalid = invalid_text::bin};
/// As Ruby's msgpack gem: a String that says UTF-8 goes out as str, whatever its bytes are.
inline constexpr dialect ruby{.invalid = invalid_text::keep};

}  // namespace kumihimo::inline v0::msgpack
