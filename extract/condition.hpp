// What rows have to be like, as `--where` says it: compiled once, shared by all threads; judge.hpp asks it of a
// document.
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
//      operand     value | path | time | any(path) | any(time) | all(...)     the last for paths with [*], * or ..
//                  | expression                  as in formula.hpp: price * amount, length(trades), coalesce(a, b)
//                  a path may be followed by :decimal, then a text that holds one number is that number, or by :string, then
//                  numbers, true and false are the text that is written there
//      time        time(operand [, format])   values and the texts they are compared with are moments; so are paths that a
//                  column of type timestamp has, by that column's format and zone, where they are compared with a text
//      value       number | "text with JSON's escapes" | 'text as it stands, '' for a quote' | true | false
//      path        as json/path.hpp has it, names of letters, digits, _ $ @ and what is not ASCII; others as ["the name"] or,
//                  behind a point, "the name". A path that begins with points is of a row's element or one around it, as in
//                  row_plan.hpp, not of its document
//
// Words are known in either case. As in SQL there are three answers: what is compared with null or absence is unknown,
// and so is what depends on it; what is unknown is not selected. Numbers are compared by their digits, texts by their
// code points. Values of two kinds, a text and a number, are not compared: that is an error of the document.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/errc.hpp"
#include "engine/json/project.hpp"
#include "extract/column.hpp"
#include "extract/expression_text.hpp"
#include "extract/formula.hpp"
#include "extract/moment.hpp"
#include "extract/number_order.hpp"
#include "extract/path_tail.hpp"
#include "extract/regular_expression.hpp"

namespace kumihimo::inline v0::extract {

class condition {
public:
    /// On errc::misuse `why` says what is wrong, at which column, and shows it. `columns`: where one of type timestamp
    /// has a path, the condition takes its values for times, too.
    static errc compile(std::string_view text, std::shared_ptr<const condition>& out, std::string& why,
                        std::span<const column_spec> columns = {});
    /// The same with the rules of a zone that columns have named.
    std::shared_ptr<const condition> in_zone(const std::shared_ptr<const zone>& rules) const;

    static constexpr std::uint32_t none = 0xFFFFFFFF;

    struct path {
        std::string text;           // as it was written, for errors
        std::string steps;          // what a projection compiles of it, without the points of a row
        std::string printed;        // as reports print it: $.last_price.price
        std::size_t dots = 0;       // it begins with so many points
        bool wild = false;          // it leads to several values
        bool read = false;          // its value counts, and not only whether it is an array
        bool key = false;           // it is the key of the row's element
        path_tail tail;             // its steps behind those
        std::uint32_t place = 0;    // its number in the projection
        std::uint32_t list = none;  // of a wild one without a tail: the number of the array that its first [*] walks
    };
    struct term {
        enum class kind : std::uint8_t { path, number, text, boolean, made };
        enum class of : std::uint8_t { one, any, all };
        kind type = kind::path;
        of many = of::one;
        value_as as = value_as::as_it_is;  // of a path
        bool boolean = false;
        std::uint32_t path = none;
        std::uint32_t made = none;   // the number of what is calculated
        std::uint32_t clock = none;  // it is a time, read as this column would
        std::string text;            // of a number its digits; of what is calculated the expression
        exact_number number;
        moment when;  // of a text that is a time
        bool is_constant() const noexcept { return type != kind::path && type != kind::made; }
    };
    /// An expression, and by its inputs the paths that lead to their heads.
    struct calculated {
        std::shared_ptr<const formula> by;
        std::vector<std::uint32_t> paths;
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

    std::span<const calculated> all_calculated() const noexcept { return calculated_; }

    const column_spec& clock(std::uint32_t i) const noexcept { return clocks_[i]; }
    std::size_t clocks() const noexcept { return clocks_.size(); }

    /// The paths into the document, and those that begin with so many points.
    const json::projection& of_document() const noexcept { return projections_[0]; }
    const json::projection& of_element(std::size_t dots) const noexcept { return projections_[dots]; }
    /// The most points that a path begins with: if any, it needs a row, and cannot be decided by the document alone.
    std::size_t dots() const noexcept { return projections_.size() - 1; }
    bool judges_rows() const noexcept { return dots() != 0; }
    /// Whether a path with so many points is in it.
    bool looks_at(std::size_t dots) const noexcept;
    /// A path that is the key of an element with so many points is in it.
    bool wants_key(std::size_t dots) const noexcept;
    const std::string& text() const noexcept { return text_; }

private:
    friend class condition_parser;
    condition() = default;
    void read_times();

    std::string text_;
    std::vector<path> paths_;
    std::vector<term> terms_;
    std::vector<node> nodes_;
    std::vector<regular_expression> patterns_;
    std::vector<column_spec> clocks_;
    std::vector<calculated> calculated_;
    std::uint32_t root_ = 0;
    std::vector<json::projection> projections_{1};  // by points
};

}  // namespace kumihimo::inline v0::extract
