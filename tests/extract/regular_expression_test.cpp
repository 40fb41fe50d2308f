// Regular expressions: each construct by examples, every refusal, and time that grows with the text alone. Python's
// own engine is asked about generated ones in hosts/python/test/where_test.py.
#include "extract/regular_expression.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

bool found(std::string_view pattern, std::string_view text, bool like = false) {
    regular_expression r;
    std::string why;
    std::size_t at = 0;
    const errc e =
        like ? regular_expression::compile_like(pattern, r, why, at) : regular_expression::compile(pattern, r, why, at);
    INFO(pattern << ": " << why);
    REQUIRE(e == errc::ok);
    search s(r);
    const bool once = s.found_in(text);
    CHECK(s.found_in(text) == once);  // with the states that are known now
    return once;
}

std::string refusal(std::string_view pattern, std::size_t where) {
    regular_expression r;
    std::string why;
    std::size_t at = 0;
    INFO(pattern);
    CHECK(regular_expression::compile(pattern, r, why, at) == errc::misuse);
    CHECK(at == where);
    return why;
}

}  // namespace

TEST_CASE("what is found") {
    struct one {
        const char *pattern, *yes, *no;
    };
    for (const auto& [pattern, yes, no] : {
             one{"b", "abc", "acd"},
             one{"", "", nullptr},
             one{"a.c", "xabcx", "a\nc"},
             one{"(?s)a.c", "a\nc", "ac"},
             one{"^b", "bc", "abc"},
             one{"c$", "abc", "c\n"},
             one{"^$", "", "a"},
             one{"\\Ab\\z", "b", "bb"},
             one{"[a-c]", "xbx", "xdx"},
             one{"[^a-c]", "abcd", "abc"},
             one{"^[]a]+$", "]a]", "b"},
             one{"^[^]a]+$", "bc", "b]"},
             one{"^[a-]+$", "a-", "b"},
             one{"^[-a]+$", "a-", "b"},
             one{"^[\\d.]+$", "1.5", "1,5"},
             one{"^[\\]\\\\]$", "\\", "a"},
             one{"\\d\\D", "1a", "11"},
             one{"^\\w+$", "a_1B", "a-b"},
             one{"\\W", "a b", "ab"},
             one{"^\\s+$", " \t\n\r\f", " \v"},
             one{"\\S", " x", " \n"},
             one{"ab|cd", "xcd", "ac"},
             one{"^(ab|cd|)$", "", "a"},
             one{"^(?:ab)*$", "abab", "aba"},
             one{"^(?P<name>ab)+$", "abab", ""},
             one{"^(?<name>ab)+$", "ab", ""},
             one{"^a+b?c*$", "aab", "bc"},
             one{"^a{2}$", "aa", "a"},
             one{"^a{2,}$", "aaaa", "a"},
             one{"^a{2,3}$", "aaa", "aaaa"},
             one{"^a{0}b$", "b", "ab"},
             one{"^(a{1,2}){2}$", "aaaa", "aaaaa"},
             one{"^a{,x}$", "a{,x}", "a"},
             one{"^a{x}$", "a{x}", "a"},
             one{"^a{1$", "a{1", "a"},
             one{"^{x$", "{x", "x"},
             one{"a*?b", "aab", "a"},
             one{"^a+?$", "aa", ""},
             one{"^a??b$", "b", "aab"},
             one{"^(a*)*$", "aaa", "b"},
             one{"^(a*|b)*c$", "abac", "abad"},
             one{"(^a|b)c", "bc", "xac"},
             one{"\\bab\\b", "x ab.", "xab"},
             one{"\\Bb", "ab", "b"},
             one{"a\\b$", "a", "ab"},
             one{"^\\b", "a", " "},
             one{"\\b", "a", "--"},
             one{"\\B", "", "a b"},  // between a and the blank there is one; see below
             one{"(?i)aBc", "AbC", "ab"},
             one{"^(?i:a)b$", "Ab", "AB"},
             one{"^a(?i)b$", "aB", "AB"},
             one{"^((?i)a)b$", "Ab", "AB"},
             one{"(?i)[^a]", "b", "A"},
             one{"(?i)[k-m]", "L", "j"},
             one{"(?i-i)a", "a", "A"},
             one{"\\x41\\x{42}", "AB", "ab"},
             one{"^\\n\\t\\r\\f\\v\\a$", "\n\t\r\f\v\a", "n"},
             one{"^\\.\\*\\/\\-\\\"$", ".*/-\"", "a"},
             one{"^.$", "é", "éé"},
             one{"^..$", "日本", "日"},
             one{"^[à-ÿ]+$", "éè", "e"},
             one{"^[^a]$", "😀", "a"},
             one{"^[ぁ-ん😀]{2}$", "か😀", "カ😀"},
             one{"^[\\x{7FE}-\\x{801}]$", "\u0800", "\u0802"},
             one{"^[\\x{FFFE}-\\x{10001}]$", "\U00010000", "\U00010002"},
             one{"]", "]", "["},
             one{"}", "}", "{"},
         }) {
        INFO(pattern);
        CHECK(found(pattern, yes));
        if (no != nullptr && std::string_view(pattern) != "\\B") CHECK_FALSE(found(pattern, no));
    }
    CHECK(found("\\B", "ab"));
    CHECK_FALSE(found("\\B", "a"));
    CHECK_FALSE(found("\\B", "aéa"));
    CHECK(found("\\B", "aéé"));
    CHECK_FALSE(found("[^\\x00-\\x{10FFFF}]", "anything"));
}

TEST_CASE("like is over all of a text") {
    CHECK(found("btc%", "btc_jpy", true));
    CHECK_FALSE(found("btc%", "xbtc", true));
    CHECK(found("%jpy", "btc_jpy", true));
    CHECK(found("%", "", true));
    CHECK(found("%\n%", "a\nb", true));
    CHECK(found("a_c", "a日c", true));
    CHECK_FALSE(found("a_c", "ac", true));
    CHECK(found("100\\%", "100%", true));
    CHECK_FALSE(found("100\\%", "100x", true));
    CHECK(found("a\\_\\\\", "a_\\", true));
    CHECK(found("a.c*[x](y)^$|{1}+?", "a.c*[x](y)^$|{1}+?", true));
    CHECK_FALSE(found("a.c", "abc", true));
    CHECK(found("é%ü", "é and ü", true));
    CHECK(found("", "", true));
    CHECK_FALSE(found("", "a", true));
    regular_expression r;
    std::string why;
    std::size_t at = 0;
    CHECK(regular_expression::compile_like("ab\\", r, why, at) == errc::misuse);
    CHECK(why == "the pattern ends behind a backslash");
    CHECK(at == 2);
}

TEST_CASE("what is refused, and where") {
    CHECK(refusal("a)", 1) == "there is a ) without its (");
    CHECK(refusal("(a", 0) == "a group is not closed");
    CHECK(refusal("x(a|(b)", 1) == "a group is not closed");
    CHECK(refusal("*a", 0) == "there is nothing to repeat");
    CHECK(refusal("a|+", 2) == "there is nothing to repeat");
    CHECK(refusal("(?i)?", 4) == "there is nothing to repeat");
    CHECK(refusal("{2}", 0) == "there is nothing to repeat");
    CHECK(refusal("a**", 2) == "what is repeated is repeated again: put it in (?:...)");
    CHECK(refusal("a*+", 2) == "what is repeated is repeated again: put it in (?:...)");
    CHECK(refusal("a{2}{3}", 4) == "what is repeated is repeated again: put it in (?:...)");
    CHECK(refusal("a{3,2}", 1) == "the first number in braces is larger than the second");
    CHECK(refusal("a{1001}", 1) == "no more than 1000 repeats can be counted");
    CHECK(refusal("a{1,1001}", 1) == "no more than 1000 repeats can be counted");
    CHECK(refusal("a{,3}", 1) == "write {0,3}");
    CHECK(refusal("[a", 0) == "a [ is not closed");
    CHECK(refusal("[]", 0) == "a [ is not closed");
    CHECK(refusal("[b-a]", 2) == "a range goes from one character up to another");
    CHECK(refusal("[a-\\d]", 2) == "a range goes from one character up to another");
    CHECK(refusal("[[:alpha:]]", 1) == "names of classes are not known here: write the ranges, [a-zA-Z]");
    CHECK(refusal("[\\b]", 2) == "\\b is not known here");
    CHECK(refusal("\\q", 1) == "\\q is not known here");
    CHECK(refusal("(a)\\1", 4) == "a group that was found cannot be referred to: it cannot be done in one pass");
    CHECK(refusal("a\\", 2) == "the expression ends behind a backslash");
    CHECK(refusal("\\pL", 1) == "classes of Unicode are not known here: write the ranges, [à-ÿ]");
    CHECK(refusal("\\x4", 3) == "\\x takes two hexadecimal digits, or some in braces, \\x{10FFFF} at most");
    CHECK(refusal("\\x{110000}", 9) == "\\x takes two hexadecimal digits, or some in braces, \\x{10FFFF} at most");
    for (const char* look : {"(?=a)", "(?!a)", "(?<=a)", "(?<!a)"})
        CHECK(refusal(look, 1) == "looking ahead or behind is not known here: it cannot be done in one pass");
    CHECK(refusal("(?x)a", 2) == "flags are i and s, (?i) (?s) (?i:...); groups begin with ( or (?:");
    CHECK(refusal("(?P<a", 1) == "the name of a group is not closed");
    CHECK(refusal("a\xFF", 1) == "the expression is not valid UTF-8");
    CHECK(refusal("((a{1000}){1000}){1000}", 0) ==
          "the expression is too large: it says the same too many times, as in (x{1000}){1000}");
    CHECK(refusal("(((){1000}){1000}){1000}", 0) == "the expression is too large");
    CHECK(refusal(std::string(101, '(') + std::string(101, ')'), 100) == "groups lie more than 100 deep");
}

TEST_CASE("time grows with the text, and memory not at all") {
    // Engines that go back need longer than the world has for the first two.
    CHECK_FALSE(found("^(a+)+$", std::string(100'000, 'a') + "b"));
    CHECK_FALSE(found("(a|a)*(a|a)*(a|a)*c", std::string(100'000, 'a')));
    // Each text brings new states here: 2^20 of them, were they all kept.
    std::string noise;
    std::uint32_t x = 1;
    for (int i = 0; i < 300'000; ++i) noise += (x = x * 1664525 + 1013904223) >> 31 ? 'a' : 'b';
    CHECK_FALSE(found("a[ab]{20}c", noise));
    CHECK(found("a[ab]{20}c", noise + "a" + std::string(20, 'b') + "c"));
}
