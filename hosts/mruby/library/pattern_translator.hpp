// The walk over a pattern of Ruby's that translate() makes (pattern_syntax.hpp). Its parts: groups and quantifiers
// (pattern_translator.cpp), escapes (pattern_escape.cpp), classes (pattern_class.cpp).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../src/characters.hpp"
#include "pattern_syntax.hpp"

namespace kumihimo::inline v0::mruby::made {

constexpr int most_nested_classes = 32;
constexpr std::size_t most_groups_open = 200;
constexpr unsigned most_quantifiers = 50;  // of one atom: each but the first is a group more
/// Marks what is a byte and no character's.
constexpr std::uint32_t raw_byte = 0x8000'0000;

/// \d \s \w \h, and what they leave.
inline bool names_set(char c) noexcept { return std::string_view("dDsSwWhH").find(c) != std::string_view::npos; }

class translator {
public:
    using places = std::vector<std::pair<std::size_t, std::size_t>>;
    translator(std::string_view in, unsigned options, bool utf8, translation& out, places* to)
        : in_(in), utf8_(utf8), to_(out), out_(out.text), places_(to), extended_((options & regexp_extended) != 0) {}
    bool run();

private:
    struct group {
        std::size_t begin;  // in out_
        unsigned closers;   // that the enclosing group needs
        bool extended;      // outside
    };
    void fail(const char* why) {
        if (to_.error != nullptr) return;
        to_.error = why;
        to_.error_at = at_;
    }
    bool more(std::size_t n = 1) const noexcept { return at_ + n <= in_.size(); }
    char peek(std::size_t n = 0) const noexcept { return at_ + n < in_.size() ? in_[at_ + n] : '\0'; }
    bool ahead(std::string_view s) const noexcept { return in_.substr(at_).starts_with(s); }
    // What a quantifier that follows applies to begins here. PCRE2 repeats no assertion outside of a group.
    void atom(bool assertion = false) noexcept {
        atom_ = out_.size();
        enclose_ = assertion;
        quantifiers_ = 0;
    }
    void no_atom() noexcept { atom_ = nothing; }
    void step();
    void interval();
    void quantify(const std::string& quantifier);
    void push();
    void open();
    std::string_view name_until(char end);
    // (?imx-imx) and (?imx-imx:
    void flags();
    void close();
    void escape();
    void reference(char c);
    void named_reference(std::string_view name);
    // One that is written as itself, in one byte or in several.
    std::uint32_t plain_character();
    // \n \x41 \u00e9 \u{e9} \001 \cA \C-a: one character. \u{61 62} leaves the further ones where they are.
    bool character(std::uint32_t& scalar);
    bool control(std::size_t skip, std::uint32_t& scalar);
    bool byte_escape(std::uint32_t& scalar);
    bool unicode_escape(std::uint32_t& scalar);
    // A character by its number, outside of brackets.
    void literal(std::string& to, std::uint32_t scalar);
    void members(std::string& to, char name);
    // Behind \p or \P. What a class cannot hold among others becomes one of `alternatives`; null: outside of brackets.
    void named_property(std::string& to, char c, std::vector<std::string>* alternatives = nullptr);
    // One side of &&: plain members, and classes within.
    struct side {
        std::string sets;  // \w and the like, which no range can begin or end with
        std::string plain;
        std::vector<std::string> inner;
        // The character that `plain` ends with, which may begin a range: where it is there, and its end.
        std::uint32_t low = 0;
        std::size_t low_at = 0, low_end = 0;
        bool wide = false;  // characters of several bytes are within `inner`

        void put(std::uint32_t scalar, std::string_view text) {
            const bool ends_range = begins_range();
            low = scalar;
            low_at = plain.size();
            plain += text;
            low_end = ends_range ? 0 : plain.size();
        }
        bool begins_range() const noexcept { return low_end != 0 && plain.size() == low_end + 1 && plain.back() == '-'; }
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
    std::string set(int depth, bool& wide);
    void inside_bracket(side& now, int depth);
    // A dash before or behind a set is a dash.
    static void escape_last_dash(side& now);
    void after_set(side& now);
    void inside_escape(side& now);
    void member(side& now, std::uint32_t scalar);
    // The same where the subject is bytes and the character takes several.
    void wide_member(side& now, std::uint32_t scalar);
    std::string_view in_;
    std::size_t at_ = 0;
    bool utf8_;
    translation& to_;
    std::string& out_;
    places* places_;
    bool extended_;
    static constexpr std::size_t nothing = ~std::size_t{0};
    std::size_t atom_ = nothing;
    bool enclose_ = false;  // in a group, before it is repeated
    unsigned quantifiers_ = 0;
    std::vector<std::string_view> names_;  // of the groups, from the first on
    unsigned closers_ = 0;                 // groups that flags have opened here
    std::vector<group> groups_;
};

}  // namespace kumihimo::inline v0::mruby::made
