// Columns that are calculated of a few values, and columns of paths that no projection compiles: compiled once, shared
// by all threads; calculation.hpp runs them.
//
//      spread := ask - bid                               mid:decimal(18,4) := (ask:decimal + bid:decimal) / 2
//      best := coalesce(asks[0][0], last_price.price)    id := concat(exchange, "-", .tid)
//      n := length(trades)                               at := strptime(date, "%d/%b/%Y:%H:%M:%S %z")
//
//      sum         product { + or - product }            numbers, exactly to 38 digits (exact_decimal.hpp)
//      product     signed { * or / signed }              / gives the double nearest to the quotient of two doubles
//      signed      - signed | one
//      one         ( sum ) | path | number | text | true | false | function
//      function    coalesce(sum, ...)                    the first that is not null
//                  concat(sum, ...)                      texts, and numbers, true and false as they are written, as one text
//                  length(sum)                           characters of a text, elements of an array, members of an object
//                  strptime(sum, text)                   the moment that a text of this form says (time_format.hpp)
//
// Paths, numbers and texts are those of conditions (expression_text.hpp). What is calculated with null, or with a
// value that is not there, is null; coalesce takes what comes next. A value of another kind, a division by zero and a
// result that has no place in 38 digits or in a double are errors of the row. An expression that could
// give nothing but such errors, as length(a + 1), is refused.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/errc.hpp"
#include "engine/json/path.hpp"
#include "extract/column.hpp"
#include "extract/exact_decimal.hpp"
#include "extract/expression_text.hpp"
#include "extract/path_tail.hpp"
#include "extract/time_format.hpp"
#include "extract/value_kinds.hpp"

namespace kumihimo::inline v0::extract {

class formula {
public:
    static constexpr std::uint32_t none = 0xFFFFFFFF;

    /// `text` from byte `from` on is an expression. On errc::misuse `why` says what is wrong, at which column, and
    /// shows it.
    static errc compile(std::string_view text, std::size_t from, std::shared_ptr<const formula>& out, std::string& why);
    /// An expression inside a condition, from byte `at` on, which is then behind it and the white space that follows.
    /// It may have no path. `what` the condition is, as mistakes begin.
    static errc compile_operand(std::string_view what, std::string_view text, std::size_t& at,
                                std::shared_ptr<const formula>& out, std::string& why);
    /// The value of one path; null in `out` where a projection does all of it. On errc::misuse `why` says what it must
    /// not have.
    static errc of_path(std::string_view text, std::size_t dots, const json::path& steps, std::shared_ptr<const formula>& out,
                        std::string& why);

    struct input {
        std::string text;      // as it was written, for errors
        std::string printed;   // as reports print it, from the element it is of
        std::string head;      // the path of the value that `tail` is walked in, without dots
        std::size_t dots = 0;  // the path began with: it is of a row's element
        bool key = false;      // it is the key of that element, and has neither head nor tail
        path_tail tail;
        value_as as = value_as::as_it_is;
    };
    struct node {
        enum class kind : std::uint8_t {
            path,
            number,
            text,
            boolean,
            add,
            subtract,
            multiply,
            divide,
            negate,
            coalesce,
            concat,
            length,
            strptime
        };
        kind type = kind::path;
        kinds::set may_be = kinds::any;
        bool boolean = false;
        std::uint32_t input = none;
        std::string text;  // of a number its digits
        exact_decimal number;
        time_format format;
        std::vector<std::uint32_t> parts;
    };

    std::span<const input> inputs() const noexcept { return inputs_; }
    const node& at(std::uint32_t i) const noexcept { return nodes_[i]; }
    /// The text that was compiled; empty where it is the value of a path that no projection compiles.
    const std::string& expression() const noexcept { return expression_; }
    std::uint32_t root() const noexcept { return root_; }
    /// Whether it is the value of one path and nothing else.
    bool plain() const noexcept { return nodes_[root_].type == node::kind::path; }
    /// Whether its value is a list, so that the column is json.
    bool list() const noexcept;
    /// Of which kinds its values may be; of a time the text that says it.
    kinds::set may_be() const noexcept { return nodes_[root_].may_be; }
    /// Whether its value is one that was there, and not made of others.
    bool gives_what_it_finds() const noexcept { return nodes_[root_].type == node::kind::coalesce; }
    /// The type that its values have, whatever the documents are; infer where that depends on them. `naive`: of times.
    column_type type(bool& naive) const noexcept;

private:
    friend class formula_parser;
    formula() = default;
    std::vector<input> inputs_;
    std::vector<node> nodes_;
    std::uint32_t root_ = 0;
    std::string expression_;
};

}  // namespace kumihimo::inline v0::extract
