// The questions that CBOR leaves open, as data: what a reader grants or insists on, and how a writer spells and
// lowers. The usual answers are named constants; a host whose own library takes options one by one fills the fields
// from them.
#pragma once
#include <cstdint>

namespace kumihimo::inline v0::cbor {

/// Text that is not UTF-8, or a host's broken text.
enum class invalid_text : std::uint8_t {
    refuse,  // errc::encoding
    bin,     // goes on as bin, nothing lost
    keep,    // stays text; its receiver must take bytes that are no text (it says utf8, which is not checked)
};

// ---------------------------------------------------------------------------------------------------------------- reading

/// A tag that the reader gives no meaning.
enum class unknown_tag : std::uint8_t {
    ext,   // tag and content arrive as ext 24: the encoded bytes, as they stood
    drop,  // the content arrives as if the tag were not there
    refuse,
};

/// The simple value undefined.
enum class undefined_value : std::uint8_t {
    null,
    ext,  // as ext 24, as simple values without a meaning always do
    refuse,
};

/// Tag 24: a byte string that holds an encoded item.
enum class embedded_item : std::uint8_t {
    ext,   // as a tag without a meaning
    open,  // the item inside arrives in its place
};

/// Keys that come twice in one map, equal as values, whatever their encodings.
enum class key_twice : std::uint8_t {
    keep,  // both are passed on
    last,  // only the last one and its value
    error,
};

/// Which encodings of a value are taken.
enum class insist_on : std::uint8_t {
    anything,       // every well-formed one
    preferred,      // RFC 8949 4.1: the shortest integers, lengths, floats and bignums
    deterministic,  // 4.2.1: that, no indefinite lengths, keys ascending as bytes, none twice
};

/// What a reader grants. `duplicates` and `insist` other than the default cost a pass over the document before the
/// first verb.
struct read_dialect {
    invalid_text invalid = invalid_text::refuse;
    unknown_tag tags = unknown_tag::ext;
    undefined_value undefined = undefined_value::null;
    embedded_item embedded = embedded_item::ext;
    key_twice duplicates = key_twice::keep;
    insist_on insist = insist_on::anything;

    bool operator==(const read_dialect&) const = default;
};

/// Whether text may arrive that is marked utf8 and is not valid UTF-8: who receives it must check it, or be able to
/// take it.
constexpr bool lets_any_text(const read_dialect& d) noexcept { return d.invalid == invalid_text::keep; }

inline constexpr read_dialect standard_read{};
/// Nothing is lost on the way to a writer of CBOR: undefined stays what it is.
inline constexpr read_dialect exact_read{.undefined = undefined_value::ext};
/// Values without what their writer said about them: unknown tags are dropped, embedded items opened.
inline constexpr read_dialect plain_read{.tags = unknown_tag::drop, .embedded = embedded_item::open};
inline constexpr read_dialect unique_keys{.duplicates = key_twice::error};
inline constexpr read_dialect last_key{.duplicates = key_twice::last};
/// Refuses what another implementation of preferred serialization would have written otherwise.
inline constexpr read_dialect preferred_read{.insist = insist_on::preferred};
inline constexpr read_dialect deterministic_read{.insist = insist_on::deterministic};
/// Documents of writers that put bytes of any kind into text strings: such text arrives as bin.
inline constexpr read_dialect raw_read{.invalid = invalid_text::bin};
/// The same for receivers whose text may hold any bytes.
inline constexpr read_dialect any_text_read{.invalid = invalid_text::keep};

// ---------------------------------------------------------------------------------------------------------------- writing

/// Numbers that arrive as their own digits.
enum class big_number : std::uint8_t {
    number,  // an integer, a bignum (tags 2, 3) or a decimal fraction (tag 4)
    text,    // the digits as text
    refuse,  // errc::unsupported
};

enum class float_width : std::uint8_t {
    shortest,  // of 16, 32 and 64 bits, whichever keeps the value; every NaN is f97e00
    doubles,   // always 64 bits, a NaN's own bits too
};

/// Moments and days.
enum class clock : std::uint8_t {
    epoch,  // tag 1 where a number says it exactly, else as text; days as tag 100
    text,   // tag 0, days as tag 1004
};

/// Moments with an offset from UTC (kinds offset and local).
enum class zoned_time : std::uint8_t {
    text,    // tag 0, with the offset
    moment,  // as the same moment in UTC; the offset is lost
    refuse,
};

/// Wall-clock readings, which are no moments (kind naive).
enum class naive_time : std::uint8_t {
    text,  // "2016-12-25T01:53:10.602955", as text without a tag
    refuse,
};

/// Containers whose count is not known when they open.
enum class late_count : std::uint8_t {
    filled_in,   // a definite length, filled in at the end
    indefinite,  // ended by a break
};

enum class key_order : std::uint8_t {
    as_given,
    bytewise,      // RFC 8949 4.2.1; a key twice is refused
    length_first,  // RFC 8949 4.2.3, RFC 7049's canonical CBOR; a key twice is refused
};

/// How a writer spells CBOR. Integers and lengths always take their shortest form.
struct dialect {
    big_number big = big_number::number;
    float_width floats = float_width::shortest;
    clock moments = clock::epoch;
    zoned_time zoned = zoned_time::text;
    naive_time naive = naive_time::text;
    late_count counts = late_count::filled_in;
    key_order keys = key_order::as_given;
    invalid_text invalid = invalid_text::refuse;

    constexpr bool sorts() const noexcept { return keys != key_order::as_given; }
};

/// RFC 8949 4.1.
inline constexpr dialect preferred{};
/// RFC 8949 4.2.1: the same bytes for the same values, whoever writes them.
inline constexpr dialect deterministic{.keys = key_order::bytewise};
/// What RFC 7049 called canonical, and older implementations still write.
inline constexpr dialect canonical{.keys = key_order::length_first};
/// Whatever would change on the way is refused.
inline constexpr dialect exact{.naive = naive_time::refuse};
/// Doubles stay doubles.
inline constexpr dialect doubles{.floats = float_width::doubles};
/// Moments and days as text that people read.
inline constexpr dialect time_text{.moments = clock::text};
/// Moments are numbers wherever possible; their offsets are lost.
inline constexpr dialect moments{.zoned = zoned_time::moment};
/// Nothing is filled in afterwards: what was written may be sent.
inline constexpr dialect streaming{.counts = late_count::indefinite};
/// For receivers without tags 2 to 4.
inline constexpr dialect big_text{.big = big_number::text};
/// Never fails on text: what is not Unicode goes out as bytes.
inline constexpr dialect lenient{.invalid = invalid_text::bin};
/// As hosts whose text may hold any bytes.
inline constexpr dialect any_text{.invalid = invalid_text::keep};

}  // namespace kumihimo::inline v0::cbor
