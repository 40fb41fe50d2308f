// A formula's value for one row after the other. One per thread and column.
//
//      calculation c(formula);
//      c.run(values);               // JSON by input, empty where there is none
//      c.json();                    // what it makes of them, empty for null
#pragma once
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "extract/formula.hpp"

namespace kumihimo::inline v0::extract {

class calculation {
public:
    explicit calculation(const formula& of);

    /// The values are valid JSON without white space around it; they live as long as json() is asked. errc::type: a
    /// value of another kind than is calculated with, or a text that is not of its form; errc::range: a number that
    /// has no place; errc::encoding: half a surrogate pair in a text. Throws std::bad_alloc.
    errc run(std::span<const std::string_view> values);
    /// In the bytes of a value where it is (part of) one.
    std::string_view json() const noexcept { return json_; }
    /// An input whose path met another kind of value than it leads into, else formula::none.
    std::uint32_t blocked() const noexcept { return blocked_; }

    /// After run() failed: the input at fault, and what was wrong as a sentence.
    std::uint32_t failed_input() const noexcept { return failed_; }
    const std::string& explanation() const noexcept { return why_; }

private:
    enum class kind : std::uint8_t { nothing, boolean, number, text, container };
    struct value {
        kind type = kind::nothing;
        bool boolean = false;
        std::string_view text;  // of a text what it says, of a number its digits
        std::string_view json;  // as it stands; empty where it was made, and for null
        std::uint32_t input = formula::none;
    };

    std::string_view found(std::uint32_t input);
    value node(std::uint32_t i);
    value path(const formula::node& n);
    value arithmetic(const formula::node& n);
    value quotient(const value& a, const value& b);
    value coalesce(const formula::node& n);
    value concat(const formula::node& n);
    value length(const formula::node& n);
    value moment(const formula::node& n);
    bool is_number(const value& v);
    bool decimal(const formula::node& n, const value& v, exact_decimal& out);
    bool plain_text(std::string_view json, std::string_view& out, std::uint32_t input);
    value fail(errc code, std::uint32_t input, std::string why);
    std::string shown(const value& v) const;
    std::string& room();

    const formula* of_;
    std::vector<tail_walk> tails_;  // by input
    std::span<const std::string_view> values_;
    std::deque<std::string> rooms_;  // texts that were made for this row
    std::size_t used_ = 0;
    std::string_view json_;
    errc code_ = errc::ok;
    std::uint32_t failed_ = formula::none, blocked_ = formula::none;
    std::string why_;
};

}  // namespace kumihimo::inline v0::extract
