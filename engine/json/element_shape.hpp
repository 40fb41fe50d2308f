// Elements of an array that look alike, as a kernel passes over them: the text between their values is compared, 64
// bytes at a time, and where a value ends is known or looked for.
//
//      {"side": "ask", "price": 107910.0, "amount": 0.25, "date": 1482}
//      ttttttttttvvvttttttttttttvvvvvvvvttttttttttttt~~~~ttttttttttvvvvt       t text, v a value as long as the one before,
//      `------------- a stretch ---------------------'   `- another --'        ~ a value of any length
//
// Values as long as those of the elements before are compared by what they cannot have in them, together with the text
// around them: so nothing has to wait for one value's end to know where the next begins. A stretch ends where a value
// does that has many lengths.
//
// The array is valid JSON. So a scalar ends where something comes that is of no scalar, and a string without a
// backslash at the next quote.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kumihimo::inline v0::json {

struct element_shape {
    /// 64 bytes of a stretch, the last ones perhaps behind its end, where no mask has a bit.
    struct block {
        char text[64];
        std::uint64_t fixed;   // these bytes are those of `text`
        std::uint64_t scalar;  // these are of a number or a word
        std::uint64_t inside;  // these are in a string that has no escape
    };
    struct value {
        std::uint32_t offset, length;  // in its stretch; length: of one that ends there
        std::uint32_t to;              // the path that it is for
    };
    struct stretch {
        std::uint32_t length;                   // bytes
        std::uint32_t first_block, blocks;      // in `blocks`
        std::uint32_t first_value, end_values;  // in `values`: those in it that are wanted
        std::uint32_t first_open, end_opens;    // in `opens`: the paths that the value behind it is for
        bool open;                              // a value of any length is behind it
    };
    const stretch* stretches = nullptr;
    std::size_t count = 0;  // of stretches
    const block* blocks = nullptr;
    const value* values = nullptr;
    const std::uint32_t* opens = nullptr;
};

/// Bytes [from, from + length), counted as element_run says; length 0: no value.
struct element_value {
    std::uint32_t from, length;
};

/// What a kernel is given, and what it found.
struct element_run {
    static constexpr std::size_t most = 128;
    const char* base;  // this byte counts as number `first`
    std::uint32_t first;
    const char* at;            // in: an element begins; out: the first one that was not passed, or behind the last
    const char* end;           // no byte from here on is read; not so far from base that 32 bits could not count
    element_value* values;     // of path p and element i: [p * most + i]
    std::uint32_t* begins;     // of element i
    std::size_t count, limit;  // elements that are there; where to stop, at most `most`
    bool more;                 // in: true; out: false when the last one was passed
};

}  // namespace kumihimo::inline v0::json
