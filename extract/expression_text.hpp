// What conditions and calculated columns have in common as texts: words, numbers, texts in quotes, paths, and how a
// mistake is shown, with a mark below its place.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/json/path.hpp"

namespace kumihimo::inline v0::extract {

/// For what a path's value is taken.
enum class value_as : std::uint8_t {
    as_it_is,
    number,  // :decimal, a text that holds one number is that number
    text,    // :string, numbers, true and false are the text that is written there
};

class expression_text {
public:
    static constexpr std::size_t most_depth = 200;  // parentheses, functions and signs in one another

    static bool blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
    static bool digit(char c) noexcept { return c >= '0' && c <= '9'; }
    /// A byte of a name that needs no quotes.
    static bool name_byte(char c) noexcept {
        return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '@' ||
               static_cast<unsigned char>(c) >= 0x80;
    }
    /// Whether a word is this one, in either case.
    static bool alike(std::string_view word, std::string_view lower) noexcept;
    /// Whether a word is one of conditions' own, in either case, and so no name of a key.
    static bool is_condition_word(std::string_view word) noexcept;

protected:
    /// `what` the text is, as mistakes begin: `where at column 3: ...`. It is read from byte `from` on.
    expression_text(std::string_view what, std::string_view text, std::string& why, std::size_t from = 0)
        : s_(text), what_(what), why_(why), at_(from) {}
    ~expression_text() = default;

    /// False, and `why` says so of `name`, where the text is not UTF-8.
    bool is_text(const char* name);
    void refuse(const std::string& what) { refuse_at(at_, what); }
    void refuse_at(std::size_t at, const std::string& what);
    /// A word of conditions where a path or a value should be.
    void refuse_word(std::string_view word);

    void skip() {
        while (at_ < s_.size() && blank(s_[at_])) ++at_;
    }
    bool ended() const noexcept { return at_ == s_.size(); }
    /// The word at hand, empty where there is none; a name of a key goes on with a point or a bracket.
    std::string_view word() const;
    bool take_word(std::string_view lower);
    bool take(std::string_view sign);
    bool take_boolean(bool& out);
    /// Whether what is read at this depth is refused, so that nothing that follows it runs out of stack.
    bool too_deep(std::size_t depth);

    /// Each reads what stands at hand, and the white space behind it; false after a refusal.
    bool number(std::string& out);
    bool quoted(std::string& out);
    struct found_path {
        std::string_view text;
        std::size_t dots = 0;  // it begins with, so it is of a row's element
        json::path steps;
        std::string printed;  // as reports print it, from the element
        value_as as = value_as::as_it_is;
    };
    bool path(found_path& out);
    /// Whether a path may begin with this.
    static bool begins_path(char c) noexcept {
        return c == '/' || c == '.' || c == '[' || c == '*' || (name_byte(c) && !digit(c));
    }

    std::string_view s_, what_;
    std::string& why_;
    std::size_t at_;
    bool ok_ = true;
    static constexpr const char* wanted = "a path or a value is expected here";

private:
    std::size_t path_end() const;
};

}  // namespace kumihimo::inline v0::extract
