// Ruby's regular expressions in PCRE2's syntax.
//
// What is the same in both is passed through. What differs:
//
//      Ruby                      PCRE2
//      ^ $                       always at lines: compiled with PCRE2_MULTILINE
//      /m, (?m)                  (?s)
//      a(?i)b|c                  a(?i:b|c): Ruby's flags enclose the rest of the group
//      \h \H \w \d \s ...        classes of ASCII, spelled out where the subject is Unicode
//      [a[bc]] [a-z&&[^x]]       alternatives and lookaheads: PCRE2 has neither
//      a{2}+ {,3}                (?:a{2})+ {0,3}
//      a{2}? a** ^*              (?:a{2})? (?:a*)* (?:^)*
//      \u00e9 \u{1f600} \xHH     \x{...}; where the subject is bytes, a group of them, and of a class an alternative
//      \k<1> \k<-1>              \g{1} \g{-1}
//      (?<n>a)(?<n>b)\k<n>       (?<n>a)(?<n>b)(?>\g{2}|\g{1})
//      (?~x)                     refused
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kumihimo::inline v0::mruby {

/// Ruby's numbers.
enum regexp_option : unsigned { regexp_ignore_case = 1, regexp_extended = 2, regexp_multi_line = 4 };

struct translation {
    std::string text;
    const char* error = nullptr;   // why not
    std::size_t error_at = 0;      // in Ruby's pattern
    bool names_groups = false;     // plain groups do not capture then
    bool anchored_search = false;  // \G: where the search begins matters
    bool needs_utf8 = false;       // names characters beyond ASCII
    bool needs_bytes = false;      // names bytes that are no UTF-8
};

/// For subjects that are UTF-8, or for bytes. False: `error`. `places` are pairs of a place in `out.text` and the one
/// in `ruby` that it comes from, both growing.
bool translate(std::string_view ruby, unsigned options, bool utf8, translation& out,
               std::vector<std::pair<std::size_t, std::size_t>>* places = nullptr);

}  // namespace kumihimo::inline v0::mruby
