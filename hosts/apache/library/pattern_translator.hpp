// The walk over a pattern of Ruby's that pattern.hpp's translate() makes. Its parts: groups and quantifiers (pattern.cpp),
// escapes (pattern_escape.cpp), classes (pattern_class.cpp).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pattern.hpp"

namespace kumihimo::inline v0::mruby::made {

constexpr int most_nested_classes = 32;
constexpr std::size_t most_groups_open = 200;

inline bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// \d \s \w \h, and what they leave.
inline bool names_set(char c) noexcept { return std::string_view("dDsSwWhH").find(c) != std::string_view::npos; }
inline int hex_of(char c) noexcept {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

class translator {
public:
    translator(std::string_view in, unsigned options, bool utf8, translation& out)
        : in_(in), utf8_(utf8), to_(out), out_(out.text), extended_((options & regexp_extended) != 0) {}
    bool run();

private:
    struct group {
        std::size_t begin;  // in out_
        unsigned closers;   // that the enclosing group needs
        bool extended;      // outside
    };
    void fail(const char* why) {
        if (to_.error == nullptr) to_.error = why;
    }
    bool more(std::size_t n = 1) const noexcept { return at_ + n <= in_.size(); }
    char peek(std::size_t n = 0) const noexcept { return at_ + n < in_.size() ? in_[at_ + n] : '\0'; }
    bool ahead(std::string_view s) const noexcept { return in_.substr(at_).starts_with(s); }
    // What a quantifier that follows applies to begins here.
    void atom() noexcept { atom_ = out_.size(); }
    void step();
    void interval();
    void push();
    void open();
    std::string_view name_until(char end);
    // (?imx-imx) and (?imx-imx:
    void flags();
    void close();
    void escape();
    // What `character` reads, written; true if that is all there is to do here.
    bool escaped_character(std::string& to, bool inside);
    void reference(char c);
    // \n \x41 \u00e9 \u{e9} \001 \cA \C-a: one character. \u{61 62} leaves the further ones where they are.
    bool character(std::uint32_t& scalar);
    bool control(std::size_t skip, std::uint32_t& scalar);
    bool byte_escape(std::uint32_t& scalar);
    bool unicode_escape(std::uint32_t& scalar);
    // A character by its number, outside or inside brackets.
    void literal(std::string& to, std::uint32_t scalar, bool inside = false);
    void members(std::string& to, char name);
    // Behind \p or \P.
    void named_property(std::string& to, char c);
    // One side of &&: plain members, and classes within.
    struct side {
        std::string sets;  // \w and the like, which no range can begin or end with
        std::string plain;
        std::vector<std::string> inner;

        std::string text() const {
            std::string own;
            if (!sets.empty() || !plain.empty()) own = "[" + sets + plain + "]";
            if (inner.empty()) return own;
            std::string all = "(?:" + own;
            for (std::size_t i = 0; i < inner.size(); ++i) {
                if (i != 0 || !own.empty()) all += '|';
                all += inner[i];
            }
            return all + ")";
        }
    };
    // A whole class, behind its bracket; an expression for one character.
    std::string set(int depth);
    void inside_bracket(side& now, int depth);
    // A dash before or behind a set is a dash.
    static void settle(side& now);
    void after_set(side& now);
    void inside_escape(side& now);
    std::string_view in_;
    std::size_t at_ = 0;
    bool utf8_;
    translation& to_;
    std::string& out_;
    bool extended_;
    std::size_t atom_ = 0;
    unsigned closers_ = 0;  // groups that flags have opened here
    std::vector<group> groups_;
};

}  // namespace kumihimo::inline v0::mruby::made
