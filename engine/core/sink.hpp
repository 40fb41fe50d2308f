// The data model: fourteen verbs.
//
// A **sink** receives values; a **source** feeds a sink (core/source.hpp). Nothing else connects the parts of
// Kumihimo:
//
//                    of a format (bytes)              of a host (Python, Ruby, C++ values)
//      sink          writer: values become bytes      builder: values become host objects
//      source        reader: bytes become values      walker: host objects become values
//
//      encode   = walker -> writer        decode  = reader -> builder        convert = reader -> writer
//      validate = reader -> null sink     copy    = walker -> builder        test    = anything -> trace sink
//
// A format never names a host and a host never names a format, so N hosts and M formats are N + M parts.
//
// A document is one value. A value is one scalar verb, or a container:
//
//      array(count)  value...        end()
//      map(count)    (key value)...  end()
//
//      {"id": 7, "tags": ["a", null]}   arrives as   map(?)  key"id" i64 7  key"tags" array(?) str"a" null end  end
//
// The verbs. Each returns errc::ok, or the reason why it stopped; a source that gets another code unwinds and returns
// it.
//
//   null()           no value. Every format can say it.
//   boolean(bool)
//   i64(n)           an integer that fits 64 bits with sign; what a source calls whenever the value fits, also for 0 and up.
//   u64(n)           an integer from 2^63 to 2^64-1: the rest that 64 bits can hold.
//   f64(x)           a binary double. Never narrowed to a float32. NaN and infinities arrive too: a format that has none
//                    lowers them as its dialect says, or refuses.
//   big(text)        a number in its own decimal digits, JSON's number grammar, for what i64, u64 and f64 cannot hold (longer
//                    integers, 1e400), and for decimals where a reader's dialect or a host asks that their digits be kept.
//                    JSON writes the digits as they are; MessagePack has no such type: refused, or text where its dialect
//                    says so.
//   str(text)        Unicode text in the encoding it has (text.charset); the receiver converts, because hosts differ there.
//   bin(bytes)       bytes that are not text. MessagePack has them; JSON's dialect lowers them to base64 text or refuses.
//   time(instant)    a moment, with enough about its origin (see instant) to be printed as its host prints it.
//   ext(type, bytes) a typed extension of MessagePack; elsewhere lowered as the dialect says, or refused.
//   array(count)     opens an array; count may be unknown. Closed by end().
//   map(count)       opens a map of count pairs. Order is kept, duplicate keys are passed on: policy is the receiver's.
//   key(text)        the key of the next value, the usual case, kept fast.
//   key(next_value)  the same verb for keys that are not text (MessagePack, Python): the next *value* that arrives is the
//                    key and the one after it the value. A format that has only text keys lowers a scalar key, and
//                    refuses a container as key.
//   end()            closes the innermost open container.
//
// text, bytes and the arrays behind them belong to the source and live until the verb returns; a sink that keeps them
// copies. Text that arrives here may be wrong (a host can hold a broken string): the sink that first depends on it
// being right checks it. Readers check before they call.
//
// A sink may offer two refinements, found at compile time, which no source must use: the place of each verb
// (core/located.hpp), and, for a writer, bursts (core/burst.hpp): values written by a source that is right by
// construction without verbs. The bytes of a burst are those of the verbs, and limits and errors stay what they are.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/core/errc.hpp"

namespace kumihimo::inline v0 {

using bytes = std::span<const unsigned char>;

enum class encoding : std::uint8_t {
    ascii,   // every unit below 0x80, already known: nothing to check or convert
    latin1,  // one byte per code point, U+0000 to U+00FF
    utf8,    // UTF-8, not yet checked by whoever received it
    utf16,   // native-endian 16-bit units
};

/// Text and the encoding it is in. `size` counts units: bytes, or 16-bit units for utf16.
struct text {
    const void* data = nullptr;
    std::size_t size = 0;
    encoding charset = encoding::utf8;

    constexpr text() = default;
    constexpr text(const void* d, std::size_t n, encoding e) noexcept : data(d), size(n), charset(e) {}
    constexpr text(std::string_view s, encoding e = encoding::utf8) noexcept : data(s.data()), size(s.size()), charset(e) {}

    /// The units as bytes; not for utf16.
    std::string_view view() const noexcept { return {static_cast<const char*>(data), size}; }
};

/// How many values (array) or pairs (map) follow, when the source knows.
struct count {
    static constexpr std::int64_t unknown = -1;
    std::int64_t n = unknown;
    constexpr bool known() const noexcept { return n >= 0; }
};

/// The argument of key() that says: the next value is the key.
struct next_value {};

/// A moment, and what kind of clock told it. Hosts print the same moment differently by its class (Ruby: Z, +00:00,
/// +09:00).
struct instant {
    enum class kind : std::uint8_t {
        utc,     // printed with Z
        offset,  // a fixed offset from UTC, printed as +09:00
        local,   // the process's own zone; offset holds what it was at that moment
        date,    // a calendar day without a time; seconds is its midnight in UTC
        naive,   // a wall-clock reading without a zone; seconds counts as if it were UTC
    };
    std::int64_t seconds = 0;       // since 1970-01-01T00:00:00Z; a day has 86400
    std::uint32_t nanoseconds = 0;  // 0 to 999,999,999, added to seconds
    std::int32_t offset = 0;        // seconds east of UTC; 0 for utc, date and naive
    kind clock = kind::utc;

    friend constexpr bool operator==(const instant&, const instant&) = default;
};

template <class K>
concept sink = requires(K k, text t, bytes b, instant i, count c) {
    { k.null() } -> std::same_as<errc>;
    { k.boolean(true) } -> std::same_as<errc>;
    { k.i64(std::int64_t{}) } -> std::same_as<errc>;
    { k.u64(std::uint64_t{}) } -> std::same_as<errc>;
    { k.f64(double{}) } -> std::same_as<errc>;
    { k.big(t) } -> std::same_as<errc>;
    { k.str(t) } -> std::same_as<errc>;
    { k.bin(b) } -> std::same_as<errc>;
    { k.time(i) } -> std::same_as<errc>;
    { k.ext(int{}, b) } -> std::same_as<errc>;
    { k.array(c) } -> std::same_as<errc>;
    { k.map(c) } -> std::same_as<errc>;
    { k.key(t) } -> std::same_as<errc>;
    { k.key(next_value{}) } -> std::same_as<errc>;
    { k.end() } -> std::same_as<errc>;
};

/// A sink of a format: finish() closes the document and gives its bytes, which live as long as the writer's buffer.
template <class W>
concept writer = sink<W> && requires(W w, bytes& out) {
    typename W::dialect;
    { w.finish(out) } -> std::same_as<errc>;
};

/// A sink of a host: take() gives the finished host object.
template <class B>
concept builder = sink<B> && requires(B b) {
    typename B::value;
    { b.take() } -> std::same_as<typename B::value>;
};

}  // namespace kumihimo::inline v0
