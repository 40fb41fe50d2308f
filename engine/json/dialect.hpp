// The questions that JSON leaves open, as data: what a reader grants beyond RFC 8259, and how a writer spells what it
// is given. The usual answers are named constants; a host whose own library takes options one by one fills the fields
// from them.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/scalar/float_write.hpp"
#include "engine/scalar/time_text.hpp"

namespace kumihimo::inline v0::json {

// ---------------------------------------------------------------------------------------------------------------- reading

/// What happens when an object holds a key twice.
enum class duplicate_keys : std::uint8_t {
    keep,   // every pair is passed on in order; the sink decides (a map in memory keeps the last)
    last,   // only the last pair of a key is passed on, at its own place; costs a pass over the document first
    error,  // errc::duplicate at the second key; costs the same pass
};

/// What happens to an escape for half a surrogate pair, such as \ud800 alone.
enum class lone_surrogates : std::uint8_t {
    refuse,   // errc::encoding
    replace,  // becomes U+FFFD
    keep,     // the string arrives as utf16 text, the only encoding that can say it
    low,      // half a pair from U+DC00 on arrives as the three bytes that UTF-8 would give it; from U+D800 on it is refused
    greedy,   // like low, but a half from U+D800 on takes what follows for its other half: any \uXXXX; before six or more other
              // bytes it becomes '?' and swallows the first of them
};

/// What happens to a number with a fraction or an exponent that is beyond the largest double, such as 1e400.
enum class overflow : std::uint8_t {
    digits,  // arrives through big(), digits untouched
    refuse,  // errc::range: what the receiver has for such numbers is a double
};

/// Where a comment of two slashes ends, and whether the document may end in it.
enum class line_comments : std::uint8_t {
    any_break,  // at a line feed or a carriage return, or with the document
    line_feed,  // at a line feed, or with the document
    closed,     // at a line feed, which must come
};

/// What a reader grants beyond RFC 8259. The default grants nothing.
struct read_dialect {
    bool non_finite = false;          // the literals NaN, Infinity and -Infinity
    bool comments = false;            // // to the end of the line, and /* ... */
    bool trailing_commas = false;     // [1,] and {"a":1,}
    bool byte_order_mark = false;     // EF BB BF before the document is skipped
    bool control_characters = false;  // bytes below 0x20 inside strings, unescaped
    bool decimal_digits = false;      // numbers with a fraction or an exponent arrive through big(), digits untouched
    bool integer_zero = false;        // -0 arrives as the integer 0 instead of the double -0.0
    bool unknown_escapes = false;     // a backslash before another character than JSON's, as in "\q", is dropped
    bool any_bytes = false;           // strings and comments may hold what is not UTF-8: such text arrives as utf8, unchecked
    bool flat_empty = false;          // [] and {} do not count as a level of depth
    overflow overflows = overflow::digits;  // where decimal_digits are not asked for
    line_comments line_end = line_comments::any_break;
    lone_surrogates surrogates = lone_surrogates::refuse;
    duplicate_keys duplicates = duplicate_keys::keep;

    bool operator==(const read_dialect&) const = default;
};

/// Whether text may arrive that is marked utf8 and is not valid UTF-8: who receives it must check it, or be able to
/// take it.
constexpr bool lets_any_text(const read_dialect& d) noexcept { return d.any_bytes || d.surrogates == lone_surrogates::greedy; }

inline constexpr read_dialect rfc8259{};
/// RFC 8259, and a key may not come twice in one object (RFC 7493's rule).
inline constexpr read_dialect unique_keys{.duplicates = duplicate_keys::error};
/// RFC 8259, and every number with a fraction or an exponent is a double.
inline constexpr read_dialect doubles{.overflows = overflow::refuse};
/// RFC 8259 for hosts and formats that have integers and doubles: -0 is an integer, what is beyond the largest double
/// refused.
inline constexpr read_dialect integers_and_doubles{.integer_zero = true, .overflows = overflow::refuse};
/// RFC 8259 with decimals as their own digits: for money and other decimal types.
inline constexpr read_dialect exact_decimals{.decimal_digits = true};
/// What Python's json.loads takes by default.
inline constexpr read_dialect python_read{.non_finite = true, .integer_zero = true, .surrogates = lone_surrogates::keep};
/// What Ruby's JSON.parse takes by default, as of json 2.17: comments, and text that is not UTF-8. -0 is an integer
/// there.
inline constexpr read_dialect ruby_read{.comments = true,
                                        .integer_zero = true,
                                        .any_bytes = true,
                                        .flat_empty = true,
                                        .line_end = line_comments::line_feed,
                                        .surrogates = lone_surrogates::low};
/// The same before json 2.10, whose strings are laxer still and whose line comments must have their line feed.
inline constexpr read_dialect old_ruby_read{.comments = true,
                                            .integer_zero = true,
                                            .unknown_escapes = true,
                                            .any_bytes = true,
                                            .line_end = line_comments::closed,
                                            .surrogates = lone_surrogates::greedy};
/// Configuration files: comments, trailing commas, a byte order mark.
inline constexpr read_dialect relaxed{.comments = true, .trailing_commas = true, .byte_order_mark = true};

// ---------------------------------------------------------------------------------------------------------------- writing

/// Which characters of a string are escaped beyond the ones that RFC 8259 requires (control characters, quote,
/// backslash).
///
/// `first` and `extra` drive the fast scan, which looks for control characters, quotes, backslashes and up to four
/// more bytes; `action` is the exact answer for each byte.
struct escape_set {
    enum : unsigned char {
        copy = 0,        // goes out as it is
        unicode = 1,     // \u00XX
        separators = 2,  // 0xE2, the first byte of U+2028 and U+2029: escaped if it is one of these
        // any other value: a backslash and this character
    };
    std::array<unsigned char, 256> action{};
    std::array<unsigned char, 4> extra{};  // filled up with '"' where there are fewer
    bool any_extra = false;
    bool ascii = false;  // everything above 0x7F is written as \uXXXX, beyond U+FFFF as a pair
    bool upper = false;  // \u00AB instead of \u00ab

    constexpr escape_set(std::string_view more, bool separators_too, bool ascii_only = false, bool upper_case = false)
        : ascii(ascii_only), upper(upper_case) {
        for (std::size_t c = 0; c < 0x20; ++c) action[c] = unicode;
        action['\b'] = 'b';
        action['\f'] = 'f';
        action['\n'] = 'n';
        action['\r'] = 'r';
        action['\t'] = 't';
        action['"'] = '"';
        action['\\'] = '\\';
        extra = {'"', '"', '"', '"'};
        std::size_t n = 0;
        for (const char c : more) {
            action[static_cast<unsigned char>(c)] =
                c == '/' ? static_cast<unsigned char>('/') : static_cast<unsigned char>(unicode);
            extra[n++] = static_cast<unsigned char>(c);
        }
        if (separators_too) {
            action[0xE2] = separators;
            extra[n++] = 0xE2;
        }
        any_extra = n != 0;
    }

    /// Whether these are the escapes that RFC 8259 requires, spelled as everywhere.
    constexpr bool only_required() const noexcept { return !any_extra && !ascii && !upper; }
};

inline constexpr escape_set rfc8259_escapes{"", false};
/// "/" as well, so that "</script>" cannot appear, and U+2028 and U+2029, which old JavaScript takes for line ends.
inline constexpr escape_set script_safe_escapes{"/", true};
/// < > & as \u003c \u003e \u0026, and U+2028, U+2029: safe inside an HTML page.
inline constexpr escape_set html_safe_escapes{"<>&", true};
inline constexpr escape_set ascii_escapes{"", false, true};
inline constexpr escape_set slash_escapes{"/", false};
/// As Python's json module: ASCII without DEL.
inline constexpr escape_set python_escapes = [] {
    escape_set s = ascii_escapes;
    s.action[0x7F] = escape_set::unicode;
    s.extra[0] = 0x7F;
    s.any_extra = true;
    return s;
}();

/// NaN and the infinities, which JSON does not have.
enum class non_finite : std::uint8_t {
    refuse,   // errc::unsupported
    null,     // null
    literal,  // NaN, Infinity, -Infinity: not JSON, but what several libraries write and read
    text,     // "NaN", "Infinity", "-Infinity"
};

/// Bytes that are not text.
enum class binary : std::uint8_t { refuse, base64, base64url };

/// MessagePack's typed extensions.
enum class extension : std::uint8_t {
    refuse,
    data,    // the bytes alone, as `binary` says; the type is lost
    object,  // {"type":5,"data":"..."}, the data as `binary` says
};

/// Numbers that arrive as their own digits.
enum class big_number : std::uint8_t {
    number,  // the digits as they are: JSON has no limit
    text,    // in quotes, for readers that know doubles only
};

/// Moments.
enum class moment : std::uint8_t {
    refuse,
    text,   // "2026-11-20T07:30:00.5Z", in the dialect's time_layout
    epoch,  // seconds since 1970 as a number, with a fraction of up to 9 digits
};

/// Text that is not valid in its own encoding.
enum class invalid_text : std::uint8_t {
    refuse,   // errc::encoding
    replace,  // U+FFFD for each broken sequence
    keep,     // goes out as it is, where the escapes are not ascii: for a caller who looks at the whole document afterwards
};

/// Keys that are not text.
enum class other_keys : std::uint8_t {
    refuse,  // errc::unsupported
    text,    // a scalar as the text it would be as a value: "1", "true", "null"; a container is refused
};

/// How white space is laid out. Empty strings everywhere: compact.
struct layout {
    std::string_view item = ",";       // between two values
    std::string_view key = ":";        // between a key and its value
    std::string_view newline{};        // after an opening bracket, after each separator, before a closing bracket
    std::string_view indent{};         // once per level after each newline; where newline is empty, before each value only
    std::string_view array_newline{};  // newline inside arrays, where `arrays_differ`
    bool arrays_differ = false;
    std::size_t level = 0;  // of the outermost value
    constexpr bool compact() const noexcept {
        return item == "," && key == ":" && newline.empty() && indent.empty() && array_newline.empty();
    }
};

/// How a writer spells JSON.
struct dialect {
    const escape_set* escapes = &rfc8259_escapes;
    json::layout layout{};
    // 107910.0 and -0.0, not ECMAScript's 107910 and 0: those come back as integers, and what was a double must stay
    // one.
    scalar::float_layout floats = scalar::float_layout::python;
    json::non_finite non_finite = json::non_finite::refuse;
    json::binary binary = json::binary::base64;
    json::extension extension = json::extension::refuse;
    json::big_number big = json::big_number::number;
    json::moment time = json::moment::text;
    scalar::time_layout time_layout = scalar::time_layouts::rfc3339;
    json::invalid_text invalid = json::invalid_text::refuse;
    json::other_keys keys = json::other_keys::text;
};

/// The default: no white space, only what RFC 8259 requires escaped, doubles with a point or an exponent, shortest.
inline constexpr dialect compact{};
/// The bytes of JavaScript's JSON.stringify(x), whose only number is the double.
inline constexpr dialect javascript{.floats = scalar::float_layout::ecmascript, .non_finite = json::non_finite::null};
inline constexpr dialect script_safe{.escapes = &script_safe_escapes};
inline constexpr dialect html_safe{.escapes = &html_safe_escapes};
inline constexpr dialect ascii_only{.escapes = &ascii_escapes};
inline constexpr dialect escape_slash{.escapes = &slash_escapes};
/// Two spaces per level, one value per line.
inline constexpr dialect pretty{.layout = {",", ": ", "\n", "  "}};
/// The bytes of Python's json.dumps(x): ASCII only, without DEL, ", " and ": ", float.__repr__, NaN literals.
inline constexpr dialect python_default{
    .escapes = &python_escapes, .layout = {", ", ": ", "", ""}, .non_finite = json::non_finite::literal};
/// The bytes of Python's json.dumps(x, ensure_ascii=False, separators=(",", ":")).
inline constexpr dialect python_compact{.non_finite = json::non_finite::literal};
/// The bytes of Python's orjson.dumps(x).
inline constexpr dialect orjson{
    .floats = scalar::float_layout::orjson, .non_finite = json::non_finite::null, .binary = json::binary::refuse};
/// The bytes of Ruby's JSON.generate.
inline constexpr dialect ruby_generate{.floats = scalar::float_layout::ruby};
/// The bytes of Ruby's JSON.pretty_generate.
inline constexpr dialect ruby_pretty{.layout = {",", ": ", "\n", "  "}, .floats = scalar::float_layout::ruby};
/// What documents of other formats are written by when nothing may be lowered: what JSON cannot say is refused.
inline constexpr dialect exact{.binary = json::binary::refuse, .keys = json::other_keys::refuse};
/// What comes nearest to a copy: non-finite numbers become null, broken text U+FFFD, an extension an object. Never
/// fails on a value.
inline constexpr dialect lenient{
    .non_finite = json::non_finite::null, .extension = json::extension::object, .invalid = json::invalid_text::replace};

}  // namespace kumihimo::inline v0::json
