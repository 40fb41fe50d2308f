// What rows have to be like, as `--where` says it: compiled once, shared by all threads; judge.hpp asks it of a document.
//
//      last_price.price > 100000 and currency == "jpy"
//      any(trades[*].amount) >= 0.5 or not exists trades[0]
//      kind in ("bid", "ask") and name like 'btc%' and note is not null and id matches '^[a-z]+-\d+$'
//
//      condition   one { or one }                one   part { and part }             part   [not] ( ( condition ) | test )
//      test        operand                       true or false as it stands
//                  operand == != < <= > >= operand                = and <> are == and !=
//                  operand is [not] null
//                  operand [not] in ( value, ... )
//                  operand [not] like text       % any characters, _ one, \ before a sign that stands for itself
//                  operand [not] matches text    a regular expression (regular_expression.hpp), found anywhere in it
//                  exists path
//      operand     value | path | any(path) | all(path)          the last two for paths with [*]
//                  a path may be followed by :decimal, then a text that holds one number is that number, or by :string, then
//                  numbers, true and false are the text that is written there
//      value       number | "text with JSON's escapes" | 'text as it stands, '' for a quote' | true | false
//      path        as json/path.hpp has it, names of letters, digits, _ $ @ and what is not ASCII; others as ["the name"] or,
//                  behind a point, "the name". A path that begins with a point is of a row, not of its document
//
// Words are known in either case. As in SQL there are three answers: what is compared with null or absence is unknown, and so
// is what depends on it; what is unknown is not selected. Numbers are compared by their digits, texts by their code points.
// Values of two kinds, a text and a number, are not compared: that is an error of the document.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/errc.hpp"
#include "engine/json/project.hpp"
#include "extract/number_order.hpp"
#include "extract/regular_expression.hpp"

namespace kumihimo::inline v0::extract {

class condition {
public:
    /// On errc::misuse `why` says what is wrong, at which column, and shows it.
    static errc compile(std::string_view text, std::shared_ptr<const condition>& out, std::string& why);

    static constexpr std::uint32_t none = 0xFFFFFFFF;

    struct path {
        std::string text;           // as it was written, for errors
        std::string steps;          // as json/path.hpp reads it: without the point of a row
        std::string printed;        // as reports print it: $.last_price.price
        bool of_row = false;        // it begins with a point
        bool wild = false;          // it has a [*]
        bool read = false;          // its value counts, and not only whether it is an array
        std::uint32_t place = 0;    // its number in the projection
        std::uint32_t list = none;  // of a wild one: the number of the array that its first [*] walks
    };
    struct term {
        enum class kind : std::uint8_t { path, number, text, boolean };
        enum class of : std::uint8_t { one, any, all };
        enum class as : std::uint8_t { it_is, number, text };
        kind type = kind::path;
        of many = of::one;
        as taken = as::it_is;  // of a path
        bool boolean = false;
        std::uint32_t path = none;
        std::string text;  // of a number its digits
        exact_number number;
    };
    enum class order : std::uint8_t { equal, unequal, less, at_most, more, at_least };
    struct node {
        enum class kind : std::uint8_t {
            conjunction,
            disjunction,
            negation,
            flag,
            comparison,
            is_null,
            among,
            matches,
            exists
        };
        kind type = kind::flag;
        order by = order::equal;
        bool negated = false;              // is not, not in, not like, not matches
        bool like = false;                 // the pattern was given by like
        std::uint32_t left = 0;            // a term
        std::uint32_t right = 0;           // a term, or a pattern
        std::vector<std::uint32_t> parts;  // nodes, or terms to be among
    };

    std::span<const path> paths() const noexcept { return paths_; }
    const node& at(std::uint32_t i) const noexcept { return nodes_[i]; }
    const term& operand(std::uint32_t i) const noexcept { return terms_[i]; }
    std::uint32_t root() const noexcept { return root_; }
    std::span<const regular_expression> patterns() const noexcept { return patterns_; }

    /// The paths into the document, and those into a row.
    const json::projection& of_document() const noexcept { return of_document_; }
    const json::projection& of_row() const noexcept { return of_row_; }
    /// Whether it needs a row, and cannot be decided by the document alone.
    bool judges_rows() const noexcept { return of_row_.size() != 0; }
    const std::string& text() const noexcept { return text_; }

private:
    friend class condition_parser;
    condition() = default;

    std::string text_;
    std::vector<path> paths_;
    std::vector<term> terms_;
    std::vector<node> nodes_;
    std::vector<regular_expression> patterns_;
    std::uint32_t root_ = 0;
    json::projection of_document_, of_row_;
};

}  // namespace kumihimo::inline v0::extract
