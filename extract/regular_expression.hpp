// Regular expressions that take time in proportion to the text, whatever the expression: no search goes back. A subset
// of RE2's syntax, with its meaning.
//
//      x  .  [a-z]  [^a-z]       a character, any but a line break, one of these, none of these
//      \d \D \w \W \s \S         ASCII digits, letters with digits and _, white space; and what is not
//      xy  x|y  (x)  (?:x)       one behind the other, either, groups
//      x*  x+  x?  x{2}  x{2,}  x{2,5}     a ? behind one of these means nothing here, since nobody asks what was found
//      ^  $  \A  \z  \b  \B      the text's beginning and end (not a line's), ends of ASCII words and what is none
//      (?i)  (?s)  (?i:x)        ASCII letters of either case; . is a line break, too
//      \n \t \r \f \v \a \xFF \x{10FFFF}   characters; \ before any sign that is no letter and no digit is that sign
//
// What would make a search go back is refused: groups that are referred to (\1), and looking ahead or behind.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/errc.hpp"

namespace kumihimo::inline v0::extract {

/// A compiled expression: a program over bytes of UTF-8. Immutable, for all threads.
class regular_expression {
public:
    /// errc::misuse: `why` says what is wrong, `at` at which byte of the text.
    static errc compile(std::string_view text, regular_expression& out, std::string& why, std::size_t& at);
    /// SQL's LIKE, over all of a text: % any characters, _ one, \ before a sign that stands for itself.
    static errc compile_like(std::string_view text, regular_expression& out, std::string& why, std::size_t& at);

    struct instruction {
        enum class kind : std::uint8_t { byte, fork, begins, ends, word_edge, no_word_edge, matched };
        kind type = kind::matched;
        std::uint8_t low = 0, high = 0;  // byte
        std::uint32_t next = 0, other = 0;
    };
    static constexpr std::size_t most_instructions = 20'000;

private:
    friend class search;
    friend class expression_compiler;
    void make_classes();

    std::vector<instruction> program_;
    std::uint32_t start_ = 0;
    std::array<std::uint16_t, 256> class_of_{};  // bytes that no instruction tells apart
    std::uint16_t classes_ = 0;
};

/// Looks for an expression in texts, one at a time. States that the program can be in are made when they are first
/// met, and forgotten when they take too much memory. Not for two threads at once.
class search {
public:
    explicit search(const regular_expression& what) : what_(&what) {}

    /// Whether it is somewhere in the text, which is valid UTF-8. Throws std::bad_alloc.
    bool found_in(std::string_view text);

    static constexpr std::size_t most_memory = std::size_t{1} << 20;  // bytes of states, about

private:
    struct state {
        std::vector<std::uint32_t> at;  // instructions, sorted
        bool begins = false;            // nothing was read yet
        bool word = false;              // the last byte was of a word
    };
    static constexpr std::int32_t unknown = -1, matched = -2, failed = -3;

    std::size_t symbols() const noexcept { return what_->classes_ + std::size_t{1}; }  // the last one is the end
    void forget() noexcept;
    std::int32_t enter(bool begins, bool word);
    std::int32_t step(std::int32_t from, std::size_t symbol, unsigned char sample);
    void clear_set() noexcept;
    struct ahead {
        bool ends;    // the text ends there
        bool edge;    // a word begins or ends there
        bool inside;  // of a character, which is no place between words
    };
    void reach(std::uint32_t instruction, bool begins, const ahead* next);

    const regular_expression* what_;
    std::vector<state> states_;
    std::vector<std::int32_t> table_;  // by state and symbol: the next state
    std::unordered_map<std::string, std::int32_t> known_;
    std::size_t memory_ = 0;
    std::uint64_t forgotten_ = 0;
    std::int32_t first_ = unknown;
    std::vector<std::uint32_t> set_, pending_;
    std::vector<bool> member_;
    bool has_match_ = false;  // the set
};

}  // namespace kumihimo::inline v0::extract
