// The index of a document's tokens, as a kernel of engine/json/kernels makes it, a chunk at a time: where each
// structural character is, both quotes of each string, and the first byte of each other scalar.
//
//      { " k e y " :   [ - 1 . 5 ,   t r u e ] }
//      ^ ^       ^ ^   ^ ^       ^   ^       ^ ^
//
// What else the kernel has checked when it says yes: strings are closed, hold no control character and are valid
// UTF-8; outside of strings there is nothing but ASCII and no control character that is not white space. What it
// leaves to the walk: the order of tokens, the text of numbers and words, and the text of escapes.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kumihimo::inline v0::json {

/// What the kernel carries from one chunk to the next.
struct token_index {
    // Entries are byte offsets; the entry of a closing quote tells two things more.
    static constexpr std::uint32_t escaped = std::uint32_t{1} << 31;    // there is a backslash in the string
    static constexpr std::uint32_t not_ascii = std::uint32_t{1} << 30;  // there is a byte above 0x7F
    static constexpr std::uint32_t offset = not_ascii - 1;
    static constexpr std::size_t largest = offset;  // bytes of a document at most

    static constexpr std::size_t chunk = 16384;  // the index of it stays in the first-level cache; a multiple of 64
    static constexpr std::size_t slack = 80;     // entries behind the last one that a kernel may write to

    std::uint64_t odd_backslash = 0;  // 1: the next byte is escaped
    std::uint64_t inside = 0;         // all ones: the next byte is inside a string
    std::uint64_t scalar = 0;         // 1: the last byte belonged to a scalar that is not a string
    std::uint64_t escape_seen = 0;    // 1: the string that is open has a backslash so far
    std::uint64_t high_seen = 0;      // 1: ... a byte above 0x7F
    bool started = false;
    alignas(64) unsigned char utf8[256];  // the instruction set's own checker
};

}  // namespace kumihimo::inline v0::json
